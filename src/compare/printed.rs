//! The text of an output fence as a person wrote it: lines, elisions, notes and their escapes.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// How exactly blanks at the ends of lines and the last newline are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// Trailing blanks, a carriage return before a line end and the last newline do not count.
    #[default]
    Plain,
    /// They count, and are written so that they can be seen.
    Strict,
}

impl Form {
    /// A line without what does not count.
    pub(super) fn trimmed(self, line: &str) -> &str {
        if self == Form::Strict { line } else { line.trim_end() }
    }
}

/// What stands below an output whose last line has no end, in strict form.
const NO_NEWLINE: &str = "\\ no newline at the end";

/// One line of a printed output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PrintedLine {
    /// `...` alone on its line: any lines.
    Gap,
    /// A line that is compared, and the note behind it that is not.
    Line {
        /// What is compared, escapes undone.
        text: String,
        /// The blanks, the arrow and the note, as written.
        note: String,
    },
}

/// An arrow behind two or more blanks, with the backslashes that make it text.
static ARROW: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"( {2}|\t)(\\*)(<-|←)").ok());

/// Reads the lines of a printed output.
pub(crate) fn parse(text: &str, form: Form) -> Vec<PrintedLine> {
    let strict = |line: PrintedLine| match line {
        PrintedLine::Line { text, note } => PrintedLine::Line { text: visible_end(&text), note },
        PrintedLine::Gap => PrintedLine::Gap,
    };
    let lines = text.lines().map(parse_line);
    match form {
        Form::Plain => lines.collect(),
        Form::Strict => lines.map(strict).collect(),
    }
}

/// Reads one line.
fn parse_line(line: &str) -> PrintedLine {
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.trim_end() == "..." {
        return PrintedLine::Gap;
    }
    let (body, note) = split_note(line);
    PrintedLine::Line { text: unescape(body), note: note.to_owned() }
}

/// Whether a line may hold an arrow. Few do, and the expression is compiled for those alone.
fn has_arrow(line: &str) -> bool {
    line.contains("<-") || line.contains('←')
}

/// Whether a line, without the blanks at its end, is dots behind backslashes.
fn is_escaped_dots(line: &str) -> bool {
    let before = line.strip_suffix("...").unwrap_or_default();
    !before.is_empty() && before.bytes().all(|byte| byte == b'\\')
}

/// Splits a line before the blanks of its note.
fn split_note(line: &str) -> (&str, &str) {
    if !has_arrow(line) {
        return (line, "");
    }
    let arrow = ARROW.as_ref().and_then(|arrow| {
        arrow.captures_iter(line).find(|c| c.get(2).is_some_and(|slashes| slashes.is_empty()))
    });
    let Some(at) = arrow.and_then(|c| c.get(0)).map(|m| m.start()) else { return (line, "") };
    let body = line[..at].trim_end_matches([' ', '\t']);
    line.split_at(body.len())
}

/// Undoes the escapes of a line.
fn unescape(body: &str) -> String {
    if is_escaped_dots(body.trim_end()) {
        return body[1..].to_owned();
    }
    if !has_arrow(body) {
        return body.to_owned();
    }
    match ARROW.as_ref() {
        Some(arrow) => arrow
            .replace_all(body, |c: &regex::Captures<'_>| {
                format!("{}{}{}", &c[1], c[2].strip_prefix('\\').unwrap_or(&c[2]), &c[3])
            })
            .into_owned(),
        None => body.to_owned(),
    }
}

/// Writes a measured line so that it reads back as itself.
pub(crate) fn escape(line: &str) -> String {
    if line.trim_end() == "..." || is_escaped_dots(line.trim_end()) {
        return format!("\\{line}");
    }
    if !has_arrow(line) {
        return line.to_owned();
    }
    match ARROW.as_ref() {
        Some(arrow) => arrow.replace_all(line, r"$1\$2$3").into_owned(),
        None => line.to_owned(),
    }
}

/// A measured output as it is compared and written: colour sequences taken out, bytes that are no
/// text shown as escapes. In plain form carriage returns before line ends and trailing blanks go;
/// in strict form they are shown, and so is a last line without an end.
pub(crate) fn normalise(bytes: &[u8], form: Form) -> String {
    let strict = form == Form::Strict;
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        // A backslash that would read as an escape is one itself, or two texts would look alike.
        out.push_str(&if strict { escaped_escapes(chunk.valid()) } else { chunk.valid().into() });
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    let out = strip_colours(&out);
    let line = |line: &str| match form {
        Form::Plain => visible_controls(line.trim_end()),
        Form::Strict => visible_end(&visible_controls(line)),
    };
    let mut lines: Vec<String> = out.split('\n').map(line).collect();
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    } else if strict {
        lines.push(NO_NEWLINE.to_owned());
    }
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// A text whose backslashes before `xHH` are written `\x5c`.
fn escaped_escapes(text: &str) -> Cow<'_, str> {
    static ESCAPE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\\(x[0-9a-f]{2})").ok());
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    ESCAPE.as_ref().map_or(Cow::Borrowed(text), |escape| escape.replace_all(text, r"\x5c$1"))
}

/// A line whose last blank can be seen.
fn visible_end(line: &str) -> String {
    match line.chars().next_back() {
        Some(blank) if blank.is_whitespace() => {
            let body = &line[..line.len() - blank.len_utf8()];
            match u32::from(blank) {
                code @ 0..=0xff => format!("{body}\\x{code:02x}"),
                _ => line.to_owned(),
            }
        }
        _ => line.to_owned(),
    }
}

/// Takes ANSI colour and other CSI sequences out.
fn strip_colours(text: &str) -> String {
    static CSI: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)").ok()
    });
    if !text.contains('\x1b') {
        return text.to_owned();
    }
    CSI.as_ref().map_or_else(|| text.to_owned(), |csi| csi.replace_all(text, "").into_owned())
}

/// Control characters other than a tab are shown as escapes.
fn visible_controls(line: &str) -> String {
    if !line.chars().any(|c| c.is_control() && c != '\t') {
        return line.to_owned();
    }
    let show = |c: char| match c {
        '\t' => "\t".to_owned(),
        c if c.is_control() => format!("\\x{:02x}", u32::from(c)),
        c => c.to_string(),
    };
    line.chars().map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, note: &str) -> PrintedLine {
        PrintedLine::Line { text: text.into(), note: note.into() }
    }

    #[test]
    fn gaps_notes_and_escapes() {
        let check = |text: &str, expect: PrintedLine| {
            assert_eq!(parse(text, Form::Plain), [expect], "{text}")
        };
        check("...", PrintedLine::Gap);
        check("\\...", line("...", ""));
        check("\\\\...", line("\\...", ""));
        check("DNS = 10.0.0.1        <- differs", line("DNS = 10.0.0.1", "        <- differs"));
        check("a  ← note", line("a", "  ← note"));
        check("a <- b", line("a <- b", ""));
        check("a  \\<- b", line("a  <- b", ""));
        check("a  \\<- b  <- note", line("a  <- b", "  <- note"));
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in ["...", "\\...", "a  <- b", "a  \\<- b", "x", "  ...", "a\t<- b", "   <-  ←"]
        {
            assert_eq!(parse(&escape(text), Form::Plain), [line(text, "")], "{text}");
        }
    }

    #[test]
    fn measured_text_is_made_comparable() {
        let check = |bytes: &[u8], plain: &str, strict: &str| {
            assert_eq!(normalise(bytes, Form::Plain), plain, "{bytes:?}");
            assert_eq!(normalise(bytes, Form::Strict), strict, "{bytes:?}");
        };
        let missing = "\\ no newline at the end\n";
        check(
            b"a  \r\n\x1b[31mred\x1b[0m\nb",
            "a\nred\nb\n",
            &format!("a  \\x0d\nred\nb\n{missing}"),
        );
        check(b"\xff\0x\n\n", "\\xff\\x00x\n\n", "\\xff\\x00x\n\n");
        check("naïve ✓ 日本\n".as_bytes(), "naïve ✓ 日本\n", "naïve ✓ 日本\n");
        check(b"", "", "");
        check(b"a \n\t\n", "a\n\n", "a\\x20\n\\x09\n");
        check(b"a\\x20\n", "a\\x20\n", "a\\x5cx20\n");
    }

    #[test]
    fn trailing_blanks_of_a_strict_page_are_read_as_they_are_written() {
        let text = |source: &str| match parse(source, Form::Strict).remove(0) {
            PrintedLine::Line { text, .. } => text,
            PrintedLine::Gap => "...".to_owned(),
        };
        assert_eq!(text("a  "), "a \\x20");
        assert_eq!(text("a \\x20"), "a \\x20");
    }
}
