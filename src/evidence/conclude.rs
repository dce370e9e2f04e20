//! The states of all claims: each from its links, logical ones after their premises.

use std::collections::BTreeMap;

use super::bundle::Bundles;
use super::claim::{Claim, Grade};
use super::link::{Inputs, judge_reference};
use super::now::Now;
use super::reason::Reason;
use super::records::Records;
use super::reference::EvidenceRef;
use super::state::{ClaimState, LinkState, Word};

/// The state of every claim, in the order of `claims`. Logical claims are judged after their
/// premises; a circle (which is reported by `join`) leaves its claims unsupported.
pub(crate) fn judge_claims(
    claims: &[Claim],
    bundles: &Bundles,
    records: &Records,
    now: &Now,
) -> Vec<ClaimState> {
    let inputs = Inputs { bundles, records, now };
    let mut judge = Judge { claims, inputs, done: BTreeMap::new() };
    claims.iter().map(|claim| judge.state(claim, &mut Vec::new())).collect()
}

/// The states reached so far.
struct Judge<'a> {
    claims: &'a [Claim],
    inputs: Inputs<'a>,
    done: BTreeMap<&'a str, ClaimState>,
}

impl<'a> Judge<'a> {
    /// The state of one claim; `path` are the claims that are being judged.
    fn state(&mut self, claim: &'a Claim, path: &mut Vec<&'a str>) -> ClaimState {
        if let Some(done) = self.done.get(claim.id.as_str()) {
            return done.clone();
        }
        path.push(&claim.id);
        let links: Vec<LinkState> = claim
            .entry
            .evidence
            .iter()
            .map(|placed| match &placed.value {
                EvidenceRef::Claim(id) => self.premise(id, &placed.value, path),
                other => judge_reference(claim, other, &self.inputs),
            })
            .collect();
        path.pop();
        let state = conclude(claim, links);
        let state = super::standing::corrected(claim, state, &self.inputs.records.corrections);
        self.done.insert(&claim.id, state.clone());
        state
    }

    /// The state of a premise as a link.
    fn premise(&mut self, id: &str, reference: &EvidenceRef, path: &mut Vec<&'a str>) -> LinkState {
        let mut link = LinkState::new(reference.clone());
        let claims = self.claims;
        let Some(premise) = claims.iter().find(|claim| claim.id == id) else {
            link.set(Word::Absent, Reason::Absent(format!("claim {id} does not exist")));
            return link;
        };
        if path.contains(&id) {
            let text = format!("its premises lead back to {id}");
            link.set(Word::Unsupported, Reason::Unsupported(text));
            return link;
        }
        let state = self.state(premise, path);
        // What is no longer made can carry nothing.
        link.word = if state.word.is_ended() { Word::Unsupported } else { state.word };
        if !state.word.stands() {
            let further = state.reasons.iter().find_map(|reason| match reason {
                Reason::Premise { path, .. } => Some(format!("{id} ← {path}")),
                _ => None,
            });
            let path = further.unwrap_or_else(|| id.to_owned());
            link.reasons.push(Reason::Premise { path, word: state.word });
        }
        link
    }
}

/// The state of a claim from those of its links: the worst of those that decide.
fn conclude(claim: &Claim, links: Vec<LinkState>) -> ClaimState {
    let id = claim.id.clone();
    if claim.entry.unreadable {
        let text = format!("the entry of {id} in claims.yaml cannot be read in full");
        return ClaimState {
            id,
            word: Word::Invalid,
            reasons: vec![Reason::Invalid("EV024", text)],
            links,
        };
    }
    let mut deciding: Vec<&LinkState> = links.iter().filter(|link| link.decides).collect();
    deciding.sort_by_key(|link| std::cmp::Reverse(link.word.badness()));
    let worst = deciding.first().map_or(Word::Unsupported, |link| link.word);
    let unsupported = unsupported(claim, &links);
    // What is known to be wrong is said before what is not known at all.
    if let Some(text) = unsupported.filter(|_| worst.badness() <= Word::Unsupported.badness()) {
        let reasons = vec![Reason::Unsupported(text)];
        return ClaimState { id, word: Word::Unsupported, reasons, links };
    }
    let word = if worst.stands() { standing(claim.entry.grade) } else { worst };
    let bad = deciding.iter().filter(|link| !link.word.stands());
    let reasons = bad.flat_map(|link| link.reasons.iter().cloned()).collect();
    ClaimState { id, word, reasons, links }
}

/// The word of a claim of that grade that stands.
fn standing(grade: Grade) -> Word {
    match grade {
        Grade::Measured => Word::Verified,
        Grade::Reported => Word::Reported,
        Grade::Official => Word::Sourced,
        Grade::Logical => Word::Derived,
    }
}

/// Why nothing that the claim names could prove it, if so.
fn unsupported(claim: &Claim, links: &[LinkState]) -> Option<String> {
    let grade = claim.entry.grade;
    let has = |kind: fn(&EvidenceRef) -> bool| {
        links.iter().any(|link| link.decides && kind(&link.reference))
    };
    let (needed, what) = match grade {
        Grade::Measured => (has(|r| r.bundle().is_some()), "no run"),
        Grade::Reported => (has(|r| matches!(r, EvidenceRef::Report(_))), "no report"),
        Grade::Official => (has(|r| matches!(r, EvidenceRef::Source(_))), "no source"),
        Grade::Logical => (has(|_| true), "no premise"),
    };
    if grade == Grade::Measured && needed && claim.entry.expect.is_empty() {
        return Some("it has no `expect`; a claim that cannot fail proves nothing".to_owned());
    }
    (!needed).then(|| format!("it is graded {grade} and names {what}"))
}
