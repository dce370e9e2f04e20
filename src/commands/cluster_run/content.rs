//! Which files of a site the pods need to run its pages.

use std::collections::BTreeSet;

use super::super::verify::Loaded;
use crate::book::CONTENT;
use crate::config::BOOK_TOML;
use crate::diag::Failure;
use crate::disk;
use crate::kit::{Kit, KitOptions, LABKIT};

/// The settings, everything under `content/`, the chosen pages where they stand elsewhere, their
/// kits, and the files that they show: paths from the root, sorted.
///
/// # Errors
/// A folder or a kit cannot be read.
pub(super) fn files(loaded: &Loaded, chosen: &[usize]) -> Result<Vec<String>, Failure> {
    let (root, book) = (&loaded.root, &loaded.book.value);
    let is_hidden = |path: &String| path.split('/').any(|part| part.starts_with('.'));
    let mut all = BTreeSet::from([BOOK_TOML.to_owned()]);
    let content = disk::files_below(&root.join(CONTENT))?;
    all.extend(content.into_iter().filter(|p| !is_hidden(p)).map(|p| format!("{CONTENT}/{p}")));
    let pages = || chosen.iter().map(|at| &book.pages[*at]);
    all.extend(pages().map(|page| page.path.clone()));
    all.extend(pages().flat_map(|page| &page.includes).map(|include| include.path.clone()));
    let kits: BTreeSet<&String> = pages().filter_map(|page| page.front.kit.as_ref()).collect();
    for name in kits {
        let kit = Kit::load(root, name, &KitOptions::of(&book.config, name))?.value;
        all.extend(kit.files.iter().map(|file| format!("{LABKIT}/{name}/{}", file.path)));
    }
    Ok(all.into_iter().collect())
}
