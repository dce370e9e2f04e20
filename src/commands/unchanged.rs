//! What the last build read and wrote. `.labdoc/last-build` holds the digest of each file of both,
//! and what the system says of it: only a file that may have been written since is read again.
//! Where nothing changed there is nothing to do; where only pages did, see [`super::quick`].
//! Whatever else is in that file, the whole is built.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::known::{FOLDER, Inputs, Known, Looked, Outputs, Pair, Record, beside};
use super::said::Said;
use crate::book::{CONTENT, Page};
use crate::cli::BuildArgs;
use crate::config::BOOK_TOML;
use crate::diag::Failure;
use crate::digest::{from_hex, sha256};
use crate::disk::{self, Found, Kind, Listing, Now, Stamp};
use crate::git;
use crate::kit::LABKIT;
use crate::proc;
use crate::site::{NEW, STATIC, TEMPLATES};
use crate::store;

/// The form of the record; one of another form is not used.
const FORM: &str = "labdoc-last-build/2";

/// The record, in the book's folder.
const RECORD: &str = ".labdoc/last-build";

/// The folders that a build reads.
const READ: &[&str] = &[CONTENT, TEMPLATES, STATIC, LABKIT, "evidence"];

/// The last build, and what there is now.
pub(super) struct LastBuild {
    /// The book's folder.
    pub(super) root: PathBuf,
    /// The output folder.
    pub(super) out: PathBuf,
    key: String,
    now: Now,
    /// The record as it was read, and its stamp.
    bytes: Vec<u8>,
    stamp: Stamp,
}

impl LastBuild {
    /// What is known of the last build of `root` into `out`; `None` where files are not all that
    /// decides: ages that are judged today.
    pub(super) fn of(root: &Path, out: &Path, args: &BuildArgs) -> Option<LastBuild> {
        let check = &args.check;
        if check.as_of.as_deref() == Some("today") {
            return None;
        }
        let now = Now::read();
        let key = format!(
            "{}\n{:?}\n{:?}\n{out:?}\n",
            disk::program_stamp(),
            git::head(root),
            (check.release, check.drafts, &check.as_of, proc::variable("SOURCE_DATE_EPOCH"))
        );
        let record = root.join(RECORD);
        // The stamp first: a record that is written meanwhile has another one.
        let stamp = Stamp::of(&record).unwrap_or_default();
        let bytes = store::read(root, RECORD).unwrap_or_default();
        let (root, out) = (root.to_owned(), out.to_owned());
        Some(LastBuild { root, out, key, now, bytes, stamp })
    }

    /// What the last build left, if it can be used.
    pub(super) fn record(&self) -> Option<Record<'_>> {
        let record: Record<'_> = postcard::from_bytes(store::whole(FORM, &self.bytes)?).ok()?;
        (record.key == self.key).then_some(record)
    }

    /// Whether no other build has left a record since.
    pub(super) fn is_newest(&self) -> bool {
        Stamp::of(&self.root.join(RECORD)).is_ok_and(|stamp| stamp == self.stamp)
    }

    /// What there is to read now.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub(super) fn find(&self, record: Option<&Record<'_>>) -> Result<Vec<Found>, Failure> {
        let known = record.map(|record| record.inputs.as_slice()).unwrap_or_default();
        inputs_of(&self.root, &Listing::of(known.iter().map(Known::listed), Some(self.stamp)))
    }

    /// Compares what there is to read with what the last build read.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn inputs<'a>(
        &self,
        found: &'a [Found],
        record: Option<&Record<'a>>,
    ) -> Result<Inputs<'a>, Failure> {
        let known = record.map(|record| record.inputs.as_slice()).unwrap_or_default();
        let pairs = beside(found, known);
        let looked = self.look_at(&self.root, &pairs)?;
        let same_files = pairs.len() == known.len() && pairs.iter().all(|(_, old)| old.is_some());
        let differs = |((now, _), (_, old)): (&Looked<'a>, &Pair<'_, '_, '_>)| {
            old.is_none_or(|old| old.digest != now.digest).then_some(now.path)
        };
        let changed = same_files.then(|| looked.iter().zip(&pairs).filter_map(differs).collect());
        let is_recorded = !looked.iter().any(|(_, again)| *again);
        let files = looked.into_iter().map(|(now, _)| now).collect();
        Ok(Inputs { found, files, changed, is_recorded })
    }

    /// Compares the output folder with what the last build wrote; `None` where it is another.
    pub(super) fn outputs<'a>(&self, record: &Record<'a>) -> Option<Outputs<'a>> {
        let known = Listing::of(record.outputs.iter().map(Known::listed), Some(self.stamp));
        let mut there = disk::stamps_below(&self.out, "", &known).ok()?;
        // It is there while somebody builds.
        there.retain(|found| found.path != NEW);
        let pairs = beside(&there, &record.outputs);
        // A link would lead what is written elsewhere.
        let is_same = |(found, known): &Pair<'_, '_, '_>| match found.kind {
            Kind::Folder => known.is_none_or(Known::is_folder),
            Kind::File => known.is_some_and(|known| !known.is_folder()),
            Kind::Link | Kind::Special => false,
        };
        let files = pairs.iter().filter(|(_, known)| known.is_some()).count();
        if files != record.outputs.len() || !pairs.iter().all(is_same) {
            return None;
        }
        // In a folder that was not there before something may come that is not seen.
        let strange: Vec<&str> = pairs
            .iter()
            .filter(|(_, known)| known.is_none())
            .map(|(found, _)| found.path.rsplit_once('/').map_or("", |(above, _)| above))
            .collect();
        let pairs: Vec<Pair<'_, '_, '_>> =
            pairs.into_iter().filter(|(_, known)| known.is_some()).collect();
        let mut files = Vec::with_capacity(pairs.len());
        let mut is_recorded = true;
        for ((now, again), old) in self.look_at(&self.out, &pairs).ok()?.iter().zip(&record.outputs)
        {
            if now.digest != old.digest {
                return None;
            }
            is_recorded &= !again;
            let stamp = now.stamp.filter(|_| !old.is_folder() || !strange.contains(&old.path));
            files.push(Known { path: old.path, stamp, digest: now.digest });
        }
        let sizes = pairs.iter().map(|(found, _)| found.stamp.size()).collect();
        Some(Outputs { files, sizes, is_recorded })
    }

    /// Files below `folder` as they are now, each with what is known of it; one is read unless it
    /// stands as it was left.
    fn look_at<'f>(
        &self,
        folder: &Path,
        pairs: &[Pair<'f, '_, '_>],
    ) -> Result<Vec<Looked<'f>>, Failure> {
        let as_left = |(found, old): &Pair<'f, '_, '_>| {
            let (path, stamp) = (found.path.as_str(), Some(found.stamp));
            if found.kind == Kind::Folder {
                let stamp = stamp.filter(|stamp| stamp.is_settled(self.now));
                let again = stamp.is_some() && old.is_none_or(|old| old.stamp != stamp);
                return Some((Known { path, stamp, digest: FOLDER }, again));
            }
            let is_left = |old: &&Known<'_>| {
                found.kind == Kind::File && old.stamp == stamp && found.stamp.is_before(&self.stamp)
            };
            let old = old.filter(is_left)?;
            Some((Known { path, stamp, digest: old.digest }, false))
        };
        let look = |pair: &Pair<'f, '_, '_>| match as_left(pair) {
            Some(known) => Ok(known),
            None => self.read(folder, pair.0),
        };
        // Few are not worth a second thread.
        if pairs.iter().filter(|pair| as_left(pair).is_none()).count() < 16 {
            pairs.iter().map(look).collect()
        } else {
            pairs.par_iter().map(look).collect()
        }
    }

    /// A file below `folder`, read; and whether that need not be the next time.
    fn read<'f>(&self, folder: &Path, found: &'f Found) -> Result<Looked<'f>, Failure> {
        let path = found.path.as_str();
        let at = folder.join(path);
        if found.kind == Kind::File {
            let digest = from_hex(&disk::digest(&at)?).unwrap_or_default();
            // What was just written may be written again before its stamp changes.
            let stamp = Some(found.stamp).filter(|stamp| stamp.is_settled(self.now));
            let again = stamp.is_some_and(|stamp| stamp.is_beside(&self.stamp));
            return Ok((Known { path, stamp, digest }, again));
        }
        // Where a link leads may change unseen.
        let there = disk::is_file(&at).then(|| disk::digest(&at)).transpose()?;
        let text = format!("{:?} {:?} {there:?}", found.kind, disk::link_target(&at));
        Ok((Known { path, stamp: None, digest: sha256(text.as_bytes()) }, false))
    }

    /// Keeps what a build without errors read, wrote and said. That it cannot be written costs time
    /// later.
    pub(super) fn keep(
        &self,
        inputs: &Inputs<'_>,
        outputs: Vec<Known<'_>>,
        (pages, view, said): (usize, [u8; 32], Vec<Said<'_>>),
    ) {
        let record =
            Record { key: &self.key, pages, inputs: inputs.files.clone(), outputs, view, said };
        if let Ok(content) = postcard::to_allocvec(&record) {
            store::keep_whole(&self.root, RECORD, FORM, &content);
        }
    }
}

/// Everything that a build of `root` reads, by path.
///
/// # Errors
/// A folder cannot be read.
pub(super) fn inputs_of(root: &Path, known: &Listing<'_>) -> Result<Vec<Found>, Failure> {
    let settings = root.join(BOOK_TOML);
    let kind = disk::kind(&settings)?.unwrap_or(Kind::Special);
    let mut found = vec![Found { path: BOOK_TOML.to_owned(), kind, stamp: Stamp::of(&settings)? }];
    for folder in READ.iter().filter(|folder| disk::is_folder(&root.join(folder))) {
        found.extend(disk::stamps_below(&root.join(folder), folder, known)?);
    }
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Whether all files that pages show are among those that a build looks at: what is shown from
/// elsewhere, or through a folder that is a link, may change unseen.
pub(super) fn shows_only_what_is_read(root: &Path, pages: &[Page]) -> bool {
    let is_read = |path: &str| {
        let is_below = |folder: &&str| {
            let inner = path.strip_prefix(*folder).and_then(|path| path.strip_prefix('/'));
            let folder = root.join(folder);
            inner.is_some_and(|inner| disk::is_reached_directly(&folder, inner).unwrap_or(false))
        };
        READ.iter().any(is_below)
    };
    pages.iter().flat_map(|page| &page.includes).all(|include| is_read(&include.path))
}
