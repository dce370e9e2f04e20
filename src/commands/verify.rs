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
use crate::proc::Interrupt;
use crate::source::Sources;
use crate::verify::findings::{findings, stale_lives};
use crate::verify::outcome::{PageResult, Problem, StepResult};
use crate::verify::plan::{Plan, Role, Selection, Step, plan};
use crate::verify::record::{self, Ran, Started};
use crate::verify::rewrite;
use crate::verify::run::{Watch, rejudged, run};
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
    let loaded = load(&root, &mut sources, LoadOptions { drafts: true })?;
    let chosen = choose(&root, &loaded.value, &args.pages)?;
    let mut before = loaded.diagnostics;
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
    check_only(&loaded.value, &chosen, args)?;
    if args.dry_run {
        return Ok(dry_run(&loaded.value, &chosen, (args, &sources), console));
    }
    let job = Job { root: &root, book: &loaded.value, sources: &sources, args, console };
    job.run_all(&chosen)
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

/// `--only` names a block of a chosen page.
fn check_only(book: &Book, chosen: &[usize], args: &VerifyArgs) -> Result<(), Failure> {
    for id in &args.only {
        let known = |at: &usize| book.pages[*at].block(id).is_some();
        if !chosen.iter().any(known) {
            let ids = chosen.iter().flat_map(|at| &book.pages[*at].blocks).map(|b| b.id.as_str());
            let failure =
                Failure::new(format!("--only {id}: no chosen page has a block of that id"));
            let near = crate::diag::nearest(id, ids).map(|near| format!("did you mean {near}?"));
            return Err(Failure { hint: near, ..failure });
        }
    }
    Ok(())
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
        let role = match (step.skip, step.role) {
            (Some(why), _) => format!("skipped: {why}"),
            (None, Role::Setup) => "setup".to_owned(),
            (None, Role::Teardown) => "teardown".to_owned(),
            (None, Role::Normal) => "run".to_owned(),
        };
        let line = step.units.first().map_or(0, |unit| sources.line(unit.span));
        let exit = step.exit.map_or("any exit code".to_owned(), |code| format!("exit {code}"));
        let timeout = step.timeout;
        let compared = step.units.iter().any(|unit| unit.printed.is_some());
        let compare = if compared { "output compared" } else { "output not compared" };
        let vary = step.classes.names().join(",");
        let vary = if vary.is_empty() { String::new() } else { format!(", vary={vary}") };
        out.push_str(&format!(
            "\n  {:<20} line {line:<4} {role}: {exit}, limit {timeout:?}, {compare}{vary}",
            step.id
        ));
    }
    out
}

/// A planned block for programs.
fn planned(plan: &Plan, step: &Step, sources: &Sources) -> serde_json::Value {
    let role = match step.role {
        Role::Setup => "setup",
        Role::Normal => "run",
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
    Selection { only: args.only.clone() }
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
        for at in chosen {
            let (result, clean) = self.run_page(&self.book.pages[*at], &interrupt, &mut counts)?;
            bad |= !clean;
            if let Some(signal) = result.interrupted {
                self.summary(&counts, chosen.len(), "interrupted");
                return Ok(Ended::Signal(signal));
            }
        }
        self.summary(&counts, chosen.len(), if bad { "findings" } else { "clean" });
        Ok(if bad { Ended::Findings } else { Ended::Clean })
    }

    /// Runs one page; the second value says whether nothing is left to do.
    fn run_page(
        &self,
        page: &Page,
        interrupt: &Interrupt,
        counts: &mut Counts,
    ) -> Result<(PageResult, bool), Failure> {
        let plan = plan(page, &self.book.config, self.sources, &selection(self.args));
        let started = Started::now();
        let world = World::make(self.root, &plan)?;
        self.console.say(&page.path);
        let progress = |step: &Step| {
            let line = step.units.first().map_or(0, |unit| self.sources.line(unit.span));
            self.console
                .progress(&format!("  {} (line {line}, limit {:?})", step.id, step.timeout));
        };
        let fail_fast = self.args.fail_fast;
        let watch = Watch { interrupt: Some(interrupt), progress: &progress, fail_fast };
        let result = run(&plan, &world, &watch)?;
        for step in &result.steps {
            self.report(step, counts);
        }
        let found = findings(&plan, page, &result, self.sources);
        self.console.findings(&found, self.sources);
        let errors = found.iter().any(|finding| finding.severity == Severity::Error);
        let refreshed = self.args.update && self.refresh(page, &plan, &result, counts)?;
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
        let mut edits = rewrite::output_edits(plan, result, self.sources);
        for ran in result.steps.iter().filter(|ran| ran.passed() || ran.only_drifted()) {
            edits.extend(stale_lives(plan, page, result, ran).iter().map(|drift| drift.edit()));
        }
        let text = self.sources.text(page.file);
        if rewrite::write(&self.root.join(&page.path), text, &edits)? {
            counts.refreshed += 1;
            self.console.say(&format!("  refreshed {}", page.path));
        }
        Ok(result
            .steps
            .iter()
            .all(|ran| ran.skipped.is_some() || ran.passed() || rewrite::can_refresh(plan, ran)))
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
        let why = step.skipped.map(|why| format!("  {why}")).unwrap_or_default();
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
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { String::new() } else { format!("  {}", words.join(", ")) }
}
