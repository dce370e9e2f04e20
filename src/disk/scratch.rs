//! The private folders of a run, and those that killed runs have left.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Once;

use tempfile::TempDir;

use super::{Result, fault};

/// How the names of such folders begin; nothing else is ever swept.
const PREFIX: &str = "labdoc-run-";

/// A file that says that a folder was left on purpose.
const KEPT: &str = ".kept";

/// How often a folder is made: another run may take it for a leftover before it is locked.
const TRIES: usize = 100;

/// A temporary folder of one run. It goes with this value; where labdoc was killed before, the
/// next run removes it: while a run lives it holds a lock on its folder, and the system lets go of
/// that lock however the run ends.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Makes one. The first one of a process removes what killed runs have left.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(crate) fn new() -> Result<Scratch> {
        static ONCE: Once = Once::new();
        let base = std::env::temp_dir();
        ONCE.call_once(|| sweep(&base));
        Scratch::below(&base)
    }

    /// Makes one in a folder.
    fn below(base: &Path) -> Result<Scratch> {
        let failed = || fault("create a temporary folder in", base);
        for _ in 0..TRIES {
            let folder =
                tempfile::Builder::new().prefix(PREFIX).tempdir_in(base).map_err(failed())?;
            let Ok(lock) = File::open(folder.path()) else { continue };
            // A file system without locks cannot be swept either.
            let _ = lock.lock();
            if is_at(&lock, &folder) {
                return Ok(Scratch { folder, _lock: lock });
            }
        }
        Err(failed()(std::io::Error::other("it vanishes again and again")))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves the folder where it is, and says where.
    pub(crate) fn keep(self) -> PathBuf {
        // Where this fails, the next run takes it for a leftover: no more can be done.
        let _ = File::create(self.path().join(KEPT));
        self.folder.keep()
    }
}

/// Whether an open folder is the one of this path.
fn is_at(open: &File, folder: &TempDir) -> bool {
    let (Ok(open), Ok(named)) = (open.metadata(), fs::symlink_metadata(folder.path())) else {
        return false;
    };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// Removes the folders of this user whose owner is dead. What cannot be looked at stays: it is
/// no matter of the run that begins.
fn sweep(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else { return };
    for entry in entries.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            remove_abandoned(&entry.path());
        }
    }
}

/// Removes a folder that is this user's own, that nobody holds and nobody left on purpose. It is
/// locked meanwhile.
fn remove_abandoned(folder: &Path) {
    let user = rustix::process::geteuid().as_raw();
    let own = fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir() && meta.uid() == user);
    let Some(lock) = File::open(folder).ok().filter(|_| own) else { return };
    if lock.try_lock().is_ok() && !folder.join(KEPT).exists() {
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder as a killed run leaves it: nobody holds its lock.
    fn abandoned(base: &Path) -> PathBuf {
        let Scratch { folder, _lock: lock } = Scratch::below(base).unwrap();
        fs::write(folder.path().join("file"), "x").unwrap();
        drop(lock);
        folder.keep()
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_nothing_else() {
        let base = tempfile::tempdir().unwrap();
        let (living, dead) = (Scratch::below(base.path()).unwrap(), abandoned(base.path()));
        let kept = Scratch::below(base.path()).unwrap().keep();
        let foreign = base.path().join("labdoc-other");
        fs::create_dir(&foreign).unwrap();
        let link = base.path().join("labdoc-run-link");
        std::os::unix::fs::symlink(&foreign, &link).unwrap();
        sweep(base.path());
        assert!(!dead.exists());
        for path in [living.path(), &kept, &foreign, &link] {
            assert!(path.exists(), "{}", path.display());
        }
        drop(living);
    }

    #[test]
    fn runs_that_begin_at_once_do_not_sweep_each_other() {
        let base = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let own = Scratch::below(base.path()).unwrap();
                        sweep(base.path());
                        assert!(own.path().exists());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }
}
