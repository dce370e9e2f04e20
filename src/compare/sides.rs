//! The two texts of a comparison taken apart: text that comes in order, and tables between.

use std::ops::Range;

use super::align::{self, Op};
use super::line::Shape;
use super::printed::{PrintedLine, parse};
use super::table::{self, Table, tables};
use super::{Comparison, Question, anyorder};
use crate::vary::{Classes, Order, Renaming};

/// How many sentences explain one difference.
const MAX_NOTES: usize = 8;

/// The lines of both sides.
pub(super) struct Sides<'a> {
    classes: &'a Classes,
    order: Order,
    first_line: usize,
    printed: Vec<PrintedLine>,
    measured: Vec<String>,
    wanted: Vec<Option<Shape>>,
    got: Vec<Shape>,
    /// Tables that stand for one another, in order.
    tables: Vec<(Table, Table)>,
}

/// A part of both sides.
#[derive(Clone)]
enum Part<'t> {
    /// Lines in order.
    Text(Range<usize>, Range<usize>),
    /// A table.
    Table(&'t Table, &'t Table),
}

impl<'a> Sides<'a> {
    /// Takes both texts apart.
    pub(super) fn of(question: &Question<'a>) -> Sides<'a> {
        let classes = question.classes;
        let printed = parse(question.printed, question.form);
        let measured: Vec<String> = question.measured.lines().map(str::to_owned).collect();
        let line = |at: usize| if question.first_line == 0 { 0 } else { question.first_line + at };
        let mut sides = Sides {
            classes,
            order: question.order,
            first_line: question.first_line,
            wanted: Vec::new(),
            got: Vec::new(),
            tables: Vec::new(),
            printed,
            measured,
        };
        if sides.order == Order::Natural {
            sides.tables = sides.paired_tables();
        }
        let wanted = sides.printed.iter().enumerate().map(|(at, printed)| match printed {
            PrintedLine::Gap => None,
            PrintedLine::Line { text, .. } => {
                let table = sides.tables.iter().map(|(t, _)| t).find(|t| t.rows.contains(&at));
                Some(sides.shape(question.form.trimmed(text), table, line(at)))
            }
        });
        let got = sides.measured.iter().enumerate().map(|(at, text)| {
            let table = sides.tables.iter().map(|(_, t)| t).find(|t| t.rows.contains(&at));
            sides.shape(question.form.trimmed(text), table, 0)
        });
        let (wanted, got) = (wanted.collect(), got.collect());
        (sides.wanted, sides.got) = (wanted, got);
        sides
    }

    /// Whether tables are compared as such.
    pub(super) fn has_tables(&self) -> bool {
        !self.tables.is_empty()
    }

    /// A line, or a row of a table.
    fn shape(&self, text: &str, table: Option<&Table>, line: usize) -> Shape {
        match table {
            Some(table) => Shape::of_cells(&table.cells(text), self.classes, line),
            None => Shape::of(text, self.classes, line),
        }
    }

    /// The tables of both sides that stand for one another: all of them when there are as many,
    /// else those with the same header, in order. None when a printed one has no counterpart.
    fn paired_tables(&self) -> Vec<(Table, Table)> {
        let printed: Vec<Option<&str>> = self
            .printed
            .iter()
            .map(|line| match line {
                PrintedLine::Gap => None,
                PrintedLine::Line { text, .. } => Some(text.as_str()),
            })
            .collect();
        let wanted = tables(&printed);
        if wanted.is_empty() {
            return Vec::new();
        }
        let measured: Vec<Option<&str>> = self.measured.iter().map(|l| Some(l.as_str())).collect();
        let got = tables(&measured);
        if wanted.len() == got.len() {
            return wanted.into_iter().zip(got).collect();
        }
        let mut rest = got.into_iter();
        let mut pairs = Vec::new();
        for table in wanted {
            match rest.find(|other| other.names() == table.names()) {
                Some(other) => pairs.push((table, other)),
                None => return Vec::new(),
            }
        }
        pairs
    }

    /// The parts in order.
    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::new();
        let (mut p, mut m) = (0, 0);
        for (old, new) in &self.tables {
            parts.push(Part::Text(p..old.header, m..new.header));
            parts.push(Part::Table(old, new));
            (p, m) = (old.rows.end, new.rows.end);
        }
        parts.push(Part::Text(p..self.wanted.len(), m..self.got.len()));
        parts
    }

    /// The alignment that makes both equal. Names that stand for themselves are tried first, so
    /// that a text is always equal to itself.
    pub(super) fn exact(&self, names: &mut Renaming) -> Option<Vec<Op>> {
        let has_choice = !self.tables.is_empty()
            || self.order == Order::Unordered
            || self.wanted.iter().any(Option::is_none);
        if has_choice && self.wanted.iter().flatten().any(Shape::has_names) {
            names.set_only_same(true);
            let found = self.exact_parts(names);
            names.set_only_same(false);
            if found.is_some() {
                return found;
            }
        }
        self.exact_parts(names)
    }

    /// The same, part by part.
    fn exact_parts(&self, names: &mut Renaming) -> Option<Vec<Op>> {
        let start = names.mark();
        if self.order == Order::Unordered {
            return anyorder::exact(&self.wanted, &self.got, names);
        }
        let mut ops = Vec::new();
        for part in self.parts() {
            let found = match part {
                Part::Text(p, m) => {
                    let found = align::exact(&self.wanted[p.clone()], &self.got[m.clone()], names);
                    moved(found, (p.start, m.start))
                }
                Part::Table(old, new) => self.exact_table(old, new, names),
            };
            match found {
                Some(found) => ops.extend(found),
                None => {
                    names.undo_to(start);
                    return None;
                }
            }
        }
        Some(ops)
    }

    /// Two equal tables: the same columns, the rows in any order.
    fn exact_table(&self, old: &Table, new: &Table, names: &mut Renaming) -> Option<Vec<Op>> {
        if old.names() != new.names() {
            return None;
        }
        let (p, m) = (old.rows.clone(), new.rows.clone());
        let rows = anyorder::exact(&self.wanted[p.clone()], &self.got[m.clone()], names);
        let mut ops = vec![Op::Same { printed: old.header, measured: new.header }];
        ops.extend(moved(rows, (p.start, m.start))?);
        Some(ops)
    }

    /// The alignment with the fewest differences.
    pub(super) fn nearest(self, names: &mut Renaming) -> Comparison {
        if self.order == Order::Unordered {
            let ops = anyorder::nearest(&self.wanted, &self.got, names, &mut |_, _, _| false);
            return self.explained(ops, Vec::new(), names);
        }
        let (mut ops, mut notes) = (Vec::new(), Vec::new());
        for part in self.parts() {
            match part {
                Part::Text(p, m) => {
                    let found =
                        align::nearest(&self.wanted[p.clone()], &self.got[m.clone()], names);
                    ops.extend(found.into_iter().map(|op| op.moved((p.start, m.start))));
                }
                Part::Table(old, new) => {
                    ops.extend(self.nearest_table((old, new), names, &mut notes))
                }
            }
        }
        self.explained(ops, notes, names)
    }

    /// Two tables that may differ: rows belong together by their names.
    fn nearest_table(
        &self,
        (old, new): (&Table, &Table),
        names: &mut Renaming,
        notes: &mut Vec<String>,
    ) -> Vec<Op> {
        let (p, m) = (old.rows.clone(), new.rows.clone());
        let same_columns = old.names() == new.names();
        notes.extend(table::column_notes(old, new));
        let mut by_name = |at: usize, other: usize, names: &mut Renaming| {
            let key = |table: &Table, text: &str, line| table.row_key(text, self.classes, line);
            let wanted = key(old, self.text(p.start + at), self.line(p.start + at));
            let mark = names.mark();
            let fits = wanted.matches(&key(new, &self.measured[m.start + other], 0), names);
            if !fits {
                names.undo_to(mark);
            }
            fits
        };
        let rows = (&self.wanted[p.clone()], &self.got[m.clone()]);
        let found = anyorder::nearest(rows.0, rows.1, names, &mut by_name);
        let mut rows: Vec<Op> = found.into_iter().map(|op| op.moved((p.start, m.start))).collect();
        // A new row whose cells are read by the place of the columns needs the measured header
        // above it, and that header changes how other such rows are read.
        let by_place = |op: &Op| match op {
            Op::Same { printed, measured } => {
                old.reads_by_place(self.text(*printed))
                    || new.reads_by_place(&self.measured[*measured])
            }
            Op::Added { measured } => new.reads_by_place(&self.measured[*measured]),
            Op::Removed { .. } | Op::Gap { .. } => false,
        };
        let moved = self.text(old.header) != self.measured[new.header]
            && rows.iter().any(|op| matches!(op, Op::Added { .. }) && by_place(op));
        if moved {
            let anew = |op: Op| if by_place(&op) { op.into_drifted() } else { vec![op] };
            rows = rows.into_iter().flat_map(anew).collect();
        }
        let mut head = vec![Op::Same { printed: old.header, measured: new.header }];
        if moved || !same_columns {
            head = head.into_iter().flat_map(Op::into_drifted).collect();
        }
        for (at, op) in rows.iter().enumerate() {
            notes.extend(self.row_notes((old, new), (op, rows.get(at + 1)), names));
        }
        head.into_iter().chain(rows).collect()
    }

    /// What is to say about a row that differs.
    fn row_notes(
        &self,
        (old, new): (&Table, &Table),
        (op, next): (&Op, Option<&Op>),
        names: &mut Renaming,
    ) -> Vec<String> {
        match (op, next) {
            (Op::Removed { printed }, Some(Op::Added { measured })) => {
                let (left, right) = (self.text(*printed), self.measured[*measured].as_str());
                table::cell_notes((old, left), (new, right), (self.classes, names))
            }
            (Op::Removed { printed }, _) => {
                vec![format!("row {} was not measured", old.row_name(self.text(*printed)))]
            }
            _ => Vec::new(),
        }
    }

    /// The text of a printed line.
    fn text(&self, at: usize) -> &str {
        match &self.printed[at] {
            PrintedLine::Line { text, .. } => text,
            PrintedLine::Gap => "...",
        }
    }

    /// The number of a printed line in the page.
    fn line(&self, at: usize) -> usize {
        if self.first_line == 0 { 0 } else { self.first_line + at }
    }

    /// A comparison of texts that differ, with the names that contradict one another.
    fn explained(self, ops: Vec<Op>, mut notes: Vec<String>, names: &Renaming) -> Comparison {
        for pair in ops.windows(2) {
            if let [Op::Removed { printed }, Op::Added { measured }] = pair
                && let Some(shape) = &self.wanted[*printed]
            {
                notes.extend(shape.conflicts(&self.got[*measured], names));
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        notes.retain(|note| seen.insert(note.clone()));
        if notes.len() > MAX_NOTES {
            let more = notes.len() - MAX_NOTES;
            notes.truncate(MAX_NOTES);
            notes.push(format!("… and {more} more"));
        }
        self.comparison(ops, Some(notes))
    }

    /// The result; notes are there where the two differ.
    pub(super) fn comparison(self, ops: Vec<Op>, notes: Option<Vec<String>>) -> Comparison {
        Comparison {
            equal: notes.is_none(),
            ops,
            printed: self.printed,
            measured: self.measured,
            notes: notes.unwrap_or_default(),
        }
    }
}

/// Moves the indices of an alignment.
fn moved(ops: Option<Vec<Op>>, by: (usize, usize)) -> Option<Vec<Op>> {
    ops.map(|ops| ops.into_iter().map(|op| op.moved(by)).collect())
}
