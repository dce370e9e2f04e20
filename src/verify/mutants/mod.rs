//! Mutants: small changes, one at a time, to what a page runs, to see which claims notice them.
//!
//! Pure: texts in, changes out. A change that no reader of the file could notice (a comment, a
//! blank line) or that only breaks its syntax is left out as far as that can be told.

mod lines;
mod yaml;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::digest::sha256_hex;

/// One change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The bytes that are replaced.
    pub(crate) range: Range<usize>,
    /// What stands there instead.
    pub(crate) with: String,
    /// The line where it begins, from 1.
    pub(crate) line: usize,
    /// What it is, in a few words: `1s → 2s`, `deleted: type: STRICT_DNS`.
    pub(crate) what: String,
}

impl Change {
    /// The text with the change in it.
    pub(crate) fn apply(&self, text: &str) -> String {
        [&text[..self.range.start], &self.with, &text[self.range.end..]].concat()
    }
}

/// What a change is made to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// A file of the kit, by its path in the kit.
    Kit(String),
    /// A unit of a block, by its id.
    Unit(String),
}

/// A text that may be changed.
pub(crate) struct Source {
    /// What it is to the run.
    pub(crate) target: Target,
    /// The file in which it stands, from the root.
    pub(crate) file: String,
    /// The lines of that file before it.
    pub(crate) lines_before: usize,
    /// Its text.
    pub(crate) text: String,
}

/// One change to one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mutant {
    /// `M` and eight hex digits that depend on file and change only.
    pub(crate) id: String,
    /// What is changed.
    pub(crate) target: Target,
    /// The file, from the root.
    pub(crate) file: String,
    /// The line in that file, from 1.
    pub(crate) line: usize,
    /// The change.
    pub(crate) change: Change,
}

/// Every mutant of the texts, in an order that depends on `seed` only: file by file in turn, so
/// that the first few are spread over all of them.
pub(crate) fn mutants(sources: &[Source], seed: u64) -> Vec<Mutant> {
    let mut files: BTreeMap<&str, Vec<(String, Mutant)>> = BTreeMap::new();
    for source in sources {
        for change in changes(&source.file, &source.target, &source.text) {
            let line = source.lines_before + change.line;
            let column = change.range.start;
            let name = format!("{}:{line}:{column}:{}", source.file, change.what);
            let id = format!("M{}", &sha256_hex(name.as_bytes())[..8]);
            let key = sha256_hex(format!("{seed}:{name}").as_bytes());
            let (target, file) = (source.target.clone(), source.file.clone());
            let of_file = files.entry(source.file.as_str()).or_default();
            of_file.push((key, Mutant { id, target, file, line, change }));
        }
    }
    let mut turns: Vec<(usize, String, Mutant)> = Vec::new();
    for of_file in files.values_mut() {
        of_file.sort_by(|a, b| a.0.cmp(&b.0));
        let of_file = std::mem::take(of_file).into_iter().enumerate();
        turns.extend(of_file.map(|(turn, (key, mutant))| (turn, key, mutant)));
    }
    turns.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    turns.into_iter().map(|(_, _, mutant)| mutant).collect()
}

/// The changes of one text; none where it is of a kind that labdoc does not know.
fn changes(file: &str, target: &Target, text: &str) -> Vec<Change> {
    if matches!(target, Target::Unit(_)) {
        return lines::changes(text, lines::Language::Shell);
    }
    let name = file.rsplit('/').next().unwrap_or(file);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let first = text.lines().next().unwrap_or_default();
    match ending {
        "yaml" | "yml" => yaml::changes(text),
        "py" => lines::changes(text, lines::Language::Python),
        "sh" | "bash" => lines::changes(text, lines::Language::Shell),
        "conf" | "cfg" | "ini" | "env" => lines::changes(text, lines::Language::Settings),
        _ if first.starts_with("#!") && first.contains("python") => {
            lines::changes(text, lines::Language::Python)
        }
        _ if first.starts_with("#!") && first.contains("sh") => {
            lines::changes(text, lines::Language::Shell)
        }
        _ => Vec::new(),
    }
}

/// A number as it is written, halved and doubled; 0 becomes 1. The same number of decimals.
fn other_numbers(text: &str) -> Vec<String> {
    let decimals = text.split_once('.').map_or(0, |(_, part)| part.len());
    let Ok(number) = text.parse::<f64>() else { return Vec::new() };
    let written = |number: f64| format!("{number:.decimals$}");
    if number == 0.0 {
        return vec![written(1.0)];
    }
    let half = if decimals == 0 { (number / 2.0).floor() } else { number / 2.0 };
    let mut out = vec![written(half), written(number * 2.0)];
    out.retain(|other| other != text);
    out.dedup();
    out
}

/// The numbers of a text that stand alone: not inside a word, a version or an address.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = (at..bytes.len())
            .find(|i| !bytes[*i].is_ascii_digit() && bytes[*i] != b'.')
            .unwrap_or(bytes.len());
        let word = text[at..end].trim_end_matches('.');
        let joined = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:".contains(&byte);
        let before = at.checked_sub(1).is_some_and(|i| joined(bytes[i]) && bytes[i] != b':');
        // A unit may follow: `60s`, `512Mi`, `5%`.
        let unit = text[end..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let after = bytes.get(end + unit).is_some_and(|b| b.is_ascii_digit() || *b == b'_');
        if !before && !after && unit <= 2 && word.matches('.').count() <= 1 {
            out.push(at..at + word.len());
        }
        at = end + unit;
    }
    out
}

/// A few words of a text for a list: one line, at most 60 characters.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 60 {
        return line;
    }
    line.chars().take(59).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(file: &str, text: &str) -> Source {
        let target = Target::Kit(file.to_owned());
        Source { target, file: file.to_owned(), lines_before: 0, text: text.to_owned() }
    }

    #[test]
    fn numbers_stand_alone() {
        let found = |text: &str| -> Vec<String> {
            numbers(text).into_iter().map(|range| text[range].to_owned()).collect()
        };
        assert_eq!(found("sleep 0.5 && curl 127.0.0.1:80"), ["0.5", "80"]);
        assert_eq!(found("connect_timeout: 60s, x2, v1.38.3"), ["60"]);
        assert_eq!(found("limit 512Mi 5%"), ["512", "5"]);
        assert_eq!(found("range(3)."), ["3"]);
        assert!(found("backend_2 1_000").is_empty());
    }

    #[test]
    fn other_numbers_keep_their_decimals() {
        assert_eq!(other_numbers("60"), ["30", "120"]);
        assert_eq!(other_numbers("1"), ["0", "2"]);
        assert_eq!(other_numbers("0"), ["1"]);
        assert_eq!(other_numbers("0.5"), ["0.2", "1.0"]);
    }

    #[test]
    fn the_order_depends_on_the_seed_only_and_is_spread() {
        let a = source("a.yaml", "one: 1\ntwo: 2\nthree: 3\n");
        let b = source("b.sh", "#!/bin/sh\nsleep 5\nsleep 7\n");
        let ids = |sources: &[Source], seed| -> Vec<String> {
            mutants(sources, seed).into_iter().map(|mutant| mutant.id).collect()
        };
        let first = ids(&[source("a.yaml", &a.text), source("b.sh", &b.text)], 1);
        assert_eq!(first, ids(&[source("b.sh", &b.text), source("a.yaml", &a.text)], 1));
        assert_ne!(first, ids(&[source("a.yaml", &a.text), source("b.sh", &b.text)], 2));
        let files: Vec<String> = mutants(&[a, b], 1).into_iter().map(|m| m.file).collect();
        assert_ne!(files[0], files[1], "{files:?}");
        let mut unique = first.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), first.len());
    }

    #[test]
    fn unknown_kinds_are_left_alone() {
        assert!(
            mutants(&[source("logo.png", "1 2 3\n"), source("README.md", "- 5\n")], 1).is_empty()
        );
    }
}
