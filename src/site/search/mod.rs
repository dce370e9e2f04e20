//! The search: an index in classic scripts that a page loads when someone searches, from a disk,
//! too. `static/labdoc-search.js` is the other half; the format is described at [`Search`].

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
use std::collections::btree_map::Entry;
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

/// One index for each language, fed while the pages are made; all of it lies below `search/LANGUAGE/`:
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
pub(super) struct Search<'a> {
    site: &'a Site<'a>,
    staging: &'a Staging,
    indexes: BTreeMap<String, Files>,
    /// What a preview leaves for later, by language.
    later: BTreeMap<String, Vec<Arc<Document>>>,
}

impl<'a> Search<'a> {
    /// Nothing can be found yet.
    pub(super) fn of(site: &'a Site<'a>, staging: &'a Staging) -> Search<'a> {
        Search { site, staging, indexes: BTreeMap::new(), later: BTreeMap::new() }
    }

    /// Takes the next documents.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn add(&mut self, documents: Vec<Document>) -> Result<(), Failure> {
        let mut languages: BTreeMap<String, Vec<Arc<Document>>> = BTreeMap::new();
        for document in documents {
            languages.entry(document.language.clone()).or_default().push(document.into());
        }
        for (language, documents) in languages {
            if self.site.serve {
                self.later.entry(language).or_default().extend(documents);
                continue;
            }
            let files = match self.indexes.entry(language) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let files = Files::of(new.key());
                    new.insert(files)
                }
            };
            files.add(documents, &mut |path, text| self.staging.put(path, text.as_bytes()))?;
        }
        Ok(())
    }

    /// Writes what is left to write.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn end(self) -> Result<(), Failure> {
        let Search { site, staging, indexes, later } = self;
        let words = |language: &str| {
            let words = &site.theme.in_language(language).words;
            let word = |key: &&'static str| (*key, words.get(*key).map_or(*key, String::as_str));
            json!(WORDS.iter().map(word).collect::<BTreeMap<_, _>>())
        };
        if site.serve {
            let indexes = later.into_iter();
            let indexes = indexes.map(|(language, all)| (words(&language), language, all));
            staging.leave_search(SearchIndex { indexes: indexes.collect() });
            return Ok(());
        }
        indexes.into_iter().try_for_each(|(language, files)| {
            files.end(&words(&language), &mut |path, text| staging.put(path, text.as_bytes()))
        })
    }
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

/// Hands over the files of one language's index.
fn files_of(
    language: &str,
    documents: Vec<Arc<Document>>,
    words: &Value,
    put: &mut Put<'_>,
) -> Result<(), Failure> {
    let mut files = Files::of(language);
    files.add(documents, put)?;
    files.end(words, put)
}

/// One language's index on its way into files: each is handed over as soon as it is complete, and a
/// document goes as soon as it is in the index and in a file, as those of a large site are many.
struct Files {
    language: String,
    index: Index,
    pages: PageFiles,
    /// The digests of the files of terms, and of pages.
    digests: (String, String),
}

impl Files {
    /// An index without documents.
    fn of(language: &str) -> Files {
        Files {
            language: language.to_owned(),
            index: Index::default(),
            pages: PageFiles::new(),
            digests: Default::default(),
        }
    }

    /// Takes the next documents.
    fn add(&mut self, documents: Vec<Arc<Document>>, put: &mut Put<'_>) -> Result<(), Failure> {
        let Files { language, index, pages, digests: (_, digests) } = self;
        let mut documents = documents.into_iter();
        loop {
            let some: Vec<Arc<Document>> = documents.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                return Ok(());
            }
            let starts: Vec<Vec<u32>> = some.iter().map(|document| index.add(document)).collect();
            let records = some.into_par_iter().zip(starts);
            let records = records.map(|(document, starts)| Record::of(&document, &starts));
            pages.add(records.collect(), &mut |name, data| {
                write((language, name, data), digests, put)
            })?;
        }
    }

    /// Ends the last files.
    fn end(self, words: &Value, put: &mut Put<'_>) -> Result<(), Failure> {
        let Files { language, index, pages, digests: (mut of_terms, mut of_pages) } = self;
        let pages =
            pages.end(&mut |name, data| write((&language, name, data), &mut of_pages, put))?;
        let count = index.pages();
        let terms = term_files(index.into_entries(), &mut |name, data| {
            write((&language, name, data), &mut of_terms, put)
        })?;
        let version = version(&format!("{of_terms}{of_pages}"));
        let head = json!({
            "version": version, "words": words, "count": count, "terms": terms, "pages": pages,
        });
        put(&format!("search/{language}/index.js"), &call(&language, "index", &head.to_string()))
    }
}

/// Hands over a file of an index, and notes its digest.
fn write(
    (language, name, data): (&str, &str, &str),
    digests: &mut String,
    put: &mut Put<'_>,
) -> Result<(), Failure> {
    let call = call(language, name, data);
    digests.push_str(&sha256_hex(call.as_bytes()));
    put(&format!("search/{language}/{name}.js"), &call)
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
