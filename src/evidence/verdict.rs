//! What happened in a run. How it is written down stands in `verdict_text`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::holds::Environment;

/// The only schema that is written and read.
pub(crate) const VERDICT_SCHEMA: &str = "labdoc.verdict/1";

/// The rules by which a verdict is reached at present.
pub(crate) const RULES: &str = "labdoc.rules/1";

/// Digests by name, each `sha256:…`.
pub(crate) type Digests = BTreeMap<String, String>;

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// Every check was met.
    Pass,
    /// It ran; a check was not met.
    Fail,
    /// It did not run to the end, so it measured nothing.
    #[default]
    Error,
}

/// What one check came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CheckOutcome {
    /// Met.
    Pass,
    /// Not met.
    Fail,
    /// Broke off.
    Error,
    /// Not run, or not judged.
    #[default]
    Skip,
}

impl CheckOutcome {
    /// The word in a result line and in JSON.
    pub(crate) fn word(self) -> &'static str {
        match self {
            CheckOutcome::Pass => "pass",
            CheckOutcome::Fail => "fail",
            CheckOutcome::Error => "error",
            CheckOutcome::Skip => "skip",
        }
    }
}

impl Outcome {
    /// The word in JSON.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Error => "error",
        }
    }
}

/// What happened in a run: written by the runner, never by hand. The fields stand in the order
/// in which they are written; `digest` is the last one and covers all bytes before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verdict {
    /// `labdoc.verdict/1`.
    pub(crate) schema: String,
    /// `T7`.
    pub(crate) bundle: String,
    /// `20261129T101500Z-7f3a2c`.
    pub(crate) run_id: String,
    /// What it came to.
    pub(crate) outcome: Outcome,
    /// Why it did not finish, in an `error`: `timeout after 900 s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// The exit code that the replay has: 0 in a pass, 1 in a fail; none after a signal.
    pub(crate) exit_code: Option<i32>,
    /// RFC 3339, UTC.
    pub(crate) started_at: String,
    /// RFC 3339, UTC.
    pub(crate) finished_at: String,
    /// Digests of what went in.
    #[serde(default)]
    pub(crate) inputs: Inputs,
    /// What came out, by path in the run's folder.
    pub(crate) outputs: BTreeMap<String, Output>,
    /// One entry a check.
    pub(crate) checks: Vec<Check>,
    /// Captured values.
    #[serde(default)]
    pub(crate) values: BTreeMap<String, Captured>,
    /// What was measured; nothing that was only asked for.
    #[serde(default)]
    pub(crate) environment: Environment,
    /// Who ran it with what.
    #[serde(default)]
    pub(crate) runner: Runner,
    /// What was masked, and how often.
    #[serde(default)]
    pub(crate) redactions: Vec<Redaction>,
    /// The rules by which it was judged.
    #[serde(default)]
    pub(crate) rules: String,
    /// `sha256:…` of the text before it; foreign verdicts may lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
}

/// Digests of what went into a run, taken before it and compared after it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Inputs {
    /// Kit files by path in the kit.
    pub(crate) kit: Digests,
    /// Blocks by id.
    pub(crate) blocks: Digests,
    /// Captures by name.
    pub(crate) captures: Digests,
    /// Claims by id.
    pub(crate) claims: Digests,
    /// `run.sh` and `manifest.yaml`.
    pub(crate) bundle: Digests,
}

/// One file that a run wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Output {
    /// 64 hex digits.
    pub(crate) sha256: String,
    /// Its size.
    pub(crate) bytes: u64,
    /// Whether it was cut (transcripts only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) truncated: Option<bool>,
}

/// One check of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    /// The block's id.
    pub(crate) id: String,
    /// What it came to.
    pub(crate) outcome: CheckOutcome,
    /// The exit code of the block.
    #[serde(default)]
    pub(crate) exit: Option<i32>,
    /// How long it took.
    #[serde(default)]
    pub(crate) duration_ms: u64,
    /// How often it was tried.
    #[serde(default)]
    pub(crate) attempts: u32,
    /// Exit codes of the last pipeline.
    #[serde(default)]
    pub(crate) pipestatus: Vec<i32>,
    /// First and last line of its output in result.txt; none where it printed nothing.
    #[serde(default)]
    pub(crate) lines: Option<[usize; 2]>,
    /// Processes that outlived the block.
    #[serde(default)]
    pub(crate) survivors: Vec<String>,
    /// Objects that were left in the cluster.
    #[serde(default)]
    pub(crate) leftovers: Vec<String>,
}

/// A captured value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Captured {
    /// The value as printed.
    pub(crate) value: String,
    /// Its line in result.txt, from 1; none where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
}

/// Who ran it with what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runner {
    /// `labdoc`, or `manual`.
    pub(crate) name: String,
    /// Its version.
    #[serde(default)]
    pub(crate) version: String,
    /// `author`, `third-party` or `ci`.
    #[serde(default)]
    pub(crate) who: Who,
}

/// Who ran it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Who {
    /// The page's author.
    #[default]
    Author,
    /// Somebody else.
    ThirdParty,
    /// A machine.
    Ci,
}

/// What was masked before anything was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Redaction {
    /// `jwt`.
    pub(crate) rule: String,
    /// How often.
    pub(crate) count: u64,
}

impl Verdict {
    /// When it ended.
    pub(crate) fn finished(&self) -> jiff::Timestamp {
        self.finished_at.parse().unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }

    /// The day (UTC) on which it ended, `2026-11-29`.
    pub(crate) fn date(&self) -> jiff::civil::Date {
        jiff::tz::TimeZone::UTC.to_datetime(self.finished()).date()
    }

    /// Whether it ran to the end, so that it measured something.
    pub(crate) fn is_finished(&self) -> bool {
        self.outcome != Outcome::Error
    }

    /// What the check of that block came to. The commands of a console block (`flip/1`) count
    /// together: one fail is a fail, and a skip weighs least.
    pub(crate) fn check(&self, block: &str) -> Option<CheckOutcome> {
        fold(self.checks.iter().map(|check| (check.id.as_str(), check.outcome)), block)
    }
}

/// The block that a check belongs to: `flip` of `flip/2`.
pub(crate) fn block_of(check: &str) -> &str {
    check.split('/').next().unwrap_or(check)
}

/// The outcome of a block from the outcomes of its commands.
pub(crate) fn fold<'a>(
    checks: impl Iterator<Item = (&'a str, CheckOutcome)>,
    block: &str,
) -> Option<CheckOutcome> {
    let weight = |outcome: &CheckOutcome| match outcome {
        CheckOutcome::Fail => 0,
        CheckOutcome::Error => 1,
        CheckOutcome::Pass => 2,
        CheckOutcome::Skip => 3,
    };
    checks.filter(|(id, _)| block_of(id) == block).map(|(_, outcome)| outcome).min_by_key(weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_a_console_block_count_together() {
        let check = |pairs: &[(&str, CheckOutcome)], expect| {
            assert_eq!(fold(pairs.iter().copied(), "flip"), expect, "{pairs:?}");
        };
        use CheckOutcome::{Fail, Pass, Skip};
        check(&[("flip/1", Pass), ("flip/2", Fail)], Some(Fail));
        check(&[("flip/1", Skip), ("flip/2", Pass)], Some(Pass));
        check(&[("other", Pass)], None);
    }
}
