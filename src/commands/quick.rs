//! A build after which only some pages are others: their running text was edited. The last build
//! left what each page can show of the rest of the site, so no other page is read. Where anything
//! else changed, or there is something to report, the whole is built.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::assess::{Assessed, load_kits};
use super::build::theme;
use super::known::{Counts, Inputs, Outputs, Record};
use super::unchanged::LastBuild;
use crate::book::{Book, CONTENT, Outline, Page, Setting, load_config, parse_in, read_page};
use crate::check::links::{Map, links_of};
use crate::check::{self, Wanted, is_offline_still};
use crate::cli::Laps;
use crate::config::Config;
use crate::diag::Failure;
use crate::digest::{hex, sha256};
use crate::disk;
use crate::html::{Diagrams, Highlight};
use crate::site::{Evidence, Site, Staging, Standing, again, documents, raw_markdown, rendering};
use crate::source::Sources;
use crate::store::{self, Store};

/// The form of the view; one of another form is not used.
const FORM: &str = "labdoc-last-view/1";

/// The view, in the book's folder.
const VIEW: &str = ".labdoc/last-view";

/// Blocks of code that such builds coloured: see [`Highlight::remembering`].
const CODE: &str = ".labdoc/last-code";

/// Its form.
const CODE_FORM: &str = "labdoc-last-code/1";

/// The templates of pages and lists of files, with those that they extend and use.
const TEMPLATES: &[&str] = &["base.html", "folder.html", "page.html", "parts.html"];

/// Everything that a page of running text can show of the rest of the site.
#[derive(Serialize, Deserialize)]
pub(super) struct View<'a> {
    #[serde(borrow)]
    pages: Vec<Outline<'a>>,
    /// Files of `content/` that are no pages, as in the book.
    assets: BTreeMap<String, String>,
    /// Files of the site's own `static/`.
    statics: BTreeSet<String>,
    as_of: Option<&'a str>,
    has_claims: bool,
    /// Whether a page shows the text of one.
    is_shown: bool,
    /// The anchors that pages are asked for.
    wanted: Wanted,
}

impl<'a> View<'a> {
    /// The view of a site that was built; `None` where a change of one page is one of more than a
    /// view can tell.
    pub(super) fn of(assessed: &'a Assessed, wanted: Wanted) -> Option<View<'a>> {
        let Assessed { book, sources, statics, evidence, .. } = assessed;
        if book.config.file.offline.archive {
            return None;
        }
        let mut shown = book.pages.iter().flat_map(|page| &page.includes);
        Some(View {
            pages: book.pages.iter().map(|page| Outline::of(page, sources)).collect(),
            assets: book.assets.clone(),
            statics: statics.clone(),
            as_of: evidence.as_of.as_deref(),
            has_claims: evidence.has_claims,
            is_shown: shown.any(|include| include.path.ends_with(".md")),
            wanted,
        })
    }

    /// Its form on the disk.
    fn content(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Keeps it in a book's folder; its digest.
    pub(super) fn keep(&self, root: &Path) -> [u8; 32] {
        keep(root, &self.content())
    }

    /// The view that belongs to a record.
    fn read(bytes: &'a [u8], record: &Record<'_>) -> Option<View<'a>> {
        let content = store::whole_of(FORM, bytes, &hex(&record.view))?;
        postcard::from_bytes(content).ok()
    }
}

/// Keeps a view in a book's folder; its digest.
fn keep(root: &Path, content: &[u8]) -> [u8; 32] {
    store::keep_whole(root, VIEW, FORM, content);
    sha256(content)
}

/// What a quick build did: the counts of the site, and how many files changed.
pub(super) type Done = (Counts, usize);

/// Builds what differs since the last build; `None` where the whole must be built.
///
/// # Errors
/// Something cannot be read or written.
pub(super) fn quick(
    last: &LastBuild,
    (record, inputs): (&Record<'_>, &Inputs<'_>),
    laps: &Laps,
) -> Result<Option<Done>, Failure> {
    let Some(changed) = inputs.changed.as_deref() else { return Ok(None) };
    let is_page = |path: &&str| path.starts_with(CONTENT) && path.ends_with(".md");
    if changed.is_empty() || !changed.iter().all(is_page) {
        return Ok(None);
    }
    let bytes = store::read(&last.root, VIEW).unwrap_or_default();
    let view = View::read(&bytes, record);
    // What shows the text of pages is a change, too.
    let Some(view) = view.filter(|view| !view.is_shown) else { return Ok(None) };
    laps.lap("read what the last build left");
    let staging = Staging::begin(&last.out)?;
    // Now that nobody else writes there.
    let standing = last.outputs(record).filter(|_| last.is_newest());
    laps.lap("look at what it wrote");
    let put = match &standing {
        Some(standing) => put(last, (view, record, changed, standing), (&staging, laps)),
        None => Ok(None),
    };
    let (Ok(Some(new_view)), Some(standing)) = (&put, standing) else {
        staging.discard()?;
        return put.map(|_| None);
    };
    let (count, written) = staging.commit_again()?;
    if inputs.were_left(&last.root, Some(changed)) {
        let digest = new_view.as_ref().map_or(record.view, |content| keep(&last.root, content));
        last.keep(
            inputs,
            standing.with(&last.out, &written),
            (record.pages, digest, record.said.clone()),
        );
    }
    laps.lap("move into place");
    Ok(Some((record.counts(), count)))
}

/// Puts what differs into `staging`, and gives the view of the site, if it is another; `None` where
/// the whole must be built.
fn put(
    last: &LastBuild,
    (mut view, record, changed, standing): (View<'_>, &Record<'_>, &[&str], &Outputs<'_>),
    (staging, laps): (&Staging, &Laps),
) -> Result<Option<Option<Vec<u8>>>, Failure> {
    let root = last.root.as_path();
    let mut sources = Sources::default();
    let config = load_config(root, &mut sources)?.value.config;
    let Some(pages) = pages(last, (&view, record), (changed, &config), &mut sources)? else {
        return Ok(None);
    };
    // What there is to say of kits and theme was said when the record was made.
    let mut said = Vec::new();
    let kits = load_kits(root, &config, &mut said)?;
    let theme = theme(root, (&config, &sources), Some(TEMPLATES), &mut said)?;
    let diagrams = Diagrams::kept(Arc::new(Store::of(root)), theme.face());
    let (as_of, has_claims) = (view.as_of.map(str::to_owned), view.has_claims);
    let evidence = Evidence { as_of, has_claims, ..Evidence::default() };
    let code = store::read(root, CODE).unwrap_or_default();
    let highlight = Highlight::remembering(store::whole(CODE_FORM, &code).unwrap_or_default());
    let look = (&theme, &highlight, &diagrams);
    let settings = sources.first();
    let numbers: Vec<usize> = pages.iter().map(|page| page.at).collect();
    let asking: Vec<&Page> = pages.iter().flat_map(|page| [&page.old, &page.new]).collect();
    let ground = (config, view.assets.clone());
    let mut book = Book::of_outlines(ground, &view.pages, settings, &asking);
    laps.lap("read settings and theme");
    for page in &pages {
        book.pages[page.at] = page.old.clone();
    }
    let map = Map { book: &book, kits: &kits, statics: &view.statics };
    let old = documents(&Site::plain(root, &map, &sources, &evidence, look), &numbers)?;
    for page in &pages {
        book.pages[page.at] = page.new.clone();
    }
    let map = Map { book: &book, kits: &kits, statics: &view.statics };
    let site = Site::plain(root, &map, &sources, &evidence, look);
    let new = rendering(&site, &numbers)?;
    let (Some(old), Some(new)) = (old, new) else { return Ok(None) };
    laps.lap("render the edited pages");
    if let Some(content) = highlight.content() {
        store::keep_whole(root, CODE, CODE_FORM, &content);
    }
    let texts: Vec<Page> = pages.iter().map(|page| page.new.clone()).collect();
    let mut found = check::runnable(root, &book, &numbers, &sources)?;
    found.extend(links_of(&map, &texts));
    found.extend(check::exposure::of_pages(&texts, &sources));
    let names = standing.names();
    let read = |path: &str| disk::read_own(&last.out.join(path)).ok();
    let weigh = |path: &str| standing.weigh(path);
    let is_there = |path: &str| names.binary_search(&path).is_ok();
    let stands = Standing { names: &names, read: &read, weigh: &weigh };
    let Some((mut files, lists)) = again(&site, (old, new), &stands)? else { return Ok(None) };
    // A list of the same names has the same links, unless a template of the site's own makes it.
    let unchecked = if theme.is_default {
        lists
    } else {
        files.extend(lists);
        BTreeMap::new()
    };
    laps.lap("search index and folder lists");
    let asked: usize = view.wanted.values().map(BTreeSet::len).sum();
    let is_fine = is_offline_still(&is_there, &files, &mut view.wanted, &|path| Ok(read(path)))?;
    laps.lap("check of what changed");
    if !is_fine || !found.is_empty() {
        return Ok(None);
    }
    for (path, bytes) in files.iter().chain(&unchecked) {
        staging.put(path, bytes)?;
    }
    let mut differs = asked != view.wanted.values().map(BTreeSet::len).sum::<usize>();
    for page in &pages {
        let outline = Outline::of(&page.new, &sources);
        differs |= outline != view.pages[page.at];
        view.pages[page.at] = outline;
    }
    Ok(Some(differs.then(|| view.content())))
}

/// A page whose text is another.
struct Edited {
    /// Its place in the book.
    at: usize,
    old: Page,
    new: Page,
}

/// The pages that changed, as they were and as they are; `None` where the rest of the site sees
/// something of that, or there is something to report.
fn pages(
    last: &LastBuild,
    (view, record): (&View<'_>, &Record<'_>),
    (changed, config): (&[&str], &Config),
    sources: &mut Sources,
) -> Result<Option<Vec<Edited>>, Failure> {
    let setting = Setting::of(config);
    let is_translated = !config.file.book.languages.is_empty();
    let mut out = Vec::new();
    for path in changed {
        let Ok(at) = view.pages.binary_search_by(|page| page.path.cmp(path)) else {
            return Ok(None);
        };
        let outline = &view.pages[at];
        // What was said of it may no longer be so.
        if record.said.iter().any(|said| said.is_in(path) || said.is_in(outline.out)) {
            return Ok(None);
        }
        let mut parsed = |bytes: Vec<u8>| {
            let file = sources.add(*path, String::from_utf8(bytes).ok()?);
            let mut page = parse_in(sources, file, &setting);
            let is_still = outline.is_still(&mut page.value, sources);
            (is_still && page.diagnostics.is_empty()).then_some(page.value)
        };
        let full = last.root.join(path);
        let Some(new) = read_page(&full)?.and_then(&mut parsed) else { return Ok(None) };
        // The text that was built is published beside the page.
        let Ok(bytes) = disk::read(&last.out.join(raw_markdown(&new))) else { return Ok(None) };
        let Some(old) = parsed(bytes) else { return Ok(None) };
        let anchors = Outline::of(&new, sources).has_same_anchors(outline);
        // A link to an anchor that a translation lacks leads to the page.
        let is_seen = (is_translated && !anchors) || (view.has_claims && new.base == "index.html");
        if is_seen {
            return Ok(None);
        }
        out.push(Edited { at, old, new });
    }
    Ok(Some(out))
}
