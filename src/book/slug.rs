//! Anchors: letters and digits of every script in NFC, lower case, blanks as `-`.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization as _;

/// The anchor that a heading's text gives.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.nfc().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || c == '_' {
            out.push(c);
        } else if (c.is_whitespace() || c == '-') && !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_owned()
}

/// Ids that the pages' frame itself uses, and what its ids begin with.
const RESERVED: &[&str] = &["main", "record", "files"];
const RESERVED_PREFIXES: &[&str] =
    &["record-", "block-", "tab-", "panel-", "check-", "fn-", "fnref-", "mmd-"];

/// The id, with `section-` before one that the pages' frame uses.
fn allowed(id: &str) -> String {
    let reserved = RESERVED.contains(&id) || RESERVED_PREFIXES.iter().any(|p| id.starts_with(p));
    if reserved { format!("section-{id}") } else { id.to_owned() }
}

/// The ids of a page so far, and for each that was wanted twice the last number behind it.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    ids: BTreeSet<String>,
    last: BTreeMap<String, usize>,
}

/// `wanted`, or `wanted-2`, `-3` … where it is taken.
pub(crate) fn unique(wanted: &str, taken: &mut Taken) -> String {
    let base = if wanted.is_empty() { "section".to_owned() } else { allowed(wanted) };
    if taken.ids.insert(base.clone()) {
        return base;
    }
    // All numbers up to the last one are taken: a long page that repeats a heading asks often.
    let mut number = taken.last.get(&base).copied().unwrap_or(1);
    loop {
        number += 1;
        let id = format!("{base}-{number}");
        if taken.ids.insert(id.clone()) {
            taken.last.insert(base, number);
            return id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hangul_stays_and_ids_are_unique() {
        assert_eq!(slug("설치 전 할 일"), "설치-전-할-일");
        assert_eq!(slug("`lab up`: 준비 (1/2)"), "lab-up-준비-12");
        assert_eq!(slug("\u{1109}\u{1165}\u{11af}\u{110e}\u{1175}"), "설치");
        let mut taken = Taken::default();
        assert_eq!(unique("a", &mut taken), "a");
        assert_eq!(unique("a", &mut taken), "a-2");
        assert_eq!(unique("a-3", &mut taken), "a-3");
        assert_eq!(unique("a", &mut taken), "a-4");
        assert_eq!(unique("main", &mut taken), "section-main");
        assert_eq!(unique("block-a", &mut taken), "section-block-a");
        assert_eq!(unique("blocks", &mut taken), "blocks");
    }
}
