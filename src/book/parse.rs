//! A page's text to a [`Page`]. Parsing never fails: what is wrong is reported beside the value.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Tag, TagEnd};
use unicode_normalization::UnicodeNormalization as _;

use super::blocks::{self, Fence};
use super::events::{Markup, events};
use super::front::{self, Header};
use super::includes;
use super::inline::{Mark, MarkKind, is_claim_id, marks, visible};
use super::page::{Cite, Heading, Link, LiveNumber, Page};
use super::raw;
use super::slug::{Taken, slug, unique};
use super::statement::claims;
use super::vars;
use crate::diag::{Checked, Diagnostic};
use crate::source::{FileId, Sources, Span};

/// What a page takes from the book's settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setting {
    /// What of Markdown is switched on.
    pub(crate) markup: Markup,
    /// `[vars]`, by dotted name.
    pub(crate) vars: BTreeMap<String, String>,
}

/// Parses a page outside all settings.
pub(crate) fn parse(sources: &Sources, file: FileId) -> Checked<Page> {
    parse_in(sources, file, &Setting::default())
}

/// Parses the page of a book.
pub(crate) fn parse_in(sources: &Sources, file: FileId, setting: &Setting) -> Checked<Page> {
    let mut findings = Vec::new();
    let header = front::parse(sources, file, &mut findings);
    page(sources, (file, header), (&|_| true, setting), findings)
}

/// Parses a page whose header was read; `ours` says which fences are looked at.
pub(super) fn page(
    sources: &Sources,
    (file, (front, front_span, body)): (FileId, Header),
    (ours, setting): (&dyn Fn(&Fence) -> bool, &Setting),
    mut findings: Vec<Diagnostic>,
) -> Checked<Page> {
    let text = sources.text(file);
    let events = events(text, body, setting.markup);
    let known = vars::Known { book: &setting.vars, page: &front.extra };
    let filled = vars::find((file, text), &events, &known, &mut findings);
    let events = vars::fill(events, &filled);
    let marks = marks(text, &events);
    let mut walk = Walk { file, text, marks: &marks, ..Walk::new(file) };
    for (event, range) in &events {
        walk.event(event, range);
    }
    walk.fences.retain(ours);
    let blocks = blocks::collect(sources, file, &walk.fences, &mut findings);
    let commented = blocks::commented((file, text), &walk.comments);
    let includes = includes::collect((file, text), &walk.fences, &mut findings);
    let claims = claims(file, text, &events, &marks);
    report_marks(file, &marks, &mut findings);
    let path = sources.path(file).to_owned();
    let first_heading = walk.headings.first().map(|heading| heading.text.clone());
    let title = front.title.clone().or(first_heading).unwrap_or_else(|| stem(&path).to_owned());
    let (cites, lives) = (cites(file, &marks), lives(file, text, &marks));
    let raw = raw::raw(file, &events);
    let headings = walk.headings;
    let links = walk.links.into_iter().chain(raw.links).collect();
    let value = Page {
        file,
        path,
        out: String::new(),
        base: String::new(),
        language: String::new(),
        body,
        front,
        front_span,
        title,
        headings,
        blocks,
        commented,
        links,
        raw_ids: raw.ids,
        claims,
        cites,
        lives,
        marks,
        filled,
        includes,
        markup: setting.markup,
    };
    Checked { value, diagnostics: findings }
}

/// The file's name without `.md`, or its folder's name for an index page.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".md").unwrap_or(name);
    if stem == "index" || stem == "README" {
        return path.rsplit('/').nth(1).unwrap_or(stem);
    }
    stem
}

/// The state of the walk over a page's events.
struct Walk<'t> {
    file: FileId,
    text: &'t str,
    marks: &'t [Mark],
    headings: Vec<Heading>,
    taken: Taken,
    heading: Option<(u8, Option<String>, String)>,
    links: Vec<Link>,
    fences: Vec<Fence>,
    fence: Option<Fence>,
    /// HTML comments that stand for themselves.
    comments: Vec<Range<usize>>,
}

impl Walk<'_> {
    /// Nothing seen yet.
    fn new(file: FileId) -> Self {
        Walk {
            file,
            text: "",
            marks: &[],
            headings: Vec::new(),
            taken: Taken::default(),
            heading: None,
            links: Vec::new(),
            fences: Vec::new(),
            fence: None,
            comments: Vec::new(),
        }
    }

    /// Takes one event.
    fn event(&mut self, event: &Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) => {
                self.heading =
                    Some((rank(*level), id.as_ref().map(ToString::to_string), String::new()));
            }
            Event::End(TagEnd::Heading(_)) => self.end_heading(range),
            Event::Start(Tag::Link { dest_url, .. }) => self.link(dest_url, range, false),
            Event::Start(Tag::Image { dest_url, .. }) => self.link(dest_url, range, true),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                self.fence = Some(Fence { range: range.clone(), pieces: Vec::new() });
            }
            Event::End(TagEnd::CodeBlock) => self.fences.extend(self.fence.take()),
            Event::Start(Tag::HtmlBlock) if self.text[range.clone()].starts_with("<!--") => {
                self.comments.push(range.clone());
            }
            Event::Text(text) => self.words(text, range),
            Event::Code(code) => self.heading_text(code),
            Event::SoftBreak | Event::HardBreak => self.heading_text(" "),
            _ => {}
        }
    }

    /// Text of a heading or of a fence.
    fn words(&mut self, text: &str, range: &Range<usize>) {
        if let Some(fence) = &mut self.fence {
            fence.pieces.push(range.clone());
        } else if self.heading.is_some() {
            let plain = self.text.get(range.clone()) == Some(text);
            let shown = if plain { visible(self.text, range, self.marks) } else { text };
            let shown = shown.to_owned();
            self.heading_text(&shown);
        }
    }

    /// Adds to the heading that is open.
    fn heading_text(&mut self, text: &str) {
        if let Some((_, _, heading)) = &mut self.heading {
            heading.push_str(text);
        }
    }

    /// A heading is complete.
    fn end_heading(&mut self, range: &Range<usize>) {
        let Some((level, id, text)) = self.heading.take() else { return };
        let wanted = id.map_or_else(|| slug(&text), |id| id.nfc().collect());
        let id = unique(&wanted, &mut self.taken);
        let span = Span::new(self.file, range.clone());
        self.headings.push(Heading { level, id, text: text.trim().to_owned(), span });
    }

    /// A link or an image.
    fn link(&mut self, dest: &str, range: &Range<usize>, image: bool) {
        let span = Span::new(self.file, range.clone());
        self.links.push(Link { dest: dest.to_owned(), image, span });
    }
}

/// A heading's level as a number.
fn rank(level: HeadingLevel) -> u8 {
    level as u8
}

/// The references of a page.
fn cites(file: FileId, marks: &[Mark]) -> Vec<Cite> {
    let cite = |mark: &Mark| match &mark.kind {
        MarkKind::Cite(id) => Some(Cite { id: id.clone(), span: Span::new(file, mark.range()) }),
        _ => None,
    };
    marks.iter().filter_map(cite).collect()
}

/// The live numbers and settings of a page.
fn lives(file: FileId, text: &str, marks: &[Mark]) -> Vec<LiveNumber> {
    let live = |mark: &Mark| match &mark.kind {
        MarkKind::Live(name) => Some(LiveNumber {
            name: (!name.is_empty()).then(|| name.clone()),
            value: text[mark.inner()].to_owned(),
            value_span: Span::new(file, mark.inner()),
            span: Span::new(file, mark.range()),
        }),
        _ => None,
    };
    marks.iter().filter_map(live).collect()
}

/// Marks where they may not stand: in a heading, in another claim, with an id of something else.
fn report_marks(file: FileId, marks: &[Mark], findings: &mut Vec<Diagnostic>) {
    for mark in marks {
        let at = Span::new(file, mark.range());
        match &mark.kind {
            MarkKind::Claim(id) if !is_claim_id(id) => {
                let message = format!("`{id}` is no claim id");
                let hint = "a capital letter other than K, R, S, T and a number, as in C7";
                findings.push(Diagnostic::error("PG003", message).at(at).hint(hint));
            }
            MarkKind::Claim(_) | MarkKind::Live(_) if mark.in_heading => {
                let message = "a claim or live number cannot stand in a heading";
                findings.push(Diagnostic::error("EV022", message).at(at));
            }
            MarkKind::Claim(id) if mark.nested => {
                let message = format!("claim {id} stands inside another claim");
                findings.push(Diagnostic::error("PG004", message).at(at));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
