//! A difference as people read it: a unified diff in lines of the page, and what varied beside it.

use std::fmt::Write as _;

use super::hints::shown;
use crate::compare::{Comparison, Op, PrintedLine};

/// Lines of context around a difference.
const CONTEXT: usize = 3;

/// Longest diff that is shown, in lines.
const MAX_DIFF: usize = 200;

/// How many lines that varied are shown.
const MAX_VARIED: usize = 40;

/// Index of the first printed line that differs, or before which a line is missing.
pub(super) fn first_difference(comparison: &Comparison) -> Option<usize> {
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
pub(super) fn diff(comparison: &Comparison, path: &str, first_line: usize) -> String {
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
    for (at, op) in comparison.ops.iter().enumerate() {
        let partner = |op: Option<&Op>| op.map(|op| line_of(comparison, op));
        let (sign, text) = match op {
            Op::Same { .. } | Op::Gap { .. } => (' ', line_of(comparison, op)),
            Op::Removed { .. } => {
                let other = comparison.ops.get(at + 1).filter(|op| matches!(op, Op::Added { .. }));
                ('-', shown(&line_of(comparison, op), partner(other).as_deref()))
            }
            Op::Added { .. } => {
                let before = at.checked_sub(1).and_then(|at| comparison.ops.get(at));
                let other = before.filter(|op| matches!(op, Op::Removed { .. }));
                ('+', shown(&line_of(comparison, op), partner(other).as_deref()))
            }
        };
        let row = Row { sign, text, printed: next };
        next += usize::from(sign != '+');
        rows.push(row);
    }
    rows
}

/// The line of a step: a printed one with its note, or a measured one.
fn line_of(comparison: &Comparison, op: &Op) -> String {
    match op {
        Op::Gap { .. } => "...".to_owned(),
        Op::Same { printed, .. } | Op::Removed { printed } => match &comparison.printed[*printed] {
            PrintedLine::Gap => "...".to_owned(),
            PrintedLine::Line { text, note } => format!("{text}{note}"),
        },
        Op::Added { measured } => comparison.measured[*measured].clone(),
    }
}

/// The lines of a differing output that are equal to the printed ones only because something in
/// them may vary, as they were measured: the diff shows them as printed.
pub(super) fn varied(comparison: &Comparison, first_line: usize) -> Option<String> {
    let lines: Vec<String> = comparison
        .ops
        .iter()
        .filter_map(|op| {
            let Op::Same { printed, measured } = op else { return None };
            let (at, measured) = (printed, &comparison.measured[*measured]);
            let PrintedLine::Line { text, .. } = &comparison.printed[*at] else { return None };
            let same = text.split_whitespace().eq(measured.split_whitespace());
            (!same).then(|| format!("\nline {}: {}", first_line + at, shown(measured, None)))
        })
        .collect();
    let more = lines.len().saturating_sub(MAX_VARIED);
    let mut out = lines[..lines.len() - more].concat();
    if more > 0 {
        let _ = write!(out, "\n… and {more} more; --record keeps the whole output");
    }
    (!out.is_empty()).then(|| format!("equal where it may vary, as measured:{out}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varied_is_shown_as_measured() {
        let line = |text: &str| PrintedLine::Line { text: text.into(), note: String::new() };
        let check = |ops: Vec<Op>, expect: Option<&str>| {
            let printed = vec![line("age 5s"), PrintedLine::Gap, line("a   b"), line("state OLD")];
            let measured = ["age 41s", "x", "a b", "state NEW"].map(str::to_owned).to_vec();
            let comparison = Comparison { equal: false, ops, printed, measured, notes: Vec::new() };
            assert_eq!(varied(&comparison, 12).as_deref(), expect);
        };
        let same = |printed, measured| Op::Same { printed, measured };
        let gap = Op::Gap { printed: 1, lines: 1 };
        let drift = [Op::Removed { printed: 3 }, Op::Added { measured: 3 }];
        let [removed, added] = drift;
        check(
            vec![same(0, 0), gap.clone(), same(2, 2), removed.clone(), added.clone()],
            Some("equal where it may vary, as measured:\nline 12: age 41s"),
        );
        check(vec![gap, same(2, 2), removed, added], None);
    }
}
