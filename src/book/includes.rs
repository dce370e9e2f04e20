//! Fences that show a file of the book: `yaml {include=labkit/app/a.yaml region=web}`.

use std::ops::Range;

use super::blocks::Fence;
use super::blocks::shape::Shape;
use crate::diag::Diagnostic;
use crate::fence::parse_header;
use crate::source::{FileId, Span};

/// Which part of a file is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it.
    All,
    /// Lines, from 1, both ends included.
    Lines(usize, usize),
    /// What stands between `region: NAME` and `endregion: NAME`.
    Region(String),
}

/// A fence that shows a file.
#[derive(Clone, Debug)]
pub(crate) struct Include {
    /// The file, from the book's root, as written.
    pub(crate) path: String,
    /// The place of `include=…`.
    pub(crate) at: Span,
    /// The part that is shown.
    pub(crate) part: Part,
    /// The text of the fence, without the prefix of the list or quote that holds it.
    pub(crate) shown: String,
    /// The place of each of its lines, line end and prefix excluded.
    pub(crate) lines: Vec<Span>,
    /// The bytes between the opening line and the closing line, prefixes included.
    pub(crate) content: Span,
    /// What stands before each line.
    pub(crate) prefix: String,
    /// The opening and the closing run of the fence.
    pub(crate) runs: (Span, Span),
}

/// The fences of a page that show a file. A header that cannot be read is reported by others.
pub(crate) fn collect(
    (file, text): (FileId, &str),
    fences: &[Fence],
    findings: &mut Vec<Diagnostic>,
) -> Vec<Include> {
    fences.iter().filter_map(|fence| include((file, text), fence, findings)).collect()
}

/// One fence.
fn include(
    (file, text): (FileId, &str),
    fence: &Fence,
    findings: &mut Vec<Diagnostic>,
) -> Option<Include> {
    let shape = Shape::of(text, fence);
    let info_at = shape.open.end;
    let line_end = text[info_at..].find('\n').map_or(text.len(), |at| info_at + at);
    let info = &text[info_at..line_end];
    if !info.contains("include=") {
        return None;
    }
    let attributes = parse_header(info.trim_end()).ok()?.attributes?;
    let pair = attributes.get("include")?;
    let span = |range: &Range<usize>| Span::new(file, range.start + info_at..range.end + info_at);
    let part = match (attributes.get("lines"), attributes.get("region")) {
        (None, None) => Part::All,
        (None, Some(region)) => Part::Region(region.value.clone()),
        (Some(lines), None) => match lines_of(&lines.value) {
            Some((from, to)) => Part::Lines(from, to),
            None => {
                let message = format!("`{}` names no lines", lines.value);
                let finding = Diagnostic::error("IN004", message).at(span(&lines.range));
                findings.push(finding.hint("write it like lines=3 or lines=3-9"));
                return None;
            }
        },
        (Some(lines), Some(_)) => {
            let message = "`lines=` and `region=` cannot stand together";
            findings.push(Diagnostic::error("IN004", message).at(span(&lines.range)));
            return None;
        }
    };
    // A fence that is never closed shows its text to the end of the page: others report it.
    let close = shape.close.clone()?;
    let (shown, lines) = shape.content(text, file, fence);
    let (first, last) = (shape.content_start(text), shape.content_end(text, &close));
    Some(Include {
        path: pair.value.clone(),
        at: span(&pair.range),
        part,
        shown,
        lines,
        content: Span::new(file, first..last),
        prefix: shape.prefix(text, &close),
        runs: (Span::new(file, shape.open.clone()), Span::new(file, close)),
    })
}

/// `3` or `3-9`.
fn lines_of(value: &str) -> Option<(usize, usize)> {
    let (from, to) = value.split_once('-').unwrap_or((value, value));
    let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    (1 <= from && from <= to).then_some((from, to))
}
