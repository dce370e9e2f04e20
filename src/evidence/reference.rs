//! Ids of the evidence world and references to them: `C14`, `T1#flip`, `R2`, `S4`.

use std::fmt;

use crate::fence::is_id;

/// What an entry of a claim's `evidence` names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EvidenceRef {
    /// A bundle, `T1`, or one block of it, `T1#flip`.
    Bundle {
        /// `T1`.
        id: String,
        /// The block, where one is named; the whole run otherwise.
        block: Option<String>,
    },
    /// A report, `R2`.
    Report(String),
    /// A source, `S4`.
    Source(String),
    /// Another claim as a premise, `C4`.
    Claim(String),
}

impl EvidenceRef {
    /// Reads a reference; `None` when it has none of the known forms.
    pub(crate) fn parse(text: &str) -> Option<EvidenceRef> {
        if let Some((id, block)) = text.split_once('#') {
            let valid = is_numbered(id, |letter| letter == 'T') && is_id(block);
            return valid.then(|| EvidenceRef::Bundle { id: id.into(), block: Some(block.into()) });
        }
        if !is_numbered(text, |letter| letter != 'K') {
            return None;
        }
        let id = text.to_owned();
        Some(match text.as_bytes()[0] {
            b'T' => EvidenceRef::Bundle { id, block: None },
            b'R' => EvidenceRef::Report(id),
            b'S' => EvidenceRef::Source(id),
            _ => EvidenceRef::Claim(id),
        })
    }

    /// The id of the thing that is named, without the block.
    pub(crate) fn id(&self) -> &str {
        match self {
            EvidenceRef::Bundle { id, .. }
            | EvidenceRef::Report(id)
            | EvidenceRef::Source(id)
            | EvidenceRef::Claim(id) => id,
        }
    }

    /// The bundle's id, where a bundle is named.
    pub(crate) fn bundle(&self) -> Option<&str> {
        match self {
            EvidenceRef::Bundle { id, .. } => Some(id),
            _ => None,
        }
    }
}

impl fmt::Display for EvidenceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvidenceRef::Bundle { id, block: Some(block) } => write!(f, "{id}#{block}"),
            other => f.write_str(other.id()),
        }
    }
}

/// Whether `id` can be the id of a claim: a capital letter other than K, R, S, T and a number.
pub(crate) fn is_claim_id(id: &str) -> bool {
    is_numbered(id, |letter| !matches!(letter, 'K' | 'R' | 'S' | 'T'))
}

/// Whether `id` can be the id of a bundle, `T1`.
pub(crate) fn is_bundle_id(id: &str) -> bool {
    is_numbered(id, |letter| letter == 'T')
}

/// Whether `id` is one capital letter that `letter` accepts, and digits.
pub(crate) fn is_numbered(id: &str, letter: impl Fn(char) -> bool) -> bool {
    let mut chars = id.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_uppercase() && letter(c));
    let rest = chars.as_str();
    first && !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit())
}

/// A sort key that puts `C2` before `C10`.
pub(crate) fn id_order(id: &str) -> (String, u64) {
    let digits = id.find(|c: char| c.is_ascii_digit()).unwrap_or(id.len());
    (id[..digits].to_owned(), id[digits..].parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        let got = EvidenceRef::parse(text).map(|reference| match &reference {
            EvidenceRef::Bundle { .. } => format!("bundle {reference}"),
            EvidenceRef::Report(_) => format!("report {reference}"),
            EvidenceRef::Source(_) => format!("source {reference}"),
            EvidenceRef::Claim(_) => format!("claim {reference}"),
        });
        assert_eq!(got.as_deref(), expect, "{text:?}");
    }

    #[test]
    fn reads_every_form_and_nothing_else() {
        check("T1", Some("bundle T1"));
        check("T1#flip-strict", Some("bundle T1#flip-strict"));
        check("R2", Some("report R2"));
        check("S4", Some("source S4"));
        check("C4", Some("claim C4"));
        check("O12", Some("claim O12"));
        for bad in ["", "T", "t1", "K5", "T1#", "T1#1a", "C4#flip", "T1 ", "TT1", "T1#a b"] {
            check(bad, None);
        }
    }

    #[test]
    fn ids_sort_by_number() {
        let mut ids = ["C10", "C2", "B3"];
        ids.sort_by_key(|id| id_order(id));
        assert_eq!(ids, ["B3", "C2", "C10"]);
    }
}
