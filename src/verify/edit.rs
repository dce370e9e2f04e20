//! Byte ranges of a text and what replaces them.

use std::cmp::Reverse;
use std::ops::Range;
use std::path::Path;

use super::plan::Printed;
use crate::compare::Refreshed;
use crate::diag::Failure;
use crate::disk;
use crate::source::{Sources, Span};

/// One change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The bytes that are replaced.
    pub(crate) range: Range<usize>,
    /// What they are replaced by.
    pub(crate) text: String,
}

/// A new line behind the prefix of its list or quote; an empty one gets no trailing blanks.
pub(super) fn prefixed(prefix: &str, line: &str) -> String {
    if line.is_empty() { prefix.trim_end().to_owned() } else { format!("{prefix}{line}") }
}

/// A whole line of the page, prefix and line end included.
pub(super) fn physical_line(sources: &Sources, span: Span) -> &str {
    let source = sources.file(span.file);
    &source.text[source.line_range(source.position(span.start).line)]
}

/// Wider fence runs, where a new line would end the fence.
pub(super) fn widened(printed: &Printed, lines: &[Refreshed], sources: &Sources) -> Vec<Edit> {
    let (open, close) = printed.runs;
    let run = sources.slice(open);
    let mark = run.chars().next().unwrap_or('`');
    let longest = lines
        .iter()
        .filter_map(|line| match line {
            Refreshed::New(text) => {
                Some(text.trim_start().chars().take_while(|c| *c == mark).count())
            }
            Refreshed::Kept(_) => None,
        })
        .max()
        .unwrap_or(0);
    if longest < run.len() {
        return Vec::new();
    }
    let wide: String = std::iter::repeat_n(mark, longest + 1).collect();
    [open, close].into_iter().map(|span| Edit { range: span.range(), text: wide.clone() }).collect()
}

/// Applies edits to a text, last to first.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    // An insertion before a replaced range comes after it, or it would move that range.
    sorted.sort_by_key(|edit| Reverse((edit.range.start, edit.range.end)));
    let mut out = text.to_owned();
    for edit in sorted {
        out.replace_range(edit.range.clone(), &edit.text);
    }
    out
}

/// Writes the edited text of a page, unless nothing changes.
///
/// # Errors
/// The file no longer holds the text that was parsed, or cannot be written.
pub(crate) fn write(path: &Path, parsed: &str, edits: &[Edit]) -> Result<bool, Failure> {
    let edited = apply(parsed, edits);
    if edited == parsed {
        return Ok(false);
    }
    if disk::read(path)? != parsed.as_bytes() {
        let message = format!("{} was changed while its blocks ran", path.display());
        return Err(Failure::new(message).hint("run verify again; nothing was written"));
    }
    disk::replace(path, edited.as_bytes())?;
    Ok(true)
}
