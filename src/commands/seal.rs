//! `labdoc evidence seal`: what is published now is written down, so that it cannot vanish.

use std::path::Path;

use serde_json::json;

use super::assess::assess;
use super::{Ended, find_root, plural, write_lock};
use crate::cli::{AssessArgs, Common, Console};
use crate::config::BOOK_TOML;
use crate::diag::Failure;
use crate::disk;

/// Seals the claims and corrections.
///
/// # Errors
/// Something cannot be read or written.
pub(crate) fn seal(
    common: &Common,
    as_of: Option<&str>,
    console: &Console,
) -> Result<Ended, Failure> {
    let _lock = write_lock(&find_root(common)?)?;
    let as_of = as_of.map(str::to_owned);
    let args = AssessArgs { release: false, drafts: false, as_of: as_of.clone() };
    let assessed = assess(common, &args)?;
    let tally = console.findings(&assessed.findings, &assessed.sources);
    if tally.errors > 0 {
        console.summary("nothing was sealed", &json!({ "outcome": "findings" }));
        return Ok(Ended::Findings);
    }
    let date = match as_of.as_deref().filter(|text| *text != "today") {
        Some(text) => {
            text.parse().map_err(|_| Failure::new(format!("--as-of {text} is no date")))?
        }
        None => jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date(),
    };
    let evidence = &assessed.evidence;
    let records = &evidence.records;
    let next = records.ledger.next(&evidence.claims, records, date);
    let Some(seal) = next else {
        console.summary("nothing changed since the last seal", &json!({ "outcome": "clean" }));
        return Ok(Ended::Clean);
    };
    let (path, text) = seal.file()?;
    let place = path.strip_prefix("evidence/").unwrap_or(&path);
    disk::put_below(&assessed.root.join("evidence"), place, text.as_bytes())?;
    if !assessed.book.config.file.evidence.sealed {
        mark(&assessed.root)?;
    }
    let sentence = format!("sealed {} in {path}", plural(seal.claims.len(), "claim"));
    console.summary(
        &sentence,
        &json!({ "outcome": "clean", "path": path, "claims": seal.claims.len() }),
    );
    Ok(Ended::Clean)
}

/// Writes `[evidence] sealed = true` into book.toml; everything else stays as it is.
fn mark(root: &Path) -> Result<(), Failure> {
    let path = root.join(BOOK_TOML);
    let text = disk::read_text(&path)?;
    disk::replace(&path, marked(&text).as_bytes())?;
    Ok(())
}

/// The text of book.toml with the mark in it.
fn marked(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let (mut inside, mut done) = (false, false);
    for line in text.split_inclusive('\n') {
        let plain = line.trim();
        if inside && plain.split('=').next().is_some_and(|key| key.trim() == "sealed") {
            continue;
        }
        out.push_str(line);
        if plain.starts_with('[') {
            inside = plain.split('#').next().unwrap_or("").trim() == "[evidence]";
            if inside && !done {
                if !line.ends_with('\n') {
                    out.push('\n');
                }
                out.push_str("sealed = true\n");
                done = true;
            }
        }
    }
    if !done {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str("\n[evidence]\nsealed = true\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_added_and_nothing_else_changes() {
        let check = |text: &str, expect: &str| assert_eq!(marked(text), expect);
        check("[book]\ntitle = \"a\"\n", "[book]\ntitle = \"a\"\n\n[evidence]\nsealed = true\n");
        check("[evidence]\ndefault = \"off\"\n", "[evidence]\nsealed = true\ndefault = \"off\"\n");
        check(
            "[evidence] # x\nsealed = false\n[kit.a]\n",
            "[evidence] # x\nsealed = true\n[kit.a]\n",
        );
        check(
            "[evidence.release]\nstale = \"warn\"",
            "[evidence.release]\nstale = \"warn\"\n\n[evidence]\nsealed = true\n",
        );
    }
}
