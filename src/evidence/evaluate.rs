//! What one run says of a claim: its checks, its conditions, and the values it lacks.

use std::collections::BTreeMap;

use super::bundle::{Bundle, Run};
use super::claim::Claim;
use super::expect::{Expect, Met, Name, Scope};
use super::link::{Inputs, run_ref};
use super::now::PlanNow;
use super::reason::Reason;
use super::transcript::CheckLine;
use super::verdict::{CheckOutcome, block_of};

/// One run as it is seen from a claim.
#[derive(Clone)]
pub(super) struct RunView<'a> {
    /// Its bundle.
    pub(super) bundle: &'a Bundle,
    /// The run.
    pub(super) run: &'a Run,
    /// The block that the evidence names; the whole run otherwise.
    pub(super) block: Option<&'a str>,
    /// The bundle's page as it is now.
    pub(super) plan: Option<&'a PlanNow>,
    /// The deciding runs of the other bundles that the claim names.
    pub(super) others: BTreeMap<&'a str, &'a Run>,
    /// All that a claim is judged against.
    pub(super) inputs: Inputs<'a>,
}

/// What a run says.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluation {
    /// Checks that failed and conditions that do not hold.
    pub(super) failures: Vec<Reason>,
    /// Names of values and blocks that the run does not have.
    pub(super) missing: Vec<String>,
}

impl Evaluation {
    /// Whether the claim holds in the run; `None` where it lacks what the claim needs.
    pub(super) fn passed(&self) -> Option<bool> {
        if !self.failures.is_empty() {
            return Some(false);
        }
        self.missing.is_empty().then_some(true)
    }
}

/// Judges one run. A failed check or a broken condition weighs more than a missing value: what
/// is known to be wrong is never shown as pending.
pub(super) fn evaluate(claim: &Claim, view: &RunView) -> Evaluation {
    let mut out = Evaluation::default();
    checks(view, &mut out);
    for (expect, control) in claim.conditions().filter(|(expect, _)| is_ours(expect, claim, view)) {
        match expect.evaluate(view) {
            Met::Holds => {}
            Met::Missing(names) => out.missing.extend(names.iter().map(Name::to_string)),
            Met::Breaks(found) => out.failures.push(Reason::Broken {
                run: run_ref(view.run, &view.bundle.id),
                expect: expect.to_string(),
                found,
                control,
                line: expect.values().iter().find_map(|name| view.line(name)),
            }),
        }
    }
    out.missing.dedup();
    out
}

/// The checks that the evidence names.
fn checks(view: &RunView, out: &mut Evaluation) {
    let verdict = &view.run.verdict;
    if let Some(block) = view.block {
        match verdict.check(block) {
            Some(CheckOutcome::Pass) => {}
            Some(CheckOutcome::Fail | CheckOutcome::Error) => {
                out.failures.push(check_failed(view, block));
            }
            Some(CheckOutcome::Skip) | None => out.missing.push(format!("block {block}")),
        }
        return;
    }
    let mut failed: Vec<&str> = verdict
        .checks
        .iter()
        .filter(|check| matches!(check.outcome, CheckOutcome::Fail | CheckOutcome::Error))
        .map(|check| block_of(&check.id))
        .collect();
    failed.dedup();
    out.failures.extend(failed.into_iter().map(|id| check_failed(view, id)));
    if !verdict.checks.iter().any(|check| check.outcome != CheckOutcome::Skip) {
        out.missing.push("a check that was not skipped".to_owned());
    }
}

/// The reason for a failed check, with its line in result.txt.
fn check_failed(view: &RunView, check: &str) -> Reason {
    let transcript = &view.run.transcript;
    let failed =
        |line: &&CheckLine| block_of(&line.id) == check && line.outcome == CheckOutcome::Fail;
    Reason::CheckFailed {
        run: run_ref(view.run, &view.bundle.id),
        check: check.to_owned(),
        line: transcript.checks.iter().find(failed).map(|line| line.line),
    }
}

/// Whether a condition concerns this bundle: one of its names is found here, or none is found
/// in any bundle that the claim names.
fn is_ours(expect: &Expect, claim: &Claim, view: &RunView) -> bool {
    let names = expect.names();
    let here = |name: &&Name| known(name, &view.bundle.id, view);
    let elsewhere =
        |name: &&Name| claim.bundles().into_iter().any(|bundle| known(name, bundle, view));
    names.iter().any(here) || !names.iter().any(elsewhere)
}

/// Whether a bundle has a value or a block of that name, in a run or on its page.
fn known(name: &Name, bundle: &str, view: &RunView) -> bool {
    if let Some(named) = &name.bundle {
        return named == bundle;
    }
    let path = name.path.as_str();
    let recorded = view.inputs.bundles.get(bundle).is_some_and(|bundle| {
        bundle.value_names().contains(&path) || bundle.block_names().contains(&path)
    });
    let plan = view.inputs.now.plans.get(bundle);
    recorded || plan.is_some_and(|p| p.captures.contains_key(path) || p.block(path).is_some())
}

impl RunView<'_> {
    /// The run in which a name is looked up first, then the others.
    fn runs(&self, name: &Name) -> Vec<&Run> {
        match &name.bundle {
            Some(bundle) if *bundle == self.bundle.id => vec![self.run],
            Some(bundle) => self.others.get(bundle.as_str()).copied().into_iter().collect(),
            None => std::iter::once(self.run).chain(self.others.values().copied()).collect(),
        }
    }

    /// The line of a value in this run's result.txt.
    fn line(&self, name: &Name) -> Option<usize> {
        let own = name.bundle.as_ref().is_none_or(|bundle| *bundle == self.bundle.id);
        own.then(|| self.run.verdict.values.get(&name.path)).flatten()?.line
    }
}

impl Scope for RunView<'_> {
    fn value(&self, name: &Name) -> Option<String> {
        let runs = self.runs(name);
        runs.iter().find_map(|run| run.verdict.values.get(&name.path)).map(|c| c.value.clone())
    }

    fn passed(&self, block: &Name) -> Option<bool> {
        let outcome = self.runs(block).iter().find_map(|run| run.verdict.check(&block.path))?;
        match outcome {
            CheckOutcome::Pass => Some(true),
            CheckOutcome::Fail | CheckOutcome::Error => Some(false),
            CheckOutcome::Skip => None,
        }
    }
}

/// The values printed on the bundle's page, and those of the other bundles' runs.
struct PrintedScope<'a> {
    plan: &'a PlanNow,
    view: &'a RunView<'a>,
}

impl Scope for PrintedScope<'_> {
    fn value(&self, name: &Name) -> Option<String> {
        let own = name.bundle.as_ref().is_none_or(|bundle| *bundle == self.view.bundle.id);
        let printed = self.plan.printed.get(&name.path).filter(|_| own).cloned();
        printed.or_else(|| self.view.value(name))
    }

    fn passed(&self, block: &Name) -> Option<bool> {
        self.view.passed(block)
    }
}

/// The conditions that the output printed on the bundle's page breaks, where the run itself does
/// not: the page was refreshed to other values after the run.
pub(super) fn printed(claim: &Claim, view: &RunView) -> Vec<Reason> {
    let Some(plan) = view.plan else { return Vec::new() };
    let scope = PrintedScope { plan, view };
    let ours = claim.conditions().filter(|(expect, _)| is_ours(expect, claim, view));
    let broken = ours.filter_map(|(expect, _)| {
        let Met::Breaks(found) = expect.evaluate(&scope) else { return None };
        let run_breaks = matches!(expect.evaluate(view), Met::Breaks(_));
        (!run_breaks).then(|| Reason::Printed {
            page: plan.page.clone(),
            expect: expect.to_string(),
            found,
        })
    });
    broken.collect()
}
