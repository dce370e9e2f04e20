//! On a bundle's page: which small changes its claims noticed, and which they did not.

use serde_json::{Value, json};

use super::Site;
use super::record::claim_page;
use crate::address::relative;
use crate::evidence::{Bundle, Environment, Fate, Mutation, Tried};
use crate::html::State;

/// The table; `None` where nobody ever tried.
pub(super) fn mutation_table(site: &Site<'_>, bundle: &Bundle, out: &str) -> Option<Value> {
    let mutation = bundle.mutation.as_ref()?;
    let word = |key: &str| site.theme.word(key).to_owned();
    let (noticed, survived) = (mutation.count(Fate::Noticed), mutation.count(Fate::Survived));
    let row = |tried: &Tried| {
        let claim = |id: &String| json!({ "id": id, "href": relative(out, &claim_page(id)) });
        json!({
            "id": tried.id, "file": tried.file, "line": tried.line, "change": tried.change,
            "outcome": word(&format!("mutant_{}", tried.outcome.word())),
            "state": state(tried.outcome).class(),
            "claims": tried.claims.iter().map(claim).collect::<Vec<Value>>(),
        })
    };
    let rows = |fate: Fate| -> Vec<Value> {
        mutation.mutants.iter().filter(|tried| tried.outcome == fate).map(row).collect()
    };
    let sentence = word("mutants_noticed")
        .replace("{x}", &noticed.to_string())
        .replace("{y}", &(noticed + survived).to_string());
    Some(json!({
        "sentence": sentence,
        "current": is_current(site, bundle, mutation),
        "seed": mutation.seed, "possible": mutation.possible, "tried": mutation.mutants.len(),
        "setup": mutation.count(Fate::Setup), "ended": mutation.count(Fate::Ended),
        "survived": rows(Fate::Survived), "noticed": rows(Fate::Noticed),
    }))
}

/// Whether kit and claims are still those that were tried.
fn is_current(site: &Site<'_>, bundle: &Bundle, mutation: &Mutation) -> bool {
    let evidence = site.evidence;
    let run = bundle.newest_in(&Environment::new());
    let kit = run.is_some_and(|run| run.verdict.inputs.kit == mutation.inputs.kit)
        && !evidence.stale_bundles.contains(&bundle.id);
    let claim = |(id, digest): (&String, &String)| {
        evidence.claims.iter().any(|claim| claim.id == *id && claim.digest == *digest)
    };
    kit && mutation.inputs.claims.iter().all(claim)
}

/// How it is shown.
fn state(fate: Fate) -> State {
    match fate {
        Fate::Noticed => State::Ok,
        Fate::Survived => State::Bad,
        Fate::Setup | Fate::Ended => State::Idle,
    }
}
