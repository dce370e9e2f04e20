//! Parameters of a page in its commands: the reader sees values instead of `$ns`, may type his own
//! in the page, and copies what he sees. Without script the values of the header stand there.

mod shell;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use self::shell::{Around, expansions};
use super::escape::escape;
use super::highlight::Highlight;
use crate::book::{BlockKind, Page};

/// The parameters that the commands of a page show.
pub(super) struct Params<'a> {
    values: BTreeMap<&'a str, &'a str>,
    used: RefCell<BTreeSet<&'a str>>,
}

/// A parameter's place in a text in which the values stand.
struct Shown<'a> {
    range: Range<usize>,
    name: &'a str,
    around: Around,
}

impl<'a> Params<'a> {
    /// Those of the header. One that a block gives a value of its own is none for the reader, and
    /// one of several lines is left alone.
    pub(super) fn of(page: &'a Page) -> Params<'a> {
        let scripts = || {
            let runs = |kind| matches!(kind, BlockKind::Shell | BlockKind::Console);
            page.blocks.iter().filter(move |block| runs(block.kind))
        };
        let fits = |(name, value): &(&str, &str)| {
            !value.contains('\n') && !scripts().any(|block| shell::assigns(&block.text, name))
        };
        let all = page.front.params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Params { values: all.filter(fits).collect(), used: RefCell::default() }
    }

    /// Name and value of each parameter that a command has shown.
    pub(super) fn used(&self) -> Vec<(String, String)> {
        let used = self.used.borrow();
        let pair = |name: &&str| Some(((*name).to_owned(), (*self.values.get(name)?).to_owned()));
        used.iter().filter_map(pair).collect()
    }

    /// The lines of a shell script as HTML, with the values of parameters in their places.
    pub(super) fn lines(&self, highlight: &Highlight, script: &str) -> Vec<String> {
        if self.values.is_empty() {
            return highlight.lines("bash", script);
        }
        let (text, shown) = self.filled(script);
        let mut start = 0;
        let mut out = Vec::new();
        for (html, line) in highlight.lines("bash", &text).iter().zip(text.split('\n')) {
            let end = start + line.len();
            let here = shown.iter().filter(|one| start <= one.range.start && one.range.end <= end);
            out.push(marked(html, line, start, here));
            start = end + 1;
        }
        out
    }

    /// The script with the values, and where they stand.
    fn filled(&self, script: &str) -> (String, Vec<Shown<'a>>) {
        let mut text = String::with_capacity(script.len());
        let mut shown = Vec::new();
        let mut from = 0;
        for found in expansions(script) {
            let Some((name, value)) = self.values.get_key_value(found.name.as_str()) else {
                continue;
            };
            text.push_str(&script[from..found.range.start]);
            self.used.borrow_mut().insert(name);
            let start = text.len();
            text.push_str(&quoted(value, found.around));
            shown.push(Shown { range: start..text.len(), name, around: found.around });
            from = found.range.end;
        }
        text.push_str(&script[from..]);
        (text, shown)
    }
}

/// A value as the shell must read it. The theme's script does the same with what a reader types.
fn quoted(value: &str, around: Around) -> String {
    let safe = |c: char| c.is_alphanumeric() || "_@%+:,./-".contains(c);
    let escaped = |special: &str| {
        let mut out = String::new();
        for c in value.chars() {
            if special.contains(c) {
                out.push('\\');
            }
            out.push(c);
        }
        out
    };
    match around {
        Around::Word if !value.is_empty() && value.chars().all(safe) => value.to_owned(),
        Around::Word => format!("'{}'", value.replace('\'', "'\\''")),
        Around::Quotes => escaped("\\\"$`"),
        Around::Document => escaped("\\$`"),
    }
}

/// A coloured line with an element round each parameter. Places are counted in the text of the
/// line, of which `html` holds every character; a colour that is open there is closed and opened
/// again.
fn marked<'s, 'a: 's>(
    html: &str,
    line: &str,
    start: usize,
    shown: impl Iterator<Item = &'s Shown<'a>>,
) -> String {
    let mut out = String::with_capacity(html.len() + 64);
    let mut pieces = Pieces { html, at: 0, open: None };
    let mut from = 0;
    for one in shown {
        let range = one.range.start - start..one.range.end - start;
        pieces.take(line[from..range.start].chars().count(), &mut out);
        pieces.pause(&mut out);
        let around = match one.around {
            Around::Word => "",
            Around::Quotes => " data-in=\"quotes\"",
            Around::Document => " data-in=\"document\"",
        };
        let name = escape(one.name);
        // Writing to a string cannot fail.
        let _ =
            write!(out, "<span class=\"param\" data-param=\"{name}\"{around} title=\"${name}\">");
        out.push_str(&escape(&line[range.clone()]));
        out.push_str("</span>");
        pieces.skip(line[range.clone()].chars().count());
        pieces.resume(&mut out);
        from = range.end;
    }
    pieces.take(usize::MAX, &mut out);
    out
}

/// A line of HTML taken piece by piece: tags as they are, characters and references as one each.
struct Pieces<'h> {
    html: &'h str,
    at: usize,
    /// The tag of the colour that is open.
    open: Option<&'h str>,
}

impl<'h> Pieces<'h> {
    /// The next tag or character.
    fn next(&mut self) -> Option<&'h str> {
        let rest = &self.html[self.at..];
        let first = rest.chars().next()?;
        let length = match first {
            '<' => rest.find('>').map_or(rest.len(), |end| end + 1),
            '&' => rest.find(';').map_or(1, |end| end + 1),
            c => c.len_utf8(),
        };
        self.at += length;
        let piece = &rest[..length];
        if first == '<' {
            self.open = (!piece.starts_with("</")).then_some(piece);
        }
        Some(piece)
    }

    /// Writes up to so many characters, with the tags before each.
    fn take(&mut self, characters: usize, out: &mut String) {
        let mut left = characters;
        while left > 0
            && let Some(piece) = self.next()
        {
            out.push_str(piece);
            left -= usize::from(!piece.starts_with('<'));
        }
    }

    /// Leaves so many characters out.
    fn skip(&mut self, characters: usize) {
        let mut left = characters;
        while left > 0
            && let Some(piece) = self.next()
        {
            left -= usize::from(!piece.starts_with('<'));
        }
    }

    /// Closes the colour that is open.
    fn pause(&self, out: &mut String) {
        if self.open.is_some() {
            out.push_str("</span>");
        }
    }

    /// Opens the colour that is open in the line at this place; one that ends here stays closed.
    fn resume(&mut self, out: &mut String) {
        let Some(tag) = self.open else { return };
        if self.html[self.at..].starts_with("</span>") {
            self.next();
        } else {
            out.push_str(tag);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, script: &str, expect: &[&str]) {
        let params = Params { values: BTreeMap::from([("ns", value)]), used: RefCell::default() };
        let lines = params.lines(&Highlight::default(), script);
        assert_eq!(lines, expect, "{script}");
        // Tags are closed in their order, and the text is what the shell would read.
        for line in &lines {
            assert_eq!(line.matches("<span").count(), line.matches("</span>").count(), "{line}");
        }
    }

    #[test]
    fn values_stand_in_the_place_of_parameters() {
        check(
            "dns-lab",
            "kubectl -n $ns get pods",
            &[
                "<span class=\"n\">kubectl</span> <span class=\"o\">-n</span> <span class=\"param\" data-param=\"ns\" title=\"$ns\">dns-lab</span> get pods",
            ],
        );
        check(
            "a",
            "echo \"x $ns y\"\necho $ns",
            &[
                "<span class=\"n\">echo</span> <span class=\"s\">&quot;x </span><span class=\"param\" data-param=\"ns\" data-in=\"quotes\" title=\"$ns\">a</span><span class=\"s\"> y&quot;</span>",
                "<span class=\"n\">echo</span> <span class=\"param\" data-param=\"ns\" title=\"$ns\">a</span>",
            ],
        );
    }

    #[test]
    fn values_are_quoted_as_their_place_asks() {
        assert_eq!(quoted("it's $x", Around::Word), "'it'\\''s $x'");
        assert_eq!(quoted("", Around::Word), "''");
        assert_eq!(quoted("한글/a.b:1", Around::Word), "한글/a.b:1");
        assert_eq!(quoted("a\"b$`\\", Around::Quotes), "a\\\"b\\$\\`\\\\");
        assert_eq!(quoted("a\"b$", Around::Document), "a\"b\\$");
    }
}
