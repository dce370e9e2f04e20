//! `labdoc verify`: plan, run, compare, refresh, record.

mod choose;
mod cluster;
mod job;
mod narrow;
mod pages;
mod planned;
mod scene;
mod talk;
mod watch;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use super::{Ended, write_lock};
use crate::book::Book;
use crate::check;
use crate::cli::{Common, Console, VerifyArgs};
use crate::diag::{Diagnostic, Failure, Severity};
use crate::disk::Lock;
use crate::proc::{self, Interrupt};
use crate::source::Sources;
use crate::verify::edit;
use crate::verify::includes::include_edits;
use crate::verify::needs::{self, Probe};
use crate::verify::order::Graph;
use crate::verify::parts;
use crate::verify::plan::{Selection, plan};
use crate::verify::report::{self, PageReport, Target};
pub(super) use choose::Loaded;
pub(super) use choose::choose;
use choose::load_pages;
use cluster::Access;
pub(super) use job::Counts;
use job::Job;
use narrow::narrow;
use planned::dry_run;
use talk::{Board, Said, Talk};
pub(super) use talk::{block_line, summary};

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
    if !args.dry_run {
        proc::start_ahead();
    }
    let ended = verify_once(common, args, console, &|_, _| Ok(()));
    proc::let_go();
    ended
}

/// Hears what each page came to, in the pages' order, and whether it was run to its end.
pub(super) type Heard<'a> = &'a dyn Fn(&PageReport, bool) -> Result<(), Failure>;

/// Reads the chosen pages, shows what is wrong with them, and runs nothing.
///
/// # Errors
/// They cannot be read, or nothing can be chosen.
pub(super) fn read(
    common: &Common,
    args: &VerifyArgs,
    console: &Console,
) -> Result<Prepared, Failure> {
    let reading = VerifyArgs { dry_run: true, ..args.clone() };
    let prepared = prepare(common, &reading, &Board::new(console, false))?;
    check_choice(&prepared.loaded.book.value, &prepared.chosen, args)?;
    Ok(prepared)
}

/// Runs the chosen pages once.
pub(super) fn verify_once(
    common: &Common,
    args: &VerifyArgs,
    console: &Console,
    heard: Heard<'_>,
) -> Result<Ended, Failure> {
    let board = Board::new(console, args.report.contains(&Target::Github));
    let Prepared { loaded, chosen, before, errors, lock: _lock } = prepare(common, args, &board)?;
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
    job.run_all(&chosen, common.jobs, heard)
}

/// The chosen pages with what is wrong with them.
pub(super) struct Prepared {
    pub(super) loaded: Loaded,
    pub(super) chosen: Vec<usize>,
    before: Vec<Diagnostic>,
    pub(super) errors: usize,
    /// Held while pages or evidence may be written.
    lock: Option<Lock>,
}

/// Reads the pages, chooses among them, and shows what is wrong with them before anything runs.
fn prepare(common: &Common, args: &VerifyArgs, board: &Board<'_>) -> Result<Prepared, Failure> {
    let mut loaded = load_pages(common, args)?;
    let writes = (args.updates() || args.record) && !args.dry_run;
    let lock = if writes { Some(write_lock(&loaded.root)?) } else { None };
    // What a fence shows of a file does not depend on a run, and a run may use it.
    if args.updates() && !args.dry_run && refresh_includes(&loaded, args, board)? {
        loaded = load_pages(common, args)?;
    }
    let mut before = std::mem::take(&mut loaded.book.diagnostics);
    let (root, book, sources) = (&loaded.root, &loaded.book.value, &loaded.sources);
    let chosen = choose(root, book, &args.pages)?;
    let chosen = narrow(common, args, &loaded, chosen)?;
    before.extend(check::includes(root, &book.pages)?);
    before.extend(check::runnable(root, book, &chosen, sources)?);
    before.extend(chosen.iter().flat_map(|at| parts::findings(&book.pages[*at])));
    if !args.pages.is_empty() {
        before.retain(|finding| concerns(finding, book, &chosen, sources));
    }
    before.sort_by_key(|finding| finding.place.clone());
    board.findings(&before, sources);
    let errors = before.iter().filter(|finding| finding.severity == Severity::Error).count();
    Ok(Prepared { loaded, chosen, before, errors, lock })
}

/// Refreshes the fences that show a file, of the named pages or of all; says whether a page was
/// written.
fn refresh_includes(
    loaded: &Loaded,
    args: &VerifyArgs,
    board: &Board<'_>,
) -> Result<bool, Failure> {
    let (root, book, sources) = (&loaded.root, &loaded.book.value, &loaded.sources);
    let pages = match &args.pages[..] {
        [] => (0..book.pages.len()).collect(),
        named => choose(root, book, named)?,
    };
    let mut written = false;
    for page in pages.iter().map(|at| &book.pages[*at]) {
        let edits = include_edits(root, page, sources)?;
        if edit::write(&root.join(&page.path), sources.text(page.file), &edits)? {
            board.flush(
                &page.path,
                vec![Said::Line(format!("  refreshed {}", page.path))],
                sources,
            );
            written = true;
        }
    }
    Ok(written)
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

impl<'a> Call<'a> {
    /// Runs the pages.
    fn run_all(
        &self,
        chosen: &[usize],
        jobs: Option<u16>,
        heard: Heard<'_>,
    ) -> Result<Ended, Failure> {
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
        pages::run_all(&graph, workers, &run, &mut |done| self.show(done, heard, &mut whole));
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
    fn show(&self, done: Done<'_>, heard: Heard<'_>, whole: &mut Whole) {
        self.board.flush(done.path, done.said, self.sources);
        let told = match done.interrupted {
            Some(_) => Ok(()),
            None => heard(&done.report, done.failure.is_none()),
        };
        whole.counts.add(&done.counts);
        whole.bad |= !done.clean;
        whole.interrupted = whole.interrupted.or(done.interrupted);
        whole.reports.push(done.report);
        match (done.failure.or(told.err()), &whole.failure) {
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
