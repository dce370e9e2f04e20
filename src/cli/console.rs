//! The terminal: findings and talk to standard error, results to standard output, JSON on
//! request.

use std::io::{IsTerminal as _, Write as _, stderr, stdin};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::args::Common;
use crate::diag::{Diagnostic, Failure, Severity, json_line, render};
use crate::source::{Sources, shown};

/// How many progress lines are on the terminal.
static DRAWN: AtomicUsize = AtomicUsize::new(0);

/// How to talk to whoever called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    json: bool,
    quiet: bool,
    colour: bool,
    live: bool,
}

/// How many findings of each weight were shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Errors.
    pub(crate) errors: usize,
    /// Warnings.
    pub(crate) warnings: usize,
}

impl Console {
    /// Reads the options and looks at the terminal.
    pub(crate) fn new(common: &Common) -> Console {
        let terminal = stderr().is_terminal();
        let no_colour = crate::proc::variable("NO_COLOR").is_some_and(|value| !value.is_empty());
        let live = terminal && !common.quiet && !common.json && common.verbose == 0;
        Console { json: common.json, quiet: common.quiet, colour: terminal && !no_colour, live }
    }

    /// Shows findings, in their order.
    pub(crate) fn findings(&self, findings: &[Diagnostic], sources: &Sources) -> Tally {
        let mut tally = Tally::default();
        self.clear();
        for finding in findings {
            match finding.severity {
                Severity::Error => tally.errors += 1,
                Severity::Warning => tally.warnings += 1,
                Severity::Note => {}
            }
            if self.json {
                print_line(&json_line(finding, sources));
            } else if !(self.quiet && finding.severity == Severity::Note) {
                print_error(&format!("{}\n", render(finding, sources, self.colour)));
            }
        }
        tally
    }

    /// A line of talk, for people only.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet && !self.json {
            self.clear();
            print_line(&shown(text));
        }
    }

    /// What is being done right now, one line a page; replaced by the next call. Nothing without a
    /// terminal.
    pub(crate) fn progress(&self, lines: &[String]) {
        if self.live {
            self.clear();
            let cut: Vec<String> =
                lines.iter().map(|line| shown(line).chars().take(100).collect()).collect();
            print_error(&cut.join("\n"));
            DRAWN.store(cut.len(), Ordering::SeqCst);
            // A progress line that cannot be shown is no loss.
            let _ = stderr().flush();
        }
    }

    /// Takes the progress lines away.
    fn clear(&self) {
        if self.live {
            let above = DRAWN.swap(0, Ordering::SeqCst).saturating_sub(1);
            print_error(&format!("\r\x1b[2K{}", "\x1b[1A\x1b[2K".repeat(above)));
        }
    }

    /// A workflow command of a forge, which reads either stream; standard output belongs to JSON
    /// where that was asked for.
    pub(crate) fn annotate(&self, line: &str) {
        self.clear();
        if self.json { print_error(&format!("{line}\n")) } else { print_line(line) }
    }

    /// Whether findings are drawn in colour.
    pub(crate) fn has_colour(&self) -> bool {
        self.colour
    }

    /// Whether somebody can type answers here.
    pub(crate) fn is_terminal(&self) -> bool {
        stdin().is_terminal() && stderr().is_terminal()
    }

    /// The last line: a sentence for people, an object for programs.
    pub(crate) fn summary(&self, sentence: &str, object: &serde_json::Value) {
        if self.json {
            print_line(&serde_json::json!({ "summary": object }).to_string());
        } else {
            self.say(sentence);
        }
    }

    /// A result that was asked for: printed whatever `--quiet` says.
    pub(crate) fn result(&self, text: &str) {
        self.clear();
        print_line(&shown(text));
    }

    /// Whether programs read what is printed.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// One object for programs.
    pub(crate) fn object(&self, object: &serde_json::Value) {
        print_line(&object.to_string());
    }

    /// Why the work could not be done.
    pub(crate) fn failure(&self, failure: &Failure) {
        self.clear();
        if self.json {
            let mut finding = Diagnostic::error("LD001", failure.message.clone());
            finding.hint.clone_from(&failure.hint);
            print_line(&json_line(&finding, &Sources::default()));
            print_line(
                &serde_json::json!({ "summary": { "outcome": "could not run" } }).to_string(),
            );
            return;
        }
        print_error(&format!("error: {}\n", shown(&failure.message)));
        if let Some(hint) = &failure.hint {
            print_error(&format!(" = help: {}\n", shown(hint)));
        }
    }
}

/// A line on standard output. Whoever reads it may have seen enough, as `head` has.
fn print_line(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// A text on standard error, whose reader may have seen enough, too.
fn print_error(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}
