//! The verdict of a transcript under a manifest: by exit code, printed text and captures. Text
//! is compared by a function of the caller, so that this room needs no other of its layer.

use std::collections::BTreeMap;

use super::expect::{Name, Scope};
use super::manifest::{Manifest, ManifestBlock};
use super::now::capture;
use super::transcript::{Part, Transcript};
use super::verdict::{Captured, CheckOutcome, Outcome};

/// Compares what a block printed (one part, or one for each command of a console block) with
/// what its manifest expects.
pub(crate) type Compare<'a> = &'a dyn Fn(&ManifestBlock, &[&Part]) -> bool;

/// What a transcript comes to under a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// One entry for each planned check, in the order of the plan.
    pub(crate) checks: Vec<Judged>,
    /// The captured values.
    pub(crate) values: BTreeMap<String, Captured>,
    /// A pass when every check is met or skipped by the plan, and at least one is met.
    pub(crate) outcome: Outcome,
}

/// What one planned check comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    /// The block's id.
    pub(crate) id: String,
    /// What it comes to.
    pub(crate) outcome: CheckOutcome,
    /// The exit code that the transcript states.
    pub(crate) exit: Option<i32>,
    /// First and last line of the output.
    pub(crate) lines: Option<[usize; 2]>,
    /// Why it is not met, one sentence each.
    pub(crate) why: Vec<String>,
}

/// Judges a transcript by the plan of a run. The words `pass` and `skip` on its check lines are
/// not believed where the plan says what to compare; a `fail` is.
pub(crate) fn judge(manifest: &Manifest, transcript: &str, compare: Compare) -> Judgement {
    let transcript = Transcript::parse(transcript);
    let mut values = BTreeMap::new();
    let checks: Vec<Judged> = manifest
        .checks
        .iter()
        .map(|id| match manifest.block(id) {
            Some(block) => {
                let parts: Vec<&Part> = transcript.parts_of(id).collect();
                let mut judged = judge_block(block, &parts, compare);
                captures(manifest, (id, &parts), &mut values, &mut judged);
                judged
            }
            None => judge_line(id, &transcript),
        })
        .collect();
    let bad = |judged: &Judged| matches!(judged.outcome, CheckOutcome::Fail | CheckOutcome::Error);
    let met = checks.iter().any(|judged| judged.outcome == CheckOutcome::Pass);
    let outcome = if checks.iter().any(bad) || !met { Outcome::Fail } else { Outcome::Pass };
    Judgement { checks, values, outcome }
}

/// A check without a block: what its line says is all there is.
fn judge_line(id: &str, transcript: &Transcript) -> Judged {
    let line = transcript.checks.iter().find(|line| line.id == *id);
    let outcome = transcript.outcome(id).unwrap_or(CheckOutcome::Fail);
    let why = match (line, outcome) {
        (None, _) => vec![format!("the transcript does not report check `{id}`")],
        (Some(line), CheckOutcome::Fail | CheckOutcome::Error) => {
            vec![format!("line {} reports {}", line.line, outcome.word())]
        }
        _ => Vec::new(),
    };
    let exit = line.and_then(|line| line.exit);
    Judged { id: id.to_owned(), outcome, exit, lines: None, why }
}

/// A block: its exit code and its text.
fn judge_block(block: &ManifestBlock, parts: &[&Part], compare: Compare) -> Judged {
    let checks: Vec<_> = parts.iter().filter_map(|part| part.check.as_ref()).collect();
    let mut judged = Judged {
        id: block.id.clone(),
        outcome: CheckOutcome::Pass,
        exit: checks.last().and_then(|check| check.exit),
        lines: lines(parts),
        why: Vec::new(),
    };
    if parts.is_empty() || checks.len() < parts.len() {
        judged.fail(format!("the transcript has no end of block `{}`", block.id));
        return judged;
    }
    let said = |outcome| checks.iter().any(|check| check.outcome == outcome);
    let planned_skip =
        block.options.contains_key("skip") || block.options.contains_key("on-failure");
    if planned_skip && checks.iter().all(|check| check.outcome == CheckOutcome::Skip) {
        judged.outcome = CheckOutcome::Skip;
        return judged;
    }
    for check in &checks {
        if let Some(reason) = exit_fault(block, check.exit) {
            judged.fail(reason);
        }
    }
    if said(CheckOutcome::Fail) || said(CheckOutcome::Error) {
        judged.fail("its check line says that it failed".to_owned());
    }
    let holds_its_own = matches!(block.kind.as_deref(), Some("console" | "assert"));
    let compared = block.expected.is_some() || holds_its_own;
    if compared && !compare(block, parts) {
        judged.fail("its output is not what was printed".to_owned());
    }
    judged
}

impl Judged {
    /// Marks it as failed for one more reason.
    fn fail(&mut self, why: String) {
        self.outcome = CheckOutcome::Fail;
        self.why.push(why);
    }
}

/// Why an exit code is not the expected one: 0, or what `exit=` says.
fn exit_fault(block: &ManifestBlock, exit: Option<i32>) -> Option<String> {
    let expected = block.options.get("exit").map_or("0", String::as_str);
    let shown = exit.map_or("no exit code".to_owned(), |code| format!("exit code {code}"));
    let met = match (expected, exit) {
        ("any", _) => true,
        // It ran until the page's end.
        (_, None) if block.options.contains_key("background") => true,
        (_, Some(code)) => code.to_string() == expected,
        (_, None) => false,
    };
    (!met).then(|| format!("it has {shown}, expected {expected}"))
}

/// First and last line of all parts.
fn lines(parts: &[&Part]) -> Option<[usize; 2]> {
    let mut ranges = parts.iter().filter_map(|part| part.lines());
    let first = ranges.next()?;
    Some([first[0], ranges.next_back().unwrap_or(first)[1]])
}

/// Takes the captured values of a block; an expression that finds nothing fails it.
fn captures(
    manifest: &Manifest,
    (id, parts): (&str, &[&Part]),
    values: &mut BTreeMap<String, Captured>,
    judged: &mut Judged,
) {
    if judged.outcome == CheckOutcome::Skip {
        return;
    }
    let mut owners: Vec<usize> = Vec::new();
    let mut text = String::new();
    for part in parts {
        owners.extend((0..part.line_count).map(|line| part.first_line + line));
        text.push_str(&part.output);
    }
    let own = |name: &str| name.split('.').next() == Some(id);
    for (name, pattern) in manifest.captures.iter().filter(|(name, _)| own(name)) {
        match capture(pattern, &text) {
            Some((value, line)) => {
                let line = owners.get(line).copied();
                values.insert(name.clone(), Captured { value, line });
            }
            None => judged.fail(format!("capture `{name}` found nothing")),
        }
    }
}

impl Scope for Judgement {
    fn value(&self, name: &Name) -> Option<String> {
        self.values.get(&name.path).map(|captured| captured.value.clone())
    }

    fn passed(&self, block: &Name) -> Option<bool> {
        let judged = self.checks.iter().find(|judged| judged.id == block.path)?;
        (judged.outcome != CheckOutcome::Skip).then_some(judged.outcome == CheckOutcome::Pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::expect::{Expect, Met};
    use crate::evidence::transcript::write_part;

    fn manifest(options: &[(&str, &str)]) -> Manifest {
        let pairs = options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let block = ManifestBlock {
            id: "flip".into(),
            options: pairs.collect(),
            text: "sh flip.sh\n".into(),
            expected: Some("lost 0\n".into()),
            ..ManifestBlock::default()
        };
        Manifest {
            blocks: vec![block],
            captures: BTreeMap::from([("flip.lost".into(), r"lost (\d+)".into())]),
            checks: vec!["flip".into()],
            ..Manifest::new("T1")
        }
    }

    /// Judges one block with the given output and check line.
    fn run(manifest: &Manifest, output: &str, check: (CheckOutcome, Option<i32>)) -> Judgement {
        let mut text = String::new();
        write_part(&mut text, "flip", output, check);
        let equal = |block: &ManifestBlock, parts: &[&Part]| {
            let printed: String = parts.iter().map(|part| part.output.as_str()).collect();
            block.expected.as_deref() == Some(&printed)
        };
        judge(manifest, &text, &equal)
    }

    fn check(output: &str, line: (CheckOutcome, Option<i32>), expect: &[&str]) {
        let got = run(&manifest(&[]), output, line);
        assert_eq!(got.checks[0].why, expect, "{output:?} {line:?}");
        assert_eq!(got.outcome == Outcome::Pass, expect.is_empty());
    }

    use CheckOutcome::{Fail, Pass, Skip};

    #[test]
    fn exit_code_text_and_captures_are_judged() {
        check("lost 0\n", (Pass, Some(0)), &[]);
        check("lost 0\n", (Skip, Some(0)), &[]);
        check("lost 1\n", (Pass, Some(0)), &["its output is not what was printed"]);
        check("lost 0\n", (Pass, Some(2)), &["it has exit code 2, expected 0"]);
        check("lost 0\n", (Pass, None), &["it has no exit code, expected 0"]);
        check("lost 0\n", (Fail, Some(0)), &["its check line says that it failed"]);
        check(
            "none\n",
            (Pass, Some(0)),
            &["its output is not what was printed", "capture `flip.lost` found nothing"],
        );
    }

    #[test]
    fn a_wrong_counter_with_exit_code_0_is_no_pass() {
        let got = run(&manifest(&[]), "lost 3\n", (Skip, Some(0)));
        assert_eq!(got.outcome, Outcome::Fail);
        assert_eq!(got.values["flip.lost"], Captured { value: "3".into(), line: Some(2) });
        let expect: Expect = "flip.lost == 0".parse().expect("valid");
        assert_eq!(expect.evaluate(&got), Met::Breaks("flip.lost is 3".into()));
    }

    #[test]
    fn options_of_the_plan_count() {
        let outcome =
            |options: &[(&str, &str)], line| run(&manifest(options), "lost 0\n", line).outcome;
        assert_eq!(outcome(&[("exit", "3")], (Pass, Some(3))), Outcome::Pass);
        assert_eq!(outcome(&[("exit", "3")], (Pass, Some(0))), Outcome::Fail);
        assert_eq!(outcome(&[("exit", "any")], (Pass, Some(7))), Outcome::Pass);
        // Nothing was met, and a run that checks nothing proves nothing.
        assert_eq!(outcome(&[("skip", "true")], (Skip, None)), Outcome::Fail);
    }

    #[test]
    fn missing_and_foreign_checks_are_judged_by_their_lines() {
        let mut plan = manifest(&[]);
        plan.checks = vec!["pod-ready".into(), "data-kept".into()];
        let got = judge(&plan, "labdoc-check: pod-ready pass exit=0\n", &|_, _| true);
        assert_eq!(got.checks[0].outcome, Pass);
        assert_eq!(got.checks[1].why, ["the transcript does not report check `data-kept`"]);
        assert_eq!(got.outcome, Outcome::Fail);
    }
}
