//! The texts that were read, and positions in them. Nothing else owns a text.

use std::borrow::Cow;
use std::ops::Range;

/// Names one text of a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId(u32);

/// A byte range in one text. Every finding and every edit is expressed in spans; line and column
/// are computed only where a person reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    /// The text.
    pub(crate) file: FileId,
    /// First byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

impl Span {
    /// The span of `range` in `file`.
    pub(crate) fn new(file: FileId, range: Range<usize>) -> Span {
        Span { file, start: range.start, end: range.end }
    }

    /// The byte range.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// A line and a column, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// Line, from 1.
    pub(crate) line: usize,
    /// Column in characters, from 1.
    pub(crate) column: usize,
}

/// One text with the path it is known by.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Path from the site's root, with `/`.
    pub(crate) path: String,
    /// The text as it was read.
    pub(crate) text: String,
    line_starts: Vec<u32>,
}

/// All texts of one run: read once, then only borrowed.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a text under its path from the root.
    pub(crate) fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let line_starts = line_starts(&text);
        self.files.push(SourceFile { path: path.into(), text, line_starts });
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// Puts another text in the place of one.
    pub(crate) fn replace(&mut self, id: FileId, text: String) {
        let line_starts = line_starts(&text);
        if let Some(file) = self.files.get_mut(id.0 as usize) {
            (file.text, file.line_starts) = (text, line_starts);
        }
    }

    /// The text that was added first.
    pub(crate) fn first(&self) -> FileId {
        FileId(0)
    }

    /// The file behind an id.
    pub(crate) fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The whole text of a file.
    pub(crate) fn text(&self, id: FileId) -> &str {
        &self.file(id).text
    }

    /// The path of a file, from the root.
    pub(crate) fn path(&self, id: FileId) -> &str {
        &self.file(id).path
    }

    /// The text that a span covers.
    pub(crate) fn slice(&self, span: Span) -> &str {
        &self.text(span.file)[span.range()]
    }

    /// Where a span begins.
    pub(crate) fn position(&self, span: Span) -> Position {
        self.file(span.file).position(span.start)
    }

    /// The line (from 1) on which a span begins.
    pub(crate) fn line(&self, span: Span) -> usize {
        self.position(span).line
    }
}

/// Where the lines of a text begin. Nothing that is read has four gigabytes; a large site has many
/// texts.
fn line_starts(text: &str) -> Vec<u32> {
    let count = text.bytes().filter(|byte| *byte == b'\n').count();
    let mut starts = Vec::with_capacity(count + 1);
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    starts.extend(std::iter::once(0).chain(ends).filter_map(|at| u32::try_from(at).ok()));
    starts
}

impl SourceFile {
    /// Line and column of a byte offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.line_starts.partition_point(|start| *start as usize <= offset).max(1);
        let start = self.line_starts[line - 1] as usize;
        let column = self.text[start..offset.min(self.text.len())].chars().count() + 1;
        Position { line, column }
    }

    /// The text of a line (from 1), without its line end.
    pub(crate) fn line_text(&self, line: usize) -> &str {
        let range = self.line_range(line);
        self.text[range].trim_end_matches(['\n', '\r'])
    }

    /// The byte range of a line (from 1), line end included; empty past the end.
    pub(crate) fn line_range(&self, line: usize) -> Range<usize> {
        let end = self.text.len();
        let start = |line: usize| self.line_starts.get(line).map_or(end, |start| *start as usize);
        start(line.wrapping_sub(1))..start(line)
    }
}

/// Whether a character is invisible, or changes how others are shown.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e01ef}')
}

/// A text for a terminal: what is hidden is written out as `⟨U+XXXX⟩`, line ends and tabs stay.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            out.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_moves_or_hides_text_reaches_a_terminal() {
        assert_eq!(shown("a\x1b]0;b\x07\u{202e}c\td\n"), "a⟨U+001B⟩]0;b⟨U+0007⟩⟨U+202E⟩c\td\n");
        assert!(matches!(shown("한글\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn columns_count_characters() {
        let mut sources = Sources::default();
        let id = sources.add("a.md", "한글 x\nb");
        let span = Span::new(id, 7..8);
        assert_eq!(sources.position(span), Position { line: 1, column: 4 });
        assert_eq!(sources.position(Span::new(id, 9..10)), Position { line: 2, column: 1 });
        assert_eq!(sources.file(id).line_text(1), "한글 x");
    }
}
