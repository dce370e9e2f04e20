//! An index page for every published folder that has none, so that no folder is a 404.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde_json::{Value, json};

use super::frame::{bare_page, frame, merged, size_text};
use super::output::{Staging, Weight};
use super::{Extent, Site};
use crate::address::{encode, relative};
use crate::diag::{Diagnostic, Failure};

/// Writes the missing index pages.
///
/// # Errors
/// A staged file cannot be read, or a page cannot be written.
pub(super) fn indexes(site: &Site<'_>, staging: &Staging) -> Result<Vec<Diagnostic>, Failure> {
    let names = staging.names();
    let folders = folders(&names);
    let missing = |path: &String| !names.contains(path);
    let made: Result<Vec<Option<Diagnostic>>, Failure> = folders
        .par_iter()
        .map(|(folder, children)| (folder, children, format!("{folder}/index.html")))
        .filter(|(.., path)| missing(path))
        .map(|(folder, children, path)| {
            if site.extent == Extent::Named {
                return staging.claim(&path).map(|_| None);
            }
            let count =
                |name: &str| folders.get(&format!("{folder}/{name}")).map_or(0, BTreeSet::len);
            let weigh = |path: &str| staging.weigh(path);
            match index(site, folder, entries(folder, children, (&count, &weigh))?) {
                Ok(html) => staging.put(&path, html.as_bytes()).map(|()| None),
                Err(finding) => Ok(Some(finding)),
            }
        })
        .collect();
    Ok(made?.into_iter().flatten().collect())
}

/// The index page of one folder whose files are others; `weigh` gives size and digest of each.
/// `None` where it cannot be told from the names alone: a list of a folder counts what stands in
/// those below it.
///
/// # Errors
/// What `weigh` says.
pub(super) fn again(
    site: &Site<'_>,
    folder: &str,
    (names, weigh): (&[&str], &Weigh<'_>),
) -> Result<Option<String>, Failure> {
    let below = format!("{folder}/");
    let first = names.partition_point(|name| *name < below.as_str());
    let inside = names[first..].iter().map_while(|name| name.strip_prefix(&below));
    let children: Children =
        inside.filter(|name| *name != "index.html").map(str::to_owned).collect();
    if children.iter().any(|name| name.contains('/')) {
        return Ok(None);
    }
    Ok(index(site, folder, entries(folder, &children, (&|_| 0, weigh))?).ok())
}

/// The index page of a folder.
fn index(site: &Site<'_>, folder: &str, entries: Vec<Value>) -> Result<String, Diagnostic> {
    let path = format!("{folder}/index.html");
    let home = json!({ "title": site.theme.word("home"), "href": relative(&path, "index.html") });
    let crumbs = json!([home, { "title": folder }]);
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let context = merged(
        frame(site, &path, 0),
        json!({
            "page": bare_page(site, name, crumbs.clone()),
            "folder": { "title": name, "path": folder, "crumbs": crumbs, "entries": entries },
        }),
    );
    site.theme.render("folder.html", &context)
}

/// Size and digest of a file of the site.
pub(super) type Weigh<'a> = dyn Fn(&str) -> Result<Weight, Failure> + 'a;

/// The names in a folder: files, and folders with a slash behind.
type Children = BTreeSet<String>;

/// Every folder below the root with what stands in it.
fn folders(names: &BTreeSet<String>) -> BTreeMap<String, Children> {
    let mut out: BTreeMap<String, Children> = BTreeMap::new();
    for name in names {
        let mut path = name.as_str();
        let mut child = name.rsplit('/').next().unwrap_or(name).to_owned();
        while let Some((folder, _)) = path.rsplit_once('/') {
            out.entry(folder.to_owned()).or_default().insert(child);
            child = format!("{}/", folder.rsplit('/').next().unwrap_or(folder));
            path = folder;
        }
    }
    out
}

/// The lines of an index: folders first, with the number of entries in each.
fn entries(
    folder: &str,
    children: &Children,
    (count, weigh): (&dyn Fn(&str) -> usize, &Weigh<'_>),
) -> Result<Vec<Value>, Failure> {
    let mut out = Vec::new();
    for name in children.iter().filter_map(|child| child.strip_suffix('/')) {
        out.push(json!({
            "name": name, "href": format!("{}/index.html", encode(name)), "is_folder": true,
            "count": count(name),
        }));
    }
    for name in children.iter().filter(|child| !child.ends_with('/')) {
        let (size, digest) = weigh(&format!("{folder}/{name}"))?;
        out.push(json!({
            "name": name, "href": encode(name), "is_folder": false,
            "size_text": size_text(size), "sha256": digest,
        }));
    }
    Ok(out)
}
