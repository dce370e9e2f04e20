//! One writer at a time: a lock on a folder, which the system lets go of however its owner ends.

use std::fs::{File, TryLockError};
use std::path::Path;

use super::{Result, fault};

/// A folder that this process writes into, and no other one meanwhile.
#[derive(Debug)]
pub(crate) struct Lock {
    _folder: File,
}

/// Takes the lock of a folder; `None` while another process, or another part of this one, has it.
/// A file system without locks gives it to everyone.
///
/// # Errors
/// The folder is not there or cannot be opened.
pub(crate) fn lock(folder: &Path) -> Result<Option<Lock>> {
    let file = File::open(folder).map_err(fault("open", folder))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(None),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(Lock { _folder: file })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_writer_until_the_lock_is_dropped() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let held = lock(one.path()).unwrap();
        assert!(held.is_some());
        assert!(lock(one.path()).unwrap().is_none(), "it is taken");
        assert!(lock(other.path()).unwrap().is_some(), "another folder is free");
        drop(held);
        assert!(lock(one.path()).unwrap().is_some(), "it is free again");
        assert!(lock(&one.path().join("none")).is_err());
    }
}
