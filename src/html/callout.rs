//! Block closers that are callouts: `> [!NOTE]`, `> [!CORRECTION] 제목`, `> [!NOTE]- 제목`.
//!
//! The parser knows the five kinds of GFM without a title. The others arrive as a plain quote
//! whose first paragraph begins with the texts `[`, `!WORD`, `]`; its first line is the title.

use pulldown_cmark::{BlockQuoteKind, Event, Tag, TagEnd};

use super::walk::Walk;

/// The kinds of callouts; each is a class and a key of [`super::World::word`].
const KINDS: &[&str] =
    &["note", "tip", "important", "warning", "caution", "abstract", "correction"];

/// A callout's title while it is written.
pub(super) struct Title {
    /// Index of the event that ends it.
    end: usize,
    /// What closes it.
    close: &'static str,
}

/// The marker at the start of a quote.
struct Marker {
    kind: &'static str,
    /// `-` folded, `+` unfolded, `None` no folding.
    fold: Option<char>,
    /// Where the title begins in the text.
    title: usize,
}

impl Walk<'_> {
    /// A block quote begins.
    pub(super) fn start_quote(&mut self, kind: Option<BlockQuoteKind>) {
        if let Some(kind) = kind {
            let kind = class_of(kind);
            self.open_callout(kind, None);
            let word = self.word(kind);
            self.push(&format!("<p class=\"title\">{word}</p>\n"));
        } else if let Some(marker) = self.marker() {
            self.start_callout(&marker);
        } else {
            self.push("<blockquote>\n");
            self.closers.push("</blockquote>\n");
        }
    }

    /// A block quote ends.
    pub(super) fn end_quote(&mut self) {
        let close = self.closers.pop().unwrap_or("");
        self.push(close);
    }

    /// Reads the marker of a quote whose first event is the next one.
    fn marker(&self) -> Option<Marker> {
        let [paragraph, open, word, close] = self.events.get(self.at..self.at + 4)? else {
            return None;
        };
        let (Event::Start(Tag::Paragraph), Event::Text(open), Event::Text(word)) =
            (&paragraph.0, &open.0, &word.0)
        else {
            return None;
        };
        let (Event::Text(closing), range) = close else { return None };
        let name = word.strip_prefix('!')?.to_ascii_lowercase();
        let kind = KINDS.iter().find(|kind| **kind == name)?;
        if &**open != "[" || &**closing != "]" {
            return None;
        }
        let rest = &self.text[range.end..];
        let fold = rest.chars().next().filter(|c| matches!(c, '-' | '+'));
        let rest = &rest[fold.map_or(0, char::len_utf8)..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        Some(Marker { kind, fold, title: self.text.len() - rest.len() + blanks })
    }

    /// Opens a callout and its title; what follows is written by the events themselves.
    fn start_callout(&mut self, marker: &Marker) {
        self.open_callout(marker.kind, marker.fold);
        // The paragraph and the three texts of the marker are taken here.
        let after = self.events[self.at + 3].1.end;
        self.at += 4;
        self.hidden = after..marker.title;
        let folded = marker.fold.is_some();
        let close = if folded { "</summary>" } else { "</p>" };
        self.push(if folded { "<summary class=\"title\">" } else { "<p class=\"title\">" });
        let end = self.title_end();
        if self.plain(self.at..end).trim_matches(['-', '+', ' ', '\t']).is_empty() {
            let word = self.word(marker.kind);
            self.push(&word);
        }
        self.title = Some(Title { end, close });
    }

    /// Opens the box of a callout.
    fn open_callout(&mut self, kind: &str, fold: Option<char>) {
        let open = match fold {
            Some('+') => format!("<details class=\"callout {kind}\" open>\n"),
            Some(_) => format!("<details class=\"callout {kind}\">\n"),
            None => format!("<div class=\"callout {kind}\" role=\"note\">\n"),
        };
        self.push(&open);
        self.closers.push(if fold.is_some() { "</details>\n" } else { "</div>\n" });
    }

    /// Index of the event that ends a title: the first line break outside all other markup, else
    /// the end of the paragraph.
    fn title_end(&self) -> usize {
        let mut depth = 0;
        for (index, (event, range)) in self.events.iter().enumerate().skip(self.at) {
            let in_mark = || self.page.marks.iter().any(|m| m.range().contains(&range.start));
            match event {
                Event::SoftBreak | Event::HardBreak if depth == 0 && !in_mark() => return index,
                Event::Start(_) => depth += 1,
                Event::End(TagEnd::Paragraph) => return index,
                Event::End(_) => depth -= 1,
                _ => {}
            }
        }
        self.events.len()
    }

    /// Closes the title when `index` is where it ends; the event is then taken.
    pub(super) fn ends_title(&mut self, index: usize, event: &Event<'_>) -> bool {
        let Some(title) = self.title.take_if(|title| title.end == index) else { return false };
        self.push(title.close);
        self.push(if matches!(event, Event::End(_)) { "\n" } else { "\n<p>" });
        true
    }
}

/// The class of a kind that the parser knows.
fn class_of(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "note",
        BlockQuoteKind::Tip => "tip",
        BlockQuoteKind::Important => "important",
        BlockQuoteKind::Warning => "warning",
        BlockQuoteKind::Caution => "caution",
    }
}
