//! Reading: what came from elsewhere is bounded, what labdoc wrote itself is not.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::{Result, check_way, create, fault, open};
use crate::digest::hex;

/// Largest file from elsewhere that is read whole, in bytes.
const LARGEST: u64 = 64 << 20;

/// Reads a whole file that came from elsewhere: a document, a record, a theme. It may hold 64 MiB,
/// so that no file can take all memory.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    read_all(path, fs::File::open(path).map_err(fault("read", path))?)
}

/// The same for `path` below `root` where it is a regular file that is reached without a link.
pub(crate) fn read_below(root: &Path, path: &str) -> Result<Vec<u8>> {
    check_way(root, path)?;
    let full = root.join(path);
    read_all(&full, open(&full)?)
}

/// Everything in an open file.
fn read_all(path: &Path, mut file: fs::File) -> Result<Vec<u8>> {
    let too_large = || {
        let message = format!("it is larger than {} MiB", LARGEST >> 20);
        fault("read", path)(io::Error::new(io::ErrorKind::FileTooLarge, message))
    };
    let size = file.metadata().map_err(fault("look at", path))?.len();
    if size > LARGEST {
        return Err(too_large());
    }
    // A device, or a file that grows, says nothing of its length. One byte more shows the end.
    let mut bytes = Vec::with_capacity(usize::try_from(size + 1).unwrap_or_default());
    (&mut file).take(LARGEST + 1).read_to_end(&mut bytes).map_err(fault("read", path))?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large());
    }
    tracing::trace!(path = %path.display(), bytes = bytes.len(), "read");
    Ok(bytes)
}

/// Reads a whole file that labdoc itself has written, of whatever size.
pub(crate) fn read_own(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(fault("read", path))
}

/// Copies a file of whatever size; the folders on the way are made.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut source = fs::File::open(from).map_err(fault("read", from))?;
    let mut target = create(to)?;
    io::copy(&mut source, &mut target).map_err(fault("copy", from))?;
    Ok(())
}

/// The SHA-256 of a file of whatever size, in hex; it is never in memory as a whole.
pub(crate) fn digest(path: &Path) -> Result<String> {
    let mut file = fs::File::open(path).map_err(fault("read", path))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer).map_err(fault("read", path))? {
            0 => return Ok(hex(&hasher.finalize())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

/// Writes what a reader gives into a new file; its size and SHA-256, in hex. It is never in memory
/// as a whole.
pub(crate) fn write_from(path: &Path, from: &mut dyn io::Read) -> Result<(u64, String)> {
    let mut file = create(path)?;
    let (mut size, mut hasher) = (0, Sha256::new());
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer).map_err(fault("read what belongs into", path))? {
            0 => return Ok((size, hex(&hasher.finalize()))),
            count => {
                hasher.update(&buffer[..count]);
                file.write_all(&buffer[..count]).map_err(fault("write", path))?;
                size += count as u64;
            }
        }
    }
}

/// How many bytes a file holds.
pub(crate) fn size(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).map_err(fault("look at", path))?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        fs::File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.ends_with("large: it is larger than 64 MiB"), "{error}");
        assert_eq!(size(&path).unwrap(), LARGEST + 1);
        let error = read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(error.ends_with("zero: it is larger than 64 MiB"), "{error}");
        let other = folder.path().join("a/b");
        copy(&path, &other).unwrap();
        assert_eq!(read_own(&other).unwrap().len() as u64, LARGEST + 1);
        fs::write(&other, "abc").unwrap();
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(&other).unwrap(), known);
    }
}
