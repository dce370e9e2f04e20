//! Fences that do not run: colours, titles, line numbers, marked and changed lines.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, TagEnd};

use super::console;
use super::escape::escape;
use super::walk::Walk;
use crate::diag::Diagnostic;
use crate::fence::{Attributes, Header, parse_braces, parse_header};

/// Languages that have no colours of their own.
const PLAIN: &[&str] = &["", "text", "txt", "plain", "plaintext", "output", "none", "mermaid"];

impl Walk<'_> {
    /// A code block begins: a runnable one, its output, or a plain one.
    pub(super) fn code_block(&mut self, kind: &CodeBlockKind<'_>, range: &Range<usize>) {
        let text = self.take_code();
        if let Some(role) = self.roles.get(&range.start).copied() {
            self.role(role);
            return;
        }
        let info = match kind {
            CodeBlockKind::Fenced(info) => info.to_string(),
            CodeBlockKind::Indented => String::new(),
        };
        let header = header(&info);
        self.unknown_language(&header.language, range);
        let html = self.plain_fence(&header, &text);
        self.push(&html);
    }

    /// The text of the code block whose start was just taken; takes all its events.
    fn take_code(&mut self) -> String {
        let mut text = String::new();
        while let Some((event, _)) = self.events.get(self.at) {
            self.at += 1;
            match event {
                Event::Text(line) => text.push_str(line),
                Event::End(TagEnd::CodeBlock) => break,
                _ => {}
            }
        }
        text
    }

    /// A fence that does not run, as HTML.
    fn plain_fence(&self, header: &Header, text: &str) -> String {
        let attributes = header.attributes.clone().unwrap_or_default();
        let code = if is_console(&header.language) {
            let output = |text: &str| text.lines().map(|line| escape(line).into_owned()).collect();
            console::session(text, self.world.highlight(), &output)
        } else {
            code_lines(&self.coloured(&header.language, text, &attributes), &attributes)
        };
        let code = code.trim_end_matches('\n');
        let class = if attributes.has_class("numbered") { " class=\"numbered\"" } else { "" };
        let body = format!("<pre tabindex=\"0\"><code{class}>{code}</code></pre>");
        let title = attributes.get("title").map(|title| escape(&title.value).into_owned());
        let plain = PLAIN.contains(&header.language.as_str());
        let head = match title {
            Some(title) => {
                format!("<header><span class=\"title\">{title}</span>{}</header>", self.copy())
            }
            None if plain => String::new(),
            None => {
                let language = escape(&header.language);
                format!("<header><span>{language}</span>{}</header>", self.copy())
            }
        };
        format!("<div class=\"code\">{head}{body}</div>\n")
    }

    /// The copy button; the theme's script shows it.
    pub(super) fn copy(&self) -> String {
        format!("<button type=\"button\" class=\"copy\" hidden>{}</button>", self.word("copy"))
    }

    /// The coloured lines of a fence. In a `.diff` the first character of a line is a sign and no
    /// part of the language.
    fn coloured(&self, language: &str, text: &str, attributes: &Attributes) -> Vec<String> {
        let language = if PLAIN.contains(&language) { "" } else { language };
        if !attributes.has_class("diff") {
            return self.world.highlight().lines(language, text).to_vec();
        }
        let rest: Vec<&str> = text.lines().map(|line| split_sign(line).1).collect();
        let lines = self.world.highlight().lines(language, &(rest.join("\n") + "\n"));
        let signs = text.lines().map(|line| split_sign(line).0);
        signs.zip(lines.iter()).map(|(sign, line)| format!("{sign}{line}")).collect()
    }

    /// Reports a language that has no colours.
    fn unknown_language(&mut self, language: &str, range: &Range<usize>) {
        let highlight = self.world.highlight();
        if PLAIN.contains(&language) || is_console(language) || highlight.knows(language) {
            return;
        }
        let fence = &self.text[range.clone()];
        let blanks = |c: char| matches!(c, ' ' | '\t' | '`' | '~');
        let at = range.start + fence.find(|c| !blanks(c)).unwrap_or(0);
        let near = highlight.nearest(language).map(|near| format!("did you mean `{near}`?"));
        let message = format!("`{language}` is no language that has colours; shown plain");
        let mut finding = Diagnostic::warning("BL020", message);
        finding.hint = Some(near.unwrap_or_else(|| "write `text` for plain text".to_owned()));
        self.report(finding, at..at + language.len());
    }
}

/// Whether a language is a console session.
fn is_console(language: &str) -> bool {
    matches!(language, "console" | "shell-session" | "shellsession" | "terminal")
}

/// A fence's header. Attributes may stand without braces; what is no attribute is left alone, as
/// other generators have their own.
fn header(info: &str) -> Header {
    let header = parse_header(info).unwrap_or_else(|_| Header {
        language: info.split([' ', '{', ',']).next().unwrap_or("").to_owned(),
        attributes: None,
    });
    if header.attributes.is_some() {
        return header;
    }
    let rest = info.trim_start().strip_prefix(&header.language).unwrap_or("").trim();
    let language = header.language.split(',').next().unwrap_or("").to_owned();
    Header { language, attributes: parse_braces(&format!("{{{rest}}}"), 0).ok() }
}

/// The sign of a line of a `.diff` and the rest.
fn split_sign(line: &str) -> (&str, &str) {
    let sign = usize::from(line.starts_with(['+', '-', ' ']));
    line.split_at(sign)
}

/// Lines joined; where lines are numbered, marked or changed, each is an element.
pub(super) fn code_lines(lines: &[String], attributes: &Attributes) -> String {
    let diff = attributes.has_class("diff");
    let marked = attributes.get("mark").map(|mark| ranges(&mark.value)).unwrap_or_default();
    if !diff && marked.is_empty() && !attributes.has_class("numbered") {
        return lines.join("\n");
    }
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let mut class = "l".to_owned();
        if marked.iter().any(|range| range.contains(&(index + 1))) {
            class.push_str(" m");
        }
        match line.chars().next() {
            Some('+') if diff => class.push_str(" i"),
            Some('-') if diff => class.push_str(" x"),
            _ => {}
        }
        out.push_str(&format!("<span class=\"{class}\">{line}\n</span>"));
    }
    out
}

/// The lines of `mark="2,5-7"`.
fn ranges(value: &str) -> Vec<std::ops::RangeInclusive<usize>> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.trim().parse().ok()?..=to.trim().parse().ok()?)
    };
    value.split(',').filter_map(range).collect()
}
