//! Pages that were rendered before: used again while neither their text nor anything that they
//! show of the rest of the site has changed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use super::Site;
use super::search::Document;
use crate::check::links::anchors;
use crate::digest::sha256_hex;

/// What rendering a page gave.
pub(super) struct Rendered {
    /// Its files by path.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// What the search knows of it.
    pub(super) document: Option<Document>,
}

/// Rendered pages by their path, each with the key under which it holds.
#[derive(Default)]
pub(crate) struct PageCache {
    pages: Mutex<BTreeMap<String, (String, Arc<Rendered>)>>,
}

impl PageCache {
    /// The page at `out`, if it was rendered under `key`.
    pub(super) fn get(&self, out: &str, key: &str) -> Option<Arc<Rendered>> {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, page) = pages.get(out)?;
        (known == key).then(|| Arc::clone(page))
    }

    /// Keeps a page.
    pub(super) fn keep(&self, out: &str, key: String, page: Rendered) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.insert(out.to_owned(), (key, Arc::new(page)));
    }
}

/// The digest of everything that a page can show of the rest of the site: what is in it changes
/// every page's key, so it holds no running text.
pub(super) fn world(site: &Site<'_>) -> String {
    let mut text = String::new();
    let mut note = |part: &dyn std::fmt::Debug| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{part:?}");
    };
    note(&env!("CARGO_PKG_VERSION"));
    note(&site.serve);
    note(&site.theme.digest);
    note(&site.book.config.file);
    for page in &site.book.pages {
        note(&(&page.path, &page.title, &page.front, anchors(page)));
    }
    note(&(&site.book.assets, site.map.statics));
    for kit in site.kits {
        let digests: Vec<&str> = kit.files.iter().map(|file| file.sha256.as_str()).collect();
        note(&(&kit.name, digests));
    }
    let evidence = site.evidence;
    for claim in &evidence.claims {
        let page = &site.book.pages[claim.page].out;
        note(&(&claim.id, &claim.statement, &claim.digest, page, claim.entry.grade.word()));
    }
    note(&(&evidence.as_of, &evidence.states, &evidence.changed_blocks, &evidence.stale_bundles));
    for (id, bundle) in &evidence.bundles {
        let runs: Vec<&str> = bundle.runs.iter().map(|run| run.verdict.run_id.as_str()).collect();
        note(&(id, runs));
    }
    note(&evidence.records.reports);
    sha256_hex(text.as_bytes())
}
