//! The postings of all terms, page by page.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};

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

impl Postings {
    /// The piece to write the next page into, and the page before it there.
    fn next(&mut self) -> Option<(&mut String, &mut u32)> {
        if self.pieces.last().is_none_or(|piece| piece.len() > PIECE) {
            self.pieces.push(String::new());
            self.last = 0;
        }
        Some((self.pieces.last_mut()?, &mut self.last))
    }
}

/// The postings of all terms, in the order in which these were met first.
#[derive(Default)]
pub(super) struct Index {
    terms: IndexMap<Box<str>, Postings>,
    pages: u32,
}

impl Index {
    /// Adds the next page; the positions at which its parts begin.
    pub(super) fn add(&mut self, document: &Document) -> Vec<u32> {
        let (found, starts) = places(document, &mut |text| match self.terms.get_index_of(text) {
            Some(known) => known,
            None => self.terms.insert_full(text.into(), Postings::default()).0,
        });
        for group in found.chunk_by(|a, b| a.term == b.term) {
            group.chunks(PLACES).for_each(|places| self.post(places));
        }
        self.pages += 1;
        starts
    }

    /// Adds one term's places in the page that is being added.
    fn post(&mut self, places: &[Place]) {
        let known = places.first().and_then(|first| self.terms.get_index_mut(first.term));
        let Some((text, postings)) = known else { return };
        let Some((piece, last)) = postings.next() else { return };
        number::push(piece, (self.pages - *last) * 3 + kind(places));
        *last = self.pages;
        push(piece, text, places);
    }

    /// How many pages there are.
    pub(super) fn pages(&self) -> u32 {
        self.pages
    }

    /// Terms with their pieces, in the order in which a script compares strings.
    pub(super) fn into_entries(self) -> Vec<(String, String)> {
        let mut entries: Vec<(Box<str>, Postings)> = self.terms.into_iter().collect();
        entries.sort_unstable_by(|(a, _), (b, _)| order(a, b));
        let pieces = |(term, postings): (Box<str>, Postings)| {
            postings.pieces.into_iter().map(move |piece| (String::from(&*term), piece))
        };
        entries.into_iter().flat_map(pieces).collect()
    }
}

/// The order in which a script compares strings.
pub(super) fn order(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// One place of a term in a page; places are in order term by term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// The number of the term.
    term: usize,
    /// Counts words and syllables.
    position: u32,
    /// Whether a word begins here.
    start: bool,
    /// Whether it stands in the title or a heading.
    heads: bool,
}

/// Where the terms of a page stand, term by term, and the positions at which its parts begin; `number`
/// gives the number of a term.
fn places(document: &Document, number: &mut dyn FnMut(&str) -> usize) -> (Vec<Place>, Vec<u32>) {
    let mut found: Vec<Place> = Vec::new();
    let mut note = |Term { text, position, start }: Term<'_>, heads: bool| {
        if text.len() <= WORD {
            found.push(Place { term: number(text), position, start, heads });
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
    (found, starts)
}

/// How many places a page has of a term: one, two, more.
fn kind(places: &[Place]) -> u32 {
    u32::try_from(places.len()).unwrap_or(u32::MAX).min(3) - 1
}

/// Appends the places of one term in one page.
fn push(piece: &mut String, term: &str, places: &[Place]) {
    if kind(places) == 2 {
        number::push(piece, u32::try_from(places.len() - 3).unwrap_or(u32::MAX));
    }
    let syllables = term.starts_with(is_syllable);
    let mut before = 0;
    for place in places {
        let value = place.position * 2 + u32::from(place.heads);
        let value = if syllables { value * 2 + u32::from(place.start) } else { value };
        number::push(piece, value - before);
        before = value;
    }
}

/// The places of a term in one page, as they are written, behind the number of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    kind: u32,
    places: String,
}

/// The postings of a page by their terms, and the positions at which its parts begin.
pub(super) fn postings(document: &Document) -> (BTreeMap<String, Vec<Posting>>, Vec<u32>) {
    let mut names: IndexSet<Box<str>> = IndexSet::new();
    let (found, starts) = places(document, &mut |text| match names.get_index_of(text) {
        Some(known) => known,
        None => names.insert_full(text.into()).0,
    });
    let mut out: BTreeMap<String, Vec<Posting>> = BTreeMap::new();
    for group in found.chunk_by(|a, b| a.term == b.term) {
        let Some(term) = group.first().and_then(|first| names.get_index(first.term)) else {
            continue;
        };
        let posting = |group: &[Place]| {
            let mut places = String::new();
            push(&mut places, term, group);
            Posting { kind: kind(group), places }
        };
        out.insert(String::from(&**term), group.chunks(PLACES).map(posting).collect());
    }
    (out, starts)
}

/// Puts `new` postings of one page in the place of the `old` ones in the pieces of a term; `None`
/// where those are not there.
pub(super) fn repost(
    pieces: &[&str],
    page: u32,
    (old, new): (&[Posting], &[Posting]),
) -> Option<Vec<String>> {
    let mut all: Vec<(u32, Posting)> = Vec::new();
    for piece in pieces {
        let mut rest = *piece;
        let mut last: u32 = 0;
        while !rest.is_empty() {
            let (head, tail) = number::read(rest)?;
            (last, rest) = (last.checked_add(head / 3)?, tail);
            let mut count = head % 3 + 1;
            let from = rest;
            if count == 3 {
                let (more, tail) = number::read(rest)?;
                (count, rest) = (count.checked_add(more)?, tail);
            }
            for _ in 0..count {
                (_, rest) = number::read(rest)?;
            }
            let places = from[..from.len() - rest.len()].to_owned();
            all.push((last, Posting { kind: head % 3, places }));
        }
    }
    let from = all.partition_point(|(at, _)| *at < page);
    let to = all.partition_point(|(at, _)| *at <= page);
    if !all[from..to].iter().map(|(_, posting)| posting).eq(old) {
        return None;
    }
    all.splice(from..to, new.iter().map(|posting| (page, posting.clone())));
    let mut postings = Postings::default();
    for (page, posting) in all {
        let (piece, last) = postings.next()?;
        number::push(piece, (page - *last) * 3 + posting.kind);
        *last = page;
        piece.push_str(&posting.places);
    }
    Some(postings.pieces)
}
