//! The pages of `content/` as a book: routes, folders, order.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use unicode_normalization::UnicodeNormalization as _;

use super::language::representatives;
use super::links::content_files;
use super::page::Page;
use super::parse::{Setting, parse_in};
use super::routes::check_routes;
use super::{Markup, vars};
use crate::config::{BOOK_TOML, Config};
use crate::diag::{Checked, Diagnostic, Failure};
use crate::disk;
use crate::source::{FileId, Sources, Span};

/// The folder that holds the pages.
pub(crate) const CONTENT: &str = "content";

/// A folder of pages.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// Path below `content/`, empty for the root, no slash at its end.
    pub(crate) dir: String,
    /// Title of its index page, else the folder's name.
    pub(crate) title: String,
    /// Its index page, where one was written.
    pub(crate) index: Option<usize>,
    /// Its other pages, in order.
    pub(crate) pages: Vec<usize>,
    /// The folders directly in it, in order, as indices into [`Book::sections`].
    pub(crate) children: Vec<usize>,
    /// The folder above.
    pub(crate) parent: Option<usize>,
}

/// All pages with their order. Pages are sorted by path; sections by path, the root first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Book {
    /// The settings.
    pub(crate) config: Config,
    /// The pages.
    pub(crate) pages: Vec<Page>,
    /// The folders; there is always a root.
    pub(crate) sections: Vec<Section>,
    /// The places of the pages, sorted by what their translations share, then by language.
    translations: Vec<usize>,
    /// Files of `content/` that are no pages: they are published as they are, under their path in
    /// NFC. The value is the path on the disk.
    pub(crate) assets: BTreeMap<String, String>,
    /// `claims.yaml` files, with the folder they stand in.
    pub(crate) claim_files: Vec<FileId>,
}

/// What of a book to read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoadOptions {
    /// Whether pages with `draft: true` belong to it.
    pub(crate) drafts: bool,
}

/// Reads `book.toml` and everything below `content/`.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn load(
    root: &Path,
    sources: &mut Sources,
    options: LoadOptions,
) -> Result<Checked<Book>, Failure> {
    let mut book = load_config(root, sources)?;
    let content = root.join(CONTENT);
    let paths = content_files(root, &content, &mut book.diagnostics)?;
    let shown = paths.into_iter().filter(|path| !path.split('/').any(|part| part.starts_with('.')));
    let (texts, assets): (Vec<String>, Vec<String>) = shown
        .partition(|path| path.ends_with(".md") || path.rsplit('/').next() == Some("claims.yaml"));
    let mut pages = Vec::new();
    let read = |path: &String| read_page(&root.join(CONTENT).join(path));
    let read: Vec<Result<Option<Vec<u8>>, Failure>> = texts.par_iter().map(read).collect();
    for (path, bytes) in texts.iter().zip(read) {
        let name = format!("{CONTENT}/{path}");
        let Some(file) = source(&name, bytes?, sources, &mut book.diagnostics) else { continue };
        if name.ends_with(".md") { pages.push(file) } else { book.value.claim_files.push(file) }
    }
    for path in assets {
        let name: String = path.nfc().collect();
        if let Some(other) = book.value.assets.insert(name.clone(), path) {
            let message = format!("{CONTENT}/{other} and another file would both be {name}");
            let finding = Diagnostic::error("PG005", message).in_file(&other, None);
            let hint = "their names differ only in the form of their letters (NFC, NFD)";
            book.diagnostics.push(finding.hint(hint));
        }
    }
    parse_pages(&mut book, sources, &pages);
    if !options.drafts {
        book.value.pages.retain(|page| !page.front.draft);
    }
    check_routes(&mut book);
    book.value.assemble();
    Ok(book)
}

/// Reads the settings.
///
/// # Errors
/// `book.toml` cannot be read.
pub(crate) fn load_config(root: &Path, sources: &mut Sources) -> Result<Checked<Book>, Failure> {
    let text = disk::read_text(&root.join(BOOK_TOML))?;
    let file = sources.add(BOOK_TOML, text);
    let config = crate::config::parse(sources, file);
    let book = Book { config: config.value, ..Book::default() };
    Ok(Checked { value: book, diagnostics: config.diagnostics })
}

/// Largest page, in bytes. A reader has long stopped reading; a machine could be made to run out
/// of memory.
const LARGEST_PAGE: u64 = 16 << 20;

/// The bytes of a page; `None` where it is too large.
///
/// # Errors
/// It cannot be read.
pub(crate) fn read_page(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    Ok(if disk::size(path)? > LARGEST_PAGE { None } else { Some(disk::read(path)?) })
}

/// Reads a text by its path from the root; one that is no UTF-8, or too large, is a finding.
pub(super) fn read_source(
    root: &Path,
    path: &str,
    sources: &mut Sources,
    findings: &mut Vec<Diagnostic>,
) -> Result<Option<FileId>, Failure> {
    Ok(source(path, read_page(&root.join(path))?, sources, findings))
}

/// Takes the bytes of a text, as [`read_page`] gives them.
fn source(
    path: &str,
    bytes: Option<Vec<u8>>,
    sources: &mut Sources,
    findings: &mut Vec<Diagnostic>,
) -> Option<FileId> {
    let from_root: String = path.nfc().collect();
    let Some(bytes) = bytes else {
        let message = format!("the file is larger than {} MiB", LARGEST_PAGE >> 20);
        let finding = Diagnostic::error("PG016", message).in_file(from_root, None);
        findings.push(finding.hint("split it, or show a part of it and link to the whole"));
        return None;
    };
    match String::from_utf8(bytes) {
        Ok(text) => Some(sources.add(from_root, text)),
        Err(error) => {
            // Shown with a mark for what is no text, so that the place can be pointed at.
            let good = error.utf8_error().valid_up_to();
            let file = sources.add(from_root, String::from_utf8_lossy(error.as_bytes()));
            let at = Span::new(file, good..good + '\u{fffd}'.len_utf8());
            let finding = Diagnostic::error("PG006", "the file is not UTF-8 text").at(at);
            findings.push(finding.hint("save it as UTF-8"));
            None
        }
    }
}

/// Parses pages, in parallel and in their order.
fn parse_pages(book: &mut Checked<Book>, sources: &Sources, files: &[FileId]) {
    let setting = Setting::of(&book.value.config);
    let parsed: Vec<Checked<Page>> =
        files.par_iter().map(|file| parse_in(sources, *file, &setting)).collect();
    for page in parsed {
        book.value.pages.push(page.value);
        book.diagnostics.extend(page.diagnostics);
    }
}

/// The folder of an output path, without a slash at its end.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folders of a book with their pages in order.
fn sections(pages: &[Page]) -> Vec<Section> {
    let mut by_dir: BTreeMap<String, Section> = BTreeMap::new();
    by_dir.insert(String::new(), empty_section(""));
    let shown = representatives(pages);
    for (at, page) in pages.iter().enumerate().filter(|(at, _)| shown[*at]) {
        let dir = folder_of(&page.out);
        for (end, _) in dir.match_indices('/').chain((!dir.is_empty()).then_some((dir.len(), ""))) {
            if !by_dir.contains_key(&dir[..end]) {
                by_dir.insert(dir[..end].to_owned(), empty_section(&dir[..end]));
            }
        }
        if let Some(section) = by_dir.get_mut(dir) {
            if page.base.rsplit('/').next() == Some("index.html") {
                section.index = Some(at);
                section.title.clone_from(&page.title);
            } else {
                section.pages.push(at);
            }
        }
    }
    let mut sections: Vec<Section> = by_dir.into_values().collect();
    link_sections(&mut sections, pages);
    sections
}

/// A folder with nothing in it yet.
fn empty_section(dir: &str) -> Section {
    let title = dir.rsplit('/').next().unwrap_or(dir).to_owned();
    let dir = dir.to_owned();
    Section { dir, title, index: None, pages: Vec::new(), children: Vec::new(), parent: None }
}

/// Sorts pages, and tells each folder which are above and below it.
fn link_sections(sections: &mut [Section], pages: &[Page]) {
    let place = |page: &Page| (page.front.weight.unwrap_or(i64::MAX), page.title.clone());
    for section in sections.iter_mut() {
        section.pages.sort_by_cached_key(|at| place(&pages[*at]));
    }
    let dirs: Vec<String> = sections.iter().map(|s| s.dir.clone()).collect();
    for at in 1..sections.len() {
        let above = folder_of(&dirs[at]).to_owned();
        let parent = dirs.iter().position(|dir| *dir == above);
        sections[at].parent = parent;
        if let Some(parent) = parent {
            sections[parent].children.push(at);
        }
    }
    let keys: Vec<(i64, String)> = sections
        .iter()
        .map(|s| s.index.map_or((i64::MAX, s.title.clone()), |at| place(&pages[at])))
        .collect();
    for section in sections.iter_mut() {
        section.children.sort_by_key(|at| keys[*at].clone());
    }
}

impl Setting {
    /// What pages take from the settings of their book.
    pub(crate) fn of(config: &Config) -> Setting {
        let (markup, vars) = (&config.file.markup, vars::flat(&config.file.vars));
        let markup = Markup { math: markup.math, smart_quotes: markup.smart_quotes };
        Setting { markup, vars }
    }
}

impl Book {
    /// A book of these pages, which know their addresses.
    pub(super) fn assembled(
        config: Config,
        pages: Vec<Page>,
        assets: BTreeMap<String, String>,
    ) -> Book {
        let mut book = Book { config, pages, assets, ..Book::default() };
        book.assemble();
        book
    }

    /// Works out folders and translations from the pages.
    fn assemble(&mut self) {
        self.sections = sections(&self.pages);
        let version = |at: &usize| (&self.pages[*at].base, &self.pages[*at].language);
        self.translations = (0..self.pages.len()).collect();
        self.translations.sort_by(|a, b| version(a).cmp(&version(b)));
    }

    /// The page written at a path from the root.
    pub(crate) fn page_at(&self, path: &str) -> Option<usize> {
        self.pages.binary_search_by(|page| page.path.as_str().cmp(path)).ok()
    }

    /// The folder a page belongs to.
    pub(crate) fn section_of(&self, page: &Page) -> usize {
        let dir = folder_of(&page.out);
        self.sections.binary_search_by(|section| section.dir.as_str().cmp(dir)).unwrap_or(0)
    }

    /// The version of a page in a language.
    pub(crate) fn translation(&self, base: &str, language: &str) -> Option<usize> {
        let version = |at: &usize| {
            let page = &self.pages[*at];
            page.base.as_str().cmp(base).then_with(|| page.language.as_str().cmp(language))
        };
        let at = self.translations.binary_search_by(version).ok()?;
        self.translations.get(at).copied()
    }

    /// Pages in reading order: a folder's index, its pages, then the folders below it.
    pub(crate) fn reading_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.pages.len());
        self.read_section(0, &mut order);
        order
    }

    /// The recursion of [`Book::reading_order`].
    fn read_section(&self, at: usize, order: &mut Vec<usize>) {
        let Some(section) = self.sections.get(at) else { return };
        order.extend(section.index);
        order.extend(&section.pages);
        for child in &section.children {
            self.read_section(*child, order);
        }
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
