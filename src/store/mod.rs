//! What earlier builds made and what costs time to make again: drawings and pictures, under
//! `.labdoc/cache/`. An entry is named by the digest of what it was made of, of its kind and of
//! labdoc's version, and holds the digest of its own content. One that is damaged or of another
//! version is not used; without any, a build gives the same bytes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::digest::sha256_hex;
use crate::disk;

/// The folder beside `book.toml`.
const FOLDER: &str = ".labdoc";

/// The form of an entry; one of another form is made anew.
const FORM: &str = "labdoc-cache/1";

/// The entries of one book.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// Where they are; nowhere, where nothing is kept.
    folder: Option<PathBuf>,
    /// Whether nothing is added and nothing removed.
    is_fixed: bool,
    used: Mutex<BTreeSet<String>>,
}

impl Store {
    /// The store of the book in `root`.
    pub(crate) fn of(root: &Path) -> Store {
        let folder = Some(root.join(FOLDER).join("cache"));
        Store { folder, ..Store::default() }
    }

    /// The same for a command that writes nothing.
    pub(crate) fn fixed(root: &Path) -> Store {
        Store { is_fixed: true, ..Store::of(root) }
    }

    /// What was kept of this kind for this input.
    pub(crate) fn get(&self, kind: &str, input: &[u8]) -> Option<Vec<u8>> {
        let folder = self.folder.as_ref()?;
        let name = self.name(kind, input);
        let bytes = disk::read_optional(&folder.join(&name)).ok()??;
        let (first, content) = bytes.split_at_checked(head(&name, &[]).len())?;
        (first == head(&name, content).as_bytes()).then(|| content.to_vec())
    }

    /// Keeps content. That it cannot be written costs time later, and nothing else.
    pub(crate) fn put(&self, kind: &str, input: &[u8], content: &[u8]) {
        let Some(folder) = self.folder.as_ref().filter(|_| !self.is_fixed) else { return };
        let name = self.name(kind, input);
        let mut bytes = head(&name, content).into_bytes();
        bytes.extend_from_slice(content);
        let _ = keep(&folder.join(name), &bytes);
    }

    /// Removes what this build did not use.
    pub(crate) fn tidy(&self) {
        let Some(folder) = self.folder.as_ref().filter(|_| !self.is_fixed) else { return };
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in disk::list(folder).unwrap_or_default() {
            if entry.name.as_ref().is_none_or(|name| !used.contains(name)) {
                let _ = disk::remove_file(&entry.path);
            }
        }
    }

    /// How many entries there are, and how many bytes they hold.
    pub(crate) fn extent(&self) -> (usize, u64) {
        let Some(folder) = self.folder.as_ref() else { return (0, 0) };
        (disk::list(folder).map_or(0, |entries| entries.len()), disk::size_below(folder))
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

/// Keeps a file whose first line holds its form and the digest of the rest. That it cannot be
/// written costs time later, and nothing else.
pub(crate) fn keep_whole(path: &Path, form: &str, content: &[u8]) {
    let mut bytes = format!("{form} {}\n", sha256_hex(content)).into_bytes();
    bytes.extend_from_slice(content);
    let _ = keep(path, &bytes);
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
///
/// # Errors
/// It cannot be written.
pub(crate) fn keep(path: &Path, bytes: &[u8]) -> disk::Result<()> {
    let own = path.ancestors().find(|folder| folder.ends_with(FOLDER)).unwrap_or(path);
    let ignore = own.join(".gitignore");
    if !disk::is_file(&ignore) {
        disk::write(&ignore, b"*\n")?;
    }
    if let Some(folder) = path.parent() {
        disk::create_folder(folder)?;
    }
    disk::replace(path, bytes)
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
