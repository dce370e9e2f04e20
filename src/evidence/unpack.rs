//! A bundle from elsewhere: an archive or a folder, read as data and never run. Only regular
//! files with portable paths are taken, and only so many and so large.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use unicode_normalization::UnicodeNormalization as _;

use crate::diag::Failure;
use crate::disk;

/// Most files that are read.
const MOST_FILES: usize = 10_000;

/// Largest file, and all files together, in bytes.
const LARGEST: u64 = 64 << 20;
const ALL: u64 = 256 << 20;

/// How many times larger than the archive its files may be.
const RATIO: u64 = 200;

/// The files of a foreign bundle by path.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Reads an archive (`.tar.gz`, `.tar`, `.zip`) or a folder.
///
/// # Errors
/// It cannot be read, or holds something that is refused; nothing was written.
pub(crate) fn unpack(path: &Path) -> Result<Files, Failure> {
    if disk::is_folder(path) {
        return folder(path);
    }
    let files = archive(&disk::read(path)?)?;
    if files.is_empty() {
        let message = format!("{} holds no file", path.display());
        return Err(Failure::new(message).hint("give a .tar.gz, a .zip, or a folder"));
    }
    Ok(files)
}

/// The files of an archive.
///
/// # Errors
/// It cannot be read, or holds something that is refused.
pub(crate) fn archive(bytes: &[u8]) -> Result<Files, Failure> {
    let mut taken = Taken::new(bytes.len() as u64);
    if bytes.starts_with(b"PK\x03\x04") {
        zip(bytes, &mut taken)?;
    } else if bytes.starts_with(&[0x1f, 0x8b]) {
        tar(GzDecoder::new(bytes), &mut taken)?;
    } else {
        tar(bytes, &mut taken)?;
    }
    Ok(taken.files)
}

/// The files taken so far.
struct Taken {
    files: Files,
    folded: BTreeSet<String>,
    left: u64,
}

impl Taken {
    /// None yet; the sum is bounded by the archive's size too.
    fn new(archive: u64) -> Taken {
        let left = ALL.min(archive.max(4096).saturating_mul(RATIO));
        Taken { files: Files::new(), folded: BTreeSet::new(), left }
    }

    /// Takes one file.
    fn take(&mut self, path: &str, reader: &mut dyn Read) -> Result<(), Failure> {
        let path: String = path.strip_prefix("./").unwrap_or(path).nfc().collect();
        disk::check_relative(&path).map_err(|fault| refused(&path, &fault.reason()))?;
        if !self.folded.insert(path.to_lowercase()) {
            return Err(refused(&path, "is there twice, or differs from another in case only"));
        }
        if self.files.len() == MOST_FILES {
            return Err(refused(&path, &format!("is more than {MOST_FILES} files")));
        }
        let limit = self.left.min(LARGEST);
        let mut bytes = Vec::new();
        let read = reader.take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|error| refused(&path, &format!("cannot be read: {error}")))?;
        if bytes.len() as u64 > limit {
            return Err(refused(&path, "is too large, or grows too much when unpacked"));
        }
        self.left -= bytes.len() as u64;
        self.files.insert(path, bytes);
        Ok(())
    }
}

/// Why nothing is taken.
fn refused(path: &str, why: &str) -> Failure {
    Failure::new(format!("`{path}` {why}")).hint("nothing was imported")
}

/// The members of a tar archive.
fn tar(reader: impl Read, taken: &mut Taken) -> Result<(), Failure> {
    let broken =
        |error: std::io::Error| Failure::new(format!("the archive cannot be read: {error}"));
    let mut archive = ::tar::Archive::new(reader);
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let path = String::from_utf8(entry.path_bytes().into_owned())
            .map_err(|_| Failure::new("a name in the archive is no UTF-8"))?;
        match entry.header().entry_type() {
            ::tar::EntryType::Directory | ::tar::EntryType::XGlobalHeader => {}
            ::tar::EntryType::Regular => taken.take(&path, &mut entry)?,
            _ => return Err(refused(&path, "is a link or a special file")),
        }
    }
    Ok(())
}

/// The members of a zip archive.
fn zip(bytes: &[u8], taken: &mut Taken) -> Result<(), Failure> {
    let broken = |error: ::zip::result::ZipError| {
        Failure::new(format!("the archive cannot be read: {error}"))
    };
    let mut archive = ::zip::ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(broken)?;
        let path = entry.name().map_err(broken)?.to_string();
        let kind = entry.unix_mode().map_or(0o100_000, |mode| mode & 0o170_000);
        if entry.is_dir() {
            continue;
        }
        if !matches!(kind, 0 | 0o100_000) {
            return Err(refused(&path, "is a link or a special file"));
        }
        taken.take(&path, &mut entry)?;
    }
    Ok(())
}

/// The files of a folder.
fn folder(path: &Path) -> Result<Files, Failure> {
    let mut taken = Taken::new(ALL);
    if let Some(link) = disk::links_below(path)?.first() {
        return Err(refused(link, "is a link or a special file"));
    }
    for name in disk::files_below(path)? {
        taken.take(&name, &mut disk::open(&path.join(&name))?)?;
    }
    Ok(taken.files)
}

/// The runs in a foreign bundle: for each folder with a `manifest.yaml`, its files.
pub(crate) fn runs(files: &Files) -> Vec<Files> {
    let folders: Vec<&str> =
        files.keys().filter_map(|path| path.strip_suffix("manifest.yaml")).collect();
    let runs = folders.iter().filter(|folder| folder.is_empty() || folder.ends_with('/'));
    runs.map(|folder| {
        let inside = files.iter().filter_map(|(path, bytes)| {
            let below = path.strip_prefix(folder)?;
            let other = folders.iter().any(|other| {
                other.len() > folder.len() && other.starts_with(folder) && path.starts_with(other)
            });
            (!other).then(|| (below.to_owned(), bytes.clone()))
        });
        inside.collect()
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tar archive with one entry.
    fn tar_with(path: &str, kind: ::tar::EntryType, size: usize) -> Vec<u8> {
        let mut header = ::tar::Header::new_ustar();
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(kind);
        header.set_size(size as u64);
        header.set_mode(0o644);
        header.set_cksum();
        let mut builder = ::tar::Builder::new(Vec::new());
        builder.append(&header, vec![b'x'; size].as_slice()).expect("append");
        builder.into_inner().expect("tar")
    }

    /// What unpacking these bytes says.
    fn check(bytes: &[u8], expect: Result<&[&str], &str>) {
        let folder = disk::temporary_folder("labdoc-unpack-").expect("folder");
        let path = folder.path().join("a");
        disk::write(&path, bytes).expect("write");
        let got = unpack(&path);
        match (got, expect) {
            (Ok(files), Ok(names)) => assert_eq!(files.keys().collect::<Vec<_>>(), names),
            (Err(failure), Err(part)) => assert!(failure.message.contains(part), "{failure}"),
            (got, expect) => panic!("{got:?}, not {expect:?}"),
        }
    }

    #[test]
    fn only_regular_files_with_portable_paths() {
        use ::tar::EntryType::{Fifo, Link, Regular, Symlink};
        check(&tar_with("T7/run.sh", Regular, 3), Ok(&["T7/run.sh"]));
        check(&tar_with("../run.sh", Regular, 3), Err("leaves its folder"));
        check(&tar_with("/etc/x", Regular, 3), Err("has an empty part"));
        check(&tar_with("a:b", Regular, 3), Err("cannot exist on Windows"));
        check(&tar_with("a/nul.txt", Regular, 3), Err("device name"));
        check(&tar_with("x", Symlink, 0), Err("is a link or a special file"));
        check(&tar_with("x", Link, 0), Err("is a link or a special file"));
        check(&tar_with("x", Fifo, 0), Err("is a link or a special file"));
        check(b"", Err("holds no file"));
    }

    #[test]
    fn an_archive_that_grows_is_refused() {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut gz, &tar_with("x", ::tar::EntryType::Regular, 30 << 20))
            .expect("write");
        check(&gz.finish().expect("gzip"), Err("grows too much"));
    }

    #[test]
    fn runs_are_the_folders_with_a_manifest() {
        let files: Files = ["T7/a/manifest.yaml", "T7/a/files/x", "T7/b/manifest.yaml", "T7/note"]
            .into_iter()
            .map(|path| (path.to_owned(), Vec::new()))
            .collect();
        let names: Vec<Vec<String>> =
            runs(&files).into_iter().map(|run| run.into_keys().collect()).collect();
        assert_eq!(names, [vec!["files/x", "manifest.yaml"], vec!["manifest.yaml"]]);
    }
}
