//! A folder as it is on the disk, to be compared with itself later or with another.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::SystemTime;

/// One file or folder.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The content of a file, the target of a link, nothing for a folder.
    pub(crate) bytes: Vec<u8>,
    /// Permission bits.
    pub(crate) mode: u32,
    /// When it was last written.
    pub(crate) modified: SystemTime,
}

/// Everything below a folder, by path.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Tree(pub(crate) BTreeMap<String, Entry>);

impl Tree {
    /// Reads a folder; one that is not there is empty.
    pub(crate) fn read(folder: &Path) -> Tree {
        let mut entries = BTreeMap::new();
        if folder.exists() {
            add(folder, "", &mut entries);
        }
        Tree(entries)
    }

    /// The paths.
    pub(crate) fn paths(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// What differs from `other`, in content, mode or time.
    pub(crate) fn changes(&self, other: &Tree) -> Vec<String> {
        self.differences(other, |a, b| a == b)
    }

    /// What differs from `other` in its content.
    pub(crate) fn other_content(&self, other: &Tree) -> Vec<String> {
        self.differences(other, |a, b| a.bytes == b.bytes)
    }

    fn differences(&self, other: &Tree, same: impl Fn(&Entry, &Entry) -> bool) -> Vec<String> {
        let mut out = Vec::new();
        for (path, entry) in &self.0 {
            match other.0.get(path) {
                None => out.push(format!("- {path}")),
                Some(now) if !same(entry, now) => out.push(format!("~ {path}")),
                Some(_) => {}
            }
        }
        out.extend(other.0.keys().filter(|p| !self.0.contains_key(*p)).map(|p| format!("+ {p}")));
        out
    }
}

/// Adds what is below a folder.
fn add(folder: &Path, below: &str, entries: &mut BTreeMap<String, Entry>) {
    for entry in fs::read_dir(folder).expect("folder") {
        let entry = entry.expect("entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        let data = fs::symlink_metadata(entry.path()).expect("metadata");
        let bytes = if data.is_dir() {
            Vec::new()
        } else if data.is_symlink() {
            fs::read_link(entry.path()).expect("link").into_os_string().into_encoded_bytes()
        } else {
            fs::read(entry.path()).expect("file")
        };
        let modified = data.modified().expect("time");
        let one = Entry { bytes, mode: data.permissions().mode() & 0o7777, modified };
        entries.insert(path.clone(), one);
        if data.is_dir() {
            add(&entry.path(), &path, entries);
        }
    }
}
