//! Raw text made safe to look at: nothing invisible, nothing that moves text about. Escaping for
//! HTML is the caller's.

use std::fmt::Write as _;

use crate::source::is_hidden;

/// What a text is, and so what its control characters were meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// A file that somebody will use. Every control character is shown: dropping one would let a
    /// script look harmless here and do something else in a terminal.
    Source,
    /// What a terminal received: colours and links are dropped, overwritten lines collapsed.
    Terminal,
}

/// A text that is safe to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SafeText {
    /// The text; lines end in LF.
    pub(crate) text: String,
    /// Line (from 1) of the first bytes that are no UTF-8, shown as U+FFFD.
    pub(crate) bad_utf8: Option<usize>,
    /// The first character that is shown as `⟨U+XXXX⟩`, with its line.
    pub(crate) hidden: Option<(char, usize)>,
    /// Line of the first text that was overwritten after a carriage return.
    pub(crate) overwritten: Option<usize>,
}

/// Makes `bytes` safe to show.
pub(crate) fn safe_text(bytes: &[u8], show: Show) -> SafeText {
    let mut writer = Writer { line_number: 1, show, ..Writer::new() };
    for chunk in bytes.utf8_chunks() {
        writer.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            writer.out.bad_utf8.get_or_insert(writer.line_number);
            writer.put(char::REPLACEMENT_CHARACTER);
        }
    }
    writer.flush_line();
    writer.out
}

/// Where a terminal sequence stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sequence {
    /// Not in one.
    None,
    /// After ESC.
    Escape,
    /// In `ESC [ …`.
    Csi,
    /// In `ESC ] …` or another string, up to BEL or `ESC \`.
    Text,
    /// After an ESC in such a string.
    TextEscape,
}

/// The text so far, and the line that is being written as a terminal would hold it.
struct Writer {
    out: SafeText,
    line: Vec<char>,
    cursor: usize,
    line_number: usize,
    sequence: Sequence,
    /// The parameter of a CSI sequence.
    parameter: String,
    /// A carriage return that may turn out to be half of a line end.
    returned: bool,
    show: Show,
}

impl Writer {
    /// An empty one.
    fn new() -> Writer {
        Writer {
            out: SafeText::default(),
            line: Vec::new(),
            cursor: 0,
            line_number: 1,
            sequence: Sequence::None,
            parameter: String::new(),
            returned: false,
            show: Show::Source,
        }
    }

    /// Takes valid text.
    fn push_str(&mut self, text: &str) {
        for c in text.chars() {
            if self.sequence == Sequence::None { self.plain(c) } else { self.in_sequence(c) }
        }
    }

    /// Takes a character outside of sequences.
    fn plain(&mut self, c: char) {
        match c {
            '\n' => {
                self.returned = false;
                self.flush_line();
                self.out.text.push('\n');
                self.line_number += 1;
            }
            '\r' => {
                self.settle_return();
                self.returned = true;
            }
            '\u{1b}' if self.show == Show::Terminal => self.sequence = Sequence::Escape,
            '\u{8}' if self.show == Show::Terminal => self.cursor = self.cursor.saturating_sub(1),
            _ => self.put(c),
        }
    }

    /// A carriage return was no half of a line end: the line is written again from its start.
    fn settle_return(&mut self) {
        if !std::mem::take(&mut self.returned) {
            return;
        }
        if self.show == Show::Source {
            self.put('\r');
        } else {
            self.cursor = 0;
        }
    }

    /// Puts a character at the cursor.
    fn put(&mut self, c: char) {
        self.settle_return();
        if self.cursor < self.line.len() {
            self.out.overwritten.get_or_insert(self.line_number);
            self.line[self.cursor] = c;
        } else {
            self.line.push(c);
        }
        self.cursor += 1;
    }

    /// Takes a character inside of a sequence.
    fn in_sequence(&mut self, c: char) {
        self.sequence = match (self.sequence, c) {
            (Sequence::Escape, '[') => {
                self.parameter.clear();
                Sequence::Csi
            }
            (Sequence::Escape, ']' | 'P' | 'X' | '^' | '_') => Sequence::Text,
            (Sequence::Escape, ' '..='/') => Sequence::Escape,
            (Sequence::Csi, '@'..='~') => {
                self.erase(c);
                Sequence::None
            }
            (Sequence::Csi, ' '..='?') => {
                self.parameter.push(c);
                Sequence::Csi
            }
            (Sequence::Text, '\u{7}') | (Sequence::TextEscape, '\\') => Sequence::None,
            (Sequence::Text | Sequence::TextEscape, '\u{1b}') => Sequence::TextEscape,
            (Sequence::Text | Sequence::TextEscape, '\n')
            | (Sequence::Csi | Sequence::Escape, '\n') => {
                // A sequence that is not ended must not swallow the rest of the text.
                self.sequence = Sequence::None;
                self.plain(c);
                Sequence::None
            }
            (Sequence::Text | Sequence::TextEscape, _) => Sequence::Text,
            (Sequence::Csi | Sequence::Escape | Sequence::None, _) => Sequence::None,
        };
    }

    /// Follows `CSI K`, with which progress lines clear what stood there.
    fn erase(&mut self, last: char) {
        if last != 'K' {
            return;
        }
        self.settle_return();
        match self.parameter.as_str() {
            "" | "0" => self.line.truncate(self.cursor),
            "2" => {
                self.line.clear();
                self.cursor = 0;
            }
            _ => {}
        }
    }

    /// Moves the finished line to the output, invisible characters written out.
    fn flush_line(&mut self) {
        if self.show == Show::Source {
            self.settle_return();
        }
        self.returned = false;
        for c in std::mem::take(&mut self.line) {
            if is_hidden(c) {
                self.out.hidden.get_or_insert((c, self.line_number));
                // Writing to a string cannot fail.
                let _ = write!(self.out.text, "⟨U+{:04X}⟩", u32::from(c));
            } else {
                self.out.text.push(c);
            }
        }
        self.cursor = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], show: Show, expect: &str) -> SafeText {
        let safe = safe_text(bytes, show);
        assert_eq!(safe.text, expect, "{:?}", String::from_utf8_lossy(bytes));
        safe
    }

    #[test]
    fn a_terminal_text_is_what_a_terminal_would_show_in_the_end() {
        let show = Show::Terminal;
        check(b"\x1b[1;32mok\x1b[0m done\r\n", show, "ok done\n");
        check(b"\x1b]8;;https://evil\x1b\\link\x1b]8;;\x07 \x1b(Bx", show, "link x");
        let safe = check(b"10%\r50%\r100%\n", show, "100%\n");
        assert_eq!(safe.overwritten, Some(1));
        check(b"downloading\r\x1b[Kdone\n", show, "done\n");
        check(b"abc\rX\n", show, "Xbc\n");
        check(b"\x1b]0;never ended\nnext", show, "\nnext");
    }

    #[test]
    fn a_source_hides_nothing() {
        let show = Show::Source;
        let safe = check(b"rm -rf /\r# hi\n", show, "rm -rf /⟨U+000D⟩# hi\n");
        assert_eq!(safe.hidden, Some(('\r', 1)));
        check(b"a\r\nb\r", show, "a\nb⟨U+000D⟩");
        check(
            "x\u{1b}[8m\u{202e}y\u{200b}\u{3164}".as_bytes(),
            show,
            "x⟨U+001B⟩[8m⟨U+202E⟩y⟨U+200B⟩⟨U+3164⟩",
        );
        check("한글\t값 🙂\n".as_bytes(), show, "한글\t값 🙂\n");
    }

    #[test]
    fn bad_bytes_are_marked_with_their_line() {
        let safe = check(b"a\nb\xff\xc3", Show::Source, "a\nb\u{fffd}\u{fffd}");
        assert_eq!(safe.bad_utf8, Some(2));
    }
}
