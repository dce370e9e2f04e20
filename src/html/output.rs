//! A printed output as HTML: varying values, notes and elisions set apart, escapes undone.

use super::escape::escape;
use super::world::World;
use crate::compare::{Form, PrintedLine, printed_lines};
use crate::vary::Classes;

/// In a line above this many bytes no values are looked for, so that the time is bounded.
const LONGEST_LINE: usize = 20 * 1024;

/// The lines of a printed output, each as HTML without its line end.
pub(super) fn lines(text: &str, classes: &Classes, world: &dyn World) -> Vec<String> {
    let may_differ = escape(world.word("may-differ"));
    printed_lines(text, Form::Plain)
        .iter()
        .map(|line| match line {
            PrintedLine::Gap => "<span class=\"gap\">⋯</span>".to_owned(),
            PrintedLine::Line { text, note } => {
                let mut html = values(text, classes, &may_differ);
                push_note(&mut html, note);
                html
            }
        })
        .collect()
}

/// A line with its varying values marked.
fn values(text: &str, classes: &Classes, may_differ: &str) -> String {
    if classes.is_empty() || text.len() > LONGEST_LINE {
        return escape(text).into_owned();
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for found in classes.find(text) {
        out.push_str(&escape(&text[from..found.range.start]));
        out.push_str(&format!("<span class=\"vary\" title=\"{may_differ}\">"));
        out.push_str(&escape(&text[found.range.clone()]));
        out.push_str("</span>");
        from = found.range.end;
    }
    out.push_str(&escape(&text[from..]));
    out
}

/// A note behind a line: its blanks, and the note with the arrow of print.
fn push_note(out: &mut String, note: &str) {
    if note.is_empty() {
        return;
    }
    let body = note.trim_start();
    out.push_str(&note[..note.len() - body.len()]);
    let words = body.strip_prefix("<-").or_else(|| body.strip_prefix('←')).unwrap_or(body);
    out.push_str(&format!("<span class=\"aside\">← {}</span>", escape(words.trim())));
}
