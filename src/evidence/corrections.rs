//! `evidence/corrections.yaml`: numbered, dated, never edited. What was wrong stays readable.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Deserialize;
use serde_json::json;

use super::digests::digest;
use super::ordered::Ordered;
use super::reference::{id_order, is_claim_id, is_numbered};
use crate::diag::Diagnostic;

/// Where corrections stand.
pub(super) const CORRECTIONS: &str = "evidence/corrections.yaml";

/// What a correction does to its claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CorrectionKind {
    /// The statement was wrong.
    Corrected,
    /// It is no longer made.
    Withdrawn,
    /// Another claim, named by `now`, takes its place.
    Superseded,
    /// The same was meant; it is said better.
    Clarified,
    /// It rests on something else now.
    EvidenceReplaced,
    /// It is made again.
    Reinstated,
}

impl CorrectionKind {
    /// Its word in `corrections.yaml`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            CorrectionKind::Corrected => "corrected",
            CorrectionKind::Withdrawn => "withdrawn",
            CorrectionKind::Superseded => "superseded",
            CorrectionKind::Clarified => "clarified",
            CorrectionKind::EvidenceReplaced => "evidence-replaced",
            CorrectionKind::Reinstated => "reinstated",
        }
    }

    /// Whether the wording of a claim may change with it.
    pub(super) fn changes_wording(self) -> bool {
        !matches!(self, CorrectionKind::Withdrawn | CorrectionKind::EvidenceReplaced)
    }
}

/// The entry as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default)]
    date: Option<String>,
    claims: Vec<String>,
    kind: CorrectionKind,
    #[serde(default)]
    was: String,
    #[serde(default)]
    now: String,
    reason: String,
    #[serde(default)]
    evidence: Vec<String>,
    #[serde(default)]
    by: String,
}

/// A correction, `K5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Correction {
    /// `K5`.
    pub(crate) id: String,
    /// Its line in the file.
    pub(crate) line: usize,
    /// Its day; without a readable one it was reported.
    pub(crate) date: Option<Date>,
    /// The claims that it is about.
    pub(crate) claims: Vec<String>,
    /// What it does.
    pub(crate) kind: CorrectionKind,
    /// The old wording.
    pub(crate) was: String,
    /// The new wording, or the claim that takes the place.
    pub(crate) now: String,
    /// Why.
    pub(crate) reason: String,
    /// What it rests on.
    pub(crate) evidence: Vec<String>,
    /// Who made it.
    pub(crate) by: String,
}

impl Correction {
    /// Its digest: everything that is written in it.
    pub(crate) fn digest(&self) -> String {
        digest(&json!([
            "labdoc.correction/1",
            self.id,
            self.date.map(|date| date.to_string()),
            self.claims,
            self.kind.word(),
            self.was,
            self.now,
            self.reason,
            self.evidence,
            self.by
        ]))
    }

    /// The claim that takes the place of its claims.
    pub(crate) fn successor(&self) -> Option<&str> {
        let first = self.now.split_whitespace().next()?.trim_end_matches([':', ',', '.']);
        (self.kind == CorrectionKind::Superseded && is_claim_id(first)).then_some(first)
    }

    /// `2026-11-02 (K5)`.
    pub(crate) fn dated(&self) -> String {
        match self.date {
            Some(date) => format!("{date} ({})", self.id),
            None => self.id.clone(),
        }
    }
}

/// The corrections in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corrections(pub(crate) Vec<Correction>);

impl Corrections {
    /// The correction of that id.
    pub(crate) fn get(&self, id: &str) -> Option<&Correction> {
        self.0.iter().find(|correction| correction.id == id)
    }

    /// Those of a claim, oldest first.
    pub(crate) fn of<'a>(
        &'a self,
        claim: &'a str,
    ) -> impl DoubleEndedIterator<Item = &'a Correction> {
        self.0.iter().filter(move |correction| correction.claims.iter().any(|id| id == claim))
    }

    /// The newest correction that says whether a claim is still made, unless it is made.
    pub(crate) fn ended<'a>(&'a self, claim: &'a str) -> Option<&'a Correction> {
        self.standing(claim).filter(|c| c.kind != CorrectionKind::Reinstated)
    }

    /// The newest correction that says whether a claim is still made.
    pub(super) fn standing<'a>(&'a self, claim: &'a str) -> Option<&'a Correction> {
        let says = |c: &&Correction| {
            use CorrectionKind::{Reinstated, Superseded, Withdrawn};
            matches!(c.kind, Withdrawn | Superseded | Reinstated)
        };
        self.of(claim).rfind(says)
    }
}

/// Understands the file's entries. EV015 for what is out of order, EV118 for what cannot be read.
pub(super) fn understand(raw: Ordered<Fields>, found: &mut Vec<Diagnostic>) -> Corrections {
    let mut out: Vec<Correction> = Vec::new();
    for (key, Fields(raw)) in raw.0 {
        let line = usize::try_from(key.referenced.line()).unwrap_or(0);
        let id = key.value;
        if !is_numbered(&id, |letter| letter == 'K') {
            let message = format!("`{id}` is no correction id");
            found.push(at("EV118", message, line).hint("write K and a number, such as K5"));
            continue;
        }
        let date = match raw.date.as_deref().map(str::parse::<Date>) {
            Some(Ok(date)) => Some(date),
            Some(Err(_)) | None => {
                let message = format!("correction {id}: date missing");
                found.push(at("EV015", message, line).hint("write `date: 2026-11-29`"));
                None
            }
        };
        let Raw { claims, kind, was, now, reason, evidence, by, .. } = raw;
        let correction =
            Correction { id, line, date, claims, kind, was, now, reason, evidence, by };
        if let Some(before) = out.last() {
            found.extend(order(before, &correction));
        }
        found.extend(no_successor(&correction));
        out.push(correction);
    }
    out.sort_by_key(|correction| id_order(&correction.id));
    Corrections(out)
}

/// The fields of an entry.
#[derive(Debug, Deserialize)]
pub(super) struct Fields(Raw);

/// EV015: numbers and days go up.
fn order(before: &Correction, after: &Correction) -> Option<Diagnostic> {
    let out_of_order = id_order(&after.id) <= id_order(&before.id)
        || matches!((before.date, after.date), (Some(a), Some(b)) if b < a);
    let message =
        format!("correction {}: number out of order, behind {}", after.id, before.dated());
    let hint = "append corrections at the end, with the next number and a day not before the last";
    out_of_order.then(|| at("EV015", message, after.line).hint(hint))
}

/// EV015: what takes the place of a claim is a claim.
fn no_successor(correction: &Correction) -> Option<Diagnostic> {
    if correction.kind != CorrectionKind::Superseded || correction.successor().is_some() {
        return None;
    }
    let message =
        format!("correction {}: `now` names no claim that takes the place", correction.id);
    Some(at("EV015", message, correction.line).hint("write the new claim's id, `now: C12`"))
}

/// An error at a line of the file.
pub(super) fn at(code: &'static str, message: String, line: usize) -> Diagnostic {
    Diagnostic::error(code, message).in_file(CORRECTIONS, (line > 0).then_some(line))
}

/// EV015: a correction dated after the day as of which everything is judged.
pub(super) fn in_future(corrections: &Corrections, as_of: Option<Date>) -> Vec<Diagnostic> {
    let late = corrections.0.iter().filter_map(|c| Some((c, c.date?, as_of?)));
    late.filter(|(_, date, as_of)| date > as_of)
        .map(|(correction, date, as_of)| {
            let message = format!("correction {}: date in the future", correction.id);
            at("EV015", message, correction.line)
                .note(format!("it is dated {date}, and this is judged as of {as_of}"))
                .hint("write the day on which the correction was made")
        })
        .collect()
}

/// The ids of all claims that corrections speak of, each with its place.
pub(super) fn named(corrections: &Corrections) -> BTreeMap<&str, &Correction> {
    let each = |correction| {
        let Correction { claims, .. }: &Correction = correction;
        claims.iter().map(move |id| (id.as_str(), correction))
    };
    corrections.0.iter().rev().flat_map(each).collect()
}
