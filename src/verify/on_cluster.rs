//! What a page on a cluster adds to running and judging its blocks.

use super::guard::Scene;
use super::outcome::{PageResult, Problem, UnitResult};
use super::parts::{Look, look};
use super::plan::{Step, Unit};
use super::world::World;
use crate::diag::Failure;

/// A page's cluster and where it runs.
#[derive(Clone, Copy)]
pub(crate) struct OnCluster<'a> {
    /// The cluster, guarded.
    pub(crate) scene: &'a Scene<'a>,
    /// The page's world.
    pub(crate) world: &'a World,
}

/// Looks at the live objects of an assertion once.
pub(super) fn assert(
    step: &Step,
    on: Option<OnCluster<'_>>,
    result: &mut PageResult,
) -> Option<UnitResult> {
    let (unit, OnCluster { scene, world }) = (step.units.first()?, on?);
    let Look { output, lacks, trouble } = look(&step.parts, &scene.kubectl());
    let output = world.redactor.redact(output, &mut result.masked);
    let mut problems: Vec<Problem> = trouble.map(Problem::Cluster).into_iter().collect();
    if problems.is_empty() && !lacks.is_empty() {
        problems.push(Problem::Lacks(lacks));
    }
    let exit = Some(i32::from(!problems.is_empty()));
    Some(UnitResult { exit, output, problems, ..UnitResult::empty(&unit.id) })
}

/// The result of a unit that must not run on the page's cluster.
pub(super) fn refused(unit: &Unit) -> Option<UnitResult> {
    let why = Scene::refuses(&unit.text)?;
    Some(UnitResult { problems: vec![Problem::Guard(why)], ..UnitResult::empty(&unit.id) })
}

/// Looks at what a unit did to the way to the cluster and, where it failed, whether the cluster
/// is why. `state` is what the shell looks like after it.
pub(super) fn check(
    scene: &Scene<'_>,
    (step, unit): (&Step, &Unit),
    state: &[u8],
    judged: &mut UnitResult,
) -> Result<(), Failure> {
    if let Some(why) = scene.tampered(keeps_kubeconfig(scene, state))? {
        // What else it came to is a consequence.
        judged.problems = vec![Problem::Guard(why)];
        return Ok(());
    }
    let is_told =
        |p: &Problem| matches!(p, Problem::Drift | Problem::Exit { .. } | Problem::TimedOut(_));
    if !judged.problems.iter().any(is_told) {
        return Ok(());
    }
    let printed = unit.printed.as_ref().map_or("", |printed| printed.text.as_str());
    let said = [judged.output.as_str(), judged.stderr.as_deref().unwrap_or("")].concat();
    let expected_to_fail = step.exit != Some(0) && judged.problems == [Problem::Drift];
    if let Some(trouble) = scene.trouble(&said, printed).filter(|_| !expected_to_fail) {
        judged.problems = vec![Problem::Cluster(trouble)];
    }
    Ok(())
}

/// The command that gives a shell the page's kubeconfig back.
pub(super) fn restore(scene: &Scene<'_>) -> String {
    let path = scene.config().to_string_lossy().replace('\'', r"'\''");
    format!("export KUBECONFIG='{path}'\n")
}

/// Whether the shell still exports the pinned kubeconfig. Before the first block has finished
/// there is no state, and nothing was changed.
fn keeps_kubeconfig(scene: &Scene<'_>, state: &[u8]) -> bool {
    let state = String::from_utf8_lossy(state);
    let value = format!(" KUBECONFIG=\"{}\"", scene.config().display());
    let is_it = |line: &str| {
        let Some(flags) = line.strip_prefix("declare -").and_then(|l| l.strip_suffix(&*value))
        else {
            return false;
        };
        flags.contains('x')
    };
    state.is_empty() || state.lines().any(is_it)
}
