//! A page whose session lives on between runs: the authoring loop.

use super::judge::rejudged;
use super::outcome::PageResult;
use super::plan::{Plan, Role, Step};
use super::run::{Watch, failure, run_in, start};
use super::session::Session;
use super::world::World;
use crate::diag::Failure;

/// A session with what ran in it.
pub(crate) struct Live {
    session: Session,
    /// Kept as long as the session: the blocks run in its folder.
    world: World,
    plan: Plan,
    result: PageResult,
}

/// What has to be run again.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    /// The blocks from this one on; none when it is one past the last.
    From(usize),
    /// Everything, in a new session: what the page asks of its world is another.
    Everything,
}

/// What a round came to.
pub(crate) struct Round {
    /// The session, for the next one.
    pub(crate) live: Live,
    /// The first block that was run, by its place in the plan.
    pub(crate) first: usize,
}

/// Runs what changed since the last round and all that comes after it, but for teardown.
///
/// # Errors
/// The world or the session cannot be made or kept.
pub(crate) fn round(
    last: Option<Live>,
    plan: Plan,
    world: &dyn Fn(&Plan) -> Result<World, Failure>,
    watch: &Watch<'_>,
) -> Result<Round, Failure> {
    let change = last.as_ref().map_or(Change::Everything, |last| change(&last.plan, &plan));
    let (session, world, first, before) = match (last, change) {
        (Some(last), Change::From(first)) => {
            let before = before(&plan, first, last.result);
            (last.session, last.world, first, before)
        }
        (last, _) => {
            // The old session ends before the new one begins: ports and files are free again.
            last.map(|last| last.end(watch)).transpose()?;
            let world = world(&plan)?;
            (start(&world)?, world, 0, PageResult::default())
        }
    };
    let steps: Vec<&Step> =
        plan.steps.iter().skip(first).filter(|step| step.role <= Role::Normal).collect();
    let (result, session) = run_in(session, (&plan, &steps), before, watch)?;
    Ok(Round { live: Live { session, world, plan, result }, first })
}

impl Live {
    /// The plan of the last round.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What all blocks came to when they ran last.
    pub(crate) fn result(&self) -> &PageResult {
        &self.result
    }

    /// Runs teardown and ends the session; the command lines of what still lived.
    ///
    /// # Errors
    /// The session cannot be kept.
    pub(crate) fn end(self, watch: &Watch<'_>) -> Result<PageResult, Failure> {
        let Live { session, plan, result, .. } = self;
        let steps: Vec<&Step> =
            plan.steps.iter().filter(|step| step.role == Role::Teardown).collect();
        let (mut result, session) = run_in(session, (&plan, &steps), result, watch)?;
        result.survivors = session.finish().map_err(failure)?.survivors;
        Ok(result)
    }
}

/// What is still true of the blocks before `first`, judged by what the page prints now.
fn before(plan: &Plan, first: usize, mut result: PageResult) -> PageResult {
    let kept: Vec<&str> = plan.steps.iter().take(first).map(|step| step.id.as_str()).collect();
    result.steps.retain(|ran| kept.contains(&ran.id.as_str()));
    result.values.retain(|name, _| kept.contains(&name.split('.').next().unwrap_or_default()));
    result.interrupted = None;
    rejudged(plan, &result)
}

/// The first block that is not what it was.
fn change(old: &Plan, new: &Plan) -> Change {
    let world = |plan: &Plan| {
        let Plan { workdir, kit, uses, env, params, .. } = plan.clone();
        (workdir, kit, uses, env, params)
    };
    if world(old) != world(new) {
        return Change::Everything;
    }
    let same = |(a, b): (&Step, &Step)| is_same(a, b);
    let first = old.steps.iter().zip(&new.steps).take_while(|pair| same(*pair)).count();
    // One that runs already would stand in its own way.
    let again = old.steps.iter().skip(first).any(|step| step.background);
    if again { Change::Everything } else { Change::From(first) }
}

/// Whether a block would do the same again, and its output would be looked at in the same way.
fn is_same(a: &Step, b: &Step) -> bool {
    let options = |step: &Step| {
        let Step { role, timeout, retry, exit, background, streams, .. } = step.clone();
        (role, timeout, retry, exit, background, streams)
    };
    let units = |step: &Step| -> Vec<(String, String, bool)> {
        let unit =
            |unit: &super::plan::Unit| (unit.id.clone(), unit.text.clone(), unit.printed.is_some());
        step.units.iter().map(unit).collect()
    };
    (a.id == b.id && a.skip == b.skip && a.form == b.form)
        && options(a) == options(b)
        && units(a) == units(b)
}
