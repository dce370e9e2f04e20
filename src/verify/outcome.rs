//! What a run came to: values, not errors, whatever the blocks did.

use std::collections::BTreeMap;
use std::time::Duration;

use super::guard::Trouble;
use super::redact::Masked;
use crate::compare::Comparison;
use crate::vary::Renaming;

/// Why a unit did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The output differs from the printed one.
    Drift,
    /// Another exit code than expected.
    Exit {
        /// What was expected.
        expected: i32,
        /// What it was.
        got: i32,
    },
    /// Bash cannot read the block; nothing of it ran.
    Syntax {
        /// What bash says.
        message: String,
        /// The line within the unit, from 1.
        line: usize,
    },
    /// The time limit.
    TimedOut(Duration),
    /// Ctrl-C or SIGTERM.
    Interrupted,
    /// A capture found nothing.
    Capture(String),
    /// The block meant another cluster than the page's: a sentence.
    Guard(String),
    /// The cluster could not be used: no drift, but work that could not be done.
    Cluster(Trouble),
    /// What live objects lack, one sentence each.
    Lacks(Vec<String>),
    /// A background block could not begin, did not get ready, or ended by itself: a sentence.
    Background(String),
}

/// What a unit came to.
#[derive(Clone, Debug)]
pub(crate) struct UnitResult {
    /// Its id.
    pub(crate) id: String,
    /// Its exit code; `None` where it did not end by itself.
    pub(crate) exit: Option<i32>,
    /// Its output, normalised; with `stderr=apart` its standard output.
    pub(crate) output: String,
    /// Its standard error, where it was kept apart.
    pub(crate) stderr: Option<String>,
    /// Whether output was cut.
    pub(crate) truncated: bool,
    /// The comparison with the printed output, where there is one.
    pub(crate) comparison: Option<Comparison>,
    /// Exit codes of the last pipeline.
    pub(crate) pipestatus: Vec<i32>,
    /// Why it did not pass; empty when it did.
    pub(crate) problems: Vec<Problem>,
    /// What else a reader should know, one sentence each.
    pub(crate) remarks: Vec<String>,
    /// Command lines of the processes that were ended with it.
    pub(crate) killed: Vec<String>,
}

/// What a block came to.
#[derive(Clone, Debug)]
pub(crate) struct StepResult {
    /// Its id.
    pub(crate) id: String,
    /// Why it did not run, where it did not.
    pub(crate) skipped: Option<String>,
    /// Its units that ran; with `retry=` those of the last try.
    pub(crate) units: Vec<UnitResult>,
    /// The units of earlier tries.
    pub(crate) tries: Vec<Vec<UnitResult>>,
    /// How long it took, all tries and waits together.
    pub(crate) duration: Duration,
}

/// A captured value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    /// The value as printed.
    pub(crate) value: String,
    /// The unit whose output holds it.
    pub(crate) unit: String,
    /// Index of its line in that output, from 0.
    pub(crate) line: usize,
}

/// What a page came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageResult {
    /// The blocks, in the order in which they ran.
    pub(crate) steps: Vec<StepResult>,
    /// Names as they correspond over the page.
    pub(crate) names: Renaming,
    /// Captured values.
    pub(crate) values: BTreeMap<String, Measured>,
    /// Command lines of the processes that outlived the page and were ended.
    pub(crate) survivors: Vec<String>,
    /// The signal that stopped it.
    pub(crate) interrupted: Option<i32>,
    /// The processes that live on under `--keep`, with their ids.
    pub(crate) kept: Vec<String>,
    /// What the EXIT trap of the page's shell printed.
    pub(crate) trap_output: String,
    /// How often each rule masked something.
    pub(crate) masked: Masked,
    /// What the page left in the cluster.
    pub(crate) leftovers: Vec<String>,
    /// What the cluster said of the page's namespaces when a block had failed.
    pub(crate) facts: Vec<String>,
    /// The version of the cluster it ran on.
    pub(crate) kubernetes: Option<String>,
}

impl UnitResult {
    /// A unit that did nothing yet.
    pub(crate) fn empty(id: &str) -> UnitResult {
        UnitResult {
            id: id.to_owned(),
            exit: None,
            output: String::new(),
            stderr: None,
            truncated: false,
            comparison: None,
            pipestatus: Vec::new(),
            problems: Vec::new(),
            remarks: Vec::new(),
            killed: Vec::new(),
        }
    }
}

impl StepResult {
    /// A block that has not run yet.
    pub(crate) fn new(id: &str) -> StepResult {
        let (units, tries) = (Vec::new(), Vec::new());
        StepResult { id: id.to_owned(), skipped: None, units, tries, duration: Duration::ZERO }
    }

    /// How often it was tried.
    pub(crate) fn attempts(&self) -> usize {
        self.tries.len() + usize::from(!self.units.is_empty())
    }

    /// Whether it ran and every unit passed.
    pub(crate) fn passed(&self) -> bool {
        self.skipped.is_none() && self.units.iter().all(|unit| unit.problems.is_empty())
    }

    /// Whether the only thing wrong is that outputs differ.
    pub(crate) fn only_drifted(&self) -> bool {
        let mut problems = self.units.iter().flat_map(|unit| &unit.problems).peekable();
        problems.peek().is_some() && problems.all(|problem| *problem == Problem::Drift)
    }
}

impl PageResult {
    /// The trouble with the cluster, where that is why a block failed.
    pub(crate) fn trouble(&self) -> Option<(&str, &Trouble)> {
        self.steps.iter().flat_map(|step| &step.units).find_map(|unit| {
            let trouble = unit.problems.iter().find_map(|problem| match problem {
                Problem::Cluster(trouble) => Some(trouble),
                _ => None,
            })?;
            Some((unit.id.as_str(), trouble))
        })
    }

    /// The result of a block.
    pub(crate) fn step(&self, id: &str) -> Option<&StepResult> {
        self.steps.iter().find(|step| step.id == id)
    }
}
