//! A Mermaid fence of a page: the drawing in its figure, or what is wrong with it, in its place.

use std::ops::Range;

use super::{Drawing, Fault};
use crate::address::{Written, parse};
use crate::diag::Diagnostic;
use crate::fence::Attributes;
use crate::html::escape::{escape, escape_href};
use crate::html::fence::Code;
use crate::html::walk::Walk;

/// How small a wide drawing may get before it scrolls, in hundredths.
const SMALLEST: u32 = 70;

impl Walk<'_> {
    /// Writes a diagram.
    pub(in crate::html) fn diagram(
        &mut self,
        attributes: &Attributes,
        code: &Code,
        range: &Range<usize>,
    ) {
        let drawn = self.world.diagrams().draw(&code.text);
        match &*drawn {
            Ok(drawing) => {
                let html = self.figure_of(drawing, attributes, (code, range));
                self.push(&html);
            }
            Err(fault) => self.undrawn(fault, code, range),
        }
    }

    /// Reports a fault, and shows the source in the drawing's place.
    fn undrawn(&mut self, fault: &Fault, code: &Code, range: &Range<usize>) {
        let at = place(fault.at, code).unwrap_or(range.clone());
        let line = self.text[at.start..].find('\n').map_or(self.text.len(), |end| at.start + end);
        let at = at.start..line.max(at.start);
        let mut finding = Diagnostic::error("DG001", format!("diagram: {}", fault.message));
        finding = finding.hint("write ` ```mermaid {.source} ` to show the source instead");
        self.report(finding, at);
        let source = escape(&code.text);
        self.push(&format!("<pre tabindex=\"0\"><code>{source}</code></pre>\n"));
    }

    /// The figure around a drawing.
    fn figure_of(
        &mut self,
        drawing: &Drawing,
        attributes: &Attributes,
        (code, range): (&Code, &Range<usize>),
    ) -> String {
        let id = self.diagram_id(drawing);
        let shown = attributes.get("title").map(|title| title.value.clone());
        let title = shown.clone().or_else(|| drawing.title.clone());
        let title = title.or_else(|| self.heading_above()).unwrap_or_else(|| self.word("diagram"));
        let given = attributes.get("description").map(|pair| pair.value.clone());
        let description = given.or_else(|| drawing.description.clone());
        let label = escape(&title);
        let (width, height) = drawing.size;
        let mut labelled = format!("{id}t");
        let mut head = format!("<title id=\"{id}t\">{label}</title>");
        if let Some(description) = &description {
            labelled.push_str(&format!("\" aria-describedby=\"{id}d"));
            head.push_str(&format!("<desc id=\"{id}d\">{}</desc>", escape(description)));
        }
        let inner = drawing.inner.replace(&drawing.id, &id);
        let inner = self.with_links(&inner, drawing, range);
        let root = drawing.root.replace(&drawing.id, &id);
        let class = least_width(width);
        let caption = shown.map(|shown| format!("<figcaption>{}</figcaption>", escape(&shown)));
        let caption = caption.unwrap_or_default();
        // A picture holds nothing that the keyboard reaches.
        let role = if drawing.links.is_empty() { "img" } else { "group" };
        let source = if description.is_some() { String::new() } else { self.source_of(code) };
        format!(
            "<figure class=\"drawing\"><div class=\"diagram\" tabindex=\"0\" role=\"region\" \
             aria-label=\"{label}\"><svg xmlns=\"http://www.w3.org/2000/svg\"{class} role=\"{role}\" \
             aria-labelledby=\"{labelled}\" width=\"{width}\" height=\"{height}\"{root}>{head}\
             {inner}</svg></div>{caption}{source}</figure>\n"
        )
    }

    /// What the ids of a drawing begin with here: equal drawings on one page are numbered.
    fn diagram_id(&mut self, drawing: &Drawing) -> String {
        let seen = self.drawings.entry(drawing.id.clone()).or_insert(0);
        *seen += 1;
        if *seen == 1 { drawing.id.clone() } else { format!("{}{seen}-", drawing.id) }
    }

    /// The text of the nearest heading above.
    fn heading_above(&self) -> Option<String> {
        let heading = self.page.headings.get(self.heading.checked_sub(1)?)?;
        Some(heading.text.clone())
    }

    /// The source, folded, for those who do not see the drawing.
    fn source_of(&self, code: &Code) -> String {
        let (word, source) = (self.word("diagram-source"), escape(code.text.trim_end()));
        format!(
            "<details class=\"more\"><summary>{word}</summary>\
             <pre tabindex=\"0\"><code>{source}</code></pre></details>"
        )
    }

    /// The drawing with the addresses that its links have on this page.
    fn with_links(&mut self, inner: &str, drawing: &Drawing, range: &Range<usize>) -> String {
        let mut out = inner.to_owned();
        for (at, dest) in drawing.links.iter().enumerate() {
            let href = self.world.href(dest);
            if href.is_none() && matches!(parse(dest), Written::Inside { .. } | Written::Absolute) {
                let message = format!("the diagram links to {dest}, which does not exist");
                let hint = "a link in a diagram is written as in prose, relative to this page";
                self.report(Diagnostic::error("DG002", message).hint(hint), range.clone());
            }
            let href = escape_href(&href.unwrap_or_else(|| dest.clone()));
            out = out.replace(&format!("\u{e000}{at}\u{e001}"), &href);
        }
        out
    }
}

/// The place in the page of an offset in a fence's text.
fn place(at: usize, code: &Code) -> Option<Range<usize>> {
    let piece = code.pieces.partition_point(|(start, _)| *start <= at).checked_sub(1)?;
    let (start, range) = code.pieces.get(piece)?;
    let from = (range.start + at - start).min(range.end);
    Some(from..range.end)
}

/// The class that keeps a wide drawing readable on a narrow screen.
fn least_width(width: u32) -> String {
    let hundreds = (width * SMALLEST / 10_000).min(20);
    if hundreds < 3 { String::new() } else { format!(" class=\"w{hundreds}\"") }
}
