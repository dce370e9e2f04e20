//! Claims, live numbers and references: brackets in running text.
//!
//! `[…]{#C7}` is a claim, `[2]{=flip.lost}` a live number, `[5]{=}` a setting, `[C14]` a
//! reference. The parser hands every unmatched bracket out as a text event of its own, so they
//! are paired on the events of one inline container, innermost first; code, links and images
//! are other events and need no care.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::events::Spanned;

/// What a pair of brackets is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// `[…]{#C7}`
    Claim(String),
    /// `[2]{=flip.lost}`; the name is empty for a setting.
    Live(String),
    /// `[C14]`
    Cite(String),
}

/// One pair of brackets with what follows the closing one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// What it is.
    pub(crate) kind: MarkKind,
    /// The opening bracket.
    pub(crate) open: Range<usize>,
    /// The closing bracket and its `{…}`.
    pub(crate) close: Range<usize>,
    /// Whether it stands in a heading, where it is an error.
    pub(crate) in_heading: bool,
    /// Whether another claim was already open around it.
    pub(crate) nested: bool,
}

impl Mark {
    /// The whole mark.
    pub(crate) fn range(&self) -> Range<usize> {
        self.open.start..self.close.end
    }

    /// What stands between the brackets.
    pub(crate) fn inner(&self) -> Range<usize> {
        self.open.end..self.close.start
    }
}

/// All marks of a page, in the order of their opening brackets.
pub(crate) fn marks(text: &str, events: &[Spanned<'_>]) -> Vec<Mark> {
    let mut scan = Scan { text, open: Vec::new(), marks: Vec::new(), heading: false, code: false };
    for (event, range) in events {
        scan.event(event, range);
    }
    let mut marks = scan.marks;
    marks.sort_by_key(|mark| mark.open.start);
    note_nesting(&mut marks);
    marks
}

/// Marks every claim that stands inside another.
fn note_nesting(marks: &mut [Mark]) {
    let claim = |mark: &Mark| matches!(mark.kind, MarkKind::Claim(_));
    let ranges: Vec<_> = marks.iter().filter(|m| claim(m)).map(Mark::range).collect();
    for mark in marks.iter_mut().filter(|m| claim(m)) {
        let own = mark.range();
        mark.nested = ranges.iter().any(|r| r.start < own.start && own.end <= r.end);
    }
}

/// The state of the walk over the events.
struct Scan<'t> {
    text: &'t str,
    open: Vec<Range<usize>>,
    marks: Vec<Mark>,
    heading: bool,
    code: bool,
}

impl Scan<'_> {
    /// Takes one event.
    fn event(&mut self, event: &Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => self.code = true,
            Event::End(TagEnd::CodeBlock) => self.code = false,
            Event::Start(tag) if is_container(tag) => {
                self.open.clear();
                self.heading = matches!(tag, Tag::Heading { .. });
            }
            Event::End(TagEnd::Heading(_)) => self.heading = false,
            Event::Text(_) if !self.code => self.bracket(range),
            _ => {}
        }
    }

    /// Takes a text event that may be a bracket.
    fn bracket(&mut self, range: &Range<usize>) {
        match &self.text[range.clone()] {
            "[" if !escaped(self.text, range.start) => self.open.push(range.clone()),
            "]" if !escaped(self.text, range.start) => {
                if let Some(open) = self.open.pop() {
                    self.pair(open, range.clone());
                }
            }
            _ => {}
        }
    }

    /// Decides what a pair of brackets is.
    fn pair(&mut self, open: Range<usize>, close: Range<usize>) {
        let rest = &self.text[close.end..];
        let inner = &self.text[open.end..close.start];
        let (kind, tail) = if let Some((id, len)) = braced(rest, "{#") {
            (MarkKind::Claim(id.to_owned()), len)
        } else if let Some((name, len)) = braced(rest, "{=") {
            (MarkKind::Live(name.to_owned()), len)
        } else if is_evidence_id(inner) {
            (MarkKind::Cite(inner.to_owned()), 0)
        } else {
            return;
        };
        let close = close.start..close.end + tail;
        self.marks.push(Mark { kind, open, close, in_heading: self.heading, nested: false });
    }
}

/// Tags inside which brackets are paired: each holds its own running text.
fn is_container(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Paragraph
            | Tag::Heading { .. }
            | Tag::Item
            | Tag::TableCell
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::FootnoteDefinition(_)
    )
}

/// Whether a backslash stands before `at` (and is not itself escaped).
fn escaped(text: &str, at: usize) -> bool {
    text[..at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1
}

/// The word of `{#word}` or `{=word}` at the start of `rest`, and the length with braces.
fn braced<'a>(rest: &'a str, opener: &str) -> Option<(&'a str, usize)> {
    let body = rest.strip_prefix(opener)?;
    let end = body.find('}')?;
    let word = &body[..end];
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '#');
    word.chars().all(fits).then_some((word, opener.len() + end + 1))
}

/// Whether `word` names a claim or a piece of evidence: a capital letter and a number.
pub(crate) fn is_evidence_id(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|c| c.is_ascii_uppercase())
        && word.len() > 1
        && word.len() < 8
        && chars.all(|c| c.is_ascii_digit())
}

/// Whether an id can be a claim's: letters K, R, S and T are those of the evidence.
pub(crate) fn is_claim_id(id: &str) -> bool {
    is_evidence_id(id) && !id.starts_with(['K', 'R', 'S', 'T'])
}

/// The parts of a text event that a reader sees: brackets of marks and their `{…}` taken out.
pub(crate) fn visible<'t>(text: &'t str, range: &Range<usize>, marks: &[Mark]) -> &'t str {
    let mut start = range.start;
    for mark in marks {
        let hides_open = mark.open == *range && !matches!(mark.kind, MarkKind::Cite(_));
        if hides_open {
            return "";
        }
        let tail = &mark.close;
        if tail.start < range.end
            && range.start < tail.end
            && !matches!(mark.kind, MarkKind::Cite(_))
        {
            start = start.max(tail.end.min(range.end));
        }
    }
    &text[start..range.end]
}

#[cfg(test)]
mod tests {
    use super::super::events::{Markup, events};
    use super::*;

    fn check(text: &str, expect: &[(&str, &str)]) {
        let got: Vec<(String, String)> = marks(text, &events(text, 0, Markup::default()))
            .into_iter()
            .map(|mark| {
                let kind = match &mark.kind {
                    MarkKind::Claim(id) => format!("claim {id}"),
                    MarkKind::Live(name) => format!("live {name}"),
                    MarkKind::Cite(id) => format!("cite {id}"),
                };
                (kind, text[mark.inner()].to_owned())
            })
            .collect();
        let got: Vec<(&str, &str)> = got.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn finds_claims_live_numbers_and_references() {
        check(
            "a [연결 [2]{=flip.lost}개가 **끊긴다**]{#C7} 이다. [C14] [5]{=}",
            &[
                ("claim C7", "연결 [2]{=flip.lost}개가 **끊긴다**"),
                ("live flip.lost", "2"),
                ("cite C14", "C14"),
                ("live ", "5"),
            ],
        );
        check("| a |\n|---|\n| [셀\u{20}값]{#L3} |\n", &[("claim L3", "셀 값")]);
        check("[두\n줄]{#C1}", &[("claim C1", "두\n줄")]);
    }

    #[test]
    fn code_links_escapes_and_plain_brackets_are_left_alone() {
        check("`[x]{#C7}` \\[C7] [C7](a.md) [x] [ab12]", &[]);
        check("```\n[x]{#C7}\n```\n", &[]);
    }
}
