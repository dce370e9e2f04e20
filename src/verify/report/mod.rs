//! What a call of verify came to, as files for other programs: JUnit XML, TAP 14, JSON, and
//! annotations for a forge. Drift and a failed command are told apart in each of them.

mod github;
mod json;
mod junit;
mod tap;

pub(crate) use github::annotation;
pub(crate) use json::{document, parse};

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::diag::{Diagnostic, Failure, Place, Severity, render};
use crate::disk;
use crate::source::Sources;

use super::outcome::{PageResult, Problem, StepResult};
use super::plan::Plan;

/// What a block came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// As it should be.
    Passed,
    /// Its output is not what the page prints, and nothing else is wrong.
    Drifted,
    /// A command failed: another exit code, a syntax error, a capture that found nothing.
    Failed,
    /// It did not come to its end.
    Broken,
    /// It was not run.
    Skipped,
}

impl State {
    /// What a block came to.
    pub(crate) fn of(ran: &StepResult) -> State {
        let mut problems = ran.units.iter().flat_map(|unit| &unit.problems);
        if ran.skipped.is_some() {
            State::Skipped
        } else if ran.passed() {
            State::Passed
        } else if ran.only_drifted() {
            State::Drifted
        } else if problems.any(is_broken) {
            State::Broken
        } else {
            State::Failed
        }
    }

    /// The word in JSON and in TAP.
    pub(crate) fn word(self) -> &'static str {
        match self {
            State::Passed => "passed",
            State::Drifted => "drifted",
            State::Failed => "failed",
            State::Broken => "broken",
            State::Skipped => "skipped",
        }
    }

    /// The state of that word.
    fn of_word(word: &str) -> Option<State> {
        use State::{Broken, Drifted, Failed, Passed, Skipped};
        [Passed, Drifted, Failed, Broken, Skipped].into_iter().find(|state| state.word() == word)
    }

    /// Whether it makes a test fail.
    pub(crate) fn is_bad(self) -> bool {
        matches!(self, State::Drifted | State::Failed | State::Broken)
    }
}

/// One block in a report.
#[derive(Clone, Debug)]
pub(crate) struct BlockReport {
    /// Its id; empty for what concerns the page as a whole.
    pub(crate) id: String,
    /// Line of its first command in the page, from 1.
    pub(crate) line: usize,
    /// Column of it, from 1.
    pub(crate) column: usize,
    /// What it came to.
    pub(crate) state: State,
    /// Why, in a few words.
    pub(crate) why: String,
    /// The findings in full, as they are printed without colours.
    pub(crate) details: String,
    /// How long it took.
    pub(crate) duration: Duration,
    /// How often it was tried.
    pub(crate) attempts: u32,
    /// Its exit code.
    pub(crate) exit: Option<i32>,
    /// Its output, secrets out.
    pub(crate) output: String,
}

/// One page in a report.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageReport {
    /// The page's path from the root.
    pub(crate) path: String,
    /// Its blocks, in the order in which they ran.
    pub(crate) blocks: Vec<BlockReport>,
}

impl PageReport {
    /// A page that ran. `found` are its findings, `words` tells in a few words why a block failed.
    pub(crate) fn of(
        plan: &Plan,
        result: &PageResult,
        (found, sources): (&[Diagnostic], &Sources),
        words: &dyn Fn(&StepResult) -> String,
    ) -> PageReport {
        let blocks = plan.steps.iter().filter_map(|step| {
            let ran = result.step(&step.id)?;
            let place = step.units.first().map(|unit| sources.position(unit.span));
            let lines = place_lines(step, sources);
            let own = found.iter().filter(|finding| is_at(finding, &lines, sources));
            let details: Vec<String> = own.map(|finding| render(finding, sources, false)).collect();
            let why = ran.skipped.clone().unwrap_or_else(|| words(ran).trim().to_owned());
            Some(BlockReport {
                id: step.id.clone(),
                line: place.map_or(0, |place| place.line),
                column: place.map_or(0, |place| place.column),
                state: State::of(ran),
                why,
                details: details.join("\n"),
                duration: ran.duration,
                attempts: u32::try_from(ran.attempts()).unwrap_or(u32::MAX),
                exit: ran.units.last().and_then(|unit| unit.exit),
                output: ran.units.iter().map(|unit| unit.output.as_str()).collect(),
            })
        });
        PageReport { path: plan.path.clone(), blocks: blocks.collect() }
    }

    /// A page that was not run.
    pub(crate) fn skipped(plan: &Plan, why: &str, sources: &Sources) -> PageReport {
        let blocks = plan.steps.iter().map(|step| {
            let place = step.units.first().map(|unit| sources.position(unit.span));
            let line = place.map_or(0, |place| place.line);
            let id = step.id.clone();
            BlockReport { id, ..whole(State::Skipped, why.to_owned(), String::new(), line) }
        });
        PageReport { path: plan.path.clone(), blocks: blocks.collect() }
    }

    /// A page that could not be run.
    pub(crate) fn failed(path: &str, failure: &Failure) -> PageReport {
        let details = failure.hint.clone().unwrap_or_default();
        PageReport {
            path: path.to_owned(),
            blocks: vec![whole(State::Broken, failure.message.clone(), details, 1)],
        }
    }

    /// Pages that were not run because something is wrong with what they say.
    pub(crate) fn of_findings(found: &[Diagnostic], sources: &Sources) -> Vec<PageReport> {
        let mut pages: Vec<PageReport> = Vec::new();
        for finding in found.iter().filter(|finding| finding.severity == Severity::Error) {
            let (path, line) = match &finding.place {
                Place::Text(span) => (sources.path(span.file), sources.line(*span)),
                Place::File(path, line) => (path.as_str(), line.unwrap_or(1)),
                Place::None => ("book.toml", 1),
            };
            let message = format!("{}: {}", finding.code, finding.message);
            let block = whole(State::Broken, message, render(finding, sources, false), line);
            match pages.iter_mut().find(|page| page.path == path) {
                Some(page) => page.blocks.push(block),
                None => pages.push(PageReport { path: path.to_owned(), blocks: vec![block] }),
            }
        }
        pages
    }
}

impl BlockReport {
    /// Whether it is about the page as a whole, which could not be run.
    pub(crate) fn is_of_page(&self) -> bool {
        self.id.is_empty()
    }
}

/// An entry about a page as a whole.
fn whole(state: State, why: String, details: String, line: usize) -> BlockReport {
    let (id, output) = (String::new(), String::new());
    let (duration, attempts, exit, column) = (Duration::ZERO, 0, None, 1);
    BlockReport { id, line, column, state, why, details, duration, attempts, exit, output }
}

/// Whether a block did not come to its end, or could not do its work.
fn is_broken(problem: &Problem) -> bool {
    matches!(problem, Problem::TimedOut(_) | Problem::Interrupted | Problem::Cluster(_))
}

/// The lines of the page that belong to a block: its commands and its printed output.
fn place_lines(step: &super::plan::Step, sources: &Sources) -> Vec<(String, usize, usize)> {
    let mut lines = Vec::new();
    for unit in &step.units {
        let path = sources.path(unit.span.file).to_owned();
        let first = sources.line(unit.span);
        lines.push((path.clone(), first, first + unit.text.lines().count().max(1) - 1));
        if let Some(printed) = &unit.printed {
            let first = sources.line(printed.content);
            lines.push((path, first, first + printed.text.lines().count()));
        }
    }
    lines
}

/// Whether a finding stands in one of these ranges of lines.
fn is_at(finding: &Diagnostic, lines: &[(String, usize, usize)], sources: &Sources) -> bool {
    let Place::Text(span) = finding.place else { return false };
    let (path, line) = (sources.path(span.file), sources.line(span));
    lines.iter().any(|(file, first, last)| file == path && (*first..=*last).contains(&line))
}

/// One report that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// JUnit XML.
    Junit(PathBuf),
    /// JSON.
    Json(PathBuf),
    /// TAP 14.
    Tap(PathBuf),
    /// Annotations on the terminal.
    Github,
}

impl std::str::FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        match text.split_once('=') {
            Some(("junit", path)) if !path.is_empty() => Ok(Target::Junit(path.into())),
            Some(("json", path)) if !path.is_empty() => Ok(Target::Json(path.into())),
            Some(("tap", path)) if !path.is_empty() => Ok(Target::Tap(path.into())),
            None if text == "github" => Ok(Target::Github),
            _ => Err("a report is junit=FILE, json=FILE, tap=FILE or github".to_owned()),
        }
    }
}

/// Writes the report files; paths are from the current folder.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write(targets: &[Target], pages: &[PageReport]) -> Result<(), Failure> {
    for target in targets {
        let (path, text): (&Path, String) = match target {
            Target::Junit(path) => (path, junit::document(pages)),
            Target::Json(path) => (path, document(pages)),
            Target::Tap(path) => (path, tap::document(pages)),
            Target::Github => continue,
        };
        disk::write(path, text.as_bytes())?;
    }
    Ok(())
}

/// A small report with one block of each kind.
#[cfg(test)]
fn sample() -> Vec<PageReport> {
    let block = |id: &str, state, why: &str| BlockReport {
        id: id.to_owned(),
        line: 7,
        column: 1,
        state,
        why: why.to_owned(),
        details: "a <diff>\n-\u{1b}[1m& \"x\"]]>".to_owned(),
        duration: Duration::from_millis(1250),
        attempts: u32::from(state != State::Skipped),
        exit: Some(0),
        output: "out\n".to_owned(),
    };
    vec![PageReport {
        path: "content/가.md".to_owned(),
        blocks: vec![
            block("a", State::Passed, ""),
            block("b", State::Drifted, "output differs"),
            block("c", State::Failed, "exit 3, expected 0"),
            block("d", State::Broken, "time limit of 2s"),
            block("e", State::Skipped, "marked .skip # 1"),
        ],
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read() {
        assert_eq!("junit=a.xml".parse(), Ok(Target::Junit("a.xml".into())));
        assert_eq!("github".parse(), Ok(Target::Github));
        for bad in ["junit", "junit=", "xml=a", "github=a", ""] {
            assert!(bad.parse::<Target>().is_err(), "{bad}");
        }
    }
}
