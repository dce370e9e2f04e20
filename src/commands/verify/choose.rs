//! The pages that were asked for: of a book, beside one, or of any Markdown tree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::find_root;
use crate::book::{Book, CONTENT, LoadOptions, Named, add_foreign, load};
use crate::cli::{Common, VerifyArgs};
use crate::config::BOOK_TOML;
use crate::diag::{Checked, Failure};
use crate::disk;
use crate::source::Sources;

/// What was read.
pub(in crate::commands) struct Loaded {
    /// The book's folder, or the current one.
    pub(in crate::commands) root: PathBuf,
    /// The texts.
    pub(in crate::commands) sources: Sources,
    /// The pages and what was found.
    pub(in crate::commands) book: Checked<Book>,
}

/// Reads the book, and the pages that were named outside its `content/`. Without a book the root is
/// the current folder.
///
/// # Errors
/// There is neither a book nor a page named, or something cannot be read.
pub(super) fn load_pages(common: &Common, args: &VerifyArgs) -> Result<Loaded, Failure> {
    let mut sources = Sources::default();
    let (root, mut book) = match find_root(common) {
        Ok(root) if !is_of_others(&root, common, args) => {
            let book = load(&root, &mut sources, LoadOptions { drafts: true })?;
            (root, book)
        }
        Err(failure) if common.root.is_some() || args.pages.is_empty() => return Err(failure),
        _ => {
            refuse_book_options(args)?;
            (disk::canonical(&disk::current_folder()?)?, Checked::default())
        }
    };
    let is_book = !book.value.sections.is_empty();
    let paths = foreign_paths(&root, &args.pages, is_book)?;
    add_foreign(&root, &mut sources, &mut book, &paths)?;
    Ok(Loaded { root, sources, book })
}

/// Whether a `book.toml` that was found on the way up is another generator's, as mdBook's: a book of
/// ours has its pages in `content/`.
fn is_of_others(root: &Path, common: &Common, args: &VerifyArgs) -> bool {
    common.root.is_none() && !args.pages.is_empty() && !disk::is_folder(&root.join(CONTENT))
}

/// What needs the place that only a book has.
fn refuse_book_options(args: &VerifyArgs) -> Result<(), Failure> {
    let option = match (args.record, args.stale) {
        (true, _) => "--record",
        (_, true) => "--stale",
        _ => return Ok(()),
    };
    Err(Failure::new(format!(
        "{option} needs a book.toml and content/: runs are kept under evidence/ beside them"
    ))
    .hint("make one with [book] and a title, or leave the option out"))
}

/// The pages outside `content/` that were named, or stand in a folder that was.
fn foreign_paths(
    root: &Path,
    asked: &[PathBuf],
    is_book: bool,
) -> Result<BTreeMap<String, Named>, Failure> {
    let mut found = BTreeMap::new();
    for path in asked {
        let full = canonical(path)?;
        if disk::is_folder(&full) {
            for file in disk::markdown_below(&full)? {
                found.entry(below(root, &file, path)?).or_insert(Named::No);
            }
        } else {
            found.insert(below(root, &full, path)?, Named::Yes);
        }
    }
    if is_book {
        found.retain(|path, _| path.split('/').next() != Some(CONTENT));
    }
    Ok(found)
}

/// A path that was named, absolute.
fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    // A page may be a link; its own place counts and not that of the file behind it.
    let named = path.file_name().filter(|_| disk::is_file(path));
    let found = match (named, path.parent()) {
        (Some(name), Some(folder)) => {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            disk::canonical(folder).map(|folder| folder.join(name))
        }
        _ => disk::canonical(path),
    };
    found.map_err(|error| Failure::new(format!("{error}")).hint("name a page or a folder of pages"))
}

/// A path from the root; `asked` is how it was named.
fn below(root: &Path, full: &Path, asked: &Path) -> Result<String, Failure> {
    let below = full.strip_prefix(root).map_err(|_| {
        let (asked, root_name) = (asked.display(), root.display());
        let part =
            if disk::is_file(&root.join(BOOK_TOML)) { "part of the book at" } else { "below" };
        Failure::new(format!("{asked} is not {part} {root_name}"))
    })?;
    Ok(below.to_string_lossy().replace('\\', "/"))
}

/// The pages that were asked for, as indices, in the book's order.
pub(in crate::commands) fn choose(
    root: &Path,
    book: &Book,
    asked: &[PathBuf],
) -> Result<Vec<usize>, Failure> {
    if asked.is_empty() {
        return Ok((0..book.pages.len()).filter(|at| book.pages[*at].is_runnable()).collect());
    }
    let mut chosen = Vec::new();
    for path in asked {
        let below = below(root, &canonical(path)?, path)?;
        let found: Vec<usize> = (0..book.pages.len())
            .filter(|at| is_at_or_below(&book.pages[*at].path, &below))
            .filter(|at| book.pages[*at].path == below || book.pages[*at].is_runnable())
            .collect();
        if found.is_empty() && !is_unreadable(&below) {
            return Err(Failure::new(format!(
                "{} holds no page with runnable blocks",
                path.display()
            )));
        }
        chosen.extend(found);
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

/// A page that was named and is not in the book could not be read, which is a finding.
fn is_unreadable(below: &str) -> bool {
    below.ends_with(".md")
}

/// Whether a page is the one that was named or stands in the folder that was named.
fn is_at_or_below(page: &str, asked: &str) -> bool {
    asked.is_empty()
        || page == asked
        || page.strip_prefix(asked).is_some_and(|rest| rest.starts_with('/'))
}
