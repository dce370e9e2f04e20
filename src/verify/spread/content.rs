//! What the pods get: the files that the pages need, and the order to run them, as one archive.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::diag::Failure;
use crate::digest::sha256_tagged;
use crate::disk;
use crate::evidence::{Files, archive};
use crate::kit::pack::{DEFAULT_MTIME, Member, tar_gz};

/// The order's name in the archive; no page of a site can have it.
const ORDER: &str = ".labdoc/order.json";

/// Where the site's files stand in it.
const SITE: &str = "site/";

/// What the pods are asked to run. The shards are worked out by each pod from this list, the same
/// way as `--shard` does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    /// The version of the labdoc that wrote it.
    pub(crate) version: String,
    /// The identity of the cluster that it is for.
    pub(crate) cluster: String,
    /// The pages, as paths from the root, in the book's order.
    pub(crate) pages: Vec<String>,
    /// Parameters of pages that were given by the caller.
    pub(crate) params: Vec<(String, String)>,
    /// Whether the runs are recorded.
    pub(crate) record: bool,
}

/// Packs the order and files of the site, given by their paths from its root.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn pack(root: &Path, files: &[String], order: &Order) -> Result<Vec<u8>, Failure> {
    let order = serde_json::to_vec_pretty(order)
        .map_err(|error| Failure::new(format!("cannot write {ORDER}: {error}")))?;
    let mut all = BTreeMap::from([(ORDER.to_owned(), order)]);
    for path in files {
        all.insert(format!("{SITE}{path}"), disk::read(&root.join(path))?);
    }
    pack_files(&all)
}

/// An archive of these files: the same bytes everywhere.
///
/// # Errors
/// A path is not portable, or too long for an archive.
pub(super) fn pack_files(files: &Files) -> Result<Vec<u8>, Failure> {
    for path in files.keys() {
        disk::check_relative(path).map_err(|fault| {
            Failure::new(format!("`{path}` {}", fault.reason()))
                .hint("it cannot be sent to or from a cluster under that name; rename it")
        })?;
    }
    let members: Vec<Member<'_>> = files.iter().map(|(path, bytes)| member(path, bytes)).collect();
    let failed = |error: io::Error| Failure::new(format!("cannot pack the files: {error}"));
    let mut spool = tar_gz(&members, DEFAULT_MTIME).map_err(failed)?;
    let mut bytes = Vec::new();
    io::Seek::rewind(&mut spool).map_err(failed)?;
    spool.read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// One file of an archive.
fn member<'a>(path: &str, bytes: &'a [u8]) -> Member<'a> {
    Member {
        path: path.to_owned(),
        size: bytes.len() as u64,
        mode: mode_of(bytes),
        open: Box::new(move || Ok(Box::new(Cursor::new(bytes)))),
    }
}

/// The mode of a file, by what it holds, as a kit has it: a script can be called by its name.
fn mode_of(bytes: &[u8]) -> u32 {
    if bytes.starts_with(b"#!") { 0o755 } else { 0o644 }
}

/// Writes the site out of the parts of an archive, which lie in a folder as `0`, `1` and so on,
/// below `site`, and returns the order.
///
/// # Errors
/// A part is missing, the bytes are not those of the digest, or a file cannot be written.
pub(crate) fn unpack_parts(parts: &Path, digest: &str, site: &Path) -> Result<Order, Failure> {
    let mut bytes = Vec::new();
    for number in 0_u32.. {
        match disk::read(&parts.join(number.to_string())) {
            Ok(part) => bytes.extend(part),
            Err(error) if error.is_missing() => break,
            Err(error) => return Err(error.into()),
        }
    }
    if sha256_tagged(&bytes) != digest {
        let message = format!("the content in {} is not the one of this run", parts.display());
        return Err(Failure::new(message).hint("its ConfigMaps were changed or are not all there"));
    }
    let mut files = archive(&bytes)?;
    let order = files.remove(ORDER).unwrap_or_default();
    let order: Order = serde_json::from_slice(&order)
        .map_err(|error| Failure::new(format!("the run's order cannot be read: {error}")))?;
    for (path, bytes) in &files {
        let Some(path) = path.strip_prefix(SITE) else { continue };
        let path = site.join(path);
        disk::write(&path, bytes)?;
        disk::set_mode(&path, mode_of(bytes))?;
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A site with a page and a script, and its order.
    fn packed(root: &Path) -> (Vec<u8>, Order) {
        disk::write(&root.join("content/가.md"), "# 가\n".as_bytes()).expect("write");
        disk::write(&root.join("labkit/a/run.sh"), b"#!/bin/sh\n").expect("write");
        let order = Order { pages: vec!["content/가.md".into()], ..Order::default() };
        let files = ["content/가.md".to_owned(), "labkit/a/run.sh".to_owned()];
        (pack(root, &files, &order).expect("pack"), order)
    }

    #[test]
    fn what_was_packed_is_there_in_the_pod() {
        let folder = disk::temporary_folder("labdoc-test-").expect("folder");
        let (bytes, order) = packed(&folder.path().join("from"));
        let parts = folder.path().join("parts");
        for (number, part) in bytes.chunks(100).enumerate() {
            disk::write(&parts.join(number.to_string()), part).expect("write");
        }
        let site = folder.path().join("to");
        let digest = sha256_tagged(&bytes);
        assert_eq!(unpack_parts(&parts, &digest, &site).expect("unpack"), order);
        assert_eq!(disk::read_text(&site.join("content/가.md")).expect("page"), "# 가\n");
        let script = site.join("labkit/a/run.sh");
        let bin = script.parent().map(Path::as_os_str);
        assert!(crate::proc::find_program("run.sh", bin).is_some());
        assert_eq!(packed(&folder.path().join("again")).0, bytes);
    }

    #[test]
    fn other_bytes_are_refused() {
        let folder = disk::temporary_folder("labdoc-test-").expect("folder");
        let (bytes, _) = packed(folder.path());
        let digest = sha256_tagged(&bytes);
        let parts = folder.path().join("parts");
        disk::write(&parts.join("0"), &bytes[..bytes.len() - 1]).expect("write");
        let failure = unpack_parts(&parts, &digest, &folder.path().join("to")).expect_err("short");
        assert!(failure.message.contains("is not the one of this run"), "{failure}");
    }

    #[test]
    fn a_name_that_a_pod_would_refuse_is_refused_here() {
        let folder = disk::temporary_folder("labdoc-test-").expect("folder");
        let long = format!("content/{}.md", "x".repeat(120));
        disk::write(&folder.path().join(&long), b"# A\n").expect("write");
        let failure = pack(folder.path(), &[long], &Order::default()).expect_err("long");
        assert!(failure.message.contains("is longer than 120 characters"), "{failure}");
    }
}
