//! What must hold for any text that is searched.

use std::sync::Arc;

use serde_json::json;

use super::text::parts;
use super::token::terms;
use super::{Document, files_of};
use crate::html::escape;

/// Reads bytes as a text and as the HTML of a page. Its terms are in order, its words come through
/// HTML as they are, and the files of the index are scripts of one call.
pub(crate) fn search(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut last = 7;
    let end = terms(&text, 7, |term| {
        assert!(!term.text.is_empty() && term.position >= last, "{term:?} after {last}");
        last = term.position;
    });
    assert!(end >= last, "{end} after {last}");
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: Vec<String> = parts(&escape(&text)).into_iter().map(|part| part.text).collect();
    let expect: Vec<String> = if plain.is_empty() { Vec::new() } else { vec![plain] };
    assert_eq!(shown, expect, "the text as its reader sees it");
    for part in parts(&text) {
        assert!(part.excerpt().len() <= part.text.len() + 4 * text.len(), "{part:?}");
    }
    let documents = vec![
        Document::page("a.html", ("en", &text), &text),
        Document::named("b/c.html".to_owned(), ("en", "c"), &text),
    ];
    let documents = documents.into_iter().map(Arc::new).collect();
    let written = files_of("en", documents, &json!({}), &mut |path, script| {
        assert!(path.starts_with("search/en/") && script.ends_with(");\n"), "{path}");
        assert_eq!(script.lines().count(), 1, "one call: {script}");
        assert!(!script.contains(['<', '\u{2028}', '\u{2029}']), "{script}");
        Ok(())
    });
    assert!(written.is_ok(), "{written:?}");
}
