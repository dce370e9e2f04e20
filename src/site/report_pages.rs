//! Reports of others and published sources.

use serde_json::{Value, json};

use super::Site;
use super::evidence_pages::EvidencePages;
use super::frame::bare_page;
use super::record::{SOURCES_PAGE, environment_words, report_page};
use super::run_pages::{View, published_name};
use crate::diag::{Diagnostic, Failure};
use crate::disk;
use crate::evidence::{EvidenceRef, Report, Role, Source};

impl EvidencePages<'_> {
    /// A viewer for each report, with what it backs, and its bytes as they were given.
    pub(super) fn reports(&self, findings: &mut Vec<Diagnostic>) -> Result<(), Failure> {
        let site = self.site;
        for (id, report) in &site.evidence.records.reports {
            // One that is missing or refused was reported with the records.
            if !report.intact {
                continue;
            }
            let place = format!("evidence/{}", report.file);
            let path = site.root.join(&place);
            let bytes = disk::read(&path)?;
            let raw = format!("evidence/reports/{}", published_name(site, &place));
            let text = format!("evidence/reports/{id}.txt");
            // Two entries may speak of one file, and two files may have one name.
            let raw = if self.staging.names().contains(&raw) { text.clone() } else { raw };
            self.staging.put(&raw, &bytes)?;
            if text != raw {
                self.staging.put(&text, &bytes)?;
            }
            let view = View {
                path: report_page(id),
                raw,
                text: Some(text),
                title: report.title.clone(),
                up: None,
                meta: report_meta(site, report),
                notes: Vec::new(),
            };
            let claims = self.claims_of(&view.path, |claim| {
                claim.entry.evidence.iter().any(|e| e.value == EvidenceRef::Report(id.clone()))
            });
            findings.extend(self.viewer(&view, &bytes, claims)?);
        }
        Ok(())
    }

    /// `evidence/sources/index.html`.
    pub(super) fn sources(&self) -> Result<Option<Diagnostic>, Failure> {
        let sources = &self.site.evidence.records.sources;
        if sources.is_empty() {
            return Ok(None);
        }
        let path = SOURCES_PAGE;
        let mut ids: Vec<&String> = sources.keys().collect();
        ids.sort_by_key(|id| crate::evidence::id_order(id));
        let list: Vec<Value> =
            ids.into_iter().map(|id| self.source(path, id, &sources[id])).collect();
        let title = self.word("sources");
        let crumbs =
            self.crumbs(path, &[(&self.word("record"), "evidence/index.html"), (&title, "")]);
        let context = json!({
            "page": bare_page(self.site, &title, crumbs),
            "sources": list,
        });
        self.put("sources.html", path, context)
    }

    /// One source with the claims that it backs.
    fn source(&self, path: &str, id: &str, source: &Source) -> Value {
        let plain = source.url.starts_with("https://") || source.url.starts_with("http://");
        json!({
            "id": id, "url": source.url, "href": plain.then_some(&source.url),
            "publisher": source.publisher, "product_version": source.product_version,
            "locator": source.locator, "quote": source.quote, "snapshot": source.snapshot, "accessed": source.accessed,
            "claims": self.claims_of(path, |claim| {
                claim.entry.evidence.iter().any(|e| e.value == EvidenceRef::Source(id.to_owned()))
            }),
        })
    }
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
    let role = match report.role {
        Role::Decides => "role_decides",
        Role::Illustrates => "role_illustrates",
    };
    rows.push(row("role", site.theme.word(role)));
    rows
}
