//! The one writer: everything goes to `<out>/.labdoc-new/` first, then what differs is renamed
//! into place. An error before that changes nothing; a kill in between leaves each file whole,
//! and the next build finishes the job.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::place::place;
use super::search::SearchIndex;
use crate::diag::Failure;
use crate::digest::sha256_hex;
use crate::disk::{self, Kind, Lock, Stamp};

/// The folder that holds a build until it is complete.
pub(crate) const NEW: &str = ".labdoc-new";

/// The list of what labdoc wrote; with old and new names it is the journal of a commit.
pub(crate) const LIST: &str = "labdoc-files.txt";

/// A build on its way to the output folder. Files may be put from several threads.
pub(crate) struct Staging {
    out: PathBuf,
    new: PathBuf,
    /// The files, with their sizes and digests where they were put.
    names: Mutex<BTreeMap<String, Option<Weight>>>,
    memory: Option<Mutex<BTreeMap<String, Arc<[u8]>>>>,
    /// What somebody who searches asks for; a preview makes it then.
    search: Mutex<Option<SearchIndex>>,
    /// Nobody else writes into the output folder meanwhile.
    _lock: Option<Lock>,
}

/// Size in bytes and digest of a file.
pub(super) type Weight = (u64, String);

/// A build in memory, and the search index that is still to be made.
pub(crate) type InMemory = (BTreeMap<String, Arc<[u8]>>, Option<SearchIndex>);

/// What a commit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Committed {
    /// Files of the site.
    pub(crate) files: usize,
    /// Files that were new or differed.
    pub(crate) changed: usize,
    /// Files of an earlier build that are gone.
    pub(crate) removed: usize,
    /// Files in the output folder that labdoc did not write; they were kept.
    pub(crate) foreign: Vec<String>,
    /// Everything that stands in the output folder now, but for the foreign files.
    pub(crate) written: Written,
}

/// Files of the output folder, the list of files among them, by their names, with their digests and
/// what tells that nobody else wrote them since.
pub(crate) type Written = BTreeMap<String, (String, Stamp)>;

impl Staging {
    /// Begins a build; what an interrupted one left is cleared.
    ///
    /// # Errors
    /// The output folder cannot be made, is no folder, or another build is writing it.
    pub(crate) fn begin(out: &Path) -> Result<Staging, Failure> {
        if matches!(disk::kind(out)?, Some(Kind::File | Kind::Special)) {
            return Err(Failure::new(format!("{} is not a folder", out.display())));
        }
        disk::create_folder(out)?;
        let Some(lock) = disk::lock(out)? else {
            let message = format!("another labdoc is writing {}", out.display());
            return Err(Failure::new(message)
                .hint("wait until it has ended, or build into another folder with --out"));
        };
        let new = out.join(NEW);
        disk::remove_folder(&new)?;
        disk::create_folder(&new)?;
        let (out, (names, search)) = (out.to_owned(), Default::default());
        Ok(Staging { out, new, names, memory: None, search, _lock: Some(lock) })
    }

    /// A build that stays in memory; what is written by other means goes to `scratch`.
    pub(crate) fn in_memory(scratch: &Path) -> Staging {
        let (out, new) = (scratch.to_owned(), scratch.join(NEW));
        let (names, search, memory) = (Mutex::default(), Mutex::default(), Some(Mutex::default()));
        Staging { out, new, names, memory, search, _lock: None }
    }

    /// The files of a build in memory.
    ///
    /// # Errors
    /// What was written by other means cannot be read.
    pub(crate) fn into_files(self) -> Result<InMemory, Failure> {
        let memory = self.memory.unwrap_or_default();
        let mut files = memory.into_inner().unwrap_or_else(PoisonError::into_inner);
        for name in self.names.into_inner().unwrap_or_else(PoisonError::into_inner).into_keys() {
            if let Entry::Vacant(entry) = files.entry(name) {
                let bytes = disk::read_own(&self.new.join(entry.key()))?;
                entry.insert(bytes.into());
            }
        }
        Ok((files, self.search.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Leaves the search index to be made when it is asked for.
    pub(super) fn leave_search(&self, index: SearchIndex) {
        *self.search.lock().unwrap_or_else(PoisonError::into_inner) = Some(index);
    }

    /// Where a file of the build may be written by other means; its name is noted.
    ///
    /// # Errors
    /// The name is unsafe or taken.
    pub(crate) fn claim(&self, path: &str) -> Result<PathBuf, Failure> {
        if !is_inside(path) {
            return Err(Failure::new(format!("`{path}` is no path in the site")));
        }
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.insert(path.to_owned(), None).is_some() {
            let message = format!("two files of the site would be {path}");
            return Err(Failure::new(message).hint("rename one of the sources"));
        }
        Ok(self.new.join(path))
    }

    /// Writes one file of the build.
    ///
    /// # Errors
    /// See [`Staging::claim`]; or it cannot be written.
    pub(crate) fn put(&self, path: &str, bytes: &[u8]) -> Result<(), Failure> {
        let target = self.claim(path)?;
        if let Some(memory) = &self.memory {
            let mut files = memory.lock().unwrap_or_else(PoisonError::into_inner);
            files.insert(path.to_owned(), bytes.into());
        } else {
            disk::write(&target, bytes)?;
            self.weighed(path, (bytes.len() as u64, sha256_hex(bytes)));
        }
        Ok(())
    }

    /// Writes one file of the build from what a reader gives.
    ///
    /// # Errors
    /// See [`Staging::claim`]; or it cannot be read or written.
    pub(super) fn put_from(&self, path: &str, from: &mut dyn Read) -> Result<(), Failure> {
        let target = self.claim(path)?;
        let weight = disk::write_from(&target, from)?;
        self.weighed(path, weight);
        Ok(())
    }

    /// Notes what a file weighs that was written by other means.
    pub(super) fn weighed(&self, path: &str, weight: Weight) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(path.to_owned(), Some(weight));
    }

    /// Size and digest of a file.
    ///
    /// # Errors
    /// It was written by other means, and cannot be read.
    pub(super) fn weigh(&self, path: &str) -> Result<Weight, Failure> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(path).cloned().flatten() {
            return Ok(known);
        }
        drop(names);
        let bytes = self.read(path)?;
        Ok((bytes.len() as u64, sha256_hex(&bytes)))
    }

    /// The names of all files so far.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// The bytes of a file that was put.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>, Failure> {
        if let Some(memory) = &self.memory {
            let files = memory.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(bytes) = files.get(path) {
                return Ok(bytes.to_vec());
            }
        }
        Ok(disk::read_own(&self.new.join(path))?)
    }

    /// The bytes of a file; `None` where it was only named.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn read_made(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        let memory = self.memory.as_ref();
        let files = memory.map(|files| files.lock().unwrap_or_else(PoisonError::into_inner));
        match files.as_ref().and_then(|files| files.get(path)) {
            Some(bytes) => Ok(Some(bytes.to_vec())),
            None if disk::is_file(&self.new.join(path)) => {
                Ok(Some(disk::read_own(&self.new.join(path))?))
            }
            None => Ok(None),
        }
    }

    /// Gives the build up; nothing else has changed. An output folder that it made goes too.
    ///
    /// # Errors
    /// The folder cannot be removed.
    pub(crate) fn discard(self) -> Result<(), Failure> {
        disk::remove_folder(&self.new)?;
        disk::remove_empty_folder(&self.out);
        Ok(())
    }

    /// Moves the build into place.
    ///
    /// # Errors
    /// A foreign file stands where a file of the site belongs, or a file cannot be moved.
    pub(crate) fn commit(self) -> Result<Committed, Failure> {
        let weights = self.names.into_inner().unwrap_or_else(PoisonError::into_inner);
        let names: BTreeSet<String> = weights.keys().cloned().collect();
        let old = read_list(&self.out)?;
        let foreign = foreign_files(&self.out, &old)?;
        if let Some(path) = names.iter().find(|name| meets(name, &foreign)) {
            disk::remove_folder(&self.new)?;
            let message = format!("{} was not written by labdoc", self.out.join(path).display());
            let hint = "move it away, or build into another folder with --out";
            return Err(Failure::new(message).hint(hint));
        }
        let mut journal: BTreeSet<String> = old.clone();
        journal.extend(names.iter().cloned());
        write_list(&self.out, &self.new, &journal)?;
        let stale: BTreeSet<String> = old.difference(&names).cloned().collect();
        let (in_the_way, others): (BTreeSet<String>, BTreeSet<String>) =
            stale.into_iter().partition(|name| meets(name, &names));
        let mut committed = Committed { files: names.len(), ..Committed::default() };
        committed.removed += remove_files(&self.out, &in_the_way)?;
        (committed.changed, committed.written) = place((&self.new, &self.out), weights)?;
        committed.removed += remove_files(&self.out, &others)?;
        write_list(&self.out, &self.new, &names)?;
        let list = sha256_hex(list_text(&names).as_bytes());
        committed.written.insert(LIST.to_owned(), (list, Stamp::of(&self.out.join(LIST))?));
        disk::remove_folder(&self.new)?;
        committed.foreign = foreign.into_iter().collect();
        Ok(committed)
    }

    /// Moves files into place that stand there already, but for what is in them: how many differed,
    /// and all of them.
    ///
    /// # Errors
    /// A file cannot be moved.
    pub(crate) fn commit_again(self) -> Result<(usize, Written), Failure> {
        let weights = self.names.into_inner().unwrap_or_else(PoisonError::into_inner);
        let placed = place((&self.new, &self.out), weights)?;
        disk::remove_folder(&self.new)?;
        Ok(placed)
    }
}

/// Replaces the list of files. What a kill leaves of it lies in the staging folder, which the next
/// build empties, and never among the files of the site.
fn write_list(out: &Path, new: &Path, names: &BTreeSet<String>) -> Result<(), Failure> {
    let staged = new.join(LIST);
    disk::replace(&staged, list_text(names).as_bytes())?;
    Ok(disk::rename(&staged, &out.join(LIST))?)
}

/// The names that an earlier build wrote. What leaves the folder was written by nobody's build.
fn read_list(out: &Path) -> Result<BTreeSet<String>, Failure> {
    let bytes = disk::read_optional(&out.join(LIST))?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter(|line| is_inside(line)).map(str::to_owned).collect())
}

/// Whether a name stays in the output folder.
fn is_inside(name: &str) -> bool {
    name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// A list, one name a line, sorted.
fn list_text(names: &BTreeSet<String>) -> String {
    names.iter().flat_map(|name| [name.as_str(), "\n"]).collect()
}

/// Files and links in the output folder that are on no list. Behind a link would be another folder.
fn foreign_files(out: &Path, old: &BTreeSet<String>) -> Result<BTreeSet<String>, Failure> {
    let own =
        |path: &String| path != LIST && !path.starts_with(".labdoc-new/") && !old.contains(path);
    let (files, links) = (disk::files_below(out)?, disk::links_below(out)?);
    Ok(files.into_iter().chain(links).filter(own).collect())
}

/// Whether a name of `set` stands at `name`, above it or below it.
fn meets(name: &str, set: &BTreeSet<String>) -> bool {
    let below = format!("{name}/");
    set.contains(name)
        || name.match_indices('/').any(|(at, _)| set.contains(&name[..at]))
        || set.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below))
}

/// Removes files of an earlier build, and the folders that are empty then; counts the files.
fn remove_files(out: &Path, names: &BTreeSet<String>) -> Result<usize, Failure> {
    let mut removed = 0;
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    for name in names {
        // A folder on the way may have become a link to somewhere else since.
        if disk::is_reached_directly(out, name)?
            && disk::kind(&out.join(name))?.is_some_and(|kind| kind != Kind::Folder)
        {
            disk::remove_file(&out.join(name))?;
            removed += 1;
        }
        folders.extend(name.match_indices('/').map(|(at, _)| &name[..at]));
    }
    for folder in folders.iter().rev() {
        disk::remove_empty_folder(&out.join(folder));
    }
    Ok(removed)
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
