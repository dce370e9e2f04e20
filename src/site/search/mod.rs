//! The search: an index in classic scripts that a page loads when someone searches, from a disk,
//! too. `static/labdoc-search.js` is the other half; the format is described at [`publish`].

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod index;
mod number;
mod text;
mod token;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Site;
use super::evidence_pages::bundle_title;
use super::output::Staging;
use super::record::{bundle_page, report_page};
use crate::diag::Failure;
use crate::digest::sha256_hex;
use index::Index;
use text::{Part, parts};

/// Longest file of terms, in bytes.
const TERMS: usize = 60 * 1024;

/// Longest file of pages, in bytes: several are loaded for one list of hits.
const PAGES: usize = 24 * 1024;

/// Most text that is kept of a page for excerpts, in bytes.
const TEXT: usize = 80 * 1024;

/// Strings of the interface that the script shows.
const WORDS: &[&str] = &["search", "search_failed", "search_hits", "search_none", "search_wait"];

/// Something that can be found.
#[derive(Clone, Debug, Default)]
pub(super) struct Document {
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
    let mut languages: BTreeMap<String, Vec<Document>> = BTreeMap::new();
    for document in documents {
        languages.entry(document.language.clone()).or_default().push(document);
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
pub(crate) struct SearchIndex {
    /// Words of the interface, language, documents.
    indexes: Vec<(Value, String, Vec<Document>)>,
}

impl SearchIndex {
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
        self.indexes
            .into_iter()
            .try_for_each(|(words, language, documents)| files(&language, documents, &words, put))
    }
}

/// Takes a file of the index: its path and its text.
type Put<'a> = dyn FnMut(&str, &str) -> Result<(), Failure> + 'a;

/// Hands over the files of one language's index, each as soon as it is complete: those of a large
/// site are large.
fn files(
    language: &str,
    documents: Vec<Document>,
    words: &Value,
    put: &mut Put<'_>,
) -> Result<(), Failure> {
    let mut index = Index::default();
    // A document goes as soon as it is in the index, too.
    let records: Vec<Record> = documents
        .into_iter()
        .map(|document| Record::of(&document, &index.add(&document)))
        .collect();
    let count = index.pages();
    let mut digests = String::new();
    let mut file = |name: &str, data: &str| {
        let call = format!("labdocSearch(\"{language}\",\"{name}\",{});\n", script_text(data));
        digests.push_str(&sha256_hex(call.as_bytes()));
        put(&format!("search/{language}/{name}.js"), &call)
    };
    let terms = term_files(index.into_entries(), &mut file)?;
    let pages = page_files(records, &mut file)?;
    let version = sha256_hex(digests.as_bytes())[..12].to_owned();
    let head = json!({
        "version": version, "words": words, "count": count, "terms": terms, "pages": pages,
    });
    let call = format!("labdocSearch(\"{language}\",\"index\",{});\n", script_json(&head));
    put(&format!("search/{language}/index.js"), &call)
}

/// Terms in files: the first term of each.
fn term_files(entries: Vec<(String, String)>, file: &mut Put<'_>) -> Result<Vec<String>, Failure> {
    let mut firsts: Vec<String> = Vec::new();
    let (mut list, mut size) = (String::new(), 0);
    let mut end = |list: &mut String, number: usize| -> Result<(), Failure> {
        file(&format!("t{number}"), &format!("[{list}]"))?;
        list.clear();
        Ok(())
    };
    for (term, piece) in entries {
        let more = term.len() + piece.len() + 6;
        if firsts.is_empty() || size + more > TERMS {
            if let Some(number) = firsts.len().checked_sub(1) {
                end(&mut list, number)?;
            }
            firsts.push(term.clone());
            size = 0;
        }
        size += more;
        let comma = if list.is_empty() { "" } else { "," };
        list.push_str(&format!("{comma}{},{}", json!(term), json!(piece)));
    }
    if let Some(number) = firsts.len().checked_sub(1) {
        end(&mut list, number)?;
    }
    Ok(firsts)
}

/// What is shown of a page, as JSON: its record, and the texts of its parts.
struct Record {
    shown: String,
    texts: String,
    size: usize,
}

impl Record {
    /// The record of a document whose parts begin at `starts`.
    fn of(document: &Document, starts: &[u32]) -> Record {
        let parts: Vec<Value> = document
            .parts
            .iter()
            .zip(starts)
            .map(|(part, start)| json!([part.id, part.heading, start]))
            .collect();
        let mut left = TEXT;
        let texts: Vec<String> = document
            .parts
            .iter()
            .map(|part| {
                let text = part.excerpt();
                let text = if text.len() > left { String::new() } else { text };
                left -= text.len();
                text
            })
            .collect();
        let shown = json!([document.path, document.title, parts]).to_string();
        // Text shrinks to about a third, and base 64 makes it a third longer.
        let size = shown.len() + texts.iter().map(String::len).sum::<usize>() / 2;
        Record { shown, texts: json!(texts).to_string(), size }
    }
}

/// Pages in files: the first page of each.
fn page_files(records: Vec<Record>, file: &mut Put<'_>) -> Result<Vec<usize>, Failure> {
    let mut firsts: Vec<usize> = Vec::new();
    let (mut shown, mut texts): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut size = 0;
    let mut end = |shown: &mut Vec<String>, texts: &mut Vec<String>, number: usize| {
        let packed = base64(&deflate(format!("[{}]", texts.join(",")).as_bytes()));
        let data = format!("[{}],{}", shown.join(","), json!(packed));
        shown.clear();
        texts.clear();
        file(&format!("p{number}"), &data)
    };
    for (at, record) in records.into_iter().enumerate() {
        if firsts.is_empty() || size + record.size > PAGES {
            if let Some(number) = firsts.len().checked_sub(1) {
                end(&mut shown, &mut texts, number)?;
            }
            firsts.push(at);
            size = 0;
        }
        size += record.size;
        shown.push(record.shown);
        texts.push(record.texts);
    }
    if let Some(number) = firsts.len().checked_sub(1) {
        end(&mut shown, &mut texts, number)?;
    }
    Ok(firsts)
}

/// Data as JSON that may stand in a script.
pub(super) fn script_json(data: &Value) -> String {
    script_text(&data.to_string())
}

/// JSON so written that it may stand in a script.
fn script_text(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

/// Bytes in raw deflate form.
fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Bytes in base 64.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4_usize {
            let digit = (word >> (18 - 6 * at)) as usize & 63;
            out.push(if at <= group.len() { char::from(DIGITS[digit]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests;
