//! The published evidence: the record of the site and the bundles, with what all pages of
//! evidence share.

use serde_json::{Value, json};

use super::export;
use super::frame::{bare_page, frame, merged};
use super::mutation_table::mutation_table;
use super::output::Staging;
use super::record::{
    CORRECTIONS_PAGE, SOURCES_PAGE, bundle_page, claim_page, environment_words, line_of,
    live_claims, row, run_page,
};
use super::record_tables::{ended_rows, environment_table};
use super::words::{shown, state_word};
use super::{Extent, Site};
use crate::address::relative;
use crate::diag::{Diagnostic, Failure};
use crate::evidence::{Bundle, CheckOutcome, Outcome, Run};
use crate::html::State;

/// Publishes all evidence.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn evidence(site: &Site<'_>, staging: &Staging) -> Result<Vec<Diagnostic>, Failure> {
    let pages = EvidencePages { site, staging };
    let evidence = site.evidence;
    let mut findings = Vec::new();
    if evidence.is_empty() {
        return Ok(findings);
    }
    findings.extend(pages.record()?);
    export::record(site, staging)?;
    findings.extend(pages.claims()?);
    findings.extend(pages.corrections()?);
    findings.extend(pages.sources()?);
    for (id, bundle) in &evidence.bundles {
        findings.extend(pages.bundle(id, bundle)?);
        for run in &bundle.runs {
            findings.extend(pages.run(id, run)?);
            pages.raw(id, run, &mut findings)?;
        }
    }
    pages.reports(&mut findings)?;
    Ok(findings)
}

/// The pages under construction.
pub(super) struct EvidencePages<'a> {
    pub(super) site: &'a Site<'a>,
    pub(super) staging: &'a Staging,
}

impl EvidencePages<'_> {
    /// A word of the interface.
    pub(super) fn word(&self, key: &str) -> String {
        self.site.theme.word(key).to_owned()
    }

    /// Renders a template into a page.
    pub(super) fn put(
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

    /// Whether pages are only named.
    pub(super) fn is_named(&self) -> bool {
        self.site.extent == Extent::Named
    }

    /// Names a page that is not made.
    pub(super) fn name(&self, path: &str) -> Result<Option<Diagnostic>, Failure> {
        self.staging.claim(path).map(|_| None)
    }

    /// The way down from the site's first page; the last part is the page itself.
    pub(super) fn crumbs(&self, path: &str, way: &[(&str, &str)]) -> Value {
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
            live_claims(site).filter_map(|claim| row(site, claim, path)).collect();
        let mut counts: Vec<(State, String, usize)> = Vec::new();
        for state in site.evidence.states.values().filter(|state| !state.word.is_ended()) {
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
        let links = self.record_links(path);
        let title = self.word("record");
        let context = json!({
            "page": bare_page(site, &title, self.crumbs(path, &[(&title, "")])),
            "record": {
                "rows": rows, "counts": counts, "links": links,
                "ended": ended_rows(site, path), "environments": environment_table(site, path),
            },
        });
        self.put("record.html", path, context)
    }

    /// The ways from the record: runs, corrections, sources, the same data for programs.
    fn record_links(&self, path: &str) -> Vec<Value> {
        let link = |label: &str, to: &str| json!({ "label": label, "href": relative(path, to) });
        let evidence = self.site.evidence;
        let mut links: Vec<Value> =
            evidence.in_order().map(|id| link(id, &bundle_page(id))).collect();
        if !evidence.records.corrections.0.is_empty() {
            links.push(link(&self.word("corrections"), CORRECTIONS_PAGE));
        }
        if !evidence.records.sources.is_empty() {
            links.push(link(&self.word("sources"), SOURCES_PAGE));
        }
        for name in ["record.json", "record.csv"] {
            links.push(link(name, &format!("evidence/{name}")));
        }
        links
    }

    /// The claims that a test picks, as links from the page at `path`.
    pub(super) fn claims_of(
        &self,
        path: &str,
        wanted: impl Fn(&crate::evidence::Claim) -> bool,
    ) -> Vec<Value> {
        let site = self.site;
        let claim = |claim: &crate::evidence::Claim| {
            let state = site.evidence.states.get(&claim.id)?;
            Some(json!({
                "id": claim.id,
                "href": relative(path, &claim_page(&claim.id)),
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
        if self.is_named() {
            return self.name(&path);
        }
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
                "mutation": mutation_table(self.site, bundle, &path),
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
    pub(super) fn outcome_word(&self, outcome: Outcome) -> String {
        self.word(&format!("outcome_{}", outcome.word()))
    }
}

/// A bundle's title: that of the page its newest run was about.
pub(super) fn bundle_title(bundle: &Bundle) -> &str {
    bundle.runs.last().map_or("", |run| run.manifest.title.as_str())
}

/// How an outcome is shown.
pub(super) fn outcome_state(outcome: Outcome) -> State {
    match outcome {
        Outcome::Pass => State::Ok,
        Outcome::Fail => State::Bad,
        Outcome::Error => State::Idle,
    }
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
