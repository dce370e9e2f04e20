//! When files were last changed, as the history of a Git repository has it: the only door to
//! repositories, which are read in this process and never written.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::path::Path;

use gix::{ObjectId, Repository};
use jiff::Timestamp;
use jiff::tz::Offset;
use unicode_normalization::UnicodeNormalization as _;

#[cfg(test)]
mod tests;

/// What the history says of some files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    /// The day of the commit that last changed a file, by path, as `2026-11-29`: the author's day
    /// where the author was. A file whose change is not in the repository has none.
    pub(crate) days: BTreeMap<String, String>,
    /// Whether the change of some file lies before the oldest commit that was cloned.
    pub(crate) is_cut: bool,
}

/// The last changes of files below `root`, whose paths are relative to it and in NFC; `None` where
/// there is no repository with a commit. Only HEAD's history counts, and no setting of the user.
///
/// # Errors
/// The repository cannot be read; the text says why.
pub(crate) fn last_changes(root: &Path, paths: &[&str]) -> Result<Option<History>, String> {
    let Some((repository, prefix)) = open(root)? else { return Ok(None) };
    let Ok(head) = repository.head_id().map(gix::Id::detach) else { return Ok(None) };
    let shallow = repository.shallow_commits().map_err(|error| error.to_string())?;
    let shallow: BTreeSet<ObjectId> =
        shallow.iter().flat_map(|commits| commits.iter().copied()).collect();
    let paths: Vec<String> = paths.iter().map(|path| format!("{prefix}{path}")).collect();
    let mut walk =
        Walk { repository: &repository, shallow, paths, ..Walk::default_of(&repository) };
    walk.run(head)?;
    let cut = prefix.len();
    let days = walk.days.into_iter().map(|(at, day)| (walk.paths[at][cut..].to_owned(), day));
    Ok(Some(History { days: days.collect(), is_cut: walk.is_cut }))
}

/// The commit that is checked out around a folder; `None` where there is no repository with one.
pub(crate) fn head(root: &Path) -> Option<String> {
    let (repository, _) = open(root).ok()??;
    Some(repository.head_id().ok()?.to_string())
}

/// The repository around a folder, and the folder's path in it with a slash behind.
fn open(root: &Path) -> Result<Option<(Repository, String)>, String> {
    let isolated = gix::open::Options::isolated;
    let trust = gix::sec::trust::Mapping { full: isolated(), reduced: isolated() };
    let Ok(found) = gix::ThreadSafeRepository::discover_opts(root, Default::default(), trust)
    else {
        return Ok(None);
    };
    let repository = found.to_thread_local();
    let Some(top) = repository.workdir() else { return Ok(None) };
    let real = |path: &Path| gix::path::realpath(path).map_err(|error| error.to_string());
    let (top, root) = (real(top)?, real(root)?);
    let Ok(below) = root.strip_prefix(&top) else { return Ok(None) };
    let Some(below) = below.to_str() else { return Ok(None) };
    let prefix: String = below.nfc().collect();
    let prefix = if prefix.is_empty() { prefix } else { format!("{prefix}/") };
    Ok(Some((repository, prefix)))
}

/// A walk from HEAD into the past that carries each path along until the commit that changed it.
struct Walk<'a> {
    repository: &'a Repository,
    /// Commits whose parents were not cloned.
    shallow: BTreeSet<ObjectId>,
    /// The paths in the repository.
    paths: Vec<String>,
    /// Paths that a commit has as its child has them, by commit.
    carried: BTreeMap<ObjectId, BTreeSet<usize>>,
    /// Commits to look at, the newest first; of equal ones the one with the smallest id.
    queue: BinaryHeap<(i64, Reverse<ObjectId>)>,
    days: BTreeMap<usize, String>,
    is_cut: bool,
}

impl<'a> Walk<'a> {
    /// A walk over nothing.
    fn default_of(repository: &'a Repository) -> Walk<'a> {
        Walk {
            repository,
            shallow: BTreeSet::new(),
            paths: Vec::new(),
            carried: BTreeMap::new(),
            queue: BinaryHeap::new(),
            days: BTreeMap::new(),
            is_cut: false,
        }
    }

    /// Walks until every path has its commit.
    fn run(&mut self, head: ObjectId) -> Result<(), String> {
        let tree = self.tree_of(head)?;
        let all: BTreeSet<usize> = (0..self.paths.len()).collect();
        // What HEAD does not have was never committed under this name.
        let absent = self.differing(Some(tree), None, &self.below(&all))?;
        self.carry(head, absent)?;
        while let Some((_, Reverse(commit))) = self.queue.pop() {
            let Some(paths) = self.carried.remove(&commit) else { continue };
            self.look(commit, paths)?;
        }
        Ok(())
    }

    /// Hands the paths of a commit to the parents that have the same; the others changed here.
    fn look(&mut self, commit: ObjectId, mut paths: BTreeSet<usize>) -> Result<(), String> {
        if self.shallow.contains(&commit) {
            self.is_cut = true;
            return Ok(());
        }
        let tree = self.tree_of(commit)?;
        let found = self.repository.find_commit(commit).map_err(|error| error.to_string())?;
        let parents: Vec<ObjectId> = found.parent_ids().map(gix::Id::detach).collect();
        for parent in parents {
            let before = self.tree_of(parent)?;
            let changed = self.differing(Some(tree), Some(before), &self.below(&paths))?;
            let same: BTreeSet<usize> = paths.difference(&changed).copied().collect();
            self.carry(parent, same)?;
            paths = changed;
        }
        if paths.is_empty() {
            return Ok(());
        }
        let author = found.author().map_err(|error| error.to_string())?;
        let time = author.time().map_err(|error| error.to_string())?;
        if let Some(day) = day(time.seconds, time.offset) {
            self.days.extend(paths.into_iter().map(|path| (path, day.clone())));
        }
        Ok(())
    }

    /// Gives paths to a commit.
    fn carry(&mut self, commit: ObjectId, paths: BTreeSet<usize>) -> Result<(), String> {
        if paths.is_empty() {
            return Ok(());
        }
        let found = self.repository.find_commit(commit).map_err(|error| error.to_string())?;
        let time = found.time().map_err(|error| error.to_string())?;
        self.carried.entry(commit).or_default().extend(paths);
        self.queue.push((time.seconds, Reverse(commit)));
        Ok(())
    }

    /// The tree of a commit.
    fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, String> {
        let found = self.repository.find_commit(commit).map_err(|error| error.to_string())?;
        found.tree_id().map(gix::Id::detach).map_err(|error| error.to_string())
    }

    /// Paths with what is left of each below the top.
    fn below<'p>(&'p self, paths: &BTreeSet<usize>) -> Vec<(usize, &'p str)> {
        paths.iter().map(|at| (*at, self.paths[*at].as_str())).collect()
    }

    /// Those of the paths, sorted, that are not the same in two trees; equal trees are not opened.
    /// Paths that the first does not have are left out.
    fn differing(
        &self,
        tree: Option<ObjectId>,
        other: Option<ObjectId>,
        paths: &[(usize, &str)],
    ) -> Result<BTreeSet<usize>, String> {
        let mut out = BTreeSet::new();
        if tree == other {
            return Ok(out);
        }
        let (tree, other) = (self.entries(tree)?, self.entries(other)?);
        let mut groups: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
        for (at, path) in paths {
            let (name, rest) = path.split_once('/').unwrap_or((path, ""));
            groups.entry(name).or_default().push((*at, rest));
        }
        for (name, group) in groups {
            let Some(here) = tree.get(name) else { continue };
            let there = other.get(name);
            if there == Some(here) {
                continue;
            }
            let (files, inside): (Vec<_>, Vec<_>) =
                group.into_iter().partition(|(_, rest)| rest.is_empty());
            out.extend(files.into_iter().filter(|_| !here.is_tree).map(|(at, _)| at));
            if here.is_tree && !inside.is_empty() {
                let there = there.filter(|there| there.is_tree).map(|there| there.id);
                out.extend(self.differing(Some(here.id), there, &inside)?);
            }
        }
        Ok(out)
    }

    /// What stands in a tree, by name in NFC.
    fn entries(&self, tree: Option<ObjectId>) -> Result<BTreeMap<String, Entry>, String> {
        let Some(id) = tree else { return Ok(BTreeMap::new()) };
        let tree = self.repository.find_tree(id).map_err(|error| error.to_string())?;
        let mut out = BTreeMap::new();
        for entry in tree.iter() {
            let entry = entry.map_err(|error| error.to_string())?;
            let name: String = String::from_utf8_lossy(entry.filename()).nfc().collect();
            let is_tree = entry.mode().is_tree();
            out.insert(name, Entry { id: entry.object_id(), is_tree });
        }
        Ok(out)
    }
}

/// One entry of a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry {
    id: ObjectId,
    is_tree: bool,
}

/// The day of a moment where the clock is `offset` seconds ahead of Greenwich.
fn day(seconds: i64, offset: i32) -> Option<String> {
    let moment = Timestamp::from_second(seconds).ok()?;
    let offset = Offset::from_seconds(offset).ok()?;
    Some(offset.to_datetime(moment).date().to_string())
}
