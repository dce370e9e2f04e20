//! Where the pages of a book are published.

use std::collections::BTreeMap;

use super::language::{in_language, split_language};
use super::page::Page;
use super::tree::{Book, CONTENT};
use crate::diag::{Checked, Diagnostic};

/// Two pages with one address are an error.
pub(super) fn check_routes(book: &mut Checked<Book>) {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let folders = folders_with_index(&book.value.pages);
    let names = &book.value.config.file.book;
    for page in &mut book.value.pages {
        let (plain, language) = split_language(&page.path, &names.languages);
        page.base = route(&plain, &folders);
        page.language = language.unwrap_or(&names.language).to_owned();
        page.out = match language.filter(|language| *language != names.language) {
            Some(language) => in_language(&page.base, language),
            None => page.base.clone(),
        };
        let key = page.out.to_lowercase();
        if let Some(other) = seen.insert(key, page.path.clone()) {
            let message = format!("{} and {other} would both become {}", page.path, page.out);
            book.diagnostics.push(Diagnostic::error("PG005", message).in_file(&page.path, None));
        }
    }
}

/// Folders that have an `index.md`; there `README.md` is a page like any other.
fn folders_with_index(pages: &[Page]) -> Vec<String> {
    let index = |page: &Page| page.path.strip_suffix("/index.md").map(str::to_owned);
    pages.iter().filter_map(index).collect()
}

/// The output path of a page: `content/a/b.md` becomes `a/b.html`.
fn route(path: &str, with_index: &[String]) -> String {
    let below = path.strip_prefix(CONTENT).unwrap_or(path).trim_start_matches('/');
    let stem = below.strip_suffix(".md").unwrap_or(below);
    let readme = path.strip_suffix("/README.md");
    if readme.is_some_and(|folder| !with_index.iter().any(|known| known == folder)) {
        let dir = stem.strip_suffix("README").unwrap_or(stem);
        return format!("{dir}index.html");
    }
    format!("{stem}.html")
}
