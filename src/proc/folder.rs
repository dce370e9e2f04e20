//! The private folder of a session: pipes and texts that only labdoc, its keeper and its shell see.

use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// How the name of such a folder begins.
const PREFIX: &str = "labdoc-session-";

/// The folders that a keeper may remove begin so: a session's, and that of its run.
const REMOVABLE: [&str; 2] = [PREFIX, "labdoc-run-"];

/// A temporary folder of this user's own. It goes with this value, and with the keeper when labdoc
/// was killed.
pub(crate) struct PrivateFolder(TempDir);

impl PrivateFolder {
    /// Makes one.
    pub(crate) fn new() -> io::Result<Self> {
        tempfile::Builder::new().prefix(PREFIX).tempdir().map(Self)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Makes a folder in it, and itself where a dying keeper has removed it.
    pub(crate) fn make(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        std::fs::create_dir_all(&path)?;
        Ok(path)
    }

    /// Gives a file of it another name in it; the file that had that name goes. `None` where there is
    /// no such file.
    pub(crate) fn rename(&self, from: &Path, name: &str) -> io::Result<Option<PathBuf>> {
        let path = self.path().join(name);
        match std::fs::rename(from, &path) {
            Ok(()) => Ok(Some(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a file that is not there yet. (Cutting off an old one costs some file systems
    /// milliseconds.)
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        std::fs::write(&path, bytes)?;
        Ok(path)
    }
}

/// Removes a file or pipe of a private folder; one that is gone already is fine.
pub(crate) fn forget_file(path: &Path) {
    let _ = std::fs::remove_file(path);
}

/// The bytes of a file; `None` where it is not there.
pub(crate) fn file_bytes(path: &Path) -> Option<Vec<u8>> {
    std::fs::read(path).ok()
}

/// The text of a short file; `None` while it is not there.
pub(crate) fn small_file(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Removes a whole private folder, of a session or of a run, and nothing else.
pub(super) fn remove(folder: &Path) {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if folder.is_absolute() && REMOVABLE.iter().any(|prefix| name.starts_with(prefix)) {
        let _ = std::fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::{PrivateFolder, remove};

    #[test]
    fn only_a_private_folder_is_removed() {
        let (own, other) = (PrivateFolder::new().unwrap(), tempfile::tempdir().unwrap());
        remove(own.path());
        remove(other.path());
        assert_eq!((own.path().exists(), other.path().exists()), (false, true));
    }
}
