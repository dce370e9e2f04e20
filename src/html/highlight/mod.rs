//! Colours at build time: code to lines of HTML with short classes.

mod corefile;
mod grammar;
mod memory;
mod mermaid;
mod scopes;

use super::escape::escape;
use crate::diag::nearest;
use grammar::Grammars;
use memory::Memory;

/// A block above this many bytes is shown plain.
const LONGEST_BLOCK: usize = 512 * 1024;
/// A block with a line above this many bytes is shown plain.
const LONGEST_LINE: usize = 20 * 1024;

/// What gives code its colours.
pub(crate) trait Highlighter: Send + Sync {
    /// The lines of `text` as HTML without line ends; `None` when it does not know the language.
    fn lines(&self, language: &str, text: &str) -> Option<Vec<String>>;
    /// Whether it knows a language.
    fn knows(&self, language: &str) -> bool;
    /// The names of all languages.
    fn names(&self) -> Vec<String>;
}

/// The colours of one build.
pub(crate) struct Highlight {
    highlighter: Box<dyn Highlighter>,
    memory: Option<Memory>,
}

impl Default for Highlight {
    fn default() -> Highlight {
        Highlight { highlighter: Box::new(Grammars), memory: None }
    }
}

impl Highlight {
    /// Colours that remember what earlier builds coloured, see [`Highlight::content`].
    pub(crate) fn remembering(content: &[u8]) -> Highlight {
        Highlight { memory: Some(Memory::of(content)), ..Highlight::default() }
    }

    /// What the next build should remember, where that is more than before.
    pub(crate) fn content(&self) -> Option<Vec<u8>> {
        self.memory.as_ref()?.content()
    }

    /// The lines of `text` as HTML without line ends. A language that is not known, a block that
    /// is too large and a line that is too long are shown plain, so that the time is bounded.
    pub(crate) fn lines(&self, language: &str, text: &str) -> Vec<String> {
        let language = canonical(language);
        let too_long = || text.split('\n').any(|line| line.len() > LONGEST_LINE);
        if language.is_empty() || text.len() > LONGEST_BLOCK || too_long() {
            return plain(text);
        }
        let colour = || self.highlighter.lines(&language, text).unwrap_or_else(|| plain(text));
        match &self.memory {
            Some(memory) => memory.lines((&language, text), colour),
            None => colour(),
        }
    }

    /// Whether a language has colours.
    pub(crate) fn knows(&self, language: &str) -> bool {
        let language = canonical(language);
        let ask = || self.highlighter.knows(&language);
        self.memory.as_ref().map_or_else(ask, |memory| memory.knows(&language, ask))
    }

    /// The known name that `language` was probably meant to be.
    pub(crate) fn nearest(&self, language: &str) -> Option<String> {
        let names = self.highlighter.names();
        let word = language.to_lowercase();
        nearest(&word, names.iter().map(String::as_str)).map(str::to_owned)
    }
}

/// One name for each language that has several.
fn canonical(language: &str) -> String {
    let lower = language.to_lowercase();
    match lower.as_str() {
        "sh" | "shell" | "zsh" => "bash",
        "yml" => "yaml",
        "jsonc" | "json5" | "jsonl" => "json",
        "rs" => "rust",
        "py" | "python3" => "python",
        "golang" => "go",
        "docker" | "containerfile" => "dockerfile",
        "hcl" | "tf" => "terraform",
        "js" => "javascript",
        "ts" => "typescript",
        "md" => "markdown",
        "make" => "makefile",
        "patch" => "diff",
        other => other,
    }
    .to_owned()
}

/// Lines without colours.
fn plain(text: &str) -> Vec<String> {
    text.lines().map(|line| escape(line).into_owned()).collect()
}

/// A line of HTML in the making: neighbouring pieces of one class become one element, plain text
/// and blanks at the start of a piece have none.
#[derive(Default)]
struct LineWriter {
    html: String,
    class: &'static str,
    piece: String,
}

impl LineWriter {
    /// Adds a piece of the line.
    fn push(&mut self, class: &'static str, text: &str) {
        let text = text.trim_end_matches(['\n', '\r']);
        let word = text.trim_start_matches([' ', '\t']);
        if class != self.class && word.len() < text.len() {
            self.add("", &text[..text.len() - word.len()]);
            self.add(class, word);
        } else {
            self.add(class, text);
        }
    }

    /// Adds text of one class.
    fn add(&mut self, class: &'static str, text: &str) {
        if text.is_empty() {
            return;
        }
        if class != self.class {
            self.flush();
            self.class = class;
        }
        self.piece.push_str(text);
    }

    /// Writes the piece that is open.
    fn flush(&mut self) {
        let text = escape(&self.piece);
        if self.class.is_empty() || self.piece.is_empty() {
            self.html.push_str(&text);
        } else {
            self.html.push_str(&format!("<span class=\"{}\">{text}</span>", self.class));
        }
        self.piece.clear();
    }

    /// The finished line.
    fn finish(mut self) -> String {
        self.flush();
        self.html
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
