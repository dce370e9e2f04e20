//! One JSON document with every block.

use serde_json::{Value, json};

use super::{BlockReport, PageReport, State};

/// The whole document.
pub(super) fn document(pages: &[PageReport]) -> String {
    let count = |state| {
        pages.iter().flat_map(|page| &page.blocks).filter(|block| block.state == state).count()
    };
    let value = json!({
        "schema": "labdoc.report/1",
        "pages": pages.iter().map(page).collect::<Vec<_>>(),
        "summary": {
            "pages": pages.len(),
            "passed": count(State::Passed),
            "drifted": count(State::Drifted),
            "failed": count(State::Failed),
            "broken": count(State::Broken),
            "skipped": count(State::Skipped),
        },
    });
    format!("{value:#}\n")
}

/// One page.
fn page(page: &PageReport) -> Value {
    let blocks: Vec<Value> = page.blocks.iter().map(|block| entry(&page.path, block)).collect();
    json!({ "page": page.path, "blocks": blocks })
}

/// One block; `kind` tells what concerns the whole page.
fn entry(path: &str, block: &BlockReport) -> Value {
    json!({
        "kind": if block.id.is_empty() { "page" } else { "block" },
        "id": block.id,
        "outcome": block.state.word(),
        "why": block.why,
        "file": path,
        "line": block.line,
        "column": block.column,
        "duration_ms": block.duration.as_micros() as f64 / 1000.0,
        "attempts": block.attempts,
        "exit": block.exit,
        "details": block.details,
        "output": block.output,
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::document;

    #[test]
    fn every_block_has_its_outcome() {
        let value: serde_json::Value = serde_json::from_str(&document(&sample())).unwrap();
        let outcome = |at: usize| value["pages"][0]["blocks"][at]["outcome"].clone();
        assert_eq!([outcome(1), outcome(2), outcome(3)], ["drifted", "failed", "broken"]);
        assert_eq!(value["pages"][0]["blocks"][1]["duration_ms"], 1250.0);
        assert_eq!(value["summary"]["skipped"], 1);
    }
}
