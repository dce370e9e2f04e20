//! What must hold for any page header and any `book.toml`.

use super::parse;
use crate::config;
use crate::diag::{Diagnostic, json_line, render};
use crate::source::Sources;

/// Draws findings: each lies in a text that was read.
pub(crate) fn draw(findings: &[Diagnostic], sources: &Sources) {
    for finding in findings {
        assert!(!render(finding, sources, true).is_empty(), "{finding:?}");
        let line = json_line(finding, sources);
        assert!(!line.trim_end().contains('\n'), "one line each: {line}");
    }
}

/// Reads bytes as a `book.toml`, as a YAML header and as a TOML header.
pub(crate) fn settings(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut sources = Sources::default();
    let file = sources.add("book.toml", text.as_ref());
    let checked = config::parse(&sources, file);
    assert!(!checked.value.block_timeout().is_zero() || text.contains('0'), "a limit of nothing");
    draw(&checked.diagnostics, &sources);
    for fence in ["---", "+++"] {
        let file = sources.add("content/a.md", format!("{fence}\n{text}\n{fence}\n# Title\n"));
        let checked = parse(&sources, file);
        assert!(checked.value.body <= sources.text(file).len(), "the body begins in the text");
        draw(&checked.diagnostics, &sources);
    }
}
