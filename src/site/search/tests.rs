//! The whole index of the pages of `tests/search/vectors.json`, asked by the script itself.

#![allow(clippy::disallowed_methods, reason = "the test runs the reader's script in node")]

use std::process::Command;

use super::*;
use crate::disk;

#[derive(serde::Deserialize)]
struct Page {
    path: String,
    title: String,
    body: String,
}

#[derive(serde::Deserialize)]
struct Vectors {
    pages: Vec<Page>,
}

fn documents() -> Vec<Document> {
    let text = include_str!("../../../tests/search/vectors.json");
    let vectors: Vectors = serde_json::from_str(text).expect("vectors");
    let document = |page: &Page| Document::page(&page.path, ("ko", &page.title), &page.body);
    vectors.pages.iter().map(document).collect()
}

/// The files of an index in Korean.
fn index_of(documents: Vec<Document>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut put = |path: &str, text: &str| {
        out.push((path.to_owned(), text.to_owned()));
        Ok(())
    };
    let documents = documents.into_iter().map(Arc::new).collect();
    files_of("ko", documents, &json!({}), &mut put).expect("nothing is written");
    out
}

#[test]
fn the_script_finds_what_the_vectors_say() {
    let dir = disk::temporary_folder("labdoc-test-").expect("temp");
    for (path, text) in index_of(documents()) {
        disk::write(&dir.path().join(path), text.as_bytes()).expect("write");
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/search/run.mjs");
    let run = Command::new("node").arg(script).arg(dir.path().join("search/ko")).output();
    let Ok(run) = run else { return };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
fn files_are_small_and_safe_in_a_script() {
    let mut documents = documents();
    let text = "정책 </script> & 가나다 \u{2028} ".repeat(40_000);
    documents.push(Document::named("big.html".to_owned(), ("ko", "big"), &text));
    for n in 0..3000 {
        documents.push(Document::named(format!("{n}.html"), ("ko", &format!("쪽 {n}")), "정책 다"));
    }
    let built = index_of(documents.clone());
    assert!(built.len() > 5);
    for (path, text) in &built {
        assert!(text.len() <= 64 * 1024, "{path}: {}", text.len());
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{path}");
    }
    assert_eq!(built, index_of(documents));
}
