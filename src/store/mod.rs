//! What earlier builds made and what costs time to make again: drawings and pictures, under
//! `.labdoc/cache/`. An entry is named by the digest of what it was made of, of its kind and of
//! labdoc's version, and holds the digest of its own content. One that is damaged or of another
//! version is not used; without any, a build gives the same bytes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::digest::sha256_hex;
use crate::disk::{self, Entry, Kind};

/// The folder beside `book.toml`.
const FOLDER: &str = ".labdoc";

/// The folder of the entries.
const ENTRIES: &str = ".labdoc/cache";

/// The form of an entry; one of another form is made anew.
const FORM: &str = "labdoc-cache/1";

/// The entries of one book.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// The book's folder; none, where nothing is kept.
    root: Option<PathBuf>,
    /// Whether nothing is added and nothing removed.
    is_fixed: bool,
    used: Mutex<BTreeSet<String>>,
}

impl Store {
    /// The store of the book in `root`.
    pub(crate) fn of(root: &Path) -> Store {
        Store { root: Some(root.to_owned()), ..Store::default() }
    }

    /// The same for a command that writes nothing.
    pub(crate) fn fixed(root: &Path) -> Store {
        Store { is_fixed: true, ..Store::of(root) }
    }

    /// What was kept of this kind for this input.
    pub(crate) fn get(&self, kind: &str, input: &[u8]) -> Option<Vec<u8>> {
        let root = self.root.as_ref()?;
        let name = self.name(kind, input);
        let bytes = read(root, &format!("{ENTRIES}/{name}"))?;
        let (first, content) = bytes.split_at_checked(head(&name, &[]).len())?;
        (first == head(&name, content).as_bytes()).then(|| content.to_vec())
    }

    /// Keeps content. That it cannot be written costs time later, and nothing else.
    pub(crate) fn put(&self, kind: &str, input: &[u8], content: &[u8]) {
        let Some(root) = self.root.as_ref().filter(|_| !self.is_fixed) else { return };
        let name = self.name(kind, input);
        let mut bytes = head(&name, content).into_bytes();
        bytes.extend_from_slice(content);
        let _ = keep(root, &format!("{ENTRIES}/{name}"), &bytes);
    }

    /// Removes what this build did not use.
    pub(crate) fn tidy(&self) {
        let Some(root) = self.root.as_ref().filter(|_| !self.is_fixed) else { return };
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in entries(root) {
            let is_left = |name: &String| is_ours(name) && !used.contains(name);
            if entry.kind == Kind::File && entry.name.as_ref().is_some_and(is_left) {
                let _ = disk::remove_file(&entry.path);
            }
        }
    }

    /// How many entries there are, and how many bytes they hold.
    pub(crate) fn extent(&self) -> (usize, u64) {
        let Some(root) = self.root.as_ref().filter(|root| is_own(root)) else { return (0, 0) };
        (entries(root).len(), disk::size_below(&root.join(ENTRIES)))
    }

    /// The name of an entry, which counts as used.
    fn name(&self, kind: &str, input: &[u8]) -> String {
        let mut key = format!("{FORM} {} {kind}\n", env!("CARGO_PKG_VERSION")).into_bytes();
        key.extend_from_slice(input);
        let name = format!("{kind}-{}", sha256_hex(&key));
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(name.clone());
        name
    }
}

/// What stands in the folder of entries, if that is one and no link to one.
fn entries(root: &Path) -> Vec<Entry> {
    let folder = root.join(ENTRIES);
    if is_own(root) { disk::list(&folder).unwrap_or_default() } else { Vec::new() }
}

/// Whether a name is one of an entry, or of what a killed build left of one.
fn is_ours(name: &str) -> bool {
    let is_hex = |text: &str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    name.rsplit_once('-').is_some_and(|(kind, digest)| {
        (!kind.is_empty() && is_hex(digest)) || (kind == FOLDER && digest.len() == 6)
    })
}

/// Whether what labdoc keeps has a place in the book's folder: `.labdoc/` and `.labdoc/cache/` are
/// folders or not there. A link, which a repository can hold, would lead to somebody's own files.
pub(crate) fn is_own(root: &Path) -> bool {
    disk::check_way(root, &format!("{ENTRIES}/")).is_ok()
}

/// What is kept under a path below `.labdoc/`, such as `.labdoc/last-build`.
pub(crate) fn read(root: &Path, path: &str) -> Option<Vec<u8>> {
    if is_own(root) { disk::read_below(root, path).ok() } else { None }
}

/// Keeps a file whose first line holds its form and the digest of the rest. That it cannot be
/// written costs time later, and nothing else.
pub(crate) fn keep_whole(root: &Path, path: &str, form: &str, content: &[u8]) {
    let mut bytes = format!("{form} {}\n", sha256_hex(content)).into_bytes();
    bytes.extend_from_slice(content);
    let _ = keep(root, path, &bytes);
}

/// The content of such a file; `None` where it is damaged, of another form, or not the content that
/// has this digest.
pub(crate) fn whole_of<'b>(form: &str, bytes: &'b [u8], digest: &str) -> Option<&'b [u8]> {
    whole(form, bytes)
        .filter(|_| bytes.get(form.len() + 1..).is_some_and(|b| b.starts_with(digest.as_bytes())))
}

/// The content of such a file; `None` where it is damaged or of another form.
pub(crate) fn whole<'b>(form: &str, bytes: &'b [u8]) -> Option<&'b [u8]> {
    let rest = bytes.strip_prefix(form.as_bytes())?.strip_prefix(b" ")?;
    let (digest, content) = rest.split_at_checked(64)?;
    let content = content.strip_prefix(b"\n")?;
    (digest == sha256_hex(content).as_bytes()).then_some(content)
}

/// Keeps a file below `.labdoc/`, which Git is told to leave alone.
fn keep(root: &Path, path: &str, bytes: &[u8]) -> disk::Result<()> {
    if !is_own(root) {
        return Ok(());
    }
    let ignore = format!("{FOLDER}/.gitignore");
    if disk::kind(&root.join(&ignore))? != Some(Kind::File) {
        disk::put_below(root, &ignore, b"*\n")?;
    }
    disk::keep_below(root, path, bytes)
}

/// The first line of an entry: its form, its name, and the digest of its content. Its length does
/// not depend on the content.
fn head(name: &str, content: &[u8]) -> String {
    format!("{FORM} {name} {}\n", sha256_hex(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_damage_does_not() {
        let dir = disk::temporary_folder("labdoc-test-").expect("temp");
        let store = Store::of(dir.path());
        assert_eq!(store.get("a", b"in"), None);
        store.put("a", b"in", b"out");
        assert_eq!(store.get("a", b"in"), Some(b"out".to_vec()));
        assert_eq!((store.get("b", b"in"), store.get("a", b"other")), (None, None));
        let folder = dir.path().join(".labdoc/cache");
        let entry = disk::list(&folder).expect("list").remove(0);
        let whole = disk::read(&entry.path).expect("entry");
        for damaged in [&whole[..whole.len() - 1], &whole[1..], b"", b"labdoc-cache/9 x\nout"] {
            disk::write(&entry.path, damaged).expect("write");
            assert_eq!(store.get("a", b"in"), None);
        }
        // An entry under another name is foreign.
        let other = entry.name.expect("name").replace("a-", "b-");
        disk::write(&folder.join(other), &whole).expect("write");
        assert_eq!(store.get("b", b"in"), None);
    }

    #[test]
    fn what_a_build_did_not_use_goes() {
        let dir = disk::temporary_folder("labdoc-test-").expect("temp");
        let store = Store::of(dir.path());
        store.put("a", b"1", b"x");
        store.put("a", b"2", b"y");
        let next = Store::of(dir.path());
        assert!(next.get("a", b"2").is_some());
        next.tidy();
        let last = Store::of(dir.path());
        assert_eq!((last.get("a", b"1"), last.get("a", b"2")), (None, Some(b"y".to_vec())));
    }

    #[test]
    fn a_store_of_nothing_keeps_nothing() {
        let store = Store::default();
        store.put("a", b"in", b"out");
        assert_eq!(store.get("a", b"in"), None);
    }
}
