//! Printed text against measured text: equal up to elisions, notes, value classes and one
//! consistent renaming over the whole page.

mod align;
mod console;
mod contain;
mod line;
mod printed;

pub(crate) use align::Op;
pub(crate) use console::{command, console_outputs, reads_as_command};
pub(crate) use contain::{Missing, missing};
pub(crate) use printed::{PrintedLine, escape, normalise, parse as printed_lines};

use crate::vary::{Classes, Renaming};
use line::Shape;

/// What is compared with what.
pub(crate) struct Question<'a> {
    /// The text of the output fence.
    pub(crate) printed: &'a str,
    /// The measured text, normalised.
    pub(crate) measured: &'a str,
    /// The value classes in effect.
    pub(crate) classes: &'a Classes,
    /// Whether lines may come in any order.
    pub(crate) unordered: bool,
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
}

/// Compares; names that correspond are added to `names`.
pub(crate) fn compare(question: &Question<'_>, names: &mut Renaming) -> Comparison {
    let printed = printed::parse(question.printed);
    let measured: Vec<String> = question.measured.lines().map(str::to_owned).collect();
    let shape = |text: &str| Shape::of(text, question.classes);
    let wanted: Vec<Option<Shape>> = printed
        .iter()
        .map(|line| match line {
            PrintedLine::Gap => None,
            PrintedLine::Line { text, .. } => Some(shape(text.trim_end())),
        })
        .collect();
    let got: Vec<Shape> = measured.iter().map(|line| shape(line.trim_end())).collect();
    let exact = if question.unordered {
        align::unordered(&wanted, &got, names)
    } else {
        align::exact(&wanted, &got, names)
    };
    let equal = exact.is_some();
    let ops = exact.unwrap_or_else(|| align::nearest(&wanted, &got, names));
    Comparison { equal, ops, printed, measured }
}

/// A line of a refreshed output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refreshed {
    /// The printed line of that index stays, byte for byte.
    Kept(usize),
    /// A new line.
    New(String),
}

impl Comparison {
    /// The lines of the output with every drifted one replaced by the measured one. Equal lines,
    /// elisions and notes stay; names are written as the page knows them.
    pub(crate) fn refreshed(&self, classes: &Classes, names: &Renaming) -> Vec<Refreshed> {
        let mut out = Vec::new();
        let mut removed: Vec<usize> = Vec::new();
        for op in &self.ops {
            match op {
                Op::Same { printed, .. } | Op::Gap { printed, .. } => {
                    removed.clear();
                    out.push(Refreshed::Kept(*printed));
                }
                Op::Removed { printed } => removed.push(*printed),
                Op::Added { measured } => {
                    let text = line::rename_back(&self.measured[*measured], classes, names);
                    let note = if removed.is_empty() { "" } else { self.note(removed.remove(0)) };
                    out.push(Refreshed::New(format!("{}{note}", escape(&text))));
                }
            }
        }
        out
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
