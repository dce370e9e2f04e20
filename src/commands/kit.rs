//! `labdoc kit`: the kits alone, without the site.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;

use super::{Ended, find_root, plural};
use crate::cli::{Common, Console};
use crate::diag::{Diagnostic, Failure, Severity, nearest};
use crate::digest::sha256_hex;
use crate::disk;
use crate::kit::publish::{PublishOptions, publish};
use crate::kit::{self, Kit, KitOptions};
use crate::source::Sources;

/// Lists the kits with their digests.
///
/// # Errors
/// Something cannot be read.
pub(crate) fn list(common: &Common, console: &Console) -> Result<Ended, Failure> {
    let (kits, found) = load(&find_root(common)?)?;
    let tally = console.findings(&found, &Sources::default());
    for kit in &kits {
        console.say(&format!(
            "{}  {:>4} files {:>9} bytes  {}",
            kit.digest,
            kit.files.len(),
            kit.size(),
            kit.name
        ));
    }
    let all: Vec<_> = kits
        .iter()
        .map(|kit| json!({ "name": kit.name, "digest": kit.digest, "files": kit.files.len(), "bytes": kit.size() }))
        .collect();
    console.summary(&format!("{} kits", kits.len()), &json!({ "kits": all }));
    Ok(if tally.errors > 0 { Ended::Findings } else { Ended::Clean })
}

/// Reads every kit of the book.
fn load(root: &Path) -> Result<(Vec<Kit>, Vec<Diagnostic>), Failure> {
    let mut sources = Sources::default();
    let config = crate::book::load_config(root, &mut sources)?.value.config;
    let names = kit::list(root)?;
    let mut found = names.diagnostics;
    let mut kits = Vec::new();
    for name in names.value {
        let loaded = Kit::load(root, &name, &KitOptions::of(&config, &name))?;
        found.extend(loaded.diagnostics);
        kits.push(loaded.value);
    }
    Ok((kits, found))
}

/// Writes the archives of one kit, or of all of them, into a folder.
///
/// # Errors
/// There is no such kit, or something cannot be read or written.
pub(crate) fn pack(
    common: &Common,
    (name, out): (Option<&str>, &Path),
    console: &Console,
) -> Result<Ended, Failure> {
    let (kits, found) = load(&find_root(common)?)?;
    let wanted: Vec<&Kit> =
        kits.iter().filter(|kit| name.is_none_or(|name| kit.name == name)).collect();
    if let Some(name) = name.filter(|_| wanted.is_empty()) {
        let failure = Failure::new(format!("labkit/{name}/ does not exist"));
        let near = nearest(name, kits.iter().map(|kit| kit.name.as_str()));
        return Err(failure.hint(near.map_or_else(
            || "see `labdoc kit list`".to_owned(),
            |near| format!("did you mean {near}?"),
        )));
    }
    if console.findings(&found, &Sources::default()).errors > 0 {
        console.summary("nothing was packed", &json!({ "outcome": "findings" }));
        return Ok(Ended::Findings);
    }
    let mut packed = Vec::new();
    for kit in wanted {
        let published = publish(kit, &PublishOptions::default())?;
        // Warnings are about the way to fetch it, which is of no matter here.
        let wrong: Vec<Diagnostic> =
            published.diagnostics.into_iter().filter(|f| f.severity == Severity::Error).collect();
        if console.findings(&wrong, &Sources::default()).errors > 0 {
            console.summary("nothing was packed", &json!({ "outcome": "findings" }));
            return Ok(Ended::Findings);
        }
        let publication = published.value;
        let archives: BTreeSet<String> = publication
            .archives
            .iter()
            .map(|facts| format!("kit/{}/{}", kit.name, facts.name))
            .filter(|path| !path.ends_with("/all.txt"))
            .collect();
        for mut file in publication.files.into_iter().filter(|file| archives.contains(&file.path)) {
            let path = out.join(file.path.rsplit('/').next().unwrap_or(&file.path));
            file.content.copy_to(kit, &mut disk::create(&path)?)?;
            console.say(&path.display().to_string());
            packed.push(path.display().to_string());
        }
    }
    console.summary(
        &format!("{} archives", packed.len()),
        &json!({ "outcome": "clean", "archives": packed }),
    );
    Ok(Ended::Clean)
}

/// Checks a folder against the `SHA256SUMS` in it.
///
/// # Errors
/// The folder or its list cannot be read.
pub(crate) fn check(folder: &Path, console: &Console) -> Result<Ended, Failure> {
    let list = folder.join("SHA256SUMS");
    let sums = disk::read_text(&list).map_err(|error| {
        Failure::new(error.to_string()).hint("name the unpacked kit's folder, which has SHA256SUMS")
    })?;
    let mut wrong = Vec::new();
    let mut listed = BTreeSet::new();
    for (at, line) in sums.lines().enumerate() {
        let Some((digest, path)) = line.split_once("  ") else {
            wrong.push((format!("SHA256SUMS:{}", at + 1), "is no line of a list of digests"));
            continue;
        };
        listed.insert(path.to_owned());
        let full = folder.join(path);
        let safe = disk::check_relative(path).is_ok();
        let fault = match safe.then(|| disk::kind(&full)).transpose()?.flatten() {
            Some(disk::Kind::File) if sha256_hex(&disk::read(&full)?) == digest => continue,
            Some(disk::Kind::File) => "is not the file that is listed",
            Some(_) => "is no file",
            None if safe => "is missing",
            None => "is a path that is not allowed",
        };
        wrong.push((path.to_owned(), fault));
    }
    for path in disk::files_below(folder)? {
        // A mirror of the published folder has an index page in each folder.
        let index = path == "index.html" || path.ends_with("/index.html");
        if path != "SHA256SUMS" && !index && !listed.contains(&path) {
            wrong.push((path, "is not in the list"));
        }
    }
    let findings: Vec<Diagnostic> =
        wrong.iter().map(|(path, fault)| not_as_listed(folder, path, fault)).collect();
    console.findings(&findings, &Sources::default());
    let digest = sha256_hex(sums.as_bytes());
    let sentence = if wrong.is_empty() {
        format!("{} files as listed; kit digest {digest}", listed.len())
    } else {
        format!("{} not as listed, of {}", plural(wrong.len(), "file"), listed.len())
    };
    let faults: Vec<_> =
        wrong.iter().map(|(path, fault)| json!({ "path": path, "fault": fault })).collect();
    console
        .summary(&sentence, &json!({ "digest": digest, "files": listed.len(), "faults": faults }));
    Ok(if wrong.is_empty() { Ended::Clean } else { Ended::Findings })
}

/// The finding about a file that is not what the list of digests says.
fn not_as_listed(folder: &Path, path: &str, fault: &str) -> Diagnostic {
    Diagnostic::error("KT313", format!("{path} {fault}"))
        .in_file(folder.join("SHA256SUMS").display().to_string(), None)
        .hint("fetch the kit again; where it came through a proxy, take all.txt from its page")
}
