//! What a run came to as findings: each with page, line and, for drift, a unified diff.

use std::fmt::Write as _;

use super::outcome::{PageResult, Problem, StepResult, UnitResult};
use super::plan::{Plan, Step, Unit};
use super::rewrite::Edit;
use crate::book::{LiveNumber, Page};
use crate::compare::{Comparison, Op, PrintedLine};
use crate::diag::{Diagnostic, Place};
use crate::source::{Sources, Span};
use crate::vary::Kind;

/// Lines of context around a difference.
const CONTEXT: usize = 3;

/// Longest diff that is shown, in lines.
const MAX_DIFF: usize = 200;

/// All findings of a page's run, in page order.
pub(crate) fn findings(
    plan: &Plan,
    page: &Page,
    result: &PageResult,
    sources: &Sources,
) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for step in &plan.steps {
        let Some(ran) = result.step(&step.id) else { continue };
        for (unit, got) in step.units.iter().zip(&ran.units) {
            for problem in &got.problems {
                out.push(finding(step, unit, got, (problem, sources)));
            }
            out.extend(got.remarks.iter().map(|text| {
                Diagnostic::note_of("VR010", format!("block `{}`: {text}", unit.id)).at(unit.span)
            }));
        }
        out.extend(stale_lives(plan, page, result, ran).into_iter().map(|drift| drift.finding()));
    }
    if !result.survivors.is_empty() {
        let message = "processes outlived the page and were ended";
        let place = Place::File(page.path.clone(), None);
        let mut finding = Diagnostic::warning("VR009", message);
        finding.place = place;
        finding.notes.clone_from(&result.survivors);
        out.push(finding);
    }
    out.sort_by_key(|finding| finding.place.clone());
    out
}

/// One problem as a finding.
fn finding(
    step: &Step,
    unit: &Unit,
    got: &UnitResult,
    (problem, sources): (&Problem, &Sources),
) -> Diagnostic {
    let id = &unit.id;
    match problem {
        Problem::Drift => drift(unit, got, sources),
        Problem::Exit { expected, got: code } => {
            let message = format!("block `{id}` ended with exit code {code}, expected {expected}");
            with_output(Diagnostic::error("VR002", message).at(unit.span), got)
        }
        Problem::TimedOut(limit) => {
            let message = format!("block `{id}` was ended after its time limit of {limit:?}");
            let finding = Diagnostic::error("VR003", message).at(unit.span);
            let finding = with_output(finding, got);
            let finding =
                got.killed.iter().fold(finding, |f, line| f.note(format!("ended: {line}")));
            finding.hint(format!("raise it with timeout= on the block (now {:?})", step.timeout))
        }
        Problem::Syntax { message, line } => {
            let at = syntax_place(unit, *line, sources);
            let mut words = message.lines();
            let first = words.next().unwrap_or("syntax error");
            let finding = Diagnostic::error("VR004", format!("block `{id}`: {first}")).at(at);
            words.fold(finding, |f, line| f.note(line)).note("nothing of the block was run")
        }
        Problem::Interrupted => {
            Diagnostic::error("VR007", format!("block `{id}` was interrupted")).at(unit.span)
        }
        Problem::Capture(name) => {
            let message = format!("capture `{name}` found nothing in the output of block `{id}`");
            with_output(Diagnostic::error("VR005", message).at(unit.span), got)
        }
    }
}

/// Adds the last lines of the output.
fn with_output(finding: Diagnostic, got: &UnitResult) -> Diagnostic {
    let lines: Vec<&str> = got.output.lines().collect();
    let shown = lines.len().saturating_sub(12);
    let tail = &lines[shown..];
    if tail.is_empty() {
        finding.note("it printed nothing")
    } else {
        finding.note(format!("it printed:\n{}", tail.join("\n")))
    }
}

/// The line of the page where bash found a syntax error.
fn syntax_place(unit: &Unit, line: usize, sources: &Sources) -> Span {
    let source = sources.file(unit.span.file);
    let first = source.position(unit.span.start).line;
    let lines = unit.text.lines().count().max(1);
    let range = source.line_range(first + line.clamp(1, lines) - 1);
    let text = source.text[range.clone()].trim_end();
    let indent = text.len() - text.trim_start().len();
    Span::new(unit.span.file, range.start + indent..range.start + text.len())
}

/// The finding for an output that differs, with a unified diff in lines of the page.
fn drift(unit: &Unit, got: &UnitResult, sources: &Sources) -> Diagnostic {
    let message = format!("the output of block `{}` differs from the page", unit.id);
    let mut finding = Diagnostic::error("VR001", message).at(unit.span);
    let (Some(comparison), Some(printed)) = (&got.comparison, &unit.printed) else {
        return finding;
    };
    let source = sources.file(printed.content.file);
    let first_line = source.position(printed.content.start).line;
    if let Some(at) = first_difference(comparison) {
        let span = printed.lines.get(at).copied();
        finding.place = Place::Text(
            span.unwrap_or(Span::new(unit.span.file, printed.content.start..printed.content.start)),
        );
    }
    let hint = if unit.cannot_hold(&comparison.measured) {
        "a console block would read that output as a command: write it as sh with an output fence"
    } else {
        "refresh the page with labdoc verify --update, or mark what may vary with vary="
    };
    finding.note(diff(comparison, &source.path, first_line)).hint(hint)
}

/// Index of the first printed line that differs, or before which a line is missing.
fn first_difference(comparison: &Comparison) -> Option<usize> {
    let mut next = 0;
    for op in &comparison.ops {
        match op {
            Op::Same { printed, .. } | Op::Gap { printed, .. } => next = printed + 1,
            Op::Removed { printed } => return Some(*printed),
            Op::Added { .. } => return Some(next),
        }
    }
    None
}

/// A unified diff whose line numbers are those of the page.
fn diff(comparison: &Comparison, path: &str, first_line: usize) -> String {
    let rows = rows(comparison);
    let mut out = format!("--- {path} (printed)\n+++ measured\n");
    let near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        let to = (at + CONTEXT + 1).min(rows.len());
        rows[from..to].iter().any(|row| row.sign != ' ')
    };
    let mut shown = 0;
    let mut open = false;
    for (at, row) in rows.iter().enumerate() {
        if !near(at) || shown >= MAX_DIFF {
            open = false;
            continue;
        }
        if !open {
            let _ = writeln!(out, "@@ line {} @@", first_line + row.printed);
            open = true;
        }
        let _ = writeln!(out, "{}{}", row.sign, row.text);
        shown += 1;
    }
    out.truncate(out.trim_end().len());
    out
}

/// One row of a diff.
struct Row {
    sign: char,
    text: String,
    printed: usize,
}

/// An alignment as rows.
fn rows(comparison: &Comparison) -> Vec<Row> {
    let mut next = 0;
    let mut rows = Vec::new();
    for op in &comparison.ops {
        let (sign, text) = match op {
            Op::Same { printed, .. } => (' ', printed_text(&comparison.printed[*printed])),
            Op::Gap { .. } => (' ', "...".to_owned()),
            Op::Removed { printed } => ('-', visible(&printed_text(&comparison.printed[*printed]))),
            Op::Added { measured } => ('+', visible(&comparison.measured[*measured])),
        };
        let row = Row { sign, text, printed: next };
        next += usize::from(sign != '+');
        rows.push(row);
    }
    rows
}

/// A printed line with its note.
fn printed_text(line: &PrintedLine) -> String {
    match line {
        PrintedLine::Gap => "...".to_owned(),
        PrintedLine::Line { text, note } => format!("{text}{note}"),
    }
}

/// Tabs and no-break spaces are shown, since two lines that look alike are no help.
fn visible(text: &str) -> String {
    text.replace('\t', "→\t").replace('\u{a0}', "⟨U+00A0⟩")
}

/// A live number that no longer is what was measured.
pub(crate) struct LiveDrift {
    live: LiveNumber,
    measured: String,
}

impl LiveDrift {
    /// The finding.
    fn finding(&self) -> Diagnostic {
        let name = self.live.name.as_deref().unwrap_or_default();
        let message = format!(
            "the live number {} for {name} was measured as {}",
            self.live.value, self.measured
        );
        Diagnostic::error("VR006", message)
            .at(self.live.value_span)
            .hint("refresh the page with labdoc verify --update")
    }

    /// The edit that refreshes it.
    pub(crate) fn edit(&self) -> Edit {
        Edit { range: self.live.value_span.range(), text: self.measured.clone() }
    }
}

/// The live numbers of a page that a block's values contradict. A value that may vary in the
/// output may vary in the prose.
pub(crate) fn stale_lives(
    plan: &Plan,
    page: &Page,
    result: &PageResult,
    ran: &StepResult,
) -> Vec<LiveDrift> {
    let Some(step) = plan.steps.iter().find(|step| step.id == ran.id) else { return Vec::new() };
    let drifted = |live: &LiveNumber| {
        let name = live.name.as_deref()?;
        let measured = result.values.get(name)?;
        let unit = ran.units.iter().find(|unit| unit.id == measured.unit)?;
        let value = measured.value.clone();
        if live.value == value || may_vary(step, unit, measured, (live, result)) {
            return None;
        }
        Some(LiveDrift { live: live.clone(), measured: value })
    };
    page.lives.iter().filter_map(drifted).collect()
}

/// Whether a value stands where its output may vary.
fn may_vary(
    step: &Step,
    unit: &UnitResult,
    measured: &super::outcome::Measured,
    (live, result): (&LiveNumber, &PageResult),
) -> bool {
    let line = unit.output.lines().nth(measured.line).unwrap_or("");
    step.classes.find(line).into_iter().any(|found| {
        let class = step.classes.class(found.class);
        line[found.range] == measured.value
            && (class.kind == Kind::Quantity
                || result.names.printed(&class.name, &measured.value) == Some(&live.value))
    })
}
