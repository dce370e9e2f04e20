//! Variables: `{{ name }}` in prose, and in a fence with `.vars`, is the value that the page's
//! `extra` or the book's `[vars]` gives. `\{{` is literal, and code without `.vars` is left alone.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag, TagEnd};
use serde_json::Value;

use super::events::Spanned;
use crate::diag::{Diagnostic, nearest};
use crate::fence::parse_header;
use crate::source::{FileId, Span};

/// A place of the text with what is shown in its stead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filled {
    /// From the first brace behind the last.
    pub(crate) range: Range<usize>,
    /// The value.
    pub(crate) value: String,
}

/// Where values come from; the page's go before the book's.
pub(crate) struct Known<'a> {
    /// `[vars]`, by dotted name.
    pub(crate) book: &'a BTreeMap<String, String>,
    /// The header's `extra`.
    pub(crate) page: &'a BTreeMap<String, Value>,
}

/// Values by dotted name; tables are taken apart, lists are left out.
pub(crate) fn flat(values: &BTreeMap<String, Value>) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for (name, value) in values {
        add(name, value, &mut out);
    }
    out
}

/// The recursion of [`flat`].
fn add(name: &str, value: &Value, out: &mut BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            out.insert(name.to_owned(), text.clone());
        }
        Value::Number(_) | Value::Bool(_) => {
            out.insert(name.to_owned(), value.to_string());
        }
        Value::Object(table) => {
            for (key, value) in table {
                add(&format!("{name}.{key}"), value, out);
            }
        }
        Value::Null | Value::Array(_) => {}
    }
}

/// The variables of a page; one that is not known is reported.
pub(crate) fn find(
    (file, text): (FileId, &str),
    events: &[Spanned<'_>],
    known: &Known<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Filled> {
    if !text.contains("{{") {
        return Vec::new();
    }
    let mut values = known.book.clone();
    values.extend(flat(known.page));
    let mut finder = Finder { file, text, values: &values, filled: Vec::new(), findings };
    let mut code = None;
    let mut run: Option<Range<usize>> = None;
    for (event, range) in events {
        let plain = matches!(event, Event::Text(words) if text.get(range.clone()) == Some(words));
        match &mut run {
            Some(open) if plain && open.end == range.start => {
                open.end = range.end;
                continue;
            }
            _ => finder.run(run.take(), code),
        }
        match event {
            Event::Text(_) if plain => run = Some(range.clone()),
            Event::Start(Tag::CodeBlock(kind)) => code = Some(has_vars(kind)),
            Event::End(TagEnd::CodeBlock) => code = None,
            _ => {}
        }
    }
    finder.run(run, code);
    finder.filled
}

/// Whether a fence's header has the class `vars`.
fn has_vars(kind: &CodeBlockKind<'_>) -> bool {
    let CodeBlockKind::Fenced(info) = kind else { return false };
    let attributes = parse_header(info).ok().and_then(|header| header.attributes);
    attributes.is_some_and(|attributes| attributes.has_class("vars"))
}

/// The search through runs of text.
struct Finder<'a> {
    file: FileId,
    text: &'a str,
    values: &'a BTreeMap<String, String>,
    filled: Vec<Filled>,
    findings: &'a mut Vec<Diagnostic>,
}

impl Finder<'_> {
    /// One run of text; `code` says whether it is code, and whether that has variables.
    fn run(&mut self, run: Option<Range<usize>>, code: Option<bool>) {
        let Some(run) = run.filter(|_| code != Some(false)) else { return };
        let mut at = run.start;
        while let Some(found) = self.text[at..run.end].find("{{") {
            let open = at + found;
            at = open + 2;
            if escaped(self.text, open) {
                // In prose the parser has taken the backslash away.
                if code.is_some() {
                    self.filled.push(Filled { range: open - 1..open, value: String::new() });
                }
                continue;
            }
            if let Some((name, end)) = name_at(&self.text[..run.end], at) {
                self.variable(&name, open..end);
                at = end;
            }
        }
    }

    /// One variable.
    fn variable(&mut self, name: &str, range: Range<usize>) {
        if let Some(value) = self.values.get(name) {
            self.filled.push(Filled { range, value: value.clone() });
            return;
        }
        let message = format!("no variable `{name}` in [vars] or in the page's `extra`");
        let near = nearest(name, self.values.keys().map(String::as_str));
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "add it to [vars] in book.toml; write `\\{{` for the braces themselves".into(),
        };
        let at = Span::new(self.file, range);
        self.findings.push(Diagnostic::error("VA001", message).at(at).hint(hint));
    }
}

/// Whether a backslash stands before `at` (and is not itself escaped).
fn escaped(text: &str, at: usize) -> bool {
    text[..at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1
}

/// The name behind `{{`, and where its `}}` ends; `None` for what is no name, such as the
/// `{{ .Values.x }}` of other languages.
fn name_at(text: &str, from: usize) -> Option<(String, usize)> {
    let close = text[from..].find("}}")? + from;
    let name = text[from..close].trim_matches([' ', '\t']);
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    (starts && name.chars().all(fits)).then(|| (name.to_owned(), close + 2))
}

/// The events with the values in the place of the variables.
pub(crate) fn fill<'a>(events: Vec<Spanned<'a>>, filled: &[Filled]) -> Vec<Spanned<'a>> {
    if filled.is_empty() {
        return events;
    }
    let mut out = Vec::with_capacity(events.len() + filled.len());
    for (event, range) in events {
        match event {
            Event::Text(text) if text.len() == range.len() => {
                split(&text, &range, filled, &mut out)
            }
            event => out.push((event, range)),
        }
    }
    out
}

/// One event of text, taken apart at the variables in it.
fn split<'a>(
    text: &CowStr<'a>,
    range: &Range<usize>,
    filled: &[Filled],
    out: &mut Vec<Spanned<'a>>,
) {
    let mut at = range.start;
    let push = |from: usize, to: usize, out: &mut Vec<Spanned<'a>>| {
        if from < to {
            let piece = text[from - range.start..to - range.start].to_owned();
            out.push((Event::Text(piece.into()), from..to));
        }
    };
    let first = filled.partition_point(|one| one.range.end <= range.start);
    for one in filled[first..].iter().take_while(|one| one.range.start < range.end) {
        push(at, one.range.start, out);
        if range.contains(&one.range.start) {
            out.push((Event::Text(one.value.clone().into()), one.range.clone()));
        }
        at = one.range.end.min(range.end);
    }
    push(at, range.end, out);
}

#[cfg(test)]
mod tests {
    use super::super::events::{Markup, events};
    use super::*;

    /// The text with its variables filled, and what is reported.
    fn check(text: &str, expect: &str, reported: &[&str]) {
        let mut sources = crate::source::Sources::default();
        let file = sources.add("content/a.md", text);
        let book = BTreeMap::from([("envoy_version".to_owned(), "1.38*3".to_owned())]);
        let page =
            BTreeMap::from([("owner".to_owned(), serde_json::json!({"이름": "김", "n": 2}))]);
        let mut findings = Vec::new();
        let events = events(text, 0, Markup::default());
        let known = Known { book: &book, page: &page };
        let filled = find((file, text), &events, &known, &mut findings);
        let shown: String = fill(events, &filled)
            .iter()
            .filter_map(|(event, _)| match event {
                Event::Text(text) | Event::Code(text) => Some(text.to_string()),
                Event::SoftBreak => Some("\n".to_owned()),
                _ => None,
            })
            .collect();
        assert_eq!(shown, expect, "{text}");
        let messages: Vec<&str> =
            findings.iter().map(|f| f.hint.as_deref().unwrap_or("")).collect();
        assert_eq!(messages, reported, "{text}");
    }

    #[test]
    fn values_stand_in_prose_and_are_no_markup() {
        check("Envoy {{ envoy_version }}은 **{{owner.이름}}**", "Envoy 1.38*3은 김", &[]);
        check("| a |\n|---|\n| {{ owner.n }} |\n", "a2", &[]);
        check("# {{ owner.n }}개", "2개", &[]);
    }

    #[test]
    fn code_escapes_and_other_languages_are_left_alone() {
        check("`{{ x }}` \\{{ x }} {{ .Values.x }}", "{{ x }} {{ x }} {{ .Values.x }}", &[]);
        check("```\n{{ x }}\n```\n", "{{ x }}\n", &[]);
        check("```yaml {.vars}\na: {{ owner.n }} \\{{ x }}\n```\n", "a: 2 {{ x }}\n", &[]);
    }

    #[test]
    fn an_unknown_variable_has_a_hint() {
        check("{{ envoy_versoin }}", "{{ envoy_versoin }}", &["did you mean `envoy_version`?"]);
        let hint = "add it to [vars] in book.toml; write `\\{{` for the braces themselves";
        check("{{ x }}", "{{ x }}", &[hint]);
    }
}
