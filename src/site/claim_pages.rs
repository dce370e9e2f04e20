//! The page of each claim and the list of corrections.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::evidence_pages::EvidencePages;
use super::frame::bare_page;
use super::measured;
use super::record::{
    CORRECTIONS_PAGE, claim_page, environment_words, line_of, row, run_page, waiver_text,
};
use super::record_tables::{ended_word, environments_of};
use super::words::{grade_word, reason, shown, state_word};
use crate::address::relative;
use crate::diag::{Diagnostic, Failure};
use crate::evidence::{Claim, ClaimState, Correction, EvidenceRef, Gone, LinkState, Run};

impl EvidencePages<'_> {
    /// `evidence/claims/C7.html` for every claim, also for those that are no longer made.
    pub(super) fn claims(&self) -> Result<Vec<Diagnostic>, Failure> {
        let mut findings = Vec::new();
        for claim in &self.site.evidence.claims {
            if let Some(state) = self.site.evidence.states.get(&claim.id) {
                findings.extend(self.claim(claim, state)?);
            }
        }
        for gone in &self.site.evidence.gone {
            findings.extend(self.gone(gone)?);
        }
        Ok(findings)
    }

    /// The page of a claim that stands on a page.
    fn claim(&self, claim: &Claim, state: &ClaimState) -> Result<Option<Diagnostic>, Failure> {
        let site = self.site;
        let path = claim_page(&claim.id);
        if self.is_named() {
            return self.name(&path);
        }
        let page = &site.book.pages[claim.page];
        let reasons: BTreeSet<String> = state.reasons.iter().map(|r| reason(site, r)).collect();
        let entry = &claim.entry;
        let words = if state.word.is_ended() {
            ended_word(site, &claim.id, state.word)
        } else {
            state_word(site, state.word)
        };
        let own = json!({
            "id": claim.id, "statement": claim.statement,
            "grade": entry.grade.word(), "grade_word": grade_word(site, entry.grade.word()),
            "state": shown(state.word).class(), "state_word": words,
            "reasons": reasons, "waiver": waiver_text(site, claim),
            "page_title": page.title,
            "page_href": format!("{}#{}", relative(&path, &page.out), claim.id),
            "expect": entry.expect.iter().map(|e| e.value.to_string()).collect::<Vec<_>>(),
            "control": entry.control.as_ref().map(|e| e.value.to_string()),
            "holds": entry.holds.to_string(), "expires_days": entry.expires_after,
            "expires": row(site, claim, &path).map(|row| row["expires"].clone()),
            "evidence": state.links.iter().map(|link| self.link(&path, link)).collect::<Vec<_>>(),
            "environments": environments_of(site, state, &path),
            "history": self.history(&path, claim),
            "corrections": self.corrections_of(&path, &claim.id),
            "wordings": self.wordings(&claim.id, Some(&claim.statement)),
            "cited": self.cited(&path, &claim.id),
            "rests": self.claims_of(&path, |other| {
                other.entry.evidence.iter().any(|e| e.value == EvidenceRef::Claim(claim.id.clone()))
            }),
        });
        self.put_claim(&path, &claim.id, own)
    }

    /// The page of a claim that stands nowhere any more.
    fn gone(&self, gone: &Gone) -> Result<Option<Diagnostic>, Failure> {
        let site = self.site;
        let path = claim_page(&gone.id);
        if self.is_named() {
            return self.name(&path);
        }
        let own = json!({
            "id": gone.id, "statement": gone.statement,
            "grade": gone.grade, "grade_word": gone.grade.as_ref().map(|g| grade_word(site, g)),
            "state": shown(gone.word).class(), "state_word": ended_word(site, &gone.id, gone.word),
            "reasons": [], "expect": [], "evidence": [], "history": { "names": [], "rows": [] },
            "corrections": self.corrections_of(&path, &gone.id),
            "wordings": self.wordings(&gone.id, None),
            "cited": self.cited(&path, &gone.id), "rests": [],
        });
        self.put_claim(&path, &gone.id, own)
    }

    /// Renders the page of a claim.
    fn put_claim(&self, path: &str, id: &str, own: Value) -> Result<Option<Diagnostic>, Failure> {
        let crumbs = self.crumbs(path, &[(&self.word("record"), "evidence/index.html"), (id, "")]);
        let context = json!({ "page": bare_page(self.site, id, crumbs), "claim": own });
        self.put("claim.html", path, context)
    }

    /// One piece of evidence with its state and why.
    fn link(&self, path: &str, link: &LinkState) -> Value {
        let site = self.site;
        let reasons: BTreeSet<String> = link.reasons.iter().map(|r| reason(site, r)).collect();
        let href = match (&link.reference, &link.run) {
            (EvidenceRef::Bundle { id, .. }, Some(run)) => Some(run_page(id, &run.run.id)),
            (EvidenceRef::Bundle { id, .. }, None) => {
                let there = site.evidence.bundles.contains_key(id);
                there.then(|| super::record::bundle_page(id))
            }
            (EvidenceRef::Report(id), _) => {
                let there = site.evidence.records.reports.contains_key(id);
                there.then(|| super::record::report_page(id))
            }
            (EvidenceRef::Claim(id), _) => site.evidence.claim(id).map(|_| claim_page(id)),
            (EvidenceRef::Source(_), _) => None,
        };
        let source = match &link.reference {
            EvidenceRef::Source(id) if site.evidence.records.sources.contains_key(id) => {
                Some(format!("{}#{id}", relative(path, super::record::SOURCES_PAGE)))
            }
            _ => None,
        };
        let run = link.run.as_ref();
        json!({
            "label": link.reference.to_string(),
            "href": href.map(|to| relative(path, &to)).or(source),
            "state": shown(link.word).class(), "state_word": state_word(site, link.word),
            "decides": link.decides, "reasons": reasons, "notes": measured::unfinished(site, link).into_iter().collect::<Vec<_>>(),
            "date": run.map(|run| run.run.date.to_string()),
            "environment": run.map(|run| environment_words(&run.environment)),
        })
    }

    /// Every run of the bundles that a claim names, newest first, with the values it needs.
    fn history(&self, path: &str, claim: &Claim) -> Value {
        let wanted = claim.names();
        let mut names: Vec<&str> = wanted.iter().map(|name| name.path.as_str()).collect();
        names.dedup();
        let bundles = claim.bundles();
        let mut runs: Vec<(&str, &Run)> = bundles
            .iter()
            .filter_map(|id| Some((*id, self.site.evidence.bundles.get(*id)?)))
            .flat_map(|(id, bundle)| bundle.runs.iter().map(move |run| (id, run)))
            .collect();
        runs.sort_by(|(_, a), (_, b)| {
            (b.verdict.finished(), &b.id).cmp(&(a.verdict.finished(), &a.id))
        });
        names.retain(|name| runs.iter().any(|(_, run)| run.verdict.values.contains_key(*name)));
        let row = |(id, run): &(&str, &Run)| {
            let cell = |name: &&str| match run.verdict.values.get(*name) {
                Some(captured) => {
                    let href = captured.line.map(|line| {
                        let (to, fragment) = line_of(id, &run.id, line);
                        relative(path, &to) + &fragment
                    });
                    json!({ "value": captured.value, "href": href })
                }
                None => json!({ "value": "–" }),
            };
            json!({
                "run_id": format!("{id} {}", run.id),
                "run_href": relative(path, &run_page(id, &run.id)),
                "date": run.verdict.date().to_string(),
                "outcome": self.outcome_word(run.verdict.outcome),
                "state": super::evidence_pages::outcome_state(run.verdict.outcome).class(),
                "environment": environment_words(&run.verdict.environment),
                "cells": names.iter().map(cell).collect::<Vec<_>>(),
            })
        };
        json!({ "names": names, "rows": runs.iter().map(row).collect::<Vec<_>>() })
    }

    /// The wordings that were published before the present one, oldest first.
    fn wordings(&self, id: &str, present: Option<&str>) -> Vec<Value> {
        let records = &self.site.evidence.records;
        let sealed = records.ledger.wordings(id).into_iter();
        let sealed = sealed.map(|(date, text)| (Some(date.to_owned()), text.to_owned()));
        let corrected = records.corrections.of(id).filter(|c| !c.was.is_empty());
        let corrected = corrected.map(|c| (None, c.was.clone()));
        let mut out: Vec<(Option<String>, String)> = Vec::new();
        for (date, text) in sealed.chain(corrected) {
            let known = out.iter().any(|(_, known)| *known == text);
            if !known && Some(text.as_str()) != present {
                out.push((date, text));
            }
        }
        out.into_iter().map(|(date, text)| json!({ "date": date, "text": text })).collect()
    }

    /// The pages that cite a claim, as links.
    fn cited(&self, path: &str, id: &str) -> Vec<Value> {
        let cites = |page: &&crate::book::Page| page.cites.iter().any(|cite| cite.id == id);
        let pages = self.site.book.pages.iter().filter(cites);
        pages
            .map(|page| json!({ "label": page.title, "href": relative(path, &page.out) }))
            .collect()
    }

    /// The corrections of a claim, newest first.
    fn corrections_of(&self, path: &str, id: &str) -> Vec<Value> {
        let all = self.site.evidence.records.corrections.of(id);
        all.rev().map(|correction| self.correction(path, correction)).collect()
    }

    /// One correction.
    fn correction(&self, path: &str, correction: &Correction) -> Value {
        let claims: Vec<Value> = correction
            .claims
            .iter()
            .map(|id| json!({ "label": id, "href": relative(path, &claim_page(id)) }))
            .collect();
        json!({
            "id": correction.id,
            "href": format!("{}#{}", relative(path, CORRECTIONS_PAGE), correction.id),
            "date": correction.date.map(|date| date.to_string()),
            "kind": self.word(&format!("kind_of_{}", correction.kind.word())),
            "claims": claims, "was": correction.was, "now": correction.now,
            "reason": correction.reason, "by": correction.by,
            "evidence": correction.evidence.iter().map(|e| self.proof(path, e)).collect::<Vec<_>>(),
        })
    }

    /// A piece of evidence that a correction names, as a link.
    fn proof(&self, path: &str, text: &str) -> Value {
        use super::record::{SOURCES_PAGE, bundle_page, report_page};
        let evidence = self.site.evidence;
        let to = match EvidenceRef::parse(text) {
            Some(EvidenceRef::Bundle { id, .. }) if evidence.bundles.contains_key(&id) => {
                Some(relative(path, &bundle_page(&id)))
            }
            Some(EvidenceRef::Report(id)) if evidence.records.reports.contains_key(&id) => {
                Some(relative(path, &report_page(&id)))
            }
            Some(EvidenceRef::Source(id)) if evidence.records.sources.contains_key(&id) => {
                Some(format!("{}#{id}", relative(path, SOURCES_PAGE)))
            }
            Some(EvidenceRef::Claim(id)) => Some(relative(path, &claim_page(&id))),
            _ => None,
        };
        json!({ "label": text, "href": to })
    }

    /// `evidence/corrections.html`, newest first.
    pub(super) fn corrections(&self) -> Result<Option<Diagnostic>, Failure> {
        let all = &self.site.evidence.records.corrections.0;
        if all.is_empty() {
            return Ok(None);
        }
        let path = CORRECTIONS_PAGE;
        let list: Vec<Value> = all.iter().rev().map(|c| self.correction(path, c)).collect();
        let title = self.word("corrections");
        let crumbs =
            self.crumbs(path, &[(&self.word("record"), "evidence/index.html"), (&title, "")]);
        let context = json!({ "page": bare_page(self.site, &title, crumbs), "corrections": list });
        self.put("corrections.html", path, context)
    }
}
