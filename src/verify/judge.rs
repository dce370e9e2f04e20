//! Judging what a block did: exit code, output and captures against the page.

use std::collections::BTreeMap;
use std::time::Duration;

use super::outcome::{Measured, PageResult, Problem, StepResult, UnitResult};
use super::plan::{Plan, Step, Unit};
use super::session::{End, Outcome, Output};
use crate::compare::{Comparison, Question, compare, compare_drifted, normalise};
use crate::vary::Renaming;

/// Judges what a unit did; names that correspond are added to `names` when its output is equal.
pub(super) fn judge(
    step: &Step,
    unit: &Unit,
    outcome: &Outcome,
    names: &mut Renaming,
) -> UnitResult {
    let output = normalise(&outcome.output.bytes, step.form);
    let exit = exit_code(&outcome.end);
    let mut problems: Vec<Problem> = end_problem(&outcome.end, step.timeout).into_iter().collect();
    let wrong = step.exit.zip(exit).filter(|(expected, got)| expected != got);
    problems.extend(wrong.map(|(expected, got)| Problem::Exit { expected, got }));
    let syntax = matches!(outcome.end, End::SyntaxError { .. });
    let comparison = if syntax { None } else { compared(step, unit, &output, names) };
    if comparison.as_ref().is_some_and(|comparison| !comparison.equal) {
        problems.push(Problem::Drift);
    }
    UnitResult {
        id: unit.id.clone(),
        exit,
        truncated: outcome.output.truncated,
        output,
        stderr: outcome.stderr.as_ref().map(|stderr| normalise(&stderr.bytes, step.form)),
        comparison,
        pipestatus: outcome.pipestatus.clone(),
        problems,
        remarks: remarks(outcome),
        killed: outcome.killed.clone(),
    }
}

/// Judges what a background block printed, now that its page has ended.
pub(super) fn judge_background(
    step: &Step,
    got: &mut UnitResult,
    outputs: &[Output],
    names: &mut Renaming,
) {
    let Some(unit) = step.units.first() else { return };
    let mut streams = outputs.iter();
    if let Some(out) = streams.next() {
        got.output = normalise(&out.bytes, step.form);
        got.truncated = out.truncated;
    }
    got.stderr = streams.next().map(|err| normalise(&err.bytes, step.form)).or(got.stderr.take());
    got.comparison = compared(step, unit, &got.output, names);
    if got.comparison.as_ref().is_some_and(|comparison| !comparison.equal) {
        got.problems.push(Problem::Drift);
    }
}

/// The comparison of an output with what is printed for it.
fn compared(step: &Step, unit: &Unit, output: &str, names: &mut Renaming) -> Option<Comparison> {
    Some(compare(&question(step, unit, output)?, names))
}

/// What is compared; nothing where no output is printed.
pub(super) fn question<'a>(
    step: &'a Step,
    unit: &'a Unit,
    measured: &'a str,
) -> Option<Question<'a>> {
    let printed = unit.printed.as_ref()?;
    Some(Question {
        printed: &printed.text,
        measured,
        classes: &step.classes,
        order: step.order,
        form: step.form,
        first_line: printed.first_line,
    })
}

/// Takes the captured values out of a block's output; one that is not there fails the block.
pub(super) fn capture(plan: &Plan, done: &mut StepResult, result: &mut PageResult) {
    for capture in plan.captures.iter().filter(|capture| capture.block == done.id) {
        let found = done.units.iter().find_map(|unit| {
            let (value, line) = capture.find(&unit.output)?;
            Some(Measured { value, unit: unit.id.clone(), line })
        });
        match (found, done.units.last_mut()) {
            (Some(measured), _) => {
                result.values.insert(capture.name.clone(), measured);
            }
            // A block that failed says so itself; what it lacks is a consequence.
            (None, Some(unit)) if only_drift(&unit.problems) => {
                unit.problems.push(Problem::Capture(capture.name.clone()));
            }
            (None, _) => {}
        }
    }
}

/// Aligns the outputs that differ as near as can be, now that the names of all equal ones are
/// known: a drifted output never decides what a name of another one stands for.
pub(super) fn settle(plan: &Plan, result: &mut PageResult) {
    let PageResult { steps, names, .. } = result;
    for step in &plan.steps {
        let Some(ran) = steps.iter_mut().find(|ran| ran.id == step.id) else { continue };
        for (unit, got) in step.units.iter().zip(&mut ran.units) {
            let drifted = got.comparison.as_ref().is_some_and(|comparison| !comparison.equal);
            let Some(question) = question(step, unit, &got.output).filter(|_| drifted) else {
                continue;
            };
            got.comparison = Some(compare_drifted(&question, names));
        }
    }
}

/// The same run judged by another plan of the page: after a refresh the outputs are what the
/// page prints now.
pub(crate) fn rejudged(plan: &Plan, result: &PageResult) -> PageResult {
    let mut out = PageResult { names: Renaming::default(), ..result.clone() };
    for step in &plan.steps {
        let Some(ran) = out.steps.iter_mut().find(|ran| ran.id == step.id) else { continue };
        for (unit, got) in step.units.iter().zip(&mut ran.units) {
            if got.comparison.is_none() {
                continue;
            }
            let Some(comparison) = compared(step, unit, &got.output, &mut out.names) else {
                continue;
            };
            got.problems.retain(|problem| *problem != Problem::Drift);
            if !comparison.equal {
                got.problems.push(Problem::Drift);
            }
            got.comparison = Some(comparison);
        }
    }
    settle(plan, &mut out);
    out
}

/// Whether a unit ended as it should, whatever it printed.
fn only_drift(problems: &[Problem]) -> bool {
    problems.iter().all(|p| matches!(p, Problem::Drift | Problem::Capture(_)))
}

/// The exit code of a unit that ended by itself.
fn exit_code(end: &End) -> Option<i32> {
    match end {
        End::Exited(code) | End::ShellEnded(code) => Some(*code),
        End::SyntaxError { .. } | End::TimedOut | End::Interrupted(_) => None,
    }
}

/// What is wrong with the way a unit ended.
fn end_problem(end: &End, limit: Duration) -> Option<Problem> {
    match end {
        End::Exited(_) | End::ShellEnded(_) => None,
        End::SyntaxError { message, line } => {
            Some(Problem::Syntax { message: message.clone(), line: *line })
        }
        End::TimedOut => Some(Problem::TimedOut(limit)),
        End::Interrupted(_) => Some(Problem::Interrupted),
    }
}

/// What else should be known about a run.
fn remarks(outcome: &Outcome) -> Vec<String> {
    let mut remarks = Vec::new();
    if outcome.rebuilt {
        remarks.push("ran in a shell rebuilt after an earlier block ended it".to_owned());
    }
    if let End::ShellEnded(code) = outcome.end {
        remarks.push(format!("the block ended the shell with status {code}"));
    }
    let hidden = outcome.pipestatus.len() > 1
        && matches!(outcome.end, End::Exited(0))
        && outcome.pipestatus.iter().any(|status| *status != 0);
    if hidden {
        let statuses: Vec<String> = outcome.pipestatus.iter().map(ToString::to_string).collect();
        remarks.push(format!(
            "a failure in the last pipeline is hidden (statuses {}); set -o pipefail to see it",
            statuses.join(" ")
        ));
    }
    if outcome.output.truncated {
        remarks.push(format!("the output of {} bytes was cut", outcome.output.total));
    }
    remarks
}

/// Whether another try could come to something else.
pub(super) fn can_repeat(done: &StepResult) -> bool {
    let repeatable = |problem: &Problem| {
        matches!(
            problem,
            Problem::Drift | Problem::Exit { .. } | Problem::Capture(_) | Problem::Lacks(_)
        )
    };
    !done.passed() && done.units.iter().flat_map(|unit| &unit.problems).all(repeatable)
}

/// Notes what background children printed after their block had been judged.
pub(super) fn note_late(
    result: &mut PageResult,
    runs: &[String],
    late: &BTreeMap<usize, Vec<Output>>,
) {
    for (run, outputs) in late {
        let bytes: u64 = outputs.iter().map(|output| output.total).sum();
        let Some(id) = runs.get(*run).filter(|_| bytes > 0) else { continue };
        let units = result.steps.iter_mut().flat_map(|step| &mut step.units);
        let of_run = |unit: &&mut UnitResult| unit.id == *id;
        if let Some(unit) = units.into_iter().find(of_run) {
            unit.remarks.push(format!(
                "a background process printed {bytes} bytes after the block had ended"
            ));
        }
    }
}
