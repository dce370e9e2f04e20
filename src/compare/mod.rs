//! Printed text against measured text: equal up to elisions, notes, value classes and one
//! consistent renaming over the whole page.
//!
//! `compare` looks for an alignment that makes the two equal, and binds names only then. A text
//! that differs is aligned as near as can be (`compare_drifted`), for its diff and its refresh.

mod align;
mod anyorder;
mod console;
mod contain;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod include;
mod line;
mod printed;
mod sides;
mod table;
mod wanted;

pub(crate) use align::Op;
pub(crate) use console::{command, console_outputs, reads_as_command};
pub(crate) use contain::missing;
pub(crate) use include::first_difference;
pub(crate) use printed::{Form, PrintedLine, escape, normalise, parse as printed_lines};
pub(crate) use wanted::wanted;

use crate::vary::{Classes, Order, Renaming};
use sides::Sides;

/// What is compared with what.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    /// The text of the output fence.
    pub(crate) printed: &'a str,
    /// The measured text, normalised in the same form.
    pub(crate) measured: &'a str,
    /// The value classes in effect, with their bounds.
    pub(crate) classes: &'a Classes,
    /// In which order lines and rows may come.
    pub(crate) order: Order,
    /// Whether trailing blanks and the last newline count.
    pub(crate) form: Form,
    /// The line of the page where the printed text begins; 0 where it is not known.
    pub(crate) first_line: usize,
}

/// How a printed text and a measured one relate, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// Whether they are equal.
    pub(crate) equal: bool,
    /// The alignment, in order.
    pub(crate) ops: Vec<Op>,
    /// The printed lines.
    pub(crate) printed: Vec<PrintedLine>,
    /// The measured lines.
    pub(crate) measured: Vec<String>,
    /// Cells, columns and names that differ, a sentence each.
    pub(crate) notes: Vec<String>,
}

/// Compares; names that correspond are added to `names` when the two are equal.
pub(crate) fn compare(question: &Question<'_>, names: &mut Renaming) -> Comparison {
    let sides = Sides::of(question);
    if let Some(ops) = sides.exact(names) {
        return sides.comparison(ops, None);
    }
    // Lines that come in order are equal whatever their tables are: an elision below a table may
    // stand for lines that are no rows of it.
    if sides.has_tables() {
        let plain = Sides::of(&Question { order: Order::Ordered, ..*question });
        if let Some(ops) = plain.exact(names) {
            return plain.comparison(ops, None);
        }
    }
    sides.nearest(&mut names.clone())
}

/// The nearest alignment of two texts that differ; names of its equal lines are added to `names`.
pub(crate) fn compare_drifted(question: &Question<'_>, names: &mut Renaming) -> Comparison {
    Sides::of(question).nearest(names)
}

/// A line of a refreshed output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refreshed {
    /// The printed line of that index stays, byte for byte.
    Kept(usize),
    /// A new line.
    New(String),
}

/// What a name of a class is written as in a refreshed output.
pub(crate) trait Writer {
    /// Another text for a measured name.
    fn measured(&mut self, class: &str, name: &str) -> Option<String>;
    /// Another text for a name that is printed on a line that stays.
    fn printed(&mut self, class: &str, name: &str) -> Option<String>;
}

impl Comparison {
    /// The lines of the output with every drifted one replaced by the measured one. Equal lines,
    /// elisions and notes stay; names are written as `writer` says.
    pub(crate) fn refreshed(&self, classes: &Classes, writer: &mut dyn Writer) -> Vec<Refreshed> {
        let mut out = Vec::new();
        let mut removed: Vec<usize> = Vec::new();
        for op in &self.ops {
            match op {
                Op::Same { printed, .. } | Op::Gap { printed, .. } => {
                    removed.clear();
                    out.push(self.kept(*printed, classes, writer));
                }
                Op::Removed { printed } => removed.push(*printed),
                Op::Added { measured } => {
                    let known = |class: &str, name: &str| writer.measured(class, name);
                    let text = line::renamed(&self.measured[*measured], classes, known);
                    let note = if removed.is_empty() { "" } else { self.note(removed.remove(0)) };
                    out.push(Refreshed::New(format!("{}{note}", escape(&text))));
                }
            }
        }
        out
    }

    /// The output as it stands, with names as `writer` says.
    pub(crate) fn as_printed(&self, classes: &Classes, writer: &mut dyn Writer) -> Vec<Refreshed> {
        (0..self.printed.len()).map(|at| self.kept(at, classes, writer)).collect()
    }

    /// A line that stays.
    fn kept(&self, at: usize, classes: &Classes, writer: &mut dyn Writer) -> Refreshed {
        let PrintedLine::Line { text, note } = &self.printed[at] else {
            return Refreshed::Kept(at);
        };
        let new = line::renamed(text, classes, |class, name| writer.printed(class, name));
        if new == *text { Refreshed::Kept(at) } else { Refreshed::New(escape(&new) + note) }
    }

    /// The note behind a printed line.
    fn note(&self, printed: usize) -> &str {
        match &self.printed[printed] {
            PrintedLine::Line { note, .. } => note,
            PrintedLine::Gap => "",
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
