//! Files that are written whole: a temporary file beside them, then a rename.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use super::{Kind, Result, create_folder, fault, kind, set_mode};

/// Replaces a file whole. Mode and, where `path` is a symbolic link, the link are kept.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mode = fs::metadata(&target).ok().map(|meta| meta.permissions());
    put(&target, bytes, (mode, Sync::Now))
}

/// Writes `path` below `root` whole, at this very place: folders are made, and no link is followed.
/// One that stands at the path itself is replaced.
///
/// # Errors
/// A folder on the way is a link or no folder, or the file cannot be written.
pub(crate) fn put_below(root: &Path, path: &str, bytes: &[u8]) -> Result<()> {
    put_at(root, path, (bytes, Sync::Now))
}

/// The same for a file that may be lost, or be damaged, when the machine loses its power: who reads
/// it can tell, and makes it again. Nobody waits for the disk.
///
/// # Errors
/// See [`put_below`].
pub(crate) fn keep_below(root: &Path, path: &str, bytes: &[u8]) -> Result<()> {
    put_at(root, path, (bytes, Sync::Sometime))
}

/// When the bytes of a file have to be on the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sync {
    /// Before it has its name.
    Now,
    /// When the system likes.
    Sometime,
}

/// Writes `path` below `root`.
fn put_at(root: &Path, path: &str, (bytes, sync): (&[u8], Sync)) -> Result<()> {
    check_way(root, path)?;
    let full = root.join(path);
    if let Some(folder) = full.parent() {
        create_folder(folder)?;
    }
    put(&full, bytes, (None, sync))
}

/// Refuses a path below `root` on whose way something stands that is no folder.
///
/// # Errors
/// That is so, or it cannot be looked at.
pub(crate) fn check_way(root: &Path, path: &str) -> Result<()> {
    for (end, _) in path.match_indices('/') {
        let folder = root.join(&path[..end]);
        if !matches!(kind(&folder)?, None | Some(Kind::Folder)) {
            let error = io::Error::new(io::ErrorKind::NotADirectory, "it is a link or a file");
            return Err(fault("write below", &folder)(error));
        }
    }
    Ok(())
}

/// Writes a file beside its place and renames it.
fn put(path: &Path, bytes: &[u8], (mode, sync): (Option<fs::Permissions>, Sync)) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".labdoc-")
        .tempfile_in(folder)
        .map_err(fault("write beside", path))?;
    file.write_all(bytes).map_err(fault("write", path))?;
    match mode {
        Some(mode) => fs::set_permissions(file.path(), mode).map_err(fault("write", path))?,
        None => set_mode(file.path(), 0o644)?,
    }
    if sync == Sync::Now {
        file.as_file().sync_all().map_err(fault("write", path))?;
    }
    file.persist(path).map_err(|error| fault("replace", path)(error.error))?;
    tracing::debug!(path = %path.display(), bytes = bytes.len(), "replaced");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::{read_below, write};
    use super::*;

    #[test]
    fn no_link_is_followed_below_a_folder() {
        let top = tempfile::tempdir().unwrap();
        let (root, other) = (top.path().join("root"), top.path().join("other"));
        write(&other, b"mine").unwrap();
        create_folder(&root.join("own")).unwrap();
        symlink(&other, root.join("own/a")).unwrap();
        assert!(read_below(&root, "own/a").is_err());
        put_below(&root, "own/a", b"one").unwrap();
        put_below(&root, "own/new/b", b"two").unwrap();
        assert_eq!(read_below(&root, "own/a").unwrap(), b"one");
        assert_eq!(read_below(&root, "own/new/b").unwrap(), b"two");
        symlink(root.join("own"), root.join("link")).unwrap();
        let fault = put_below(&root, "link/c", b"three").unwrap_err().to_string();
        assert!(fault.starts_with("cannot write below") && fault.contains("link"), "{fault}");
        assert!(read_below(&root, "link/new/b").is_err());
        assert!(kind(&root.join("own/c")).unwrap().is_none());
        assert_eq!(fs::read(&other).unwrap(), b"mine");
    }
}
