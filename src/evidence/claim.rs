//! Claims: what is stated on a page, joined with what `claims.yaml` says of it.

use std::fmt;

use serde_json::json;
use unicode_normalization::UnicodeNormalization as _;

use super::digests::digest;
use super::expect::{Expect, Name};
use super::holds::Holds;
use super::reference::EvidenceRef;
use crate::source::Span;

/// How a claim is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, schemars::JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(crate) enum Grade {
    /// By a run that is recorded here.
    Measured,
    /// By a report of others.
    Reported,
    /// By a published source.
    Official,
    /// From other claims.
    Logical,
}

impl Grade {
    /// The grades by their words.
    pub(crate) const ALL: [(&'static str, Grade); 4] = [
        ("measured", Grade::Measured),
        ("reported", Grade::Reported),
        ("official", Grade::Official),
        ("logical", Grade::Logical),
    ];

    /// Reads a grade.
    pub(crate) fn parse(word: &str) -> Option<Grade> {
        Grade::ALL.iter().find(|(known, _)| *known == word).map(|(_, grade)| *grade)
    }

    /// Its word.
    pub(crate) fn word(self) -> &'static str {
        Grade::ALL.iter().find(|(_, grade)| *grade == self).map_or("measured", |(word, _)| word)
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A value with its place in `claims.yaml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed<T> {
    /// The value.
    pub(crate) value: T,
    /// Where it stands.
    pub(crate) span: Span,
}

/// One entry of a `claims.yaml`: everything about a claim but its statement.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// `C7`, at its key.
    pub(crate) id: Placed<String>,
    /// How it is known.
    pub(crate) grade: Grade,
    /// What it rests on.
    pub(crate) evidence: Vec<Placed<EvidenceRef>>,
    /// What must hold of the captured values; every entry must.
    pub(crate) expect: Vec<Placed<Expect>>,
    /// The environments in which it is claimed.
    pub(crate) holds: Holds,
    /// A negative control that must hold too.
    pub(crate) control: Option<Placed<Expect>>,
    /// After how many days a run is too old.
    pub(crate) expires_after: Option<i64>,
    /// Whether a part of the entry could not be read; it was reported, and the claim cannot be
    /// shown as verified.
    pub(crate) unreadable: bool,
}

/// A claim: the statement that the reader reads, how it is known, what it rests on, and the
/// condition that can fail.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// `C7`, unique over the site for ever.
    pub(crate) id: String,
    /// The statement as the reader sees it, plain.
    pub(crate) statement: String,
    /// The digest of statement, grade and conditions; see [`claim_digest`].
    pub(crate) digest: String,
    /// The statement with each live number as `{=name}`, in NFC, white space collapsed.
    pub(crate) wording: String,
    /// What `claims.yaml` says.
    pub(crate) entry: Entry,
    /// Index of its page.
    pub(crate) page: usize,
    /// The page's path from the root.
    pub(crate) path: String,
    /// The statement's place, `[` to `}`.
    pub(crate) span: Span,
    /// Names of the live numbers inside the statement.
    pub(crate) lives: Vec<String>,
}

impl Claim {
    /// All conditions, the control last, with whether it is the control.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = (&Expect, bool)> {
        let expects = self.entry.expect.iter().map(|placed| (&placed.value, false));
        expects.chain(self.entry.control.iter().map(|placed| (&placed.value, true)))
    }

    /// The bundles that its evidence names, each once, in order.
    pub(crate) fn bundles(&self) -> Vec<&str> {
        let mut out: Vec<&str> = Vec::new();
        for id in self.entry.evidence.iter().filter_map(|placed| placed.value.bundle()) {
            if !out.contains(&id) {
                out.push(id);
            }
        }
        out
    }

    /// The names of all captured values and blocks in its conditions.
    pub(crate) fn names(&self) -> Vec<&Name> {
        self.conditions().flat_map(|(expect, _)| expect.names()).collect()
    }
}

/// The digest of a claim: the tagged SHA-256 of the compact JSON array
/// `["labdoc.claim/1", text, grade, [expect…], {key: conditions}, control or null]`.
///
/// `text` is the statement in NFC with white space collapsed and each live number as `{=name}`;
/// conditions are written in one canonical way, `flip.lost == 0` and `>=1.36 <1.39`, so that
/// spaces do not count. Evidence and expiry take no part: a claim does not change its meaning
/// by being measured again.
pub(crate) fn claim_digest(digest_text: &str, entry: &Entry) -> String {
    let text = collapsed(digest_text);
    let expect: Vec<String> = entry.expect.iter().map(|placed| placed.value.to_string()).collect();
    let control = entry.control.as_ref().map(|placed| placed.value.to_string());
    let holds = entry.holds.canonical();
    digest(&json!(["labdoc.claim/1", text, entry.grade.word(), expect, holds, control]))
}

/// A text in NFC with its white space collapsed.
pub(super) fn collapsed(text: &str) -> String {
    let text: String = text.nfc().collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::sha256_tagged;
    use crate::source::Sources;

    fn entry(expect: &[&str], holds: &str) -> Entry {
        let span = Span::new(Sources::default().add("claims.yaml", ""), 0..0);
        let mut entry = Entry {
            id: Placed { value: "C1".into(), span },
            grade: Grade::Measured,
            evidence: Vec::new(),
            expect: Vec::new(),
            holds: Holds::default(),
            control: None,
            expires_after: None,
            unreadable: false,
        };
        for text in expect {
            let value = text.parse().expect("valid");
            entry.expect.push(Placed { value, span });
        }
        if !holds.is_empty() {
            entry.holds.add("envoy", holds).expect("valid");
        }
        entry
    }

    #[test]
    fn rewrapping_is_no_change_and_a_number_is() {
        let check = |a: (&str, &[&str], &str), b: (&str, &[&str], &str), equal: bool| {
            let left = claim_digest(a.0, &entry(a.1, a.2));
            let right = claim_digest(b.0, &entry(b.1, b.2));
            assert_eq!(left == right, equal, "{a:?} {b:?}");
        };
        let base = ("연결 {=flip.n}개가 정리된다", &["flip.n == 2"][..], "<1.39");
        check(base, ("연결  {=flip.n}개가\n정리된다", &["flip.n==2"], " <1.39 "), true);
        let decomposed: String = base.0.nfd().collect();
        check(base, (&decomposed, base.1, base.2), true);
        check(base, ("연결 {=flip.m}개가 정리된다", base.1, base.2), false);
        check(base, (base.0, &["flip.n == 3"], base.2), false);
        check(base, (base.0, base.1, "<1.40"), false);
        check(base, (base.0, base.1, ""), false);
    }

    #[test]
    fn the_canonical_form_is_fixed() {
        let form = r#"["labdoc.claim/1","a b","measured",["flip.n == 2"],{"envoy":"<1.39"},null]"#;
        let got = claim_digest("a\n b", &entry(&["flip.n==2"], "<1.39"));
        assert_eq!(got, sha256_tagged(form.as_bytes()));
    }
}
