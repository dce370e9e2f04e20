//! A page as an experiment: run it with something changed, and ask its claims whether they hold.
//! What `mutate` and `bisect` have in common.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::assess::{claim_digests, claims};
use super::find_root;
use crate::book::{Book, LoadOptions, Page, Workdir, load};
use crate::check;
use crate::cli::{Common, Console};
use crate::diag::{Failure, Severity};
use crate::disk;
use crate::evidence::{Bundles, Claim, Environment, EvidenceRef, Met, Name, Scope, load_bundles};
use crate::kit::{KitFile, visible};
use crate::proc::Interrupt;
use crate::source::Sources;
use crate::verify::outcome::{PageResult, Problem, StepResult};
use crate::verify::plan::{Plan, Role, Selection, plan};
use crate::verify::record::{self, Ran, Started};
use crate::verify::run::{Watch, run};
use crate::verify::world::{World, load_kit};

/// A book that is experimented with.
pub(super) struct Lab {
    /// Its folder.
    pub(super) root: PathBuf,
    /// The texts.
    pub(super) sources: Sources,
    /// The pages.
    pub(super) book: Book,
    /// Its claims.
    pub(super) claims: Vec<Claim>,
    /// The recorded runs.
    pub(super) bundles: Bundles,
}

impl Lab {
    /// Reads a book. What is wrong with it is shown, and is a failure: nothing can be learned
    /// from a page that cannot be run.
    ///
    /// # Errors
    /// There is no book, it cannot be read, or a page cannot be run.
    pub(super) fn load(common: &Common, console: &Console) -> Result<Lab, Failure> {
        let root = find_root(common)?;
        let mut sources = Sources::default();
        let read = load(&root, &mut sources, LoadOptions { drafts: true })?;
        let (book, mut found) = (read.value, read.diagnostics);
        let pages: Vec<usize> = (0..book.pages.len()).collect();
        found.extend(check::runnable(&root, &book, &pages, &sources)?);
        found.retain(|finding| finding.severity == Severity::Error);
        if !found.is_empty() {
            console.findings(&found, &sources);
            return Err(Failure::new("the pages cannot be run as they are")
                .hint("see to the errors above first"));
        }
        let claims = claims(&root, &book, &sources)?;
        let bundles = load_bundles(&root)?;
        Ok(Lab { root, sources, book, claims, bundles })
    }

    /// The page whose runs are the bundle's.
    pub(super) fn page_of(&self, bundle: &str) -> Option<&Page> {
        self.book.pages.iter().find(|page| bundle_of(page) == Some(bundle))
    }

    /// The experiment that a page is.
    ///
    /// # Errors
    /// It was never recorded, or it needs a cluster.
    pub(super) fn experiment<'a>(&'a self, page: &'a Page) -> Result<Experiment<'a>, Failure> {
        let plan = plan(page, &self.book.config, &self.sources, &Selection::default());
        let bundle = bundle_of(page).ok_or_else(|| {
            Failure::new(format!("{} was never recorded, so no claim rests on it", page.path))
                .hint(format!("labdoc verify --record {}", page.path))
        })?;
        if plan.needs_cluster() {
            let message = format!("{} needs a cluster", page.path);
            return Err(Failure::new(message)
                .hint("only pages that need none can be run with something changed"));
        }
        Ok(Experiment { lab: self, page, bundle, plan })
    }
}

impl<'a> Experiment<'a> {
    /// The same experiment with only those blocks that some claims rest on, and setup and
    /// teardown; whole where a claim rests on the whole run.
    pub(super) fn narrowed(self, claims: &[&Claim]) -> Experiment<'a> {
        let whole = |claim: &&Claim| {
            claim.entry.evidence.iter().any(|placed| match &placed.value {
                EvidenceRef::Bundle { id, block } => id == self.bundle && block.is_none(),
                _ => false,
            })
        };
        if claims.iter().any(whole) {
            return self;
        }
        let blocks = claims.iter().flat_map(|claim| self.blocks(claim));
        let only = blocks.map(str::to_owned).collect();
        let selection = Selection { only, ..Selection::default() };
        let plan = plan(self.page, &self.lab.book.config, &self.lab.sources, &selection);
        Experiment { plan, ..self }
    }
}

/// The bundle of a page.
fn bundle_of(page: &Page) -> Option<&str> {
    page.front.verify.as_ref().and_then(|verify| verify.bundle.as_deref())
}

/// One page and its plan.
pub(super) struct Experiment<'a> {
    pub(super) lab: &'a Lab,
    pub(super) page: &'a Page,
    pub(super) bundle: &'a str,
    pub(super) plan: Plan,
}

/// What is different in one run of an experiment.
#[derive(Default)]
pub(super) struct Twist<'a> {
    /// Another text of a kit file: its path in the kit, and the text.
    pub(super) kit: Option<(&'a str, &'a str)>,
    /// Another text of a unit: its id, and the text.
    pub(super) unit: Option<(&'a str, &'a str)>,
    /// Variables of the environment.
    pub(super) env: Vec<(String, String)>,
    /// Whether outputs are compared with what is printed.
    pub(super) compare: bool,
}

/// Who looks after a run.
#[derive(Clone, Copy)]
pub(super) struct Care<'a> {
    /// What stops it.
    pub(super) stop: &'a Interrupt,
    /// Called with its private folder and the process below which it lives.
    pub(super) started: &'a dyn Fn(&Path, u32),
}

/// A run of an experiment.
pub(super) struct Run {
    /// What was run.
    pub(super) plan: Plan,
    /// Where.
    pub(super) world: World,
    /// What it came to.
    pub(super) result: PageResult,
}

impl<'a> Experiment<'a> {
    /// Runs the page with something different. Temporary files of its blocks lie in the run's
    /// own folder, so that what they fill up is seen and goes with it.
    ///
    /// # Errors
    /// The run cannot be set up or kept.
    pub(super) fn run(&self, twist: &Twist<'_>, care: Care<'_>) -> Result<Run, Failure> {
        let mut plan = self.plan.clone();
        for unit in plan.steps.iter_mut().flat_map(|step| &mut step.units) {
            if let Some((_, text)) = twist.unit.filter(|(id, _)| *id == unit.id) {
                unit.text = text.to_owned();
            }
            if !twist.compare {
                unit.printed = None;
            }
        }
        let mut world = World::make(&self.lab.root, &plan)?;
        if let Some((path, text)) = twist.kit {
            disk::replace(&world.cwd.join(path), text.as_bytes())?;
        }
        let temporary = world.folder().join("tmp");
        disk::create_folder(&temporary)?;
        world.env.insert("TMPDIR".into(), temporary.into());
        let set = twist.env.iter().map(|(k, v)| (OsString::from(k), OsString::from(v)));
        world.env.extend(set);
        let started = |keeper: u32| (care.started)(world.folder(), keeper);
        let watch = Watch {
            interrupt: Some(care.stop),
            started: Some(&started),
            progress: &|_| {},
            fail_fast: false,
            keep: false,
            scene: None,
            on_failure: None,
        };
        let result = run(&plan, &world, &watch)?;
        Ok(Run { plan, world, result })
    }

    /// The kit files that a run sees; none where the blocks run elsewhere.
    ///
    /// # Errors
    /// The kit cannot be read.
    pub(super) fn kit_files(&self) -> Result<Vec<KitFile>, Failure> {
        if self.plan.workdir != Workdir::Kit {
            return Ok(Vec::new());
        }
        let kit = load_kit(&self.lab.root, &self.plan)?;
        Ok(visible(&kit, &self.plan.uses)?.into_iter().cloned().collect())
    }

    /// Records a run, whatever it came to: `T1/20261129T101500Z-7f3a2c`.
    ///
    /// # Errors
    /// The kit changed meanwhile, or the run cannot be written.
    pub(super) fn record(&self, run: &Run, started: Started) -> Result<String, Failure> {
        let Lab { root, book, sources, .. } = self.lab;
        let claims = claim_digests(root, book, sources, self.bundle)?;
        let (page, plan, world, result) = (self.page, &run.plan, &run.world, &run.result);
        let ran = Ran { book, page, plan, world, result, claims, started };
        let made = record::record(root, self.bundle, &ran)?;
        match made.changed.first() {
            None => Ok(made.run),
            Some(path) => {
                Err(Failure::new(format!("{path} of the kit changed while the run was going on"))
                    .hint("this is no measurement; run it again"))
            }
        }
    }

    /// What a run measured of one key of the environment.
    pub(super) fn measured(&self, result: &PageResult, key: &str) -> Option<String> {
        let name = self.page.front.verify.as_ref()?.measure.get(key)?;
        result.values.get(name).map(|measured| measured.value.clone())
    }

    /// The claims that rest on the page's runs and state a condition or none, in page order.
    pub(super) fn claims(&self) -> Vec<&'a Claim> {
        let lab: &'a Lab = self.lab;
        lab.claims.iter().filter(|claim| claim.bundles().contains(&self.bundle)).collect()
    }

    /// The blocks that a claim rests on: those that its evidence or a condition names.
    pub(super) fn blocks<'c>(&self, claim: &'c Claim) -> BTreeSet<&'c str> {
        let mut out: BTreeSet<&str> = claim.names().into_iter().map(Name::block).collect();
        out.extend(claim.entry.evidence.iter().filter_map(|placed| match &placed.value {
            EvidenceRef::Bundle { id, block } if id == self.bundle => block.as_deref(),
            _ => None,
        }));
        out
    }

    /// Why a claim does not hold in a run; nothing where it does. A claim without a condition
    /// cannot say that it does not.
    pub(super) fn doubts(&self, claim: &Claim, result: &PageResult) -> Vec<String> {
        if claim.entry.expect.is_empty() {
            return Vec::new();
        }
        let mut out = Vec::new();
        for placed in &claim.entry.evidence {
            let EvidenceRef::Bundle { id, block } = &placed.value else { continue };
            if id != self.bundle {
                continue;
            }
            let bad = result
                .steps
                .iter()
                .filter(|step| block.as_ref().is_none_or(|block| *block == step.id) && !fine(step));
            out.extend(bad.map(|step| format!("block `{}` did not pass", step.id)));
        }
        let scope = Measured { result, experiment: self, claim };
        for (condition, _) in claim.conditions() {
            match condition.evaluate(&scope) {
                Met::Holds => {}
                Met::Breaks(found) => out.push(found),
                Met::Missing(names) => {
                    out.extend(names.iter().map(|name| format!("{name} was not measured")));
                }
            }
        }
        out
    }

    /// The first block that no claim of `claims` rests on and that could not do its work.
    pub(super) fn broken_setup<'r>(
        &self,
        claims: &[&Claim],
        run: &'r Run,
    ) -> Option<&'r StepResult> {
        let proof: BTreeSet<&str> = claims.iter().flat_map(|claim| self.blocks(claim)).collect();
        let only_drift = |step: &StepResult| {
            step.units.iter().flat_map(|unit| &unit.problems).all(|p| *p == Problem::Drift)
        };
        let role = |id: &str| run.plan.steps.iter().find(|step| step.id == id).map(|s| s.role);
        run.result.steps.iter().find(|step| {
            !proof.contains(step.id.as_str())
                && matches!(role(&step.id), Some(Role::Setup | Role::Normal))
                && step.skipped.is_none()
                && !only_drift(step)
        })
    }
}

/// Whether a block passed, or was not meant to run.
fn fine(step: &StepResult) -> bool {
    step.skipped.is_some() || step.passed()
}

/// The values of a run, and those of other bundles as they were recorded.
struct Measured<'a> {
    result: &'a PageResult,
    experiment: &'a Experiment<'a>,
    claim: &'a Claim,
}

impl Measured<'_> {
    /// The newest recorded runs of the other bundles that a name may mean.
    fn others<'s>(&'s self, name: &'s Name) -> impl Iterator<Item = &'s crate::evidence::Run> {
        let named = name.bundle.as_deref();
        let bundles = self.claim.bundles().into_iter().chain(named);
        bundles
            .filter(move |id| *id != self.experiment.bundle && named.is_none_or(|n| n == *id))
            .filter_map(|id| self.experiment.lab.bundles.get(id)?.newest_in(&Environment::new()))
    }

    /// Whether a name may mean this page.
    fn is_ours(&self, name: &Name) -> bool {
        name.bundle.as_deref().is_none_or(|bundle| bundle == self.experiment.bundle)
    }
}

impl Scope for Measured<'_> {
    fn value(&self, name: &Name) -> Option<String> {
        let own = self.result.values.get(&name.path).filter(|_| self.is_ours(name));
        let recorded = || {
            let mut values = self.others(name).filter_map(|run| run.verdict.values.get(&name.path));
            values.next().map(|captured| captured.value.clone())
        };
        own.map(|measured| measured.value.clone()).or_else(recorded)
    }

    fn passed(&self, block: &Name) -> Option<bool> {
        let own = self.result.step(&block.path).filter(|step| step.skipped.is_none());
        let own = own.filter(|_| self.is_ours(block)).map(StepResult::passed);
        let recorded = || {
            let mut checks = self.others(block).filter_map(|run| run.verdict.check(&block.path));
            checks.next().map(|outcome| outcome == crate::evidence::CheckOutcome::Pass)
        };
        own.or_else(recorded)
    }
}
