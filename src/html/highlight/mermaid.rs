//! Colours for the source of Mermaid diagrams, which no grammar knows.

use super::super::diagram::KINDS;
use super::LineWriter;

/// Words that begin a statement, beside those that begin a diagram.
const KEYWORDS: &[&str] = &[
    "stateDiagram",
    "subgraph",
    "end",
    "direction",
    "participant",
    "actor",
    "autonumber",
    "activate",
    "deactivate",
    "Note",
    "note",
    "alt",
    "else",
    "opt",
    "loop",
    "par",
    "and",
    "critical",
    "option",
    "break",
    "rect",
    "box",
    "create",
    "destroy",
    "class",
    "classDef",
    "style",
    "linkStyle",
    "click",
    "state",
    "section",
    "title",
    "dateFormat",
    "axisFormat",
    "excludes",
    "commit",
    "branch",
    "checkout",
    "merge",
    "accTitle",
    "accDescr",
    "x-axis",
    "y-axis",
    "bar",
    "line",
    "columns",
    "namespace",
];

/// The lines of a diagram's source as HTML.
pub(super) fn lines(text: &str) -> Vec<String> {
    text.lines().map(line).collect()
}

/// One line.
fn line(text: &str) -> String {
    let mut out = LineWriter::default();
    let body = text.trim_start();
    out.push("", &text[..text.len() - body.len()]);
    if body.starts_with("%%") {
        out.push("c", body);
        return out.finish();
    }
    let end = body.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(body.len());
    let first = &body[..end];
    let class = if KINDS.contains(&first) || KEYWORDS.contains(&first) { "k" } else { "" };
    let rest = if class.is_empty() { body } else { &body[end..] };
    if !class.is_empty() {
        out.push(class, first);
    }
    pieces(rest, &mut out);
    out.finish()
}

/// Strings, arrows and plain text.
fn pieces(mut rest: &str, out: &mut LineWriter) {
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '-' | '=' | '<' | '.' | '~' => arrow(rest),
            _ => 0,
        };
        let (class, length) = match (c, length) {
            ('"', length) => ("s", length),
            (_, length) if length > 1 => ("o", length),
            _ => ("", c.len_utf8()),
        };
        out.push(class, &rest[..length]);
        rest = &rest[length..];
    }
}

/// The length of an arrow at the start of `rest`; 0 or 1 where there is none.
fn arrow(rest: &str) -> usize {
    let body = rest.find(|c: char| !"-=<>.~".contains(c)).unwrap_or(rest.len());
    let head = rest[body..].starts_with(['x', 'o', ')']) && rest[..body].ends_with(['-', '=']);
    // A letter that goes on as a word is no arrow's head.
    let after = rest[body..].chars().nth(1);
    let ends = after.is_none_or(|c| !c.is_alphanumeric() || !c.is_ascii());
    if head && ends { body + 1 } else { body }
}
