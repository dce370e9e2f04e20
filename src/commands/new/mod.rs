//! `labdoc new`: a small site that builds and verifies as it is.

use std::path::Path;

use serde_json::json;

use super::Ended;
use crate::cli::{Console, NewArgs};
use crate::diag::Failure;
use crate::disk;

/// Stands in the texts where the title belongs.
const TITLE: &str = "TITLE";

/// The texts of one language: path in the site, text.
type Texts = &'static [(&'static str, &'static str)];

/// The Korean pages.
const KOREAN: Texts = &[
    ("book.toml", include_str!("ko/book.toml")),
    ("content/index.md", include_str!("ko/index.md")),
    ("content/pipe/index.md", include_str!("ko/pipe.md")),
    ("labkit/count/README.md", include_str!("ko/README.md")),
];

/// The English pages.
const ENGLISH: Texts = &[
    ("book.toml", include_str!("en/book.toml")),
    ("content/index.md", include_str!("en/index.md")),
    ("content/pipe/index.md", include_str!("en/pipe.md")),
    ("labkit/count/README.md", include_str!("en/README.md")),
];

/// What is the same in every language.
const SHARED: Texts = &[
    (".gitignore", include_str!("kit/gitignore")),
    ("content/pipe/claims.yaml", include_str!("kit/claims.yaml")),
    ("labkit/count/names.txt", include_str!("kit/names.txt")),
    ("labkit/count/pipe.sh", include_str!("kit/pipe.sh")),
    ("labkit/count/redirect.sh", include_str!("kit/redirect.sh")),
];

/// Writes the site into a folder that is new or empty.
///
/// # Errors
/// The folder holds something, or cannot be written; the title has characters that a header cannot
/// hold.
pub(crate) fn new(args: &NewArgs, console: &Console) -> Result<Ended, Failure> {
    let (texts, title) = match args.language.as_str() {
        "en" => (ENGLISH, "Labs"),
        _ => (KOREAN, "실습 문서"),
    };
    let title = args.title.as_deref().unwrap_or(title);
    if title.trim().is_empty() || title.contains(['"', '\\']) || title.contains(char::is_control) {
        let failure =
            Failure::new("the title is empty, or holds a quote, a backslash or a line end");
        return Err(failure.hint("choose a plain one; book.toml and content/index.md hold it"));
    }
    let folder = &args.folder;
    claim(folder)?;
    let files: Vec<_> = texts.iter().chain(SHARED).collect();
    for (path, text) in &files {
        disk::write(&folder.join(path), text.replace(TITLE, title).as_bytes())?;
    }
    if !console.is_json() {
        console.result(&format!("wrote {} files to {}; next:", files.len(), folder.display()));
        console.result(&format!("  cd {}", quoted(&folder.display().to_string())));
        console.result("  labdoc serve --open       read it while you write");
        console.result("  labdoc verify --record    run its page and keep the result as evidence");
        return Ok(Ended::Clean);
    }
    let object = json!({ "outcome": "clean", "files": files.len(), "folder": folder });
    console.summary("", &object);
    Ok(Ended::Clean)
}

/// Makes the folder; one that holds something is left alone.
fn claim(folder: &Path) -> Result<(), Failure> {
    if disk::kind(folder)?.is_none() {
        return Ok(disk::create_folder(folder)?);
    }
    if !disk::is_folder(folder) || !disk::list(folder)?.is_empty() {
        let failure = Failure::new(format!("{} is there and not empty", folder.display()));
        return Err(failure.hint("name a new folder; nothing was written"));
    }
    Ok(())
}

/// A path as a shell reads it.
fn quoted(path: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "_@%+:,./-".contains(c);
    if path.chars().all(safe) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}
