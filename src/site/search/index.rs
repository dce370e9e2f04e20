//! The postings of all terms, page by page.

use std::collections::BTreeMap;

use super::Document;
use super::number;
use super::token::{Term, is_syllable, terms};

/// Positions below it are the title's.
const BODY: u32 = 64;

/// Longest piece of a term's postings; a longer list is split between two pages.
const PIECE: usize = 24 * 1024;

/// Most places of a term in one go: a page that has more is split, too.
const PLACES: usize = 4000;

/// Longest word that is a term, in bytes: what is longer is a digest or a key.
const WORD: usize = 40;

/// Where a term stands: one piece for each stretch of pages.
#[derive(Default)]
struct Postings {
    pieces: Vec<String>,
    last: u32,
}

/// The postings of all terms.
#[derive(Default)]
pub(super) struct Index {
    terms: BTreeMap<String, Postings>,
    pages: u32,
}

impl Index {
    /// Adds the next page; the positions at which its parts begin.
    pub(super) fn add(&mut self, document: &Document) -> Vec<u32> {
        let mut found: Vec<(Term, bool)> = Vec::new();
        let mut note = |term: Term, heads: bool| {
            if term.text.len() <= WORD {
                found.push((term, heads));
            }
        };
        let title = terms(&document.title, 0, |term| {
            if term.position < BODY - 1 {
                note(term, true);
            }
        });
        let mut position = title.max(BODY);
        let mut starts = Vec::with_capacity(document.parts.len());
        for part in &document.parts {
            starts.push(position);
            position = terms(&part.heading, position, |term| note(term, true)) + 1;
            position = terms(&part.text, position, |term| note(term, false)) + 1;
        }
        found.sort_unstable();
        for group in found.chunk_by(|(a, _), (b, _)| a.text == b.text) {
            group.chunks(PLACES).for_each(|places| self.post(places));
        }
        self.pages += 1;
        starts
    }

    /// Adds one term's places in the page that is being added.
    fn post(&mut self, places: &[(Term, bool)]) {
        let Some((first, _)) = places.first() else { return };
        if !self.terms.contains_key(&first.text) {
            self.terms.insert(first.text.clone(), Postings::default());
        }
        let Some(postings) = self.terms.get_mut(&first.text) else { return };
        if postings.pieces.last().is_none_or(|piece| piece.len() > PIECE) {
            postings.pieces.push(String::new());
            postings.last = 0;
        }
        let Some(piece) = postings.pieces.last_mut() else { return };
        let count = u32::try_from(places.len()).unwrap_or(u32::MAX);
        number::push(piece, (self.pages - postings.last) * 3 + count.min(3) - 1);
        postings.last = self.pages;
        if count >= 3 {
            number::push(piece, count - 3);
        }
        let syllables = first.text.starts_with(is_syllable);
        let mut before = 0;
        for (term, heads) in places {
            let value = term.position * 2 + u32::from(*heads);
            let value = if syllables { value * 2 + u32::from(term.start) } else { value };
            number::push(piece, value - before);
            before = value;
        }
    }

    /// How many pages there are.
    pub(super) fn pages(&self) -> u32 {
        self.pages
    }

    /// Terms with their pieces, in the order in which a script compares strings.
    pub(super) fn into_entries(self) -> Vec<(String, String)> {
        let mut entries: Vec<(String, Postings)> = self.terms.into_iter().collect();
        entries.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        let pieces = |(term, postings): (String, Postings)| {
            postings.pieces.into_iter().map(move |piece| (term.clone(), piece))
        };
        entries.into_iter().flat_map(pieces).collect()
    }
}
