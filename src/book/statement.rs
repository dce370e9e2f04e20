//! The statements of claims: their words as a reader sees them, and as their digest counts them.

use std::ops::Range;

use pulldown_cmark::Event;
use unicode_normalization::UnicodeNormalization as _;

use super::events::Spanned;
use super::inline::{Mark, MarkKind, visible};
use super::page::ClaimSpan;
use crate::source::{FileId, Span};

/// The claims of a page with their statements.
pub(super) fn claims(
    file: FileId,
    text: &str,
    events: &[Spanned<'_>],
    marks: &[Mark],
) -> Vec<ClaimSpan> {
    let claim = |mark: &Mark| {
        let MarkKind::Claim(id) = &mark.kind else { return None };
        let inner = mark.inner();
        let inside = |range: &Range<usize>| inner.start <= range.start && range.end <= inner.end;
        let lives: Vec<&Mark> = marks
            .iter()
            .filter(|m| matches!(m.kind, MarkKind::Live(_)) && inside(&m.range()))
            .collect();
        let mut statement = Statement { file, text, marks, lives: &lives, ..Statement::new(file) };
        for (event, range) in events.iter().filter(|(_, range)| inside(range)) {
            statement.event(event, range);
        }
        let names = lives.iter().filter_map(|m| match &m.kind {
            MarkKind::Live(name) if !name.is_empty() => Some(name.clone()),
            _ => None,
        });
        Some(ClaimSpan {
            id: id.clone(),
            statement: collapse(&statement.shown),
            digest_text: collapse(&statement.named),
            span: Span::new(file, mark.range()),
            bare_numbers: statement.bare,
            lives: names.collect(),
        })
    };
    marks.iter().filter_map(claim).collect()
}

/// A claim's words as they are gathered.
struct Statement<'t> {
    file: FileId,
    text: &'t str,
    marks: &'t [Mark],
    lives: &'t [&'t Mark],
    shown: String,
    named: String,
    bare: Vec<(String, Span)>,
}

impl Statement<'_> {
    /// Nothing gathered yet.
    fn new(file: FileId) -> Self {
        let (shown, named) = (String::new(), String::new());
        Statement { file, text: "", marks: &[], lives: &[], shown, named, bare: Vec::new() }
    }

    /// Takes one event of the statement.
    fn event(&mut self, event: &Event<'_>, range: &Range<usize>) {
        match event {
            Event::Text(text) => self.words(text, range),
            Event::Code(code) => self.both(code),
            Event::SoftBreak | Event::HardBreak => self.both(" "),
            _ => {}
        }
    }

    /// Running text; a live number counts by its name.
    fn words(&mut self, text: &str, range: &Range<usize>) {
        if self.text.get(range.clone()) != Some(text) {
            self.both(text);
            return;
        }
        let shown = visible(self.text, range, self.marks);
        self.shown.push_str(shown);
        let live = self
            .lives
            .iter()
            .find(|m| m.inner().start <= range.start && range.end <= m.inner().end);
        let Some(live) = live else {
            self.named.push_str(shown);
            self.numbers(shown, range.end - shown.len());
            return;
        };
        if let MarkKind::Live(name) = &live.kind {
            self.named.push_str(&if name.is_empty() {
                shown.to_owned()
            } else {
                format!("{{={name}}}")
            });
        }
    }

    /// Text that is shown and counted as it is.
    fn both(&mut self, text: &str) {
        self.shown.push_str(text);
        self.named.push_str(text);
    }

    /// Numbers that stand alone: not joined to a Latin letter, `/`, `-` or `_`.
    fn numbers(&mut self, shown: &str, at: usize) {
        let joined = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '-' | '_' | '.');
        let mut rest = 0;
        while let Some(found) = shown[rest..].find(|c: char| c.is_ascii_digit()) {
            let start = rest + found;
            let tail = &shown[start..];
            let len = tail
                .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
                .unwrap_or(tail.len());
            let number = tail[..len].trim_end_matches(['.', ',']);
            let before = self.text[..at + start].chars().next_back().is_some_and(joined);
            let after = self.text[at + start + len..].chars().next();
            let after =
                after.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '-' | '_'));
            if !before && !after {
                let span = Span::new(self.file, at + start..at + start + number.len());
                self.bare.push((number.to_owned(), span));
            }
            rest = start + len;
        }
    }
}

/// NFC with white space collapsed.
fn collapse(text: &str) -> String {
    text.nfc().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
