//! The header of a page: YAML between `---` lines or TOML between `+++` lines.

use super::page::FrontMatter;
use crate::diag::Diagnostic;
use crate::source::{FileId, Sources, Span};
use crate::yaml;

/// A header's text and where the body begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    /// Byte range of the header's text, between the fences.
    pub(crate) header: std::ops::Range<usize>,
    /// Whether it is TOML.
    pub(crate) toml: bool,
    /// Where the body begins.
    pub(crate) body: usize,
}

/// Finds the header of a page. A byte-order mark before it is skipped.
pub(crate) fn split(text: &str) -> Result<Option<Split>, &'static str> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let first = text[start..].lines().next().unwrap_or("").trim_end();
    if first != "---" && first != "+++" {
        return Ok(None);
    }
    let header_start = text[start..].find('\n').map_or(text.len(), |at| start + at + 1);
    let mut at = header_start;
    for line in text[header_start..].split_inclusive('\n') {
        if line.trim_end() == first {
            let toml = first == "+++";
            return Ok(Some(Split { header: header_start..at, toml, body: at + line.len() }));
        }
        at += line.len();
    }
    Err(if first == "---" { "---" } else { "+++" })
}

/// A header, its place, and where the body begins.
pub(super) type Header = (FrontMatter, Option<Span>, usize);

/// Reads the header of a page of the book; what is wrong with it is reported at its place.
pub(crate) fn parse(sources: &Sources, file: FileId, findings: &mut Vec<Diagnostic>) -> Header {
    let text = sources.text(file);
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let split = match split(text) {
        Ok(Some(split)) => split,
        Ok(None) => return (FrontMatter::default(), None, bom),
        Err(fence) => {
            let message = format!("the header is not closed with `{fence}`");
            findings.push(Diagnostic::error("PG001", message).at(Span::new(file, bom..bom + 3)));
            return (FrontMatter::default(), None, bom);
        }
    };
    let span = Span::new(file, split.header.clone());
    let front = if split.toml { read_toml(sources, span) } else { read_yaml(sources, span) };
    let front = front.unwrap_or_else(|finding| {
        findings.push(*finding);
        FrontMatter::default()
    });
    (front, Some(span), split.body)
}

/// Reads a YAML header.
fn read_yaml(sources: &Sources, span: Span) -> Result<FrontMatter, Box<Diagnostic>> {
    let text = sources.slice(span);
    if text.trim().is_empty() {
        return Ok(FrontMatter::default());
    }
    yaml::parse(text).map_err(|fault| {
        let at = place(sources, span, fault.line, fault.column);
        Box::new(unreadable(fault.message, fault.hint, at))
    })
}

/// Reads a TOML header.
fn read_toml(sources: &Sources, span: Span) -> Result<FrontMatter, Box<Diagnostic>> {
    toml::from_str(sources.slice(span)).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        let at = Span::new(span.file, span.start + range.start..span.start + range.end);
        let (message, hint) = crate::config::explain_toml(&error);
        Box::new(unreadable(message, hint, at))
    })
}

/// The finding for a header that cannot be read.
pub(super) fn unreadable(message: String, hint: Option<String>, at: Span) -> Diagnostic {
    let finding = Diagnostic::error("PG002", format!("page header: {message}")).at(at);
    match hint {
        Some(hint) => finding.hint(hint),
        None => finding,
    }
}

/// The word at a line and column of the header, as a span of the page.
pub(crate) fn place(sources: &Sources, span: Span, line: usize, column: usize) -> Span {
    let source = sources.file(span.file);
    let first = source.position(span.start).line;
    let range = source.line_range(first + line - 1);
    let text = &source.text[range.clone()];
    let start = text.char_indices().nth(column - 1).map_or(text.trim_end().len(), |(at, _)| at);
    let word =
        text[start..].find(|c: char| c.is_whitespace() || c == ':').unwrap_or(text.len() - start);
    Span::new(span.file, range.start + start..range.start + start + word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::render;

    fn check(text: &str, expect: &str) {
        let mut sources = Sources::default();
        let file = sources.add("content/a.md", text);
        let mut findings = Vec::new();
        parse(&sources, file, &mut findings);
        let drawn: String = findings.iter().map(|f| render(f, &sources, false)).collect();
        assert_eq!(drawn, expect);
    }

    #[test]
    fn a_header_is_split_off() {
        let split = split("---\ntitle: x\n---\n# body\n").expect("closed").expect("there");
        assert_eq!((split.header, split.body), (4..13, 17));
        assert_eq!(super::split("# body\n---\n"), Ok(None));
    }

    #[test]
    fn a_misspelt_key_points_at_its_line_of_the_page() {
        let expect = "error[PG002]: page header: `titel` is not known here\n --> content/a.md:3:1\n  |\n3 | titel: x\n  | ^^^^^\n = help: did you mean `title`?\n";
        check("---\nkind: page\ntitel: x\n---\nbody\n", expect);
    }

    #[test]
    fn toml_headers_are_read_too() {
        check("+++\ntitle = \"x\"\n+++\nbody\n", "");
    }

    #[test]
    fn an_open_header_is_an_error() {
        let expect = "error[PG001]: the header is not closed with `---`\n --> content/a.md:1:1\n  |\n1 | ---\n  | ^^^\n";
        check("---\ntitle: x\n", expect);
    }
}
