//! Running text: words, claims, live numbers, references, code.

use std::ops::Range;

use pulldown_cmark::Event;

use super::escape::{escape, escape_href};
use super::links::title_attribute;
use super::walk::Walk;
use super::world::Chip;
use crate::book::{Mark, MarkKind};

impl Walk<'_> {
    /// A text event: a bracket of a mark, or words.
    pub(super) fn words(&mut self, text: &str, range: &Range<usize>) {
        if let Some(index) = self.opens.get(&range.start).copied() {
            self.open_mark(index);
        } else if let Some(index) = self.closes.get(&range.start).copied() {
            self.close_mark(index);
        } else if self.hidden.contains(&range.start) {
            let shown = &self.text[self.hidden.end..range.end];
            self.push_text(shown);
        } else {
            self.push_text(text);
        }
    }

    /// Code in running text.
    pub(super) fn code(&mut self, code: &str) {
        self.push("<code>");
        self.push_text(code);
        self.push("</code>");
    }

    /// An opening bracket.
    fn open_mark(&mut self, index: usize) {
        let page = self.page;
        let mark = &page.marks[index];
        match &mark.kind {
            MarkKind::Claim(id) => {
                let anchor = escape(id);
                let (open, close) = if self.is_well_nested(mark) {
                    (format!("<span class=\"claim\" id=\"{anchor}\">"), "</span>")
                } else {
                    (format!("<span id=\"{anchor}\"></span>"), "")
                };
                self.open_marks.push((index, close));
                self.push(&open);
            }
            MarkKind::Live(name) => self.open_live(index, name),
            MarkKind::Cite(id) => match self.world.cite(id) {
                Some(chip) => {
                    self.hidden = mark.range();
                    self.push_chip(id, &chip);
                }
                // Unknown: the words stay, and the check over the whole book reports it.
                None => self.push_text("["),
            },
        }
    }

    /// The opening bracket of a live number or a setting.
    fn open_live(&mut self, index: usize, name: &str) {
        let page = self.page;
        if name.is_empty() || !self.is_well_nested(&page.marks[index]) {
            self.open_marks.push((index, ""));
            return;
        }
        match self.world.live(name).filter(|_| self.links == 0) {
            Some(href) => {
                self.links += 1;
                self.open_marks.push((index, "</a>"));
                self.push(&format!("<a class=\"live\" href=\"{}\">", escape_href(&href)));
            }
            None => {
                self.open_marks.push((index, "</span>"));
                self.push("<span class=\"live\">");
            }
        }
    }

    /// A closing bracket.
    fn close_mark(&mut self, index: usize) {
        let page = self.page;
        let mark = &page.marks[index];
        if matches!(mark.kind, MarkKind::Cite(_)) {
            self.push_text("]");
            return;
        }
        self.hidden = mark.close.clone();
        if let Some(at) = self.open_marks.iter().rposition(|(open, _)| *open == index) {
            let (_, close) = self.open_marks.remove(at);
            if close == "</a>" {
                self.links -= 1;
            }
            self.push(close);
        }
        if let MarkKind::Claim(id) = &mark.kind {
            // A particle belongs to the word before the chip: no blank may part them.
            if !self.text[mark.close.end..].starts_with(char::is_alphanumeric) {
                self.push(" ");
            }
            match self.world.claim(id) {
                Some(chip) => self.push_chip(id, &chip),
                None => self.push(&format!("<span class=\"cite\">{}</span>", escape(id))),
            }
        }
    }

    /// A chip: shape, id, and the state's word for those who hear the page.
    fn push_chip(&mut self, id: &str, chip: &Chip) {
        let id = escape(id);
        let (class, shape, word) = match chip.state {
            Some(state) => (
                format!("cite {}", state.class()),
                format!("<span aria-hidden=\"true\">{} </span>", state.shape()),
                format!("<span class=\"sr\"> {}</span>", escape(&chip.word)),
            ),
            None => ("cite".to_owned(), String::new(), String::new()),
        };
        let inner = format!("{shape}{id}{word}");
        let title = title_attribute(&chip.title);
        let html = if self.links == 0 {
            let href = escape_href(&chip.href);
            format!("<a class=\"{class}\" href=\"{href}\"{title}>{inner}</a>")
        } else {
            format!("<span class=\"{class}\"{title}>{inner}</span>")
        };
        self.push(&html);
    }

    /// Whether all that begins inside a mark also ends there; only then it can be an element.
    fn is_well_nested(&self, mark: &Mark) -> bool {
        let mut depth = 0_i32;
        for (event, range) in &self.events[self.at..] {
            match event {
                Event::Text(_) if range.start == mark.close.start => return depth == 0,
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return false;
            }
        }
        false
    }
}
