//! The texts that were read, and positions in them. Nothing else owns a text.

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
    line_starts: Vec<usize>,
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
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.files.push(SourceFile { path: path.into(), text, line_starts });
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
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

impl SourceFile {
    /// Line and column of a byte offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts[line - 1];
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
        let start = self.line_starts.get(line.wrapping_sub(1)).copied().unwrap_or(end);
        let next = self.line_starts.get(line).copied().unwrap_or(end);
        start..next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
