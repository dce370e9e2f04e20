//! A build that would change nothing is not done again. `.labdoc/last-build` holds the digest of
//! what the last build read and that of each file it wrote; only where all of them are still the
//! same there is nothing to do. Whatever else is in that file, the build is done.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::book::{CONTENT, Page};
use crate::cli::BuildArgs;
use crate::config::BOOK_TOML;
use crate::diag::Failure;
use crate::digest::sha256_hex;
use crate::disk::{self, Kind};
use crate::git;
use crate::kit::LABKIT;
use crate::site::{STATIC, TEMPLATES, Written};
use crate::store;

/// The form of the record; one of another form is not used.
const FORM: &str = "labdoc-last-build/1";

/// The record, in the book's folder.
const RECORD: &str = ".labdoc/last-build";

/// The folders that a build reads.
const READ: &[&str] = &[CONTENT, TEMPLATES, STATIC, LABKIT, "evidence"];

/// What the last build read and wrote.
pub(super) struct LastBuild {
    record: PathBuf,
    out: PathBuf,
    /// The digest of what is read now.
    inputs: String,
}

/// What stands in the record beside the digests.
pub(super) struct Counts {
    /// Pages of the book.
    pub(super) pages: usize,
    /// Files of the site.
    pub(super) files: usize,
}

impl LastBuild {
    /// Reads what a build of `root` into `out` reads; `None` where that is not all that decides:
    /// ages that are judged today.
    ///
    /// # Errors
    /// Something cannot be read.
    pub(super) fn of(
        root: &Path,
        out: &Path,
        args: &BuildArgs,
    ) -> Result<Option<LastBuild>, Failure> {
        let check = &args.check;
        if check.as_of.as_deref() == Some("today") {
            return Ok(None);
        }
        let mut entries = vec![(BOOK_TOML.to_owned(), Kind::File)];
        for folder in READ.iter().filter(|folder| disk::is_folder(&root.join(folder))) {
            let below = disk::entries_below(&root.join(folder))?.into_iter();
            entries.extend(below.map(|(path, kind)| (format!("{folder}/{path}"), kind)));
        }
        let lines: Result<Vec<String>, Failure> = entries
            .into_par_iter()
            .map(|(name, kind)| {
                let path = root.join(&name);
                Ok(match kind {
                    Kind::File => format!("{} {name}\n", disk::digest(&path)?),
                    _ => format!("{kind:?} {:?} {name}\n", disk::link_target(&path)),
                })
            })
            .collect();
        let mut text = format!(
            "{FORM}\n{}\n{:?}\n{:?}\n{out:?}\n",
            disk::program_stamp(),
            git::head(root),
            (check.release, check.drafts, &check.as_of)
        );
        text.extend(lines?);
        let inputs = sha256_hex(text.as_bytes());
        Ok(Some(LastBuild { record: root.join(RECORD), out: out.to_owned(), inputs }))
    }

    /// The counts of the last build, where it read the same and what it wrote still stands, with
    /// nothing beside it.
    pub(super) fn still_stands(&self) -> Option<Counts> {
        let text = String::from_utf8(disk::read_optional(&self.record).ok()??).ok()?;
        let (head, list) = text.split_once('\n')?;
        let (pages, rest) =
            head.strip_prefix(&format!("{FORM} {} ", self.inputs))?.split_once(' ')?;
        if rest != sha256_hex(list.as_bytes()) {
            return None;
        }
        let written: Vec<(&str, &str)> =
            list.lines().map(|line| line.split_once(' ')).collect::<Option<_>>()?;
        let there = disk::files_below(&self.out).ok()?;
        if !there.iter().map(String::as_str).eq(written.iter().map(|(_, name)| *name)) {
            return None;
        }
        let is_same = |(digest, name): &(&str, &str)| {
            disk::digest(&self.out.join(name)).is_ok_and(|found| found == *digest)
        };
        let is_whole = written.par_iter().all(is_same);
        // The list of files is no file of the site.
        is_whole.then(|| Some(Counts { pages: pages.parse().ok()?, files: written.len() - 1 }))?
    }

    /// Keeps what a build without findings wrote. That it cannot be written costs time later.
    pub(super) fn keep(&self, pages: &[Page], written: &Written) {
        // What is shown from outside the folders above may change unseen.
        let is_read = |path: &str| {
            READ.iter().any(|folder| path.strip_prefix(folder).is_some_and(|p| p.starts_with('/')))
        };
        if !pages.iter().flat_map(|page| &page.includes).all(|include| is_read(&include.path)) {
            return;
        }
        let list: String =
            written.iter().map(|(name, digest)| format!("{digest} {name}\n")).collect();
        let digest = sha256_hex(list.as_bytes());
        let text = format!("{FORM} {} {} {digest}\n{list}", self.inputs, pages.len());
        let _ = store::keep(&self.record, text.as_bytes());
    }
}
