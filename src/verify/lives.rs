//! Live numbers: figures in the prose that come from a run.

use super::edit::Edit;
use super::outcome::{Measured, PageResult, StepResult, UnitResult};
use super::plan::{Plan, Step};
use crate::book::{LiveNumber, Page};
use crate::diag::Diagnostic;
use crate::evidence::Bundles;
use crate::vary::Kind;

/// A live number that no longer is what was measured.
pub(crate) struct LiveDrift {
    live: LiveNumber,
    measured: String,
    /// Whether it stands on another page's run.
    foreign: bool,
}

impl LiveDrift {
    /// The finding.
    pub(crate) fn finding(&self) -> Diagnostic {
        let name = self.live.name.as_deref().unwrap_or_default();
        let verb = if self.foreign { "was recorded" } else { "was measured" };
        let message =
            format!("the live number {} for {name} {verb} as {}", self.live.value, self.measured);
        Diagnostic::error("VR006", message)
            .at(self.live.value_span)
            .hint("refresh the page with labdoc verify --update")
    }

    /// The edit that refreshes it.
    pub(crate) fn edit(&self) -> Edit {
        Edit { range: self.live.value_span.range(), text: self.measured.clone() }
    }
}

/// The live numbers of a page that a block's values contradict. A value that may vary in the
/// output may vary in the prose.
pub(crate) fn stale_lives(
    plan: &Plan,
    page: &Page,
    result: &PageResult,
    ran: &StepResult,
) -> Vec<LiveDrift> {
    let Some(step) = plan.steps.iter().find(|step| step.id == ran.id) else { return Vec::new() };
    let drifted = |live: &LiveNumber| {
        let name = live.name.as_deref()?;
        let measured = result.values.get(name)?;
        let unit = ran.units.iter().find(|unit| unit.id == measured.unit)?;
        if may_vary(step, unit, measured, (live, result)) {
            return None;
        }
        // A name that the page knows by another one is written as the page has it.
        let class = class_of(step, unit, measured).filter(|(_, kind)| *kind == Kind::Name);
        let known = class.and_then(|(class, _)| result.names.printed(&class, &measured.value));
        let value = known.unwrap_or(&measured.value).to_owned();
        (live.value != value).then(|| LiveDrift {
            live: live.clone(),
            measured: value,
            foreign: false,
        })
    };
    page.lives.iter().filter_map(drifted).collect()
}

/// Whether a printed number differs from the measured one in what may vary.
fn may_vary(
    step: &Step,
    unit: &UnitResult,
    measured: &Measured,
    (live, result): (&LiveNumber, &PageResult),
) -> bool {
    match class_of(step, unit, measured) {
        Some((class, Kind::Quantity)) => {
            let bound = step.classes.within().bound(&class);
            bound.is_none_or(|bound| bound.admits(&live.value, &measured.value))
        }
        Some((class, Kind::Name)) => {
            result.names.printed(&class, &measured.value) == Some(&live.value)
        }
        None => false,
    }
}

/// The class of the place in the output where a value stands.
pub(super) fn class_of(
    step: &Step,
    unit: &UnitResult,
    measured: &Measured,
) -> Option<(String, Kind)> {
    let line = unit.output.lines().nth(measured.line).unwrap_or("");
    let found = step.classes.find(line).into_iter();
    let mut of_value = found.filter(|found| line[found.range.clone()] == measured.value);
    of_value.next().map(|found| {
        let class = step.classes.class(found.class);
        (class.name.clone(), class.kind)
    })
}

/// The live numbers of a page that come from another page's run, `T1#flip.lost`, and are not what
/// its newest run measured.
pub(crate) fn recorded_lives(page: &Page, bundles: &Bundles) -> Vec<LiveDrift> {
    let drifted = |live: &LiveNumber| {
        let (bundle, name) = live.name.as_deref()?.split_once('#')?;
        let bundle = bundles.get(bundle).filter(|bundle| !bundle.is_invalid())?;
        let run = bundle.newest_in(&page.front.environment)?;
        let value = &run.verdict.values.get(name)?.value;
        // As `check` compares them: commas between digits do not count.
        let is_same = live.value.replace(',', "") == value.replace(',', "");
        let drift = LiveDrift { live: live.clone(), measured: value.clone(), foreign: true };
        (!is_same).then_some(drift)
    };
    page.lives.iter().filter_map(drifted).collect()
}
