//! The postings of all terms, page by page.

use std::cmp::Ordering;
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

/// The postings of all terms.
#[derive(Default)]
pub(super) struct Index {
    terms: BTreeMap<String, Postings>,
    pages: u32,
}

impl Index {
    /// Adds the next page; the positions at which its parts begin.
    pub(super) fn add(&mut self, document: &Document) -> Vec<u32> {
        let (found, starts) = places(document);
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
        let Some((piece, last)) = postings.next() else { return };
        number::push(piece, (self.pages - *last) * 3 + kind(places));
        *last = self.pages;
        push(piece, places);
    }

    /// How many pages there are.
    pub(super) fn pages(&self) -> u32 {
        self.pages
    }

    /// Terms with their pieces, in the order in which a script compares strings.
    pub(super) fn into_entries(self) -> Vec<(String, String)> {
        let mut entries: Vec<(String, Postings)> = self.terms.into_iter().collect();
        entries.sort_by(|(a, _), (b, _)| order(a, b));
        let pieces = |(term, postings): (String, Postings)| {
            postings.pieces.into_iter().map(move |piece| (term.clone(), piece))
        };
        entries.into_iter().flat_map(pieces).collect()
    }
}

/// The order in which a script compares strings.
pub(super) fn order(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// A term of a page, and whether it stands in the title or a heading.
type Place = (Term, bool);

/// Where the terms of a page stand, term by term, and the positions at which its parts begin.
fn places(document: &Document) -> (Vec<Place>, Vec<u32>) {
    let mut found: Vec<Place> = Vec::new();
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
    (found, starts)
}

/// How many places a page has of a term: one, two, more.
fn kind(places: &[Place]) -> u32 {
    u32::try_from(places.len()).unwrap_or(u32::MAX).min(3) - 1
}

/// Appends the places of one term in one page.
fn push(piece: &mut String, places: &[Place]) {
    let Some((first, _)) = places.first() else { return };
    if kind(places) == 2 {
        number::push(piece, u32::try_from(places.len() - 3).unwrap_or(u32::MAX));
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

/// The places of a term in one page, as they are written, behind the number of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    kind: u32,
    places: String,
}

/// The postings of a page by their terms, and the positions at which its parts begin.
pub(super) fn postings(document: &Document) -> (BTreeMap<String, Vec<Posting>>, Vec<u32>) {
    let (found, starts) = places(document);
    let mut out: BTreeMap<String, Vec<Posting>> = BTreeMap::new();
    for group in found.chunk_by(|(a, _), (b, _)| a.text == b.text) {
        let posting = |group: &[Place]| {
            let mut places = String::new();
            push(&mut places, group);
            Posting { kind: kind(group), places }
        };
        if let Some((first, _)) = group.first() {
            out.insert(first.text.clone(), group.chunks(PLACES).map(posting).collect());
        }
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
