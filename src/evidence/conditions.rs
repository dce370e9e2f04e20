//! Whether the conditions of a claim name what is captured, and its numbers come from a run.

use super::claim::{Claim, Grade};
use super::expect::{Expect, Name};
use super::join::Site;
use super::named::{blocks, did_you_mean, page_of};
use super::state::Word;
use crate::diag::{Diagnostic, nearest};

/// EV021: names in `expect` and `control` that no page captures.
pub(super) fn conditions(site: &Site, claim: &Claim, out: &mut Vec<Diagnostic>) {
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
pub(super) fn numbers(site: &Site, claim: &Claim, out: &mut Vec<Diagnostic>) {
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
