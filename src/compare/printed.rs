//! The text of an output fence as a person wrote it: lines, elisions, notes and their escapes.

use std::sync::LazyLock;

use regex::Regex;

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

/// A real line of dots, with the backslashes that make it one.
static DOTS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\\+\.\.\.$").ok());
/// An arrow behind two or more blanks, with the backslashes that make it text.
static ARROW: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"( {2}|\t)(\\*)(<-|←)").ok());

/// Reads the lines of a printed output.
pub(crate) fn parse(text: &str) -> Vec<PrintedLine> {
    text.lines().map(parse_line).collect()
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

/// Splits a line before the blanks of its note.
fn split_note(line: &str) -> (&str, &str) {
    let arrow = ARROW.as_ref().and_then(|arrow| {
        arrow.captures_iter(line).find(|c| c.get(2).is_some_and(|slashes| slashes.is_empty()))
    });
    let Some(at) = arrow.and_then(|c| c.get(0)).map(|m| m.start()) else { return (line, "") };
    let body = line[..at].trim_end_matches([' ', '\t']);
    line.split_at(body.len())
}

/// Undoes the escapes of a line.
fn unescape(body: &str) -> String {
    if DOTS.as_ref().is_some_and(|dots| dots.is_match(body.trim_end())) {
        return body[1..].to_owned();
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
    let dots =
        line.trim_end() == "..." || DOTS.as_ref().is_some_and(|d| d.is_match(line.trim_end()));
    if dots {
        return format!("\\{line}");
    }
    match ARROW.as_ref() {
        Some(arrow) => arrow.replace_all(line, r"$1\$2$3").into_owned(),
        None => line.to_owned(),
    }
}

/// A measured output as it is compared and written: colour sequences, carriage returns before
/// line ends and trailing blanks taken out, bytes that are no text shown as escapes.
pub(crate) fn normalise(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    let out = strip_colours(&out);
    let mut lines: Vec<String> =
        out.split('\n').map(|line| visible_controls(line.trim_end())).collect();
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// Takes ANSI colour and other CSI sequences out.
fn strip_colours(text: &str) -> String {
    static CSI: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)").ok()
    });
    match CSI.as_ref() {
        Some(csi) if text.contains('\x1b') => csi.replace_all(text, "").into_owned(),
        _ => text.to_owned(),
    }
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
        let check = |text: &str, expect: PrintedLine| assert_eq!(parse(text), [expect], "{text}");
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
            assert_eq!(parse(&escape(text)), [line(text, "")], "{text}");
        }
    }

    #[test]
    fn measured_text_is_made_comparable() {
        assert_eq!(normalise(b"a  \r\n\x1b[31mred\x1b[0m\nb"), "a\nred\nb\n");
        assert_eq!(normalise(b"\xff\0x\n\n"), "\\xff\\x00x\n\n");
        assert_eq!(normalise("naïve ✓ 日本\n".as_bytes()), "naïve ✓ 日本\n");
        assert_eq!(normalise(b""), "");
    }
}
