//! What `.labdoc/last-build` holds: the files that a build read and wrote.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::said::Said;
use crate::book::folder_of;
use crate::digest::{from_hex, hex};
use crate::disk::{Found, Kind, Stamp};
use crate::site::{LIST, Written};

/// The digest of a folder: of its name alone.
pub(super) const FOLDER: [u8; 32] = [0; 32];

/// One file as a build read or wrote it.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Known<'a> {
    /// Its path.
    pub(super) path: &'a str,
    /// What the system says of it; nothing where it is read in any case.
    pub(super) stamp: Option<Stamp>,
    /// The digest of its content.
    pub(super) digest: [u8; 32],
}

/// What a build read and wrote.
#[derive(Serialize, Deserialize)]
pub(super) struct Record<'a> {
    /// Everything that decides beside the files.
    pub(super) key: &'a str,
    /// Pages of the book.
    pub(super) pages: usize,
    /// What was read, by path from the root.
    #[serde(borrow)]
    pub(super) inputs: Vec<Known<'a>>,
    /// What was written, by path from the output folder.
    #[serde(borrow)]
    pub(super) outputs: Vec<Known<'a>>,
    /// Digest of the view that belongs to it, see [`super::quick`].
    pub(super) view: [u8; 32],
    /// What it had to say.
    #[serde(borrow)]
    pub(super) said: Vec<Said<'a>>,
}

/// What stands in the record beside the digests.
pub(super) struct Counts {
    /// Pages of the book.
    pub(super) pages: usize,
    /// Files of the site.
    pub(super) files: usize,
}

/// What is to be read now, compared with the last build.
pub(super) struct Inputs<'a> {
    pub(super) found: &'a [Found],
    pub(super) files: Vec<Known<'a>>,
    /// The paths whose content is another; `None` where files came or went.
    pub(super) changed: Option<Vec<&'a str>>,
    /// Whether the record says all this already.
    pub(super) is_recorded: bool,
}

/// The output folder, as the last build left it.
pub(super) struct Outputs<'a> {
    /// The files, by path.
    pub(super) files: Vec<Known<'a>>,
    pub(super) sizes: Vec<u64>,
    /// Whether the record says all this already.
    pub(super) is_recorded: bool,
}

/// A file, and whether it was read and need not be the next time.
pub(super) type Looked<'f> = (Known<'f>, bool);

/// A file, and what is known of it.
pub(super) type Pair<'f, 'k, 'a> = (&'f Found, Option<&'k Known<'a>>);

/// What there is, with what is known under the same path. Both are sorted.
pub(super) fn beside<'f, 'k, 'a>(
    found: &'f [Found],
    known: &'k [Known<'a>],
) -> Vec<Pair<'f, 'k, 'a>> {
    let mut rest = known.iter().peekable();
    let mut pair = |found: &'f Found| {
        while rest.next_if(|known| known.path < found.path.as_str()).is_some() {}
        (found, rest.next_if(|known| known.path == found.path))
    };
    found.iter().map(&mut pair).collect()
}

/// Everything in the output folder: what was written, and the folders.
pub(super) fn known<'a>(written: &'a Written, folders: &'a [Found]) -> Vec<Known<'a>> {
    let folders = folders.iter().filter(|found| found.kind == Kind::Folder);
    let folder = |found: &'a Found| {
        let (path, stamp) = (found.path.as_str(), Some(found.stamp));
        Known { path, stamp, digest: FOLDER }
    };
    let mut out = files(written);
    out.extend(folders.map(folder));
    out.sort_by(|a, b| a.path.cmp(b.path));
    out
}

/// Files as they were written.
fn files(written: &Written) -> Vec<Known<'_>> {
    let mut out = Vec::with_capacity(written.len());
    for (path, (digest, stamp)) in written {
        let digest = from_hex(digest).unwrap_or_default();
        out.push(Known { path, stamp: Some(*stamp), digest });
    }
    out
}

impl<'a> Known<'a> {
    /// Whether it is a folder.
    pub(super) fn is_folder(&self) -> bool {
        self.digest == FOLDER
    }

    /// Its path, and its stamp if it is a folder.
    pub(super) fn listed(&self) -> (&'a str, Option<Stamp>) {
        (self.path, self.stamp.filter(|_| self.is_folder()))
    }
}

impl Inputs<'_> {
    /// Whether a file of this path was read.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.files.binary_search_by(|known| known.path.cmp(path)).is_ok()
    }

    /// Whether what was read below the book's folder has not changed since it was looked at: that
    /// may have been read in either state. `only` are those that were read; all, if it is nothing.
    pub(super) fn were_left(&self, root: &Path, only: Option<&[&str]>) -> bool {
        let is_read = |found: &&Found| only.is_none_or(|only| only.contains(&found.path.as_str()));
        self.found.iter().filter(is_read).all(|found| {
            found.kind != Kind::File
                || Stamp::of(&root.join(&found.path)).is_ok_and(|now| now == found.stamp)
        })
    }
}

impl Record<'_> {
    /// The counts of that build.
    pub(super) fn counts(&self) -> Counts {
        let files = self.outputs.iter().filter(|known| !known.is_folder() && known.path != LIST);
        Counts { pages: self.pages, files: files.count() }
    }
}

impl<'a> Outputs<'a> {
    /// The names of all files of the site.
    pub(super) fn names(&self) -> Vec<&'a str> {
        let files = self.files.iter().filter(|known| !known.is_folder() && known.path != LIST);
        files.map(|known| known.path).collect()
    }

    /// The size of a file, and its digest.
    pub(super) fn weigh(&self, path: &str) -> Option<(u64, String)> {
        let at = self.files.binary_search_by(|known| known.path.cmp(path)).ok()?;
        Some((*self.sizes.get(at)?, hex(&self.files.get(at)?.digest)))
    }

    /// All files and folders of `out`, with those that were written since.
    pub(super) fn with(mut self, out: &Path, written: &'a Written) -> Vec<Known<'a>> {
        for new in files(written) {
            if let Ok(at) = self.files.binary_search_by(|known| known.path.cmp(new.path)) {
                self.files[at] = new;
            }
        }
        // A file that is renamed into a folder changes it, and so did the folder of the build.
        let touched: BTreeSet<&str> =
            written.keys().map(|path| folder_of(path)).chain([""]).collect();
        for known in self.files.iter_mut().filter(|known| known.is_folder()) {
            if !written.is_empty() && touched.contains(known.path) && known.stamp.is_some() {
                known.stamp = Stamp::of(&out.join(known.path)).ok();
            }
        }
        self.files
    }
}
