//! Block quotes that are callouts: `> [!NOTE]`, `> [!CORRECTION] 제목`, `> [!NOTE]- 제목`; and
//! tabs: neighbouring quotes `> [!TAB] 제목`.
//!
//! The parser knows the five kinds of GFM without a title. The others arrive as a plain quote
//! whose first paragraph begins with the texts `[`, `!WORD`, `]`; its first line is the title.

use pulldown_cmark::{BlockQuoteKind, Event, Tag, TagEnd};

use super::walk::Walk;
use crate::diag::{Diagnostic, nearest};

/// The kinds of callouts; each is a class and a key of [`super::World::word`].
const KINDS: &[&str] =
    &["note", "tip", "important", "warning", "caution", "abstract", "correction"];

/// The word of a quote that is one of several tabs.
const TAB: &str = "tab";

/// What closes a tab.
const TAB_END: &str = "</section>\n";

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
    /// The word, from `[` to `]`.
    range: std::ops::Range<usize>,
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
        } else if let Some(marker) = self.marker(self.at) {
            if marker.kind == TAB { self.start_tab(&marker) } else { self.start_callout(&marker) }
        } else {
            self.unknown_kind();
            self.push("<blockquote>\n");
            self.closers.push("</blockquote>\n");
        }
    }

    /// A block quote ends.
    pub(super) fn end_quote(&mut self) {
        let close = self.closers.pop().unwrap_or("");
        self.push(close);
        if close == TAB_END && !self.at_tab() {
            self.push("</div>\n");
        }
    }

    /// Whether the next event begins a tab.
    fn at_tab(&self) -> bool {
        matches!(self.events.get(self.at), Some((Event::Start(Tag::BlockQuote(None)), _)))
            && self.marker(self.at + 1).is_some_and(|marker| marker.kind == TAB)
    }

    /// The word of a quote whose first event is at `at`, as `[!WORD]`, and its place.
    fn kind_word(&self, at: usize) -> Option<(&str, std::ops::Range<usize>)> {
        let [paragraph, open, word, close] = self.events.get(at..at + 4)? else { return None };
        let (Event::Start(Tag::Paragraph), Event::Text(first), Event::Text(name)) =
            (&paragraph.0, &open.0, &word.0)
        else {
            return None;
        };
        let Event::Text(last) = &close.0 else { return None };
        let name = name.strip_prefix('!').filter(|_| &**first == "[" && &**last == "]")?;
        Some((name, open.1.start..close.1.end))
    }

    /// Reports a quote that looks like a callout of a kind that there is not.
    fn unknown_kind(&mut self) {
        let Some((name, range)) = self.kind_word(self.at) else { return };
        let message = format!("`[!{name}]` is no kind of callout; shown as a quote");
        let known = KINDS.iter().copied().chain([TAB]);
        let near = nearest(&name.to_ascii_lowercase(), known).map(str::to_ascii_uppercase);
        let hint = match near {
            Some(near) => format!("did you mean `[!{near}]`?"),
            None => "NOTE, TIP, IMPORTANT, WARNING, CAUTION, ABSTRACT, CORRECTION or TAB".into(),
        };
        self.report(Diagnostic::warning("BL021", message).hint(hint), range);
    }

    /// Reads the marker of a quote whose first event is at `at`.
    fn marker(&self, at: usize) -> Option<Marker> {
        let (name, range) = self.kind_word(at)?;
        let name = name.to_ascii_lowercase();
        let kind = KINDS.iter().copied().chain([TAB]).find(|kind| *kind == name)?;
        let rest = &self.text[range.end..];
        let fold = rest.chars().next().filter(|c| matches!(c, '-' | '+'));
        let rest = &rest[fold.map_or(0, char::len_utf8)..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        Some(Marker { kind, range, fold, title: self.text.len() - rest.len() + blanks })
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

    /// Opens a tab: the first of its neighbours opens the box around them.
    fn start_tab(&mut self, marker: &Marker) {
        let before = self.at.checked_sub(2).and_then(|at| self.events.get(at));
        let follows = matches!(before, Some((Event::End(TagEnd::BlockQuote(None)), _)))
            && self.out.ends_with(TAB_END);
        if !follows {
            self.push("<div class=\"tabs\">\n");
        }
        self.push("<section>\n");
        self.closers.push(TAB_END);
        let after = self.events[self.at + 3].1.end;
        self.at += 4;
        self.hidden = after..marker.title;
        self.push("<p class=\"title\">");
        let end = self.title_end();
        if self.plain(self.at..end).trim_matches(['-', '+', ' ', '\t']).is_empty() {
            let finding = Diagnostic::error("BL022", "a tab has a title");
            let hint = "write it behind the mark: `> [!TAB] Title`";
            self.report(finding.hint(hint), marker.range.clone());
        }
        self.title = Some(Title { end, close: "</p>" });
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
