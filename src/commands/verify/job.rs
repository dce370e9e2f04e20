//! The run of one page: run, show, refresh, record.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::cluster::Access;
use super::talk::{Talk, block_line};
use super::{scene, selection};
use crate::book::{Book, LoadOptions, Page, load};
use crate::cli::VerifyArgs;
use crate::commands::assess::claim_digests;
use crate::diag::{Diagnostic, Failure, Severity};
use crate::evidence::load_bundles;
use crate::proc::Interrupt;
use crate::source::Sources;
use crate::verify::edit::{self, Edit};
use crate::verify::findings::findings;
use crate::verify::judge::rejudged;
use crate::verify::lives::recorded_lives;
use crate::verify::on_cluster::OnCluster;
use crate::verify::outcome::{PageResult, Problem, StepResult};
use crate::verify::plan::{Plan, Step, plan};
use crate::verify::record::{self, Ran, Started};
use crate::verify::report::{PageReport, State};
use crate::verify::rewrite::{self, Refresh};
use crate::verify::run::{Watch, run};
use crate::verify::world::World;

/// The run of one page in a call.
pub(super) struct Job<'a> {
    pub(super) root: &'a Path,
    pub(super) book: &'a Book,
    pub(super) sources: &'a Sources,
    pub(super) args: &'a VerifyArgs,
    pub(super) console: Talk<'a>,
    pub(super) access: &'a Access,
    /// Held while a run is recorded: the next free bundle is given to one page at a time.
    pub(super) recording: &'a Mutex<()>,
}

/// A run that is to be recorded.
struct Recorded<'a> {
    world: &'a World,
    result: &'a PageResult,
    started: Started,
}

/// What was found in a run, and whether all that differed was refreshed.
pub(super) struct Settled {
    pub(super) found: Vec<Diagnostic>,
    pub(super) refreshed: bool,
    pub(super) report: PageReport,
}

/// Counts over all pages.
#[derive(Default)]
pub(in crate::commands) struct Counts {
    pub(in crate::commands) passed: usize,
    pub(in crate::commands) drifted: usize,
    pub(in crate::commands) failed: usize,
    pub(in crate::commands) skipped: usize,
    pub(in crate::commands) refreshed: usize,
}

impl Counts {
    /// Counts a block that came to this.
    pub(in crate::commands) fn count(&mut self, state: State) {
        match state {
            State::Passed => self.passed += 1,
            State::Drifted => self.drifted += 1,
            State::Failed | State::Broken => self.failed += 1,
            State::Skipped => self.skipped += 1,
        }
    }

    /// Adds those of another page.
    pub(super) fn add(&mut self, other: &Counts) {
        self.passed += other.passed;
        self.drifted += other.drifted;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.refreshed += other.refreshed;
    }
}

impl Job<'_> {
    /// A page whose needs are not met.
    pub(super) fn skip_page(&self, plan: &Plan, why: &str, counts: &mut Counts) -> PageReport {
        counts.skipped += plan.steps.len();
        self.console.say(&format!("{}\n  skipped: {why}", plan.path));
        PageReport::skipped(plan, why, self.sources)
    }

    /// Runs one page: the signal that stopped it, whether nothing is left to do, its report, and
    /// why it could not be verified after all.
    pub(super) fn run_page(
        &self,
        page: &Page,
        plan: &Plan,
        (interrupt, counts): (&Interrupt, &mut Counts),
    ) -> Result<(Option<i32>, bool, PageReport, Option<Failure>), Failure> {
        let started = Started::now();
        let mut world = World::make(self.root, plan)?;
        self.console.say(&page.path);
        tracing::info!(page = page.path, blocks = plan.steps.len(), "runs");
        let scene = self.access.scene(plan, self.args, &mut world)?;
        let progress = |step: &Step| self.progress(step);
        let enter = |state: &[u8]| {
            if let Err(failure) = scene::enter(&world, &page.path, state) {
                self.console.say(&format!("  {failure}"));
            }
        };
        let watch = Watch {
            interrupt: Some(interrupt),
            started: None,
            progress: &progress,
            fail_fast: self.args.fail_fast,
            keep: self.args.keep,
            scene: scene.as_ref().map(|scene| OnCluster { scene, world: &world }),
            on_failure: self.args.shell_on_fail.then_some(&enter),
        };
        let mut result = run(plan, &world, &watch)?;
        let failure = self.access.clear(scene, (plan, self.args), &mut result);
        let ran: Vec<&str> = plan.steps.iter().map(|step| step.id.as_str()).collect();
        let Settled { found, refreshed, report } =
            self.settle(page, plan, &result, (&ran, counts))?;
        let errors = found.iter().any(|finding| finding.severity == Severity::Error);
        if failure.is_some() {
            return Ok((result.interrupted, false, report, failure));
        }
        let mut measured = true;
        if self.args.record {
            let run = Recorded { world: &world, result: &result, started };
            measured = self.record(page, &run, refreshed)?;
        }
        if self.args.keep {
            scene::leave(world, &result, &self.console);
        }
        let clean = measured && (!errors || (refreshed && self.only_refreshable(&found)));
        Ok((result.interrupted, clean, report, None))
    }

    /// Shows what a page is doing.
    pub(super) fn progress(&self, step: &Step) {
        let line = step.units.first().map_or(0, |unit| self.sources.line(unit.span));
        self.console.progress(&format!(":{line}  {} (limit {:?})", step.id, step.timeout));
    }

    /// Shows what a run came to, a line for each of the blocks `ran` and all findings, and
    /// refreshes the page where that was asked for.
    pub(super) fn settle(
        &self,
        page: &Page,
        plan: &Plan,
        result: &PageResult,
        (ran, counts): (&[&str], &mut Counts),
    ) -> Result<Settled, Failure> {
        for step in result.steps.iter().filter(|step| ran.contains(&step.id.as_str())) {
            self.report(step, counts);
        }
        let found = findings(plan, page, result, self.sources);
        self.console.findings(&found);
        let report = PageReport::of(plan, result, (&found, self.sources), &problem_words);
        let refreshed = self.args.updates() && self.refresh(page, plan, result, counts)?;
        Ok(Settled { found, refreshed, report })
    }

    /// Records the run. A page that was refreshed is recorded as it is now, and judged by it; the
    /// first run of a page gives it its bundle. Says whether it is a measurement.
    fn record(&self, page: &Page, run: &Recorded<'_>, refreshed: bool) -> Result<bool, Failure> {
        let _one = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.root.join(&page.path);
        let (bundle, given) = record::bundle_of(self.root, page, &path)?;
        if given {
            self.console.say(&format!("  wrote bundle: {bundle} into the header of {}", page.path));
        }
        let mut sources = Sources::default();
        let now = load(self.root, &mut sources, LoadOptions { drafts: true })?.value;
        let at = now
            .page_at(&page.path)
            .ok_or_else(|| Failure::new(format!("{} is gone while it was recorded", page.path)))?;
        let plan = plan(&now.pages[at], &now.config, &sources, &selection(self.args));
        let result = if refreshed { rejudged(&plan, run.result) } else { run.result.clone() };
        let claims = claim_digests(self.root, &now, &sources, &bundle)?;
        let made = record::record(
            self.root,
            &bundle,
            &Ran {
                book: &now,
                page: &now.pages[at],
                plan: &plan,
                world: run.world,
                result: &result,
                claims,
                started: run.started,
            },
        )?;
        self.console.say(&format!("  recorded evidence/{}", made.run));
        let kit = page.front.kit.as_deref().unwrap_or_default();
        let finding = |path: &String| {
            let message = format!("labkit/{kit}/{path} changed while the run was going on");
            Diagnostic::error("EV110", message)
                .in_file(&page.path, None)
                .note("this is not a measurement")
                .hint("run it again")
        };
        let found: Vec<Diagnostic> = made.changed.iter().map(finding).collect();
        self.console.findings(&found);
        let later = made.later.iter().map(|later| {
            let message = format!(
                "evidence/{bundle}/{later} says that it ended later than this run, and goes on to decide"
            );
            Diagnostic::warning("EV119", message)
                .in_file(&page.path, None)
                .hint("remove it if the clock was wrong then; if it is wrong now, remove this one")
        });
        self.console.findings(&later.collect::<Vec<_>>());
        Ok(found.is_empty())
    }

    /// Whether every error is one that `--update` has just refreshed.
    fn only_refreshable(&self, found: &[Diagnostic]) -> bool {
        let errors = |finding: &&Diagnostic| finding.severity == Severity::Error;
        found.iter().filter(errors).all(|finding| matches!(finding.code, "VR001" | "VR006"))
    }

    /// Refreshes the page; says whether everything that differed could be refreshed.
    fn refresh(
        &self,
        page: &Page,
        plan: &Plan,
        result: &PageResult,
        counts: &mut Counts,
    ) -> Result<bool, Failure> {
        let only = self.args.update_ids();
        let (sources, config) = (self.sources, &self.book.config);
        let refresh = Refresh { page, plan, result, sources, config, only: &only };
        let mut fresh = refresh.edits();
        if only.is_empty() {
            fresh.edits.extend(self.recorded_edits(page)?);
        }
        let text = self.sources.text(page.file);
        if edit::write(&self.root.join(&page.path), text, &fresh.edits)? {
            counts.refreshed += 1;
            self.console.say(&format!("  refreshed {}", page.path));
        }
        for note in &fresh.notes {
            self.console.say(&format!("  note: {note}"));
        }
        let chosen = |ran: &StepResult| only.is_empty() || only.contains(&ran.id);
        let done = |ran: &StepResult| {
            let drift = chosen(ran) && rewrite::can_refresh(plan, ran);
            ran.skipped.is_some() || ran.passed() || drift
        };
        Ok(result.steps.iter().all(done))
    }

    /// The edits of live numbers that stand on other pages' runs.
    fn recorded_edits(&self, page: &Page) -> Result<Vec<Edit>, Failure> {
        let foreign = |name: &String| name.contains('#');
        if !page.lives.iter().filter_map(|live| live.name.as_ref()).any(foreign) {
            return Ok(Vec::new());
        }
        let bundles = load_bundles(self.root)?;
        Ok(recorded_lives(page, &bundles).iter().map(|drift| drift.edit()).collect())
    }

    /// One line a block.
    fn report(&self, step: &StepResult, counts: &mut Counts) {
        let state = State::of(step);
        counts.count(state);
        let why = step.skipped.clone().unwrap_or_else(|| problem_words(step).trim().to_owned());
        self.console.say(&block_line(state, &step.id, step.duration, &why));
    }
}

/// Why a block did not pass, in a few words.
fn problem_words(step: &StepResult) -> String {
    let words = step.units.iter().flat_map(|unit| &unit.problems).map(|problem| match problem {
        Problem::Drift => "output differs".to_owned(),
        Problem::Exit { expected, got } => format!("exit {got}, expected {expected}"),
        Problem::Syntax { .. } => "syntax error".to_owned(),
        Problem::TimedOut(limit) => format!("time limit of {limit:?}"),
        Problem::Interrupted => "interrupted".to_owned(),
        Problem::Capture(name) => format!("capture {name} found nothing"),
        Problem::Background(why) | Problem::Guard(why) => why.clone(),
        Problem::Cluster(trouble) => trouble.kind.words().to_owned(),
        Problem::Lacks(places) => format!("not met in {} places", places.len()),
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { String::new() } else { format!("  {}", words.join(", ")) }
}
