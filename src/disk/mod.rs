//! The only door to files. Every failure names what was tried and on which path; writes go
//! through a temporary file and a rename.
#![expect(clippy::disallowed_methods, reason = "this room is the door to files")]

mod below;
mod lock;
mod path;
mod put;
mod read;
mod scratch;
mod stamp;
mod walk;
mod watch;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use below::{entries_below, files_below, is_reached_directly, links_below};
pub(crate) use lock::{Lock, lock};
pub(crate) use path::check_relative;
pub(crate) use put::{check_way, keep_below, put_below, replace};
pub(crate) use read::{copy, digest, read, read_below, read_own, size, write_from};
pub(crate) use scratch::Scratch;
pub(crate) use stamp::{Found, Listing, Now, Stamp, stamps_below};
pub(crate) use walk::markdown_below;
pub(crate) use watch::FileWatch;

use crate::diag::Failure;

/// A file operation that failed.
#[derive(Debug)]
pub(crate) struct DiskError {
    /// What was tried: "read", "write", "rename to".
    pub(crate) action: &'static str,
    /// On which path.
    pub(crate) path: PathBuf,
    /// What the system said.
    pub(crate) source: io::Error,
}

impl DiskError {
    /// Whether the file was simply not there.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self.source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    }
}

impl std::fmt::Display for DiskError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot {} {}: {}", self.action, self.path.display(), self.source)
    }
}

impl std::error::Error for DiskError {}

impl From<DiskError> for Failure {
    fn from(error: DiskError) -> Failure {
        Failure::new(error.to_string())
    }
}

/// The result of a file operation.
pub(crate) type Result<T> = std::result::Result<T, DiskError>;

/// Names action and path of an error.
fn fault(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DiskError {
    move |source| DiskError { action, path: path.to_owned(), source }
}

/// Reads a whole file, or `None` where there is none.
pub(crate) fn read_optional(path: &Path) -> Result<Option<Vec<u8>>> {
    match read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a regular file for reading; a link, a pipe or a device is refused by the system call
/// itself, so nothing can be slipped in between looking and opening.
pub(crate) fn open(path: &Path) -> Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let file = options.open(path).map_err(fault("open", path))?;
    if !file.metadata().map_err(fault("look at", path))?.is_file() {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
        return Err(fault("open", path)(error));
    }
    Ok(file)
}

/// Bytes on their way to the output: in memory while they are few, then in a file without a name.
pub(crate) type Spool = tempfile::SpooledTempFile;

/// An empty spool that holds up to `limit` bytes in memory.
pub(crate) fn spool(limit: usize) -> Spool {
    tempfile::spooled_tempfile(limit)
}

/// Reads a text; bytes that are no UTF-8 are an error of kind `InvalidData`.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let bytes = read(path)?;
    String::from_utf8(bytes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
        .map_err(fault("read", path))
}

/// A new file to write into, folders above it included; what stood there is emptied.
pub(crate) fn create(path: &Path) -> Result<fs::File> {
    if let Some(parent) = path.parent() {
        create_folder(parent)?;
    }
    fs::File::create(path).map_err(fault("write", path))
}

/// What stands at a path, the link itself where it is a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, whatever it leads to.
    Link,
    /// A pipe, a socket, a device.
    Special,
}

/// What stands at `path`; `None` where nothing does.
pub(crate) fn kind(path: &Path) -> Result<Option<Kind>> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(kind_of(meta.file_type()))),
        Err(error) => {
            let error = fault("look at", path)(error);
            if error.is_missing() { Ok(None) } else { Err(error) }
        }
    }
}

/// Where the symbolic link at `path` points to, as it is written; `None` where there is none.
pub(crate) fn link_target(path: &Path) -> Option<String> {
    fs::read_link(path).ok().map(|target| target.to_string_lossy().into_owned())
}

/// The kind behind a file type.
fn kind_of(file_type: fs::FileType) -> Kind {
    if file_type.is_symlink() {
        Kind::Link
    } else if file_type.is_dir() {
        Kind::Folder
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Special
    }
}

/// Whether a regular file stands at `path`, links followed.
pub(crate) fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Whether a folder stands at `path`, links followed.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its name; `None` where it is no UTF-8.
    pub(crate) name: Option<String>,
    /// Its whole path.
    pub(crate) path: PathBuf,
    /// What it is.
    pub(crate) kind: Kind,
}

/// The entries of a folder, sorted by the bytes of their names.
pub(crate) fn list(folder: &Path) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault("list", folder))? {
        let entry = entry.map_err(fault("list", folder))?;
        let file_type = entry.file_type().map_err(fault("look at", &entry.path()))?;
        let name = entry.file_name().into_string().ok();
        entries.push(Entry { name, path: entry.path(), kind: kind_of(file_type) });
    }
    entries.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    Ok(entries)
}

/// Makes a folder and those above it.
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(fault("create the folder", path))
}

/// Makes a folder that must not be there yet.
pub(crate) fn create_new_folder(path: &Path) -> Result<()> {
    fs::create_dir(path).map_err(fault("create the folder", path))
}

/// Writes a new file, folders above it included; what stood there is overwritten.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    tracing::trace!(path = %path.display(), bytes = bytes.len(), "write");
    let written = match (fs::write(path, bytes), path.parent()) {
        (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
            create_folder(parent)?;
            fs::write(path, bytes)
        }
        (written, _) => written,
    };
    written.map_err(fault("write", path))
}

/// The bytes of all files below a folder; what goes meanwhile does not count. Links are not
/// followed.
pub(crate) fn size_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size_below(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

/// Sets the permission bits where the system has them.
pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
            .map_err(fault("set the mode of", path))?;
    }
    Ok(())
}

/// Renames, replacing what stood at the new name.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(fault("rename to", to))
}

/// Removes a file; one that is gone already is no error.
pub(crate) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(fault("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Removes an empty folder; one that is gone already, or holds something, is no error.
pub(crate) fn remove_empty_folder(path: &Path) {
    // What cannot be removed is somebody else's folder or not empty, and both are fine.
    let _ = fs::remove_dir(path);
}

/// Removes a folder with all in it; one that is gone already is no error.
pub(crate) fn remove_folder(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(fault("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Whether two regular files hold the same bytes; `false` where the second is not there, or a link.
pub(crate) fn same_bytes(a: &Path, b: &Path) -> Result<bool> {
    let file = |path: &Path| fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
    let size = |path: &Path| file(path).map(|m| m.len());
    if size(b).is_none() || size(a) != size(b) {
        return Ok(false);
    }
    Ok(read_own(a)? == read_own(b)?)
}

/// The absolute form of a path that exists, links resolved.
pub(crate) fn canonical(path: &Path) -> Result<PathBuf> {
    fs::canonicalize(path).map_err(fault("find", path))
}

/// The current folder.
pub(crate) fn current_folder() -> Result<PathBuf> {
    std::env::current_dir().map_err(fault("find", Path::new(".")))
}

/// What tells this program from another build of it: its version, and path and stamp of its file. Size
/// and time alone do not where all files are given one time.
pub(crate) fn program_stamp() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    format!("{} {} {:?}", env!("CARGO_PKG_VERSION"), path.display(), Stamp::of(&path).ok())
}

/// A private folder that is removed when the value is dropped.
pub(crate) fn temporary_folder(prefix: &str) -> Result<tempfile::TempDir> {
    tempfile::Builder::new()
        .prefix(prefix)
        .tempdir()
        .map_err(fault("create a temporary folder in", &std::env::temp_dir()))
}

#[cfg(test)]
mod tests;
