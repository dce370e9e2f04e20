//! Running a plan: one session for the page, block by block, compared as it goes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::outcome::{Measured, PageResult, Problem, StepResult, UnitResult};
use super::plan::{Plan, Role, Step, Unit};
use super::session::{
    End, OUTPUT_LIMIT, Outcome, Output, Request, Session, SessionError, SessionOptions,
};
use super::world::World;
use crate::compare::{Question, compare, normalise};
use crate::diag::Failure;
use crate::proc::Interrupt;

/// What the caller wants to know and may say while a page runs.
pub(crate) struct Watch<'a> {
    /// Ctrl-C and SIGTERM.
    pub(crate) interrupt: Option<&'a Interrupt>,
    /// Called before each block.
    pub(crate) progress: &'a dyn Fn(&Step),
    /// Whether the first failure ends the page (teardown still runs).
    pub(crate) fail_fast: bool,
    /// Whether everything is left as it is at the end: no teardown, no process ended.
    pub(crate) keep: bool,
    /// Called before teardown when a block failed, with the shell's state as text.
    pub(crate) on_failure: Option<&'a dyn Fn(&[u8])>,
}

/// Runs a page.
///
/// # Errors
/// The session cannot be started or kept.
pub(crate) fn run(plan: &Plan, world: &World, watch: &Watch<'_>) -> Result<PageResult, Failure> {
    let options = SessionOptions {
        cwd: world.cwd.clone(),
        env: world.env.clone(),
        output_limit: OUTPUT_LIMIT,
        redactor: world.redactor.clone(),
    };
    let session = Session::start(options).map_err(failure)?;
    let deadline = Instant::now() + plan.timeout;
    let result = PageResult::default();
    let mut runner =
        Runner { plan, watch, session: Some(session), deadline, runs: Vec::new(), result };
    for step in plan.steps.iter().filter(|step| step.role != Role::Teardown) {
        let done = runner.step(step)?;
        runner.result.steps.push(done);
    }
    runner.show_failure();
    for step in plan.steps.iter().filter(|step| step.role == Role::Teardown) {
        let done = runner.step(step)?;
        runner.result.steps.push(done);
    }
    let ended = match runner.session.take() {
        Some(session) if watch.keep => session.keep().map_err(failure)?,
        Some(session) => session.finish().map_err(failure)?,
        None => return Ok(runner.result),
    };
    let lived = if watch.keep { &mut runner.result.kept } else { &mut runner.result.survivors };
    *lived = ended.survivors;
    runner.result.trap_output = normalise(&ended.trap_output.bytes);
    runner.result.masked = ended.masked;
    runner.note_late(&ended.late);
    Ok(runner.result)
}

/// A broken session as a failure of the tool.
fn failure(error: SessionError) -> Failure {
    Failure::new(error.to_string())
}

/// The state of a running page.
struct Runner<'a> {
    plan: &'a Plan,
    watch: &'a Watch<'a>,
    /// Taken at the end of the page.
    session: Option<Session>,
    /// The unit of each run of the session, by the session's count.
    runs: Vec<String>,
    deadline: Instant,
    result: PageResult,
}

impl Runner<'_> {
    /// Runs one block, unless something stands against it.
    fn step(&mut self, step: &Step) -> Result<StepResult, Failure> {
        let mut done = StepResult {
            id: step.id.clone(),
            skipped: step.skip.or_else(|| self.stopped(step)),
            units: Vec::new(),
            duration: Duration::ZERO,
        };
        if done.skipped.is_some() {
            return Ok(done);
        }
        (self.watch.progress)(step);
        let mut left = step.timeout;
        for unit in &step.units {
            let outcome = self.outcome(step, unit, left)?;
            done.duration += outcome.duration;
            left = left.saturating_sub(outcome.duration).max(Duration::from_millis(1));
            let broke = !matches!(outcome.end, End::Exited(_) | End::ShellEnded(_));
            done.units.push(self.judge(step, unit, &outcome));
            if broke {
                break;
            }
        }
        self.capture(step, &mut done);
        Ok(done)
    }

    /// Lets the caller look at the scene of a failure.
    fn show_failure(&self) {
        let failed = self.result.steps.iter().any(|s| s.skipped.is_none() && !s.passed());
        let state = self.session.as_ref().and_then(Session::state).unwrap_or_default();
        if let Some(look) = self.watch.on_failure.filter(|_| failed) {
            look(state);
        }
    }

    /// Notes what background children printed after their block had been judged.
    fn note_late(&mut self, late: &BTreeMap<usize, Vec<Output>>) {
        for (run, outputs) in late {
            let bytes: u64 = outputs.iter().map(|output| output.total).sum();
            let Some(id) = self.runs.get(*run).filter(|_| bytes > 0) else { continue };
            let units = self.result.steps.iter_mut().flat_map(|step| &mut step.units);
            if let Some(unit) = units.into_iter().find(|unit| unit.id == *id) {
                unit.remarks.push(format!(
                    "a background process printed {bytes} bytes after the block had ended"
                ));
            }
        }
    }

    /// Why a block that is not teardown is not run any more.
    fn stopped(&self, step: &Step) -> Option<&'static str> {
        if step.role == Role::Teardown {
            return self.watch.keep.then_some("--keep");
        }
        if self.result.interrupted.is_some() {
            return Some("interrupted");
        }
        if Instant::now() >= self.deadline {
            return Some("the page's time limit was reached");
        }
        let failed = self.result.steps.iter().any(|s| s.skipped.is_none() && !s.passed());
        (self.watch.fail_fast && failed).then_some("--fail-fast")
    }

    /// Runs one unit.
    fn outcome(&mut self, step: &Step, unit: &Unit, left: Duration) -> Result<Outcome, Failure> {
        let teardown = step.role == Role::Teardown;
        let page = self.deadline.saturating_duration_since(Instant::now());
        let timeout = if teardown { left } else { left.min(page) };
        let interrupt = if teardown { None } else { self.watch.interrupt };
        let request = Request { text: &unit.text, timeout, stderr_apart: false, interrupt };
        let session = self.session.as_mut().ok_or_else(|| Failure::new("the session has ended"))?;
        let outcome = session.run(&request).map_err(failure)?;
        self.runs.push(unit.id.clone());
        if let End::Interrupted(signal) = outcome.end {
            self.result.interrupted = Some(signal);
        }
        Ok(outcome)
    }

    /// Judges what a unit did.
    fn judge(&mut self, step: &Step, unit: &Unit, outcome: &Outcome) -> UnitResult {
        let output = normalise(&outcome.output.bytes);
        let exit = exit_code(&outcome.end);
        let mut problems: Vec<Problem> =
            end_problem(&outcome.end, step.timeout).into_iter().collect();
        let wrong = step.exit.zip(exit).filter(|(expected, got)| expected != got);
        problems.extend(wrong.map(|(expected, got)| Problem::Exit { expected, got }));
        let syntax = matches!(outcome.end, End::SyntaxError { .. });
        let comparison = unit.printed.as_ref().filter(|_| !syntax).map(|printed| {
            let question = Question {
                printed: &printed.text,
                measured: &output,
                classes: &step.classes,
                unordered: step.unordered,
            };
            compare(&question, &mut self.result.names)
        });
        if comparison.as_ref().is_some_and(|comparison| !comparison.equal) {
            problems.push(Problem::Drift);
        }
        UnitResult {
            id: unit.id.clone(),
            exit,
            truncated: outcome.output.truncated,
            output,
            comparison,
            pipestatus: outcome.pipestatus.clone(),
            problems,
            remarks: remarks(outcome),
            killed: outcome.killed.clone(),
        }
    }

    /// Takes the captured values out of a block's output; one that is not there fails the block.
    fn capture(&mut self, step: &Step, done: &mut StepResult) {
        for capture in self.plan.captures.iter().filter(|capture| capture.block == step.id) {
            let found = done.units.iter().find_map(|unit| {
                let (value, line) = capture.find(&unit.output)?;
                Some(Measured { value, unit: unit.id.clone(), line })
            });
            match (found, done.units.last_mut()) {
                (Some(measured), _) => {
                    self.result.values.insert(capture.name.clone(), measured);
                }
                // A block that failed says so itself; what it lacks is a consequence.
                (None, Some(unit)) if only_drift(&unit.problems) => {
                    unit.problems.push(Problem::Capture(capture.name.clone()));
                }
                (None, Some(_)) => {}
                (None, None) => {}
            }
        }
    }
}

/// The same run judged by another plan of the page: after a refresh the outputs are what the
/// page prints now.
pub(crate) fn rejudged(plan: &Plan, result: &PageResult) -> PageResult {
    let mut out = PageResult { names: crate::vary::Renaming::default(), ..result.clone() };
    for step in &plan.steps {
        let Some(ran) = out.steps.iter_mut().find(|ran| ran.id == step.id) else { continue };
        for (unit, got) in step.units.iter().zip(&mut ran.units) {
            let Some(printed) = &unit.printed else { continue };
            let question = Question {
                printed: &printed.text,
                measured: &got.output,
                classes: &step.classes,
                unordered: step.unordered,
            };
            let comparison = compare(&question, &mut out.names);
            got.problems.retain(|problem| *problem != Problem::Drift);
            if !comparison.equal {
                got.problems.push(Problem::Drift);
            }
            got.comparison = Some(comparison);
        }
    }
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
