//! Whether the generated site works when it is opened from a disk: nothing from elsewhere, no
//! module, no `fetch`, every link ends in a file that is there (OF401 to OF407).

use std::collections::{BTreeMap, BTreeSet};

use html5gum::StartTag;
use rayon::prelude::*;

use super::places::{IsThere, decoded, has_scheme, is_remote, missing, resolve};
use super::tags::tags_with;
use crate::diag::{Diagnostic, Failure};

/// Longest path that Windows has room for below a folder of downloads.
const LONGEST: usize = 170;

/// The page that a server shows in the place of one that is not there.
const NOT_FOUND: &str = "404.html";

/// The attributes that are looked at: a tag without any of them is of no interest.
const ATTRIBUTES: &[&str] = &[
    "id",
    "name",
    "crossorigin",
    "integrity",
    "type",
    "style",
    "content",
    "src",
    "poster",
    "data",
    "srcset",
    "href",
    "xlink:href",
];

/// Relations of a `<link>` that load something.
const LOADING: &[&str] =
    &["stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest", "apple-touch-icon"];

/// Gives the bytes of a file of the site, or nothing where it was named and not made.
pub(super) type Read<'a> = dyn Fn(&str) -> Result<Option<Vec<u8>>, Failure> + Sync + 'a;

/// What a page of the site says of itself.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The anchors.
    pub(super) ids: BTreeSet<String>,
    /// The links to anchors of other pages: path, fragment, as written. All others are looked at
    /// while the page is read, as those of a large site are many.
    pub(super) links: Vec<(String, String, String)>,
    /// Links that lead nowhere, by what is said of them.
    pub(super) broken: BTreeMap<String, Diagnostic>,
    /// What else is wrong with the page alone.
    pub(super) found: Vec<Diagnostic>,
}

impl Facts {
    /// Notes a link that leads nowhere, once.
    fn broken(&mut self, page: &str, written: &str, (code, what): (&'static str, String)) {
        let message = format!("page {page} links to {written:?}; {what}");
        let finding = Diagnostic::error(code, message.clone()).in_file(page, None);
        let finding = finding.hint("see where the page's text or template writes it");
        self.broken.insert(message, finding);
    }
}

/// The anchors that pages are asked for by others, by the path of the page.
pub(crate) type Wanted = BTreeMap<String, BTreeSet<String>>;

/// Checks the files of a site; `read` gives the bytes of one, or nothing where it was named and not
/// made: then it is there, and nothing is known of its anchors. Besides the findings, the anchors
/// that pages are asked for.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn offline(
    names: &BTreeSet<String>,
    read: &Read<'_>,
) -> Result<(Vec<Diagnostic>, Wanted), Failure> {
    let is_there = |name: &str| names.contains(name);
    let ours: Vec<&String> = names.iter().filter(|name| is_generated(name)).collect();
    let facts: Result<Vec<Option<(&String, Facts)>>, Failure> = ours
        .into_par_iter()
        .map(|name| {
            let bytes = read(name)?;
            Ok(bytes.map(|bytes| (name, facts(name, &String::from_utf8_lossy(&bytes), &is_there))))
        })
        .collect();
    let mut facts: BTreeMap<&String, Facts> = facts?.into_iter().flatten().collect();
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut links = Vec::new();
    for (page, of_page) in &mut facts {
        found.append(&mut of_page.found);
        links.push((*page, std::mem::take(&mut of_page.links)));
    }
    let mut wanted = Wanted::new();
    for (page, links) in links {
        let mut of_page = Facts::default();
        for (path, fragment, written) in links {
            let known = facts.get(&path).is_none_or(|target| has_anchor(target, &path, &fragment));
            if known {
                wanted.entry(path).or_default().insert(fragment);
            } else {
                of_page.broken(page, &written, no_anchor());
            }
        }
        let of_paths = facts.get_mut(page).map(|facts| std::mem::take(&mut facts.broken));
        of_page.broken.extend(of_paths.unwrap_or_default());
        found.extend(of_page.broken.into_values());
    }
    found.extend(names.iter().filter_map(|name| too_long(name)));
    Ok((found, wanted))
}

/// Whether a file is a page, a script or a style sheet that labdoc or the site's theme made; files
/// of kits and of runs are published as they are.
pub(super) fn is_generated(name: &str) -> bool {
    let given = (name.starts_with("kit/") && name.contains("/files/"))
        || (name.starts_with("evidence/") && name.contains("/raw/"))
        || (name.starts_with("evidence/reports/") && name.rsplit('.').next() != Some("html"));
    let index = name.ends_with("/index.html");
    let kind = name.rsplit('.').next();
    matches!(kind, Some("html" | "css" | "js")) && (index || !given)
}

/// OF407.
fn too_long(name: &str) -> Option<Diagnostic> {
    let length = name.chars().count();
    let message =
        format!("offline path is {length} characters; Windows has room for about {LONGEST}");
    let found = Diagnostic::warning("OF407", message).in_file(name, None);
    (length > LONGEST).then(|| found.hint("shorten the names of folders and files"))
}

/// What one file says of itself.
pub(super) fn facts(name: &str, text: &str, is_there: &IsThere<'_>) -> Facts {
    let mut facts = Facts::default();
    match name.rsplit('.').next() {
        Some("js") => script(name, text, &mut facts.found),
        Some("css") => style(name, text, &mut facts.found),
        _ => {
            let mut page = Page { name, is_there, own: Vec::new(), facts: &mut facts };
            tags_with(text, ATTRIBUTES, &mut |tag| page.tag(tag));
            for (fragment, written) in std::mem::take(&mut page.own) {
                if !has_anchor(page.facts, name, &fragment) {
                    page.facts.broken(name, &written, no_anchor());
                }
            }
        }
    }
    facts
}

/// OF402 in a script: what browsers refuse in a page from the disk.
fn script(name: &str, text: &str, found: &mut Vec<Diagnostic>) {
    for word in ["fetch(", "XMLHttpRequest", "new Worker(", "new SharedWorker(", "import("] {
        let uses = text.match_indices(word).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
        });
        if uses {
            found.push(of402(name, word.trim_end_matches('(')));
        }
    }
}

/// OF401 and OF402 in a style sheet.
fn style(name: &str, text: &str, found: &mut Vec<Diagnostic>) {
    for (at, _) in text.match_indices("url(") {
        let target = text[at + 4..].trim_start_matches(['"', '\'', ' ']);
        let target = target.split(['"', '\'', ')']).next().unwrap_or("");
        if is_remote(target) {
            found.push(of401(name, target));
        } else if target.starts_with('/') {
            found.push(of404(name, target));
        }
        let property = text[..at].rsplit(['{', ';', '}']).next().unwrap_or("");
        let mask = property.trim_start().starts_with("mask") || property.contains("-mask");
        if mask && !target.starts_with("data:") && !target.starts_with('#') {
            found.push(of402(name, "mask-image url"));
        }
    }
    if let Some((_, rest)) = text.split_once("@import") {
        let target = rest.trim_start_matches(['"', '\'', ' ']).split(['"', '\'', ';']).next();
        if let Some(target) = target.filter(|target| is_remote(target)) {
            found.push(of401(name, target));
        }
    }
}

/// OF401.
fn of401(page: &str, address: &str) -> Diagnostic {
    Diagnostic::error("OF401", format!("page {page} loads {address}; the offline copy may not"))
        .in_file(page, None)
        .hint("put the file into the site's folder and link it there")
}

/// OF402.
fn of402(page: &str, what: &str) -> Diagnostic {
    Diagnostic::error("OF402", format!("page {page} uses {what}; it does not work from file://"))
        .in_file(page, None)
        .hint("use a classic script beside the page, and icons inside the page")
}

/// OF404.
fn of404(page: &str, address: &str) -> Diagnostic {
    Diagnostic::error("OF404", format!("page {page} uses root-absolute link \"{address}\""))
        .in_file(page, None)
        .hint("write the address relative to the page")
}

/// A page that is being read.
struct Page<'a> {
    name: &'a str,
    /// Knows the files of the site.
    is_there: &'a IsThere<'a>,
    /// Anchors of the page itself that it links to, and how it writes them.
    own: Vec<(String, String)>,
    facts: &'a mut Facts,
}

impl Page<'_> {
    /// Takes one element.
    fn tag(&mut self, tag: &StartTag<()>) {
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        let attribute = |key: &str| {
            let value = tag.attributes.get(key.as_bytes());
            value.map(|value| String::from_utf8_lossy(value).into_owned())
        };
        self.facts.ids.extend(attribute("id"));
        if name == "a" {
            self.facts.ids.extend(attribute("name"));
        }
        for refused in ["crossorigin", "integrity"] {
            if attribute(refused).is_some() {
                self.facts.found.push(of402(self.name, refused));
            }
        }
        let kind = attribute("type").unwrap_or_default();
        if name == "script" && kind.eq_ignore_ascii_case("module") {
            self.facts.found.push(of402(self.name, "type=module"));
        }
        if attribute("style").is_some_and(|style| style.contains("mask") && style.contains("url("))
        {
            self.facts.found.push(of402(self.name, "mask-image url"));
        }
        let nofollow = attribute("content").is_some_and(|text| text.contains("nofollow"));
        let robots = attribute("name").is_some_and(|text| text.eq_ignore_ascii_case("robots"));
        if name == "meta" && robots && nofollow && self.name.starts_with("kit/") {
            let message = "kit index pages carry robots nofollow; wget -r would fetch nothing";
            let found = Diagnostic::error("OF406", message).in_file(self.name, None);
            self.facts.found.push(found.hint("take `nofollow` out of the template"));
        }
        self.addresses(&name, &attribute);
    }

    /// The addresses of one element.
    fn addresses(&mut self, name: &str, attribute: &dyn Fn(&str) -> Option<String>) {
        for key in ["src", "poster", "data", "srcset"] {
            let Some(value) = attribute(key) else { continue };
            let parts: Vec<&str> = if key == "srcset" {
                value.split(',').filter_map(|part| part.split_whitespace().next()).collect()
            } else {
                vec![value.as_str()]
            };
            for part in parts {
                self.loaded(part);
            }
        }
        let Some(href) = attribute("href").or_else(|| attribute("xlink:href")) else { return };
        let rel = attribute("rel").unwrap_or_default().to_ascii_lowercase();
        match name {
            "use" if !href.starts_with('#') => {
                self.facts.found.push(of402(self.name, "external `<use>`"));
            }
            "use" => {}
            "link" if rel.split_whitespace().any(|word| LOADING.contains(&word)) => {
                self.loaded(&href);
            }
            "link" | "base" => {}
            "image" => self.loaded(&href),
            _ => self.link(&href),
        }
    }

    /// An address that is loaded with the page.
    fn loaded(&mut self, address: &str) {
        if is_remote(address) {
            self.facts.found.push(of401(self.name, address));
        } else {
            self.link(address);
        }
    }

    /// An address of the site.
    fn link(&mut self, address: &str) {
        if is_remote(address) || has_scheme(address) {
            return;
        }
        if address.starts_with('/') {
            // Shown in place of any address, and by a server alone.
            if self.name != NOT_FOUND {
                self.facts.found.push(of404(self.name, address));
            }
            return;
        }
        let (rest, fragment) = match address.split_once('#') {
            Some((rest, fragment)) => (rest, Some(decoded(fragment))),
            None => (address, None),
        };
        let rest = rest.split('?').next().unwrap_or("");
        let path = resolve(self.name, &decoded(rest));
        let fragment = fragment.filter(|fragment| !fragment.is_empty() && fragment != "top");
        match (missing(self.is_there, &path), fragment) {
            (Some(fault), _) => self.facts.broken(self.name, address, fault),
            (None, None) => {}
            (None, Some(fragment)) if path == self.name => {
                self.own.push((fragment, address.to_owned()));
            }
            (None, Some(fragment)) => {
                self.facts.links.push((path, fragment, address.to_owned()));
            }
        }
    }
}

/// Whether a page has an anchor. A viewer shows the beginning of a large file only.
pub(super) fn has_anchor(page: &Facts, path: &str, fragment: &str) -> bool {
    (path.contains("/view/") && fragment.starts_with('L')) || page.ids.contains(fragment)
}

/// What is said of a link to an anchor that is not there.
fn no_anchor() -> (&'static str, String) {
    ("OF405", "no such anchor".to_owned())
}

#[cfg(test)]
#[path = "offline_tests.rs"]
mod tests;
