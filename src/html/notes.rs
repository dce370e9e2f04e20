//! Footnotes: numbered by their first reference, written at the end with links back.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Tag};

use super::walk::Walk;
use crate::book::Spanned;
use crate::diag::Diagnostic;

/// One footnote.
#[derive(Default)]
struct Note {
    number: usize,
    /// References in all.
    references: usize,
    /// References written so far.
    written: usize,
    html: String,
}

/// The footnotes of a page, by name.
#[derive(Default)]
pub(super) struct Notes {
    notes: BTreeMap<String, Note>,
    /// Those that are open, the innermost last.
    open: Vec<Open>,
}

/// A footnote that is being written.
struct Open {
    name: String,
    /// Whether its links back are written.
    linked: bool,
    /// What was written before it.
    outside: String,
}

impl Notes {
    /// Counts references, so that a footnote knows all its links back wherever it stands.
    pub(super) fn of(events: &[Spanned<'_>]) -> Notes {
        let mut notes: BTreeMap<String, Note> = BTreeMap::new();
        for (event, _) in events {
            let Event::FootnoteReference(name) = event else { continue };
            let next = notes.len() + 1;
            let note = notes.entry(name.to_string()).or_default();
            note.references += 1;
            if note.number == 0 {
                note.number = next;
            }
        }
        Notes { notes, ..Notes::default() }
    }
}

/// The anchor of the `which`th reference (from 1) to a footnote.
fn anchor(number: usize, which: usize) -> String {
    if which == 1 { format!("fnref-{number}") } else { format!("fnref-{number}-{which}") }
}

impl Walk<'_> {
    /// A reference in the text.
    pub(super) fn note_reference(&mut self, name: &str) {
        let label = self.word("footnote");
        let Some(note) = self.notes.notes.get_mut(name) else { return };
        note.written += 1;
        let (number, id) = (note.number, anchor(note.number, note.written));
        let html = if self.links == 0 {
            format!(
                "<sup id=\"{id}\"><a href=\"#fn-{number}\" aria-label=\"{label} {number}\">{number}</a></sup>"
            )
        } else {
            format!("<sup id=\"{id}\">{number}</sup>")
        };
        self.push(&html);
    }

    /// A footnote begins: what follows is kept for the end of the page.
    pub(super) fn start_note(&mut self) {
        let Some((Event::Start(Tag::FootnoteDefinition(name)), range)) =
            self.events.get(self.at - 1)
        else {
            return;
        };
        if !self.notes.notes.contains_key(&**name) {
            let message = format!("nothing refers to footnote `{name}`; it is not shown");
            let hint = format!("write `[^{name}]` where it belongs, or delete it");
            let end = range.start + format!("[^{name}]").len();
            self.report(Diagnostic::warning("PG022", message).hint(hint), range.start..end);
        }
        let outside = std::mem::take(&mut self.out);
        self.notes.open.push(Open { name: name.to_string(), linked: false, outside });
    }

    /// A footnote ends. One that nothing refers to is not shown.
    pub(super) fn end_note(&mut self) {
        if self.notes.open.last().is_some_and(|open| !open.linked) {
            self.push("<p>");
            self.push_back_links();
            self.push("</p>\n");
        }
        let Some(Open { name, outside, .. }) = self.notes.open.pop() else { return };
        let html = std::mem::replace(&mut self.out, outside);
        if let Some(note) = self.notes.notes.get_mut(&name) {
            note.html = html;
        }
    }

    /// The links from the open footnote back to its references.
    pub(super) fn push_back_links(&mut self) {
        let label = self.word("footnote-back");
        let Some(open) = self.notes.open.last_mut() else { return };
        open.linked = true;
        let Some(note) = self.notes.notes.get(&open.name) else { return };
        let (number, references) = (note.number, note.references);
        for which in 1..=references {
            let id = anchor(number, which);
            let count = if which == 1 { String::new() } else { format!(" {which}") };
            self.push(&format!(
                " <a class=\"back\" href=\"#{id}\" aria-label=\"{label} {number}{count}\">↩{count}</a>"
            ));
        }
    }

    /// All footnotes, at the end of the page.
    pub(super) fn write_notes(&mut self) {
        let mut notes: Vec<Note> = std::mem::take(&mut self.notes.notes).into_values().collect();
        notes.retain(|note| !note.html.is_empty());
        if notes.is_empty() {
            return;
        }
        notes.sort_by_key(|note| note.number);
        let label = self.word("footnotes");
        self.push(&format!("<section class=\"footnotes\" aria-label=\"{label}\"><ol>\n"));
        for note in notes {
            let number = note.number;
            self.push(&format!("<li id=\"fn-{number}\" value=\"{number}\">{}</li>\n", note.html));
        }
        self.push("</ol></section>\n");
    }
}
