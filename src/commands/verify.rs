//! `labdoc verify`: plan, run, compare, refresh, record.

mod choose;
mod cluster;
mod narrow;
mod pages;
mod scene;
mod talk;
mod watch;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use super::Ended;
use super::assess::claim_digests;
use crate::book::{Book, LoadOptions, Page, load};
use crate::check;
use crate::cli::{Common, Console, VerifyArgs};
use crate::diag::{Diagnostic, Failure, Severity};
use crate::evidence::load_bundles;
use crate::proc::Interrupt;
use crate::source::Sources;
use crate::verify::edit::{self, Edit};
use crate::verify::findings::findings;
use crate::verify::judge::rejudged;
use crate::verify::lives::recorded_lives;
use crate::verify::needs::{self, Probe};
use crate::verify::on_cluster::OnCluster;
use crate::verify::order::Graph;
use crate::verify::outcome::{PageResult, Problem, StepResult};
use crate::verify::parts;
use crate::verify::plan::{Plan, Role, Selection, Step, plan};
use crate::verify::record::{self, Ran, Started};
use crate::verify::report::{self, PageReport, Target};
use crate::verify::rewrite::{self, Refresh};
use crate::verify::run::{Watch, run};
use crate::verify::world::World;
use choose::{Loaded, choose, load_pages};
use cluster::Access;
use narrow::narrow;
use talk::{Board, Said, Talk};

/// Runs the chosen pages.
///
/// # Errors
/// What was asked for cannot be run at all.
pub(crate) fn verify(
    common: &Common,
    args: &VerifyArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    if args.watch {
        return watch::watch(common, args, console);
    }
    let board = Board::new(console, args.report.contains(&Target::Github));
    let Prepared { loaded, chosen, before, errors } = prepare(common, args, &board)?;
    let (root, book, sources) = (&loaded.root, &loaded.book.value, &loaded.sources);
    if errors > 0 {
        report::write(&args.report, &PageReport::of_findings(&before, sources))?;
        console.summary("nothing was run", &json!({ "outcome": "findings", "errors": errors }));
        return Ok(Ended::Findings);
    }
    check_choice(book, &chosen, args)?;
    scene::check(args, chosen.len(), console)?;
    if args.dry_run {
        return Ok(dry_run(book, &chosen, (args, sources), console));
    }
    let access = Access::to(args, &(book, sources), &chosen)?;
    let job = Call { root, book, sources, args, console, board: &board, access: &access };
    job.run_all(&chosen, common.jobs)
}

/// The chosen pages with what is wrong with them.
struct Prepared {
    loaded: Loaded,
    chosen: Vec<usize>,
    before: Vec<Diagnostic>,
    errors: usize,
}

/// Reads the pages, chooses among them, and shows what is wrong with them before anything runs.
fn prepare(common: &Common, args: &VerifyArgs, board: &Board<'_>) -> Result<Prepared, Failure> {
    let mut loaded = load_pages(common, args)?;
    let mut before = std::mem::take(&mut loaded.book.diagnostics);
    let (root, book, sources) = (&loaded.root, &loaded.book.value, &loaded.sources);
    let chosen = choose(root, book, &args.pages)?;
    let chosen = narrow(common, args, &loaded, chosen)?;
    before.extend(check::runnable(root, book, &chosen, sources)?);
    before.extend(chosen.iter().flat_map(|at| parts::findings(&book.pages[*at])));
    if !args.pages.is_empty() {
        before.retain(|finding| concerns(finding, book, &chosen, sources));
    }
    before.sort_by_key(|finding| finding.place.clone());
    board.findings(&before, sources);
    let errors = before.iter().filter(|finding| finding.severity == Severity::Error).count();
    Ok(Prepared { loaded, chosen, before, errors })
}

/// Whether a finding is about a chosen page, or about no page at all.
fn concerns(finding: &Diagnostic, book: &Book, chosen: &[usize], sources: &Sources) -> bool {
    let path = match &finding.place {
        crate::diag::Place::Text(span) => sources.path(span.file).to_owned(),
        crate::diag::Place::File(path, _) => path.clone(),
        crate::diag::Place::None => return true,
    };
    let other = |at: usize| !chosen.contains(&at);
    book.page_at(&path).is_none_or(|at| !other(at))
}

/// What is named on the command line is there: blocks, tags and parameters of a chosen page.
fn check_choice(book: &Book, chosen: &[usize], args: &VerifyArgs) -> Result<(), Failure> {
    let pages = || chosen.iter().map(|at| &book.pages[*at]);
    let blocks = || pages().flat_map(|page| &page.blocks);
    let ids: Vec<&str> = blocks().map(|block| block.id.as_str()).collect();
    for id in &args.only {
        known(id, &ids, &format!("--only {id}: no chosen page has a block of that id"))?;
    }
    for id in args.update_ids() {
        known(&id, &ids, &format!("--update={id}: no chosen page has a block of that id"))?;
    }
    let tags: Vec<&str> = blocks().flat_map(|b| &b.options.tags).map(String::as_str).collect();
    for tag in &args.tag {
        known(tag, &tags, &format!("--tag {tag}: no block of a chosen page has that tag"))?;
    }
    let params: Vec<&str> =
        pages().flat_map(|p| p.front.params.keys()).map(String::as_str).collect();
    for (name, _) in &args.param {
        let message = format!("--param {name}: no chosen page has that parameter");
        known(name, &params, &message)?;
    }
    Ok(())
}

/// Refuses a name that is not among those that are known.
fn known(name: &str, known: &[&str], message: &str) -> Result<(), Failure> {
    if known.contains(&name) {
        return Ok(());
    }
    let near = crate::diag::nearest(name, known.iter().copied());
    let hint = near.map(|near| format!("did you mean {near}?"));
    Err(Failure { hint, ..Failure::new(message) })
}

/// Prints the plan.
fn dry_run(
    book: &Book,
    chosen: &[usize],
    (args, sources): (&VerifyArgs, &Sources),
    console: &Console,
) -> Ended {
    for at in chosen {
        let page = &book.pages[*at];
        let plan = plan(page, &book.config, sources, &selection(args));
        if console.is_json() {
            plan.steps.iter().for_each(|step| console.object(&planned(&plan, step, sources)));
        } else {
            console.result(&describe(&plan, sources));
        }
    }
    if console.is_json() {
        console.summary("", &json!({ "outcome": "clean", "pages": chosen.len() }));
    }
    Ended::Clean
}

/// A plan for people.
fn describe(plan: &Plan, sources: &Sources) -> String {
    let mut out = plan.path.clone();
    for step in &plan.steps {
        let role = match (&step.skip, step.role) {
            (Some(why), _) => format!("skipped: {why}"),
            (None, Role::Setup) => "setup".to_owned(),
            (None, Role::Teardown) => "teardown".to_owned(),
            (None, Role::OnFailure) => "on failure".to_owned(),
            (None, Role::Normal) if step.background => "in the background".to_owned(),
            (None, Role::Normal) => "run".to_owned(),
        };
        let line = step.units.first().map_or(0, |unit| sources.line(unit.span));
        let exit = step.exit.map_or("any exit code".to_owned(), |code| format!("exit {code}"));
        let timeout = step.timeout;
        let compared = step.units.iter().any(|unit| unit.printed.is_some());
        let compare = if compared { "output compared" } else { "output not compared" };
        let vary = step.classes.names().join(",");
        let vary = if vary.is_empty() { String::new() } else { format!(", vary={vary}") };
        let more = more_options(step);
        out.push_str(&format!(
            "\n  {:<20} line {line:<4} {role}: {exit}, limit {timeout:?}, {compare}{vary}{more}",
            step.id
        ));
    }
    out
}

/// A planned block for programs.
fn planned(plan: &Plan, step: &Step, sources: &Sources) -> serde_json::Value {
    let role = match step.role {
        Role::Setup => "setup",
        Role::Normal if step.background => "background",
        Role::Normal => "run",
        Role::OnFailure => "on-failure",
        Role::Teardown => "teardown",
    };
    json!({ "plan": {
        "page": plan.path, "block": step.id, "role": role, "skip": step.skip,
        "line": step.units.first().map(|unit| sources.line(unit.span)),
        "exit": step.exit, "timeout_ms": step.timeout.as_millis(),
        "compared": step.units.iter().any(|unit| unit.printed.is_some()),
        "vary": step.classes.names(),
    } })
}

/// The options of a block that most blocks do not have, as they stand on the page.
fn more_options(step: &Step) -> String {
    let mut words = Vec::new();
    words.extend(step.retry.map(|retry| format!("retry={retry:?}")));
    words.extend(step.ready.as_ref().map(|ready| format!("ready: {ready}")));
    words.extend(step.needs.iter().map(|need| format!("needs {need}")));
    words.into_iter().map(|word| format!(", {word}")).collect()
}

/// What of the pages is run.
fn selection(args: &VerifyArgs) -> Selection {
    let (only, tags, params) = (args.only.clone(), args.tag.clone(), args.param.clone());
    Selection { only, tags, params }
}

/// One call of the command.
#[derive(Clone, Copy)]
struct Call<'a> {
    root: &'a Path,
    book: &'a Book,
    sources: &'a Sources,
    args: &'a VerifyArgs,
    console: &'a Console,
    board: &'a Board<'a>,
    access: &'a Access,
}

/// The run of one page in a call.
struct Job<'a> {
    root: &'a Path,
    book: &'a Book,
    sources: &'a Sources,
    args: &'a VerifyArgs,
    console: Talk<'a>,
    access: &'a Access,
    /// Held while a run is recorded: the next free bundle is given to one page at a time.
    recording: &'a Mutex<()>,
}

/// What the pages of a call share while they run.
struct Shared {
    recording: Mutex<()>,
    probe: Mutex<Probe>,
}

/// What a page came to.
struct Done<'a> {
    path: &'a str,
    said: Vec<Said>,
    counts: Counts,
    clean: bool,
    interrupted: Option<i32>,
    report: PageReport,
    failure: Option<Failure>,
}

/// A run that is to be recorded.
struct Recorded<'a> {
    world: &'a World,
    result: &'a PageResult,
    started: Started,
}

/// What was found in a run, and whether all that differed was refreshed.
struct Settled {
    found: Vec<Diagnostic>,
    refreshed: bool,
    report: PageReport,
}

/// Counts over all pages.
#[derive(Default)]
struct Counts {
    passed: usize,
    drifted: usize,
    failed: usize,
    skipped: usize,
    refreshed: usize,
}

impl<'a> Call<'a> {
    /// Runs the pages.
    fn run_all(&self, chosen: &[usize], jobs: Option<u16>) -> Result<Ended, Failure> {
        let interrupt = Interrupt::listen()
            .map_err(|error| Failure::new(format!("cannot listen for signals: {error}")))?;
        let probe = Mutex::new(Probe::new(self.access.none.clone()));
        let shared = Shared { recording: Mutex::default(), probe };
        let graph = Graph::of(self.book, chosen);
        // A shell that the user talks to needs the terminal for itself.
        let own = if self.args.shell_on_fail { Some(1) } else { jobs };
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = own.map_or_else(processors, usize::from);
        let run = |at: usize| {
            let done = self.run_one(chosen[at], &interrupt, &shared);
            let stop = done.interrupted.is_some();
            (done, stop)
        };
        let mut whole = Whole::default();
        pages::run_all(&graph, workers, &run, &mut |done| self.show(done, &mut whole));
        report::write(&self.args.report, &whole.reports)?;
        if let Some(failure) = whole.failure {
            return Err(failure);
        }
        let outcome = match (whole.interrupted, whole.bad) {
            (Some(_), _) => "interrupted",
            (None, true) => "findings",
            (None, false) => "clean",
        };
        summary(self.console, &whole.counts, chosen.len(), outcome);
        Ok(match whole.interrupted {
            Some(signal) => Ended::Signal(signal),
            None if whole.bad => Ended::Findings,
            None => Ended::Clean,
        })
    }

    /// Runs one page, unless it needs what is not here.
    fn run_one(&self, at: usize, interrupt: &Interrupt, shared: &Shared) -> Done<'a> {
        let Call { root, book, sources, args, board, access, .. } = *self;
        let page = &book.pages[at];
        let console = Talk::new(board, &page.path);
        let recording = &shared.recording;
        let job = Job { root, book, sources, args, console, access, recording };
        let mut counts = Counts::default();
        let mut plan = plan(page, &book.config, sources, &selection(args));
        needs::apply(&mut plan, &mut shared.probe.lock().unwrap_or_else(PoisonError::into_inner));
        let ran = match &plan.skip {
            Some(why) => Ok((None, true, job.skip_page(&plan, why, &mut counts), None)),
            None => job.run_page(page, &plan, (interrupt, &mut counts)),
        };
        let said = job.console.into_said();
        let (clean, interrupted, report, failure) = match ran {
            Ok((signal, clean, report, failure)) => (clean, signal, report, failure),
            Err(failure) => (false, None, PageReport::failed(&page.path, &failure), Some(failure)),
        };
        Done { path: &page.path, said, counts, clean, interrupted, report, failure }
    }

    /// Shows what a page came to, in its turn. The first page that could not be run decides how
    /// the command ends; the others go on.
    fn show(&self, done: Done<'_>, whole: &mut Whole) {
        self.board.flush(done.path, done.said, self.sources);
        whole.counts.add(&done.counts);
        whole.bad |= !done.clean;
        whole.interrupted = whole.interrupted.or(done.interrupted);
        whole.reports.push(done.report);
        match (done.failure, &whole.failure) {
            (Some(failure), None) => whole.failure = Some(failure),
            (Some(failure), Some(_)) => {
                let finding = Diagnostic::error("LD001", failure.message);
                self.board.findings(&[finding.in_file(done.path, None)], self.sources);
            }
            (None, _) => {}
        }
    }
}

/// What all pages came to.
#[derive(Default)]
struct Whole {
    counts: Counts,
    bad: bool,
    interrupted: Option<i32>,
    reports: Vec<PageReport>,
    failure: Option<Failure>,
}

impl Counts {
    /// Adds those of another page.
    fn add(&mut self, other: &Counts) {
        self.passed += other.passed;
        self.drifted += other.drifted;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.refreshed += other.refreshed;
    }
}

impl Job<'_> {
    /// A page whose needs are not met.
    fn skip_page(&self, plan: &Plan, why: &str, counts: &mut Counts) -> PageReport {
        counts.skipped += plan.steps.len();
        self.console.say(&format!("{}\n  skipped: {why}", plan.path));
        PageReport::skipped(plan, why, self.sources)
    }

    /// Runs one page: the signal that stopped it, whether nothing is left to do, its report, and
    /// why it could not be verified after all.
    fn run_page(
        &self,
        page: &Page,
        plan: &Plan,
        (interrupt, counts): (&Interrupt, &mut Counts),
    ) -> Result<(Option<i32>, bool, PageReport, Option<Failure>), Failure> {
        let started = Started::now();
        let mut world = World::make(self.root, plan)?;
        self.console.say(&page.path);
        let scene = self.access.scene(plan, self.args, &mut world)?;
        let progress = |step: &Step| self.progress(step);
        let enter = |state: &[u8]| {
            if let Err(failure) = scene::enter(&world, &page.path, state) {
                self.console.say(&format!("  {failure}"));
            }
        };
        let watch = Watch {
            interrupt: Some(interrupt),
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
    fn progress(&self, step: &Step) {
        let line = step.units.first().map_or(0, |unit| self.sources.line(unit.span));
        self.console.progress(&format!(":{line}  {} (limit {:?})", step.id, step.timeout));
    }

    /// Shows what a run came to, a line for each of the blocks `ran` and all findings, and
    /// refreshes the page where that was asked for.
    fn settle(
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
        let word = if step.skipped.is_some() {
            counts.skipped += 1;
            "skip"
        } else if step.passed() {
            counts.passed += 1;
            "ok"
        } else if step.only_drifted() {
            counts.drifted += 1;
            "DRIFT"
        } else {
            counts.failed += 1;
            "FAIL"
        };
        let seconds = step.duration.as_secs_f64();
        let why = step.skipped.as_ref().map(|why| format!("  {why}")).unwrap_or_default();
        let why = why + &problem_words(step);
        self.console.say(&format!("  {word:<5} {:<20} {seconds:>7.2} s{why}", step.id));
    }
}

/// The last line.
fn summary(console: &Console, counts: &Counts, pages: usize, outcome: &str) {
    let Counts { passed, drifted, failed, skipped, refreshed } = *counts;
    let pages_word = if pages == 1 { "page" } else { "pages" };
    let mut sentence = format!(
        "{pages} {pages_word}: {passed} passed, {drifted} differ, {failed} failed, {skipped} skipped"
    );
    if refreshed > 0 {
        sentence.push_str(&format!(", {refreshed} refreshed"));
    }
    console.summary(
        &sentence,
        &json!({
            "outcome": outcome, "pages": pages, "passed": passed, "drifted": drifted,
            "failed": failed, "skipped": skipped, "refreshed": refreshed,
        }),
    );
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
