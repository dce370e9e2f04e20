//! Archives of any files: the same bytes on every machine, whatever the modes, times and owners
//! on the disk.
//!
//! Every header field is written here. `tar::HeaderMode::Deterministic` is not enough: it takes
//! the mode from the disk, and a checkout that lost the x bit gave another archive.

use std::io::{self, Read};

use flate2::{Compression, GzBuilder};
use zip::write::SimpleFileOptions;

use super::content::spool;
use crate::disk::Spool;

/// The time in archives where no other is asked for: 1980-01-01, the first that zip can write.
pub(crate) const DEFAULT_MTIME: u64 = 315_532_800;

/// The last second of 2107, beyond which zip has no dates.
pub(super) const LAST_MTIME: u64 = 4_354_819_198;

/// The strongest level; fixed, because another one is other bytes.
const LEVEL: u32 = 9;

/// One file of an archive.
pub(crate) struct Member<'a> {
    /// Its path in the archive.
    pub(crate) path: String,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// Its mode: 0755 or 0644.
    pub(crate) mode: u32,
    /// Opens its bytes.
    pub(crate) open: Box<dyn Fn() -> io::Result<Box<dyn Read + 'a>> + 'a>,
}

/// Packs a `tar.gz`; the members must be sorted by path.
///
/// # Errors
/// A member cannot be read.
pub(crate) fn tar_gz(members: &[Member], mtime: u64) -> io::Result<Spool> {
    let gzip = GzBuilder::new().mtime(0).operating_system(255);
    let mut tar = tar::Builder::new(gzip.write(spool(), Compression::new(LEVEL)));
    for member in members {
        let mut header = tar::Header::new_ustar();
        header.set_path(&member.path)?;
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(member.size);
        header.set_mode(member.mode);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(mtime.clamp(DEFAULT_MTIME, LAST_MTIME));
        header.set_cksum();
        tar.append(&header, (member.open)()?)?;
    }
    tar.into_inner()?.finish()
}

/// Packs a `zip`; the members must be sorted by path.
///
/// # Errors
/// A member cannot be read.
pub(crate) fn zip(members: &[Member], mtime: u64) -> io::Result<Spool> {
    let mut zip = zip::ZipWriter::new(spool());
    for member in members {
        let options = SimpleFileOptions::default()
            .system(zip::System::Unix)
            .compression_method(zip::CompressionMethod::Deflated)
            .compression_level(Some(i64::from(LEVEL)))
            .last_modified_time(dos_time(mtime.clamp(DEFAULT_MTIME, LAST_MTIME)))
            .unix_permissions(member.mode)
            .large_file(member.size >= u64::from(u32::MAX));
        zip.start_file(member.path.as_str(), options)?;
        io::copy(&mut (member.open)()?, &mut zip)?;
    }
    Ok(zip.finish()?)
}

/// A Unix time as zip writes it: UTC, even seconds.
pub(super) fn dos_time(mtime: u64) -> zip::DateTime {
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

#[cfg(test)]
mod tests {
    use super::*;

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
