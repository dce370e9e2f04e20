//! The verification record: claims with state, proof and values, for a page and for the site.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::words::{grade_word, reason, shown, state_word};
use super::{Site, measured};
use crate::address::relative;
use crate::evidence::{
    Bundles, Claim, ClaimState, Correction, DecidingRun, Environment, EvidenceRef, Gone, Records,
    Run, Word, ids_in_order,
};
use crate::html::State;
use crate::kit::publish::Claims;

/// Claims, runs and what can be said about them, ready to be shown.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// The day as of which ages were judged.
    pub(crate) as_of: Option<String>,
    /// Whether there are claims, which every page's navigation leads to.
    pub(crate) has_claims: bool,
    /// The claims, in the order of their ids.
    pub(crate) claims: Vec<Claim>,
    /// Their states by id.
    pub(crate) states: BTreeMap<String, ClaimState>,
    /// Claims that are no longer made and stand on no page.
    pub(crate) gone: Vec<Gone>,
    /// The recorded runs.
    pub(crate) bundles: Bundles,
    /// Reports and sources.
    pub(crate) records: Records,
    /// For each kit, the claims whose runs could see a file.
    pub(crate) kit_claims: BTreeMap<String, Claims>,
    /// Blocks (bundle, id) that are not what the newest run ran.
    pub(crate) changed_blocks: BTreeSet<(String, String)>,
    /// Bundles whose newest run saw other kit files than are there now.
    pub(crate) stale_bundles: BTreeSet<String>,
}

/// The record of the site.
const RECORD_PAGE: &str = "evidence/index.html";

/// The list of corrections.
pub(super) const CORRECTIONS_PAGE: &str = "evidence/corrections.html";

/// The list of sources.
pub(super) const SOURCES_PAGE: &str = "evidence/sources/index.html";

impl Evidence {
    /// Whether there is nothing to publish.
    pub(super) fn is_empty(&self) -> bool {
        let records = &self.records;
        self.claims.is_empty()
            && self.gone.is_empty()
            && self.bundles.is_empty()
            && records.reports.is_empty()
            && records.sources.is_empty()
    }

    /// The run of a bundle with that id.
    pub(super) fn run(&self, bundle: &str, id: &str) -> Option<&Run> {
        self.bundles.get(bundle)?.runs.iter().find(|run| run.id == id)
    }

    /// The claim of that id.
    pub(super) fn claim(&self, id: &str) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.id == id)
    }

    /// The bundles by number: T2 before T10.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &str> {
        ids_in_order(&self.bundles).into_iter()
    }

    /// The newest finished run of a bundle in an environment; where none was made in it, the
    /// newest of all, which is what a reader has then.
    pub(super) fn newest(&self, bundle: &str, environment: &Environment) -> Option<&Run> {
        let bundle = self.bundles.get(bundle)?;
        let any = || bundle.runs.iter().rev().find(|run| run.verdict.is_finished());
        bundle.newest_in(environment).or_else(any)
    }
}

/// The page of a bundle.
pub(super) fn bundle_page(id: &str) -> String {
    format!("evidence/{id}/index.html")
}

/// The page of a run.
pub(super) fn run_page(bundle: &str, run: &str) -> String {
    format!("evidence/{bundle}/{run}/index.html")
}

/// The page of a claim.
pub(super) fn claim_page(id: &str) -> String {
    format!("evidence/claims/{id}.html")
}

/// The claims that are still made.
pub(super) fn live_claims<'a>(site: &'a Site<'_>) -> impl Iterator<Item = &'a Claim> {
    let made = |claim: &&Claim| {
        site.evidence.states.get(&claim.id).is_some_and(|state| !state.word.is_ended())
    };
    site.evidence.claims.iter().filter(made)
}

/// A line of a run's transcript, to read.
pub(super) fn line_of(bundle: &str, run: &str, line: usize) -> (String, String) {
    (format!("evidence/{bundle}/{run}/view/result.txt.html"), format!("#L{line}"))
}

/// The page of a report.
pub(super) fn report_page(id: &str) -> String {
    format!("evidence/reports/{id}.html")
}

/// The record's row of a claim, with addresses from the file at `out`.
pub(super) fn row(site: &Site<'_>, claim: &Claim, out: &str) -> Option<Value> {
    let state = site.evidence.states.get(&claim.id)?;
    let deciding = state.links.iter().find_map(|link| link.run.as_ref());
    let reasons: Vec<String> = state.reasons.iter().map(|r| reason(site, r)).collect();
    let mut details = reasons;
    details.dedup();
    details.extend(waiver_text(site, claim));
    let page = &site.book.pages[claim.page];
    let detail = (!details.is_empty()).then(|| details.join(" · "));
    Some(json!({
        "id": claim.id,
        "href": relative(out, &claim_page(&claim.id)),
        "statement": claim.statement,
        "grade": claim.entry.grade.word(),
        "grade_word": grade_word(site, claim.entry.grade.word()),
        "state": shown(state.word).class(),
        "state_word": state_word(site, state.word),
        "detail": detail,
        "measured": measured::sentences(site, state),
        "evidence": proofs(site, claim, state, out),
        "raw": deciding.map(|run| raw(run, out)).unwrap_or_default(),
        "last_run": deciding.map(|run| run.run.date.to_string()),
        "environment": deciding.map(environment_text),
        "values": deciding.map(|run| values(run, out)).unwrap_or_default(),
        "environments": measured_in(state),
        "page_title": page.title,
        "page_href": format!("{}#{}", relative(out, &page.out), claim.id),
        "corrections": corrections(site, &claim.id, out),
        "expires": deciding.and_then(|run| expires(claim, run)),
    }))
}

/// The names of the environments in which a claim was measured, however it came out there.
fn measured_in(state: &ClaimState) -> Vec<String> {
    let runs = state.links.iter().flat_map(|link| &link.environments);
    let mut names: Vec<String> = runs.map(|runs| environment_words(&runs.environment)).collect();
    names.sort();
    names.dedup();
    names
}

/// The corrections of a claim, newest first, as links.
pub(super) fn corrections(site: &Site<'_>, id: &str, out: &str) -> Vec<Value> {
    let link = |correction: &Correction| {
        let word = site.theme.word(&format!("kind_of_{}", correction.kind.word())).to_owned();
        json!({
            "label": format!("{word} {}", correction.dated()),
            "href": format!("{}#{}", relative(out, CORRECTIONS_PAGE), correction.id),
        })
    };
    site.evidence.records.corrections.of(id).rev().map(link).collect()
}

/// The sentence about a claim's waiver.
pub(super) fn waiver_text(site: &Site<'_>, claim: &Claim) -> Option<String> {
    let waiver = site.evidence.records.waivers.get(&claim.id)?;
    let words = site.theme.word("waived").replace("{x}", &waiver.until);
    Some(format!("{words}: {} ({})", waiver.reason, waiver.by))
}

/// The day after which the deciding run is too old.
fn expires(claim: &Claim, run: &DecidingRun) -> Option<String> {
    let days = jiff::Span::new().try_days(claim.entry.expires_after?).ok()?;
    run.run.date.checked_add(days).ok().map(|day| day.to_string())
}

/// What a claim rests on, as links.
fn proofs(site: &Site<'_>, claim: &Claim, state: &ClaimState, out: &str) -> Vec<Value> {
    let link = |reference: &EvidenceRef| {
        let label = reference.to_string();
        let deciding = state
            .links
            .iter()
            .find(|link| link.reference == *reference)
            .and_then(|link| link.run.as_ref());
        let to = match reference {
            EvidenceRef::Bundle { id: bundle, .. } => match deciding {
                Some(run) => run_page(bundle, &run.run.id),
                None if site.evidence.bundles.contains_key(bundle) => bundle_page(bundle),
                None => return json!({ "label": label, "href": "" }),
            },
            EvidenceRef::Report(id) => report_page(id),
            EvidenceRef::Claim(id) => match site.evidence.claim(id) {
                Some(_) => claim_page(id),
                None => return json!({ "label": label, "href": "" }),
            },
            EvidenceRef::Source(id) => {
                let href = format!("{}#{id}", relative(out, SOURCES_PAGE));
                return json!({ "label": label, "href": href });
            }
        };
        json!({ "label": label, "href": relative(out, &to) })
    };
    let all = claim.entry.evidence.iter().map(|placed| link(&placed.value));
    all.filter(|link| link["href"] != "").collect()
}

/// The raw files of the run that decides.
fn raw(run: &DecidingRun, out: &str) -> Vec<Value> {
    let folder = format!("evidence/{}/{}/raw", run.run.bundle, run.run.id);
    ["result.txt", "verdict.json", "manifest.yaml", "run.sh"]
        .iter()
        .map(|name| json!({ "label": name, "href": relative(out, &format!("{folder}/{name}")) }))
        .collect()
}

/// The values that a claim rests on, each linked to its line in the transcript.
fn values(run: &DecidingRun, out: &str) -> Vec<Value> {
    run.values
        .iter()
        .map(|(name, captured)| {
            let href = captured.line.map(|line| {
                let (path, fragment) = line_of(&run.run.bundle, &run.run.id, line);
                relative(out, &path) + &fragment
            });
            json!({ "name": name, "value": captured.value, "href": href })
        })
        .collect()
}

/// An environment in one line, the machine left out.
fn environment_text(run: &DecidingRun) -> String {
    environment_words(&run.environment)
}

/// `Envoy 1.38.3 · Kubernetes 1.34`; names of products with a capital, the machine left out.
pub(super) fn environment_words(environment: &BTreeMap<String, String>) -> String {
    let word = |(key, value): (&String, &String)| {
        // A name that its makers write small, and one that is put together.
        if key == "labdoc" || !key.chars().all(char::is_alphabetic) {
            return format!("{key} {value}");
        }
        let mut chars = key.chars();
        let first = chars.next().map(|c| c.to_ascii_uppercase());
        format!("{}{} {value}", first.map(String::from).unwrap_or_default(), chars.as_str())
    };
    let shown: Vec<String> = environment.iter().filter(|(key, _)| *key != "os").map(word).collect();
    shown.join(" · ")
}

/// The claims of a page, in the order of its text.
pub(super) fn page_rows(site: &Site<'_>, page: usize, out: &str) -> Vec<Value> {
    let claims = site.book.pages[page].claims.iter();
    claims.filter_map(|span| row(site, site.evidence.claim(&span.id)?, out)).collect()
}

/// The sentence under a page's title: how many of its claims stand, and on the site's first page how
/// many of all; `None` where there are none.
pub(super) fn proof(site: &Site<'_>, page: usize, out: &str) -> Option<Value> {
    let page = &site.book.pages[page];
    let ids = page.claims.iter().map(|claim| &claim.id);
    let own: Vec<&ClaimState> = ids.filter_map(|id| site.evidence.states.get(id)).collect();
    let is_first = own.is_empty() && page.base == "index.html";
    let (states, href) = if is_first {
        let all = site.evidence.states.values().filter(|state| !state.word.is_ended());
        (all.collect(), relative(out, RECORD_PAGE))
    } else {
        (own, "#record".to_owned())
    };
    if states.is_empty() {
        return None;
    }
    let newest = states
        .iter()
        .flat_map(|state| state.links.iter().filter_map(|link| link.run.as_ref()))
        .max_by_key(|run| run.run.date);
    let detail = newest.map(|run| {
        let when = site.theme.word("last_run").replace("{x}", &run.run.date.to_string());
        format!("{when}, {}", environment_text(run))
    });
    let (state, sentence) = (state_of_all(&states), count_words(site, &states));
    Some(json!({ "state": state.class(), "sentence": sentence, "detail": detail, "href": href }))
}

/// The state of several claims together.
fn state_of_all(states: &[&ClaimState]) -> State {
    let bad = states.iter().any(|state| shown(state.word) == State::Bad);
    let confirmed = states.iter().any(|state| state.word == Word::Verified);
    match (states.iter().all(|state| state.word.stands()), bad) {
        (true, _) if confirmed => State::Ok,
        (true, _) => State::Idle,
        (false, true) => State::Bad,
        (false, false) => State::Stale,
    }
}

/// How many of the claims are verified, and how many stand on something else.
fn count_words(site: &Site<'_>, states: &[&ClaimState]) -> String {
    let count = |word: Word| states.iter().filter(|state| state.word == word).count();
    let verified = count(Word::Verified);
    let standing = states.iter().all(|state| state.word.stands());
    let key = match verified {
        0 if standing => "proof_none",
        _ if verified == states.len() => "proof_all",
        _ => "proof_some",
    };
    let words = site.theme.word(key).replace("{n}", &states.len().to_string());
    let mut sentence = words.replace("{m}", &verified.to_string());
    // What others measured or published stands too, but no run of ours confirmed it.
    for word in [Word::Reported, Word::Sourced, Word::Derived] {
        if count(word) > 0 {
            sentence.push_str(&format!(" · {} {}", state_word(site, word), count(word)));
        }
    }
    sentence
}
