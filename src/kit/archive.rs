//! The kit as `tar.gz` and as `zip`, packed twice and compared.

use std::io::{self, Read};

use flate2::read::GzDecoder;

use super::content::{failure, first_difference, rewind, spool};
use super::pack::{Member, tar_gz, zip};
use super::tree::{Changed, Kit, KitFile};
use crate::diag::{Checked, Diagnostic, Failure};
use crate::disk::Spool;

pub(crate) use super::pack::DEFAULT_MTIME;

/// The name of the list of digests.
pub(super) const SUMS: &str = "SHA256SUMS";

/// The two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// A ustar archive in gzip.
    TarGz,
    /// A zip archive.
    Zip,
}

impl Format {
    /// The name of the archive of `kit`.
    pub(super) fn file_name(self, kit: &Kit) -> String {
        match self {
            Format::TarGz => format!("{}.tar.gz", kit.top()),
            Format::Zip => format!("{}.zip", kit.top()),
        }
    }
}

/// Packs the kit, packs it again, and compares: bytes (KT312) and lists (KT313). Of a kit to which
/// something writes meanwhile the archive is empty.
pub(super) fn pack_checked(
    kit: &Kit,
    format: Format,
    mtime: u64,
) -> Result<Checked<Spool>, Failure> {
    let name = format.file_name(kit);
    let both = pack(kit, format, mtime).and_then(|one| Ok((one, pack(kit, format, mtime)?)));
    let (mut first, mut second) = match both {
        Ok(both) => both,
        Err(error) => {
            let finding = written_meanwhile(kit, &name, &error).ok_or_else(|| failure(&error))?;
            return Ok(Checked { value: spool(), diagnostics: vec![finding] });
        }
    };
    let difference = first_difference(&mut first, &mut second)?;
    let mut diagnostics = Vec::from_iter(difference.map(|offset| unstable(kit, &name, offset)));
    drop(second);
    rewind(&mut first)?;
    let listed = entries(&mut first, format).map_err(|error| failure(&error))?;
    diagnostics.extend(compare_lists(kit, &name, &listed));
    rewind(&mut first)?;
    Ok(Checked { value: first, diagnostics })
}

/// Packs the kit once.
pub(super) fn pack(kit: &Kit, format: Format, mtime: u64) -> io::Result<Spool> {
    let members = members(kit);
    match format {
        Format::TarGz => tar_gz(&members, mtime),
        Format::Zip => zip(&members, mtime),
    }
}

/// A file as a member.
fn member<'a>(kit: &Kit, file: &'a KitFile) -> Member<'a> {
    Member {
        path: format!("{}/{}", kit.top(), file.path),
        size: file.size,
        mode: file.mode(),
        open: Box::new(move || {
            let open: Box<dyn Read + 'a> = Box::new(file.open().map_err(io::Error::other)?);
            Ok(open)
        }),
    }
}

/// The members of an archive, sorted by path: the files and the list of digests.
fn members(kit: &Kit) -> Vec<Member<'_>> {
    let sums = Member {
        path: format!("{}/{SUMS}", kit.top()),
        size: kit.sums.len() as u64,
        mode: 0o644,
        open: Box::new(|| Ok(Box::new(kit.sums.as_bytes()))),
    };
    let mut out: Vec<Member<'_>> =
        kit.files.iter().map(|file| member(kit, file)).chain([sums]).collect();
    out.sort_by(|a, b| a.path.cmp(&b.path));
    out
}

/// The paths in an archive, in its order.
fn entries(archive: &mut Spool, format: Format) -> io::Result<Vec<String>> {
    match format {
        Format::TarGz => {
            let mut tar = tar::Archive::new(GzDecoder::new(archive));
            let paths = tar.entries()?.map(|entry| {
                entry.map(|found| String::from_utf8_lossy(&found.path_bytes()).into_owned())
            });
            paths.collect()
        }
        Format::Zip => {
            let mut zip = zip::ZipArchive::new(archive)?;
            let paths = (0..zip.len()).map(|i| Ok(zip.by_index(i)?.name()?.to_string()));
            paths.collect()
        }
    }
}

/// The finding when archive, tree and list of digests do not list the same files.
fn compare_lists(kit: &Kit, name: &str, listed: &[String]) -> Option<Diagnostic> {
    let top = format!("{}/", kit.top());
    let in_archive: Vec<&str> = (listed.iter())
        .map(|path| path.strip_prefix(&top).unwrap_or(path))
        .filter(|path| *path != SUMS)
        .collect();
    let in_tree: Vec<&str> = kit.files.iter().map(|file| file.path.as_str()).collect();
    let in_sums: Vec<&str> =
        kit.sums.lines().filter_map(|line| line.split_once("  ").map(|(_, path)| path)).collect();
    if in_archive == in_tree && in_sums == in_tree {
        return None;
    }
    let odd = |list: &[&str]| {
        let only = list.iter().find(|path| !in_tree.contains(path));
        let gone = in_tree.iter().find(|path| !list.contains(path));
        only.or(gone).map_or_else(|| "the order".to_owned(), ToString::to_string)
    };
    let message = "archive, file tree and SHA256SUMS do not list the same files";
    let finding = Diagnostic::error("KT313", message)
        .in_file(kit.source(), None)
        .note(format!("{name}: {} files, first difference: {}", in_archive.len(), odd(&in_archive)))
        .note(format!("SHA256SUMS: {} files, first difference: {}", in_sums.len(), odd(&in_sums)))
        .hint("this is a fault of labdoc; please report it with the list of the kit's files");
    Some(finding)
}

/// The finding when packing twice gave two results.
fn unstable(kit: &Kit, name: &str, offset: u64) -> Diagnostic {
    let message = format!(
        "building the kit archive {name} twice gave different bytes (first difference at offset {offset})"
    );
    Diagnostic::error("KT312", message).in_file(kit.source(), None).hint(
        "see whether something writes to the kit; otherwise report it, it is a fault of labdoc",
    )
}

/// The finding when a file was no longer the one that was listed, if it is that.
fn written_meanwhile(kit: &Kit, name: &str, error: &io::Error) -> Option<Diagnostic> {
    let Changed(path) = error.get_ref()?.downcast_ref()?;
    let source = format!("{}/{path}", kit.source());
    let message = format!(
        "{source} changed while the kit archive {name} was built; building it twice would give different bytes"
    );
    let hint = "run it again when nothing writes to the kit";
    Some(Diagnostic::error("KT312", message).in_file(source, None).hint(hint))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::kit::testing::{Site, codes};

    #[test]
    fn kt312_two_packings_that_differ() {
        let kit = Site::with(&[("app/a", "x")]).kit("app");
        let (mut one, mut other) = (spool(), spool());
        one.write_all(&[7; 100_000]).unwrap();
        other.write_all(&[7; 99_999]).unwrap();
        let offset = first_difference(&mut one, &mut other).unwrap();
        let finding = unstable(&kit, "app.zip", offset.unwrap());
        assert_eq!(codes(std::slice::from_ref(&finding)), ["KT312 labkit/app"]);
        assert!(finding.message.ends_with("(first difference at offset 99999)"), "{finding:?}");
        one = spool();
        one.write_all(&[7; 99_999]).unwrap();
        assert_eq!(first_difference(&mut one, &mut other).unwrap(), None);
    }
}
