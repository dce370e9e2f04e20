//! An index in which the texts of some pages are others: only the files that hold them are made
//! anew. What comes out is what [`super::Search`] would make, or nothing, where that cannot be
//! had from the files alone.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use super::files::{Record, Split, pages_data, term_size, terms_data};
use super::index::{Posting, order, postings, repost};
use super::packed::{from_base64, inflate};
use super::{Document, call, version};
use crate::digest::sha256_hex;

/// A document in the place of another.
pub(in crate::site) struct Change {
    /// Which one, counted as the index does.
    pub(in crate::site) number: u32,
    /// What the index knows of it.
    pub(in crate::site) old: Document,
    /// What it should know.
    pub(in crate::site) new: Document,
}

/// The files of one language's index as they stand.
pub(in crate::site) struct Standing<'a> {
    /// The text of a file, by its path.
    pub(in crate::site) read: &'a dyn Fn(&str) -> Option<String>,
    /// Its digest.
    pub(in crate::site) digest: &'a dyn Fn(&str) -> Option<String>,
}

/// The files that change, by their paths.
pub(in crate::site) type Changed = BTreeMap<String, String>;

/// The files of the index of `language` that are others after `changes`. `None` where more than
/// some files would have to change.
pub(in crate::site) fn patch(
    language: &str,
    changes: &[Change],
    standing: &Standing<'_>,
) -> Option<Changed> {
    let path = |name: &str| format!("search/{language}/{name}.js");
    let mut index = Patch { language, standing, changed: Changed::new() };
    let mut head: Value = serde_json::from_str(&index.data("index")?).ok()?;
    let mut firsts: Vec<String> = serde_json::from_value(head.get("terms")?.clone()).ok()?;
    let mut pages: Vec<usize> = serde_json::from_value(head.get("pages")?.clone()).ok()?;
    for change in changes {
        index.terms(&mut firsts, change)?;
        index.pages(&mut pages, change)?;
    }
    let names = (0..firsts.len()).map(|n| format!("t{n}"));
    let mut digests = String::new();
    for name in names.chain((0..pages.len()).map(|n| format!("p{n}"))) {
        match index.changed.get(&path(&name)) {
            Some(text) => digests.push_str(&sha256_hex(text.as_bytes())),
            None => digests.push_str(&(standing.digest)(&path(&name))?),
        }
    }
    *head.get_mut("version")? = version(&digests).into();
    *head.get_mut("terms")? = firsts.into();
    *head.get_mut("pages")? = pages.into();
    index.put("index", &head.to_string());
    Some(index.changed)
}

/// An index whose files are being changed.
struct Patch<'a> {
    language: &'a str,
    standing: &'a Standing<'a>,
    changed: Changed,
}

impl Patch<'_> {
    /// The path of a file.
    fn path(&self, name: &str) -> String {
        format!("search/{}/{name}.js", self.language)
    }

    /// The data of a file.
    fn data(&self, name: &str) -> Option<String> {
        let path = self.path(name);
        let text = match self.changed.get(&path) {
            Some(text) => text.clone(),
            None => (self.standing.read)(&path)?,
        };
        let begin = format!("labdocSearch(\"{}\",\"{name}\",", self.language);
        text.strip_prefix(&begin)?.strip_suffix(");\n").map(str::to_owned)
    }

    /// Notes the new data of a file.
    fn put(&mut self, name: &str, data: &str) {
        self.changed.insert(self.path(name), call(self.language, name, data));
    }

    /// The entries of a file of terms.
    fn entries(&self, number: usize) -> Option<Vec<(String, String)>> {
        let list: Vec<String> = serde_json::from_str(&self.data(&format!("t{number}"))?).ok()?;
        let pairs = list.chunks_exact(2);
        (!list.is_empty() && pairs.remainder().is_empty())
            .then(|| pairs.map(|pair| (pair[0].clone(), pair[1].clone())).collect())
    }

    /// The records of a file of pages.
    fn records(&self, number: usize) -> Option<Vec<Record>> {
        let data = format!("[{}]", self.data(&format!("p{number}"))?);
        let (shown, packed): (Vec<Value>, String) = serde_json::from_str(&data).ok()?;
        let texts = inflate(&from_base64(&packed)?)?;
        let texts: Vec<Value> = serde_json::from_slice(&texts).ok()?;
        let records = shown.iter().zip(&texts).map(|(shown, texts)| Record::read(shown, texts));
        let records: Vec<Record> = records.collect::<Option<_>>()?;
        (shown.len() == texts.len() && !records.is_empty()).then_some(records)
    }

    /// Changes the files of terms.
    fn terms(&mut self, firsts: &mut [String], change: &Change) -> Option<()> {
        let (old, new) = (postings(&change.old).0, postings(&change.new).0);
        let mut differing: Vec<&String> =
            old.keys().chain(new.keys()).filter(|term| old.get(*term) != new.get(*term)).collect();
        differing.sort_by(|a, b| order(a, b));
        differing.dedup();
        // Where a term is or belongs: it may be the last of one file and the first of the next.
        let mut touched: BTreeMap<usize, Vec<&String>> = BTreeMap::new();
        for term in differing {
            let before = firsts.partition_point(|first| order(first, term).is_lt());
            let to = firsts.partition_point(|first| order(first, term).is_le()).saturating_sub(1);
            let from = before.saturating_sub(1);
            for file in from..=to {
                touched.entry(file).or_default();
            }
            touched.entry(to).or_default().push(term);
        }
        let none: &[Posting] = &[];
        let of = |terms: &BTreeMap<String, Vec<Posting>>, term: &String| {
            terms.get(term).cloned().unwrap_or_else(|| none.to_vec())
        };
        let mut at = 0;
        while let Some((first, _)) = touched.range(at..).next() {
            let apply = |entries: &mut Vec<(String, String)>, files: Range<usize>| {
                for term in touched.range(files).flat_map(|(_, terms)| terms) {
                    let postings = (&*of(&old, term), &*of(&new, term));
                    put_postings(entries, term, change.number, postings)?;
                }
                Some(())
            };
            let run = Run {
                files: firsts.len(),
                touched: &|file| touched.contains_key(&file),
                load: &|file| self.entries(file),
                apply: &apply,
                size: |(term, piece)| (term.as_str(), term_size(term, piece)),
                split: Split::terms,
            };
            let (files, entries) = run.settle(*first)?;
            at = files.end;
            for (file, entries) in files.zip(entries) {
                firsts[file].clone_from(&entries.first()?.0);
                self.put(&format!("t{file}"), &terms_data(&entries));
            }
        }
        Some(())
    }

    /// Changes the files of pages.
    fn pages(&mut self, firsts: &mut [usize], change: &Change) -> Option<()> {
        let page = change.number as usize;
        let touched = firsts.partition_point(|first| *first <= page).checked_sub(1)?;
        let record = |document: &Document| Record::of(document, &postings(document).1);
        let apply = |records: &mut Vec<Record>, files: Range<usize>| {
            let own = records.get_mut(page - firsts[files.start])?;
            (*own == record(&change.old)).then(|| *own = record(&change.new))
        };
        let run = Run {
            files: firsts.len(),
            touched: &|file| file == touched,
            load: &|file| self.records(file),
            apply: &apply,
            size: |record| (record.path.as_str(), record.size),
            split: Split::pages,
        };
        let (files, records) = run.settle(touched)?;
        let mut at = firsts[files.start];
        for (file, records) in files.zip(records) {
            firsts[file] = at;
            at += records.len();
            self.put(&format!("p{file}"), &pages_data(&records));
        }
        Some(())
    }
}

/// Puts the postings of a page for one term among the entries; `None` where the old are not there.
fn put_postings(
    entries: &mut Vec<(String, String)>,
    term: &str,
    page: u32,
    postings: (&[Posting], &[Posting]),
) -> Option<()> {
    let from = entries.partition_point(|(known, _)| order(known, term).is_lt());
    let to = entries.partition_point(|(known, _)| order(known, term).is_le());
    let pieces: Vec<&str> = entries[from..to].iter().map(|(_, piece)| piece.as_str()).collect();
    let pieces = repost(&pieces, page, postings)?;
    if pieces.len() == to - from {
        entries[from..to].iter_mut().zip(pieces).for_each(|((_, old), new)| *old = new);
    } else {
        entries.splice(from..to, pieces.into_iter().map(|piece| (term.to_owned(), piece)));
    }
    Some(())
}

/// Changes the entries of some files; `None` where they are not what was expected.
type Apply<'a, T> = dyn Fn(&mut Vec<T>, Range<usize>) -> Option<()> + 'a;

/// Files that stand side by side and are made anew together: as many as it takes until what is
/// before and behind them begins where it did.
struct Run<'a, T> {
    /// How many files there are.
    files: usize,
    /// Whether a file holds something that changes.
    touched: &'a dyn Fn(usize) -> bool,
    /// The entries of a file.
    load: &'a dyn Fn(usize) -> Option<Vec<T>>,
    /// Changes the entries of some files.
    apply: &'a Apply<'a, T>,
    /// What decides where a file begins: key and size of an entry.
    size: fn(&T) -> (&str, usize),
    split: fn() -> Split,
}

impl<T> Run<'_, T> {
    /// The files, and what stands in each, for the run that holds the file `first`; `None` where
    /// there would be more or fewer files.
    fn settle(&self, first: usize) -> Option<(Range<usize>, Vec<Vec<T>>)> {
        let (mut first, mut next) = (first, first + 1);
        loop {
            while (self.touched)(next) {
                next += 1;
            }
            let mut entries = Vec::new();
            for file in first..next {
                entries.extend((self.load)(file)?);
            }
            let begin = |entries: &[T]| {
                let (key, size) = (self.size)(entries.first()?);
                Some((key.to_owned(), size))
            };
            let before = begin(&entries);
            (self.apply)(&mut entries, first..next)?;
            if first > 0 && begin(&entries) != before {
                first -= 1;
                continue;
            }
            let mut split = (self.split)();
            let begins: Vec<bool> = entries
                .iter()
                .map(|entry| {
                    let (key, size) = (self.size)(entry);
                    split.begins(key, size)
                })
                .collect();
            if next < self.files {
                let follows = (self.load)(next)?;
                let (key, size) = (self.size)(follows.first()?);
                if !split.begins(key, size) {
                    next += 1;
                    continue;
                }
            }
            let mut files: Vec<Vec<T>> = Vec::new();
            for (entry, begins) in entries.into_iter().zip(begins) {
                if begins {
                    files.push(Vec::new());
                }
                files.last_mut()?.push(entry);
            }
            return (files.len() == next - first).then_some((first..next, files));
        }
    }
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
