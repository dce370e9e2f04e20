//! Statements on pages and entries of `claims.yaml` become claims; every id is used once, and
//! everything that is named exists.

use std::collections::BTreeMap;

use super::bundle::Bundles;
use super::claim::{Claim, Entry, claim_digest, collapsed};
use super::claims_file::ClaimsFile;
use super::named;
use super::policy::Policy;
use super::records::Records;
use super::reference::{id_order, is_claim_id};
use super::standing::is_ended;
use crate::book::{ClaimSpan, Page};
use crate::diag::{Checked, Diagnostic, nearest};
use crate::source::{Sources, Span};

/// Everything that claims are joined with.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    /// The texts.
    pub(crate) sources: &'a Sources,
    /// All pages.
    pub(crate) pages: &'a [Page],
    /// The recorded runs.
    pub(crate) bundles: &'a Bundles,
    /// What others measured and published.
    pub(crate) records: &'a Records,
    /// How much findings weigh.
    pub(crate) policy: &'a Policy,
}

/// A statement with its page.
type Statement<'a> = (usize, &'a Page, &'a ClaimSpan);

/// The claims of a site in page order, with every finding about their definitions.
pub(crate) fn join(site: &Site, files: &[ClaimsFile]) -> Checked<Vec<Claim>> {
    let mut found = Vec::new();
    let statements = statements(site, &mut found);
    let entries = entries(site, files, &mut found);
    let mut claims = Vec::new();
    for (id, (page, at, span)) in &statements {
        match entries.get(id).filter(|entry| folder_of(site, entry.id.span) == folder(&at.path)) {
            Some(entry) => claims.push(claim((*page, at, span), entry)),
            None => found.push(undescribed(site, (*page, at, span))),
        }
    }
    for entry in entries.values() {
        let folder_matches =
            |(_, at, _): &Statement| folder_of(site, entry.id.span) == folder(&at.path);
        if !statements.get(entry.id.value.as_str()).is_some_and(folder_matches) {
            found.push(unstated(site, entry));
        }
    }
    claims.sort_by_key(|claim| (claim.page, claim.span.start));
    cites(site, &claims, &mut found);
    found.extend(named::check(site, &claims));
    Checked { value: claims, diagnostics: found }
}

/// One claim.
fn claim((page, at, span): Statement, entry: &Entry) -> Claim {
    Claim {
        id: span.id.clone(),
        statement: span.statement.clone(),
        digest: claim_digest(&span.digest_text, entry),
        wording: collapsed(&span.digest_text),
        entry: entry.clone(),
        page,
        path: at.path.clone(),
        span: span.span,
        lives: span.lives.clone(),
    }
}

/// All statements by id; EV001 where one is made twice.
fn statements<'a>(
    site: &Site<'a>,
    found: &mut Vec<Diagnostic>,
) -> BTreeMap<&'a str, Statement<'a>> {
    let mut out: BTreeMap<&str, Statement> = BTreeMap::new();
    for (index, page) in site.pages.iter().enumerate() {
        for span in &page.claims {
            match out.get(span.id.as_str()) {
                // A translation repeats the claim of its original, which is the one that counts.
                Some((_, first, _)) if is_translation(&page.path, &first.path) => {}
                Some((_, first, _)) if is_translation(&first.path, &page.path) => {
                    out.insert(&span.id, (index, page, span));
                }
                Some((_, _, first)) => {
                    found.push(twice(site, &span.id, (first.span, span.span)));
                }
                None => {
                    out.insert(&span.id, (index, page, span));
                }
            }
        }
    }
    out
}

/// Whether the page at `path` is the translation `a.en.md` of the page `a.md` beside it.
fn is_translation(path: &str, original: &str) -> bool {
    let language = original
        .strip_suffix("md")
        .and_then(|stem| path.strip_prefix(stem))
        .and_then(|rest| rest.strip_suffix(".md"));
    language.is_some_and(|code| {
        let mut parts = code.split('-');
        let letters = |part: &str| part.bytes().all(|b| b.is_ascii_alphabetic());
        parts.next().is_some_and(|first| matches!(first.len(), 2 | 3) && letters(first))
            && parts.all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric()))
    })
}

/// All entries by id; EV001 where two files describe one claim.
fn entries<'a>(
    site: &Site,
    files: &'a [ClaimsFile],
    found: &mut Vec<Diagnostic>,
) -> BTreeMap<&'a str, &'a Entry> {
    let mut out: BTreeMap<&str, &Entry> = BTreeMap::new();
    for entry in files.iter().flat_map(|file| &file.entries) {
        match out.get(entry.id.value.as_str()) {
            Some(first) => found.push(twice(site, &entry.id.value, (first.id.span, entry.id.span))),
            None => {
                out.insert(&entry.id.value, entry);
            }
        }
    }
    out
}

/// EV001.
fn twice(site: &Site, id: &str, (first, second): (Span, Span)) -> Diagnostic {
    let message =
        format!("claim id {id} is used twice: {} and {}", at(site, first), at(site, second));
    Diagnostic::error("EV001", message)
        .at(second)
        .hint(format!("give one of them a new number, such as {}", free_id(site, id)))
}

/// EV020 for a statement that no entry describes.
fn undescribed(site: &Site, (_, page, span): Statement) -> Diagnostic {
    let file = format!("{}claims.yaml", folder(&page.path));
    let id = &span.id;
    let message = format!("{} states {id}, but {file} does not describe it", at(site, span.span));
    Diagnostic::error("EV020", message)
        .at(span.span)
        .hint(format!("add `{id}:` with a grade, its evidence and what it expects to {file}"))
}

/// EV020 for an entry whose statement is nowhere.
fn unstated(site: &Site, entry: &Entry) -> Diagnostic {
    let id = &entry.id.value;
    let place = at(site, entry.id.span);
    let pages = site.pages.iter().find(|page| page.claims.iter().any(|span| span.id == *id));
    let message = match pages {
        None => format!("{place} describes {id}, but no page has the span `[…]{{#{id}}}`"),
        Some(page) => {
            format!("{place} describes {id}, but its statement stands on {}", page.path)
        }
    };
    let hint = match pages {
        None => format!("mark the sentence on the page, or take {id} out"),
        Some(page) => format!("move the entry to {}claims.yaml", folder(&page.path)),
    };
    Diagnostic::error("EV020", message).at(entry.id.span).hint(hint)
}

/// EV003: a reference to a claim that does not exist. References to bundles, reports and sources
/// are checked with the other names.
fn cites(site: &Site, claims: &[Claim], found: &mut Vec<Diagnostic>) {
    let stated =
        |id: &str| site.pages.iter().any(|page| page.claims.iter().any(|span| span.id == id));
    let known: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
    for cite in site.pages.iter().flat_map(|page| &page.cites) {
        if is_claim_id(&cite.id) && !stated(&cite.id) && !is_ended(site.records, &cite.id) {
            let message = format!(
                "{} refers to claim {}, which does not exist",
                at(site, cite.span),
                cite.id
            );
            found.push(no_claim(message, &cite.id, &known).at(cite.span));
        }
    }
    for placed in claims.iter().flat_map(|claim| &claim.entry.evidence) {
        let id = placed.value.id();
        if is_claim_id(id) && !known.contains(&id) && !stated(id) && !is_ended(site.records, id) {
            let message =
                format!("{} refers to claim {id}, which does not exist", at(site, placed.span));
            found.push(no_claim(message, id, &known).at(placed.span));
        }
    }
}

/// The finding about a claim that does not exist, with those that do.
pub(super) fn no_claim(message: String, id: &str, known: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::error("EV003", format!("{message} ({})", known_claims(known)));
    match nearest(id, known.iter().copied()) {
        Some(near) => diagnostic.hint(format!("did you mean {near}? A literal one is `\\[{id}]`")),
        None => diagnostic.hint(format!("name a claim that exists; a literal one is `\\[{id}]`")),
    }
}

/// `claims: C1–C30`, or every id where there are few.
fn known_claims(known: &[&str]) -> String {
    let mut ids = known.to_vec();
    ids.sort_by_key(|id| id_order(id));
    match ids.as_slice() {
        [] => "there are no claims".to_owned(),
        [first, .., last] if ids.len() > 8 => format!("claims: {first}–{last}"),
        all => format!("claims: {}", all.join(", ")),
    }
}

/// The next free id behind all that are stated with the letter of `id`.
fn free_id(site: &Site, id: &str) -> String {
    let letter = id.chars().next().unwrap_or('C');
    let numbers = site.pages.iter().flat_map(|page| &page.claims).map(|span| id_order(&span.id));
    let last = numbers.filter(|(head, _)| head.starts_with(letter)).map(|(_, n)| n).max();
    format!("{letter}{}", last.unwrap_or(0).saturating_add(1))
}

/// `content/guide.md:80`.
pub(super) fn at(site: &Site, span: Span) -> String {
    format!("{}:{}", site.sources.path(span.file), site.sources.line(span))
}

/// The folder of a path, with its last slash; empty at the root.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

/// The folder of the file in which a span stands.
fn folder_of<'a>(site: &Site<'a>, span: Span) -> &'a str {
    folder(site.sources.path(span.file))
}
