//! The search: an index in classic scripts that a page loads when someone searches, from a disk,
//! too. `static/labdoc-search.js` is the other half; the format is described at [`publish`].

mod files;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod index;
mod number;
mod packed;
mod patch;
mod text;
mod token;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Value, json};

use super::Site;
use super::evidence_pages::bundle_title;
use super::output::Staging;
use super::record::{bundle_page, report_page};
use crate::diag::Failure;
use crate::digest::sha256_hex;
use files::{PageFiles, Record, term_files};
use index::Index;
pub(super) use patch::{Change, Standing, patch};
use text::{Part, parts};

/// Strings of the interface that the script shows.
const WORDS: &[&str] = &["search", "search_failed", "search_hits", "search_none", "search_wait"];

/// Something that can be found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    /// Path in the site.
    pub(super) path: String,
    /// Language, which decides in which index it is.
    pub(super) language: String,
    /// Title.
    title: String,
    /// Its parts with their anchors.
    parts: Vec<Part>,
}

impl Document {
    /// A page from the HTML of its body.
    pub(super) fn page(path: &str, (language, title): (&str, &str), body: &str) -> Document {
        let (path, language) = (path.to_owned(), language.to_owned());
        Document { path, language, title: title.to_owned(), parts: parts(body) }
    }

    /// Something that is found by its name.
    pub(super) fn named(path: String, (language, name): (&str, &str), about: &str) -> Document {
        let parts = vec![Part::plain(about)];
        Document { path, language: language.to_owned(), title: name.to_owned(), parts }
    }
}

/// Everything beside the pages that is found by its name: files of kits, runs, reports.
pub(super) fn names(site: &Site<'_>) -> Vec<Document> {
    let language = site.language;
    let kits = site.kits.iter().flat_map(|kit| {
        let page = (format!("kit/{}/index.html", kit.name), kit.name.clone());
        let files = kit
            .files
            .iter()
            .map(|file| (format!("kit/{}/view/{}.html", kit.name, file.path), file.path.clone()));
        std::iter::once(page).chain(files)
    });
    let bundles = site.evidence.bundles.iter();
    let bundles =
        bundles.map(|(id, bundle)| (bundle_page(id), format!("{id} {}", bundle_title(bundle))));
    let reports = site.evidence.records.reports.iter();
    let reports = reports.map(|(id, report)| (report_page(id), format!("{id} {}", report.title)));
    kits.chain(bundles)
        .chain(reports)
        .map(|(path, name)| Document::named(path, (language, &name), ""))
        .collect()
}

/// Writes one index for each language, all below `search/LANGUAGE/`:
///
/// - `index.js`: digest of all, words, number of pages, first term of each file of terms, first
///   page of each file of pages;
/// - `tN.js`: terms and postings in turn. Postings: 3 × page (less the one before) + number of
///   places less one, 2 for three and more, which are counted from three in a number of their own;
///   then places (less the one before): 2 × position, + 1 in a title or heading, all that twice
///   and + 1 where a word begins if the term is syllables. Positions below 64 are the title's.
///   Numbers are written as in [`number`];
/// - `pN.js`: path, title and parts (anchor, heading, first position) of pages, and the texts of
///   the parts as JSON, deflated, in base 64.
///
/// A preview makes it when somebody searches: it would take most of the time of a change.
///
/// # Errors
/// A file cannot be written.
pub(super) fn publish(
    site: &Site<'_>,
    staging: &Staging,
    documents: Vec<Document>,
) -> Result<(), Failure> {
    let mut languages: BTreeMap<String, Vec<Arc<Document>>> = BTreeMap::new();
    for document in documents {
        languages.entry(document.language.clone()).or_default().push(document.into());
    }
    let words = |language: &str| {
        let words = &site.theme.in_language(language).words;
        let words: BTreeMap<&str, &str> =
            WORDS.iter().map(|key| (*key, words.get(*key).map_or(*key, String::as_str))).collect();
        json!(words)
    };
    let indexes = languages
        .into_iter()
        .map(|(language, documents)| (words(&language), language, documents))
        .collect();
    let pending = SearchIndex { indexes };
    if site.serve {
        staging.leave_search(pending);
        return Ok(());
    }
    pending.write(&mut |path, text| staging.put(path, text.as_bytes()))
}

/// What can be found in each language, not yet an index.
#[derive(Clone)]
pub(crate) struct SearchIndex {
    /// Words of the interface, language, documents.
    indexes: Vec<(Value, String, Vec<Arc<Document>>)>,
}

impl SearchIndex {
    /// Puts a document in the place of that under the same path; whether there was one.
    pub(super) fn replace(&mut self, new: Document) -> bool {
        let documents = self.indexes.iter_mut().flat_map(|(_, _, documents)| documents);
        let same =
            |old: &&mut Arc<Document>| (&old.language, &old.path) == (&new.language, &new.path);
        let Some(old) = documents.into_iter().find(same) else { return false };
        *old = new.into();
        true
    }

    /// Makes the files of the indexes, by their paths.
    pub(crate) fn into_files(self) -> BTreeMap<String, Arc<[u8]>> {
        let mut out = BTreeMap::new();
        // Nothing is written, so nothing can fail.
        let _ = self.write(&mut |path, text| {
            out.insert(path.to_owned(), text.as_bytes().into());
            Ok(())
        });
        out
    }

    /// Hands over the files of the indexes.
    fn write(self, put: &mut Put<'_>) -> Result<(), Failure> {
        self.indexes.into_iter().try_for_each(|(words, language, documents)| {
            files_of(&language, documents, &words, put)
        })
    }
}

/// How many documents go into the index at once.
const AT_ONCE: usize = 256;

/// Takes a file of the index: its path and its text.
type Put<'a> = dyn FnMut(&str, &str) -> Result<(), Failure> + 'a;

/// Hands over the files of one language's index, each as soon as it is complete: those of a large
/// site are large.
fn files_of(
    language: &str,
    documents: Vec<Arc<Document>>,
    words: &Value,
    put: &mut Put<'_>,
) -> Result<(), Failure> {
    let mut index = Index::default();
    let mut files = PageFiles::new();
    let (mut of_terms, mut of_pages) = (String::new(), String::new());
    let mut write = |digests: &mut String, name: &str, data: &str| {
        let call = call(language, name, data);
        digests.push_str(&sha256_hex(call.as_bytes()));
        put(&format!("search/{language}/{name}.js"), &call)
    };
    // A document goes as soon as it is in the index and in a file, too.
    let mut documents = documents.into_iter();
    loop {
        let some: Vec<Arc<Document>> = documents.by_ref().take(AT_ONCE).collect();
        if some.is_empty() {
            break;
        }
        let starts: Vec<Vec<u32>> = some.iter().map(|document| index.add(document)).collect();
        let records = some.into_par_iter().zip(starts);
        let records = records.map(|(document, starts)| Record::of(&document, &starts)).collect();
        files.add(records, &mut |name, data| write(&mut of_pages, name, data))?;
    }
    let pages = files.end(&mut |name, data| write(&mut of_pages, name, data))?;
    let count = index.pages();
    let terms =
        term_files(index.into_entries(), &mut |name, data| write(&mut of_terms, name, data))?;
    let version = version(&format!("{of_terms}{of_pages}"));
    let head = json!({
        "version": version, "words": words, "count": count, "terms": terms, "pages": pages,
    });
    put(&format!("search/{language}/index.js"), &call(language, "index", &head.to_string()))
}

/// What tells one index from another, from the digests of its files.
fn version(digests: &str) -> String {
    sha256_hex(digests.as_bytes())[..12].to_owned()
}

/// A file of an index: a call with its data, which are JSON.
fn call(language: &str, name: &str, data: &str) -> String {
    format!("labdocSearch(\"{language}\",\"{name}\",{});\n", script_text(data))
}

/// Data as JSON that may stand in a script.
pub(super) fn script_json(data: &Value) -> String {
    script_text(&data.to_string())
}

/// JSON so written that it may stand in a script.
fn script_text(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    // The two separators are written in three bytes, the first of which few texts hold.
    while let Some(at) = rest.bytes().position(|b| matches!(b, b'<' | b'>' | b'&' | 0xe2)) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let Some(c) = from.chars().next() else { break };
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
        rest = &from[c.len_utf8()..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests;
