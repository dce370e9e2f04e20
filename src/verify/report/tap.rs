//! TAP version 14: one test a block, with a YAML block where it says more.

use std::fmt::Write as _;

use serde_json::json;

use super::{BlockReport, PageReport, State};

/// The whole document.
pub(super) fn document(pages: &[PageReport]) -> String {
    let count: usize = pages.iter().map(|page| page.blocks.len()).sum();
    let mut out = format!("TAP version 14\n1..{count}\n");
    let all = pages.iter().flat_map(|page| page.blocks.iter().map(move |block| (page, block)));
    for (index, (page, block)) in all.enumerate() {
        test(&mut out, index + 1, page, block);
    }
    out
}

/// One test.
fn test(out: &mut String, number: usize, page: &PageReport, block: &BlockReport) {
    let word = if block.state.is_bad() { "not ok" } else { "ok" };
    let name = if block.id.is_empty() { "page" } else { &block.id };
    let name = escape(&format!("{}: {name}", page.path));
    let skip = if block.state == State::Skipped {
        format!(" # SKIP {}", escape(&block.why))
    } else {
        String::new()
    };
    let _ = writeln!(out, "{word} {number} - {name}{skip}");
    let mut entries = vec![
        ("at", json!({ "file": page.path, "line": block.line, "column": block.column })),
        ("duration_ms", json!(duration_ms(block))),
        ("attempts", json!(block.attempts)),
    ];
    if block.state.is_bad() {
        entries.insert(0, ("severity", json!(block.state.word())));
        entries.insert(0, ("message", json!(block.why)));
        entries.push(("details", json!(block.details)));
    }
    out.push_str("  ---\n");
    for (key, value) in entries {
        // JSON is YAML.
        let _ = writeln!(out, "  {key}: {value}");
    }
    out.push_str("  ...\n");
}

/// A duration in milliseconds, to the microsecond.
fn duration_ms(block: &BlockReport) -> f64 {
    block.duration.as_micros() as f64 / 1000.0
}

/// A description on one line; `#` would begin a directive.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('#', "\\#").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::document;

    #[test]
    fn every_block_is_a_test() {
        let text = document(&sample());
        let tests: Vec<&str> = text.lines().filter(|line| line.contains("ok ")).collect();
        assert!(text.starts_with("TAP version 14\n1..5\n"));
        assert_eq!(
            tests,
            [
                "ok 1 - content/가.md: a",
                "not ok 2 - content/가.md: b",
                "not ok 3 - content/가.md: c",
                "not ok 4 - content/가.md: d",
                "ok 5 - content/가.md: e # SKIP marked .skip \\# 1",
            ]
        );
        assert!(text.contains("  ---\n  message: \"output differs\"\n  severity: \"drifted\"\n  at: {\"file\":\"content/가.md\",\"line\":7,\"column\":1}\n  duration_ms: 1250.0\n  attempts: 1\n"));
    }
}
