//! The site: pages, evidence and kits through the templates into the output folder.

mod claim_pages;
mod evidence_pages;
mod export;
mod folders;
mod frame;
mod kit_pages;
mod offline;
mod output;
mod page;
mod record;
mod report_pages;
mod run_pages;
mod theme;
mod words;

use std::path::Path;

use rayon::prelude::*;

pub(crate) use output::Staging;
pub(crate) use record::Evidence;
pub(crate) use theme::{STATIC, Theme};

use crate::book::{Book, CONTENT};
use crate::check::{self, links::Map};
use crate::diag::{Diagnostic, Failure};
use crate::disk;
use crate::html::Highlight;
use crate::kit::Kit;
use crate::source::Sources;

/// Everything that the pages are made of.
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
    /// Claims, runs and their states.
    pub(crate) evidence: &'a Evidence,
    /// The colours, shared by all pages.
    pub(crate) highlight: &'a Highlight,
}

/// Renders the whole site into `staging`. Errors among the findings mean that it must not be
/// committed.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn render(site: &Site<'_>, staging: &Staging) -> Result<Vec<Diagnostic>, Failure> {
    let mut findings = Vec::new();
    let order = site.book.reading_order();
    let pages: Result<Vec<Vec<Diagnostic>>, Failure> =
        (0..order.len()).into_par_iter().map(|at| page::page(site, staging, &order, at)).collect();
    findings.extend(pages?.into_iter().flatten());
    findings.extend(page::sections(site, staging)?);
    findings.extend(page::not_found(site, staging)?);
    for asset in &site.book.assets {
        staging.put(asset, &disk::read(&site.root.join(CONTENT).join(asset))?)?;
    }
    for (path, bytes) in &site.theme.files {
        staging.put(path, bytes)?;
    }
    staging.put(".nojekyll", b"")?;
    findings.extend(kit_pages::kits(site, staging)?);
    findings.extend(evidence_pages::evidence(site, staging)?);
    if offline::wanted(site) {
        // The index of the archives is listed in the copy's navigation and stays out of the copy.
        findings.extend(folders::indexes(site, staging)?);
        offline::archive(site, staging)?;
    }
    findings.extend(folders::indexes(site, staging)?);
    findings.extend(check::offline(&staging.names(), &|name| staging.read(name))?);
    Ok(findings)
}
