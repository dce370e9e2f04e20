//! Dates of pages that their headers leave to the history of the repository.

use std::path::Path;

use super::tree::Book;
use crate::config::Updated;
use crate::diag::Diagnostic;
use crate::git;

/// Gives each page without `updated` the day of the commit that last changed it, where the book
/// asks for that. Findings: the clone is shallow, or the repository cannot be read; both leave
/// pages without a date rather than with a wrong one.
pub(crate) fn date(root: &Path, book: &mut Book) -> Vec<Diagnostic> {
    if book.config.file.book.updated != Some(Updated::Git) {
        return Vec::new();
    }
    let open = |page: &&mut super::Page| page.front.updated.is_none();
    let paths: Vec<&str> = book
        .pages
        .iter()
        .filter(|page| page.front.updated.is_none())
        .map(|page| page.path.as_str())
        .collect();
    let history = match git::last_changes(root, &paths) {
        Ok(Some(history)) => history,
        Ok(None) => return Vec::new(),
        Err(why) => {
            let message = format!("the history of the repository cannot be read: {why}");
            let finding = Diagnostic::warning("PG024", message).in_file("book.toml", None);
            return vec![finding.hint("take out `updated = \"git\"`, or give pages `updated:`")];
        }
    };
    for page in book.pages.iter_mut().filter(open) {
        page.front.updated = history.days.get(&page.path).cloned();
    }
    if !history.is_cut {
        return Vec::new();
    }
    let message = "the clone is shallow; pages that last changed before it began have no date";
    let finding = Diagnostic::warning("PG023", message).in_file("book.toml", None);
    vec![
        finding.hint(
            "fetch the whole history (`git fetch --unshallow`; in CI often `fetch-depth: 0`)",
        ),
    ]
}
