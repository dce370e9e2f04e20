//! Markdown events of a page with their places, Korean emphasis included.
//!
//! pulldown-cmark closes `**쿠버네티스(K8s)**를` nowhere, because a run between punctuation and a
//! letter does not flank. Such runs are found in the text events of a first pass; an empty
//! comment beside them makes them flank in a second one, and is dropped from its events. To be
//! removed when the parser's own CJK option is released.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};

use super::quotes;

/// An event and its byte range in the page's text.
pub(crate) type Spanned<'a> = (Event<'a>, Range<usize>);

/// The comment that makes a delimiter run flank.
const MARK: &str = "<!---->";

/// What of Markdown a book has switched on beside the usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Markup {
    /// `$x$` and `$$x$$` are formulas.
    pub(crate) math: bool,
    /// Straight quotes become curly ones.
    pub(crate) smart_quotes: bool,
}

/// The events of `text[body..]`, ranges counted from the start of `text`.
pub(crate) fn events(text: &str, body: usize, markup: Markup) -> Vec<Spanned<'_>> {
    let source = &text[body..];
    let options = options(markup);
    let first: Vec<Spanned<'_>> = Parser::new_ext(source, options).into_offset_iter().collect();
    let inserts = stuck_runs(source, &first);
    let mut events =
        if inserts.is_empty() { first } else { second_pass(source, &inserts, options) };
    for (_, range) in &mut events {
        *range = range.start + body..range.end + body;
    }
    if markup.smart_quotes { quotes::curl(text, events) } else { events }
}

/// CommonMark and GFM; no smart quotes of the parser's, no single-tilde strike-out, no sub- and
/// superscript.
pub(crate) fn options(markup: Markup) -> Options {
    let math = if markup.math { Options::ENABLE_MATH } else { Options::empty() };
    math | Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM
}

/// Where a mark has to stand so that a stuck delimiter run opens or closes.
fn stuck_runs(source: &str, events: &[Spanned<'_>]) -> Vec<usize> {
    let mut inserts = Vec::new();
    for (event, range) in events {
        let Event::Text(text) = event else { continue };
        if !text.contains(['*', '~']) || source.get(range.clone()) != Some(text.as_ref()) {
            continue;
        }
        collect_runs(source, range, &mut inserts);
    }
    inserts.sort_unstable();
    inserts.dedup();
    inserts
}

/// The runs that one text event holds or touches.
fn collect_runs(source: &str, range: &Range<usize>, inserts: &mut Vec<usize>) {
    let mut at = range.start;
    while at < range.end {
        let c = source.as_bytes()[at];
        if c != b'*' && c != b'~' {
            at += 1;
            continue;
        }
        let run = run_around(source, at, c);
        at = run.end;
        if c == b'~' && run.len() != 2 {
            continue;
        }
        let before = source[..run.start].chars().next_back();
        let after = source[run.end..].chars().next();
        if before.is_some_and(is_punctuation) && after.is_some_and(is_cjk) {
            inserts.push(run.end);
        } else if before.is_some_and(is_cjk) && after.is_some_and(is_punctuation) {
            inserts.push(run.start);
        }
    }
}

/// The whole run of `c` around `at`.
fn run_around(source: &str, at: usize, c: u8) -> Range<usize> {
    let bytes = source.as_bytes();
    let start = (0..at).rev().find(|i| bytes[*i] != c).map_or(0, |i| i + 1);
    let end = (at..bytes.len()).find(|i| bytes[*i] != c).unwrap_or(bytes.len());
    start..end
}

/// Whether `c` is a letter of a script that sets particles directly behind a word.
fn is_cjk(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{318f}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Whether `c` counts as punctuation beside a delimiter run.
fn is_punctuation(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace() && c != '*' && c != '~'
}

/// Parses with marks inserted, and maps the ranges back.
fn second_pass<'a>(source: &str, inserts: &[usize], options: Options) -> Vec<Spanned<'a>> {
    let mut marked = String::with_capacity(source.len() + inserts.len() * MARK.len());
    let mut from = 0;
    for at in inserts {
        marked.push_str(&source[from..*at]);
        marked.push_str(MARK);
        from = *at;
    }
    marked.push_str(&source[from..]);
    let back = |offset: usize| map_back(offset, inserts);
    Parser::new_ext(&marked, options)
        .into_offset_iter()
        .filter(|(event, _)| !matches!(event, Event::InlineHtml(html) if html.as_ref() == MARK))
        .map(|(event, range)| (event.into_static(), back(range.start)..back(range.end)))
        .collect()
}

/// The offset in the unmarked text.
fn map_back(offset: usize, inserts: &[usize]) -> usize {
    let mut shift = 0;
    for at in inserts {
        let here = at + shift;
        if offset <= here {
            break;
        }
        if offset < here + MARK.len() {
            return *at;
        }
        shift += MARK.len();
    }
    offset - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        let mut out = String::new();
        let events = events(text, 0, Markup::default()).into_iter().map(|(event, _)| event);
        pulldown_cmark::html::push_html(&mut out, events);
        out.trim().trim_start_matches("<p>").trim_end_matches("</p>").to_owned()
    }

    fn check(text: &str, expect: &str) {
        assert_eq!(html(text), expect, "{text}");
    }

    #[test]
    fn emphasis_closes_before_a_particle() {
        check("**쿠버네티스(K8s)**를", "<strong>쿠버네티스(K8s)</strong>를");
        check("**\"정책\"**은", "<strong>\"정책\"</strong>은");
        check("**`kubectl`**을", "<strong><code>kubectl</code></strong>을");
        check("이것은**「중요」**이다", "이것은<strong>「중요」</strong>이다");
        check("*기울임(it)*은", "<em>기울임(it)</em>은");
        check("~~취소(구버전)~~됨", "<del>취소(구버전)</del>됨");
    }

    #[test]
    fn what_is_no_emphasis_stays() {
        check("값은 1~3개, 5~10분이다.", "값은 1~3개, 5~10분이다.");
        check("`**a)**를` 2*3*4", "<code>**a)**를</code> 2<em>3</em>4");
        check("a)**를", "a)**를");
    }

    #[test]
    fn ranges_are_those_of_the_page() {
        let text = "앞 **쿠(K)**를 [x](b.md)";
        for (event, range) in events(text, 0, Markup::default()) {
            if let Event::Text(t) = event {
                assert_eq!(&text[range], t.as_ref());
            }
        }
    }
}
