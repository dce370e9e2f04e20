//! One claim against one piece of evidence: the states of the table in the design, first match
//! wins.

use std::collections::BTreeMap;

use super::bundle::{Bundle, Bundles, Run};
use super::claim::Claim;
use super::evaluate::{RunView, evaluate, printed};
use super::holds::{Environment, matches_environment, mismatches};
use super::now::Now;
use super::reason::{Reason, RunRef};
use super::records::{Records, Role};
use super::reference::EvidenceRef;
use super::stale;
use super::state::{DecidingRun, LinkState, Unfinished, Word};
use super::verdict::Captured;

/// Everything that a claim is judged against.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    /// The recorded runs.
    pub(super) bundles: &'a Bundles,
    /// What others measured and published.
    pub(super) records: &'a Records,
    /// The documents as they are now.
    pub(super) now: &'a Now,
}

/// The state of a link to a bundle, a report or a source.
pub(super) fn judge_reference(
    claim: &Claim,
    reference: &EvidenceRef,
    inputs: &Inputs,
) -> LinkState {
    let mut link = LinkState::new(reference.clone());
    match reference {
        EvidenceRef::Bundle { id, block } => match inputs.bundles.get(id) {
            None => {
                link.set(Word::Absent, Reason::Absent(format!("evidence/{id}/ does not exist")))
            }
            Some(bundle) => {
                let subject = Subject::new(claim, bundle, block.as_deref(), inputs);
                subject.judge(&mut link);
            }
        },
        EvidenceRef::Report(id) => report(id, inputs.records, &mut link),
        EvidenceRef::Source(id) => stale::source(claim, id, inputs, &mut link),
        // Premises are judged by the caller, which knows the other claims.
        EvidenceRef::Claim(_) => {}
    }
    link
}

/// A report stands when it is there and is what is stated.
fn report(id: &str, records: &Records, link: &mut LinkState) {
    link.word = Word::Reported;
    match records.reports.get(id) {
        None => {
            let text = format!("report {id} is not in evidence/reports.yaml");
            link.set(Word::Absent, Reason::Absent(text));
        }
        Some(report) => {
            link.decides = report.role == Role::Decides;
            if !report.intact {
                let text = format!("the file of report {id} is not the one that is stated");
                link.set(Word::Absent, Reason::Absent(text));
            }
        }
    }
}

/// A claim and a bundle that exists.
pub(super) struct Subject<'a> {
    pub(super) claim: &'a Claim,
    pub(super) bundle: &'a Bundle,
    block: Option<&'a str>,
    inputs: &'a Inputs<'a>,
    pub(super) asked: Environment,
}

impl<'a> Subject<'a> {
    /// Resolves the environment in which the claim is judged.
    fn new(
        claim: &'a Claim,
        bundle: &'a Bundle,
        block: Option<&'a str>,
        inputs: &'a Inputs<'a>,
    ) -> Subject<'a> {
        let asked = inputs.now.environment(&claim.path, &bundle.id);
        Subject { claim, bundle, block, inputs, asked }
    }

    /// The table, row by row.
    fn judge(&self, link: &mut LinkState) {
        if self.bundle.is_invalid() {
            link.word = Word::Invalid;
            let faults = self.bundle.faults.iter();
            link.reasons
                .extend(faults.map(|fault| Reason::Invalid(fault.code, fault.message.clone())));
            return;
        }
        self.survey(link);
        let Some(run) = deciding_run(self.claim, self.bundle, &self.asked) else {
            self.pending(link);
            return;
        };
        link.run = Some(self.describe(run));
        link.unfinished = self.unfinished(run);
        let result = evaluate(self.claim, &self.view(run));
        let broken = result.failures.into_iter().chain(self.printed(run));
        link.reasons.extend(broken);
        let stale = stale::reasons(self.claim, &self.view(run), &self.asked, self.inputs.now);
        if !link.reasons.is_empty() {
            link.word = Word::Failed;
            link.reasons.extend(self.older_pass(run));
            link.reasons.extend(stale);
        } else if !result.missing.is_empty() {
            let names = result.missing;
            link.set(Word::Pending, Reason::NoValue { bundle: self.bundle.id.clone(), names });
        } else {
            link.flaky = self.flaky(run);
            link.word = if stale.is_empty() { Word::Verified } else { Word::Stale };
            link.reasons = stale;
        }
    }

    /// A run as it is seen from the claim.
    pub(super) fn view(&self, run: &'a Run) -> RunView<'a> {
        let plan = self.inputs.now.plans.get(&self.bundle.id);
        RunView {
            bundle: self.bundle,
            run,
            block: self.block,
            plan,
            others: other_runs(self.claim, self.bundle, self.inputs),
            inputs: *self.inputs,
        }
    }

    /// Row 3: why there is no run that decides.
    fn pending(&self, link: &mut LinkState) {
        let id = &self.bundle.id;
        let finished = self.bundle.runs.iter().any(|run| run.verdict.is_finished());
        let reason = match self.bundle.runs.last() {
            None => Reason::NoRun(format!("{id} has no recorded run")),
            Some(_) if finished => Reason::NoRun(format!(
                "no finished run of {id} is in the environment for which it is claimed ({})",
                self.claim.entry.holds
            )),
            Some(run) => Reason::NotFinished {
                bundle: id.clone(),
                started: run.verdict.date().to_string(),
                why: run.verdict.reason.clone(),
            },
        };
        link.set(Word::Pending, reason);
    }

    /// The printed output of the bundle's page, where it breaks a condition.
    fn printed(&self, run: &'a Run) -> Vec<Reason> {
        printed(self.claim, &self.view(run))
    }

    /// A newer attempt that broke off is no measurement, but it is said.
    fn unfinished(&self, run: &Run) -> Option<Unfinished> {
        let last = self.bundle.runs.last().filter(|last| !last.verdict.is_finished())?;
        (last.verdict.finished() >= run.verdict.finished()).then(|| Unfinished {
            date: last.verdict.date(),
            run_id: last.id.clone(),
            why: last.verdict.reason.clone(),
        })
    }

    /// What a page shows of the deciding run.
    fn describe(&self, run: &Run) -> DecidingRun {
        let wanted = self.claim.names();
        let lives = &self.claim.lives;
        let named = |name: &String| {
            wanted.iter().any(|wanted| wanted.path == *name)
                || lives.iter().any(|live| live.rsplit('#').next() == Some(name))
        };
        let values: BTreeMap<String, Captured> = run
            .verdict
            .values
            .iter()
            .filter(|(name, _)| named(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let owned = |(key, asked, have): (&str, &str, Option<&str>)| {
            (key.to_owned(), asked.to_owned(), have.map(str::to_owned))
        };
        let asked = mismatches(&run.verdict.environment, &run.manifest.environment);
        DecidingRun {
            run: run_ref(run, &self.bundle.id),
            page: run.manifest.page.clone(),
            environment: run.verdict.environment.clone(),
            values,
            not_as_asked: asked.into_iter().map(owned).collect(),
        }
    }
}

/// Whether a run is finished and in an environment for which the claim is made.
pub(super) fn counts(claim: &Claim, run: &Run) -> bool {
    run.verdict.is_finished() && claim.entry.holds.counts(&run.verdict.environment)
}

/// The run that decides: the newest finished one that counts and is in the page's environment;
/// if none is, the newest that counts.
pub(super) fn deciding_run<'a>(
    claim: &Claim,
    bundle: &'a Bundle,
    asked: &Environment,
) -> Option<&'a Run> {
    let mut counting = bundle.runs.iter().filter(|run| counts(claim, run));
    let newest = counting.clone().next_back();
    counting.rfind(|run| matches_environment(&run.verdict.environment, asked)).or(newest)
}

/// The deciding runs of the other bundles that the claim names, for conditions over several.
fn other_runs<'a>(
    claim: &'a Claim,
    bundle: &Bundle,
    inputs: &Inputs<'a>,
) -> BTreeMap<&'a str, &'a Run> {
    let mut ids = claim.bundles();
    ids.extend(claim.names().into_iter().filter_map(|name| name.bundle.as_deref()));
    let mut out = BTreeMap::new();
    for id in ids.into_iter().filter(|id| *id != bundle.id) {
        let other = inputs.bundles.get(id).filter(|other| !other.is_invalid());
        let asked = inputs.now.environment(&claim.path, id);
        if let Some(run) = other.and_then(|other| deciding_run(claim, other, &asked)) {
            out.insert(id, run);
        }
    }
    out
}

/// A run as a sentence names it.
pub(super) fn run_ref(run: &Run, bundle: &str) -> RunRef {
    RunRef {
        bundle: bundle.to_owned(),
        id: run.id.clone(),
        folder: run.folder.clone(),
        date: run.verdict.date(),
    }
}
