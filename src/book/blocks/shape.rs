//! Where the parts of a fence stand in its page.

use std::ops::Range;

use super::Fence;
use crate::fence::Attributes;
use crate::source::{FileId, Span};

/// Moves the ranges of attributes from the header's text to the page's.
pub(super) fn shift(mut attributes: Attributes, by: usize) -> Attributes {
    let moved = |range: &Range<usize>| range.start + by..range.end + by;
    if let Some(id) = &mut attributes.id {
        id.range = moved(&id.range);
    }
    for word in &mut attributes.classes {
        word.range = moved(&word.range);
    }
    for pair in &mut attributes.pairs {
        pair.range = moved(&pair.range);
    }
    attributes
}

/// The braces of `<!-- labdoc {…} -->` on the line directly above a fence.
pub(super) fn comment_above(text: &str, fence_start: usize) -> Option<(usize, usize)> {
    let line_start = text[..fence_start].rfind('\n')? + 1;
    let above_start = text[..line_start - 1].rfind('\n').map_or(0, |at| at + 1);
    let above = text[above_start..line_start - 1].trim_end();
    let body = above.find("<!-- labdoc {")?;
    let inner = above[body..].strip_suffix("-->")?.trim_end();
    let open = above_start + body + "<!-- labdoc ".len();
    Some((open, above_start + body + inner.len()))
}

/// Where the parts of a fence stand.
pub(in crate::book) struct Shape {
    /// The opening run.
    pub(in crate::book) open: Range<usize>,
    /// The run's text.
    pub(super) run: String,
    /// The closing run, where there is one.
    pub(in crate::book) close: Option<Range<usize>>,
}

impl Shape {
    /// Finds the runs of a fence.
    pub(in crate::book) fn of(text: &str, fence: &Fence) -> Shape {
        let whole = &text[fence.range.clone()];
        let indent = whole.len() - whole.trim_start_matches([' ', '\t']).len();
        let start = fence.range.start + indent;
        let mark = text[start..].chars().next().unwrap_or('`');
        let len = text[start..].chars().take_while(|c| *c == mark).count();
        let run: String = std::iter::repeat_n(mark, len).collect();
        Shape { open: start..start + len, close: closing(text, fence, mark, len), run }
    }

    /// Where the content begins: behind the header's line.
    pub(in crate::book) fn content_start(&self, text: &str) -> usize {
        text[self.open.end..].find('\n').map_or(text.len(), |at| self.open.end + at + 1)
    }

    /// Where the content ends, which has a closing run: at the beginning of its line.
    pub(in crate::book) fn content_end(&self, text: &str, close: &Range<usize>) -> usize {
        let first = self.content_start(text);
        text[..close.start].rfind('\n').map_or(first, |at| at + 1).max(first)
    }

    /// What a new line of the content begins with.
    pub(in crate::book) fn prefix(&self, text: &str, close: &Range<usize>) -> String {
        line_prefix(text, self.open.start, &text[self.content_end(text, close)..close.start])
    }

    /// The content without prefixes, and the place of each of its lines.
    pub(in crate::book) fn content(
        &self,
        text: &str,
        file: FileId,
        fence: &Fence,
    ) -> (String, Vec<Span>) {
        let mut content = String::new();
        let mut lines = Vec::new();
        for piece in whole_lines(text, &fence.pieces) {
            let mut at = piece.start;
            for line in text[piece.clone()].split_inclusive('\n') {
                let body = line.trim_end_matches(['\n', '\r']);
                lines.push(Span::new(file, at..at + body.len()));
                content.push_str(body);
                content.push('\n');
                at += line.len();
            }
        }
        (content, lines)
    }
}

/// What a new line of a fence begins with, so that it is read as it was meant: the prefix of another
/// of its lines, as wide as that of the opening run at `open`. That line may be indented by less or
/// more; what a line has beyond the indent of the opening run is content.
pub(crate) fn line_prefix(text: &str, open: usize, other: &str) -> String {
    // A carriage return alone ends a line, too.
    let open_line = text[..open].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let wide = columns(&text[open_line..open]);
    let mut prefix = other.to_owned();
    while columns(&prefix) > wide && prefix.ends_with([' ', '\t']) {
        prefix.pop();
    }
    prefix.extend(std::iter::repeat_n(' ', wide.saturating_sub(columns(&prefix))));
    prefix
}

/// How many columns the beginning of a line takes; a tab goes to the next stop of four.
fn columns(prefix: &str) -> usize {
    prefix.chars().fold(0, |at, c| if c == '\t' { at / 4 * 4 + 4 } else { at + 1 })
}

/// The pieces of a fence with what belongs to one line in one piece: the parser cuts a line that
/// ends in CRLF before its line end.
fn whole_lines(text: &str, pieces: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let joins = |end: usize, start: usize| matches!(text.get(end..start), Some("" | "\r"));
    for piece in pieces {
        match lines.last_mut() {
            Some(last) if !text[..last.end].ends_with('\n') && joins(last.end, piece.start) => {
                last.end = piece.end;
            }
            _ => lines.push(piece.clone()),
        }
    }
    lines
}

/// The closing run of a fence: its last line holds nothing but a run at least as long, and is none
/// of its content. What looks like a closing line may be content, as where it is indented by four.
fn closing(text: &str, fence: &Fence, mark: char, len: usize) -> Option<Range<usize>> {
    let whole = text[fence.range.clone()].trim_end();
    let last = whole.rfind('\n')? + 1;
    let line = &whole[last..];
    let run_len = line.chars().rev().take_while(|c| *c == mark).count();
    let before = &line[..line.len() - run_len];
    let only_prefix = before.chars().all(|c| matches!(c, ' ' | '\t' | '>'));
    let end = fence.range.start + whole.len();
    let content_end = fence.pieces.last().map_or(fence.range.start, |piece| piece.end);
    let closes = run_len >= len && only_prefix && content_end <= fence.range.start + last;
    closes.then(|| end - run_len..end)
}

#[cfg(test)]
mod tests {
    use crate::book::parse;
    use crate::source::Sources;

    #[test]
    fn lines_with_windows_ends_are_whole() {
        let check = |text: &str, expect: &str| {
            let text = text.replace('\n', "\r\n");
            let mut sources = Sources::default();
            let file = sources.add("a.md", text);
            let page = parse(&sources, file).value;
            assert_eq!(page.blocks[0].text, expect);
        };
        check("```sh {#a}\nstate OK\nstate OK\n```\n", "state OK\nstate OK\n");
        check("```sh {#a}\na\n\nb\n\n\n```\n", "a\n\nb\n\n\n");
        check("> ```sh {#a}\n> a\n>\n> b\n> ```\n", "a\n\nb\n");
        check("1. x\n\n   ```sh {#a}\n   a\n\n   b\n   ```\n", "a\n\nb\n");
    }

    #[test]
    fn a_new_line_is_indented_as_the_fence_is() {
        let check = |text: &str, expect: &str| {
            let mut sources = Sources::default();
            let text = format!("```sh {{#a}}\ntrue\n```\n\n{text}");
            let file = sources.add("a.md", text);
            let page = parse(&sources, file).value;
            assert_eq!(page.blocks[0].output.as_ref().expect("output").prefix, expect);
        };
        check("```output {for=a}\n```\n", "");
        check("```output {for=a}\n  ```\n", "");
        check("  ```output {for=a}\n```\n", "  ");
        check("> ```output {for=a}\n>   ```\n", "> ");
        check(">  ```output {for=a}\n> ```\n", ">  ");
        check("1. ```output {for=a}\n   ```\n", "   ");
        check("1. x\n\n   ```output {for=a}\n     ```\n", "   ");
    }

    #[test]
    fn a_line_that_only_looks_like_the_end_is_content() {
        let check = |text: &str, closed: bool| {
            let mut sources = Sources::default();
            let file = sources.add("a.md", text);
            let codes: Vec<_> = parse(&sources, file).diagnostics.iter().map(|d| d.code).collect();
            assert_eq!(codes.is_empty(), closed, "{text}: {codes:?}");
        };
        check("```console {#a}\n$ x\n1\n   ```", true);
        check("```console {#a}\n$ x\n1\n``` ", true);
        check("```console {#a}\n$ x\n1\n    ```", false);
        check("> ```console {#a}\n> $ x\n> 1\n>     ```", false);
        check("~~~console {#a}\n$ x\n1\n\t~~~\n", false);
        check("```console {#a}\n$ x\n```", true);
        check("```console {#a}\n```", true);
    }
}
