//! One JSON document with every block.

use std::time::Duration;

use serde_json::{Value, json};

use super::{BlockReport, PageReport, State};

/// The name of the form.
const SCHEMA: &str = "labdoc.report/1";

/// The whole document.
pub(crate) fn document(pages: &[PageReport]) -> String {
    let count = |state| {
        pages.iter().flat_map(|page| &page.blocks).filter(|block| block.state == state).count()
    };
    let value = json!({
        "schema": SCHEMA,
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

/// The pages in such a document.
///
/// # Errors
/// It is no JSON, or not of this form; the words say what is wrong.
pub(crate) fn parse(text: &str) -> Result<Vec<PageReport>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value["schema"] != SCHEMA {
        return Err(format!("it is no {SCHEMA}"));
    }
    let pages = value["pages"].as_array().ok_or("it has no pages")?;
    let page = |page: &Value| {
        let blocks = page["blocks"].as_array().ok_or("a page has no blocks")?;
        let blocks = blocks.iter().map(|block| read_block(block).ok_or("a block is incomplete"));
        Ok(PageReport { path: text_of(page, "page"), blocks: blocks.collect::<Result<_, _>>()? })
    };
    pages.iter().map(page).collect::<Result<_, &str>>().map_err(str::to_owned)
}

/// One block; `None` where something is missing.
fn read_block(block: &Value) -> Option<BlockReport> {
    let count = |key: &str| block[key].as_u64();
    let micros = block["duration_ms"].as_f64().filter(|ms| *ms >= 0.0)? * 1000.0;
    let place = |key: &str| count(key).and_then(|n| usize::try_from(n).ok());
    Some(BlockReport {
        id: text_of(block, "id"),
        line: place("line")?,
        column: place("column")?,
        state: State::of_word(block["outcome"].as_str()?)?,
        why: text_of(block, "why"),
        details: text_of(block, "details"),
        duration: Duration::try_from_secs_f64(micros.round() / 1e6).ok()?,
        attempts: u32::try_from(count("attempts")?).ok()?,
        exit: block["exit"].as_i64().and_then(|code| i32::try_from(code).ok()),
        output: text_of(block, "output"),
    })
}

/// The text behind a key; empty where there is none.
fn text_of(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::{document, parse};

    #[test]
    fn a_document_is_read_back() {
        let text = document(&sample());
        let read = parse(&text).expect("reads");
        assert_eq!(document(&read), text);
        assert_eq!(read[0].blocks[1].details, sample()[0].blocks[1].details);
    }

    #[test]
    fn what_is_no_report_is_refused() {
        for bad in [
            "",
            "{}",
            r#"{"schema": "labdoc.report/1"}"#,
            r#"{"schema": "labdoc.report/1", "pages": [{"page": "a", "blocks": [{}]}]}"#,
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_block_has_its_outcome() {
        let value: serde_json::Value = serde_json::from_str(&document(&sample())).unwrap();
        let outcome = |at: usize| value["pages"][0]["blocks"][at]["outcome"].clone();
        assert_eq!([outcome(1), outcome(2), outcome(3)], ["drifted", "failed", "broken"]);
        assert_eq!(value["pages"][0]["blocks"][1]["duration_ms"], 1250.0);
        assert_eq!(value["summary"]["skipped"], 1);
    }
}
