//! Background blocks: started, waited for until ready, looked after until the page ends.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::judge;
use super::outcome::{PageResult, Problem, UnitResult};
use super::plan::{Plan, Step};
use super::ready::{is_ready, taken_port};
use super::session::{Output, Request, Session, SessionError, Started};
use crate::book::Ready;
use crate::compare::normalise;
use crate::proc::Interrupt;

/// How long to wait between two looks at a port or an address, at first and at most.
const FIRST_LOOK: Duration = Duration::from_millis(5);
const LONGEST_LOOK: Duration = Duration::from_millis(200);

/// A background block that was started.
pub(super) struct Background<'a> {
    step: &'a Step,
    /// The session's number of its run; `None` when it did not begin.
    run: Option<usize>,
    /// What it was ended with, where that was before the page's end.
    ended_with: Option<String>,
}

/// What came of starting one.
pub(super) struct Begun<'a> {
    /// The block.
    pub(super) background: Background<'a>,
    /// Its result so far.
    pub(super) unit: UnitResult,
    /// The signal that came meanwhile.
    pub(super) interrupted: Option<i32>,
}

impl<'a> Background<'a> {
    /// Starts a block and waits until it is ready.
    pub(super) fn start(
        step: &'a Step,
        session: &mut Session,
        request: &Request<'_>,
    ) -> Result<Begun<'a>, SessionError> {
        let id = step.units.first().map_or("", |unit| &unit.id);
        let background = Background { step, run: None, ended_with: None };
        let mut begun = Begun { background, unit: UnitResult::empty(id), interrupted: None };
        let deadline = Instant::now() + request.timeout;
        if let Some(port) = step.ready.as_ref().and_then(taken_port) {
            let message = format!("port {port} was taken before it began, so it was not started");
            begun.unit.problems.push(Problem::Background(message));
            return Ok(begun);
        }
        match session.start_background(request)? {
            Started::Failed(outcome) => {
                let mut names = crate::vary::Renaming::default();
                if let Some(unit) = step.units.first() {
                    begun.unit = judge::judge(step, unit, &outcome, &mut names);
                }
            }
            Started::Running(run) => {
                begun.background.run = Some(run);
                if let Some(ready) = &step.ready {
                    let waited = Waiting { ready, deadline, run, interrupt: request.interrupt };
                    begun.interrupted = waited.wait(session, &mut begun.unit, step)?;
                }
            }
        }
        Ok(begun)
    }
}

/// Waiting for a block to get ready.
struct Waiting<'a> {
    ready: &'a Ready,
    deadline: Instant,
    run: usize,
    interrupt: Option<&'a Interrupt>,
}

impl Waiting<'_> {
    /// Waits; what goes wrong is a problem of the unit. The signal that came meanwhile is handed
    /// back.
    fn wait(
        &self,
        session: &mut Session,
        unit: &mut UnitResult,
        step: &Step,
    ) -> Result<Option<i32>, SessionError> {
        let mut pause = FIRST_LOOK;
        loop {
            let look = session.look(self.run)?;
            if let Some(status) = look.ended {
                let message = format!("it ended with exit code {status} before it was ready");
                unit.problems.push(Problem::Background(message));
            } else if is_ready(self.ready, &look.output) {
                return Ok(None);
            } else if let Some(signal) = self.interrupt.and_then(Interrupt::signal) {
                unit.problems.push(Problem::Interrupted);
                return Ok(Some(signal));
            } else if Instant::now() >= self.deadline {
                let message = format!("{} was not there after {:?}", self.ready, step.timeout);
                unit.problems.push(Problem::Background(message));
            } else {
                let until = self.deadline.min(Instant::now() + pause);
                session.idle(until, self.interrupt)?;
                pause = (pause * 2).min(LONGEST_LOOK);
                continue;
            }
            unit.output = normalise(&look.output, step.form);
            return Ok(None);
        }
    }
}

/// The background blocks of a page.
#[derive(Default)]
pub(super) struct Backgrounds<'a> {
    all: Vec<Background<'a>>,
}

impl<'a> Backgrounds<'a> {
    /// Takes one that was started.
    pub(super) fn add(&mut self, background: Background<'a>) {
        self.all.push(background);
    }

    /// Whether a run of the session is one of theirs.
    pub(super) fn has(&self, run: usize) -> bool {
        self.all.iter().any(|background| background.run == Some(run))
    }

    /// All that ran was ended together with a unit.
    pub(super) fn ended_with(&mut self, unit: &str) {
        for background in self.all.iter_mut().filter(|background| background.ended_with.is_none()) {
            background.ended_with = Some(unit.to_owned());
        }
    }

    /// Looks whether they still run, before the page's end begins: one that ended by itself did
    /// not do what it was there for.
    pub(super) fn check(
        &self,
        session: &mut Session,
        result: &mut PageResult,
    ) -> Result<(), SessionError> {
        for background in &self.all {
            let Some(run) = background.run else { continue };
            let ended = session.look(run)?.ended;
            let ran = result.steps.iter_mut().find(|ran| ran.id == background.step.id);
            let Some(unit) = ran.and_then(|ran| ran.units.first_mut()) else { continue };
            if let Some(other) = &background.ended_with {
                unit.remarks.push(format!("it was ended together with block `{other}`"));
                continue;
            }
            unit.exit = ended;
            let told = !unit.problems.is_empty();
            match (ended, background.step.exit) {
                (Some(code), Some(expected)) if code != expected && !told => {
                    let message = format!("it ended by itself with exit code {code}");
                    unit.problems.push(Problem::Background(message));
                }
                (Some(code), _) if !told => {
                    unit.remarks.push(format!("it ended by itself with exit code {code}"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Judges what they printed to the end of the page.
    pub(super) fn judge(
        &self,
        late: &BTreeMap<usize, Vec<Output>>,
        plan: &Plan,
        result: &mut PageResult,
    ) {
        for background in &self.all {
            let Some(run) = background.run else { continue };
            let outputs = late.get(&run).map(Vec::as_slice).unwrap_or_default();
            let PageResult { steps, names, .. } = &mut *result;
            let Some(at) = steps.iter().position(|ran| ran.id == background.step.id) else {
                continue;
            };
            if let Some(unit) = steps[at].units.first_mut() {
                judge::judge_background(background.step, unit, outputs, names);
            }
            let mut done = result.steps[at].clone();
            judge::capture(plan, &mut done, result);
            result.steps[at] = done;
        }
    }

    /// Whether a block still ran when the page ended: what outlived the page was meant to.
    pub(super) fn note_ended(&self, survivors: &[String], result: &mut PageResult) -> bool {
        let runs = |b: &&Background<'_>| b.run.is_some() && b.ended_with.is_none();
        let mut found = false;
        for background in self.all.iter().filter(runs) {
            let ran = result.steps.iter_mut().find(|ran| ran.id == background.step.id);
            let unit = ran.and_then(|ran| ran.units.first_mut()).filter(|unit| unit.exit.is_none());
            if let Some(unit) = unit {
                found = true;
                unit.killed = survivors.to_vec();
            }
        }
        found
    }
}
