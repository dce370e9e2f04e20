//! What tells, without reading it, that a file may be another one than it was.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use serde::{Deserialize, Serialize};

use super::{Kind, Result, fault};

/// A moment in seconds and nanoseconds since 1970, as the file system has it.
type Moment = (i64, i64);

/// How long a file is left alone at least before its stamp counts, in nanoseconds: a system's
/// clock of files moves in steps of up to 10 ms.
const STEP: i64 = 50_000_000;

/// The same, in seconds, where a file system knows whole seconds only, or every other one.
const COARSE: i64 = 3;

/// Size, number and times of a file. A file that is written gets another one, also where its
/// time of change is set back: nobody sets the time of the last change of its entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    size: u64,
    device: u64,
    inode: u64,
    modified: Moment,
    changed: Moment,
}

impl Stamp {
    /// The stamp of what stands at a path, links not followed.
    pub(crate) fn of(path: &Path) -> Result<Stamp> {
        let stat = rustix::fs::lstat(path).map_err(io::Error::from);
        Ok(Stamp::of_stat(&stat.map_err(fault("look at", path))?))
    }

    /// From what the system says of a file. The types of the fields differ from system to system.
    fn of_stat(stat: &Stat) -> Stamp {
        Stamp {
            size: number(stat.st_size),
            device: number(stat.st_dev),
            inode: number(stat.st_ino),
            modified: (number(stat.st_mtime), number(stat.st_mtime_nsec)),
            changed: (number(stat.st_ctime), number(stat.st_ctime_nsec)),
        }
    }

    /// How many bytes the file has.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Whether a file with this stamp was last written before `record` was, so that one that is
    /// written later has another stamp. Clocks of two devices cannot be compared.
    pub(crate) fn is_before(&self, record: &Stamp) -> bool {
        self.is_beside(record) && self.is_left_since(record.modified, 0)
    }

    /// Whether the clock that wrote one also wrote the other.
    pub(crate) fn is_beside(&self, other: &Stamp) -> bool {
        self.device == other.device
    }

    /// Whether the file had been left alone for a while at a moment.
    pub(crate) fn is_settled(&self, now: Now) -> bool {
        self.is_left_since(now.0, STEP)
    }

    /// Whether the file system knows parts of a second. One that does not may be one that leaves
    /// the times of folders alone.
    fn is_fine(&self) -> bool {
        self.modified.1 != 0 && self.changed.1 != 0
    }

    /// Whether the file was last written more than `step` nanoseconds before a moment.
    fn is_left_since(&self, moment: Moment, step: i64) -> bool {
        let last = self.modified.max(self.changed);
        if last.1 == 0 || moment.1 == 0 {
            return last.0 + COARSE < moment.0;
        }
        let limit = if moment.1 < step {
            (moment.0 - 1, moment.1 + 1_000_000_000 - step)
        } else {
            (moment.0, moment.1 - step)
        };
        last < limit
    }
}

/// A field of what the system says; one that is out of range fits nothing.
fn number<F, T: TryFrom<F> + Default>(field: F) -> T {
    T::try_from(field).unwrap_or_default()
}

/// A moment of this machine's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now(Moment);

impl Now {
    /// This moment. It decides only whether a file is read again, never what is built.
    pub(crate) fn read() -> Now {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(0);
        Now((seconds, i64::from(since.subsec_nanos())))
    }
}

/// What stands somewhere below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Path relative to the folder, with `/`.
    pub(crate) path: String,
    /// What it is.
    pub(crate) kind: Kind,
    /// Its stamp.
    pub(crate) stamp: Stamp,
}

/// What is known of folders from an earlier look: a folder that stands as it was left need not be
/// listed again, since what comes and goes in it changes its times.
#[derive(Default)]
pub(crate) struct Listing<'a> {
    /// The names in each folder, by its path.
    names: BTreeMap<&'a str, (Stamp, Vec<&'a str>)>,
    /// The stamp of the file that says so; without one the stamps may be trusted.
    noted: Option<Stamp>,
}

impl<'a> Listing<'a> {
    /// From everything that stood there, with its path, and its stamp if it is a folder whose stamp
    /// counts; `noted` is the stamp of the file that says so.
    pub(crate) fn of(
        known: impl Iterator<Item = (&'a str, Option<Stamp>)> + Clone,
        noted: Option<Stamp>,
    ) -> Listing<'a> {
        let mut names: BTreeMap<&str, (Stamp, Vec<&str>)> =
            known.clone().filter_map(|(path, stamp)| Some((path, (stamp?, Vec::new())))).collect();
        for (path, _) in known {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if let Some((_, names)) = names.get_mut(folder) {
                names.push(name);
            }
        }
        Listing { names, noted }
    }

    /// The names in a folder with this stamp.
    fn names(&self, folder: &str, stamp: &Stamp) -> Option<&[&'a str]> {
        let (known, names) = self.names.get(folder)?;
        let is_old = self.noted.is_none_or(|noted| stamp.is_before(&noted));
        (known == stamp && is_old && stamp.is_fine()).then_some(names)
    }
}

/// Everything below `folder`, itself among it, with its stamp, sorted by path; `path` is the path
/// of the folder in what is found. Links are not followed. What has a name that is no UTF-8 is found
/// under the escaped one as something special, and nothing below it.
pub(crate) fn stamps_below(folder: &Path, path: &str, known: &Listing<'_>) -> Result<Vec<Found>> {
    let mut look = Look { known, out: Vec::new() };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = rustix::fs::open(folder, flags, Mode::empty());
    let at = open.map_err(io::Error::from).map_err(fault("list", folder))?;
    look.collect(&at, path.to_owned(), folder)?;
    let mut out = look.out;
    out.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(out)
}

/// A look at what stands below a folder.
struct Look<'a> {
    known: &'a Listing<'a>,
    out: Vec<Found>,
}

impl Look<'_> {
    /// Takes a folder and what is in it; `place` is said of faults.
    fn collect(&mut self, folder: &OwnedFd, path: String, place: &Path) -> Result<()> {
        let stat = rustix::fs::fstat(folder);
        let stamp = Stamp::of_stat(&stat.map_err(io::Error::from).map_err(fault("list", place))?);
        let (known, mut is_told) = (self.known, true);
        match known.names(&path, &stamp) {
            Some(names) => {
                for name in names {
                    self.one((folder, &path, place), name)?;
                }
            }
            None => {
                let list = rustix::fs::Dir::read_from(folder).map_err(io::Error::from);
                for entry in list.map_err(fault("list", place))? {
                    let entry = entry.map_err(io::Error::from).map_err(fault("list", place))?;
                    match entry.file_name().to_str() {
                        Ok("." | "..") => {}
                        Ok(name) => self.one((folder, &path, place), name)?,
                        Err(_) => {
                            let name = entry.file_name().to_bytes().escape_ascii().to_string();
                            let (kind, stamp) = (Kind::Special, Stamp::default());
                            self.out.push(Found { path: below(&path, &name), kind, stamp });
                            is_told = false;
                        }
                    }
                }
            }
        }
        // An escaped name cannot be looked for: the folder is to be listed again.
        let stamp = if is_told { stamp } else { Stamp::default() };
        self.out.push(Found { path, kind: Kind::Folder, stamp });
        Ok(())
    }

    /// Takes one name of a folder; what went meanwhile is not there.
    fn one(&mut self, (folder, above, place): (&OwnedFd, &str, &Path), name: &str) -> Result<()> {
        let stat = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(rustix::io::Errno::NOENT) => return Ok(()),
            Err(error) => return Err(fault("look at", &place.join(name))(error.into())),
        };
        let path = below(above, name);
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            _ => Kind::Special,
        };
        if kind != Kind::Folder {
            self.out.push(Found { path, kind, stamp: Stamp::of_stat(&stat) });
            return Ok(());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let place = place.join(name);
        let inner = rustix::fs::openat(folder, name, flags, Mode::empty());
        let inner = inner.map_err(io::Error::from).map_err(fault("list", &place))?;
        self.collect(&inner, path, &place)
    }
}

/// The path of a name in a folder.
fn below(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { [above, "/", name].concat() }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_is_written_has_another_stamp_even_at_the_same_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        super::super::write(&path, b"one").unwrap();
        let before = Stamp::of(&path).unwrap();
        let other = folder.path().join("a/c");
        super::super::write(&other, b"two").unwrap();
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
        super::super::rename(&other, &path).unwrap();
        let after = Stamp::of(&path).unwrap();
        assert_eq!((before.size, before.modified), (after.size, after.modified));
        assert_ne!(before, after);
        let found = stamps_below(folder.path(), "x", &Listing::default()).unwrap();
        let paths: Vec<&str> = found.iter().map(|found| found.path.as_str()).collect();
        assert_eq!((paths, found[2].stamp), (vec!["x", "x/a", "x/a/b"], after));
    }

    #[test]
    fn what_comes_and_goes_is_found_in_folders_that_are_known() {
        let top = tempfile::tempdir().unwrap();
        let write = |path: &str| super::super::write(&top.path().join(path), b"x").unwrap();
        for path in ["a/one", "a/two", "b/c/three", "four"] {
            write(path);
        }
        let look = |known: &Listing<'_>| stamps_below(top.path(), "", known).unwrap();
        let before = look(&Listing::default());
        // As if it had been noted long after.
        let noted = Stamp { modified: (i64::MAX, 1), ..before[0].stamp };
        let stamp = |found: &Found| (found.kind == Kind::Folder).then_some(found.stamp);
        let known = Listing::of(before.iter().map(|f| (f.path.as_str(), stamp(f))), Some(noted));
        assert_eq!(known.names("b", &before[4].stamp), Some(&["c"][..]));
        assert_eq!(look(&known), before);
        fs::remove_file(top.path().join("a/one")).unwrap();
        write("b/new");
        write("a/two");
        fs::create_dir(top.path().join("b/c/empty")).unwrap();
        let after = look(&known);
        assert_eq!(after, look(&Listing::default()));
        let paths: Vec<&str> = after.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(
            paths,
            ["", "a", "a/two", "b", "b/c", "b/c/empty", "b/c/three", "b/new", "four"]
        );
    }

    #[test]
    fn a_stamp_counts_when_the_file_was_left_alone_since() {
        let at = |seconds, nanos| Stamp {
            modified: (seconds, nanos),
            changed: (seconds - 1, 5),
            ..Stamp::default()
        };
        assert!(at(10, 5).is_before(&at(10, 6)) && !at(10, 5).is_before(&at(10, 5)));
        // Whole seconds may be all that is known.
        assert!(!at(10, 0).is_before(&at(12, 6)) && at(10, 0).is_before(&at(14, 6)));
        let elsewhere = Stamp { device: 1, ..at(20, 1) };
        assert!(!at(10, 5).is_before(&elsewhere));
        assert!(at(10, 5).is_fine() && !at(10, 0).is_fine());
        assert!(at(10, 5).is_settled(Now((10, 60_000_005 + 1))));
        assert!(!at(10, 5).is_settled(Now((10, 40_000_000))));
        assert!(at(9, 999_999_999).is_settled(Now((10, 50_000_001))));
        assert!(!at(9, 990_000_000).is_settled(Now((10, 20_000_000))));
    }
}
