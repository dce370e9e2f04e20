//! An index page for every published folder that has none, so that no folder is a 404.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::frame::{bare_page, frame, merged, size_text};
use super::output::Staging;
use super::{Extent, Site};
use crate::address::{encode, relative};
use crate::diag::{Diagnostic, Failure};
use crate::digest::sha256_hex;

/// Writes the missing index pages.
///
/// # Errors
/// A staged file cannot be read, or a page cannot be written.
pub(super) fn indexes(site: &Site<'_>, staging: &Staging) -> Result<Vec<Diagnostic>, Failure> {
    let names = staging.names();
    let folders = folders(&names);
    let mut findings = Vec::new();
    for (folder, children) in &folders {
        let path = format!("{folder}/index.html");
        if names.contains(&path) {
            continue;
        }
        if site.extent == Extent::Named {
            staging.claim(&path)?;
            continue;
        }
        let entries = entries(staging, folder, (children, &folders))?;
        let home =
            json!({ "title": site.theme.word("home"), "href": relative(&path, "index.html") });
        let crumbs = json!([home, { "title": folder }]);
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let context = merged(
            frame(site, &path, 0),
            json!({
                "page": bare_page(site, name, crumbs.clone()),
                "folder": { "title": name, "path": folder, "crumbs": crumbs, "entries": entries },
            }),
        );
        match site.theme.render("folder.html", &context) {
            Ok(html) => staging.put(&path, html.as_bytes())?,
            Err(finding) => findings.push(finding),
        }
    }
    Ok(findings)
}

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

/// The lines of an index: folders first.
fn entries(
    staging: &Staging,
    folder: &str,
    (children, folders): (&Children, &BTreeMap<String, Children>),
) -> Result<Vec<Value>, Failure> {
    let mut out = Vec::new();
    for name in children.iter().filter_map(|child| child.strip_suffix('/')) {
        let count = folders.get(&format!("{folder}/{name}")).map_or(0, BTreeSet::len);
        out.push(json!({
            "name": name, "href": format!("{}/index.html", encode(name)), "is_folder": true,
            "count": count,
        }));
    }
    for name in children.iter().filter(|child| !child.ends_with('/')) {
        let bytes = staging.read(&format!("{folder}/{name}"))?;
        out.push(json!({
            "name": name, "href": encode(name), "is_folder": false,
            "size_text": size_text(bytes.len() as u64), "sha256": sha256_hex(&bytes),
        }));
    }
    Ok(out)
}
