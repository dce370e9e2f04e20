//! What a running page says: kept until it is its turn, so that the order is the same whatever
//! ends first. Only progress is shown at once, one line a page.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;

use super::job::Counts;
use crate::cli::Console;
use crate::commands::plural;
use crate::diag::Diagnostic;
use crate::source::Sources;
use crate::verify::report::{State, annotation};

/// One thing that was said.
pub(super) enum Said {
    /// A line of talk.
    Line(String),
    /// Findings.
    Findings(Vec<Diagnostic>),
}

/// The terminal, shared by the pages that run.
pub(super) struct Board<'a> {
    console: &'a Console,
    /// Whether findings are shown as annotations too.
    annotate: bool,
    running: Mutex<BTreeMap<String, String>>,
}

impl<'a> Board<'a> {
    /// A board on which nothing runs yet.
    pub(super) fn new(console: &'a Console, annotate: bool) -> Board<'a> {
        Board { console, annotate, running: Mutex::default() }
    }

    /// Shows what a page is doing.
    fn progress(&self, page: &str, text: &str) {
        let mut running = self.running();
        running.insert(page.to_owned(), text.to_owned());
        let lines: Vec<String> =
            running.iter().map(|(page, text)| format!("{page}{text}")).collect();
        self.console.progress(&lines);
    }

    /// Takes a page's line away and shows what it said.
    pub(super) fn flush(&self, page: &str, said: Vec<Said>, sources: &Sources) {
        let mut running = self.running();
        running.remove(page);
        for said in said {
            match said {
                Said::Line(text) => self.console.say(&text),
                Said::Findings(found) => self.findings(&found, sources),
            }
        }
    }

    /// Shows findings.
    pub(super) fn findings(&self, found: &[Diagnostic], sources: &Sources) {
        self.console.findings(found, sources);
        if self.annotate {
            found.iter().for_each(|f| self.console.annotate(&annotation(f, sources)));
        }
    }

    /// The lines; a thread that died while it held them cannot have left them half changed.
    fn running(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one page says.
pub(super) struct Talk<'a> {
    board: &'a Board<'a>,
    page: &'a str,
    said: RefCell<Vec<Said>>,
}

impl<'a> Talk<'a> {
    /// A page that has said nothing yet.
    pub(super) fn new(board: &'a Board<'a>, page: &'a str) -> Talk<'a> {
        Talk { board, page, said: RefCell::default() }
    }

    /// A line of talk.
    pub(super) fn say(&self, text: &str) {
        self.said.borrow_mut().push(Said::Line(text.to_owned()));
    }

    /// Findings.
    pub(super) fn findings(&self, found: &[Diagnostic]) {
        self.said.borrow_mut().push(Said::Findings(found.to_vec()));
    }

    /// What is being done right now.
    pub(super) fn progress(&self, text: &str) {
        self.board.progress(self.page, text);
    }

    /// Everything that was said.
    pub(super) fn into_said(self) -> Vec<Said> {
        self.said.into_inner()
    }
}

/// The line of a block: what it came to, how long it took, and why.
pub(in crate::commands) fn block_line(
    state: State,
    id: &str,
    duration: Duration,
    why: &str,
) -> String {
    let word = match state {
        State::Passed => "ok",
        State::Drifted => "DRIFT",
        State::Failed | State::Broken => "FAIL",
        State::Skipped => "skip",
    };
    let why = if why.is_empty() { String::new() } else { format!("  {why}") };
    format!("  {word:<5} {id:<20} {:>7.2} s{why}", duration.as_secs_f64())
}

/// The last line.
pub(in crate::commands) fn summary(
    console: &Console,
    counts: &Counts,
    pages: usize,
    outcome: &str,
) {
    let Counts { passed, drifted, failed, skipped, refreshed } = *counts;
    let count = plural(pages, "page");
    let mut sentence =
        format!("{count}: {passed} passed, {drifted} differ, {failed} failed, {skipped} skipped");
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
