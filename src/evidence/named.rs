//! Whether a claim's definition can prove anything: what it names exists, it has a condition
//! that can fail, and its numbers come from a run.

use std::collections::BTreeMap;

use super::bundle::short;
use super::claim::{Claim, Grade};
use super::conditions::{conditions, numbers};
use super::join::{Site, at, no_claim};
use super::reference::EvidenceRef;
use super::state::Word;
use super::upkeep;
use crate::book::Page;
use crate::diag::{Diagnostic, nearest};
use crate::source::Span;

/// All findings about what claims, pages and headers name.
pub(super) fn check(site: &Site, claims: &[Claim]) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let made = |claim: &&Claim| site.records.corrections.ended(&claim.id).is_none();
    for claim in claims.iter().filter(made) {
        support(site, claim, &mut out);
        for placed in &claim.entry.evidence {
            out.extend(evidence(site, claim, (&placed.value, placed.span)));
        }
        conditions(site, claim, &mut out);
        numbers(site, claim, &mut out);
    }
    circles(claims, &mut out);
    cites(site, &mut out);
    headers(site, &mut out);
    backlinks(site, claims, &mut out);
    upkeep::check(site, claims, &mut out);
    out
}

/// EV005, EV009 and EV018: the kind of evidence that the grade needs, and a condition.
fn support(site: &Site, claim: &Claim, out: &mut Vec<Diagnostic>) {
    let entry = &claim.entry;
    let (id, grade) = (&claim.id, entry.grade);
    let mut report = |code, message: String, hint: &str| {
        let found = site.policy.finding(Word::Unsupported, code, message);
        out.push(found.at(entry.id.span).hint(hint));
    };
    if entry.evidence.is_empty() {
        let hint = match grade {
            Grade::Measured => "name a bundle, `evidence: [T1]`, or one block of it, `[T1#block]`",
            Grade::Reported => "name a report, `evidence: [R1]`",
            Grade::Official => "name a source, `evidence: [S1]`",
            Grade::Logical => "name its premises, `evidence: [C1]`",
        };
        report("EV005", format!("claim {id} ({grade}) has no evidence"), hint);
    } else if let Some((instead, hint)) = wrong_kind(claim) {
        let names: Vec<String> = entry.evidence.iter().map(|p| words(&p.value)).collect();
        let message = format!(
            "claim {id} is graded {grade} but is backed only by {}; {instead}",
            names.join(" and ")
        );
        report("EV009", message, hint);
    }
    if grade == Grade::Measured && entry.expect.is_empty() {
        let message = format!(
            "claim {id} is measured but has no `expect`; a claim that cannot fail proves nothing"
        );
        report("EV018", message, "add a condition, `expect: [\"block.value == 2\"]`");
    }
}

/// What a claim lacks whose evidence is of no kind that its grade can rest on, and the rule.
fn wrong_kind(claim: &Claim) -> Option<(&'static str, &'static str)> {
    let has = |kind: fn(&EvidenceRef) -> bool| claim.entry.evidence.iter().any(|p| kind(&p.value));
    match claim.entry.grade {
        Grade::Measured if !has(|r| r.bundle().is_some()) => Some((
            "add a run, or use grade reported",
            "a measured claim rests on at least one bundle of this site",
        )),
        Grade::Reported if !has(|r| matches!(r, EvidenceRef::Report(_))) => Some((
            "name a report, or use another grade",
            "a reported claim rests on at least one entry of evidence/reports.yaml",
        )),
        Grade::Official if !has(|r| matches!(r, EvidenceRef::Source(_))) => Some((
            "name a source, or use another grade",
            "an official claim rests on at least one entry of evidence/sources.yaml",
        )),
        _ => None,
    }
}

/// `report R2`.
fn words(reference: &EvidenceRef) -> String {
    let kind = match reference {
        EvidenceRef::Bundle { .. } => "bundle",
        EvidenceRef::Report(_) => "report",
        EvidenceRef::Source(_) => "source",
        EvidenceRef::Claim(_) => "claim",
    };
    format!("{kind} {reference}")
}

/// EV006: a bundle, a block of it, a report or a source that does not exist.
fn evidence(site: &Site, claim: &Claim, of: (&EvidenceRef, Span)) -> Option<Diagnostic> {
    let (reference, span) = of;
    if let Some(found) = missing(site, &format!("claim {}", claim.id), reference) {
        return Some(found.at(span));
    }
    let EvidenceRef::Bundle { id, block: Some(block) } = reference else { return None };
    let known = blocks(site, id);
    if known.is_empty() || known.contains(&block.as_str()) {
        return None;
    }
    let near = nearest(block, known.iter().copied());
    let message = format!(
        "claim {} names block `{block}` of {id}, which has no such block{}",
        claim.id,
        did_you_mean(near)
    );
    let found = site.policy.finding(Word::Absent, "EV006", message).at(span);
    Some(found.hint(format!("blocks of {id}: {}", known.join(", "))))
}

/// EV006 for a thing that does not exist, without its place.
pub(super) fn missing(site: &Site, who: &str, reference: &EvidenceRef) -> Option<Diagnostic> {
    let id = reference.id();
    let (known, place): (Vec<&str>, String) = match reference {
        EvidenceRef::Bundle { .. } => {
            (site.bundles.keys().map(String::as_str).collect(), format!("evidence/{id}/"))
        }
        EvidenceRef::Report(_) => (
            site.records.reports.keys().map(String::as_str).collect(),
            format!("{id} in evidence/reports.yaml"),
        ),
        EvidenceRef::Source(_) => (
            site.records.sources.keys().map(String::as_str).collect(),
            format!("{id} in evidence/sources.yaml"),
        ),
        EvidenceRef::Claim(_) => return None,
    };
    if known.contains(&id) {
        return None;
    }
    let near = nearest(id, known.iter().copied());
    let kind = words(reference);
    let kind = kind.split('#').next().unwrap_or(&kind);
    let message = format!("{who} names {kind}, but {place} does not exist{}", did_you_mean(near));
    let hint = match reference {
        EvidenceRef::Bundle { .. } => {
            "record a run with `labdoc verify PAGE --record`, or name one that exists"
        }
        _ => "add the entry, or name one that exists",
    };
    Some(site.policy.finding(Word::Absent, "EV006", message).hint(hint))
}

/// ` (did you mean T7?)`, where something is near.
pub(super) fn did_you_mean(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!(" (did you mean {near}?)"))
}

/// The page whose header names a bundle.
pub(super) fn page_of<'a>(site: &Site<'a>, bundle: &str) -> Option<&'a Page> {
    let named = |page: &&Page| {
        page.front.verify.as_ref().and_then(|verify| verify.bundle.as_deref()) == Some(bundle)
    };
    site.pages.iter().find(named)
}

/// The blocks of a bundle: its page's, else those that its runs planned.
pub(super) fn blocks<'a>(site: &Site<'a>, bundle: &str) -> Vec<&'a str> {
    match page_of(site, bundle) {
        Some(page) => page.blocks.iter().map(|block| block.id.as_str()).collect(),
        None => site.bundles.get(bundle).map_or(Vec::new(), |bundle| bundle.block_names()),
    }
}

/// EV011: premises that lead back to the claim; each circle is said once, at its first claim.
fn circles(claims: &[Claim], out: &mut Vec<Diagnostic>) {
    let by_id: BTreeMap<&str, &Claim> = claims.iter().map(|c| (c.id.as_str(), c)).collect();
    let mut said: Vec<Vec<&str>> = Vec::new();
    for claim in claims {
        let Some(path) = way_back(claim, &by_id, &mut vec![&claim.id]) else { continue };
        let mut members = path.clone();
        members.sort_unstable();
        if said.contains(&members) {
            continue;
        }
        said.push(members);
        let way = path.iter().chain([&claim.id.as_str()]).copied().collect::<Vec<_>>().join(" → ");
        let message =
            format!("claim {} ({}) depends on itself: {way}", claim.id, claim.entry.grade);
        let hint = "take one of the premises out; at least one claim must rest on something else";
        out.push(Diagnostic::error("EV011", message).at(claim.entry.id.span).hint(hint));
    }
}

/// The way over premises from the last claim of `path` back to the first, if there is one.
fn way_back<'a>(
    claim: &'a Claim,
    by_id: &BTreeMap<&str, &'a Claim>,
    path: &mut Vec<&'a str>,
) -> Option<Vec<&'a str>> {
    for placed in &claim.entry.evidence {
        let EvidenceRef::Claim(id) = &placed.value else { continue };
        if path.first() == Some(&id.as_str()) {
            return Some(path.clone());
        }
        let Some(next) = by_id.get(id.as_str()) else { continue };
        if path.contains(&id.as_str()) {
            continue;
        }
        path.push(&next.id);
        let found = way_back(next, by_id, path);
        path.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

/// EV006 for references in prose to bundles, reports and sources.
fn cites(site: &Site, out: &mut Vec<Diagnostic>) {
    for cite in site.pages.iter().flat_map(|page| &page.cites) {
        if cite.id.starts_with('K') {
            out.extend(upkeep::correction(site, cite));
            continue;
        }
        let Some(reference) = EvidenceRef::parse(&cite.id) else { continue };
        out.extend(missing(site, &at(site, cite.span), &reference).map(|f| f.at(cite.span)));
    }
}

/// EV006 and EV117: the bundles that page headers name exist and belong to one page each.
fn headers(site: &Site, out: &mut Vec<Diagnostic>) {
    let mut owners: BTreeMap<&str, &Page> = BTreeMap::new();
    for page in site.pages {
        let header = page.front.verify.as_ref().and_then(|verify| verify.bundle.as_deref());
        let Some(id) = header else { continue };
        let place = |found: Diagnostic| match page.front_span {
            Some(span) => found.at(span),
            None => found.in_file(page.path.clone(), None),
        };
        let reference = EvidenceRef::Bundle { id: id.to_owned(), block: None };
        let who = format!("the header of {}", page.path);
        out.extend(missing(site, &who, &reference).map(place));
        if let Some(first) = owners.get(id) {
            let message = format!(
                "bundle {id} is named by {} and {}; give one a new number",
                first.path, page.path
            );
            let hint = "take `bundle:` out of one header; the next `--record` gives it a number";
            out.push(place(Diagnostic::error("EV117", message).hint(hint)));
        } else {
            owners.insert(id, page);
        }
    }
}

/// EV003 and EV007: the claims that a foreign bundle says it backs exist and name it.
fn backlinks(site: &Site, claims: &[Claim], out: &mut Vec<Diagnostic>) {
    for bundle in site.bundles.values() {
        let Some(run) = bundle.runs.last().filter(|run| run.manifest.is_foreign()) else {
            continue;
        };
        let path = format!("{}/manifest.yaml", run.folder);
        let place = match run.claims_line {
            Some(line) => format!("{}:{line}", short(&path)),
            None => short(&path).to_owned(),
        };
        for id in &run.manifest.claims {
            let found = match claims.iter().find(|claim| claim.id == *id) {
                None => {
                    let known: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
                    no_claim(
                        format!("{place} refers to claim {id}, which does not exist"),
                        id,
                        &known,
                    )
                }
                Some(claim) if claim.bundles().contains(&bundle.id.as_str()) => continue,
                Some(claim) => one_sided(&bundle.id, claim, &place),
            };
            out.push(found.in_file(path.clone(), run.claims_line));
        }
    }
}

/// EV007, with both ways to put it right.
fn one_sided(bundle: &str, claim: &Claim, place: &str) -> Diagnostic {
    let id = &claim.id;
    let message = format!(
        "{bundle} says it backs {id}, but {id} does not list {bundle} — add it to the claim or drop it from {place}"
    );
    Diagnostic::error("EV007", message)
        .hint(format!("either `evidence: [{bundle}]` at {id}, or no {id} in `claims:`"))
}
