//! Drawing findings: for people with the line and a caret, and as JSON, one object a line.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::{Diagnostic, Place, Severity};
use crate::source::{Sources, Span, is_hidden, shown};

/// Draws one finding for people; `colour` adds ANSI colours.
pub(crate) fn render(diagnostic: &Diagnostic, sources: &Sources, colour: bool) -> String {
    let mut out = String::new();
    let (on, off) = if colour { (ansi(diagnostic.severity), "\x1b[0m") } else { ("", "") };
    let word = diagnostic.severity.word();
    let message = shown(&diagnostic.message);
    let _ = writeln!(out, "{on}{word}[{}]{off}: {message}", diagnostic.code);
    match &diagnostic.place {
        Place::Text(span) => draw_excerpt(&mut out, sources, *span),
        Place::File(path, Some(line)) => {
            let _ = writeln!(out, " --> {}:{line}", shown(path));
        }
        Place::File(path, None) => {
            let _ = writeln!(out, " --> {}", shown(path));
        }
        Place::None => {}
    }
    for note in &diagnostic.notes {
        draw_note(&mut out, &shown(note));
    }
    if let Some(hint) = &diagnostic.hint {
        let _ = writeln!(out, " = help: {}", shown(hint));
    }
    out
}

/// A fact; one of several lines, such as a diff, is set off by a bar.
fn draw_note(out: &mut String, note: &str) {
    if !note.contains('\n') {
        let _ = writeln!(out, " = {note}");
        return;
    }
    for line in note.lines() {
        let _ = writeln!(out, " | {line}");
    }
}

/// The ANSI colour of a weight.
fn ansi(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "\x1b[1;31m",
        Severity::Warning => "\x1b[1;33m",
        Severity::Note => "\x1b[1;36m",
    }
}

/// Path, line, column, the line itself and a caret below the span.
fn draw_excerpt(out: &mut String, sources: &Sources, span: Span) {
    let file = sources.file(span.file);
    let at = file.position(span.start);
    let _ = writeln!(out, " --> {}:{}:{}", shown(&file.path), at.line, at.column);
    let line = file.line_text(at.line);
    if line.is_empty() {
        return;
    }
    let number = at.line.to_string();
    let gutter = " ".repeat(number.len());
    let before: String = line.chars().take(at.column - 1).map(plain).collect();
    let line_start = file.line_range(at.line).start;
    let end = span.end.min(line_start + line.len());
    let marked: String = file.text[span.start.min(end)..end].chars().map(plain).collect();
    let (shown, before) = shorten(line, &before);
    let _ = writeln!(out, "{gutter} |");
    let _ = writeln!(out, "{number} | {shown}");
    let carets = marked.width().clamp(1, 60);
    let _ = writeln!(out, "{gutter} | {}{}", " ".repeat(before.width()), "^".repeat(carets));
}

/// What is hidden takes one column and does nothing in an excerpt.
fn plain(c: char) -> char {
    if c.is_control() || is_hidden(c) { ' ' } else { c }
}

/// A very long line is shown from shortly before the marked place.
fn shorten(line: &str, before: &str) -> (String, String) {
    const LIMIT: usize = 160;
    let chars: Vec<char> = line.chars().map(plain).collect();
    if chars.len() <= LIMIT {
        return (chars.into_iter().collect(), before.to_owned());
    }
    let skip = before.chars().count().saturating_sub(40);
    let shown: String = chars.into_iter().skip(skip).take(LIMIT).collect();
    let before: String = before.chars().skip(skip).collect();
    if skip == 0 {
        (shown + "…", before)
    } else {
        (format!("…{shown}…"), format!("…{before}"))
    }
}

/// One finding as a JSON object on one line.
pub(crate) fn json_line(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let (file, line, column) = match &diagnostic.place {
        Place::Text(span) => {
            let at = sources.position(*span);
            (Some(sources.path(span.file).to_owned()), Some(at.line), Some(at.column))
        }
        Place::File(path, line) => (Some(path.clone()), *line, line.map(|_| 1)),
        Place::None => (None, None, None),
    };
    serde_json::json!({
        "level": diagnostic.severity.word(),
        "code": diagnostic.code,
        "message": diagnostic.message,
        "file": file,
        "line": line,
        "column": column,
        "notes": diagnostic.notes,
        "hint": diagnostic.hint,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Sources, Diagnostic) {
        let mut sources = Sources::default();
        let id = sources.add("content/a.md", "첫 줄\n한글 [x](b.md)\n");
        let start = sources.text(id).find("[x]").expect("sample has a link");
        let diagnostic = Diagnostic::error("LK001", "b.md does not exist")
            .at(Span::new(id, start..start + 9))
            .note("content/ has a.md")
            .hint("did you mean a.md?");
        (sources, diagnostic)
    }

    #[test]
    fn draws_the_line_and_a_caret_below_wide_characters() {
        let (sources, diagnostic) = sample();
        let expect = "error[LK001]: b.md does not exist\n --> content/a.md:2:4\n  |\n2 | 한글 [x](b.md)\n  |      ^^^^^^^^^\n = content/ has a.md\n = help: did you mean a.md?\n";
        assert_eq!(render(&diagnostic, &sources, false), expect);
    }

    #[test]
    fn writes_one_json_object() {
        let (sources, diagnostic) = sample();
        let json: serde_json::Value =
            serde_json::from_str(&json_line(&diagnostic, &sources)).expect("valid JSON");
        assert_eq!(json["column"], 4);
        assert_eq!(json["file"], "content/a.md");
        assert_eq!(json["level"], "error");
    }
}
