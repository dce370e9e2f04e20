//! The published evidence: the record of the site, bundles, runs, their raw files and viewers,
//! reports.

use serde_json::{Value, json};

use super::Site;
use super::frame::{bare_page, frame, merged, size_text};
use super::kit_pages::numbered;
use super::output::Staging;
use super::record::{bundle_page, environment_words, line_of, report_page, row, run_page};
use super::words::{shown, state_word};
use crate::address::relative;
use crate::diag::{Diagnostic, Failure};
use crate::digest::sha256_hex;
use crate::disk;
use crate::evidence::{Bundle, CheckOutcome, Outcome, Report, Run};
use crate::html::State;
use crate::kit::{Show, safe_text};

/// Longest part of a file that a viewer shows, in bytes.
const SHOWN: usize = 2 << 20;

/// Endings of files that run in a reader's browser; they are published as `NAME.txt`.
const ACTIVE: &[&str] = &[".html", ".htm", ".xhtml", ".svg", ".xml", ".js", ".mjs", ".pdf"];

/// Publishes all evidence.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn evidence(site: &Site<'_>, staging: &Staging) -> Result<Vec<Diagnostic>, Failure> {
    let pages = EvidencePages { site, staging };
    let mut findings = Vec::new();
    if !site.evidence.claims.is_empty() || !site.evidence.bundles.is_empty() {
        findings.extend(pages.record()?);
    }
    for (id, bundle) in &site.evidence.bundles {
        findings.extend(pages.bundle(id, bundle)?);
        for run in &bundle.runs {
            findings.extend(pages.run(id, run)?);
            pages.raw(id, run, &mut findings)?;
        }
    }
    for (id, report) in &site.evidence.records.reports {
        let bytes = disk::read(&site.root.join("evidence").join(&report.file))?;
        let name = published_name(report.file.rsplit('/').next().unwrap_or(&report.file));
        let raw = format!("evidence/reports/{name}");
        staging.put(&raw, &bytes)?;
        let meta = report_meta(site, report);
        let view = View { path: report_page(id), raw, title: report.title.clone(), up: None, meta };
        let claims = pages.claims_of(&view.path, |claim| {
            claim.entry.evidence.iter().any(|e| e.value.to_string() == *id)
        });
        findings.extend(pages.viewer(&view, &bytes, claims)?);
    }
    Ok(findings)
}

/// Who wrote a report and when, and where its figures come from.
fn report_meta(site: &Site<'_>, report: &Report) -> Vec<Value> {
    let row = |key: &str, text: &str| json!({ "term": site.theme.word(key), "value_html": crate::html::escape(text) });
    let mut rows = vec![row("date", &report.date)];
    if !report.author.is_empty() {
        rows.push(row("author", &report.author));
    }
    if let Some(origin) = &report.origin {
        rows.push(row("measured_by", &format!("{}, {}", origin.who, origin.date)));
        rows.push(row("environment", &environment_words(&origin.environment)));
    }
    rows
}

/// The name under which a file is published: active types get `.txt` behind.
fn published_name(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let active = ACTIVE.iter().any(|ending| lower.ends_with(ending));
    if active { format!("{name}.txt") } else { name.to_owned() }
}

/// A raw file that gets a viewer page.
struct View {
    path: String,
    raw: String,
    title: String,
    up: Option<(String, String)>,
    meta: Vec<Value>,
}

/// The pages under construction.
struct EvidencePages<'a> {
    site: &'a Site<'a>,
    staging: &'a Staging,
}

impl EvidencePages<'_> {
    /// A word of the interface.
    fn word(&self, key: &str) -> String {
        self.site.theme.word(key).to_owned()
    }

    /// Renders a template into a page.
    fn put(
        &self,
        template: &str,
        path: &str,
        context: Value,
    ) -> Result<Option<Diagnostic>, Failure> {
        let context = merged(frame(self.site, path, 0), context);
        match self.site.theme.render(template, &context) {
            Ok(html) => self.staging.put(path, html.as_bytes()).map(|()| None),
            Err(finding) => Ok(Some(finding)),
        }
    }

    /// The way down from the site's first page; the last part is the page itself.
    fn crumbs(&self, path: &str, way: &[(&str, &str)]) -> Value {
        let mut out =
            vec![json!({ "title": self.word("home"), "href": relative(path, "index.html") })];
        for (title, to) in way {
            if to.is_empty() {
                out.push(json!({ "title": title }));
            } else {
                out.push(json!({ "title": title, "href": relative(path, to) }));
            }
        }
        Value::Array(out)
    }

    /// `evidence/index.html`: every claim of the site.
    fn record(&self) -> Result<Option<Diagnostic>, Failure> {
        let path = "evidence/index.html";
        let site = self.site;
        let rows: Vec<Value> =
            site.evidence.claims.iter().filter_map(|claim| row(site, claim, path)).collect();
        let mut counts: Vec<(State, String, usize)> = Vec::new();
        for state in site.evidence.states.values() {
            let word = state_word(site, state.word);
            match counts.iter_mut().find(|(_, known, _)| *known == word) {
                Some((_, _, count)) => *count += 1,
                None => counts.push((shown(state.word), word, 1)),
            }
        }
        counts.sort();
        let counts: Vec<Value> = counts
            .into_iter()
            .map(|(state, word, count)| json!({ "state": state.class(), "state_word": word, "count": count }))
            .collect();
        let links: Vec<Value> = site
            .evidence
            .in_order()
            .map(|id| json!({ "label": id, "href": relative(path, &bundle_page(id)) }))
            .collect();
        let title = self.word("record");
        let context = json!({
            "page": bare_page(site, &title, self.crumbs(path, &[(&title, "")])),
            "record": { "rows": rows, "counts": counts, "links": links },
        });
        self.put("record.html", path, context)
    }

    /// The claims that a test picks, as links from the page at `path`.
    fn claims_of(
        &self,
        path: &str,
        wanted: impl Fn(&crate::evidence::Claim) -> bool,
    ) -> Vec<Value> {
        let site = self.site;
        let claim = |claim: &crate::evidence::Claim| {
            let state = site.evidence.states.get(&claim.id)?;
            let page = &site.book.pages[claim.page];
            Some(json!({
                "id": claim.id,
                "href": format!("{}#{}", relative(path, &page.out), claim.id),
                "statement": claim.statement,
                "state": shown(state.word).class(),
                "state_word": state_word(site, state.word),
            }))
        };
        site.evidence.claims.iter().filter(|c| wanted(c)).filter_map(claim).collect()
    }

    /// The page of a bundle.
    fn bundle(&self, id: &str, bundle: &Bundle) -> Result<Option<Diagnostic>, Failure> {
        let path = bundle_page(id);
        let page = bundle.runs.last().and_then(|run| run.manifest.page.as_deref());
        let page =
            page.and_then(|path| self.site.book.page_at(path)).map(|at| &self.site.book.pages[at]);
        let runs: Vec<Value> =
            bundle.runs.iter().rev().map(|run| self.run_line(&path, id, run)).collect();
        let title = bundle_title(bundle);
        let claims = self.claims_of(&path, |claim| claim.bundles().contains(&id));
        let context = json!({
            "page": bare_page(self.site, id, self.crumbs(&path, &[(&self.word("record"), "evidence/index.html"), (id, "")])),
            "bundle": {
                "id": id, "title": title,
                "page_title": page.map(|page| page.title.clone()),
                "page_href": page.map(|page| relative(&path, &page.out)),
                "runs": runs, "claims": claims, "values": values_by_run(id, bundle, &path),
            },
        });
        self.put("bundle.html", &path, context)
    }

    /// A run as one line of its bundle's page.
    fn run_line(&self, path: &str, id: &str, run: &Run) -> Value {
        let verdict = &run.verdict;
        let passed = verdict.checks.iter().filter(|c| c.outcome == CheckOutcome::Pass).count();
        json!({
            "id": verdict.run_id, "href": relative(path, &run_page(id, &verdict.run_id)),
            "outcome": self.outcome_word(verdict.outcome), "state": outcome_state(verdict.outcome).class(),
            "finished": verdict.finished_at.replace('T', " ").replace('Z', " UTC"),
            "environment_text": environment_words(&verdict.environment),
            "checks_passed": passed, "checks_total": verdict.checks.len(),
        })
    }

    /// An outcome in the site's language.
    fn outcome_word(&self, outcome: Outcome) -> String {
        self.word(&format!("outcome_{}", outcome.word()))
    }

    /// The page of a run.
    fn run(&self, id: &str, run: &Run) -> Result<Option<Diagnostic>, Failure> {
        let verdict = &run.verdict;
        let path = run_page(id, &verdict.run_id);
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
    fn raw(&self, id: &str, run: &Run, findings: &mut Vec<Diagnostic>) -> Result<(), Failure> {
        let base = format!("evidence/{id}/{}", run.verdict.run_id);
        let mut sums = String::new();
        for (name, bytes) in all_files(self.site, run)? {
            let (folder, file) = name.rsplit_once('/').unwrap_or(("", &name));
            let published = published_name(file);
            let published =
                if folder.is_empty() { published } else { format!("{folder}/{published}") };
            let raw = format!("{base}/raw/{published}");
            self.staging.put(&raw, &bytes)?;
            sums.push_str(&format!("{}  {published}\n", sha256_hex(&bytes)));
            let view = View {
                path: format!("{base}/view/{name}.html"),
                raw,
                title: name,
                up: Some((run.verdict.run_id.clone(), run_page(id, &run.verdict.run_id))),
                meta: Vec::new(),
            };
            findings.extend(self.viewer(&view, &bytes, Vec::new())?);
        }
        self.staging.put(&format!("{base}/raw/SHA256SUMS"), sums.as_bytes())
    }

    /// The viewer page of a raw file.
    fn viewer(
        &self,
        view: &View,
        bytes: &[u8],
        claims: Vec<Value>,
    ) -> Result<Option<Diagnostic>, Failure> {
        let truncated = bytes.len() > SHOWN;
        let safe = safe_text(&bytes[..bytes.len().min(SHOWN)], Show::Terminal);
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
                "lines": numbered(&safe.text), "truncated": truncated, "notes": [],
                "claims": claims, "meta": view.meta,
            },
        });
        self.put("viewer.html", &view.path, context)
    }
}

/// A bundle's title: that of the page its newest run was about.
pub(super) fn bundle_title(bundle: &Bundle) -> &str {
    bundle.runs.last().map_or("", |run| run.manifest.title.as_str())
}

/// How an outcome is shown.
fn outcome_state(outcome: Outcome) -> State {
    match outcome {
        Outcome::Pass => State::Ok,
        Outcome::Fail => State::Bad,
        Outcome::Error => State::Idle,
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

/// Captured values run by run.
fn values_by_run(id: &str, bundle: &Bundle, path: &str) -> Value {
    let mut names: Vec<&String> =
        bundle.runs.iter().flat_map(|run| run.verdict.values.keys()).collect();
    names.sort();
    names.dedup();
    let cell = |run: &Run, name: &String| match run.verdict.values.get(name) {
        Some(captured) => {
            let href = captured.line.map(|line| {
                let (to, fragment) = line_of(id, &run.verdict.run_id, line);
                relative(path, &to) + &fragment
            });
            json!({ "value": captured.value, "href": href })
        }
        None => json!("–"),
    };
    let rows: Vec<Value> = bundle
        .runs
        .iter()
        .rev()
        .map(|run| {
            let cells: Vec<Value> = names.iter().map(|name| cell(run, name)).collect();
            let href = relative(path, &run_page(id, &run.verdict.run_id));
            json!({ "run_id": run.verdict.run_id, "run_href": href, "cells": cells })
        })
        .collect();
    json!({ "names": names, "rows": rows })
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
