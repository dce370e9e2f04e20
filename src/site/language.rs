//! The languages of a site: which version of a page is shown, and where.

use serde_json::{Value, json};

use super::Site;
use crate::address::relative;
use crate::book::{Page, in_language};

/// A page as it is shown in one language.
pub(super) struct Version<'a> {
    /// The page whose text is shown.
    pub(super) page: &'a Page,
    /// Its place among the pages.
    pub(super) at: usize,
    /// Where it is shown.
    pub(super) out: String,
    /// Whether its text is in another language, because there is no translation.
    pub(super) fallback: bool,
}

impl<'a> Site<'a> {
    /// All languages, that of plain file names first.
    pub(super) fn languages(&self) -> Vec<&'a str> {
        let book = &self.book.config.file.book;
        let mut all = vec![book.language.as_str()];
        all.extend(book.languages.iter().map(String::as_str).filter(|l| *l != book.language));
        all
    }

    /// The same site with pages in another language.
    pub(super) fn in_language(&self, language: &'a str) -> Site<'a> {
        Site { language, theme: self.theme.in_language(language), ..*self }
    }

    /// The path of a page in the language of this site.
    pub(super) fn localized(&self, base: &str) -> String {
        if self.language == self.book.config.file.book.language {
            base.to_owned()
        } else {
            in_language(base, self.language)
        }
    }

    /// What the versions of the page at `out`, in the language of this site, share.
    pub(super) fn base_of<'p>(&self, out: &'p str) -> std::borrow::Cow<'p, str> {
        let stem = out.strip_suffix(".html").and_then(|stem| stem.strip_suffix(self.language));
        match stem.and_then(|stem| stem.strip_suffix('.')) {
            Some(stem) if self.language != self.book.config.file.book.language => {
                format!("{stem}.html").into()
            }
            _ => out.into(),
        }
    }

    /// The page at a place as it is shown in the language of this site.
    pub(super) fn version(&self, at: usize) -> Version<'a> {
        let base = &self.book.pages[at].base;
        let own = self.book.translation(base, self.language);
        let at = own.unwrap_or(at);
        Version {
            page: &self.book.pages[at],
            at,
            out: self.localized(base),
            fallback: own.is_none(),
        }
    }

    /// Whether the page at a place has a text in the language of this site.
    pub(super) fn has_own_version(&self, at: usize) -> bool {
        self.book.translation(&self.book.pages[at].base, self.language).is_some()
    }

    /// The links from the file at `out` to its versions; nothing for a site in one language.
    pub(super) fn switch(&self, base: &str, out: &str) -> Vec<Value> {
        let languages = self.languages();
        if languages.len() < 2 {
            return Vec::new();
        }
        let link = |language: &&'a str| {
            let to = self.in_language(language).localized(base);
            json!({
                "code": language, "title": name(language), "href": relative(out, &to),
                "current": *language == self.language,
            })
        };
        languages.iter().map(link).collect()
    }
}

/// A language's name in itself.
fn name(code: &str) -> &str {
    match code {
        "de" => "Deutsch",
        "en" => "English",
        "es" => "Español",
        "fr" => "Français",
        "ja" => "日本語",
        "ko" => "한국어",
        "zh" => "中文",
        other => other,
    }
}
