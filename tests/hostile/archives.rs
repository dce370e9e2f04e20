//! Archives of others, which `labdoc evidence import` reads.

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::EntryType::{self, Char, Fifo, GNULongName, Link, Regular, Symlink};

use super::{Case, hold, page};
use crate::support::World;

/// An entry of a tar archive with a name that no polite writer would take.
fn entry(name: &[u8], kind: EntryType, size: u64) -> tar::Header {
    let mut header = tar::Header::new_ustar();
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o644);
    if matches!(kind, Symlink | Link) {
        header.set_link_name("/etc/hostname").expect("link");
    }
    header.set_cksum();
    header
}

/// A tar archive of entries with their bytes.
fn tar(entries: &[(tar::Header, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (header, bytes) in entries {
        builder.append(header, *bytes).expect("append");
    }
    builder.into_inner().expect("tar")
}

/// A site beside which an archive lies.
fn archive(bytes: Vec<u8>) -> World {
    let world = page("x");
    std::fs::write(world.base().join("a"), bytes).expect("archive");
    world
}

/// An archive with one entry of that name and kind.
fn one(name: &[u8], kind: EntryType) -> World {
    archive(tar(&[(entry(name, kind, 0), b"")]))
}

/// A compressed archive.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    gz.write_all(bytes).expect("gzip");
    gz.finish().expect("gzip")
}

/// A zip archive with files of these names.
fn zip(names: &[&str], bytes: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in names {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).expect("file");
        writer.write_all(bytes).expect("bytes");
    }
    writer.finish().expect("zip").into_inner()
}

/// A case that refuses the archive and says so.
const fn refused(name: &'static str, says: &'static str, site: fn() -> World) -> Case {
    Case { name, site, command: "evidence import ../a", code: 2, says }
}

const CASES: &[Case] = &[
    refused("tar: a name that leads out", "leaves its folder|nothing was imported", || {
        one(b"T7/../../x", Regular)
    }),
    refused("tar: an absolute name", "has an empty part", || one(b"/etc/x", Regular)),
    refused("tar: a device of Windows", "device name", || one(b"T7/nul", Regular)),
    refused("tar: a drive", "cannot exist on Windows", || one(b"c:x", Regular)),
    refused("tar: a link", "is a link or a special file", || one(b"T7/x", Symlink)),
    refused("tar: a hard link", "is a link or a special file", || one(b"T7/x", Link)),
    refused("tar: a device", "is a link or a special file", || one(b"T7/x", Char)),
    refused("tar: a pipe", "is a link or a special file", || one(b"T7/x", Fifo)),
    refused("tar: a link, then a file behind it", "is a link or a special file", || {
        archive(tar(&[(entry(b"T7", Symlink, 0), b""), (entry(b"T7/x", Regular, 1), b"x")]))
    }),
    refused("tar: a name that is no UTF-8", "is no UTF-8", || one(b"T7/\xff", Regular)),
    refused("tar: a terminal sequence in a name", "⟨U+001B⟩", || one(b"T7/\x1b[2J", Regular)),
    refused("tar: a name twice", "is there twice", || {
        archive(tar(&[(entry(b"a", Regular, 1), b"x"), (entry(b"A", Regular, 1), b"y")]))
    }),
    refused("tar: twins in their letters", "is there twice", || {
        let (one, other) = ("\u{ac00}".as_bytes(), "\u{1100}\u{1161}".as_bytes());
        archive(tar(&[(entry(one, Regular, 1), b"x"), (entry(other, Regular, 1), b"y")]))
    }),
    refused("tar: a name of 4 KB", "longer than 120 characters", || {
        let name = "d/".repeat(2_048) + "x\0";
        let long = entry(b"././@LongLink", GNULongName, name.len() as u64);
        archive(tar(&[(long, name.as_bytes()), (entry(b"x", Regular, 0), b"")]))
    }),
    refused("tar: a name of 1 GB that is not there", "cannot be read", || {
        archive(tar(&[(entry(b"././@LongLink", GNULongName, 1 << 30), b"")]))
    }),
    refused("tar: a file of 8 GB that is not there", "cannot be read", || {
        archive(tar(&[(entry(b"x", Regular, (8 << 30) - 1), b"x")]))
    }),
    refused("tar: more files than anyone reads", "is more than 10000 files", || {
        let names: Vec<String> = (0..10_001).map(|n| format!("f{n}")).collect();
        let entries: Vec<(tar::Header, &[u8])> =
            names.iter().map(|name| (entry(name.as_bytes(), Regular, 0), &b""[..])).collect();
        archive(tar(&entries))
    }),
    refused("tar.gz: a file that grows", "grows too much", || {
        archive(gzip(&tar(&[(entry(b"x", Regular, 40 << 20), &vec![0; 40 << 20])])))
    }),
    refused("tar.gz: an end that is missing", "cannot be read", || {
        let whole = gzip(&tar(&[(entry(b"x", Regular, 5_000), &[7; 5_000])]));
        archive(whole[..whole.len() / 2].to_vec())
    }),
    refused("zip: a name that leads out", "leaves its folder", || archive(zip(&["../x"], b"x"))),
    refused("zip: an absolute name", "has an empty part", || archive(zip(&["/etc/x"], b"x"))),
    refused("zip: a name with backslashes", "cannot exist on Windows", || {
        archive(zip(&["..\\x"], b"x"))
    }),
    refused("zip: a name twice in other letters", "is there twice", || {
        archive(zip(&["a", "A"], b"x"))
    }),
    refused("zip: a file that grows", "grows too much", || {
        archive(zip(&["x"], &vec![0; 40 << 20]))
    }),
    refused("zip: a link", "is a link or a special file", || {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        writer.add_symlink("x", "/etc/hostname", options).expect("link");
        archive(writer.finish().expect("zip").into_inner())
    }),
    refused("zip: an end that is missing", "cannot be read", || {
        let whole = zip(&["x"], &[7; 5_000]);
        archive(whole[..whole.len() - 10].to_vec())
    }),
    refused("nothing", "holds no file", || archive(Vec::new())),
    refused("a text", "cannot be read|error", || archive(b"no archive\n".repeat(1_000))),
    refused("no manifest", "holds no manifest.yaml", || archive(zip(&["T7/x"], b"x"))),
];

#[test]
fn archives_are_data() {
    hold(CASES);
}
