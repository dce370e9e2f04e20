//! The documents and their evidence, read and judged: what build and check have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::find_root;
use super::judging::{Judging, policy};
use crate::book::{self, Book, LoadOptions, load};
use crate::check;
use crate::check::links::Map;
use crate::cli::{AssessArgs, Common};
use crate::config::Config;
use crate::diag::{Diagnostic, Failure};
use crate::disk;
use crate::evidence::{
    Claim, ClaimsFile, Site as Joining, join, load_bundles, load_records, read_claims,
};
use crate::kit::{self, Kit, KitOptions};
use crate::site::{Evidence, STATIC};
use crate::source::Sources;

/// Everything that was read, with every finding so far.
pub(crate) struct Assessed {
    /// The book's folder.
    pub(crate) root: PathBuf,
    /// The texts.
    pub(crate) sources: Sources,
    /// The pages.
    pub(crate) book: Book,
    /// The kits.
    pub(crate) kits: Vec<Kit>,
    /// Files of the site's own `static/`, as paths in the site.
    pub(crate) statics: BTreeSet<String>,
    /// Claims, runs and states.
    pub(crate) evidence: Evidence,
    /// The findings.
    pub(crate) findings: Vec<Diagnostic>,
}

/// Reads and judges a book.
///
/// # Errors
/// Something cannot be read, or `--as-of` is no date.
pub(crate) fn assess(common: &Common, args: &AssessArgs) -> Result<Assessed, Failure> {
    let root = find_root(common)?;
    let mut sources = Sources::default();
    let loaded = load(&root, &mut sources, LoadOptions { drafts: args.drafts })?;
    let (mut book, mut found) = (loaded.value, loaded.diagnostics);
    found.extend(book::date(&root, &mut book));
    let kits = load_kits(&root, &book.config, &mut found)?;
    let statics = if disk::is_folder(&root.join(STATIC)) {
        disk::files_below(&root.join(STATIC))?.into_iter().collect()
    } else {
        BTreeSet::new()
    };
    let pages: Vec<usize> = (0..book.pages.len()).collect();
    tracing::info!(pages = pages.len(), kits = kits.len(), root = %root.display(), "read");
    found.extend(check::runnable(&root, &book, &pages, &sources)?);
    let map = Map { book: &book, kits: &kits, statics: &statics };
    found.extend(check::links(&map));
    found.extend(check::includes(&root, &book.pages)?);
    let judged = Judging { root: &root, book: &book, kits: &kits, sources: &sources, args };
    let evidence = judged.evidence(&mut found)?;
    let allowed = &book.config.file.evidence.allow_active;
    found.extend(check::exposure::of_evidence(&root, allowed)?);
    found.extend(check::exposure::of_kits(&kits)?);
    found.extend(check::exposure::of_pages(&book.pages, &sources));
    Ok(Assessed { root, sources, book, kits, statics, evidence, findings: found })
}

/// Reads every kit.
pub(super) fn load_kits(
    root: &Path,
    config: &Config,
    found: &mut Vec<Diagnostic>,
) -> Result<Vec<Kit>, Failure> {
    let names = kit::list(root)?;
    found.extend(names.diagnostics);
    let mut kits = Vec::new();
    for name in names.value {
        let loaded = Kit::load(root, &name, &KitOptions::of(config, &name))?;
        found.extend(loaded.diagnostics);
        kits.push(loaded.value);
    }
    Ok(kits)
}

/// Digests, by id, of the claims that stand on a page of `bundle` or name it.
///
/// # Errors
/// The evidence cannot be read.
pub(crate) fn claim_digests(
    root: &Path,
    book: &Book,
    sources: &Sources,
    bundle: &str,
) -> Result<BTreeMap<String, String>, Failure> {
    let own = |page: usize| {
        book.pages[page].front.verify.as_ref().and_then(|verify| verify.bundle.as_deref())
            == Some(bundle)
    };
    let claims = claims(root, book, sources)?.into_iter();
    let wanted = claims.filter(|c| own(c.page) || c.bundles().contains(&bundle));
    Ok(wanted.map(|claim| (claim.id, claim.digest)).collect())
}

/// The claims of a book, without what is wrong with them.
///
/// # Errors
/// The evidence cannot be read.
pub(crate) fn claims(root: &Path, book: &Book, sources: &Sources) -> Result<Vec<Claim>, Failure> {
    let bundles = load_bundles(root)?;
    let records = load_records(root)?.value;
    let policy = policy(&book.config, false);
    let files: Vec<ClaimsFile> =
        book.claim_files.iter().map(|file| read_claims(sources, *file).value).collect();
    let pages = &book.pages;
    let inputs = Joining { sources, pages, bundles: &bundles, records: &records, policy: &policy };
    Ok(join(&inputs, &files).value)
}
