//! What is not wrong yet and will be: bundles that back nothing, sources that cannot be found
//! again, scripts that hide a failure.

use super::bundle::short;
use super::claim::Claim;
use super::join::{Site, at};
use super::named::page_of;
use super::records::Source;
use super::state::Word;
use crate::book::Cite;
use crate::diag::{Diagnostic, nearest};

/// Where sources stand.
const SOURCES: &str = "evidence/sources.yaml";

/// All findings.
pub(super) fn check(site: &Site, claims: &[Claim], out: &mut Vec<Diagnostic>) {
    for id in site.bundles.keys() {
        out.extend(idle(site, claims, id));
    }
    for run in site.bundles.values().flat_map(|bundle| &bundle.runs) {
        let Some(line) = run.tee_line else { continue };
        let path = format!("{}/run.sh", run.folder);
        let message = format!(
            "{}:{line} pipes into `tee` without `set -o pipefail`; a failure would be hidden",
            short(&path)
        );
        let found = Diagnostic::warning("EV111", message).in_file(path, Some(line));
        out.push(found.hint("write `set -o pipefail` at the top of the script and run it again"));
    }
    for (id, source) in &site.records.sources {
        out.extend(incomplete(site, id, source));
        out.extend(unsafe_address(id, source));
    }
}

/// EV008: nobody names the bundle.
fn idle(site: &Site, claims: &[Claim], id: &str) -> Option<Diagnostic> {
    let named = claims.iter().any(|claim| claim.bundles().contains(&id));
    let corrections = site.records.corrections.0.iter().flat_map(|c| &c.evidence);
    let corrected = corrections.filter_map(|e| e.split('#').next()).any(|bundle| bundle == id);
    if named || corrected || page_of(site, id).is_some() {
        return None;
    }
    let found = Diagnostic::warning("EV008", format!("bundle {id} backs no claim"));
    Some(
        found
            .in_file(format!("evidence/{id}"), None)
            .hint(format!("name it in a claim, `evidence: [{id}]`, or take its folder out")),
    )
}

/// EV010: what a reader needs to find the passage.
fn incomplete(site: &Site, id: &str, source: &Source) -> Option<Diagnostic> {
    let parts =
        [("access date", &source.accessed), ("locator", &source.locator), ("quote", &source.quote)];
    let empty = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    let missing: Vec<&str> =
        parts.iter().filter(|(_, text)| empty(text)).map(|(name, _)| *name).collect();
    if missing.is_empty() {
        return None;
    }
    let message =
        format!("source {id} has no {}; a reader cannot find the passage", missing.join(", no "));
    let found = site.policy.finding(Word::Unsupported, "EV010", message).in_file(SOURCES, None);
    Some(found.hint("add `accessed`, `locator` and a short `quote` to the entry"))
}

/// SE504: an address that could run something.
fn unsafe_address(id: &str, source: &Source) -> Option<Diagnostic> {
    let plain: String =
        source.url.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let scheme = plain.split(':').next().unwrap_or("").to_ascii_lowercase();
    if plain == source.url && matches!(scheme.as_str(), "http" | "https") && plain.contains("://") {
        return None;
    }
    let message = format!("source {id} url has scheme \"{scheme}:\"");
    let found = Diagnostic::error("SE504", message).in_file(SOURCES, None);
    Some(found.hint("a source has an address that begins with https:// or http://"))
}

/// EV006: a correction that a page names and that does not exist.
pub(super) fn correction(site: &Site, cite: &Cite) -> Option<Diagnostic> {
    let corrections = &site.records.corrections;
    if corrections.get(&cite.id).is_some() {
        return None;
    }
    let message = format!(
        "{} names correction {}, which is not in evidence/corrections.yaml",
        at(site, cite.span),
        cite.id
    );
    let found = site.policy.finding(Word::Absent, "EV006", message).at(cite.span);
    let near = nearest(&cite.id, corrections.0.iter().map(|c| c.id.as_str()));
    Some(match near {
        Some(near) => found.hint(format!("did you mean {near}?")),
        None => found.hint("add the correction, or name one that exists"),
    })
}
