//! The site of a preview, in memory: after an edit of running text only that page is made anew, by
//! the same rules as in [`super::quick`].

use std::path::Path;
use std::sync::Arc;

use super::assess::{Assessed, assess};
use super::build::{has_errors, load_theme, render_into};
use super::find_root;
use super::unchanged::{inputs_of, shows_only_what_is_read};
use crate::book::{CONTENT, Outline, Page, Setting, parse_in, read_page};
use crate::check;
use crate::check::links::{Map, links_of};
use crate::cli::{AssessArgs, Common};
use crate::diag::{Diagnostic, Failure, Place};
use crate::disk::{self, Found, Kind, Listing, Now};
use crate::git;
use crate::html::{Diagrams, Highlight};
use crate::serve::Files;
use crate::site::{Extent, PageCache, SearchIndex, Site, Staging, Theme, previewed, rendering};
use crate::store::Store;

/// A preview's site and what it was made of.
pub(super) struct Preview<'a> {
    common: &'a Common,
    args: &'a AssessArgs,
    cache: PageCache,
    last: Option<Last>,
}

/// The newest build.
pub(super) struct Last {
    /// What was read, and all findings.
    pub(super) assessed: Assessed,
    /// The files and the search index, where nothing is wrong.
    pub(super) site: Option<(Files, SearchIndex)>,
    theme: Theme,
    seen: Seen,
}

/// What there was to read.
struct Seen {
    files: Vec<Found>,
    now: Now,
    head: Option<String>,
}

impl Seen {
    /// What there is to read now; `before` is what there was.
    fn now(root: &Path, before: Option<&Seen>) -> Result<Seen, Failure> {
        let now = Now::read();
        let known = before.map(|seen| {
            let listed =
                |found: &Found| found.kind == Kind::Folder && found.stamp.is_settled(seen.now);
            let known = seen.files.iter();
            let known = known.map(|f| (f.path.as_str(), Some(f.stamp).filter(|_| listed(f))));
            Listing::of(known, None)
        });
        let files = inputs_of(root, &known.unwrap_or_default())?;
        Ok(Seen { files, now, head: git::head(root) })
    }

    /// The files that may be others than in `self`; `None` where more than files changed.
    fn changed<'n>(&self, newer: &'n Seen) -> Option<Vec<&'n str>> {
        let same = |(old, new): (&Found, &Found)| (&old.path, old.kind) == (&new.path, new.kind);
        let is_comparable = self.head == newer.head
            && self.files.len() == newer.files.len()
            && self.files.iter().zip(&newer.files).all(same);
        let differs = |(old, new): (&Found, &'n Found)| {
            // What a link leads to may change and leave the link as it is.
            let is_link = new.kind == Kind::Link;
            let is_same = !is_link && old.stamp == new.stamp && old.stamp.is_settled(self.now);
            (new.kind != Kind::Folder && !is_same).then_some(new.path.as_str())
        };
        is_comparable.then(|| self.files.iter().zip(&newer.files).filter_map(differs).collect())
    }
}

impl<'a> Preview<'a> {
    /// Nothing yet.
    pub(super) fn new(common: &'a Common, args: &'a AssessArgs) -> Preview<'a> {
        Preview { common, args, cache: PageCache::default(), last: None }
    }

    /// Builds what is there now.
    ///
    /// # Errors
    /// Something cannot be read.
    pub(super) fn build(&mut self) -> Result<&Last, Failure> {
        let root = find_root(self.common)?;
        let seen = Seen::now(&root, self.last.as_ref().map(|last| &last.seen))?;
        // Tomorrow all ages are others.
        let is_lasting = self.args.as_of.as_deref() != Some("today");
        let quick = match self.last.take() {
            Some(last) if last.site.is_some() && is_lasting => again(last, &root, &seen)?,
            _ => None,
        };
        let mut last = match quick {
            Some(last) => last,
            None => self.whole(&root)?,
        };
        last.seen = seen;
        Ok(self.last.insert(last))
    }

    /// The newest build.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn last(&self) -> Result<&Last, Failure> {
        self.last.as_ref().ok_or_else(|| Failure::new("nothing was built"))
    }

    /// Builds the whole.
    fn whole(&self, root: &Path) -> Result<Last, Failure> {
        let seen = Seen { files: Vec::new(), now: Now::read(), head: None };
        let mut assessed = assess(self.common, self.args)?;
        let theme = load_theme(&mut assessed)?;
        let mut site = None;
        if !has_errors(&assessed.findings) {
            let scratch = disk::temporary_folder("labdoc-serve-")?;
            let staging = Staging::in_memory(scratch.path());
            let (found, _) = render_into(
                &assessed,
                &theme,
                &staging,
                (Extent::Whole, Some(&self.cache), &|_| ()),
                Store::of(root),
            )?;
            assessed.findings.extend(found);
            if !has_errors(&assessed.findings) {
                let (files, index) = staging.into_files()?;
                site = index.map(|index| (files, index));
            }
        }
        Ok(Last { assessed, site, theme, seen })
    }
}

/// Makes the pages anew that were edited; `None` where more than they must be.
fn again(mut last: Last, root: &Path, seen: &Seen) -> Result<Option<Last>, Failure> {
    let Some(changed) = last.seen.changed(seen) else { return Ok(None) };
    let book = &last.assessed.book;
    let is_page = |path: &&str| path.starts_with(CONTENT) && path.ends_with(".md");
    if book.config.file.offline.archive
        || !changed.iter().all(is_page)
        || !shows_only_what_is_read(root, &book.pages)
    {
        return Ok(None);
    }
    let Some(edited) = edited(&mut last.assessed, root, &changed)? else { return Ok(None) };
    let assessed = &last.assessed;
    let Assessed { book, sources, kits, statics, .. } = assessed;
    let map = Map { book, kits, statics };
    let pages: Vec<Page> = edited.iter().map(|at| book.pages[*at].clone()).collect();
    let mut found = check::runnable(root, book, &edited, sources)?;
    found.extend(links_of(&map, &pages));
    found.extend(check::exposure::of_pages(&pages, sources));
    if !found.is_empty() {
        return Ok(None);
    }
    let diagrams = Diagrams::kept(Arc::new(Store::of(root)), last.theme.face());
    let highlight = Highlight::default();
    let look = (&last.theme, &highlight, &diagrams);
    let site = Site { serve: true, ..Site::plain(root, &map, sources, &assessed.evidence, look) };
    let Some(rendering) = rendering(&site, &edited)? else { return Ok(None) };
    let Some((files, index)) = &mut last.site else { return Ok(None) };
    Ok(previewed(&site, rendering, (files, index)).then_some(last))
}

/// Reads the edited pages into the book: their places; `None` where the rest of the site sees
/// something of that, or there is something to report.
fn edited(
    assessed: &mut Assessed,
    root: &Path,
    changed: &[&str],
) -> Result<Option<Vec<usize>>, Failure> {
    let setting = Setting::of(&assessed.book.config);
    let is_translated = !assessed.book.config.file.book.languages.is_empty();
    let mut out = Vec::new();
    for path in changed {
        let Some(at) = assessed.book.page_at(path) else { return Ok(None) };
        let (sources, old) = (&mut assessed.sources, &assessed.book.pages[at]);
        let outline = Outline::of(old, sources);
        let bytes = read_page(&root.join(path))?;
        let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else {
            return Ok(None);
        };
        let is_told = |finding: &Diagnostic| match &finding.place {
            Place::Text(span) => span.file == old.file,
            Place::File(file, _) => *file == old.path || *file == old.out,
            Place::None => false,
        };
        if assessed.findings.iter().any(is_told) {
            return Ok(None);
        }
        let file = old.file;
        sources.replace(file, text);
        let mut new = parse_in(sources, file, &setting);
        if !outline.is_still(&mut new.value, sources) || !new.diagnostics.is_empty() {
            return Ok(None);
        }
        let now = Outline::of(&new.value, sources);
        let is_seen = if is_translated {
            !now.has_same_anchors(&outline)
        } else {
            let lost = outline.anchors_beside(&now);
            assessed.book.pages.iter().any(|page| asks_for(page, &lost))
        };
        let shows = |page: &Page| page.includes.iter().any(|shown| shown.path.ends_with(".md"));
        if is_seen || assessed.book.pages.iter().any(shows) {
            return Ok(None);
        }
        assessed.book.pages[at] = new.value;
        out.push(at);
    }
    Ok(Some(out))
}

/// Whether a page has a link, to whatever page, with one of these anchors.
fn asks_for(page: &Page, anchors: &[&str]) -> bool {
    let fragment = |dest: &str| crate::address::decode(dest.split_once('#')?.1);
    !anchors.is_empty()
        && page
            .links
            .iter()
            .filter_map(|link| fragment(&link.dest))
            .any(|asked| anchors.contains(&asked.as_str()))
}
