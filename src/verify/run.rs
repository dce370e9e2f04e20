//! Running a plan: one session for the page, block by block, compared as it goes.

use std::time::{Duration, Instant};

use super::background::{Background, Backgrounds};
use super::guard::{Kind, Scene};
use super::judge;
use super::on_cluster::{self, OnCluster};
use super::outcome::{PageResult, Problem, StepResult};
use super::plan::{Plan, Role, Step, Unit};
use super::session::{End, OUTPUT_LIMIT, Outcome, Request, Session, SessionOptions, Streams};
use super::world::World;
use crate::compare::{Form, normalise};
use crate::diag::Failure;
use crate::proc::Interrupt;

/// How long to wait before the second try of a block, and at most before a later one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What the caller wants to know and may say while a page runs.
pub(crate) struct Watch<'a> {
    /// Ctrl-C and SIGTERM.
    pub(crate) interrupt: Option<&'a Interrupt>,
    /// Called with the process below which everything of the run lives.
    pub(crate) started: Option<&'a dyn Fn(u32)>,
    /// Called before each block.
    pub(crate) progress: &'a dyn Fn(&Step),
    /// Whether the first failure ends the page (teardown still runs).
    pub(crate) fail_fast: bool,
    /// Whether everything is left as it is at the end: no teardown, no process ended.
    pub(crate) keep: bool,
    /// The cluster that the page runs on.
    pub(crate) scene: Option<OnCluster<'a>>,
    /// Called before teardown when a block failed, with the shell's state as text.
    pub(crate) on_failure: Option<Look<'a>>,
}

/// Looks at the scene of a failure; gets the shell's state.
pub(crate) type Look<'a> = &'a dyn Fn(&[u8]);

/// Runs a page.
///
/// # Errors
/// The session cannot be started or kept.
pub(crate) fn run(plan: &Plan, world: &World, watch: &Watch<'_>) -> Result<PageResult, Failure> {
    let session = start(world)?;
    if let (Some(started), Some(keeper)) = (watch.started, session.keeper()) {
        started(keeper);
    }
    let mut runner = Runner::new((plan, watch), session, PageResult::default());
    let (ending, page): (Vec<&Step>, Vec<&Step>) =
        plan.steps.iter().partition(|step| step.role > Role::Normal);
    runner.steps(&page)?;
    runner.backgrounds.check(&mut runner.session, &mut runner.result).map_err(failure)?;
    runner.collect();
    runner.show_failure();
    runner.steps(&ending)?;
    runner.finish()
}

/// Starts the session of a world.
///
/// # Errors
/// There is no bash that can be used, or it cannot be started.
pub(super) fn start(world: &World) -> Result<Session, Failure> {
    let options = SessionOptions {
        cwd: world.cwd.clone(),
        scratch: world.folder().to_owned(),
        env: world.env.clone(),
        output_limit: OUTPUT_LIMIT,
        redactor: world.redactor.clone(),
    };
    Session::start(options).map_err(failure)
}

/// Runs some blocks in a session that lives on, after what `before` tells of the earlier ones.
///
/// # Errors
/// The session cannot be kept.
pub(super) fn run_in(
    session: Session,
    (plan, steps): (&Plan, &[&Step]),
    before: PageResult,
    watch: &Watch<'_>,
) -> Result<(PageResult, Session), Failure> {
    let mut runner = Runner::new((plan, watch), session, before);
    // The steps of the plan itself: they live as long as it does.
    let chosen = |step: &&Step| steps.iter().any(|other| other.id == step.id);
    let steps: Vec<&Step> = plan.steps.iter().filter(chosen).collect();
    runner.steps(&steps)?;
    runner.backgrounds.check(&mut runner.session, &mut runner.result).map_err(failure)?;
    judge::settle(plan, &mut runner.result);
    Ok((runner.result, runner.session))
}

/// A broken session as a failure of the tool.
pub(super) fn failure(error: super::session::SessionError) -> Failure {
    Failure::new(error.to_string())
}

/// The state of a running page.
struct Runner<'a> {
    plan: &'a Plan,
    watch: &'a Watch<'a>,
    session: Session,
    /// The unit of each run of the session, by the session's count.
    runs: Vec<String>,
    backgrounds: Backgrounds<'a>,
    deadline: Instant,
    result: PageResult,
}

impl<'a> Runner<'a> {
    /// A page that begins, or goes on after `result`.
    fn new(
        (plan, watch): (&'a Plan, &'a Watch<'a>),
        session: Session,
        result: PageResult,
    ) -> Runner<'a> {
        let deadline = Instant::now() + plan.timeout;
        let (runs, backgrounds) = (Vec::new(), Backgrounds::default());
        Runner { plan, watch, session, runs, backgrounds, deadline, result }
    }

    /// Runs blocks in order.
    fn steps(&mut self, steps: &[&'a Step]) -> Result<(), Failure> {
        for step in steps {
            let done = self.step(step)?;
            self.result.steps.push(done);
        }
        Ok(())
    }

    /// Ends the session and judges what can only be judged then.
    fn finish(self) -> Result<PageResult, Failure> {
        let Runner { plan, watch, session, runs, backgrounds, mut result, .. } = self;
        if watch.keep {
            let ended = session.keep().map_err(failure)?;
            (result.kept, result.masked) = (ended.survivors, ended.masked);
            judge::settle(plan, &mut result);
            return Ok(result);
        }
        let ended = session.finish().map_err(failure)?;
        result.trap_output = normalise(&ended.trap_output.bytes, Form::default());
        result.masked = ended.masked;
        if !backgrounds.note_ended(&ended.survivors, &mut result) {
            result.survivors = ended.survivors;
        }
        backgrounds.judge(&ended.late, plan, &mut result);
        let other = ended.late.into_iter().filter(|(run, _)| !backgrounds.has(*run)).collect();
        judge::note_late(&mut result, &runs, &other);
        judge::settle(plan, &mut result);
        Ok(result)
    }

    /// Runs one block, unless something stands against it.
    fn step(&mut self, step: &'a Step) -> Result<StepResult, Failure> {
        let mut done = StepResult::new(&step.id);
        done.skipped = step.skip.clone().or_else(|| self.stopped(step).map(str::to_owned));
        if done.skipped.is_some() {
            return Ok(done);
        }
        (self.watch.progress)(step);
        tracing::debug!(page = self.plan.path, block = step.id, limit = ?step.timeout, "begins");
        let begin = Instant::now();
        if step.background {
            self.start(step, &mut done)?;
        } else {
            self.tries(step, &mut done)?;
        }
        if step.retry.is_some() || step.background || !step.parts.is_empty() {
            done.duration = begin.elapsed();
        }
        let (tries, took) = (done.attempts(), begin.elapsed());
        tracing::debug!(block = step.id, tries, passed = done.passed(), ?took, "ended");
        Ok(done)
    }

    /// Runs a block, with `retry` until it passes or its time is over.
    fn tries(&mut self, step: &Step, done: &mut StepResult) -> Result<(), Failure> {
        let begin = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let mark = self.result.names.mark();
            self.attempt(step, done)?;
            let left = step.retry.unwrap_or_default().saturating_sub(begin.elapsed());
            if left.is_zero() || !judge::can_repeat(done) || !self.pause(step, pause.min(left))? {
                return Ok(());
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            self.result.names.undo_to(mark);
            self.result.values.retain(|name, _| name.split('.').next() != Some(step.id.as_str()));
            done.tries.push(std::mem::take(&mut done.units));
        }
    }

    /// Runs a block once.
    fn attempt(&mut self, step: &Step, done: &mut StepResult) -> Result<(), Failure> {
        if !step.parts.is_empty() {
            let unit = on_cluster::assert(step, self.watch.scene, &mut self.result);
            done.units.extend(unit);
            judge::capture(self.plan, done, &mut self.result);
            return Ok(());
        }
        let mut left = step.timeout;
        for unit in &step.units {
            if let Some(refused) = self.watch.scene.and_then(|_| on_cluster::refused(unit)) {
                done.units.push(refused);
                break;
            }
            let outcome = self.outcome(step, unit, left)?;
            done.duration += outcome.duration;
            left = left.saturating_sub(outcome.duration).max(Duration::from_millis(1));
            let broke = !matches!(outcome.end, End::Exited(_) | End::ShellEnded(_));
            let mut judged = judge::judge(step, unit, &outcome, &mut self.result.names);
            if let Some(OnCluster { scene, .. }) = self.watch.scene {
                let state = self.session.state().unwrap_or_default();
                on_cluster::check(scene, (step, unit), &state, &mut judged)?;
                if matches!(judged.problems[..], [Problem::Guard(_)]) {
                    self.restore(scene)?;
                }
            }
            done.units.push(judged);
            if broke {
                break;
            }
        }
        judge::capture(self.plan, done, &mut self.result);
        Ok(())
    }

    /// Gives the shell the page's kubeconfig back, so that the next block is judged for itself.
    fn restore(&mut self, scene: &Scene<'_>) -> Result<(), Failure> {
        let text = on_cluster::restore(scene);
        let timeout = Duration::from_secs(10);
        let request = Request { text: &text, timeout, streams: Streams::Joined, interrupt: None };
        self.session.run(&request).map_err(failure)?;
        // It has no unit whose late output could be noted.
        self.runs.push(String::new());
        Ok(())
    }

    /// Collects what the cluster says of a failure, while the scene still stands.
    fn collect(&mut self) {
        let failed = self.result.steps.iter().any(|s| s.skipped.is_none() && !s.passed());
        let unusable = self.unusable();
        if let Some(on) = self.watch.scene.filter(|_| failed && !unusable) {
            self.result.facts = on.scene.collect(&on.world.out);
        }
    }

    /// Whether nothing can be done on the cluster any more.
    fn unusable(&self) -> bool {
        let kind = self.result.trouble().map(|(_, trouble)| trouble.kind);
        matches!(kind, Some(Kind::Unreachable | Kind::Unauthorized))
    }

    /// Lets the caller look at the scene of a failure.
    fn show_failure(&self) {
        let failed = self.result.steps.iter().any(|s| s.skipped.is_none() && !s.passed());
        let state = self.session.state().unwrap_or_default();
        if let Some(look) = self.watch.on_failure.filter(|_| failed) {
            look(&state);
        }
    }

    /// Waits before the next try; `false` when the page is to end instead.
    fn pause(&mut self, step: &Step, pause: Duration) -> Result<bool, Failure> {
        let until = Instant::now() + pause;
        let interrupt = self.interrupt(step);
        while Instant::now() < until {
            if let Some(signal) = interrupt.and_then(Interrupt::signal) {
                self.result.interrupted = Some(signal);
                return Ok(false);
            }
            if self.left(step, pause).is_zero() {
                return Ok(false);
            }
            self.session.idle(until, interrupt).map_err(failure)?;
        }
        Ok(true)
    }

    /// Starts a background block and waits until it is ready.
    fn start(&mut self, step: &'a Step, done: &mut StepResult) -> Result<(), Failure> {
        let Some(unit) = step.units.first() else { return Ok(()) };
        let timeout = self.left(step, step.timeout);
        let interrupt = self.interrupt(step);
        let request = Request { text: &unit.text, timeout, streams: step.streams, interrupt };
        let begun = Background::start(step, &mut self.session, &request).map_err(failure)?;
        self.runs.push(unit.id.clone());
        if let Some(signal) = begun.interrupted {
            self.result.interrupted = Some(signal);
        }
        done.units.push(begun.unit);
        self.backgrounds.add(begun.background);
        Ok(())
    }

    /// Why a block that is not teardown is not run any more.
    fn stopped(&self, step: &Step) -> Option<&'static str> {
        let failed = || self.result.steps.iter().any(|s| s.skipped.is_none() && !s.passed());
        match step.role {
            Role::Teardown => self.watch.keep.then_some("--keep"),
            _ if self.result.interrupted.is_some() => Some("interrupted"),
            Role::OnFailure => (!failed()).then_some("nothing failed"),
            _ if self.unusable() => Some("the cluster cannot be used"),
            _ if Instant::now() >= self.deadline => Some("the page's time limit was reached"),
            _ => (self.watch.fail_fast && failed()).then_some("--fail-fast"),
        }
    }

    /// The user's wish to stop, as far as it concerns a block.
    fn interrupt(&self, step: &Step) -> Option<&'a Interrupt> {
        if step.role == Role::Teardown { None } else { self.watch.interrupt }
    }

    /// How much time a block still has, of its own and of the page's.
    fn left(&self, step: &Step, own: Duration) -> Duration {
        let page = self.deadline.saturating_duration_since(Instant::now());
        if step.role > Role::Normal { own } else { own.min(page) }
    }

    /// Runs one unit.
    fn outcome(&mut self, step: &Step, unit: &Unit, left: Duration) -> Result<Outcome, Failure> {
        let timeout = self.left(step, left);
        let interrupt = self.interrupt(step);
        let request = Request { text: &unit.text, timeout, streams: step.streams, interrupt };
        let outcome = self.session.run(&request).map_err(failure)?;
        self.runs.push(unit.id.clone());
        if let End::Interrupted(signal) = outcome.end {
            self.result.interrupted = Some(signal);
        }
        if matches!(outcome.end, End::Interrupted(_) | End::TimedOut) {
            // All that ran below the session was ended with it.
            self.backgrounds.ended_with(&unit.id);
        }
        Ok(outcome)
    }
}
