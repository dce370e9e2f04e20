//! What raw HTML of a page links to and which anchors it has, with their places.

use std::ops::Range;

use html5gum::{Token, Tokenizer};
use pulldown_cmark::{Event, Tag, TagEnd};

use super::events::Spanned;
use super::page::Link;
use crate::source::{FileId, Span};

/// Attributes whose address is published.
const ADDRESSES: &[&str] = &["href", "src", "poster"];

/// What the raw HTML of a page holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Raw {
    /// Its links and images.
    pub(super) links: Vec<Link>,
    /// Its anchors.
    pub(super) ids: Vec<String>,
}

/// Reads the raw HTML among the events. A block is read whole, since a tag may run over lines.
pub(super) fn raw(file: FileId, events: &[Spanned<'_>]) -> Raw {
    let mut out = Raw::default();
    let mut block: Option<Piece> = None;
    for (event, range) in events {
        match event {
            Event::Start(Tag::HtmlBlock) => block = Some(Piece::default()),
            Event::End(TagEnd::HtmlBlock) => block.take().unwrap_or_default().read(file, &mut out),
            Event::Html(html) => match &mut block {
                Some(block) => block.add(html, range),
                None => Piece::of(html, range).read(file, &mut out),
            },
            Event::InlineHtml(html) => Piece::of(html, range).read(file, &mut out),
            _ => {}
        }
    }
    out
}

/// HTML in the making, and where each part of it stands in the page.
#[derive(Default)]
struct Piece {
    html: String,
    lines: Vec<(usize, Range<usize>)>,
}

impl Piece {
    /// One event of HTML.
    fn of(html: &str, range: &Range<usize>) -> Piece {
        let mut piece = Piece::default();
        piece.add(html, range);
        piece
    }

    /// Adds a line.
    fn add(&mut self, html: &str, range: &Range<usize>) {
        self.lines.push((self.html.len(), range.clone()));
        self.html.push_str(html);
    }

    /// Notes the addresses and anchors.
    fn read(&self, file: FileId, out: &mut Raw) {
        let mut from = 0;
        for token in Tokenizer::new(self.html.as_str()).flatten() {
            let Token::StartTag(tag) = token else { continue };
            let value = |name: &str| {
                let value = tag.attributes.get(name.as_bytes())?;
                Some(String::from_utf8_lossy(value).into_owned())
            };
            let image = *tag.name == b"img"[..];
            for dest in ADDRESSES.iter().filter_map(|name| value(name)) {
                // A picture may stand in the page itself.
                if !dest.to_ascii_lowercase().starts_with("data:") {
                    let span = Span::new(file, self.place(&dest, &mut from));
                    out.links.push(Link { dest, image, span });
                }
            }
            out.ids.extend(value("id"));
            out.ids.extend(value("name").filter(|_| *tag.name == b"a"[..]));
        }
    }

    /// Where a value stands in the page, behind the last one; the whole where it is written with
    /// references.
    fn place(&self, value: &str, from: &mut usize) -> Range<usize> {
        let whole = || {
            let first = self.lines.first().map_or(0, |(_, range)| range.start);
            first..self.lines.last().map_or(first, |(_, range)| range.end)
        };
        let Some(at) = self.html[*from..].find(value).map(|at| *from + at) else { return whole() };
        *from = at + value.len();
        let line = self.lines.partition_point(|(start, _)| *start <= at).max(1) - 1;
        let Some((start, range)) = self.lines.get(line) else { return whole() };
        let begin = range.start + (at - start);
        begin..(begin + value.len()).min(range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::events::{Markup, events};
    use super::*;
    use crate::source::Sources;

    /// The addresses with the text that is pointed at, then the anchors.
    fn check(text: &str, expect: &[(&str, &str)], ids: &[&str]) {
        let mut sources = Sources::default();
        let file = sources.add("content/a.md", text);
        let found = raw(file, &events(text, 0, Markup::default()));
        let links: Vec<(&str, &str)> =
            found.links.iter().map(|link| (link.dest.as_str(), sources.slice(link.span))).collect();
        assert_eq!(links, expect, "{text}");
        assert_eq!(found.ids, ids, "{text}");
    }

    #[test]
    fn addresses_of_tags_have_their_places() {
        check(
            "x <a href=\"a.md\">a</a> <img src='b.png' alt=x>",
            &[("a.md", "a.md"), ("b.png", "b.png")],
            &[],
        );
        check(
            "> <details>\n> <a\n>   href=c.md id=x>c</a>\n> </details>\n",
            &[("c.md", "c.md")],
            &["x"],
        );
        check("<a href=\"?a&amp;b\">", &[("?a&b", "<a href=\"?a&amp;b\">")], &[]);
        check("<a href=a.md>a.md</a> <a href=a.md>", &[("a.md", "a.md"), ("a.md", "a.md")], &[]);
    }

    #[test]
    fn comments_code_and_pictures_in_the_page_are_none() {
        check(
            "<!-- <a href=\"a.md\"> -->\n\n`<a href=b.md>` <img src=\"data:image/png;base64,AA\">",
            &[],
            &[],
        );
        check("<a name=\"old\"></a> <p name=\"x\">", &[], &["old"]);
    }
}
