//! The page of a run, its raw files with their viewers, and its statement for signing.

use serde_json::{Value, json};

use super::Site;
use super::evidence_pages::{EvidencePages, outcome_state};
use super::export::attestation;
use super::frame::{bare_page, size_text};
use super::kit_pages::numbered;
use super::record::{bundle_page, line_of, run_page};
use crate::address::relative;
use crate::check::exposure::is_active;
use crate::diag::{Diagnostic, Failure};
use crate::digest::sha256_hex;
use crate::disk;
use crate::evidence::{CheckOutcome, Run};
use crate::html::State;
use crate::kit::{Show, safe_text};

/// Longest part of a file that a viewer shows, in bytes.
const SHOWN: usize = 2 << 20;

/// A raw file that gets a viewer page.
pub(super) struct View {
    pub(super) path: String,
    pub(super) raw: String,
    pub(super) text: Option<String>,
    pub(super) title: String,
    pub(super) up: Option<(String, String)>,
    pub(super) meta: Vec<Value>,
    pub(super) notes: Vec<String>,
}

/// The name under which a file under `evidence/` is published: active types get `.txt` behind,
/// unless the site allows it.
pub(super) fn published_name(site: &Site<'_>, path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let allowed = &site.book.config.file.evidence.allow_active;
    let below = path.strip_prefix("evidence/").unwrap_or(path);
    if is_active(name) && !allowed.iter().any(|known| known == below) {
        return format!("{name}.txt");
    }
    name.to_owned()
}

impl EvidencePages<'_> {
    /// The page of a run.
    pub(super) fn run(&self, id: &str, run: &Run) -> Result<Option<Diagnostic>, Failure> {
        let verdict = &run.verdict;
        let path = run_page(id, &verdict.run_id);
        if self.is_named() {
            return self.name(&path);
        }
        let title = format!("{id} {}", verdict.run_id);
        let crumbs = self.crumbs(
            &path,
            &[
                (&self.word("record"), "evidence/index.html"),
                (id, &bundle_page(id)),
                (&verdict.run_id, ""),
            ],
        );
        let environment: Vec<Value> = verdict
            .environment
            .iter()
            .map(|(key, value)| json!({ "key": key, "value": value }))
            .collect();
        let context = json!({
            "page": bare_page(self.site, &title, crumbs),
            "run": {
                "id": verdict.run_id, "bundle_id": id,
                "bundle_href": relative(&path, &bundle_page(id)),
                "outcome": self.outcome_word(verdict.outcome),
                "state": outcome_state(verdict.outcome).class(),
                "state_word": self.outcome_word(verdict.outcome),
                "started": verdict.started_at, "finished": verdict.finished_at,
                "environment": environment,
                "runner": format!("{} {}", verdict.runner.name, verdict.runner.version),
                "checks": self.checks(id, run, &path),
                "values": run_values(id, run, &path),
                "files": run_files(self.site, (id, run), &path)?,
                "command": "bash run.sh",
                "kit": kit_files(run),
                "redactions": redactions(run),
                "attestation_href": "attestation.intoto.json",
                "foreign": run.manifest.is_foreign().then(|| self.word("foreign_note")),
                "trust": self.word("trust_text"),
            },
        });
        self.put("run.html", &path, context)
    }

    /// The checks of a run, each linked to its lines in the transcript.
    fn checks(&self, id: &str, run: &Run, path: &str) -> Vec<Value> {
        let check = |check: &crate::evidence::Check| {
            let state = match check.outcome {
                CheckOutcome::Pass => State::Ok,
                CheckOutcome::Skip => State::Idle,
                CheckOutcome::Fail | CheckOutcome::Error => State::Bad,
            };
            let href = check.lines.map(|[first, _]| {
                let (to, fragment) = line_of(id, &run.verdict.run_id, first);
                relative(path, &to) + &fragment
            });
            #[expect(clippy::cast_precision_loss, reason = "two decimals are shown")]
            let seconds = check.duration_ms as f64 / 1000.0;
            json!({
                "id": check.id, "outcome": self.word(&format!("outcome_{}", check.outcome.word())),
                "state": state.class(), "exit": check.exit.map(|code| code.to_string()).unwrap_or_default(),
                "duration_text": self.word("seconds").replace("{n}", &format!("{seconds:.2}")),
                "href": href,
            })
        };
        run.verdict.checks.iter().map(check).collect()
    }

    /// The raw files of a run with their viewers.
    pub(super) fn raw(
        &self,
        id: &str,
        run: &Run,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<(), Failure> {
        let base = format!("evidence/{id}/{}", run.verdict.run_id);
        if self.is_named() {
            return self.raw_names(&base, run);
        }
        let mut sums = String::new();
        for (name, bytes) in all_files(self.site, run)? {
            let published = published_path(self.site, run, &name);
            let raw = format!("{base}/raw/{published}");
            self.staging.put(&raw, &bytes)?;
            sums.push_str(&format!("{}  {published}\n", sha256_hex(&bytes)));
            let view = View {
                path: format!("{base}/view/{name}.html"),
                raw,
                title: name,
                up: Some((run.verdict.run_id.clone(), run_page(id, &run.verdict.run_id))),
                text: None,
                meta: Vec::new(),
                notes: self.view_notes(run),
            };
            findings.extend(self.viewer(&view, &bytes, Vec::new())?);
        }
        self.staging
            .put(&format!("{base}/attestation.intoto.json"), attestation(run).as_bytes())?;
        self.staging.put(&format!("{base}/raw/SHA256SUMS"), sums.as_bytes())
    }

    /// The names of all that is published of a run's files.
    fn raw_names(&self, base: &str, run: &Run) -> Result<(), Failure> {
        for name in disk::files_below(&self.site.root.join(&run.folder))? {
            let published = published_path(self.site, run, &name);
            self.staging.claim(&format!("{base}/raw/{published}"))?;
            self.staging.claim(&format!("{base}/view/{name}.html"))?;
        }
        self.staging.claim(&format!("{base}/attestation.intoto.json"))?;
        self.staging.claim(&format!("{base}/raw/SHA256SUMS")).map(|_| ())
    }

    /// What a reader must know of a run's files: how much was taken out of them.
    fn view_notes(&self, run: &Run) -> Vec<String> {
        let all: u64 = run.verdict.redactions.iter().map(|redaction| redaction.count).sum();
        let note = || self.word("redacted_n").replace("{n}", &all.to_string());
        (all > 0).then(note).into_iter().collect()
    }

    /// The viewer page of a raw file.
    pub(super) fn viewer(
        &self,
        view: &View,
        bytes: &[u8],
        claims: Vec<Value>,
    ) -> Result<Option<Diagnostic>, Failure> {
        let truncated = bytes.len() > SHOWN;
        let safe = safe_text(beginning(bytes), Show::Terminal);
        let mut notes = view.notes.clone();
        let not_utf8 = safe.bad_utf8.map(|line| line.to_string());
        notes.extend(not_utf8.map(|line| self.word("not_utf8").replace("{n}", &line)));
        let mut way = vec![(self.word("record"), "evidence/index.html".to_owned())];
        way.extend(view.up.clone());
        way.push((view.title.clone(), String::new()));
        let way: Vec<(&str, &str)> = way.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let crumbs = self.crumbs(&view.path, &way);
        let name = view.raw.rsplit('/').next().unwrap_or(&view.raw);
        let context = json!({
            "page": bare_page(self.site, &view.title, crumbs),
            "viewer": {
                "title": view.title, "path": view.raw,
                "raw_href": relative(&view.path, &view.raw), "download_name": name,
                "sha256": sha256_hex(bytes), "size_text": size_text(bytes.len() as u64),
                "lines": numbered(&safe.text), "truncated": truncated, "notes": notes, "text_href": view.text.as_ref().map(|text| relative(&view.path, text)),
                "claims": claims, "meta": view.meta,
            },
        });
        self.put("viewer.html", &view.path, context)
    }
}

/// The part of a file that a viewer shows, which ends with a whole character.
fn beginning(bytes: &[u8]) -> &[u8] {
    let mut end = bytes.len().min(SHOWN);
    while end < bytes.len() && end > 0 && bytes[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    &bytes[..end]
}

/// The path of a run's file below the folder of its raw files.
fn published_path(site: &Site<'_>, run: &Run, name: &str) -> String {
    let published = published_name(site, &format!("{}/{name}", run.folder));
    match name.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{published}"),
        None => published,
    }
}

/// Every file of a run, by its path in the run's folder.
pub(super) fn all_files(site: &Site<'_>, run: &Run) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let folder = site.root.join(&run.folder);
    let mut files = Vec::new();
    for path in disk::files_below(&folder)? {
        let bytes = disk::read(&folder.join(&path))?;
        files.push((path, bytes));
    }
    Ok(files)
}

/// Captured values of a run.
fn run_values(id: &str, run: &Run, path: &str) -> Vec<Value> {
    let value = |(name, captured): (&String, &crate::evidence::Captured)| {
        let href = captured.line.map(|line| {
            let (to, fragment) = line_of(id, &run.verdict.run_id, line);
            relative(path, &to) + &fragment
        });
        json!({ "name": name, "value": captured.value, "href": href, "line": captured.line })
    };
    run.verdict.values.iter().map(value).collect()
}

/// The files of a run, linked to their viewers, with the raw ones in a folder of their own.
fn run_files(site: &Site<'_>, (id, run): (&str, &Run), path: &str) -> Result<Vec<Value>, Failure> {
    let base = format!("evidence/{id}/{}", run.verdict.run_id);
    let entry = |(name, bytes): &(String, Vec<u8>)| {
        json!({
            "name": name, "href": relative(path, &format!("{base}/view/{name}.html")),
            "size_text": size_text(bytes.len() as u64), "sha256": sha256_hex(bytes),
            "is_folder": false,
        })
    };
    let mut files: Vec<Value> = all_files(site, run)?.iter().map(entry).collect();
    files.push(json!({
        "name": "raw", "href": relative(path, &format!("{base}/raw/index.html")),
        "is_folder": true, "count": files.len() + 1,
    }));
    Ok(files)
}

/// The kit files that a run could see.
fn kit_files(run: &Run) -> Vec<Value> {
    let file = |(path, sha): (&String, &String)| json!({ "path": path, "sha256": sha.strip_prefix("sha256:").unwrap_or(sha) });
    run.verdict.inputs.kit.iter().map(file).collect()
}

/// What was taken out of a run's output: rule and count.
fn redactions(run: &Run) -> Vec<Value> {
    let each = |redaction: &crate::evidence::Redaction| json!({ "rule": redaction.rule, "count": redaction.count });
    run.verdict.redactions.iter().map(each).collect()
}
