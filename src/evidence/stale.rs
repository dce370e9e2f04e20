//! Why a run that passed no longer speaks for the documents: every reason names what changed.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::claim::Claim;
use super::evaluate::RunView;
use super::holds::{Environment, matches_version, mismatches};
use super::link::Inputs;
use super::now::{Now, PlanNow};
use super::reason::{EnvironmentChange, Reason, StepChange};
use super::records::Source;
use super::state::{LinkState, Word};
use super::verdict::Digests;

/// After how many days a source must be read again.
const SOURCE_DAYS: i64 = 365;

/// All reasons for which the run of `view` no longer speaks for the claim.
pub(super) fn reasons(
    claim: &Claim,
    view: &RunView,
    asked: &Environment,
    now: &Now,
) -> Vec<Reason> {
    let run = view.run;
    let mut out = Vec::new();
    let recorded = run.verdict.inputs.claims.get(&claim.id);
    if recorded.is_some_and(|digest| *digest != claim.digest) {
        out.push(Reason::ClaimText(run.verdict.date()));
    }
    let files = kit_changes(view, now);
    out.extend((!files.is_empty()).then_some(Reason::Kit(files)));
    if !run.edited_inputs.is_empty() {
        let files = run.edited_inputs.clone();
        out.push(Reason::Inputs { bundle: view.bundle.id.clone(), files });
    }
    out.extend(step_changes(claim, view));
    out.extend(environment_changes(&run.verdict.environment, asked));
    out.extend(age(claim, run.verdict.date(), now.as_of));
    out
}

/// The kit files that are no longer what the run could see. Of a page's run files that were
/// added to the part it sees count too: a later run would see them.
fn kit_changes(view: &RunView, now: &Now) -> Vec<String> {
    let seen = &view.run.verdict.inputs.kit;
    match view.plan {
        Some(plan) => {
            let mut out = changed_files(seen, &plan.kit_files);
            let added = plan.kit_files.keys().filter(|path| !seen.contains_key(*path));
            out.extend(added.map(|path| format!("{path} (new)")));
            out
        }
        None => {
            let kit = view.run.manifest.kit.as_ref().and_then(|kit| now.kits.get(&kit.name));
            changed_files(seen, kit.unwrap_or(&BTreeMap::new()))
        }
    }
}

/// The files of `seen` that differ in `present` or are gone.
fn changed_files(seen: &Digests, present: &Digests) -> Vec<String> {
    let change = |(path, digest): (&String, &String)| match present.get(path) {
        Some(found) if found == digest => None,
        Some(_) => Some(path.clone()),
        None => Some(format!("{path} (gone)")),
    };
    seen.iter().filter_map(change).collect()
}

/// The blocks and captures of the page that are no longer what was run. Of evidence that names a
/// block, those up to it count: a block works on what the ones before it left behind, and the
/// ones after it cannot matter.
fn step_changes(claim: &Claim, view: &RunView) -> Option<Reason> {
    if view.run.manifest.is_foreign() {
        return None;
    }
    let Some(plan) = view.plan else {
        let page = view.run.manifest.page.clone().unwrap_or_default();
        let what = "the link to this bundle".to_owned();
        let changes = vec![StepChange { what, how: "is gone", place: None }];
        return Some(Reason::Steps { page, changes });
    };
    let mut changes = block_changes(claim, view, plan);
    changes.extend(capture_changes(claim, view, plan));
    (!changes.is_empty()).then(|| Reason::Steps { page: plan.page.clone(), changes })
}

/// Changed, gone and added blocks among those that matter.
fn block_changes(claim: &Claim, view: &RunView, plan: &PlanNow) -> Vec<StepChange> {
    let named = view.block.map(|block| {
        let mut named: Vec<&str> = claim.names().into_iter().map(|name| name.block()).collect();
        named.push(block);
        named
    });
    let then: Vec<&str> = view.run.manifest.blocks.iter().map(|block| block.id.as_str()).collect();
    let today: Vec<&str> = plan.blocks.iter().map(|block| block.id.as_str()).collect();
    let then = up_to(&then, named.as_deref());
    let today = up_to(&today, named.as_deref());
    let mut out = Vec::new();
    for id in then {
        let recorded = view.run.verdict.inputs.blocks.get(*id);
        match plan.block(id) {
            Some(block) if recorded == Some(&block.digest) => {}
            Some(block) => out.push(block_change(id, "changed", block.place)),
            None => out.push(block_change(id, "is gone", None)),
        }
    }
    for id in today.iter().filter(|id| view.run.manifest.block(id).is_none()) {
        let place = plan.block(id).and_then(|block| block.place);
        out.push(block_change(id, "was added", place));
    }
    if out.is_empty() && then != today {
        let what = "the order of the blocks".to_owned();
        out.push(StepChange { what, how: "changed", place: None });
    }
    out
}

/// The ids up to the last one that is named; all of them where none is.
fn up_to<'a, 'b>(ids: &'b [&'a str], named: Option<&[&str]>) -> &'b [&'a str] {
    let last = named.and_then(|named| ids.iter().rposition(|id| named.contains(id)));
    last.map_or(ids, |last| &ids[..=last])
}

/// A change of a block.
fn block_change(
    id: &str,
    how: &'static str,
    place: Option<(usize, crate::source::Span)>,
) -> StepChange {
    StepChange { what: format!("block `{id}`"), how, place }
}

/// Changed captures among those that the claim names.
fn capture_changes(claim: &Claim, view: &RunView, plan: &PlanNow) -> Vec<StepChange> {
    let recorded = &view.run.verdict.inputs.captures;
    let mut out: Vec<StepChange> = Vec::new();
    for name in claim.names() {
        let ours = name.bundle.as_ref().is_none_or(|bundle| *bundle == view.bundle.id);
        let Some(digest) = recorded.get(&name.path).filter(|_| ours) else { continue };
        let how = match plan.captures.get(&name.path) {
            Some(present) if present == digest => continue,
            Some(_) => "changed",
            None => "is gone",
        };
        let place = plan.block(name.block()).and_then(|block| block.place);
        let change = StepChange { what: format!("capture `{}`", name.path), how, place };
        if !out.contains(&change) {
            out.push(change);
        }
    }
    out
}

/// The keys in which the page asks for another environment.
fn environment_changes(run: &Environment, asked: &Environment) -> Option<Reason> {
    let changes: Vec<EnvironmentChange> = mismatches(run, asked)
        .into_iter()
        .map(|(key, page, run)| EnvironmentChange {
            key: key.to_owned(),
            page: page.to_owned(),
            run: run.map(str::to_owned),
        })
        .collect();
    (!changes.is_empty()).then_some(Reason::Environment(changes))
}

/// Whether the run is older than the claim allows.
fn age(claim: &Claim, date: Date, as_of: Option<Date>) -> Option<Reason> {
    let (limit, as_of) = (claim.entry.expires_after?, as_of?);
    (days_between(date, as_of) > limit).then_some(Reason::Age { date, limit, as_of })
}

/// The days from one date to another.
fn days_between(from: Date, to: Date) -> i64 {
    from.until(to).map_or(0, |span| i64::from(span.get_days()))
}

/// The state of a link to a source: absent, read too long ago or for another version, or sourced.
pub(super) fn source(claim: &Claim, id: &str, inputs: &Inputs, link: &mut LinkState) {
    link.word = Word::Sourced;
    let Some(source) = inputs.records.sources.get(id) else {
        let text = format!("source {id} is not in evidence/sources.yaml");
        link.set(Word::Absent, Reason::Absent(text));
        return;
    };
    let text = too_old(claim, (id, source), inputs)
        .or_else(|| other_version(claim, (id, source), inputs))
        .or_else(|| inputs.records.ledger.moved_source(id, source));
    if let Some(text) = text {
        link.set(Word::Stale, Reason::Source(text));
    }
}

/// A source that was read longer ago than the claim or the book allows.
fn too_old(claim: &Claim, of: (&str, &Source), inputs: &Inputs) -> Option<String> {
    let (id, source) = of;
    let day: Date = source.accessed.as_ref()?.parse().ok()?;
    let as_of = inputs.now.as_of?;
    let limit = claim.entry.expires_after.or(inputs.now.source_days).unwrap_or(SOURCE_DAYS);
    (days_between(day, as_of) > limit)
        .then(|| format!("source {id} was read on {day}, as of {as_of}"))
}

/// A source that speaks of another version than the page. Only a page about one product says
/// which version a source has to speak of.
fn other_version(claim: &Claim, of: (&str, &Source), inputs: &Inputs) -> Option<String> {
    let (id, source) = of;
    let version = source.product_version.as_ref()?;
    let environment = inputs.now.environments.get(&claim.path).filter(|e| e.len() == 1)?;
    let asked = environment.values().next()?;
    if matches_version(version, asked) || matches_version(asked, version) {
        return None;
    }
    let day = source.accessed.as_deref().unwrap_or("an unknown day");
    Some(format!("source {id} was read on {day} for version {version}, document is for {asked}"))
}
