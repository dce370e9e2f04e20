//! One kit: its files with their digests, and how they are read again.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::walk::{self, LeftOut, Walked};
use super::{names, probe};
use crate::config::Config;
use crate::diag::{Checked, Diagnostic, Failure};
use crate::digest::{hex, sha256_hex};
use crate::disk::{self, Kind};

/// The folder that holds the kits, from the site's root.
pub(crate) const LABKIT: &str = "labkit";

/// What `[kit.NAME]` in `book.toml` says.
#[derive(Clone, Debug, Default)]
pub(crate) struct KitOptions {
    /// The version that is shown and that names the archives.
    pub(crate) version: Option<String>,
    /// What is published although it would be left out, in the syntax of `.gitignore`.
    pub(crate) include: Vec<String>,
}

impl KitOptions {
    /// What `book.toml` says of the kit of that name.
    pub(crate) fn of(config: &Config, name: &str) -> KitOptions {
        let table = config.file.kit.get(name).cloned().unwrap_or_default();
        KitOptions { version: table.version, include: table.include }
    }
}

/// One file of a kit. Its bytes stay on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KitFile {
    /// Path in the kit, with `/`, in NFC.
    pub(crate) path: String,
    /// Bytes in it.
    pub(crate) size: u64,
    /// SHA-256 in hex.
    pub(crate) sha256: String,
    /// Whether it begins with a shebang; the mode on the disk never counts, since a checkout or
    /// an unpacked archive may have lost it.
    pub(crate) executable: bool,
    /// Whether it is UTF-8 without NUL.
    pub(crate) text: bool,
    disk: PathBuf,
}

impl KitFile {
    /// The mode in archives and after a fetch.
    pub(crate) fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }

    /// The mode as four octal digits.
    pub(crate) fn mode_text(&self) -> &'static str {
        if self.executable { "0755" } else { "0644" }
    }

    /// The last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Opens it for one pass; the reader fails at the end if these are not the bytes that were
    /// loaded.
    pub(super) fn open(&self) -> Result<CheckedReader<'_>, Failure> {
        let inner = disk::open(&self.disk)?;
        Ok(CheckedReader { inner, hasher: Some(Sha256::new()), file: self })
    }

    /// All its bytes.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        self.open()?.read_to_end(&mut bytes).map_err(|error| self.failure(&error))?;
        Ok(bytes)
    }

    /// A failed read as a failure that names the file.
    pub(super) fn failure(&self, error: &io::Error) -> Failure {
        Failure::new(format!("cannot publish {}: {error}", self.disk.display()))
            .hint("run the build again when nothing writes to the kit")
    }
}

/// Reads a file of the kit and holds what was read against its digest.
pub(super) struct CheckedReader<'a> {
    inner: std::fs::File,
    /// Gone when the digest has been compared, since a reader may ask again after the end.
    hasher: Option<Sha256>,
    file: &'a KitFile,
}

/// A file of the kit is no longer the one that was listed.
#[derive(Debug)]
pub(super) struct Changed(pub(super) String);

impl std::fmt::Display for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} changed while it was being published", self.0)
    }
}

impl std::error::Error for Changed {}

impl Read for CheckedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if count == 0 && !buffer.is_empty() {
            let digest = self.hasher.take().map(|hasher| hex(&hasher.finalize()));
            if digest.is_some_and(|digest| digest != self.file.sha256) {
                return Err(io::Error::other(Changed(self.file.path.clone())));
            }
        } else if let Some(hasher) = &mut self.hasher {
            hasher.update(&buffer[..count]);
        }
        Ok(count)
    }
}

/// A folder directly under `labkit/` as it is published: files sorted by the bytes of their
/// paths, and the digest that names exactly this content. The digest is that of `SHA256SUMS`, so
/// a reader can compute it with `sha256sum SHA256SUMS` whatever way the kit arrived; no time, no
/// mode and no owner takes part in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kit {
    /// Its name: the folder's, in NFC.
    pub(crate) name: String,
    /// The version, or the first 8 digits of the digest.
    pub(crate) version: String,
    /// SHA-256 of [`Kit::sums`] in hex.
    pub(crate) digest: String,
    /// Its files, sorted bytewise by path.
    pub(crate) files: Vec<KitFile>,
    /// What is in the folder and is not published.
    pub(crate) left_out: Vec<LeftOut>,
    /// The text of `SHA256SUMS`.
    pub(crate) sums: String,
}

impl Kit {
    /// Reads `labkit/<name>/` below `root`. A file that cannot be read is a failure; all that is
    /// wrong with the kit itself is a finding.
    pub(crate) fn load(
        root: &Path,
        name: &str,
        options: &KitOptions,
    ) -> Result<Checked<Kit>, Failure> {
        let Walked { found, left_out, mut diagnostics } = walk::walk(root, name, &options.include)?;
        let mut kit = Kit { name: names::nfc(name), left_out, ..Kit::default() };
        // Reading and hashing is what a large kit takes; what is found stays in the order of the files.
        let look = |file: &walk::Found| {
            probe::probe(&file.disk, &format!("{LABKIT}/{}/{}", kit.name, file.path))
        };
        let probed: Vec<Result<_, Failure>> = found.par_iter().map(look).collect();
        for (file, probed) in found.into_iter().zip(probed) {
            let probed = probed?;
            diagnostics.extend(probed.diagnostics);
            let probe::Facts { size, sha256, executable, text } = probed.value;
            let walk::Found { path, disk } = file;
            kit.files.push(KitFile { path, size, sha256, executable, text, disk });
        }
        kit.files.sort_by(|a, b| a.path.cmp(&b.path));
        kit.sums = kit.files.iter().map(|f| format!("{}  {}\n", f.sha256, f.path)).collect();
        kit.digest = sha256_hex(kit.sums.as_bytes());
        kit.version = options.version.clone().unwrap_or_else(|| kit.digest[..8].to_owned());
        diagnostics.extend(names::check(&kit));
        Ok(Checked { value: kit, diagnostics })
    }

    /// The top folder of the archives and the target of a fetch: `<name>-<version>`.
    pub(crate) fn top(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// The path of the kit's folder from the site's root.
    pub(crate) fn source(&self) -> String {
        format!("{LABKIT}/{}", self.name)
    }

    /// The number of the file with this path.
    pub(crate) fn find(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
    }

    /// Whether a published folder has this path (without a slash at its end).
    pub(crate) fn has_folder(&self, path: &str) -> bool {
        path.is_empty() || self.files.iter().any(|file| is_below(&file.path, path))
    }

    /// Bytes in all files.
    pub(crate) fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

/// Whether `path` stands below the folder `folder`.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// The names of the kits below `root`, sorted: every folder directly under `labkit/`.
pub(crate) fn list(root: &Path) -> Result<Checked<Vec<String>>, Failure> {
    let mut out = Checked::default();
    let labkit = root.join(LABKIT);
    match disk::kind(&labkit)? {
        Some(Kind::Folder) => {}
        None => return Ok(out),
        Some(_) => {
            out.diagnostics.push(names::not_published(LABKIT, &labkit));
            return Ok(out);
        }
    }
    for entry in disk::list(&labkit)? {
        let Some(name) = entry.name else {
            out.diagnostics.push(names::not_utf8(LABKIT, &entry.path));
            continue;
        };
        match entry.kind {
            // Files such as `.gitignore` and `.DS_Store` are nobody's kit.
            _ if name.starts_with('.') => {}
            Kind::Folder => out.value.push(name),
            Kind::File => out.diagnostics.push(outside(&name)),
            Kind::Link | Kind::Special => {
                let at = format!("{LABKIT}/{name}");
                out.diagnostics.push(names::not_published(&at, &entry.path));
            }
        }
    }
    out.diagnostics.extend(names::check_kit_names(&out.value));
    Ok(out)
}

/// The finding for a file that is in no kit.
fn outside(name: &str) -> Diagnostic {
    let at = format!("{LABKIT}/{name}");
    Diagnostic::error("KT315", format!("{at} is not inside a kit"))
        .in_file(&at, None)
        .note("kits are the folders directly under labkit/")
        .hint(format!("move it into one, such as {LABKIT}/NAME/{name}"))
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
