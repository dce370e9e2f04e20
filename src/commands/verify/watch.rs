//! `--watch`: the session lives on, a save runs what changed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cluster::Access;
use super::job::{Counts, Job};
use super::talk::{Board, Talk};
use super::{prepare, selection};
use crate::book::Page;
use crate::cli::{Common, Console, VerifyArgs};
use crate::commands::Ended;
use crate::diag::Failure;
use crate::disk::{self, FileWatch};
use crate::proc::Interrupt;
use crate::verify::live::{Live, round};
use crate::verify::plan::{Plan, plan};
use crate::verify::run::Watch;
use crate::verify::world::World;

/// How often to look whether the user wants to stop.
const LOOK: Duration = Duration::from_millis(50);

/// A page that is watched.
struct Watching<'a> {
    common: &'a Common,
    args: &'a VerifyArgs,
    console: &'a Console,
    interrupt: &'a Interrupt,
    live: Option<Live>,
    /// The page's file, and what it held when it was read or written last.
    seen: Option<(PathBuf, Vec<u8>)>,
}

/// Runs a page, and again what changed at each save, until the user ends it.
///
/// # Errors
/// The page cannot be run or watched.
pub(super) fn watch(
    common: &Common,
    args: &VerifyArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    let interrupt = Interrupt::listen()
        .map_err(|error| Failure::new(format!("cannot listen for signals: {error}")))?;
    let (live, seen) = (None, None);
    let mut watching = Watching { common, args, console, interrupt: &interrupt, live, seen };
    watching.round()?;
    let path = watching.seen.as_ref().map(|(path, _)| path.clone()).unwrap_or_default();
    let file = FileWatch::new(&path)?;
    let name = path.display();
    console.say(&format!(
        "watching {name}; such a run is not from a fresh start and is not recorded; Ctrl-C ends it"
    ));
    // A save before the watch began woke nobody; one that is going on gets time to end.
    if watching.is_new() {
        file.wait(LOOK);
        watching.round()?;
    }
    while watching.wait(&file) {
        watching.round()?;
    }
    watching.end()?;
    Ok(Ended::Signal(interrupt.signal().unwrap_or(2)))
}

impl Watching<'_> {
    /// Waits for a save that changed the page; `false` when the user wants to stop.
    fn wait(&self, file: &FileWatch) -> bool {
        loop {
            if self.interrupt.signal().is_some() {
                return false;
            }
            if file.wait(LOOK) && self.is_new() {
                return true;
            }
        }
    }

    /// Whether the file holds what it did not hold before; a save that only touches it, and
    /// labdoc's own refresh, are no change.
    fn is_new(&self) -> bool {
        let Some((path, text)) = &self.seen else { return true };
        disk::read(path).is_ok_and(|now| now != *text)
    }

    /// Reads the page, runs what changed, shows what came of it.
    fn round(&mut self) -> Result<(), Failure> {
        let board = Board::new(self.console, false);
        if let Some((path, text)) = &mut self.seen {
            *text = disk::read_optional(path)?.unwrap_or_default();
        }
        let prepared = prepare(self.common, self.args, &board)?;
        let (root, book) = (&prepared.loaded.root, &prepared.loaded.book.value);
        let [at] = prepared.chosen.as_slice() else {
            // A page that cannot be read at this moment was told about.
            return if self.seen.is_some() { Ok(()) } else { Err(one_page(prepared.chosen.len())) };
        };
        let page = &book.pages[*at];
        let sources = &prepared.loaded.sources;
        self.see(&root.join(&page.path), sources.text(page.file).as_bytes());
        if prepared.errors > 0 {
            return Ok(());
        }
        let console = Talk::new(&board, &page.path);
        let recording = &std::sync::Mutex::default();
        let access = &Access::default();
        let job = Job { root, book, sources, args: self.args, console, access, recording };
        let plan = plan(page, &book.config, sources, &selection(self.args));
        if plan.needs_cluster() {
            return Err(Failure::new(format!("{}: --watch runs no page on a cluster", page.path))
                .hint("run it without --watch"));
        }
        if self.run(&job, page, plan)? {
            // Before anybody hears of it, who may save the page at once.
            let path = root.join(&page.path);
            let now = disk::read(&path)?;
            self.see(&path, &now);
        }
        board.flush(&page.path, job.console.into_said(), sources);
        Ok(())
    }

    /// Runs what changed; whether the page was written.
    fn run(&mut self, job: &Job<'_>, page: &Page, plan: Plan) -> Result<bool, Failure> {
        job.console.say(&page.path);
        let progress = |step: &crate::verify::plan::Step| job.progress(step);
        let watch = Watch {
            started: None,
            interrupt: Some(self.interrupt),
            progress: &progress,
            fail_fast: self.args.fail_fast,
            keep: false,
            scene: None,
            on_failure: None,
        };
        let world = |plan: &Plan| World::make(job.root, plan);
        let round = round(self.live.take(), plan, &world, &watch)?;
        let mut counts = Counts::default();
        let live = self.live.insert(round.live);
        let ran = live.plan().steps.iter().skip(round.first).map(|step| step.id.as_str());
        let ran: Vec<&str> = ran.collect();
        job.settle(page, live.plan(), live.result(), (&ran, &mut counts))?;
        Ok(counts.refreshed > 0)
    }

    /// Remembers what the page's file holds.
    fn see(&mut self, path: &Path, text: &[u8]) {
        self.seen = Some((path.to_owned(), text.to_owned()));
    }

    /// Runs teardown and ends the session.
    fn end(&mut self) -> Result<(), Failure> {
        let Some(live) = self.live.take() else { return Ok(()) };
        let progress = |_: &crate::verify::plan::Step| {};
        let (interrupt, fail_fast, keep, scene) = (None, false, false, None);
        let on_failure = None;
        let watch = Watch {
            interrupt,
            started: None,
            progress: &progress,
            fail_fast,
            keep,
            scene,
            on_failure,
        };
        let result = live.end(&watch)?;
        for line in &result.survivors {
            self.console.say(&format!("  ended: {line}"));
        }
        Ok(())
    }
}

/// Not one page.
fn one_page(count: usize) -> Failure {
    Failure::new(format!("--watch runs one page, and {count} were chosen")).hint("name one page")
}
