//! What corrections and waivers do to a claim: it is no longer made, it is made again, or what
//! is wrong with it is allowed for a time; and whether what they name exists.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::claim::{Claim, Grade};
use super::corrections::{self, Correction, CorrectionKind, Corrections};
use super::join::{Site, no_claim};
use super::named::missing;
use super::policy::Policy;
use super::published::{self, Present};
use super::reason::Reason;
use super::records::Records;
use super::reference::{EvidenceRef, is_claim_id};
use super::state::{ClaimState, Word};
use super::waivers::{self, WAIVERS};
use crate::diag::{Diagnostic, Severity};

/// A claim that no page states any more. Its id stays taken and its page stays readable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gone {
    /// `C4`.
    pub(crate) id: String,
    /// What it said.
    pub(crate) statement: String,
    /// `withdrawn` or `superseded`.
    pub(crate) word: Word,
    /// How it was known, where a seal says it.
    pub(crate) grade: Option<String>,
}

/// The word of a claim that is no longer made.
fn ended_word(correction: &Correction) -> Word {
    match correction.kind {
        CorrectionKind::Superseded => Word::Superseded,
        _ => Word::Withdrawn,
    }
}

/// The claims that are no longer made and stand on no page.
pub(crate) fn gone(claims: &[Claim], records: &Records) -> Vec<Gone> {
    let named = corrections::named(&records.corrections);
    let gone = named.keys().filter(|id| !claims.iter().any(|claim| claim.id == **id));
    gone.filter_map(|id| {
        let ended = records.corrections.ended(id)?;
        let sealed = records.ledger.claim(id);
        let statement = match sealed {
            Some(sealed) => sealed.text.clone(),
            None => records.corrections.of(id).rev().find(|c| !c.was.is_empty())?.was.clone(),
        };
        let grade = sealed.map(|sealed| sealed.grade.clone());
        Some(Gone { id: (*id).to_owned(), statement, word: ended_word(ended), grade })
    })
    .collect()
}

/// The state of a claim after its corrections.
pub(super) fn corrected(claim: &Claim, state: ClaimState, corrections: &Corrections) -> ClaimState {
    if let Some(ended) = corrections.ended(&claim.id) {
        return ClaimState { word: ended_word(ended), reasons: Vec::new(), ..state };
    }
    let again =
        corrections.standing(&claim.id).and_then(|correction| Some((correction, correction.date?)));
    match again {
        Some((correction, date)) if waits(claim, &state, date) => {
            let text = format!("it was reinstated on {}, and no run is newer", correction.dated());
            ClaimState { word: Word::Pending, reasons: vec![Reason::NoRun(text)], ..state }
        }
        _ => state,
    }
}

/// Whether a claim that was made again has no run since.
fn waits(claim: &Claim, state: &ClaimState, since: Date) -> bool {
    let mut runs = state.links.iter().filter_map(|link| link.run.as_ref());
    claim.entry.grade == Grade::Measured
        && state.word == Word::Verified
        && !runs.any(|deciding| deciding.run.date >= since)
}

/// The findings about corrections, waivers and the ledger.
pub(crate) fn check(site: &Site, claims: &[Claim], of: (bool, Option<Date>)) -> Vec<Diagnostic> {
    let (sealed, as_of) = of;
    let records = site.records;
    let stated: BTreeSet<&str> =
        site.pages.iter().flat_map(|page| &page.claims).map(|span| span.id.as_str()).collect();
    let mut out = corrections::in_future(&records.corrections, as_of);
    out.extend(waivers::ended(&records.waivers, as_of));
    out.extend(unknown(site, &stated));
    let corrections = &records.corrections;
    let policy = site.policy;
    out.extend(published::check(
        &records.ledger,
        &Present { sealed, claims, stated, corrections, reports: &records.reports, policy },
    ));
    out
}

/// EV003 and EV006: corrections and waivers speak of things that exist or existed.
fn unknown(site: &Site, stated: &BTreeSet<&str>) -> Vec<Diagnostic> {
    let published = site.records.ledger.ids();
    let corrections = &site.records.corrections;
    let known: Vec<&str> = stated.union(&published).copied().collect();
    let exists = |id: &str| known.contains(&id) || corrections.ended(id).is_some();
    let mut out = Vec::new();
    let mut refer = |who: String, id: &str, at: (&str, usize)| {
        let message = format!("{who} refers to claim {id}, which does not exist");
        out.push(no_claim(message, id, &known).in_file(at.0, Some(at.1)));
    };
    for correction in &corrections.0 {
        let place = (corrections::CORRECTIONS, correction.line);
        let who = format!("correction {}", correction.id);
        let named = correction.claims.iter().map(String::as_str).chain(correction.successor());
        for id in named.filter(|id| !exists(id)) {
            refer(who.clone(), id, place);
        }
    }
    for (id, waiver) in site.records.waivers.iter().filter(|(id, _)| !stated.contains(id.as_str()))
    {
        refer("a waiver".to_owned(), id, (WAIVERS, waiver.line));
    }
    out.extend(corrections.0.iter().flat_map(|correction| unproven(site, correction)));
    out
}

/// EV006: the evidence that a correction names.
fn unproven(site: &Site, correction: &Correction) -> Vec<Diagnostic> {
    let who = format!("correction {}", correction.id);
    let each = |text: &String| match EvidenceRef::parse(text) {
        Some(reference) => missing(site, &who, &reference)
            .map(|found| found.in_file(corrections::CORRECTIONS, Some(correction.line))),
        None => {
            let message = format!("{who}: `{text}` is no evidence");
            let found = corrections::at("EV118", message, correction.line);
            Some(found.hint("name a bundle (T1), a block of it (T1#block), a report (R2), a source (S4) or a claim"))
        }
    };
    correction.evidence.iter().filter_map(each).collect()
}

/// Whether a claim id is known although no page states it: it was withdrawn or superseded.
pub(super) fn is_ended(records: &Records, id: &str) -> bool {
    is_claim_id(id) && records.corrections.ended(id).is_some()
}

/// A finding about a claim that a waiver covers is a warning that says so.
pub(super) fn waived(
    found: Diagnostic,
    state: &ClaimState,
    of: (&Records, Option<Date>, &Policy),
) -> Diagnostic {
    let (records, as_of, policy) = of;
    let waiver = records.waivers.get(&state.id).filter(|waiver| waiver.holds(as_of));
    match waiver.filter(|waiver| waiver.state == state.word.text()) {
        Some(waiver) if found.severity == Severity::Error && policy.release => {
            let note = format!("waived until {} by {}: {}", waiver.until, waiver.by, waiver.reason);
            Diagnostic { severity: Severity::Warning, ..found }.note(note)
        }
        _ => found,
    }
}
