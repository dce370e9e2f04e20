//! Some pages of a site whose text is another and of which the rest of the site sees the same: only
//! they are rendered, and what holds their text is made anew.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cache::Rendered;
use super::search::{self, Change, Document, SearchIndex, Standing as Index};
use super::{Site, folders, language, page};
use crate::book::folder_of;
use crate::diag::Failure;
use crate::digest::sha256_hex;

/// The site as it stands, but for some pages.
pub(crate) struct Standing<'a> {
    /// All its files, sorted.
    pub(crate) names: &'a [&'a str],
    /// The bytes of one.
    pub(crate) read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// The size of one, and its digest.
    pub(crate) weigh: &'a dyn Fn(&str) -> Option<(u64, String)>,
}

/// Files by their paths.
pub(crate) type Changed = BTreeMap<String, Vec<u8>>;

/// Some pages, rendered in all their languages.
pub(crate) struct Rendering(Vec<Version>);

/// A page in one language.
struct Version {
    language: String,
    /// Which one it is in the search index of its language.
    number: u32,
    rendered: Rendered,
}

/// Renders some pages; `None` where there is something to report.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn rendering(site: &Site<'_>, pages: &[usize]) -> Result<Option<Rendering>, Failure> {
    let mut out = Vec::new();
    let is_found = each(site, pages, &mut |site, version, (order, turn)| {
        let (findings, rendered) = page::rendered(site, version, (order, turn))?;
        let before = order[..turn].iter().filter(|at| site.has_own_version(**at)).count();
        let number = u32::try_from(before).unwrap_or(u32::MAX);
        out.push(Version { language: site.language.to_owned(), number, rendered });
        Ok(findings.is_empty())
    })?;
    Ok(is_found.then_some(Rendering(out)))
}

/// What the search knows of some pages, by language and path; `None` where one is not found.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn documents(site: &Site<'_>, pages: &[usize]) -> Result<Option<Documents>, Failure> {
    let mut out = Documents::new();
    let is_found = each(site, pages, &mut |site, version, _| {
        let document = page::document(site, version);
        out.extend(document.map(|document| (document.path.clone(), document)));
        Ok(true)
    })?;
    Ok(is_found.then_some(out))
}

/// What the search knows of pages, by their paths in the site.
pub(crate) type Documents = BTreeMap<String, Document>;

/// Is given a page in one language, the reading order and the page's place in it; whether to go on.
type Take<'a> =
    dyn FnMut(&Site<'_>, &language::Version<'_>, (&[usize], usize)) -> Result<bool, Failure> + 'a;

/// Hands over some pages in all their languages; whether all were found and taken.
fn each(site: &Site<'_>, pages: &[usize], take: &mut Take<'_>) -> Result<bool, Failure> {
    let order = site.book.reading_order();
    for at in pages {
        let base = &site.book.pages[*at].base;
        let turn = order.iter().position(|other| site.book.pages[*other].base == *base);
        let Some(turn) = turn else { return Ok(false) };
        for language in site.languages() {
            let site = site.in_language(language);
            let version = site.version(order[turn]);
            if version.at == *at && !take(&site, &version, (&order, turn))? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The files of a site, and its lists of files, that are others when some pages, of which the search knew `old`, are all that
/// differs from what is `standing`; `None` where they are not all.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn again(
    site: &Site<'_>,
    (mut old, Rendering(new)): (Documents, Rendering),
    standing: &Standing<'_>,
) -> Result<Option<(Changed, Changed)>, Failure> {
    let mut changed = Changed::new();
    let mut found: BTreeMap<String, Vec<Change>> = BTreeMap::new();
    for Version { language, number, rendered } in new {
        if let Some(new) = rendered.document {
            let Some(old) = old.remove(&new.path) else { return Ok(None) };
            found.entry(language).or_default().push(Change { number, old, new });
        }
        changed.extend(rendered.files);
    }
    let read = |path: &str| String::from_utf8((standing.read)(path)?).ok();
    let digest = |path: &str| Some((standing.weigh)(path)?.1);
    let index = Index { read: &read, digest: &digest };
    for (language, changes) in found {
        let Some(files) = search::patch(&language, &changes, &index) else { return Ok(None) };
        changed.extend(files.into_iter().map(|(path, text)| (path, text.into_bytes())));
    }
    let Some(lists) = lists(site, &changed, standing)? else { return Ok(None) };
    let is_there = |path: &String| standing.names.binary_search(&path.as_str()).is_ok();
    let is_whole = changed.keys().chain(lists.keys()).all(is_there);
    Ok(is_whole.then_some((changed, lists)))
}

/// Puts rendered pages among the files of a preview and its search index; `false` where a list of
/// files would have to be another.
pub(crate) fn previewed(
    site: &Site<'_>,
    Rendering(versions): Rendering,
    (files, index): (&mut BTreeMap<String, Arc<[u8]>>, &mut SearchIndex),
) -> bool {
    for Version { rendered, .. } in versions {
        for (path, bytes) in rendered.files {
            if !has_own_index(site, folder_of(&path)) || files.insert(path, bytes.into()).is_none()
            {
                return false;
            }
        }
        if rendered.document.is_some_and(|document| !index.replace(document)) {
            return false;
        }
    }
    true
}

/// Whether a folder has another index page than the list of its files.
fn has_own_index(site: &Site<'_>, folder: &str) -> bool {
    let path = format!("{folder}/index.html");
    folder.is_empty()
        || site.book.sections.iter().any(|section| section.dir == folder)
        || site.book.assets.contains_key(&path)
        || site.theme.files.contains_key(&path)
}

/// The lists of folders in which files changed; `None` where one needs more than that.
fn lists(
    site: &Site<'_>,
    changed: &Changed,
    standing: &Standing<'_>,
) -> Result<Option<Changed>, Failure> {
    let mut out = Changed::new();
    let touched: BTreeSet<&str> = changed.keys().map(|path| folder_of(path)).collect();
    for folder in touched.into_iter().filter(|folder| !has_own_index(site, folder)) {
        let weigh = |name: &str| match changed.get(name) {
            Some(bytes) => Ok((bytes.len() as u64, sha256_hex(bytes))),
            None => (standing.weigh)(name)
                .ok_or_else(|| Failure::new(format!("{name} is no file of the site"))),
        };
        let Some(html) = folders::again(site, folder, (standing.names, &weigh))? else {
            return Ok(None);
        };
        out.insert(format!("{folder}/index.html"), html.into_bytes());
    }
    Ok(Some(out))
}
