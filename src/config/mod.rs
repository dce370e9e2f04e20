//! `book.toml`. Unknown keys are refused with the nearest known one.

mod model;

use std::time::Duration;

pub(crate) use model::*;

use crate::diag::{Checked, Diagnostic};
use crate::fence::parse_duration;
use crate::source::{FileId, Sources, Span};
use crate::vary::Registry;
use crate::yaml::unknown_name;

/// Name of the file at a book's root.
pub(crate) const BOOK_TOML: &str = "book.toml";

/// Time limit of a block where nothing says otherwise.
const BLOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// Time limit of a page where nothing says otherwise.
const PAGE_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// The settings of a book, with what was derived from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    /// The file as written.
    pub(crate) file: BookToml,
    /// All value classes: built in and own.
    pub(crate) classes: Registry,
    /// `book.toml` among the sources, where there is one.
    pub(crate) source: Option<FileId>,
}

impl Config {
    /// Time limit of a block unless page or block say otherwise.
    pub(crate) fn block_timeout(&self) -> Duration {
        self.file.verify.timeout.as_deref().and_then(parse_duration).unwrap_or(BLOCK_TIMEOUT)
    }

    /// Time limit of a page unless it says otherwise.
    pub(crate) fn page_timeout(&self) -> Duration {
        self.file.verify.page_timeout.as_deref().and_then(parse_duration).unwrap_or(PAGE_TIMEOUT)
    }

    /// The first place of `book.toml` where a text stands behind the beginning of a table.
    pub(crate) fn place(&self, sources: &Sources, table: &str, text: &str) -> Option<Span> {
        let file = self.source?;
        let whole = sources.text(file);
        let from = whole.find(table).unwrap_or(0);
        let start = from + whole[from..].find(text)?;
        Some(Span::new(file, start..start + text.len()))
    }

    /// Value classes that vary on every page.
    pub(crate) fn page_classes(&self) -> &[String] {
        match &self.file.verify.vary {
            VaryTable::Names(names) => names,
            VaryTable::Classes(_) => &[],
        }
    }
}

/// Reads the text of a `book.toml`.
pub(crate) fn parse(sources: &Sources, file: FileId) -> Checked<Config> {
    let mut checked: Checked<Config> = Checked::default();
    checked.value.source = Some(file);
    match toml::from_str::<BookToml>(sources.text(file)) {
        Ok(toml) => checked.value.file = toml,
        Err(error) => {
            let range = error.span().unwrap_or(0..0);
            let (message, hint) = explain_toml(&error);
            let mut finding = Diagnostic::error("CF001", message).at(Span::new(file, range));
            finding.hint = hint;
            checked.diagnostics.push(finding);
        }
    }
    add_classes(&mut checked, sources, file);
    check_durations(&mut checked, sources, file);
    checked
}

/// Adds the book's own value classes to the registry.
fn add_classes(checked: &mut Checked<Config>, sources: &Sources, file: FileId) {
    let mut registry = Registry::default();
    let verify = &checked.value.file.verify;
    let tables = match &verify.vary {
        VaryTable::Classes(classes) => vec![classes, &verify.classes],
        VaryTable::Names(_) => vec![&verify.classes],
    };
    for (name, class) in tables.into_iter().flatten() {
        if let Err(message) = registry.add(name, &class.pattern, class.kind) {
            let at = locate(sources, file, &class.pattern);
            checked.diagnostics.push(Diagnostic::error("CF002", message).at(at));
        }
    }
    for name in checked.value.page_classes().to_vec() {
        if !registry.knows(&name) {
            let (message, hint) = unknown_name(&name, registry.names());
            let message = format!("value class {message}");
            let mut finding = Diagnostic::error("CF003", message).in_file(BOOK_TOML, None);
            finding.hint = hint;
            checked.diagnostics.push(finding);
        }
    }
    checked.value.classes = registry;
}

/// Durations are written with a unit.
fn check_durations(checked: &mut Checked<Config>, sources: &Sources, file: FileId) {
    let verify = &checked.value.file.verify;
    for value in [&verify.timeout, &verify.page_timeout].into_iter().flatten() {
        if parse_duration(value).is_none() {
            let message = format!("`{value}` is no duration");
            let at = locate(sources, file, value);
            let finding = Diagnostic::error("CF004", message).at(at);
            checked.diagnostics.push(finding.hint("write it like 500ms, 60s, 5m or 2h"));
        }
    }
}

/// The first place where a value stands; a value with escapes is not found and points at line 1.
fn locate(sources: &Sources, file: FileId, value: &str) -> Span {
    let found = sources.text(file).find(value).map(|start| start..start + value.len());
    Span::new(file, found.unwrap_or(0..0))
}

/// A TOML error as a sentence, with the nearest known name for an unknown key.
pub(crate) fn explain_toml(error: &toml::de::Error) -> (String, Option<String>) {
    let message = error.message();
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match names.split_first() {
        Some((name, known)) if message.starts_with("unknown ") => {
            unknown_name(name, known.iter().copied())
        }
        _ => (message.lines().next().unwrap_or(message).to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::render;

    fn check(text: &str, expect: &str) -> Config {
        let mut sources = Sources::default();
        let file = sources.add(BOOK_TOML, text);
        let checked = parse(&sources, file);
        let drawn: String =
            checked.diagnostics.iter().map(|finding| render(finding, &sources, false)).collect();
        assert_eq!(drawn, expect);
        checked.value
    }

    #[test]
    fn only_the_title_is_needed() {
        let config = check("[book]\ntitle = \"홈랩\"\n", "");
        assert_eq!(config.block_timeout(), BLOCK_TIMEOUT);
        assert_eq!(config.file.book.language, "ko");
    }

    #[test]
    fn unknown_keys_have_a_hint() {
        let expect = "error[CF001]: `langauge` is not known here\n --> book.toml:3:1\n  |\n3 | langauge = \"ko\"\n  | ^^^^^^^^\n = help: did you mean `language`?\n";
        check("[book]\ntitle = \"x\"\nlangauge = \"ko\"\n", expect);
    }

    #[test]
    fn a_class_needs_a_group() {
        let config = check(
            "[book]\ntitle=\"x\"\n[verify.vary.txn]\npattern=\"txn=([0-9a-f]+)\"\nkind=\"name\"\n",
            "",
        );
        assert!(config.classes.knows("txn"));
        let expect = "error[CF002]: pattern of class `cls` has no group; only groups vary\n --> book.toml:4:10\n  |\n4 | pattern=\"txn\"\n  |          ^^^\n";
        check("[book]\ntitle=\"x\"\n[verify.classes.cls]\npattern=\"txn\"\n", expect);
    }
}
