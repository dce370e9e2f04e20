//! What the other runs of a bundle say beside the one that decides: earlier passes, repetitions
//! that failed, other environments.

use std::collections::BTreeMap;

use super::bundle::Run;
use super::evaluate::evaluate;
use super::holds::Environment;
use super::link::{Subject, counts, run_ref};
use super::reason::Reason;
use super::state::{EnvironmentRuns, LinkState};
use super::verdict::Inputs;

impl<'a> Subject<'a> {
    /// The pass that the deciding failure overturns.
    pub(super) fn older_pass(&self, run: &'a Run) -> Option<Reason> {
        let same = |other: &&&Run| {
            other.id != run.id && self.group(other) == self.group(run) && self.counts(other)
        };
        let runs: Vec<&Run> = self.bundle.runs.iter().collect();
        let passed = runs
            .iter()
            .filter(same)
            .rfind(|other| evaluate(self.claim, &self.view(other)).passed() == Some(true))?;
        Some(Reason::OlderPass {
            run: run_ref(run, &self.bundle.id),
            passed: passed.verdict.date(),
        })
    }

    /// How many of the runs on the same inputs and in the same environment failed.
    pub(super) fn flaky(&self, run: &'a Run) -> Option<(usize, usize)> {
        let same = |other: &&Run| {
            self.counts(other)
                && self.group(other) == self.group(run)
                && same_inputs(&other.verdict.inputs, &run.verdict.inputs)
        };
        let results: Vec<Option<bool>> = self
            .bundle
            .runs
            .iter()
            .filter(same)
            .map(|other| evaluate(self.claim, &self.view(other)).passed())
            .collect();
        let failed = results.iter().filter(|passed| **passed == Some(false)).count();
        (failed > 0).then_some((failed, results.len()))
    }

    /// Whether a run measured something and counts for the claim.
    fn counts(&self, run: &Run) -> bool {
        counts(self.claim, run)
    }

    /// The environment of a run, reduced to the keys that matter.
    fn group(&self, run: &Run) -> Environment {
        let matters = |key: &str| {
            self.asked.contains_key(key) || self.claim.entry.holds.keys().any(|known| known == key)
        };
        let environment = run.verdict.environment.iter();
        environment.filter(|(key, _)| matters(key)).map(|(k, v)| (k.clone(), v.clone())).collect()
    }

    /// Every environment with its newest run.
    pub(super) fn survey(&self, link: &mut LinkState) {
        let mut groups: BTreeMap<Environment, Vec<&'a Run>> = BTreeMap::new();
        for run in self.bundle.runs.iter().filter(|run| run.verdict.is_finished()) {
            groups.entry(self.group(run)).or_default().push(run);
        }
        for (key, runs) in groups {
            let Some(newest) = runs.last() else { continue };
            let shown = if key.is_empty() { newest.verdict.environment.clone() } else { key };
            let passed = evaluate(self.claim, &self.view(newest)).passed();
            let counts = self.counts(newest);
            link.environments.push(EnvironmentRuns {
                environment: shown,
                counts,
                passed,
                date: newest.verdict.date(),
                run_id: newest.id.clone(),
                runs: runs.len(),
            });
        }
    }
}

/// Whether two runs had the same inputs. Of a page's run these are kit, blocks and captures: its
/// manifest also holds information, such as the commit, that is no input.
fn same_inputs(a: &Inputs, b: &Inputs) -> bool {
    let plan = a.kit == b.kit && a.blocks == b.blocks && a.captures == b.captures;
    plan && (!a.blocks.is_empty() || a.bundle == b.bundle)
}
