//! What must hold for a refresh of any page after any run: only outputs and live numbers change,
//! twice is once, the commands stay, and the same run verifies afterwards.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;
use std::time::Duration;

use super::edit::{Edit, apply};
use super::judge::{judge, settle};
use super::outcome::{PageResult, StepResult};
use super::plan::{Plan, Selection, plan};
use super::rewrite::{Edits, Refresh, command_lines};
use super::session::{End, Outcome, Output};
use crate::book::{Page, parse};
use crate::config::Config;
use crate::source::Sources;

/// What each unit of a page prints.
pub(super) type Transcript = BTreeMap<String, String>;

/// The settings of every page; its classes are compiled once.
static CONFIG: LazyLock<Config> = LazyLock::new(Config::default);

/// A parsed page with its plan.
pub(super) struct Parsed {
    sources: Sources,
    pub(super) page: Page,
    plan: Plan,
    /// Whether the page has no finding, so that labdoc would run it.
    sound: bool,
}

/// Parses a page.
pub(super) fn parsed(text: &str) -> Parsed {
    let mut sources = Sources::default();
    let file = sources.add("content/a.md", text);
    let checked = parse(&sources, file);
    let (page, sound) = (checked.value, checked.diagnostics.is_empty());
    let plan = plan(&page, &CONFIG, &sources, &Selection::default());
    Parsed { sources, page, plan, sound }
}

impl Parsed {
    /// The page's run, had its blocks printed this.
    pub(super) fn run(&self, transcript: &Transcript) -> PageResult {
        let mut result = PageResult::default();
        for step in &self.plan.steps {
            let mut done = StepResult::new(&step.id);
            for unit in &step.units {
                let text = transcript.get(&unit.id).map_or("", String::as_str);
                done.units.push(judge(step, unit, &outcome(text), &mut result.names));
            }
            result.steps.push(done);
        }
        settle(&self.plan, &mut result);
        result
    }

    /// The text after a refresh of these blocks (all when empty), and its edits.
    pub(super) fn refreshed(&self, result: &PageResult, only: &[String]) -> (String, Edits) {
        let (page, plan, sources) = (&self.page, &self.plan, &self.sources);
        let edits = Refresh { page, plan, result, sources, config: &CONFIG, only }.edits();
        (apply(sources.text(page.file), &edits.edits), edits)
    }

    /// The ids and commands of all blocks.
    pub(super) fn commands(&self) -> Vec<(String, String)> {
        self.page.blocks.iter().map(command_lines).collect()
    }

    /// Where a refresh may write: outputs, the runs around them, live numbers.
    fn places(&self) -> Vec<Range<usize>> {
        let units = self.plan.steps.iter().flat_map(|step| &step.units);
        let outputs = units
            .filter_map(|unit| unit.printed.as_ref())
            .flat_map(|p| [p.content.range(), p.runs.0.range(), p.runs.1.range()]);
        outputs.chain(self.page.lives.iter().map(|live| live.value_span.range())).collect()
    }

    /// The units that could not hold their output.
    fn unable(&self, result: &PageResult) -> Vec<String> {
        let steps = self.plan.steps.iter().zip(&result.steps);
        steps
            .flat_map(|(step, ran)| step.units.iter().zip(&ran.units))
            .filter(|(unit, got)| {
                got.comparison.as_ref().is_some_and(|c| !c.equal && unit.cannot_hold(&c.measured))
            })
            .map(|(unit, _)| unit.id.clone())
            .collect()
    }
}

/// A block that ended well and printed this.
fn outcome(text: &str) -> Outcome {
    Outcome {
        end: End::Exited(0),
        output: Output {
            bytes: text.as_bytes().to_vec(),
            total: text.len() as u64,
            sha256: String::new(),
            truncated: false,
        },
        stderr: None,
        duration: Duration::ZERO,
        pipestatus: vec![0],
        killed: Vec::new(),
        rebuilt: false,
    }
}

/// The units whose output differs.
pub(super) fn drifted(result: &PageResult) -> Vec<String> {
    let units = result.steps.iter().flat_map(|step| &step.units);
    units.filter(|unit| !unit.problems.is_empty()).map(|unit| unit.id.clone()).collect()
}

/// Checks all properties for a page, what its units print, and a subset of its blocks. Whether the
/// refresh was refused because the new outputs would change what the page runs, although each of
/// its units could hold its own.
///
/// # Errors
/// The property that does not hold, with the texts.
pub(super) fn check(text: &str, transcript: &Transcript, only: &[String]) -> Result<bool, String> {
    let before = parsed(text);
    let result = before.run(transcript);
    let (now, edited) = before.refreshed(&result, only);
    let places = before.places();
    for Edit { range, .. } in &edited.edits {
        let inside = |place: &Range<usize>| place.start <= range.start && range.end <= place.end;
        ensure(places.iter().any(inside), || format!("{range:?} is no output\n{text}"))?;
    }
    let was = drifted(&result);
    let stale = before.page.lives.iter().any(|live| live.name.is_some());
    let untouched = !was.is_empty() || stale || now == text;
    ensure(untouched, || format!("nothing differs, something is written\n{text}\n{now}"))?;

    let after = parsed(&now);
    ensure(after.commands() == before.commands(), || format!("commands\n{text}\n{now}"))?;
    let again = after.run(transcript);
    let unable = before.unable(&result);
    let block = |id: &String| id.split('/').next().unwrap_or("").to_owned();
    let refused = edited.notes.iter().any(|note| note.starts_with("nothing was refreshed"));
    let expected = |id: &&String| {
        let chosen = !refused && (only.is_empty() || only.contains(&block(id)));
        !unable.contains(id) && (chosen || !was.contains(id))
    };
    let left = drifted(&again);
    let wrong: Vec<&String> = left.iter().filter(expected).collect();
    ensure(wrong.is_empty(), || {
        format!("{wrong:?} differ after the refresh\n{text}\n{now}\n{transcript:?}")
    })?;
    let (twice, _) = after.refreshed(&again, only);
    ensure(twice == now, || format!("a second refresh changes something\n{text}\n{now}\n{twice}"))?;
    Ok(refused && unable.is_empty())
}

/// The sentence, unless it holds.
fn ensure(holds: bool, sentence: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(sentence()) }
}

/// Reads bytes as a page and what its units print in turn, parted by NUL.
pub(crate) fn refresh(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.split('\0');
    let page = parts.next().unwrap_or("");
    let printed: Vec<&str> = parts.collect();
    let before = parsed(page);
    if !before.sound || printed.is_empty() {
        return;
    }
    let units = before.plan.steps.iter().flat_map(|step| &step.units);
    let transcript: Transcript = units
        .zip(printed.iter().cycle())
        .map(|(unit, text)| (unit.id.clone(), (*text).to_owned()))
        .collect();
    if let Err(sentence) = check(page, &transcript, &[]) {
        panic!("{sentence}");
    }
}
