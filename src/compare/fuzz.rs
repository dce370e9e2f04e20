//! What must hold for any printed and any measured text.

use super::{Comparison, Form, Question, Refreshed, Writer, compare, compare_drifted};
use super::{escape, normalise};
use crate::vary::{Classes, Order, Registry, Renaming};

/// Sets of value classes that are tried.
const CLASSES: &[&[&str]] =
    &[&[], &["n"], &["ip", "port"], &["pod", "age", "n"], &["uid", "time", "duration", "date"]];

/// Writes every name as measured.
struct AsMeasured<'a>(&'a Renaming);

impl Writer for AsMeasured<'_> {
    fn measured(&mut self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn printed(&mut self, class: &str, name: &str) -> Option<String> {
        self.0.measured(class, name).map(str::to_owned)
    }
}

/// Reads bytes as options, a printed text and a measured one, parted by NUL. A text is equal to
/// itself, a refreshed text is equal to what was measured, and stays as it is.
pub(crate) fn comparison(data: &[u8]) {
    let Some((&options, rest)) = data.split_first() else { return };
    let at = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
    let form = if options & 1 == 1 { Form::Strict } else { Form::Plain };
    let order = [Order::Natural, Order::Ordered, Order::Unordered][usize::from(options >> 1) % 3];
    let names = CLASSES[usize::from(options >> 3) % CLASSES.len()];
    let classes = Registry::default().select(names.iter().copied());
    let measured = normalise(rest.get(at + 1..).unwrap_or(&[]), form);
    let printed = String::from_utf8_lossy(&rest[..at]).into_owned();
    let ask = Ask { measured: &measured, classes: &classes, order, form };

    let itself: String = measured.lines().map(|line| escape(line) + "\n").collect();
    let (same, _) = ask.compare(&itself);
    assert!(same.equal, "not equal to itself: {itself:?}");

    let (comparison, names) = ask.compare(&printed);
    let lines: Vec<&str> = printed.lines().collect();
    let line = |line: Refreshed| match line {
        Refreshed::Kept(at) => format!("{}\n", lines[at]),
        Refreshed::New(text) => format!("{text}\n"),
    };
    let writer = &mut AsMeasured(&names);
    let text: String = comparison.refreshed(&classes, writer).into_iter().map(line).collect();
    let (again, _) = ask.compare(&text);
    assert!(again.equal, "{printed:?} refreshed to {text:?} is not {measured:?}");
}

/// What a printed text is compared with, and how.
struct Ask<'a> {
    measured: &'a str,
    classes: &'a Classes,
    order: Order,
    form: Form,
}

impl Ask<'_> {
    /// The comparison, or the nearest alignment; and which names stand for which.
    fn compare(&self, printed: &str) -> (Comparison, Renaming) {
        let &Ask { measured, classes, order, form } = self;
        let question = Question { printed, measured, classes, order, form, first_line: 1 };
        let mut names = Renaming::default();
        let mut comparison = compare(&question, &mut names);
        if !comparison.equal {
            comparison = compare_drifted(&question, &mut names);
        }
        (comparison, names)
    }
}
