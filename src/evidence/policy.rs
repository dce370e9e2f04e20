//! How much a finding about evidence weighs, and which findings the states of claims become.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::claim::Claim;
use super::reason::{Reason, RunRef};
use super::records::Records;
use super::standing::waived;
use super::state::{ClaimState, LinkState, Word};
use crate::diag::{Diagnostic, Severity};

/// `[evidence]` of `book.toml`: the weight of the rules that are errors in a release only. The
/// states are shown whatever it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    /// The weight in a draft.
    pub(crate) default: Severity,
    /// Whether this is a release.
    pub(crate) release: bool,
    /// The weight in a release, by state; an error where nothing is set.
    pub(crate) in_release: BTreeMap<Word, Severity>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { default: Severity::Warning, release: false, in_release: BTreeMap::new() }
    }
}

impl Policy {
    /// The weight of a finding about a claim in that state.
    pub(crate) fn weight(&self, word: Word) -> Severity {
        if self.release {
            self.in_release.get(&word).copied().unwrap_or(Severity::Error)
        } else {
            self.default
        }
    }

    /// A finding of that weight.
    pub(crate) fn finding(&self, word: Word, code: &'static str, message: String) -> Diagnostic {
        Diagnostic::new(self.weight(word), code, message)
    }
}

/// The findings that follow from the states of claims, in the order of the claims. What was
/// reported with the records (EV1xx errors) and with `claims.yaml` (EV0xx) is not repeated.
pub(crate) fn findings(
    claims: &[Claim],
    states: &[ClaimState],
    of: (&Records, Option<Date>, &Policy),
) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::new();
    for state in states.iter().filter(|state| !state.word.is_ended()) {
        let Some(claim) = claims.iter().find(|claim| claim.id == state.id) else { continue };
        for link in &state.links {
            let of_link = link_findings(claim, link, of.2).into_iter();
            let of_link = of_link.map(|found| waived(found, state, of));
            // Claims on one bundle share its facts; each is said once.
            out.extend(of_link.filter(|found| !out.contains(found)).collect::<Vec<_>>());
        }
    }
    out
}

/// The findings about one link.
fn link_findings(claim: &Claim, link: &LinkState, policy: &Policy) -> Vec<Diagnostic> {
    let reasons = link.reasons.iter();
    let mut out: Vec<Diagnostic> =
        reasons.filter_map(|reason| finding(claim, link, (reason, policy))).collect();
    let Some(run) = &link.run else { return out };
    let bundle = &run.run.bundle;
    for (key, asked, have) in &run.not_as_asked {
        let ran = match have {
            Some(have) => format!("{bundle} ran on {key} {have}, manifest asks for {asked}"),
            None => format!("{bundle} did not measure {key}, manifest asks for {asked}"),
        };
        let hint = "record a run in the environment that is asked for, or change what is asked";
        out.push(
            policy
                .finding(Word::Stale, "EV109", ran)
                .in_file(format!("{}/verdict.json", run.run.folder), None)
                .hint(hint),
        );
    }
    if let Some((failed, all)) = link.flaky {
        let message =
            format!("{bundle} is flaky: {failed} of {all} runs on the same inputs failed");
        let hint = "find what varies; a claim about something that varies needs a condition that allows it";
        out.push(
            Diagnostic::warning("EV113", message)
                .in_file(format!("evidence/{bundle}"), None)
                .note(format!("newest run: {}", run.run.id))
                .hint(hint),
        );
    }
    out
}

/// The finding that a reason becomes; `None` where it was reported elsewhere.
fn finding(claim: &Claim, link: &LinkState, of: (&Reason, &Policy)) -> Option<Diagnostic> {
    let (reason, policy) = of;
    let id = &claim.id;
    let sentence = reason.sentence();
    let message = match reason {
        Reason::Absent(_) | Reason::Invalid(..) | Reason::Unsupported(_) => return None,
        Reason::NoRun(_) | Reason::NoValue { .. } => format!("claim {id} is pending: {sentence}"),
        Reason::NotFinished { .. } if reason.code() == "EV110" => {
            return Some(
                place(claim, reason, Diagnostic::error("EV110", sentence)).hint("run it again"),
            );
        }
        Reason::NotFinished { .. } | Reason::OlderPass { .. } => sentence,
        Reason::CheckFailed { .. } | Reason::Broken { .. } => {
            format!("claim {id}: evidence failed — {sentence}")
        }
        Reason::Printed { .. } => format!("claim {id} failed: {sentence}"),
        Reason::Premise { path, word } => {
            format!("claim {id} ({}) rests on {path}, which is {}", claim.entry.grade, word.text())
        }
        _ => format!("claim {id} is stale: {sentence}"),
    };
    let word = if reason.is_stale() { Word::Stale } else { link.word };
    let found = policy.finding(word, reason.code(), message);
    let found = place(claim, reason, found).hint(hint(claim, reason, link));
    Some(match run_of(reason, link) {
        Some(run) => found.note(format!("run: {}", run.folder)),
        None => found,
    })
}

/// The run that a reason speaks of.
fn run_of<'a>(reason: &'a Reason, link: &'a LinkState) -> Option<&'a RunRef> {
    match reason {
        Reason::CheckFailed { run, .. }
        | Reason::Broken { run, .. }
        | Reason::OlderPass { run, .. } => Some(run),
        _ => link.run.as_ref().map(|deciding| &deciding.run),
    }
}

/// Where a finding stands: at the block that changed, at the run that failed, else at the
/// statement.
fn place(claim: &Claim, reason: &Reason, found: Diagnostic) -> Diagnostic {
    match reason {
        Reason::Steps { changes, .. } => {
            let span = changes.iter().find_map(|change| change.place).map(|(_, span)| span);
            found.at(span.unwrap_or(claim.span))
        }
        Reason::OlderPass { run, .. } => {
            found.in_file(format!("{}/verdict.json", run.folder), None)
        }
        Reason::NotFinished { bundle, .. } => found.in_file(format!("evidence/{bundle}"), None),
        _ => found.at(claim.span),
    }
}

/// The next step.
fn hint(claim: &Claim, reason: &Reason, link: &LinkState) -> String {
    let page = match &link.run {
        Some(run) => run.page.as_ref(),
        None => Some(&claim.path),
    };
    let again = match page {
        Some(page) => format!("run `labdoc verify {page} --record`"),
        None => format!("record a new run of {}", link.reference.id()),
    };
    match reason {
        Reason::CheckFailed { .. } | Reason::Broken { .. } | Reason::OlderPass { .. } => {
            format!("correct the claim, or repair what it is about and {again}")
        }
        Reason::Printed { .. } => format!("correct the claim, or {again}"),
        Reason::Source(_) => "read the source again, then set `accessed` and the quote".to_owned(),
        Reason::Premise { .. } => format!("first see to {}", link.reference),
        Reason::Environment(_) => {
            format!("{again} in the page's environment, or name the one that was measured")
        }
        Reason::NotFinished { .. } => format!("remove the cause and {again}"),
        _ => again,
    }
}
