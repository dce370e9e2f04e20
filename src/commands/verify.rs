//! `labdoc verify`: plan, run, compare, refresh, record.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::assess::claim_digests;
use super::{Ended, find_root};
use crate::book::{Book, LoadOptions, Page, load};
use crate::check;
use crate::cli::{Common, Console, VerifyArgs};
use crate::diag::{Diagnostic, Failure, Severity};
use crate::disk;
use crate::evidence::load_bundles;
use crate::proc::Interrupt;
use crate::source::Sources;
use crate::verify::edit::{self, Edit};
use crate::verify::findings::findings;
use crate::verify::includes::include_edits;
use crate::verify::judge::rejudged;
use crate::verify::lives::recorded_lives;
use crate::verify::needs::{self, Probe};
use crate::verify::outcome::{PageResult, Problem, StepResult};
use crate::verify::plan::{Plan, Role, Selection, Step, plan};
use crate::verify::record::{self, Ran, Started};
use crate::verify::rewrite::{self, Refresh};
use crate::verify::run::{Watch, run};
use crate::verify::world::World;

/// Runs the chosen pages.
///
/// # Errors
/// What was asked for cannot be run at all.
pub(crate) fn verify(
    common: &Common,
    args: &VerifyArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    let root = find_root(common)?;
    let mut sources = Sources::default();
    let mut loaded = load(&root, &mut sources, LoadOptions { drafts: true })?;
    let chosen = choose(&root, &loaded.value, &args.pages)?;
    // What a fence shows of a file does not depend on a run, and a run may use it.
    let pages: Vec<&Page> = match &args.pages[..] {
        [] => loaded.value.pages.iter().collect(),
        _ => chosen.iter().map(|at| &loaded.value.pages[*at]).collect(),
    };
    if args.updates() && !args.dry_run && refresh_includes(&root, &pages, &sources, console)? {
        sources = Sources::default();
        loaded = load(&root, &mut sources, LoadOptions { drafts: true })?;
    }
    let mut before = loaded.diagnostics;
    before.extend(check::includes(&root, &loaded.value.pages)?);
    before.extend(check::runnable(&root, &loaded.value, &chosen, &sources)?);
    if !args.pages.is_empty() {
        before.retain(|finding| concerns(finding, &loaded.value, &chosen, &sources));
    }
    before.sort_by_key(|finding| finding.place.clone());
    let tally = console.findings(&before, &sources);
    if tally.errors > 0 {
        console
            .summary("nothing was run", &json!({ "outcome": "findings", "errors": tally.errors }));
        return Ok(Ended::Findings);
    }
    check_choice(&loaded.value, &chosen, args)?;
    if args.dry_run {
        return Ok(dry_run(&loaded.value, &chosen, (args, &sources), console));
    }
    let job = Job { root: &root, book: &loaded.value, sources: &sources, args, console };
    job.run_all(&chosen)
}

/// Refreshes the fences that show a file; says whether a page was written.
fn refresh_includes(
    root: &Path,
    pages: &[&Page],
    sources: &Sources,
    console: &Console,
) -> Result<bool, Failure> {
    let mut written = false;
    for page in pages {
        let edits = include_edits(root, page, sources)?;
        if edit::write(&root.join(&page.path), sources.text(page.file), &edits)? {
            console.say(&format!("  refreshed {}", page.path));
            written = true;
        }
    }
    Ok(written)
}

/// The pages that were asked for, as indices, in the book's order.
fn choose(root: &Path, book: &Book, asked: &[PathBuf]) -> Result<Vec<usize>, Failure> {
    if asked.is_empty() {
        return Ok((0..book.pages.len()).filter(|at| book.pages[*at].is_runnable()).collect());
    }
    let mut chosen = Vec::new();
    for path in asked {
        let full = disk::canonical(path).map_err(|error| {
            Failure::new(format!("{error}")).hint("name a page or a folder of pages")
        })?;
        let below = full.strip_prefix(root).map_err(|_| {
            Failure::new(format!(
                "{} is not part of the book at {}",
                path.display(),
                root.display()
            ))
        })?;
        let below = below.to_string_lossy().replace('\\', "/");
        let found: Vec<usize> = (0..book.pages.len())
            .filter(|at| is_at_or_below(&book.pages[*at].path, &below))
            .filter(|at| book.pages[*at].path == below || book.pages[*at].is_runnable())
            .collect();
        if found.is_empty() {
            return Err(Failure::new(format!(
                "{} holds no page with runnable blocks",
                path.display()
            )));
        }
        chosen.extend(found);
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

/// Whether a page is the one that was named or stands in the folder that was named.
fn is_at_or_below(page: &str, asked: &str) -> bool {
    asked.is_empty()
        || page == asked
        || page.strip_prefix(asked).is_some_and(|rest| rest.starts_with('/'))
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

/// The options of a block that most blocks do not have, as they stand on the page.
fn more_options(step: &Step) -> String {
    let mut words = Vec::new();
    words.extend(step.retry.map(|retry| format!("retry={retry:?}")));
    words.extend(step.ready.as_ref().map(|ready| format!("ready: {ready}")));
    words.extend(step.needs.iter().map(|need| format!("needs {need}")));
    words.into_iter().map(|word| format!(", {word}")).collect()
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

/// What of the pages is run.
fn selection(args: &VerifyArgs) -> Selection {
    let (only, tags, params) = (args.only.clone(), args.tag.clone(), args.param.clone());
    Selection { only, tags, params }
}

/// One call of the command.
struct Job<'a> {
    root: &'a Path,
    book: &'a Book,
    sources: &'a Sources,
    args: &'a VerifyArgs,
    console: &'a Console,
}

/// A run that is to be recorded.
struct Recorded<'a> {
    world: &'a World,
    result: &'a PageResult,
    started: Started,
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

impl Job<'_> {
    /// Runs the pages one after the other.
    fn run_all(&self, chosen: &[usize]) -> Result<Ended, Failure> {
        let interrupt = Interrupt::listen()
            .map_err(|error| Failure::new(format!("cannot listen for signals: {error}")))?;
        let mut counts = Counts::default();
        let mut bad = false;
        let mut probe = Probe::default();
        for at in chosen {
            let page = &self.book.pages[*at];
            let mut plan = plan(page, &self.book.config, self.sources, &selection(self.args));
            needs::apply(&mut plan, &mut probe);
            if let Some(why) = &plan.skip {
                self.skip_page(&plan, why, &mut counts);
                continue;
            }
            let (result, clean) = self.run_page(page, &plan, (&interrupt, &mut counts))?;
            bad |= !clean;
            if let Some(signal) = result.interrupted {
                self.summary(&counts, chosen.len(), "interrupted");
                return Ok(Ended::Signal(signal));
            }
        }
        self.summary(&counts, chosen.len(), if bad { "findings" } else { "clean" });
        Ok(if bad { Ended::Findings } else { Ended::Clean })
    }

    /// A page whose needs are not met.
    fn skip_page(&self, plan: &Plan, why: &str, counts: &mut Counts) {
        counts.skipped += plan.steps.len();
        self.console.say(&format!("{}\n  skipped: {why}", plan.path));
    }

    /// Runs one page; the second value says whether nothing is left to do.
    fn run_page(
        &self,
        page: &Page,
        plan: &Plan,
        (interrupt, counts): (&Interrupt, &mut Counts),
    ) -> Result<(PageResult, bool), Failure> {
        let started = Started::now();
        let world = World::make(self.root, plan)?;
        self.console.say(&page.path);
        let progress = |step: &Step| {
            let line = step.units.first().map_or(0, |unit| self.sources.line(unit.span));
            self.console
                .progress(&format!("  {} (line {line}, limit {:?})", step.id, step.timeout));
        };
        let fail_fast = self.args.fail_fast;
        let watch = Watch { interrupt: Some(interrupt), progress: &progress, fail_fast };
        let result = run(plan, &world, &watch)?;
        for step in &result.steps {
            self.report(step, counts);
        }
        let found = findings(plan, page, &result, self.sources);
        self.console.findings(&found, self.sources);
        let errors = found.iter().any(|finding| finding.severity == Severity::Error);
        let refreshed = self.args.updates() && self.refresh(page, plan, &result, counts)?;
        let mut measured = true;
        if self.args.record {
            let run = Recorded { world: &world, result: &result, started };
            measured = self.record(page, &run, refreshed)?;
        }
        let clean = measured && (!errors || (refreshed && self.only_refreshable(&found)));
        Ok((result, clean))
    }

    /// Records the run. A page that was refreshed is recorded as it is now, and judged by it; the
    /// first run of a page gives it its bundle. Says whether it is a measurement.
    fn record(&self, page: &Page, run: &Recorded<'_>, refreshed: bool) -> Result<bool, Failure> {
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
        self.console.findings(&found, self.sources);
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

    /// The last line.
    fn summary(&self, counts: &Counts, pages: usize, outcome: &str) {
        let Counts { passed, drifted, failed, skipped, refreshed } = *counts;
        let pages_word = if pages == 1 { "page" } else { "pages" };
        let mut sentence = format!(
            "{pages} {pages_word}: {passed} passed, {drifted} differ, {failed} failed, {skipped} skipped"
        );
        if refreshed > 0 {
            sentence.push_str(&format!(", {refreshed} refreshed"));
        }
        self.console.summary(
            &sentence,
            &json!({
                "outcome": outcome, "pages": pages, "passed": passed, "drifted": drifted,
                "failed": failed, "skipped": skipped, "refreshed": refreshed,
            }),
        );
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
        Problem::Background(why) => why.clone(),
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { String::new() } else { format!("  {}", words.join(", ")) }
}
