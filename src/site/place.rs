//! Moving a build into place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;

use super::output::{Weight, Written};
use crate::diag::Failure;
use crate::disk::{self, Kind, Stamp};

/// Moves files, with their weights where they are known, from the first folder into the second: how
/// many differed, and all of them. No link leads one elsewhere.
///
/// # Errors
/// A file cannot be moved.
pub(super) fn place(
    (new, out): (&Path, &Path),
    weights: BTreeMap<String, Option<Weight>>,
) -> Result<(usize, Written), Failure> {
    let whole = move_folders((new, out), &weights)?;
    let one = |(name, weight): (String, Option<Weight>)| {
        let to = out.join(&name);
        let moved = is_below(&name, &whole) || move_file(&new.join(&name), &to)?;
        let digest = weight.map_or_else(|| disk::digest(&to), |(_, digest)| Ok(digest))?;
        let stamp = Stamp::of(&to)?;
        Ok((moved, (name, (digest, stamp))))
    };
    let placed: Result<Vec<_>, Failure> = weights.into_par_iter().map(one).collect();
    let placed = placed?;
    let count = placed.iter().filter(|(moved, _)| *moved).count();
    Ok((count, placed.into_iter().map(|(_, file)| file).collect()))
}

/// Moves the folders that are not there yet, with all that is in them, and makes sure that the others
/// on the way of a file are folders: the paths of those that were moved.
fn move_folders(
    (new, out): (&Path, &Path),
    weights: &BTreeMap<String, Option<Weight>>,
) -> Result<BTreeSet<String>, Failure> {
    let mut there: BTreeSet<&str> = BTreeSet::new();
    let mut moved: BTreeSet<String> = BTreeSet::new();
    for name in weights.keys() {
        for (end, _) in name.match_indices('/') {
            let folder = &name[..end];
            if moved.contains(folder) {
                break;
            }
            if !there.insert(folder) {
                continue;
            }
            match disk::kind(&out.join(folder))? {
                None => {
                    disk::rename(&new.join(folder), &out.join(folder))?;
                    moved.insert(folder.to_owned());
                    break;
                }
                Some(Kind::Folder) => {}
                Some(_) => disk::check_way(out, &name[..=end])?,
            }
        }
    }
    Ok(moved)
}

/// Whether a file is in one of the folders, or below it.
fn is_below(name: &str, folders: &BTreeSet<String>) -> bool {
    !folders.is_empty() && name.match_indices('/').any(|(end, _)| folders.contains(&name[..end]))
}

/// Moves one file into place unless the same bytes stand there; says whether it did.
fn move_file(from: &Path, to: &Path) -> Result<bool, Failure> {
    if disk::same_bytes(from, to)? {
        return Ok(false);
    }
    if let Some(parent) = to.parent() {
        disk::create_folder(parent)?;
    }
    disk::rename(from, to)?;
    Ok(true)
}
