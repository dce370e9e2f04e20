//! `evidence/reports.yaml` and `evidence/sources.yaml`: what others measured and published.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::corrections::{self, Corrections, Fields};
use super::holds::Environment;
use super::ledger::{self, Ledger};
use super::ordered::Ordered;
use super::waivers::{self, Waivers};
use crate::diag::{Checked, Diagnostic, Failure};
use crate::digest::sha256_hex;
use crate::disk;
use crate::yaml;

/// A report of others, `R2`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Report {
    /// Its file, from the folder `evidence/`.
    pub(crate) file: String,
    /// The file's SHA-256.
    pub(crate) sha256: String,
    /// Title.
    pub(crate) title: String,
    /// Day on which it was written, `2026-11-29`.
    pub(crate) date: String,
    /// Who wrote it.
    #[serde(default)]
    pub(crate) author: String,
    /// Who measured what, when and on what.
    #[serde(default)]
    pub(crate) origin: Option<Origin>,
    /// Whether claims stand and fall with it.
    #[serde(default)]
    pub(crate) role: Role,
    /// Whether the file is there and has the digest that is stated.
    #[serde(skip)]
    pub(crate) intact: bool,
}

impl Report {
    /// The digest that is stated, in hex.
    pub(super) fn digest(&self) -> String {
        self.sha256.strip_prefix("sha256:").unwrap_or(&self.sha256).to_owned()
    }
}

/// Where the figures of a report come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    /// Who measured.
    pub(crate) who: String,
    /// When.
    pub(crate) date: String,
    /// On what.
    #[serde(default)]
    pub(crate) environment: Environment,
}

/// What a report does for the claims that name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// They rest on it.
    #[default]
    Decides,
    /// It only shows more of the same.
    Illustrates,
}

/// A published source, `S4`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    /// Its address, http or https.
    pub(crate) url: String,
    /// Who published it.
    #[serde(default)]
    pub(crate) publisher: String,
    /// The version that it speaks of.
    #[serde(default)]
    pub(crate) product_version: Option<String>,
    /// Where in it the passage stands.
    #[serde(default)]
    pub(crate) locator: Option<String>,
    /// The passage, short.
    #[serde(default)]
    pub(crate) quote: Option<String>,
    /// Day on which it was read, `2026-11-29`.
    #[serde(default)]
    pub(crate) accessed: Option<String>,
    /// A kept copy.
    #[serde(default)]
    pub(crate) snapshot: Option<String>,
}

/// What others measured and published, by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    /// `R2`.
    pub(crate) reports: BTreeMap<String, Report>,
    /// `S4`.
    pub(crate) sources: BTreeMap<String, Source>,
    /// What was wrong, by number.
    pub(crate) corrections: Corrections,
    /// What is known and allowed for a time.
    pub(crate) waivers: Waivers,
    /// What was published.
    pub(crate) ledger: Ledger,
}

/// Reads all files under `evidence/` of `root`; a file that is not there has no entries.
///
/// # Errors
/// When a file is there and cannot be read.
pub(crate) fn load_records(root: &Path) -> Result<Checked<Records>, Failure> {
    let folder = root.join("evidence");
    let mut found = Vec::new();
    let mut reports: BTreeMap<String, Report> = load_file(&folder, "reports.yaml", &mut found)?;
    let sources = load_file(&folder, "sources.yaml", &mut found)?;
    for (id, report) in &mut reports {
        let fault = check_report(&folder, id, report)?;
        report.intact = fault.is_none();
        found.extend(fault);
    }
    let raw: Ordered<Fields> = load_file(&folder, "corrections.yaml", &mut found)?;
    let corrections = corrections::understand(raw, &mut found);
    let raw = load_file(&folder, "waivers.yaml", &mut found)?;
    let waivers = waivers::understand(raw, &mut found);
    let read = ledger::load(root)?;
    found.extend(read.diagnostics);
    let value = Records { reports, sources, corrections, waivers, ledger: read.value };
    Ok(Checked { value, diagnostics: found })
}

/// Reads one file; EV118 when it cannot be understood.
fn load_file<T: DeserializeOwned + Default>(
    folder: &Path,
    name: &str,
    found: &mut Vec<Diagnostic>,
) -> Result<T, Failure> {
    let path = folder.join(name);
    if !matches!(disk::kind(&path)?, Some(disk::Kind::File)) {
        return Ok(T::default());
    }
    let text = disk::read_text(&path)?;
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(T::default());
    }
    Ok(yaml::parse(&text).unwrap_or_else(|fault| {
        let message = format!("{name}:{}: {}", fault.line, fault.message);
        let mut diagnostic = Diagnostic::error("EV118", message)
            .in_file(format!("evidence/{name}"), Some(fault.line));
        diagnostic.hint = fault.hint;
        found.push(diagnostic);
        T::default()
    }))
}

/// EV116: the report's file is what is stated; EV101 when it is missing.
fn check_report(folder: &Path, id: &str, report: &Report) -> Result<Option<Diagnostic>, Failure> {
    let place = "evidence/reports.yaml";
    if let Err(fault) = disk::check_relative(&report.file) {
        let message = format!("report {id}: path {} {}", report.file, fault.reason());
        return Ok(Some(Diagnostic::error("EV118", message).in_file(place, None)));
    }
    let path = folder.join(&report.file);
    let direct = disk::is_reached_directly(folder, &report.file)?;
    let bytes = match disk::kind(&path)?.filter(|_| direct) {
        Some(disk::Kind::File) => disk::read(&path)?,
        _ => {
            let message = format!("report {id}: {} is missing", report.file);
            return Ok(Some(
                Diagnostic::error("EV101", message)
                    .in_file(place, None)
                    .hint("put the report's file there, as it was given"),
            ));
        }
    };
    let have = sha256_hex(&bytes);
    let stated = report.digest();
    if have == stated {
        return Ok(None);
    }
    let message = format!("report {id}: the file has sha256 {have}, reports.yaml says {stated}");
    Ok(Some(
        Diagnostic::error("EV116", message)
            .in_file(format!("evidence/{}", report.file), None)
            .hint("restore the file; a new version of a report is a new entry"),
    ))
}
