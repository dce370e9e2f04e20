//! The language of a page by its file's name, and the pages that stand for their translations.

use std::collections::HashMap;

use super::page::Page;

/// The path of a page without its language, and the language: `a.en.md` is `a.md` in English.
pub(super) fn split_language<'a>(path: &str, languages: &'a [String]) -> (String, Option<&'a str>) {
    let stem = path.strip_suffix(".md").unwrap_or(path);
    let found = languages.iter().find_map(|language| {
        let plain = stem.strip_suffix(language.as_str())?.strip_suffix('.')?;
        (!plain.is_empty() && !plain.ends_with('/')).then_some((plain, language.as_str()))
    });
    match found {
        Some((plain, language)) => (format!("{plain}.md"), Some(language)),
        None => (path.to_owned(), None),
    }
}

/// The output path of a page in another language: `a.html` becomes `a.en.html`.
pub(crate) fn in_language(base: &str, language: &str) -> String {
    format!("{}.{language}.html", base.strip_suffix(".html").unwrap_or(base))
}

/// The pages that stand for all their translations: those in the site's language, and others
/// that have none in it.
pub(super) fn representatives(pages: &[Page]) -> Vec<bool> {
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(pages.len());
    for (at, page) in pages.iter().enumerate() {
        let known = seen.entry(&page.base).or_insert(at);
        if page.out == page.base {
            *known = at;
        }
    }
    pages.iter().enumerate().map(|(at, page)| seen.get(page.base.as_str()) == Some(&at)).collect()
}
