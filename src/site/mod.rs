//! The site: pages, evidence and kits through the templates into the output folder.

mod again;
mod cache;
mod card;
mod claim_pages;
mod contrast;
mod evidence_pages;
mod export;
mod faults;
mod folders;
mod font;
mod frame;
mod images;
mod kit_pages;
mod language;
mod look;
mod measured;
mod meta;
mod mutation_table;
mod not_found;
mod offline;
mod output;
mod page;
mod place;
mod record;
mod record_tables;
mod report_pages;
mod run_pages;
mod search;
mod surroundings;
mod tags;
mod theme;
mod words;

use std::path::Path;

use rayon::prelude::*;

pub(crate) use again::{Standing, again, documents, previewed, rendering};
pub(crate) use cache::PageCache;
pub(crate) use card::Cards;
pub(crate) use output::{LIST, NEW, Staging, Written};
pub(crate) use page::raw_markdown;
pub(crate) use record::Evidence;
use search::Search;
pub(crate) use search::SearchIndex;
#[cfg(any(test, fuzzing))]
pub(crate) use search::fuzz::search as fuzz_search;
pub(crate) use theme::{STATIC, TEMPLATES, Theme};

use crate::book::{Book, CONTENT};
use crate::check::{self, Wanted, links::Map};
use crate::diag::{Diagnostic, Failure};
use crate::disk;
use crate::html::{Diagrams, Highlight};
use crate::kit::Kit;
use crate::source::Sources;

/// How much of the site is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// All that can hold a fault of the book. The pages of runs, bundles and claims, the lists of
    /// folders and the offline copy are named and not made: the default templates write them from
    /// what was checked before, and they are by far the most of a site.
    Named,
}

/// Everything that the pages are made of.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    /// The book's folder.
    pub(crate) root: &'a Path,
    /// The pages.
    pub(crate) book: &'a Book,
    /// Their texts.
    pub(crate) sources: &'a Sources,
    /// The kits.
    pub(crate) kits: &'a [Kit],
    /// Where links lead.
    pub(crate) map: &'a Map<'a>,
    /// Templates, words and static files.
    pub(crate) theme: &'a Theme,
    /// The language of the pages that are rendered.
    pub(crate) language: &'a str,
    /// Claims, runs and their states.
    pub(crate) evidence: &'a Evidence,
    /// The colours, shared by all pages.
    pub(crate) highlight: &'a Highlight,
    /// How much of it is made.
    pub(crate) extent: Extent,
    /// Whether the pages are for the preview server.
    pub(crate) serve: bool,
    /// Pages of earlier builds.
    pub(crate) cache: Option<&'a PageCache>,
    /// Is told the name of each part of the work when it is done.
    pub(crate) lap: &'a (dyn Fn(&str) + Sync),
    /// The diagrams, shared by all pages.
    pub(crate) diagrams: &'a Diagrams,
    /// What draws the pictures for links; without an address of the site, none.
    pub(crate) cards: Option<&'a Cards>,
}

impl<'a> Site<'a> {
    /// A site on which nothing is remembered and no picture drawn.
    pub(crate) fn plain(
        root: &'a Path,
        map: &'a Map<'a>,
        sources: &'a Sources,
        evidence: &'a Evidence,
        (theme, highlight, diagrams): (&'a Theme, &'a Highlight, &'a Diagrams),
    ) -> Site<'a> {
        Site {
            root,
            book: map.book,
            sources,
            kits: map.kits,
            map,
            theme,
            language: &map.book.config.file.book.language,
            evidence,
            highlight,
            extent: Extent::Whole,
            serve: false,
            cache: None,
            lap: &|_| (),
            diagrams,
            cards: None,
        }
    }
}

/// Renders the whole site into `staging`, and tells which anchors its pages are asked for. Errors
/// among the findings mean that it must not be committed.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn render(
    site: &Site<'_>,
    staging: &Staging,
) -> Result<(Vec<Diagnostic>, Wanted), Failure> {
    let mut findings = Vec::new();
    let mut search = Search::of(site, staging);
    let order = site.book.reading_order();
    let world = site.cache.map(|_| cache::world(site)).unwrap_or_default();
    for language in site.languages() {
        let site = &site.in_language(language);
        findings.extend(pages(site, staging, (&order, &world), &mut search)?);
        findings.extend(page::sections(site, staging)?);
        findings.extend(tags::tags(site, staging, &order)?);
    }
    (site.lap)("pages");
    search.add(search::names(site))?;
    findings.extend(not_found::not_found(site, staging)?);
    for (asset, file) in &site.book.assets {
        disk::copy(&site.root.join(CONTENT).join(file), &staging.claim(asset)?)?;
    }
    for (path, bytes) in &site.theme.files {
        staging.put(path, bytes)?;
    }
    staging.put(".nojekyll", b"")?;
    findings.extend(kit_pages::kits(site, staging)?);
    (site.lap)("assets and kits");
    findings.extend(evidence_pages::evidence(site, staging)?);
    (site.lap)("evidence");
    meta::files(site, staging)?;
    findings.extend(tags::aliases(site, staging)?);
    (site.lap)("files for machines");
    search.end()?;
    (site.lap)("search index");
    if offline::wanted(site) {
        // The index of the archives is listed in the copy's navigation and stays out of the copy.
        findings.extend(folders::indexes(site, staging)?);
        offline::archive(site, staging)?;
    }
    findings.extend(folders::indexes(site, staging)?);
    let mut wanted = Wanted::new();
    // A preview's pages name a script that only the preview has.
    if !site.serve {
        let found;
        (found, wanted) = check::offline(&staging.names(), &|name| staging.read_made(name))?;
        findings.extend(found);
    }
    (site.lap)("folder lists, the copy and its check");
    Ok((findings, wanted))
}

/// How many pages are rendered at once: those before them go into the search index meanwhile.
const AT_ONCE: usize = 256;

/// Renders the pages of one language, in reading order.
fn pages(
    site: &Site<'_>,
    staging: &Staging,
    (order, world): (&[usize], &str),
    search: &mut Search<'_>,
) -> Result<Vec<Diagnostic>, Failure> {
    let mut findings = Vec::new();
    let mut documents = Vec::new();
    for from in (0..order.len()).step_by(AT_ONCE) {
        let to = order.len().min(from + AT_ONCE);
        let rendered = || -> Result<Vec<_>, Failure> {
            let places = (from..to).into_par_iter();
            places.map(|at| page::page(site, staging, (order, at), world)).collect()
        };
        let before = std::mem::take(&mut documents);
        let (rendered, taken) = rayon::join(rendered, || search.add(before));
        taken?;
        for (found, document) in rendered? {
            findings.extend(found);
            documents.extend(document);
        }
    }
    search.add(documents)?;
    Ok(faults::once(findings))
}
