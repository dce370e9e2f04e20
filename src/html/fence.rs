//! Fences that do not run: colours, titles, line numbers, marked and changed lines.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, TagEnd};

use super::console;
use super::escape::{escape, escape_href};
use super::walk::Walk;
use crate::address::relative;
use crate::diag::{Diagnostic, nearest};
use crate::fence::{Attributes, Header, parse_braces, parse_header};

/// Languages that have no colours of their own.
const PLAIN: &[&str] = &["", "text", "txt", "plain", "plaintext", "output", "none"];
/// `key=` that a plain fence knows.
const KEYS: &[&str] = &["title", "mark", "include", "lines", "region", "description"];
/// `.class` that a plain fence knows.
const CLASSES: &[&str] = &["numbered", "diff", "vars", "source"];

/// The text of a fence, and where each piece of it stands in the page.
pub(super) struct Code {
    /// The text without prefixes.
    pub(super) text: String,
    /// Where a piece begins in the text, and its place in the page.
    pub(super) pieces: Vec<(usize, Range<usize>)>,
}

impl Walk<'_> {
    /// A code block begins: a runnable one, its output, or a plain one.
    pub(super) fn code_block(&mut self, kind: &CodeBlockKind<'_>, range: &Range<usize>) {
        let code = self.take_code();
        if let Some(role) = self.roles.get(&range.start).copied() {
            self.role(role);
            return;
        }
        let info = match kind {
            CodeBlockKind::Fenced(info) => info.to_string(),
            CodeBlockKind::Indented => String::new(),
        };
        let header = self.fence_header(&info, range);
        let attributes = header.attributes.clone().unwrap_or_default();
        if header.language == "mermaid" && !attributes.has_class("source") {
            self.diagram(&attributes, &code, range);
            return;
        }
        self.unknown_language(&header.language, range);
        let html = self.plain_fence(&header, &code.text);
        self.push(&html);
    }

    /// The text of the code block whose start was just taken; takes all its events.
    fn take_code(&mut self) -> Code {
        let mut code = Code { text: String::new(), pieces: Vec::new() };
        while let Some((event, range)) = self.events.get(self.at) {
            self.at += 1;
            match event {
                Event::Text(line) => {
                    code.pieces.push((code.text.len(), range.clone()));
                    code.text.push_str(line);
                }
                Event::End(TagEnd::CodeBlock) => break,
                _ => {}
            }
        }
        code
    }

    /// A fence's header. Attributes may stand without braces; what is no attribute then is left
    /// alone, as other generators have their own. Between braces everything is looked at.
    fn fence_header(&mut self, info: &str, range: &Range<usize>) -> Header {
        let whole = self.in_opening_line(info, range);
        // What is decoded on the way, such as `&amp;`, stands nowhere as it is.
        let place = |part: &Range<usize>| {
            let found = whole.len() == info.len();
            if found { whole.start + part.start..whole.start + part.end } else { whole.clone() }
        };
        match parse_header(info) {
            Ok(header) if header.attributes.is_some() => {
                if let Some(attributes) = &header.attributes {
                    for (message, near, range) in unknown(attributes) {
                        let mut finding = Diagnostic::warning("BL023", message);
                        finding.hint = Some(near);
                        self.report(finding, place(&range));
                    }
                }
                header
            }
            Ok(header) => without_braces(header, info),
            Err(fault) => {
                self.report(Diagnostic::error("BL001", fault.message), place(&fault.range));
                let language = info.split([' ', '{', ',']).next().unwrap_or("").to_owned();
                Header { language, attributes: None }
            }
        }
    }

    /// A fence that does not run, as HTML.
    fn plain_fence(&self, header: &Header, text: &str) -> String {
        let attributes = header.attributes.clone().unwrap_or_default();
        let code = if is_console(&header.language) {
            let output = |text: &str| text.lines().map(|line| escape(line).into_owned()).collect();
            console::session(text, &|text| self.params.lines(self.world.highlight(), text), &output)
        } else {
            code_lines(&self.coloured(&header.language, text, &attributes), &attributes)
        };
        let code = code.trim_end_matches('\n');
        let class = if attributes.has_class("numbered") { " class=\"numbered\"" } else { "" };
        let body = format!("<pre tabindex=\"0\"><code{class}>{code}</code></pre>");
        let title = attributes.get("title").map(|title| escape(&title.value).into_owned());
        let title = title.or_else(|| Some(self.file_link(&attributes.get("include")?.value)));
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

    /// The name of a file of the book, with a link to where it is published.
    fn file_link(&self, path: &str) -> String {
        let name = escape(path.strip_prefix("labkit/").unwrap_or(path)).into_owned();
        match self.world.href(&relative(&self.page.path, path)) {
            Some(href) => format!("<a href=\"{}\">{name}</a>", escape_href(&href)),
            None => name,
        }
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
            let highlight = self.world.highlight();
            return match language {
                "sh" | "bash" | "shell" | "zsh" => self.params.lines(highlight, text),
                _ => highlight.lines(language, text),
            };
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
        let place = self.in_opening_line(language, range);
        let near = highlight.nearest(language).map(|near| format!("did you mean `{near}`?"));
        let message = format!("`{language}` is no language that has colours; shown plain");
        let mut finding = Diagnostic::warning("BL020", message);
        finding.hint = Some(near.unwrap_or_else(|| "write `text` for plain text".to_owned()));
        self.report(finding, place);
    }

    /// Where a part of a fence's header stands in its opening line; the whole line where it does
    /// not stand there as it is.
    fn in_opening_line(&self, part: &str, range: &Range<usize>) -> Range<usize> {
        let line = self.text[range.clone()].lines().next().unwrap_or("");
        match line.find(part) {
            Some(at) => range.start + at..range.start + at + part.len(),
            None => range.start..range.start + line.len(),
        }
    }
}

/// Whether a language is a console session.
fn is_console(language: &str) -> bool {
    matches!(language, "console" | "shell-session" | "shellsession" | "terminal")
}

/// The attributes of a header that has no braces: what stands behind the language, if all of it
/// can be read.
fn without_braces(header: Header, info: &str) -> Header {
    let rest = info.trim_start().strip_prefix(&header.language).unwrap_or("").trim();
    let language = header.language.split(',').next().unwrap_or("").to_owned();
    Header { language, attributes: parse_braces(&format!("{{{rest}}}"), 0).ok() }
}

/// What of a plain fence's attributes is not known: message, hint, place in the header.
fn unknown(attributes: &Attributes) -> Vec<(String, String, Range<usize>)> {
    let hint = |word: &str, known: &[&'static str], before: &str| {
        let near = nearest(word, known.iter().copied());
        near.map_or_else(
            || format!("known here: {}", known.join(", ")),
            |near| format!("did you mean `{before}{near}`?"),
        )
    };
    let mut out = Vec::new();
    for pair in attributes.pairs.iter().filter(|pair| !KEYS.contains(&pair.key.as_str())) {
        let message = format!("`{}=` is not known here", pair.key);
        out.push((message, hint(&pair.key, KEYS, ""), pair.range.clone()));
    }
    for word in attributes.classes.iter().filter(|word| !CLASSES.contains(&word.text.as_str())) {
        let message = format!("`.{}` is not known here", word.text);
        out.push((message, hint(&word.text, CLASSES, "."), word.range.clone()));
    }
    if let Some(mark) = attributes.get("mark").filter(|mark| ranges(&mark.value).is_none()) {
        let message = format!("`{}` names no lines", mark.value);
        out.push((message, "write it like mark=\"2,5-7\"".to_owned(), mark.range.clone()));
    }
    out
}

/// The sign of a line of a `.diff` and the rest.
fn split_sign(line: &str) -> (&str, &str) {
    let sign = usize::from(line.starts_with(['+', '-', ' ']));
    line.split_at(sign)
}

/// Lines joined; where lines are numbered, marked or changed, each is an element.
pub(super) fn code_lines(lines: &[String], attributes: &Attributes) -> String {
    let diff = attributes.has_class("diff");
    let marked = attributes.get("mark").and_then(|mark| ranges(&mark.value)).unwrap_or_default();
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
fn ranges(value: &str) -> Option<Vec<std::ops::RangeInclusive<usize>>> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.trim().parse().ok()?..=to.trim().parse().ok()?)
    };
    value.split(',').map(range).collect()
}
