//! The kit as `tar.gz` and as `zip`: the same bytes on every machine, whatever the modes, times
//! and owners on the disk.
//!
//! Every header field is written here. `tar::HeaderMode::Deterministic` is not enough: it takes
//! the mode from the disk, and a checkout that lost the x bit gave another archive.

use std::io;

use flate2::{Compression, GzBuilder, read::GzDecoder};
use zip::write::SimpleFileOptions;

use super::content::{failure, first_difference, rewind, spool};
use super::tree::{Kit, KitFile};
use crate::diag::{Checked, Diagnostic, Failure};
use crate::disk::Spool;

/// The time in archives where no other is asked for: 1980-01-01, the first that zip can write.
pub(crate) const DEFAULT_MTIME: u64 = 315_532_800;

/// The last second of 2107, beyond which zip has no dates.
const LAST_MTIME: u64 = 4_354_819_198;

/// The strongest level; fixed, because another one is other bytes.
const LEVEL: u32 = 9;

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

/// Packs the kit, packs it again, and compares: bytes (KT312) and lists (KT313).
pub(super) fn pack_checked(
    kit: &Kit,
    format: Format,
    mtime: u64,
) -> Result<Checked<Spool>, Failure> {
    let mut first = pack(kit, format, mtime)?;
    let mut second = pack(kit, format, mtime)?;
    let name = format.file_name(kit);
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
pub(super) fn pack(kit: &Kit, format: Format, mtime: u64) -> Result<Spool, Failure> {
    let mtime = mtime.clamp(DEFAULT_MTIME, LAST_MTIME);
    let packed = match format {
        Format::TarGz => pack_tar(kit, mtime),
        Format::Zip => pack_zip(kit, mtime),
    };
    packed.map_err(|error| failure(&error))
}

/// The entries of an archive, sorted by path: a file, or `None` for the list of digests.
fn plan(kit: &Kit) -> Vec<(&str, Option<&KitFile>)> {
    let files = kit.files.iter().map(|file| (file.path.as_str(), Some(file)));
    let mut out: Vec<_> = files.chain([(SUMS, None)]).collect();
    out.sort_by_key(|(path, _)| *path);
    out
}

/// Size and mode of an entry.
fn facts(kit: &Kit, entry: Option<&KitFile>) -> (u64, u32) {
    entry.map_or((kit.sums.len() as u64, 0o644), |file| (file.size, file.mode()))
}

/// Writes the bytes of an entry.
fn copy(kit: &Kit, entry: Option<&KitFile>, out: &mut impl io::Write) -> io::Result<()> {
    match entry {
        Some(file) => io::copy(&mut file.open().map_err(io::Error::other)?, out).map(drop),
        None => out.write_all(kit.sums.as_bytes()),
    }
}

/// Packs the `tar.gz`.
fn pack_tar(kit: &Kit, mtime: u64) -> io::Result<Spool> {
    let gzip = GzBuilder::new().mtime(0).operating_system(255);
    let mut tar = tar::Builder::new(gzip.write(spool(), Compression::new(LEVEL)));
    for (path, entry) in plan(kit) {
        let (size, mode) = facts(kit, entry);
        let mut header = tar::Header::new_ustar();
        header.set_path(format!("{}/{path}", kit.top()))?;
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(size);
        header.set_mode(mode);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(mtime);
        header.set_cksum();
        match entry {
            Some(file) => tar.append(&header, file.open().map_err(io::Error::other)?)?,
            None => tar.append(&header, kit.sums.as_bytes())?,
        }
    }
    tar.into_inner()?.finish()
}

/// Packs the `zip`.
fn pack_zip(kit: &Kit, mtime: u64) -> io::Result<Spool> {
    let mut zip = zip::ZipWriter::new(spool());
    for (path, entry) in plan(kit) {
        let (size, mode) = facts(kit, entry);
        let options = SimpleFileOptions::default()
            .system(zip::System::Unix)
            .compression_method(zip::CompressionMethod::Deflated)
            .compression_level(Some(i64::from(LEVEL)))
            .last_modified_time(dos_time(mtime))
            .unix_permissions(mode)
            .large_file(size >= u64::from(u32::MAX));
        zip.start_file(format!("{}/{path}", kit.top()), options)?;
        copy(kit, entry, &mut zip)?;
    }
    Ok(zip.finish()?)
}

/// A Unix time as zip writes it: UTC, even seconds.
fn dos_time(mtime: u64) -> zip::DateTime {
    let time = i64::try_from(mtime - mtime % 2).ok();
    let time = time.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    let parts = time.map(|stamp| jiff::tz::Offset::UTC.to_datetime(stamp)).and_then(|at| {
        let small = |n: i8| u8::try_from(n).ok();
        let year = u16::try_from(at.year()).ok()?;
        let (month, day) = (small(at.month())?, small(at.day())?);
        let (hour, minute, second) = (small(at.hour())?, small(at.minute())?, small(at.second())?);
        zip::DateTime::from_date_and_time(year, month, day, hour, minute, second).ok()
    });
    parts.unwrap_or_else(zip::DateTime::default)
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

    #[test]
    fn zip_times_are_even_and_in_range() {
        let check = |mtime: u64, expect: (u16, u8, u8, u8, u8, u8)| {
            let t = dos_time(mtime.clamp(DEFAULT_MTIME, LAST_MTIME));
            let parts = (t.year(), t.month(), t.day(), t.hour(), t.minute(), t.second());
            assert_eq!(parts, expect, "{mtime}");
        };
        check(0, (1980, 1, 1, 0, 0, 0));
        check(1_796_083_201, (2026, 12, 1, 0, 0, 0));
        check(u64::MAX, (2107, 12, 31, 23, 59, 58));
    }
}
