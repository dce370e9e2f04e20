//! `labdoc check --external`: whether the addresses outside the site still answer. Nothing else
//! opens a connection.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use globset::{Glob, GlobSet, GlobSetBuilder};
use html5gum::{Token, Tokenizer};

use super::assess::Assessed;
use crate::cli::Console;
use crate::diag::{Diagnostic, Failure};
use crate::net::{Client, Proxies, Reply, Trouble};
use crate::proc;
use crate::source::Span;

/// How many servers are asked at the same time.
const AT_ONCE: usize = 8;

/// The longest that a server's wish to be asked later is waited for, in seconds.
const LONGEST_WAIT: u64 = 10;

/// Endings of hosts that are for examples only (RFC 2606, RFC 6761).
const EXAMPLES: &[&str] =
    &["example", "invalid", "test", "example.com", "example.net", "example.org"];

/// Where an address stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// In a page.
    Page(Span),
    /// In a file of the evidence.
    File(&'static str),
}

/// The places of an address, with what stands behind `#` at each.
type Places = BTreeSet<(Option<String>, Place)>;

/// An answer, or why there is none.
type Answer = Result<Reply, Trouble>;

/// Asks for every outside address of the book.
///
/// # Errors
/// Nothing could be reached at all, or a setting cannot be used.
pub(super) fn external(assessed: &Assessed, console: &Console) -> Result<Vec<Diagnostic>, Failure> {
    let ignored = ignored(&assessed.book.config.file.links.ignore)?;
    let mut addresses = addresses(assessed);
    addresses.retain(|address, _| !is_example(address) && !ignored.is_match(address));
    let client = Client::new(Proxies::of_environment(&|name| proc::variable(name)))?;
    let answers = ask_all(&client, &addresses);
    console.say(&format!("asked for {} outside addresses", answers.len()));
    let reached = answers.iter().any(|(_, answer)| answer.is_ok());
    if let Some((address, Err(trouble))) = answers.first().filter(|_| !reached) {
        let message = format!("no outside address could be reached; {address}: {}", words(trouble));
        return Err(Failure::new(message).hint(
            "behind a proxy set HTTPS_PROXY=http://HOST:PORT, and SSL_CERT_FILE if it has a \
             certificate of its own",
        ));
    }
    Ok(answers
        .iter()
        .flat_map(|(address, answer)| {
            let places = addresses.get(address.as_str()).into_iter().flatten();
            places.filter_map(move |(fragment, place)| {
                let finding = judge(address, fragment.as_deref(), answer)?;
                Some(match place {
                    Place::Page(span) => finding.at(*span),
                    Place::File(path) => finding.in_file(*path, None),
                })
            })
        })
        .collect())
}

/// The patterns of `[links] ignore`.
fn ignored(patterns: &[String]) -> Result<GlobSet, Failure> {
    let unusable = |error: globset::Error| Failure::new(format!("[links] ignore: {error}"));
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(unusable)?);
    }
    set.build().map_err(unusable)
}

/// Every outside address of pages and sources, without its fragment.
fn addresses(assessed: &Assessed) -> BTreeMap<String, Places> {
    let mut out: BTreeMap<String, Places> = BTreeMap::new();
    let mut add = |address: &str, place: Place| {
        if address.starts_with("http://") || address.starts_with("https://") {
            let (address, fragment) = match address.split_once('#') {
                Some((address, fragment)) => (address, Some(fragment.to_owned())),
                None => (address, None),
            };
            out.entry(address.to_owned()).or_default().insert((fragment, place));
        }
    };
    for page in &assessed.book.pages {
        for link in &page.links {
            add(&link.dest, Place::Page(link.span));
        }
    }
    for source in assessed.evidence.records.sources.values() {
        let file = Place::File("evidence/sources.yaml");
        add(&source.url, file.clone());
        source.snapshot.iter().for_each(|kept| add(kept, file.clone()));
    }
    out
}

/// The host of an address.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// Whether an address stands for an example, where nothing is meant to answer.
fn is_example(address: &str) -> bool {
    let name = host(address).split(':').next().unwrap_or_default().to_lowercase();
    EXAMPLES.iter().any(|end| {
        name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// The answers, in the order of the addresses. Servers are asked at the same time, each for one
/// address after the other.
fn ask_all(client: &Client, addresses: &BTreeMap<String, Places>) -> Vec<(String, Answer)> {
    let mut hosts: BTreeMap<&str, Vec<(&str, bool)>> = BTreeMap::new();
    for (address, places) in addresses {
        let wanted = places.iter().any(|(fragment, _)| anchor(fragment.as_deref()).is_some());
        hosts.entry(host(address)).or_default().push((address, wanted));
    }
    let queue = std::sync::Mutex::new(hosts.into_values());
    let next = || queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    let work = || {
        let mut out = Vec::new();
        while let Some(of_host) = next() {
            let ask = |(address, wanted): (&str, bool)| {
                (address.to_owned(), ask(client, address, wanted))
            };
            out.extend(of_host.into_iter().map(ask));
        }
        out
    };
    let mut answers: Vec<(String, Answer)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
    });
    answers.sort_by(|a, b| a.0.cmp(&b.0));
    answers
}

/// One answer; a server that is busy is asked once more.
fn ask(client: &Client, address: &str, wanted: bool) -> Answer {
    let first = client.ask(address, wanted);
    let wait = match &first {
        Ok(reply) if matches!(reply.status, 429 | 502..=504) => reply.wait.unwrap_or(1),
        Err(Trouble::Slow) => 0,
        _ => return first,
    };
    if wait > LONGEST_WAIT {
        return first;
    }
    std::thread::sleep(Duration::from_secs(wait));
    client.ask(address, wanted)
}

/// What a fragment names on a page; nothing for a text fragment.
fn anchor(fragment: Option<&str>) -> Option<String> {
    let name = fragment?.split(":~:").next().filter(|name| !name.is_empty())?;
    Some(crate::address::decode(name).unwrap_or_else(|| name.to_owned()))
}

/// What an answer says about a link, if it says anything against it.
fn judge(address: &str, fragment: Option<&str>, answer: &Answer) -> Option<Diagnostic> {
    let reply = match answer {
        Ok(reply) => reply,
        Err(trouble @ (Trouble::Slow | Trouble::Proxy(_))) => {
            return Some(unknown(address, &words(trouble)));
        }
        Err(trouble) => return Some(broken(address, &words(trouble))),
    };
    match reply.status {
        200..=299 => {}
        401 | 403 | 405 | 407 | 408 | 429 | 500..=599 => {
            return Some(unknown(address, &format!("it answers {}", reply.status)));
        }
        status => return Some(broken(address, &format!("it answers {status}"))),
    }
    let missing =
        anchor(fragment).filter(|id| reply.html.as_ref().is_some_and(|html| !has_anchor(html, id)));
    if let Some(id) = missing {
        let message = format!("{address} has no anchor #{id}");
        let finding = Diagnostic::warning("LK009", message);
        return Some(
            finding.hint("correct it, or leave it out; anchors that a script makes are not seen"),
        );
    }
    let moved = reply.moved.as_ref()?;
    let message = format!("{address} has moved for good");
    Some(Diagnostic::note_of("LK010", message).hint(format!("write {moved}")))
}

/// The finding for a link that leads nowhere.
fn broken(address: &str, why: &str) -> Diagnostic {
    let finding = Diagnostic::error("LK007", format!("{address} cannot be read: {why}"));
    finding.hint("correct the address, or link to a copy that is kept")
}

/// The finding for a link of which nothing can be said.
fn unknown(address: &str, why: &str) -> Diagnostic {
    let finding = Diagnostic::warning("LK008", format!("{address} could not be checked: {why}"));
    finding.hint("look at it in a browser; `ignore` under [links] in book.toml leaves it out")
}

/// A trouble in words.
fn words(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Unreachable(why) | Trouble::Other(why) => why.clone(),
        Trouble::Slow => "the server takes too long".to_owned(),
        Trouble::Certificate(why) => format!("its certificate is not good ({why})"),
        Trouble::Proxy(why) => format!("the proxy does not connect ({why})"),
        Trouble::Loop => "it leads on and on".to_owned(),
    }
}

/// Whether a page has an anchor; code hosts write `user-content-` before those of a document.
fn has_anchor(html: &str, id: &str) -> bool {
    Tokenizer::new(html).flatten().any(|token| {
        let Token::StartTag(tag) = token else { return false };
        ["id", "name"].iter().any(|key| {
            tag.attributes.get(key.as_bytes()).is_some_and(|value| {
                let value = String::from_utf8_lossy(value);
                value == id || value.strip_prefix("user-content-") == Some(id)
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_for_examples_are_not_asked() {
        for address in
            ["https://example.com/a", "http://docs.example", "https://a.example.org:8443/"]
        {
            assert!(is_example(address), "{address}");
        }
        for address in
            ["https://notexample.com/", "http://example.com.kr/", "https://a.dev/example.com"]
        {
            assert!(!is_example(address), "{address}");
        }
        assert_eq!(host("https://me@a.dev:8443/x@y"), "a.dev:8443");
    }

    #[test]
    fn anchors_of_a_page() {
        let html = "<h2 id=\"user-content-설치\">x</h2><a name='old'></a>";
        assert!(has_anchor(html, "설치") && has_anchor(html, "old") && !has_anchor(html, "x"));
        assert_eq!(anchor(Some("%EC%84%A4%EC%B9%98")).as_deref(), Some("설치"));
        assert_eq!(anchor(Some(":~:text=x")), None);
        assert_eq!(anchor(Some("a:~:text=x")).as_deref(), Some("a"));
    }
}
