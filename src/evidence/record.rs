//! The writer's side: a run becomes a new folder of its bundle, whole or not at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::verdict::{Output, RULES, VERDICT_SCHEMA, Verdict};
use crate::diag::Failure;
use crate::digest::{sha256_hex, sha256_tagged};
use crate::disk::{self, Kind};

/// What a recorder hands over. The writer adds to the verdict what it alone knows: schema,
/// rules, the digests of `run.sh` and `manifest.yaml`, the list of outputs, and the digest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording {
    /// The plan.
    pub(crate) manifest: Manifest,
    /// What happened; `outputs["result.txt"].truncated` is kept where it is set.
    pub(crate) verdict: Verdict,
    /// The replay without labdoc.
    pub(crate) run_sh: String,
    /// The transcript, redacted.
    pub(crate) result_txt: Vec<u8>,
    /// Further files by path below `files/`.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// A run id: the time at which it began (UTC) and digits of a digest, `20261129T101500Z-7f3a2c`.
/// Branches and shards never collide, and no system refuses the name.
pub(crate) fn new_run_id(started: jiff::Timestamp, seed: &[u8]) -> String {
    format!("{}-{}", started.strftime("%Y%m%dT%H%M%SZ"), &sha256_hex(seed)[..6])
}

/// Whether a name has the form of a run id.
pub(crate) fn is_run_id(name: &str) -> bool {
    let Some((time, digest)) = name.split_once('-') else { return false };
    let (bytes, hex) = (time.as_bytes(), digest.as_bytes());
    bytes.len() == 16
        && bytes[8] == b'T'
        && bytes[15] == b'Z'
        && bytes[..8].iter().chain(&bytes[9..15]).all(u8::is_ascii_digit)
        && hex.len() == 6
        && hex.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The lowest free bundle number of a site, as an id.
///
/// # Errors
/// When the folder `evidence/` cannot be listed.
pub(crate) fn next_bundle_id(root: &Path) -> Result<String, Failure> {
    let folder = root.join("evidence");
    let mut number = 1_u32;
    while disk::kind(&folder.join(format!("T{number}")))?.is_some() {
        number += 1;
    }
    Ok(format!("T{number}"))
}

/// Writes one run as the new folder `<bundle>/<run_id>/` and returns its path. All files are
/// written to a folder beside it, which is then renamed.
///
/// # Errors
/// When the run's id or a file's path is unsafe, the folder is there already, or a file cannot
/// be written. Nothing is left behind then.
pub(crate) fn write_run(bundle: &Path, recording: &Recording) -> Result<PathBuf, Failure> {
    let id = &recording.verdict.run_id;
    if !is_run_id(id) {
        return Err(Failure::new(format!("`{id}` is no run id")));
    }
    let target = bundle.join(id);
    if disk::kind(&target)?.is_some() {
        return Err(Failure::new(format!("{} is there already", target.display()))
            .hint("a recorded run is never written over; record again for a new one"));
    }
    let files = all_files(recording)?;
    if !matches!(disk::kind(bundle)?, None | Some(Kind::Folder)) {
        // A link would lead the run elsewhere.
        return Err(Failure::new(format!("{} is no folder", bundle.display())));
    }
    disk::create_folder(bundle)?;
    let temporary = bundle.join(format!(".labdoc-{id}"));
    let written = write_files(&temporary, &files).and_then(|()| {
        disk::rename(&temporary, &target)?;
        Ok(())
    });
    if let Err(failure) = written {
        // The failure is what the user must hear; what could not be removed is hidden by its dot.
        let _ = disk::remove_folder(&temporary);
        return Err(failure);
    }
    Ok(target)
}

/// Writes the files of a run into a folder that must be new.
fn write_files(folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<(), Failure> {
    // A run that was broken off while writing has left its folder; it is nobody's.
    disk::remove_folder(folder)?;
    disk::create_new_folder(folder)?;
    for (path, bytes) in files {
        disk::write(&folder.join(path), bytes)?;
    }
    disk::set_mode(&folder.join("run.sh"), 0o755)?;
    Ok(())
}

/// Every file of the run by its path, the verdict completed.
fn all_files(recording: &Recording) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let manifest = recording.manifest.to_text()?;
    let mut files = BTreeMap::from([("result.txt".to_owned(), recording.result_txt.clone())]);
    for (path, bytes) in &recording.files {
        disk::check_relative(path)
            .map_err(|fault| Failure::new(format!("files/{path} {}", fault.reason())))?;
        files.insert(format!("files/{path}"), bytes.clone());
    }
    let verdict = completed(recording, &manifest, &files).to_text()?;
    files.insert("manifest.yaml".to_owned(), manifest.into_bytes());
    files.insert("run.sh".to_owned(), recording.run_sh.clone().into_bytes());
    files.insert("verdict.json".to_owned(), verdict.into_bytes());
    Ok(files)
}

/// The verdict with what only the writer knows.
fn completed(
    recording: &Recording,
    manifest: &str,
    outputs: &BTreeMap<String, Vec<u8>>,
) -> Verdict {
    let mut verdict = recording.verdict.clone();
    verdict.schema = VERDICT_SCHEMA.to_owned();
    if verdict.rules.is_empty() {
        verdict.rules = RULES.to_owned();
    }
    verdict.inputs.bundle = BTreeMap::from([
        ("manifest.yaml".to_owned(), sha256_tagged(manifest.as_bytes())),
        ("run.sh".to_owned(), sha256_tagged(recording.run_sh.as_bytes())),
    ]);
    let truncated = |path: &str| {
        let stated = recording.verdict.outputs.get(path).and_then(|output| output.truncated);
        stated.or((path == "result.txt").then_some(false))
    };
    let describe = |(path, bytes): (&String, &Vec<u8>)| {
        let output = Output {
            sha256: sha256_hex(bytes),
            bytes: bytes.len() as u64,
            truncated: truncated(path),
        };
        (path.clone(), output)
    };
    verdict.outputs = outputs.iter().map(describe).collect();
    verdict
}
