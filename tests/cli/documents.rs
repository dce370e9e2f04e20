//! The documents of this repository, for the tests that hold them against programs.

use std::path::{Path, PathBuf};

/// The pages of the documents, the guide left out, by path.
pub(crate) fn documents() -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("content")];
    let mut out = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() && !path.ends_with("guide") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let text = std::fs::read_to_string(&path).expect("text");
                out.push((path, text));
            }
        }
    }
    assert!(out.len() > 5, "the documents are there");
    out
}
