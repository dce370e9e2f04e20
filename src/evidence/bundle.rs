//! Bundles: the recorded runs under `evidence/T<n>/`, read and checked.
//!
//! [`load_bundles`] reads every bundle of a site. A run that cannot be read, or contradicts
//! itself, stays in the bundle as a finding: the claims that rest on it are `invalid`, never
//! silently without it.

use std::collections::BTreeMap;
use std::path::Path;

use super::holds::{Environment, matches_environment};
use super::manifest::{Manifest, number_for_string};
use super::mutation::Mutation;
use super::reference::{id_order, is_bundle_id};
use super::transcript::Transcript;
use super::validity;
use super::verdict::Verdict;
use crate::diag::{Diagnostic, Failure};
use crate::disk::{self, Kind};
use crate::yaml::YamlFault;

/// The four texts of a run, as they stand on disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunTexts {
    /// `manifest.yaml`.
    pub(crate) manifest: String,
    /// `run.sh`.
    pub(crate) run_sh: Vec<u8>,
    /// `result.txt`.
    pub(crate) result: Vec<u8>,
    /// `verdict.json`.
    pub(crate) verdict: String,
}

/// One recorded run that could be read. Whether it can be believed is said by the bundle's
/// findings.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// Its folder's name, or the verdict's run id in a flat bundle.
    pub(crate) id: String,
    /// Its folder from the root, with `/`.
    pub(crate) folder: String,
    /// The plan as it was.
    pub(crate) manifest: Manifest,
    /// What happened.
    pub(crate) verdict: Verdict,
    /// The transcript, read.
    pub(crate) transcript: Transcript,
    /// The line of manifest.yaml on which `claims:` stands.
    pub(crate) claims_line: Option<usize>,
    /// The line of run.sh that pipes into `tee` without `pipefail` (foreign bundles).
    pub(crate) tee_line: Option<usize>,
    /// Which of `run.sh` and `manifest.yaml` are no longer what was run (foreign bundles).
    pub(crate) edited_inputs: Vec<String>,
}

/// All runs of one id, sorted by the time at which they ended, then by run id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bundle {
    /// `T7`.
    pub(crate) id: String,
    /// The runs that could be read, oldest first.
    pub(crate) runs: Vec<Run>,
    /// What makes it invalid, over all its runs; empty when it can be believed.
    pub(crate) faults: Vec<Diagnostic>,
    /// Which changes of its page's kit and blocks the claims noticed, where somebody tried.
    pub(crate) mutation: Option<Mutation>,
}

/// The bundles of a site by id.
pub(crate) type Bundles = BTreeMap<String, Bundle>;

impl Bundle {
    /// Whether a run of it cannot be believed.
    pub(crate) fn is_invalid(&self) -> bool {
        !self.faults.is_empty()
    }

    /// The newest finished run in an environment; where none is asked for, in the one that the
    /// bundle's own page asks for, so that a run made for contrast is not taken for the usual one.
    pub(crate) fn newest_in(&self, environment: &Environment) -> Option<&Run> {
        let newest = |asked: &Environment| {
            let runs = self.runs.iter().filter(|run| run.verdict.is_finished());
            runs.rev().find(|run| matches_environment(&run.verdict.environment, asked))
        };
        let own = self.runs.last().map(|run| &run.manifest.environment);
        match own.filter(|_| environment.is_empty()) {
            Some(own) => newest(own).or_else(|| newest(environment)),
            None => newest(environment),
        }
    }

    /// The names of all values that its runs captured or planned to capture.
    pub(crate) fn value_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for run in &self.runs {
            names.extend(run.manifest.captures.keys().map(String::as_str));
            names.extend(run.verdict.values.keys().map(String::as_str));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The ids of all blocks and checks that its runs planned.
    pub(crate) fn block_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for run in &self.runs {
            names.extend(run.manifest.checks.iter().map(String::as_str));
            names.extend(run.manifest.blocks.iter().map(|block| block.id.as_str()));
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Reads all bundles under `evidence/` of `root`; none where there is no such folder.
///
/// # Errors
/// When a file is there and cannot be read.
pub(crate) fn load_bundles(root: &Path) -> Result<Bundles, Failure> {
    let folder = root.join("evidence");
    let mut bundles = Bundles::new();
    if !disk::is_folder(&folder) {
        return Ok(bundles);
    }
    for entry in disk::list(&folder)? {
        let Some(id) = entry.name.filter(|name| is_bundle_id(name)) else { continue };
        let place = format!("evidence/{id}");
        let bundle = match entry.kind {
            Kind::Folder => {
                let mutation = Mutation::load(root, &id)?;
                Bundle { mutation, ..load_bundle(&id, &place, &entry.path)? }
            }
            _ => Bundle {
                faults: vec![unreadable(&place, None, format!("{id} is no folder"))],
                id: id.clone(),
                ..Bundle::default()
            },
        };
        bundles.insert(id, bundle);
    }
    Ok(bundles)
}

/// The ids of a site's bundles in the order in which a reader expects them, T2 before T10.
pub(crate) fn ids_in_order(bundles: &Bundles) -> Vec<&str> {
    let mut ids: Vec<&str> = bundles.keys().map(String::as_str).collect();
    ids.sort_by_key(|id| id_order(id));
    ids
}

/// Reads one bundle: its run folders, and itself as a run where it is flat.
fn load_bundle(id: &str, place: &str, folder: &Path) -> Result<Bundle, Failure> {
    let mut bundle = Bundle { id: id.to_owned(), ..Bundle::default() };
    let entries = disk::list(folder)?;
    let flat = entries.iter().any(|entry| is_run_file(entry.name.as_deref()));
    if flat {
        load_run(&mut bundle, None, place, folder)?;
    }
    for entry in entries {
        let Some(name) = entry.name.filter(|name| !name.starts_with('.')) else { continue };
        if is_run_file(Some(&name)) || (flat && name == "files") {
            continue;
        }
        let place = format!("{place}/{name}");
        match entry.kind {
            Kind::Folder => load_run(&mut bundle, Some(&name), &place, &entry.path)?,
            // A note beside the runs takes no part; a link could lead anywhere.
            Kind::File => {}
            Kind::Link | Kind::Special => {
                let message = format!("{id}/{name} is a link or a special file");
                bundle.faults.push(unreadable(&place, None, message));
            }
        }
    }
    bundle.runs.sort_by(|a, b| (a.verdict.finished(), &a.id).cmp(&(b.verdict.finished(), &b.id)));
    Ok(bundle)
}

/// Whether a name is one of the four files of a run.
fn is_run_file(name: Option<&str>) -> bool {
    matches!(name, Some("manifest.yaml" | "run.sh" | "result.txt" | "verdict.json"))
}

/// Reads one run into the bundle; what is wrong with it becomes the bundle's faults.
fn load_run(
    bundle: &mut Bundle,
    name: Option<&str>,
    place: &str,
    folder: &Path,
) -> Result<(), Failure> {
    let mut entries = disk::entries_below(folder)?;
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let of_kind = |kinds: &[Kind]| -> Vec<String> {
        let there = entries.iter().filter(|(_, kind)| kinds.contains(kind));
        there.map(|(path, _)| path.clone()).collect()
    };
    let files = of_kind(&[Kind::File]);
    for link in of_kind(&[Kind::Link, Kind::Special]) {
        let path = format!("{place}/{link}");
        let message =
            format!("{} is a link or a special file; nothing of it is published", short(&path));
        bundle.faults.push(unreadable(&path, None, message));
    }
    let Some(texts) = read_texts(bundle, place, (folder, &entries))? else { return Ok(()) };
    let manifest = Manifest::parse(&texts.manifest)
        .map_err(|fault| bundle.faults.push(manifest_fault(place, &texts.manifest, fault)));
    let verdict = Verdict::parse(&texts.verdict).map_err(|(message, line)| {
        let path = format!("{place}/verdict.json");
        bundle.faults.push(unreadable(&path, Some(line), format!("{}: {message}", short(&path))));
    });
    let (Ok(manifest), Ok(verdict)) = (manifest, verdict) else { return Ok(()) };
    let result = String::from_utf8_lossy(&texts.result).into_owned();
    let run = Run {
        id: name.map_or_else(|| verdict.run_id.clone(), str::to_owned),
        folder: place.to_owned(),
        transcript: Transcript::parse(&result),
        claims_line: line_of(&texts.manifest, "claims:"),
        tee_line: tee_line(&texts.run_sh).filter(|_| manifest.is_foreign()),
        manifest,
        verdict,
        edited_inputs: Vec::new(),
    };
    let found = validity::check(&bundle.id, name, &run, &texts);
    let outputs = validity::check_outputs(&run, folder, &files)?;
    bundle.faults.extend(found.diagnostics.into_iter().chain(outputs));
    bundle.runs.push(Run { edited_inputs: found.value, ..run });
    Ok(())
}

/// The line (from 1) that begins with a key.
fn line_of(text: &str, key: &str) -> Option<usize> {
    text.lines().position(|line| line.starts_with(key)).map(|index| index + 1)
}

/// The line (from 1) that pipes into `tee` although a failure before it would go unseen.
fn tee_line(script: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(script);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with("set ") && line.contains("pipefail") || line.contains("PIPESTATUS") {
            return None;
        }
        let mut parts = line.split('|').skip(1).map(str::trim_start);
        if !line.starts_with('#') && parts.any(|part| part == "tee" || part.starts_with("tee ")) {
            return Some(at + 1);
        }
    }
    None
}

/// Reads the four files of a run; `None` when one is missing, which is then a fault.
fn read_texts(
    bundle: &mut Bundle,
    place: &str,
    (folder, entries): (&Path, &[(String, Kind)]),
) -> Result<Option<RunTexts>, Failure> {
    let before = bundle.faults.len();
    let mut read = |name: &str| -> Result<Vec<u8>, Failure> {
        let path = folder.join(name);
        let kind = entries.iter().find(|(path, _)| path == name).map(|(_, kind)| *kind);
        let there = kind.is_some();
        let bytes = match kind {
            Some(Kind::File) => disk::read_optional(&path)?,
            _ => None,
        };
        let path = format!("{place}/{name}");
        if bytes.is_none() {
            let what = if there { "is a link or no file" } else { "is missing" };
            let message = format!("bundle {}: {name} {what}", bundle.id);
            bundle.faults.push(missing(message, &path));
        } else if name != "result.txt" && bytes.as_ref().is_some_and(Vec::is_empty) {
            let message = format!("bundle {}: {name} is empty (0 bytes)", bundle.id);
            bundle.faults.push(missing(message, &path));
        }
        Ok(bytes.unwrap_or_default())
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let texts = RunTexts {
        manifest: text(read("manifest.yaml")?),
        run_sh: read("run.sh")?,
        result: read("result.txt")?,
        verdict: text(read("verdict.json")?),
    };
    Ok((bundle.faults.len() == before).then_some(texts))
}

/// EV101: a file that a run must have.
pub(super) fn missing(message: String, path: &str) -> Diagnostic {
    Diagnostic::error("EV101", message)
        .in_file(path, None)
        .hint("record the run again, or restore the file from the version control")
}

/// EV118: a file that is there and cannot be read.
fn unreadable(path: &str, line: Option<usize>, message: String) -> Diagnostic {
    Diagnostic::error("EV118", message)
        .in_file(path, line)
        .hint("restore the file from the version control, or record the run again")
}

/// EV102 for a version that is written as a number, else EV118.
fn manifest_fault(place: &str, text: &str, fault: YamlFault) -> Diagnostic {
    let path = format!("{place}/manifest.yaml");
    let line = text.lines().nth(fault.line - 1).unwrap_or("");
    if let Some((key, value, reads_as)) =
        number_for_string(line).filter(|_| !fault.message.contains("not known"))
    {
        let message = format!(
            "{}:{}: `{key}: {value}` is a number and reads as {reads_as}; write \"{value}\"",
            short(&path),
            fault.line
        );
        return Diagnostic::error("EV102", message)
            .in_file(path, Some(fault.line))
            .note("versions are strings: as numbers, 1.30 and 1.3 are the same")
            .hint(format!("write `{key}: \"{value}\"`"));
    }
    let message = format!("{}:{}: {}", short(&path), fault.line, fault.message);
    let diagnostic = unreadable(&path, Some(fault.line), message);
    match fault.hint {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// A path without the leading `evidence/`.
pub(super) fn short(path: &str) -> &str {
    path.strip_prefix("evidence/").unwrap_or(path)
}
