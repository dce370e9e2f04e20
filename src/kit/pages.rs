//! The data of the pages that lead to a kit: the list of kits, the page of one kit, and an index
//! for every published folder. All addresses are relative and end in a file name, because a
//! folder's address shows its index on a server and a listing of the disk from `file://`.

use std::collections::{BTreeMap, BTreeSet};

use super::archive::SUMS;
use super::publish::ArchiveFacts;
use super::tree::{Kit, KitFile, is_below};
use super::viewer;
use super::ways::{Way, ways};
use crate::address::relative;
use crate::digest::sha256_hex;

/// The index page of one published folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FolderIndex {
    /// The page's path from the output's root.
    pub(crate) path: String,
    /// What the folder is called, its path in the kit included.
    pub(crate) title: String,
    /// What is in it: folders first, then files, each sorted.
    pub(crate) entries: Vec<IndexEntry>,
    /// The way down to it, outermost first, without itself.
    pub(crate) parents: Vec<Parent>,
}

/// One line of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    /// Its name.
    pub(crate) name: String,
    /// Its address; ends in a file name.
    pub(crate) href: String,
    /// The address of its viewer, for a file.
    pub(crate) viewer: Option<String>,
    /// Bytes, all below it for a folder.
    pub(crate) size: u64,
    /// SHA-256 of a file, the kit's digest for a kit.
    pub(crate) sha256: Option<String>,
    /// Whether it is a folder.
    pub(crate) is_folder: bool,
    /// Files: 1, or all below a folder.
    pub(crate) count: usize,
}

/// A step of the way down to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parent {
    /// Its name.
    pub(crate) name: String,
    /// Its address.
    pub(crate) href: String,
}

/// The page of a kit: what it is, and how to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KitPage {
    /// Address, way down, and the tree: every file by its path in the kit, linked to its viewer.
    pub(crate) index: FolderIndex,
    /// The kit's version.
    pub(crate) version: String,
    /// The kit's digest.
    pub(crate) digest: String,
    /// The ways to get it, the shortest first.
    pub(crate) ways: Vec<Way>,
}

/// The page that lists the kits, `kit/index.html`.
pub(crate) fn kits_index(kits: &[Kit]) -> FolderIndex {
    let entries = kits.iter().map(|kit| IndexEntry {
        name: kit.name.clone(),
        href: relative("kit/index.html", &format!("kit/{}/index.html", kit.name)),
        viewer: None,
        size: kit.size(),
        sha256: Some(kit.digest.clone()),
        is_folder: true,
        count: kit.files.len(),
    });
    let entries = entries.collect();
    FolderIndex { path: "kit/index.html".into(), title: "kit".into(), entries, parents: Vec::new() }
}

/// The page of `kit`; the commands name the site's address where it is known.
pub(crate) fn kit_page(kit: &Kit, archives: &[ArchiveFacts], base_url: Option<&str>) -> KitPage {
    let path = format!("kit/{}/index.html", kit.name);
    let entries = (kit.files.iter())
        .map(|file| {
            let href = relative(&path, &viewer::path_of(kit, &file.path));
            IndexEntry { name: file.path.clone(), ..file_entry(file, href, None) }
        })
        .collect();
    let parents = vec![Parent { name: "kit".into(), href: "../index.html".into() }];
    let index = FolderIndex { title: kit.name.clone(), entries, parents, path };
    let ways = ways(kit, archives, base_url);
    KitPage { index, version: kit.version.clone(), digest: kit.digest.clone(), ways }
}

/// The three trees below a kit's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tree {
    Files,
    Text,
    View,
}

impl Tree {
    /// The folder's name, and what is put behind a file's name.
    fn parts(self) -> (&'static str, &'static str) {
        match self {
            Tree::Files => ("files", ""),
            Tree::Text => ("text", ".txt"),
            Tree::View => ("view", ".html"),
        }
    }
}

/// The index pages of every folder in `files/`, `text/` and `view/`.
pub(crate) fn folder_indexes(kit: &Kit) -> Vec<FolderIndex> {
    let folders = folders(kit);
    let trees = [Tree::Files, Tree::Text, Tree::View];
    let all = trees.iter().flat_map(|tree| folders.iter().map(|folder| index(kit, *tree, folder)));
    all.collect()
}

/// The path of the index of a folder of the kit in `files/` (empty: its top).
pub(super) fn files_index(kit: &Kit, folder: &str) -> String {
    index_path(kit, Tree::Files, folder)
}

/// The folders of a kit, the top one (empty) first.
fn folders(kit: &Kit) -> BTreeSet<&str> {
    let below = kit
        .files
        .iter()
        .flat_map(|file| file.path.match_indices('/').map(|(at, _)| &file.path[..at]));
    below.chain([""]).collect()
}

/// The path of the index page of a folder.
fn index_path(kit: &Kit, tree: Tree, folder: &str) -> String {
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("kit/{}/{}/{folder}{slash}index.html", kit.name, tree.parts().0)
}

/// The index page of one folder.
fn index(kit: &Kit, tree: Tree, folder: &str) -> FolderIndex {
    let path = index_path(kit, tree, folder);
    let inside = |file: &&KitFile| folder.is_empty() || is_below(&file.path, folder);
    let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let mut below: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    let mut files = Vec::new();
    for file in kit.files.iter().filter(inside) {
        if let Some((name, _)) = file.path[start..].split_once('/') {
            let (count, size) = below.entry(name).or_default();
            *count += 1;
            *size += file.size;
        } else {
            files.push(tree_entry(kit, tree, file, &path));
        }
    }
    if tree == Tree::Files && folder.is_empty() {
        files.push(sums_entry(kit));
        files.sort_by(|a, b| a.name.cmp(&b.name));
    }
    let folders = below.into_iter().map(|(name, (count, size))| {
        let href =
            relative(&path, &index_path(kit, tree, &format!("{}{name}", &kit_prefix(folder))));
        let name = name.to_owned();
        IndexEntry { name, href, viewer: None, size, sha256: None, is_folder: true, count }
    });
    let entries = folders.chain(files).collect();
    let slash = if folder.is_empty() { "" } else { "/" };
    let title = format!("{}{slash}{folder}", kit.name);
    FolderIndex { title, entries, parents: parents(kit, tree, folder), path }
}

/// A folder's path as the beginning of the paths in it.
fn kit_prefix(folder: &str) -> String {
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}

/// The line of a file in one of the trees.
fn tree_entry(kit: &Kit, tree: Tree, file: &KitFile, page: &str) -> IndexEntry {
    let (name, end) = tree.parts();
    let href = relative(page, &format!("kit/{}/{name}/{}{end}", kit.name, file.path));
    let viewer = relative(page, &viewer::path_of(kit, &file.path));
    file_entry(file, href, Some(viewer))
}

/// The line of a file.
fn file_entry(file: &KitFile, href: String, viewer: Option<String>) -> IndexEntry {
    let (name, sha256) = (file.name().to_owned(), Some(file.sha256.clone()));
    IndexEntry { name, href, viewer, size: file.size, sha256, is_folder: false, count: 1 }
}

/// The line of the list of digests at the top of `files/`.
fn sums_entry(kit: &Kit) -> IndexEntry {
    let (size, sha256) = (kit.sums.len() as u64, Some(sha256_hex(kit.sums.as_bytes())));
    let (name, href) = (SUMS.to_owned(), SUMS.to_owned());
    IndexEntry { name, href, viewer: None, size, sha256, is_folder: false, count: 1 }
}

/// The way down to a folder of a tree.
fn parents(kit: &Kit, tree: Tree, folder: &str) -> Vec<Parent> {
    let page = index_path(kit, tree, folder);
    let step = |name: &str, to: &str| Parent { name: name.into(), href: relative(&page, to) };
    let mut out = vec![
        step("kit", "kit/index.html"),
        step(&kit.name, &format!("kit/{}/index.html", kit.name)),
    ];
    if !folder.is_empty() {
        out.push(step(tree.parts().0, &index_path(kit, tree, "")));
    }
    for (at, _) in folder.match_indices('/') {
        let above = &folder[..at];
        let name = above.rsplit('/').next().unwrap_or(above);
        out.push(step(name, &index_path(kit, tree, above)));
    }
    out
}

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;
