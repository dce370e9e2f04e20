//! Refreshing a page in place: byte ranges of the text that was parsed, applied last to first.

use std::ops::Range;
use std::path::Path;

use super::outcome::{PageResult, Problem, StepResult, UnitResult};
use super::plan::{Plan, Printed, Step, Unit};
use crate::compare::Refreshed;
use crate::diag::Failure;
use crate::disk;
use crate::source::{Sources, Span};

/// One change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The bytes that are replaced.
    pub(crate) range: Range<usize>,
    /// What they are replaced by.
    pub(crate) text: String,
}

/// The edits that refresh every drifted output of a page. A block that timed out, failed or was
/// not run is never touched.
pub(crate) fn output_edits(plan: &Plan, result: &PageResult, sources: &Sources) -> Vec<Edit> {
    let mut edits = Vec::new();
    for step in &plan.steps {
        let Some(ran) = result.step(&step.id).filter(|ran| ran.only_drifted()) else { continue };
        for (unit, got) in step.units.iter().zip(&ran.units) {
            if got.problems == [Problem::Drift] {
                edits.extend(unit_edits(step, unit, got, (result, sources)));
            }
        }
    }
    edits
}

/// Whether all that is wrong with a block is gone once its output is refreshed.
pub(crate) fn can_refresh(plan: &Plan, ran: &StepResult) -> bool {
    let step = plan.steps.iter().find(|step| step.id == ran.id);
    let holds = |(unit, got): (&Unit, &UnitResult)| {
        got.comparison.as_ref().is_none_or(|c| c.equal || !unit.cannot_hold(&c.measured))
    };
    ran.only_drifted() && step.is_some_and(|step| step.units.iter().zip(&ran.units).all(holds))
}

/// The edits of one unit.
fn unit_edits(
    step: &Step,
    unit: &Unit,
    got: &UnitResult,
    (result, sources): (&PageResult, &Sources),
) -> Vec<Edit> {
    let (Some(printed), Some(comparison)) = (&unit.printed, &got.comparison) else {
        return Vec::new();
    };
    if unit.cannot_hold(&comparison.measured) {
        return Vec::new();
    }
    let text = sources.text(printed.content.file);
    let newline = if text[..printed.content.start].ends_with("\r\n") { "\r\n" } else { "\n" };
    let lines = comparison.refreshed(&step.classes, &result.names);
    let content: String = lines
        .iter()
        .map(|line| match line {
            Refreshed::Kept(at) => physical_line(sources, printed.lines[*at]).to_owned(),
            Refreshed::New(new) => format!("{}{newline}", prefixed(&printed.prefix, new)),
        })
        .collect();
    let mut edits = vec![Edit { range: printed.content.range(), text: content }];
    edits.extend(widened(printed, &lines, sources));
    edits.retain(|edit| text[edit.range.clone()] != edit.text);
    edits
}

/// A new line behind the prefix of its list or quote; an empty one gets no trailing blanks.
pub(super) fn prefixed(prefix: &str, line: &str) -> String {
    if line.is_empty() { prefix.trim_end().to_owned() } else { format!("{prefix}{line}") }
}

/// A whole line of the page, prefix and line end included.
fn physical_line(sources: &Sources, span: Span) -> &str {
    let source = sources.file(span.file);
    &source.text[source.line_range(source.position(span.start).line)]
}

/// Wider fence runs, where a new line would end the fence.
fn widened(printed: &Printed, lines: &[Refreshed], sources: &Sources) -> Vec<Edit> {
    let new = lines.iter().filter_map(|line| match line {
        Refreshed::New(text) => Some(text.as_str()),
        Refreshed::Kept(_) => None,
    });
    widened_runs(printed.runs, new, sources)
}

/// Both runs of a fence, wider than any run at the start of these lines; nothing where they are.
pub(super) fn widened_runs<'l>(
    (open, close): (Span, Span),
    lines: impl Iterator<Item = &'l str>,
    sources: &Sources,
) -> Vec<Edit> {
    let run = sources.slice(open);
    let mark = run.chars().next().unwrap_or('`');
    let length = |line: &str| line.trim_start().chars().take_while(|c| *c == mark).count();
    let longest = lines.map(length).max().unwrap_or(0);
    if longest < run.len() {
        return Vec::new();
    }
    let wide: String = std::iter::repeat_n(mark, longest + 1).collect();
    [open, close].into_iter().map(|span| Edit { range: span.range(), text: wide.clone() }).collect()
}

/// Applies edits to a text, last to first.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
    let mut out = text.to_owned();
    for edit in sorted {
        out.replace_range(edit.range.clone(), &edit.text);
    }
    out
}

/// Writes the edited text of a page, unless nothing changes.
///
/// # Errors
/// The file no longer holds the text that was parsed, or cannot be written.
pub(crate) fn write(path: &Path, parsed: &str, edits: &[Edit]) -> Result<bool, Failure> {
    let edited = apply(parsed, edits);
    if edited == parsed {
        return Ok(false);
    }
    if disk::read(path)? != parsed.as_bytes() {
        let message = format!("{} was changed while its blocks ran", path.display());
        return Err(Failure::new(message).hint("run verify again; nothing was written"));
    }
    disk::replace(path, edited.as_bytes())?;
    Ok(true)
}
