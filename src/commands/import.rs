//! `labdoc evidence import`: a bundle of others, checked as data and never run.

use std::path::Path;

use serde_json::json;

use super::{Ended, find_root, write_lock};
use crate::check::exposure;
use crate::cli::{Common, Console};
use crate::diag::{Diagnostic, Failure, Severity};
use crate::disk;
use crate::evidence::{
    Files, Manifest, Verdict, is_bundle_id, is_run_id, load_bundles, runs, unpack,
};
use crate::source::Sources;

/// Imports an archive or a folder.
///
/// # Errors
/// It cannot be read, holds something that is refused, or is there already.
pub(crate) fn import(common: &Common, from: &Path, console: &Console) -> Result<Ended, Failure> {
    let root = find_root(common)?;
    let _lock = write_lock(&root)?;
    let files = unpack(from)?;
    let runs = runs(&files);
    if runs.is_empty() {
        let message = format!("{} holds no manifest.yaml", from.display());
        return Err(Failure::new(message)
            .hint("a bundle has manifest.yaml, run.sh, result.txt and verdict.json"));
    }
    disk::create_folder(&root.join("evidence"))?;
    let mut placed = Vec::new();
    for run in &runs {
        let target = target(run)?;
        if disk::kind(&root.join(&target))?.is_some() {
            return Err(Failure::new(format!("{target} is there already"))
                .hint("a recorded run is never written over; give the bundle another number"));
        }
        placed.push((target, run));
    }
    let found = check(&placed)?;
    let tally = console.findings(&found, &Sources::default());
    if tally.errors > 0 {
        console.summary(
            "nothing was imported",
            &json!({ "outcome": "findings", "errors": tally.errors }),
        );
        return Ok(Ended::Findings);
    }
    for (target, run) in &placed {
        write(&root, target, run)?;
    }
    let targets: Vec<&str> = placed.iter().map(|(target, _)| target.as_str()).collect();
    let sentence = format!("imported {}; it was checked, and not run", targets.join(", "));
    console.summary(&sentence, &json!({ "outcome": "clean", "imported": targets }));
    Ok(Ended::Clean)
}

/// The folder of a run from the root: its own in its bundle, or the bundle where it is flat.
pub(super) fn target(run: &Files) -> Result<String, Failure> {
    let text = |name: &str| {
        let bytes = run.get(name).ok_or_else(|| Failure::new(format!("{name} is missing")))?;
        String::from_utf8(bytes.clone()).map_err(|_| Failure::new(format!("{name} is no UTF-8")))
    };
    let manifest = Manifest::parse(&text("manifest.yaml")?).map_err(|fault| {
        Failure::new(format!("manifest.yaml:{}: {}", fault.line, fault.message))
    })?;
    let verdict = Verdict::parse(&text("verdict.json")?)
        .map_err(|(message, line)| Failure::new(format!("verdict.json:{line}: {message}")))?;
    if !is_bundle_id(&manifest.id) {
        return Err(Failure::new(format!("manifest.yaml: `{}` is no bundle id", manifest.id)));
    }
    let id = manifest.id;
    Ok(if is_run_id(&verdict.run_id) {
        format!("evidence/{id}/{}", verdict.run_id)
    } else {
        format!("evidence/{id}")
    })
}

/// Everything that is wrong with runs, as they would stand at their targets.
pub(super) fn check(runs: &[(String, &Files)]) -> Result<Vec<Diagnostic>, Failure> {
    let folder = disk::temporary_folder("labdoc-import-")?;
    let scratch = folder.path();
    for (target, run) in runs {
        for (path, bytes) in *run {
            disk::write(&scratch.join(target).join(path), bytes)?;
        }
    }
    let bundles = load_bundles(scratch)?;
    let mut found: Vec<Diagnostic> =
        bundles.values().flat_map(|bundle| bundle.faults.clone()).collect();
    found.extend(exposure::of_evidence(scratch, &[])?);
    found.sort_by_key(|found| found.severity != Severity::Error);
    Ok(found)
}

/// Writes a run beside its place, then renames it.
pub(super) fn write(root: &Path, target: &str, run: &Files) -> Result<(), Failure> {
    let full = root.join(target);
    let name = target.rsplit('/').next().unwrap_or(target);
    let parent = full.parent().unwrap_or(root);
    let temporary = parent.join(format!(".labdoc-{name}"));
    // A bundle that is a link would lead the run elsewhere.
    disk::check_way(&root.join("evidence"), target.strip_prefix("evidence/").unwrap_or(target))?;
    disk::remove_folder(&temporary)?;
    for (path, bytes) in run {
        disk::write(&temporary.join(path), bytes)?;
    }
    if run.contains_key("run.sh") {
        disk::set_mode(&temporary.join("run.sh"), 0o755)?;
    }
    disk::rename(&temporary, &full)?;
    Ok(())
}
