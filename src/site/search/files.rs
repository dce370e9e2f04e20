//! The files of an index: terms with their postings, and what is shown of pages.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::packed::{base64, deflate};
use super::{Document, Put};
use crate::diag::Failure;
use crate::digest::sha256;

/// Where files end: a file is full before it would be larger than `most`. From `least` on it ends
/// before an entry that its key chooses, so that an entry that grows moves no end far away from it.
struct Rule {
    least: usize,
    most: usize,
    /// How many bytes come, on average, before an entry is chosen.
    between: usize,
}

/// Files of terms.
const TERMS: Rule = Rule { least: 36 * 1024, most: 60 * 1024, between: 8 * 1024 };

/// Files of pages: several are loaded for one list of hits.
const PAGES: Rule = Rule { least: 14 * 1024, most: 24 * 1024, between: 3 * 1024 };

/// Most text that is kept of a page for excerpts, in bytes.
const TEXT: usize = 80 * 1024;

/// Decides entry by entry where the next file begins.
pub(super) struct Split {
    rule: &'static Rule,
    /// The size of the file so far; `None` before the first.
    size: Option<usize>,
}

impl Split {
    /// Of terms.
    pub(super) fn terms() -> Split {
        Split { rule: &TERMS, size: None }
    }

    /// Of pages.
    pub(super) fn pages() -> Split {
        Split { rule: &PAGES, size: None }
    }

    /// Takes the next entry, which has `more` bytes; whether a file begins with it.
    pub(super) fn begins(&mut self, key: &str, more: usize) -> bool {
        let Rule { least, most, between } = *self.rule;
        let begins = match self.size {
            None => true,
            Some(size) => size + more > most || (size >= least && is_chosen(key, more, between)),
        };
        self.size = Some(if begins { more } else { self.size.unwrap_or(0) + more });
        begins
    }
}

/// Whether an entry of this size is among those that a file may begin with.
fn is_chosen(key: &str, size: usize, between: usize) -> bool {
    let digest = sha256(key.as_bytes());
    let number = digest.iter().take(4).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    number * (between as u64) < (size as u64) << 32
}

/// The size of an entry of terms.
pub(super) fn term_size(term: &str, piece: &str) -> usize {
    term.len() + piece.len() + 6
}

/// The content of a file of terms.
pub(super) fn terms_data(entries: &[(String, String)]) -> String {
    let mut list = String::new();
    for (term, piece) in entries {
        let comma = if list.is_empty() { "" } else { "," };
        list.push_str(&format!("{comma}{},{}", json!(term), json!(piece)));
    }
    format!("[{list}]")
}

/// Terms in files: the first term of each.
pub(super) fn term_files(
    entries: Vec<(String, String)>,
    file: &mut Put<'_>,
) -> Result<Vec<String>, Failure> {
    let mut firsts: Vec<String> = Vec::new();
    let mut split = Split::terms();
    let mut list: Vec<(String, String)> = Vec::new();
    for (term, piece) in entries {
        if split.begins(&term, term_size(&term, &piece)) {
            if let Some(number) = firsts.len().checked_sub(1) {
                file(&format!("t{number}"), &terms_data(&list))?;
                list.clear();
            }
            firsts.push(term.clone());
        }
        list.push((term, piece));
    }
    if let Some(number) = firsts.len().checked_sub(1) {
        file(&format!("t{number}"), &terms_data(&list))?;
    }
    Ok(firsts)
}

/// What is shown of a page, as JSON: its record, and the texts of its parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Its path, which decides where a file may begin.
    pub(super) path: String,
    pub(super) shown: String,
    pub(super) texts: String,
    pub(super) size: usize,
}

impl Record {
    /// The record of a document whose parts begin at `starts`.
    pub(super) fn of(document: &Document, starts: &[u32]) -> Record {
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
        let size = size(&shown, texts.iter().map(String::len).sum());
        Record { path: document.path.clone(), shown, texts: json!(texts).to_string(), size }
    }

    /// A record as it was read back.
    pub(super) fn read(shown: &Value, texts: &Value) -> Option<Record> {
        let path = shown.get(0)?.as_str()?.to_owned();
        let lengths = texts.as_array()?.iter().map(|text| text.as_str().map(str::len));
        let length = lengths.sum::<Option<usize>>()?;
        let shown = shown.to_string();
        let size = size(&shown, length);
        Some(Record { path, shown, texts: texts.to_string(), size })
    }
}

/// What a record takes: text shrinks to about a third, and base 64 makes it a third longer.
fn size(shown: &str, texts: usize) -> usize {
    shown.len() + texts / 2
}

/// The content of a file of pages.
pub(super) fn pages_data(records: &[Record]) -> String {
    let join = |part: fn(&Record) -> &str| records.iter().map(part).collect::<Vec<_>>().join(",");
    let packed = base64(&deflate(format!("[{}]", join(|record| &record.texts)).as_bytes()));
    format!("[{}],{}", join(|record| &record.shown), json!(packed))
}

/// Pages on their way into files. A file is handed over as soon as it is full.
pub(super) struct PageFiles {
    /// The first page of each file.
    firsts: Vec<usize>,
    split: Split,
    /// What the last file holds so far.
    list: Vec<Record>,
    count: usize,
}

impl PageFiles {
    /// No page yet.
    pub(super) fn new() -> PageFiles {
        PageFiles { firsts: Vec::new(), split: Split::pages(), list: Vec::new(), count: 0 }
    }

    /// Takes the next pages.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn add(&mut self, records: Vec<Record>, file: &mut Put<'_>) -> Result<(), Failure> {
        let mut full: Vec<(usize, Vec<Record>)> = Vec::new();
        for record in records {
            if self.split.begins(&record.path, record.size) {
                if let Some(number) = self.firsts.len().checked_sub(1) {
                    full.push((number, std::mem::take(&mut self.list)));
                }
                self.firsts.push(self.count);
            }
            self.list.push(record);
            self.count += 1;
        }
        let packed = full.par_iter().map(|(number, list)| (*number, pages_data(list)));
        let packed: Vec<(usize, String)> = packed.collect();
        packed.iter().try_for_each(|(number, data)| file(&format!("p{number}"), data))
    }

    /// Ends the last file; the first page of each.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn end(self, file: &mut Put<'_>) -> Result<Vec<usize>, Failure> {
        if let Some(number) = self.firsts.len().checked_sub(1) {
            file(&format!("p{number}"), &pages_data(&self.list))?;
        }
        Ok(self.firsts)
    }
}
