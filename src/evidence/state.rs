//! The state of a claim: one word, the reasons for it, and what a page needs to show of it.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::bundle::Bundles;
use super::claim::{Claim, Grade};
use super::holds::Environment;
use super::link::{Inputs, judge_reference};
use super::now::Now;
use super::reason::{Reason, RunRef};
use super::records::Records;
use super::reference::EvidenceRef;
use super::verdict::Captured;

/// The word that stands beside a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Word {
    /// Its runs passed and nothing changed since.
    Verified,
    /// Others measured it, and their report is here.
    Reported,
    /// A published source says so.
    Sourced,
    /// It follows from claims that stand.
    Derived,
    /// There is no finished run yet.
    Pending,
    /// It passed, and something changed since.
    Stale,
    /// What it names does not exist.
    Absent,
    /// It does not hold.
    Failed,
    /// The record behind it cannot be believed.
    Invalid,
    /// It names nothing that could prove it.
    Unsupported,
}

impl Word {
    /// The word as it is shown and exported.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Word::Verified => "verified",
            Word::Reported => "reported",
            Word::Sourced => "sourced",
            Word::Derived => "derived",
            Word::Pending => "pending",
            Word::Stale => "stale",
            Word::Absent => "absent",
            Word::Failed => "failed",
            Word::Invalid => "invalid",
            Word::Unsupported => "unsupported",
        }
    }

    /// Whether other claims may rest on it.
    pub(crate) fn stands(self) -> bool {
        self.badness() == 0
    }

    /// How bad it is: `invalid > failed > absent > stale > pending > verified`.
    pub(super) fn badness(self) -> u8 {
        match self {
            Word::Verified | Word::Reported | Word::Sourced | Word::Derived => 0,
            Word::Pending => 1,
            Word::Stale => 2,
            Word::Absent => 3,
            Word::Unsupported => 4,
            Word::Failed => 5,
            Word::Invalid => 6,
        }
    }
}

/// What one piece of evidence does for a claim.
#[derive(Clone, Debug)]
pub(crate) struct LinkState {
    /// What is named.
    pub(crate) reference: EvidenceRef,
    /// Its state: of a bundle `verified` (which the design calls `current`), `pending`, `stale`,
    /// `absent`, `failed` or `invalid`; of the others the word of their grade, or why not.
    pub(crate) word: Word,
    /// Whether the claim stands and falls with it.
    pub(crate) decides: bool,
    /// Why; also the stale reasons of a failed run.
    pub(crate) reasons: Vec<Reason>,
    /// The run that decides.
    pub(crate) run: Option<DecidingRun>,
    /// How many of the runs on the same inputs failed, of how many, when the newest passed.
    pub(crate) flaky: Option<(usize, usize)>,
    /// The environments in which it was measured, newest run each.
    pub(crate) environments: Vec<EnvironmentRuns>,
    /// Facts that change nothing: the last attempt did not finish, runs outside of `holds`.
    pub(crate) notes: Vec<String>,
}

/// The run that decides a link.
#[derive(Clone, Debug)]
pub(crate) struct DecidingRun {
    /// Bundle, run id, folder, day.
    pub(crate) run: RunRef,
    /// What it measured of its environment.
    pub(crate) environment: Environment,
    /// The values that the claim names, with their lines in result.txt.
    pub(crate) values: BTreeMap<String, Captured>,
    /// Where the manifest asked for another environment: key, asked, measured.
    pub(crate) not_as_asked: Vec<(String, String, Option<String>)>,
}

/// The runs of one environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnvironmentRuns {
    /// The keys that matter for the claim, or all that was measured where none does.
    pub(crate) environment: Environment,
    /// Whether these runs count for the claim; the others are shown as contrast.
    pub(crate) counts: bool,
    /// Whether the newest run passed for the claim; `None` where it lacks the values.
    pub(crate) passed: Option<bool>,
    /// The newest run's day.
    pub(crate) date: Date,
    /// The newest run's id.
    pub(crate) run_id: String,
    /// How many finished runs there are.
    pub(crate) runs: usize,
}

/// The state of a claim.
#[derive(Clone, Debug)]
pub(crate) struct ClaimState {
    /// `C7`.
    pub(crate) id: String,
    /// The word.
    pub(crate) word: Word,
    /// Why, worst link first; empty when it stands.
    pub(crate) reasons: Vec<Reason>,
    /// One entry for each piece of evidence, in the order of `claims.yaml`.
    pub(crate) links: Vec<LinkState>,
}

impl ClaimState {
    /// The environments in which it is verified, each once, as `envoy 1.38.3`.
    pub(crate) fn environments(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for runs in self.links.iter().flat_map(|link| &link.environments) {
            let words = environment_words(&runs.environment);
            if runs.counts && runs.passed == Some(true) && !out.contains(&words) {
                out.push(words);
            }
        }
        out
    }

    /// How many finished runs count for it.
    pub(crate) fn runs(&self) -> usize {
        let groups = self.links.iter().flat_map(|link| &link.environments);
        groups.filter(|runs| runs.counts).map(|runs| runs.runs).sum()
    }

    /// The reasons as sentences, each once.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for sentence in self.reasons.iter().map(Reason::sentence) {
            if !out.contains(&sentence) {
                out.push(sentence);
            }
        }
        out
    }
}

/// `envoy 1.38.3, kubernetes 1.30.4`.
pub(crate) fn environment_words(environment: &Environment) -> String {
    if environment.is_empty() {
        return "an environment that was not measured".to_owned();
    }
    let words: Vec<String> =
        environment.iter().map(|(key, version)| format!("{key} {version}")).collect();
    words.join(", ")
}

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
        link.word = state.word;
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

impl LinkState {
    /// A link that stands.
    pub(super) fn new(reference: EvidenceRef) -> LinkState {
        LinkState {
            reference,
            word: Word::Verified,
            decides: true,
            reasons: Vec::new(),
            run: None,
            flaky: None,
            environments: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Sets its word with the reason for it.
    pub(super) fn set(&mut self, word: Word, reason: Reason) {
        self.word = word;
        self.reasons.push(reason);
    }
}

/// The state of a claim from those of its links: the worst of those that decide.
fn conclude(claim: &Claim, links: Vec<LinkState>) -> ClaimState {
    let id = claim.id.clone();
    if claim.entry.unreadable {
        let text = format!("the entry of {id} in claims.yaml cannot be read in full");
        return ClaimState { id, word: Word::Invalid, reasons: vec![Reason::Invalid(text)], links };
    }
    if let Some(text) = unsupported(claim, &links) {
        let reasons = vec![Reason::Unsupported(text)];
        return ClaimState { id, word: Word::Unsupported, reasons, links };
    }
    let mut deciding: Vec<&LinkState> = links.iter().filter(|link| link.decides).collect();
    deciding.sort_by_key(|link| std::cmp::Reverse(link.word.badness()));
    let worst = deciding.first().map_or(Word::Unsupported, |link| link.word);
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
