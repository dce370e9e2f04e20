//! The further tables of the record: claims that are no longer made, claims by environment.

use serde_json::{Value, json};

use super::Site;
use super::record::{claim_page, corrections, environment_words, live_claims, run_page};
use super::words::{shown, state_word};
use crate::address::relative;
use crate::evidence::{Claim, ClaimState, Correction, Word, id_order};
use crate::html::State;

/// The claims that are no longer made, with what took their place.
pub(super) fn ended_rows(site: &Site<'_>, out: &str) -> Vec<Value> {
    let stated = site.evidence.claims.iter().filter_map(|claim| {
        let word = site.evidence.states.get(&claim.id)?.word;
        word.is_ended().then_some((&claim.id, &claim.statement, word))
    });
    let gone = site.evidence.gone.iter().map(|gone| (&gone.id, &gone.statement, gone.word));
    let mut all: Vec<_> = stated.chain(gone).collect();
    all.sort_by_key(|(id, ..)| id_order(id));
    let row = |(id, statement, word): (&String, &String, Word)| {
        json!({
            "id": id, "href": relative(out, &claim_page(id)), "statement": statement,
            "state": shown(word).class(), "state_word": ended_word(site, id, word),
            "corrections": corrections(site, id, out),
        })
    };
    all.into_iter().map(row).collect()
}

/// `withdrawn`, or `superseded by C12`.
pub(super) fn ended_word(site: &Site<'_>, id: &str, word: Word) -> String {
    let successor = site.evidence.records.corrections.ended(id).and_then(Correction::successor);
    match successor {
        Some(next) => site.theme.word("state_superseded_by").replace("{x}", next),
        None => state_word(site, word),
    }
}

/// Claims by environments: where each was measured, and how it came out; `None` where nothing
/// was measured.
pub(super) fn environment_table(site: &Site<'_>, out: &str) -> Option<Value> {
    let mut names: Vec<String> = Vec::new();
    let mut rows: Vec<(&Claim, Vec<(String, Value)>)> = Vec::new();
    for claim in live_claims(site) {
        let Some(state) = site.evidence.states.get(&claim.id) else { continue };
        let mut cells = Vec::new();
        for link in &state.links {
            for runs in &link.environments {
                let name = environment_words(&runs.environment);
                if !names.contains(&name) {
                    names.push(name.clone());
                }
                cells.push((name, environment_cell(site, (link.reference.id(), runs), out)));
            }
        }
        // What nobody can measure (reported, sourced, derived) has no line here.
        if !cells.is_empty() {
            rows.push((claim, cells));
        }
    }
    names.sort();
    let row = |(claim, cells): &(&Claim, Vec<(String, Value)>)| {
        let cell = |name: &String| -> Value {
            let found = cells.iter().find(|(known, _)| known == name);
            found.map_or(Value::Null, |(_, cell)| cell.clone())
        };
        json!({
            "id": claim.id, "href": relative(out, &claim_page(&claim.id)),
            "cells": names.iter().map(cell).collect::<Vec<Value>>(),
        })
    };
    let rows: Vec<Value> = rows.iter().map(row).collect();
    let names: Vec<&String> = names.iter().collect();
    (!names.is_empty()).then(|| json!({ "names": names, "rows": rows }))
}

/// Where one claim was measured, and how it came out, newest run each.
pub(super) fn environments_of(site: &Site<'_>, state: &ClaimState, out: &str) -> Vec<Value> {
    let mut cells: Vec<(String, Value)> = Vec::new();
    for link in &state.links {
        for runs in &link.environments {
            let mut cell = environment_cell(site, (link.reference.id(), runs), out);
            let name = environment_words(&runs.environment);
            cell["name"] = json!(name);
            cell["counts"] = json!(runs.counts);
            cells.push((name, cell));
        }
    }
    cells.sort_by(|a, b| a.0.cmp(&b.0));
    cells.dedup_by(|a, b| a.1 == b.1);
    cells.into_iter().map(|(_, cell)| cell).collect()
}

/// How a claim came out in one environment.
fn environment_cell(
    site: &Site<'_>,
    (bundle, runs): (&str, &crate::evidence::EnvironmentRuns),
    out: &str,
) -> Value {
    let (state, key) = match runs.passed {
        Some(true) => (State::Ok, "holds"),
        Some(false) if runs.counts => (State::Bad, "holds_not"),
        Some(false) => (State::Idle, "holds_not"),
        None => (State::Idle, "no_value"),
    };
    json!({
        "state": state.class(), "state_word": site.theme.word(key), "date": runs.date.to_string(),
        "href": relative(out, &run_page(bundle, &runs.run_id)),
    })
}
