//! The state of a claim: one word, the reasons for it, and what a page needs to show of it.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::holds::Environment;
use super::reason::{Reason, RunRef};
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
    /// It is no longer made.
    Withdrawn,
    /// Another claim took its place.
    Superseded,
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
            Word::Withdrawn => "withdrawn",
            Word::Superseded => "superseded",
        }
    }

    /// Whether other claims may rest on it.
    pub(crate) fn stands(self) -> bool {
        self.badness() == 0
    }

    /// Whether the claim is no longer made.
    pub(crate) fn is_ended(self) -> bool {
        matches!(self, Word::Withdrawn | Word::Superseded)
    }

    /// How bad it is: `invalid > failed > absent > stale > pending > verified`.
    pub(super) fn badness(self) -> u8 {
        match self {
            Word::Verified | Word::Reported | Word::Sourced | Word::Derived => 0,
            Word::Pending => 1,
            Word::Stale => 2,
            Word::Absent => 3,
            Word::Unsupported | Word::Withdrawn | Word::Superseded => 4,
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
    /// The last attempt, where it is newer than the run that decides and did not finish.
    pub(crate) unfinished: Option<Unfinished>,
}

/// An attempt that broke off: no measurement, but it is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unfinished {
    /// Its day.
    pub(crate) date: Date,
    /// Its id.
    pub(crate) run_id: String,
    /// Why, where the record says it.
    pub(crate) why: Option<String>,
}

/// The run that decides a link.
#[derive(Clone, Debug)]
pub(crate) struct DecidingRun {
    /// Bundle, run id, folder, day.
    pub(crate) run: RunRef,
    /// The page whose run it is; none in a foreign bundle.
    pub(crate) page: Option<String>,
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
    /// How many finished runs count for it; a bundle that is named twice counts once.
    pub(crate) fn runs(&self) -> usize {
        let mut by_bundle: BTreeMap<&str, usize> = BTreeMap::new();
        for link in &self.links {
            let counting = link.environments.iter().filter(|runs| runs.counts);
            by_bundle.insert(link.reference.id(), counting.map(|runs| runs.runs).sum());
        }
        by_bundle.values().sum()
    }

    /// The reasons as sentences, each once.
    #[cfg(test)]
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
            unfinished: None,
        }
    }

    /// Sets its word with the reason for it.
    pub(super) fn set(&mut self, word: Word, reason: Reason) {
        self.word = word;
        self.reasons.push(reason);
    }
}
