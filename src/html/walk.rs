//! The walk over a page's events: block structure, and who takes which event.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Alignment, Event, HeadingLevel, Tag, TagEnd};

use super::callout::Title;
use super::escape::escape;
use super::notes::Notes;
use super::params::Params;
use super::run::Role;
use super::table::Column;
use super::{Body, TocEntry, World};
use crate::book::{Page, Spanned};
use crate::diag::Diagnostic;
use crate::source::Span;

/// The state of the walk. Each room file adds the events it takes as an `impl` of its own; they
/// share the output, the place in the events and the range of the source that is not shown.
pub(super) struct Walk<'a> {
    pub(super) page: &'a Page,
    pub(super) text: &'a str,
    pub(super) world: &'a dyn World,
    pub(super) events: &'a [Spanned<'a>],
    /// Index of the next event.
    pub(super) at: usize,
    pub(super) out: String,
    pub(super) body: Body,
    /// The source that is not shown: a mark's `{…}`, a callout's `[!NOTE]`.
    pub(super) hidden: Range<usize>,
    /// Marks by the start of their opening and of their closing bracket.
    pub(super) opens: BTreeMap<usize, usize>,
    pub(super) closes: BTreeMap<usize, usize>,
    /// What closes each mark that is open.
    pub(super) open_marks: Vec<(usize, &'static str)>,
    /// How many links are open: a link holds no second one.
    pub(super) links: usize,
    /// What closes each link that is open; nothing for a refused one.
    pub(super) link_ends: Vec<&'static str>,
    pub(super) title: Option<Title>,
    /// What closes the quotes and cells that are open.
    pub(super) closers: Vec<&'static str>,
    pub(super) notes: Notes,
    /// What each fence is, by where it starts.
    pub(super) roles: BTreeMap<usize, Role>,
    pub(super) table: Vec<Alignment>,
    pub(super) columns: Vec<Column>,
    pub(super) tables: usize,
    pub(super) column: usize,
    pub(super) in_head: bool,
    figure: bool,
    /// How many headings were taken.
    pub(super) heading: usize,
    /// How often each drawing stands above.
    pub(super) drawings: BTreeMap<String, usize>,
    /// What commands show in the place of parameters.
    pub(super) params: Params<'a>,
}

impl<'a> Walk<'a> {
    /// A walk that has not begun.
    pub(super) fn new(
        page: &'a Page,
        text: &'a str,
        world: &'a dyn World,
        events: &'a [Spanned<'a>],
    ) -> Walk<'a> {
        let marks = page.marks.iter().enumerate();
        Walk {
            page,
            text,
            world,
            events,
            at: 0,
            out: String::with_capacity(text.len() * 2),
            body: Body::default(),
            hidden: 0..0,
            opens: marks.clone().map(|(index, mark)| (mark.open.start, index)).collect(),
            closes: marks.map(|(index, mark)| (mark.close.start, index)).collect(),
            open_marks: Vec::new(),
            links: 0,
            link_ends: Vec::new(),
            title: None,
            closers: Vec::new(),
            notes: Notes::of(events),
            roles: Role::all(page),
            table: Vec::new(),
            columns: Vec::new(),
            tables: 0,
            column: 0,
            in_head: false,
            figure: false,
            heading: 0,
            drawings: BTreeMap::new(),
            params: Params::of(page),
        }
    }

    /// Takes all events.
    pub(super) fn run(mut self) -> Body {
        let events = self.events;
        while let Some((event, range)) = events.get(self.at) {
            let index = self.at;
            self.at += 1;
            if self.ends_title(index, event) || self.is_hidden(event, range) {
                continue;
            }
            self.event(event, range);
        }
        self.write_notes();
        self.body.params = self.params.used();
        self.body.html = self.out;
        self.body
    }

    /// Whether an event lies wholly in what is not shown. Only what can stand inside braces is
    /// hidden: a paragraph or cell may hold nothing but the mark and so have its very range.
    fn is_hidden(&self, event: &Event<'_>, range: &Range<usize>) -> bool {
        let inline = match event {
            Event::Text(_) => true,
            Event::Start(tag) => is_emphasis(tag.to_end()),
            Event::End(tag) => is_emphasis(*tag),
            _ => false,
        };
        inline && self.hidden.start <= range.start && range.end <= self.hidden.end
    }

    /// Takes one event.
    fn event(&mut self, event: &'a Event<'a>, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(*tag),
            Event::Text(text) => self.words(text, range),
            Event::Code(code) => self.code(code),
            Event::InlineHtml(html) => self.inline_html(html, range),
            Event::SoftBreak => self.push("\n"),
            Event::HardBreak => self.push("<br>\n"),
            Event::Rule => self.push("<hr>\n"),
            Event::FootnoteReference(name) => self.note_reference(name),
            Event::TaskListMarker(done) => self.task(*done),
            Event::InlineMath(tex) => self.formula(tex, false, range),
            Event::DisplayMath(tex) => self.formula(tex, true, range),
            // Blocks of HTML are taken whole at their start.
            Event::Html(_) => {}
        }
    }

    /// Something begins.
    fn start(&mut self, tag: &'a Tag<'a>, range: &Range<usize>) {
        match tag {
            Tag::Paragraph => self.paragraph(),
            Tag::Heading { level, classes, .. } => self.start_heading(*level, classes),
            Tag::BlockQuote(kind) => self.start_quote(*kind),
            Tag::CodeBlock(kind) => self.code_block(kind, range),
            Tag::HtmlBlock => self.html_block(),
            Tag::List(Some(1)) => self.push("<ol>\n"),
            Tag::List(Some(first)) => self.push(&format!("<ol start=\"{first}\">\n")),
            Tag::List(None) => self.push("<ul>\n"),
            Tag::Item => self.item(),
            Tag::FootnoteDefinition(_) => self.start_note(),
            Tag::DefinitionList => self.push("<dl>\n"),
            Tag::DefinitionListTitle => self.push("<dt>"),
            Tag::DefinitionListDefinition => self.push("<dd>"),
            Tag::Table(alignments) => self.start_table(alignments),
            Tag::TableHead => self.start_head(),
            Tag::TableRow => self.start_row(),
            Tag::TableCell => self.start_cell(),
            Tag::Emphasis => self.push("<em>"),
            Tag::Strong => self.push("<strong>"),
            Tag::Strikethrough => self.push("<del>"),
            Tag::Superscript => self.push("<sup>"),
            Tag::Subscript => self.push("<sub>"),
            Tag::Link { link_type, dest_url, title, .. } => {
                self.start_link(*link_type, dest_url, title, range);
            }
            Tag::Image { dest_url, title, .. } => self.image(dest_url, title, range),
            Tag::MetadataBlock(_) => {}
        }
    }

    /// Something ends.
    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.end_paragraph(),
            TagEnd::Heading(level) => self.end_heading(level),
            TagEnd::BlockQuote(_) => self.end_quote(),
            TagEnd::List(true) => self.push("</ol>\n"),
            TagEnd::List(false) => self.push("</ul>\n"),
            TagEnd::Item => self.push("</li>\n"),
            TagEnd::FootnoteDefinition => self.end_note(),
            TagEnd::DefinitionList => self.push("</dl>\n"),
            TagEnd::DefinitionListTitle => self.push("</dt>\n"),
            TagEnd::DefinitionListDefinition => self.push("</dd>\n"),
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead => self.push("</tr></thead><tbody>\n"),
            TagEnd::TableRow => self.push("</tr>\n"),
            TagEnd::TableCell => self.end_cell(),
            TagEnd::Emphasis => self.push("</em>"),
            TagEnd::Strong => self.push("</strong>"),
            TagEnd::Strikethrough => self.push("</del>"),
            TagEnd::Superscript => self.push("</sup>"),
            TagEnd::Subscript => self.push("</sub>"),
            TagEnd::Link => self.end_link(),
            TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Image | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// Adds to the output.
    pub(super) fn push(&mut self, html: &str) {
        self.out.push_str(html);
    }

    /// Adds text to the output.
    pub(super) fn push_text(&mut self, text: &str) {
        self.out.push_str(&escape(text));
        self.body.plain_words += text.split_whitespace().count();
    }

    /// A word of the interface, escaped.
    pub(super) fn word(&self, key: &str) -> String {
        escape(self.world.word(key)).into_owned()
    }

    /// Reports something at a range of the page.
    pub(super) fn report(&mut self, finding: Diagnostic, range: Range<usize>) {
        self.body.diagnostics.push(finding.at(Span::new(self.page.file, range)));
    }

    /// Index of the event that ends what began at `start` (the index of its start event).
    pub(super) fn end_of(&self, start: usize) -> usize {
        let mut depth = 0;
        for (offset, (event, _)) in self.events[start..].iter().enumerate() {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return start + offset;
            }
        }
        self.events.len()
    }

    /// A paragraph; one that holds only an image with a title is a figure.
    fn paragraph(&mut self) {
        if let Some((Event::Start(Tag::Image { title, .. }), _)) = self.events.get(self.at) {
            let after = self.events.get(self.end_of(self.at) + 1).map(|(event, _)| event);
            if !title.is_empty() && matches!(after, Some(Event::End(TagEnd::Paragraph))) {
                self.figure = true;
                self.push("<figure>");
                return;
            }
        }
        self.push("<p>");
    }

    /// The end of a paragraph.
    fn end_paragraph(&mut self) {
        if std::mem::take(&mut self.figure) {
            self.push("</figure>\n");
            return;
        }
        let next = self.events.get(self.at).map(|(event, _)| event);
        if matches!(next, Some(Event::End(TagEnd::FootnoteDefinition))) {
            self.push_back_links();
        }
        self.push("</p>\n");
    }

    /// Whether the paragraph that is open is a figure.
    pub(super) fn in_figure(&self) -> bool {
        self.figure
    }

    /// A heading. The first of level 1 is left out, with all it holds.
    fn start_heading(&mut self, level: HeadingLevel, classes: &[pulldown_cmark::CowStr<'_>]) {
        let heading = self.page.headings.get(self.heading);
        self.heading += 1;
        let id = heading.map(|heading| heading.id.clone()).unwrap_or_default();
        if level == HeadingLevel::H1 && self.body.title_id.is_none() {
            self.body.title_id = Some(id);
            self.at = self.end_of(self.at - 1) + 1;
            return;
        }
        if let (Some(heading), 2..=4) = (heading, level as u8) {
            let (text, level) = (heading.text.clone(), heading.level);
            self.body.toc.push(TocEntry { id: id.clone(), text, level });
        }
        let classes: Vec<&str> = classes.iter().map(|class| &**class).collect();
        let class = match &classes[..] {
            [] => String::new(),
            classes => format!(" class=\"{}\"", escape(&classes.join(" "))),
        };
        self.push(&format!("<{level} id=\"{}\"{class}>", escape(&id)));
    }

    /// The end of a heading, with the link to it.
    fn end_heading(&mut self, level: HeadingLevel) {
        if let (Some(heading), 2..=4) = (self.page.headings.get(self.heading - 1), level as u8) {
            let (id, word) = (escape(&heading.id), self.word("section-link"));
            let label = format!("{word}: {}", escape(&heading.text));
            let link = format!(" <a class=\"anchor\" href=\"#{id}\" aria-label=\"{label}\"></a>");
            self.push(&link);
        }
        self.push(&format!("</{level}>\n"));
    }

    /// A list item; one with a check box is marked as such.
    fn item(&mut self) {
        let first = self.events[self.at..].iter().map(|(event, _)| event);
        let mut first = first.skip_while(|event| matches!(event, Event::Start(Tag::Paragraph)));
        let task = matches!(first.next(), Some(Event::TaskListMarker(_)));
        self.push(if task { "<li class=\"task\">" } else { "<li>" });
    }

    /// A check box.
    fn task(&mut self, done: bool) {
        let (checked, key) = if done { (" checked", "done") } else { ("", "open") };
        let label = self.word(key);
        self.push(&format!("<input type=\"checkbox\" disabled{checked} aria-label=\"{label}\"> "));
    }
}

/// Whether a tag is one that underscores can make.
fn is_emphasis(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong)
}
