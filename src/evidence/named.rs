//! Whether a claim's definition can prove anything: what it names exists, it has a condition
//! that can fail, and its numbers come from a run.

use std::collections::BTreeMap;

use super::claim::{Claim, Grade};
use super::expect::{Expect, Name};
use super::join::{Site, at};
use super::reference::EvidenceRef;
use super::state::Word;
use crate::book::Page;
use crate::diag::{Diagnostic, nearest};
use crate::source::Span;

/// All findings about what claims, pages and headers name.
pub(super) fn check(site: &Site, claims: &[Claim]) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for claim in claims {
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
    } else if grade == Grade::Measured && claim.bundles().is_empty() {
        let names: Vec<String> = entry.evidence.iter().map(|p| words(&p.value)).collect();
        let message = format!(
            "claim {id} is graded measured but is backed only by {}; add a run, or use grade reported",
            names.join(" and ")
        );
        report("EV009", message, "a measured claim rests on at least one bundle of this site");
    }
    if grade == Grade::Measured && entry.expect.is_empty() {
        let message = format!(
            "claim {id} is measured but has no `expect`; a claim that cannot fail proves nothing"
        );
        report("EV018", message, "add a condition, `expect: [\"block.value == 2\"]`");
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
fn missing(site: &Site, who: &str, reference: &EvidenceRef) -> Option<Diagnostic> {
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
fn did_you_mean(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!(" (did you mean {near}?)"))
}

/// The page whose header names a bundle.
fn page_of<'a>(site: &Site<'a>, bundle: &str) -> Option<&'a Page> {
    let named = |page: &&Page| {
        page.front.verify.as_ref().and_then(|verify| verify.bundle.as_deref()) == Some(bundle)
    };
    site.pages.iter().find(named)
}

/// The blocks of a bundle: its page's, else those that its runs planned.
fn blocks<'a>(site: &Site<'a>, bundle: &str) -> Vec<&'a str> {
    match page_of(site, bundle) {
        Some(page) => page.blocks.iter().map(|block| block.id.as_str()).collect(),
        None => site.bundles.get(bundle).map_or(Vec::new(), |bundle| bundle.block_names()),
    }
}

/// The values of a bundle: its page's captures, else those of its runs.
fn values<'a>(site: &Site<'a>, bundle: &str) -> Vec<&'a str> {
    match page_of(site, bundle) {
        Some(page) => {
            let captures = page.front.verify.iter().flat_map(|verify| verify.capture.keys());
            captures.map(String::as_str).collect()
        }
        None => site.bundles.get(bundle).map_or(Vec::new(), |bundle| bundle.value_names()),
    }
}

/// EV021: names in `expect` and `control` that no page captures.
fn conditions(site: &Site, claim: &Claim, out: &mut Vec<Diagnostic>) {
    let entry = &claim.entry;
    let expects = entry.expect.iter().map(|placed| ("expect", placed));
    let controls = entry.control.iter().map(|placed| ("control", placed));
    for (key, placed) in expects.chain(controls) {
        for name in placed.value.names() {
            let block = matches!(placed.value, Expect::Ok(_));
            out.extend(unknown_name(site, claim, (key, name, block)).map(|f| f.at(placed.span)));
        }
    }
}

/// EV021 for one name, without its place.
fn unknown_name(site: &Site, claim: &Claim, of: (&str, &Name, bool)) -> Option<Diagnostic> {
    let (key, name, is_block) = of;
    let bundles = match &name.bundle {
        Some(bundle) if !claim.bundles().contains(&bundle.as_str()) => {
            let message = format!(
                "`{key}` names {name}, but {bundle} is not in the evidence of claim {}",
                claim.id
            );
            let hint = format!("add {bundle} to its `evidence`");
            return Some(Diagnostic::error("EV021", message).hint(hint));
        }
        Some(bundle) => vec![bundle.as_str()],
        None => claim.bundles(),
    };
    // Where a bundle is not there, that is what has to be said, and it is (EV006, EV005).
    let there = |id: &&str| site.bundles.contains_key(*id) || page_of(site, id).is_some();
    if bundles.is_empty() || !bundles.iter().all(there) {
        return None;
    }
    let list = |id: &&str| if is_block { blocks(site, id) } else { values(site, id) };
    let known: Vec<&str> = bundles.iter().flat_map(list).collect();
    if known.contains(&name.path.as_str()) {
        return None;
    }
    let what = if is_block { "which is no block" } else { "which no page captures" };
    let near = did_you_mean(nearest(&name.path, known.iter().copied()));
    let message = format!("`{key}` names {name}, {what} of {}{near}", bundles.join(", "));
    let hint = if known.is_empty() {
        format!("add it to the page's header, `verify.capture: {{{}: 'expression'}}`", name.path)
    } else {
        format!("known here: {}", known.join(", "))
    };
    Some(Diagnostic::error("EV021", message).hint(hint))
}

/// EV019: a number of a measured claim that no captured value backs.
fn numbers(site: &Site, claim: &Claim, out: &mut Vec<Diagnostic>) {
    let page = &site.pages[claim.page];
    let Some(span) = page.claims.iter().find(|span| span.span == claim.span) else { return };
    if claim.entry.grade != Grade::Measured {
        return;
    }
    let expected: Vec<&str> = claim.names().iter().map(|name| name.path.as_str()).collect();
    let example = expected.first().copied().unwrap_or("block.value");
    for (number, at) in &span.bare_numbers {
        let message = format!(
            "claim {} shows the number {number} that no captured value backs; write `[{number}]{{={example}}}` or take it out",
            claim.id
        );
        let found = site.policy.finding(Word::Unsupported, "EV019", message).at(*at);
        out.push(found.hint(format!("a setting that is no measurement is `[{number}]{{=}}`")));
    }
    for live in &span.lives {
        if expected.contains(&live.rsplit('#').next().unwrap_or(live)) {
            continue;
        }
        let message =
            format!("claim {} shows the number {live}, which its `expect` does not name", claim.id);
        let found = site.policy.finding(Word::Unsupported, "EV019", message).at(span.span);
        out.push(found.hint(format!("add a condition on {live} to `expect`")));
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
