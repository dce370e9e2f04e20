//! `verdict.json`: what happened in a run, and the digest that makes an edit visible.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::holds::Environment;
use crate::diag::Failure;
use crate::digest::sha256_tagged;

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

/// What separates the covered text from the digest.
const DIGEST_KEY: &str = ",\"digest\":\"";

impl Verdict {
    /// Reads the text of a `verdict.json`.
    ///
    /// # Errors
    /// A sentence and the line, from 1.
    pub(crate) fn parse(text: &str) -> Result<Verdict, (String, usize)> {
        let verdict: Verdict = serde_json::from_str(text).map_err(|error| {
            let sentence = error.to_string();
            let cut = sentence.find(" at line ").unwrap_or(sentence.len());
            (sentence[..cut].to_owned(), error.line().max(1))
        })?;
        if verdict.schema != VERDICT_SCHEMA {
            let message = format!("schema `{}` is not known here", verdict.schema);
            return Err((message, 1));
        }
        for time in [&verdict.started_at, &verdict.finished_at] {
            if time.parse::<jiff::Timestamp>().is_err() {
                return Err((format!("`{time}` is no time such as 2026-11-29T10:15:00Z"), 1));
            }
        }
        Ok(verdict)
    }

    /// The text of `verdict.json`: one compact JSON object and a line end, the keys in the
    /// order of the fields. The digest is the SHA-256 of all bytes before the comma that stands
    /// before the key `digest`; the last bytes are `,"digest":"sha256:…"}` and the line end.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which would be a bug.
    pub(crate) fn to_text(&self) -> Result<String, Failure> {
        let bare = Verdict { digest: None, ..self.clone() };
        let json = serde_json::to_string(&bare)
            .map_err(|error| Failure::new(format!("cannot write verdict.json: {error}")))?;
        let covered = json.strip_suffix('}').unwrap_or(&json);
        Ok(format!("{covered}{DIGEST_KEY}{}\"}}\n", sha256_tagged(covered.as_bytes())))
    }

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

/// Whether the digest at the end of a verdict's text covers what stands before it; `None` where
/// there is no digest.
pub(crate) fn digest_holds(text: &str) -> Option<bool> {
    let Some(at) = text.rfind(DIGEST_KEY) else {
        // A digest in another form than ours was not written by the recorder.
        return text.contains("\"digest\"").then_some(false);
    };
    let tail = text[at + DIGEST_KEY.len()..].trim_end_matches(['\r', '\n']);
    let stated = tail.strip_suffix("\"}");
    Some(stated == Some(sha256_tagged(&text.as_bytes()[..at]).as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENTED: &str = r#"{"schema":"labdoc.verdict/1","bundle":"T7","run_id":"20261129T101500Z-7f3a2c",
 "outcome":"pass","exit_code":0,"started_at":"2026-11-29T10:15:00Z","finished_at":"2026-11-29T10:19:21Z",
 "inputs":{"kit":{"manifests/pvc.yaml":"sha256:1"},"blocks":{"flip":"sha256:2"},"captures":{"flip.n":"sha256:3"},
           "claims":{"C14":"sha256:4"},"bundle":{"manifest.yaml":"sha256:5","run.sh":"sha256:6"}},
 "outputs":{"files/reports/a.md":{"sha256":"b","bytes":812},"result.txt":{"sha256":"a","bytes":10234,"truncated":false}},
 "checks":[{"id":"pod-ready","outcome":"pass","exit":0,"duration_ms":812,"attempts":1,"pipestatus":[0],"lines":[12,18],"survivors":[],"leftovers":[]}],
 "values":{"flip.destroy_local":{"value":"2","line":41}},
 "environment":{"envoy":"1.38.3","kubernetes":"1.30.4","os":"linux/amd64"},
 "runner":{"name":"labdoc","version":"0.3.0","who":"author"},
 "redactions":[{"rule":"jwt","count":2}],"rules":"labdoc.rules/1"}"#;

    #[test]
    fn keys_are_written_in_the_documented_order() {
        let verdict = Verdict::parse(DOCUMENTED).expect("documented");
        let text = verdict.to_text().expect("writes");
        let compact: String = DOCUMENTED.lines().map(str::trim_start).collect();
        let covered = compact.strip_suffix('}').expect("object");
        assert!(text.starts_with(covered), "{text}");
        assert_eq!(digest_holds(&text), Some(true));
        assert_eq!(Verdict::parse(&text).expect("own").checks, verdict.checks);
    }

    #[test]
    fn every_changed_byte_breaks_the_digest() {
        let text = Verdict::parse(DOCUMENTED).expect("documented").to_text().expect("writes");
        for at in 0..text.len() - 3 {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            let edited = String::from_utf8(bytes).expect("ASCII");
            assert_ne!(digest_holds(&edited), Some(true), "byte {at}");
        }
        assert_eq!(digest_holds(DOCUMENTED), None);
        let appended = text.replace("\"}\n", "\",\"x\":1}\n");
        assert_eq!(digest_holds(&appended), Some(false));
        assert_eq!(digest_holds(&text.replace('\n', "\r\n")), Some(true), "a checkout's line end");
    }

    #[test]
    fn faults_name_line_and_reason() {
        let check = |from: &str, to: &str, line: usize, word: &str| {
            let (message, at) = Verdict::parse(&DOCUMENTED.replace(from, to)).expect_err(to);
            assert!(message.contains(word) && at == line, "{message} at {at}");
        };
        check("verdict/1", "verdict/9", 1, "labdoc.verdict/9");
        check("\"exit_code\"", "\"exit_kode\"", 2, "exit_kode");
        check("2026-11-29T10:15:00Z", "yesterday", 1, "yesterday");
        check("\"1.30.4\"", "1.30", 8, "string");
    }

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
