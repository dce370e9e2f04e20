//! `labdoc evidence show` and `diff`: states and why, and two runs counter by counter.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Ended;
use super::assess::{Assessed, assess};
use super::{find_root, plural};
use crate::cli::{AssessArgs, Common, Console};
use crate::diag::{Failure, nearest};
use crate::evidence::{Bundles, Claim, ClaimState, Reason, Run, load_bundles};

/// Shows the claims of the site, of a page, or one of them.
///
/// # Errors
/// Something cannot be read, or there is no such claim or page.
pub(crate) fn show(
    common: &Common,
    (what, markdown): (Option<&str>, bool),
    console: &Console,
) -> Result<Ended, Failure> {
    let args = AssessArgs { release: false, drafts: true, as_of: None };
    let assessed = assess(common, &args)?;
    let wanted = wanted(&assessed, what)?;
    let states = &assessed.evidence.states;
    let rows: Vec<(&Claim, &ClaimState)> =
        wanted.into_iter().filter_map(|claim| Some((claim, states.get(&claim.id)?))).collect();
    let one = what.is_some_and(|what| rows.len() == 1 && rows[0].0.id == what);
    let text = match (markdown, one) {
        (true, _) => table(&rows),
        (false, true) => detail(rows[0]),
        (false, false) => list(&rows),
    };
    console.summary(
        text.trim_end(),
        &json!({ "claims": rows.iter().map(|row| object(*row)).collect::<Vec<_>>() }),
    );
    Ok(Ended::Clean)
}

/// The claims that are asked for.
fn wanted<'a>(assessed: &'a Assessed, what: Option<&str>) -> Result<Vec<&'a Claim>, Failure> {
    let all = &assessed.evidence.claims;
    let Some(what) = what else { return Ok(all.iter().collect()) };
    if let Some(claim) = all.iter().find(|claim| claim.id == what) {
        return Ok(vec![claim]);
    }
    let page = what.trim_start_matches("./").trim_end_matches('/');
    let stands = |path: &str| {
        path == page
            || path.strip_prefix("content/") == Some(page)
            || path.strip_suffix("/index.md") == Some(page)
    };
    let on_page: Vec<&Claim> = all.iter().filter(|claim| stands(&claim.path)).collect();
    if !on_page.is_empty() {
        return Ok(on_page);
    }
    let failure = Failure::new(format!("there is no claim and no page with claims `{what}`"));
    let known = all.iter().flat_map(|claim| [claim.id.as_str(), claim.path.as_str()]);
    Err(match nearest(what, known) {
        Some(near) => failure.hint(format!("did you mean {near}?")),
        None => failure.hint("name a claim such as C7, or a page such as content/guide.md"),
    })
}

/// One line a claim.
fn list(rows: &[(&Claim, &ClaimState)]) -> String {
    let mut out = String::new();
    for (claim, state) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:<5} {:<11} {:<9} {:<24} {}",
            claim.id,
            state.word.text(),
            claim.entry.grade.word(),
            proof(claim),
            claim.statement
        );
        for reason in sentences(state) {
            let _ = writeln!(out, "      = {reason}");
        }
    }
    out
}

/// Everything about one claim.
fn detail((claim, state): (&Claim, &ClaimState)) -> String {
    let mut out = format!("{} {}\n{}\n", claim.id, state.word.text(), claim.statement);
    let mut line = |text: String| {
        let _ = writeln!(out, " = {text}");
    };
    line(format!("page: {}", claim.path));
    line(format!("grade: {}", claim.entry.grade));
    for expect in &claim.entry.expect {
        line(format!("expects: {}", expect.value));
    }
    if let Some(control) = &claim.entry.control {
        line(format!("control: {}", control.value));
    }
    for reason in sentences(state) {
        line(reason);
    }
    for link in &state.links {
        line(format!("{}: {}", link.reference, link.word.text()));
        if let Some(run) = &link.run {
            line(format!("  run {} ({})", run.run.id, run.run.date));
            for (name, value) in &run.values {
                let at = value.line.map_or(String::new(), |n| format!(" (result.txt:{n})"));
                line(format!("  {name} = {}{at}", value.value));
            }
        }
        for runs in &link.environments {
            let words: Vec<String> =
                runs.environment.iter().map(|(key, value)| format!("{key} {value}")).collect();
            let passed = match runs.passed {
                Some(true) => "holds",
                Some(false) => "does not hold",
                None => "no value",
            };
            let count = plural(runs.runs, "run");
            line(format!("  {}: {passed} ({}, {count})", words.join(", "), runs.date));
        }
    }
    out
}

/// A Markdown table that any generator can include.
fn table(rows: &[(&Claim, &ClaimState)]) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let mut out =
        String::from("| id | claim | grade | state | evidence |\n|---|---|---|---|---|\n");
    for (claim, state) in rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            claim.id,
            cell(&claim.statement),
            claim.entry.grade.word(),
            state.word.text(),
            cell(&proof(claim))
        );
    }
    out
}

/// What a claim rests on.
fn proof(claim: &Claim) -> String {
    let evidence = claim.entry.evidence.iter().map(|placed| placed.value.to_string());
    evidence.collect::<Vec<_>>().join(", ")
}

/// The reasons, each once.
fn sentences(state: &ClaimState) -> Vec<String> {
    let mut said = BTreeSet::new();
    let all = state.reasons.iter().map(Reason::sentence);
    all.filter(|sentence| said.insert(sentence.clone())).collect()
}

/// A claim for programs.
fn object((claim, state): (&Claim, &ClaimState)) -> Value {
    json!({
        "id": claim.id, "state": state.word.text(), "grade": claim.entry.grade.word(),
        "statement": claim.statement, "page": claim.path, "reasons": sentences(state),
        "evidence": claim.entry.evidence.iter().map(|e| e.value.to_string()).collect::<Vec<_>>(),
    })
}

/// Compares two runs.
///
/// # Errors
/// A run does not exist or cannot be read.
pub(crate) fn diff(
    common: &Common,
    runs: (&str, &str),
    console: &Console,
) -> Result<Ended, Failure> {
    let bundles = load_bundles(&find_root(common)?)?;
    let (a, b) = (run(&bundles, runs.0)?, run(&bundles, runs.1)?);
    let name = |run: &Run| format!("{}/{}", run.verdict.bundle, run.id);
    let mut out = format!("{}  →  {}\n", name(a), name(b));
    let mut changes = Vec::new();
    for (what, before, after) in differences(a, b) {
        let _ = writeln!(out, "  {what:<32} {before} → {after}{}", delta(&before, &after));
        changes.push(json!({ "what": what, "from": before, "to": after }));
    }
    if changes.is_empty() {
        out.push_str("  no difference\n");
    }
    console.summary(out.trim_end(), &json!({ "from": name(a), "to": name(b), "changes": changes }));
    Ok(Ended::Clean)
}

/// The run of a name: `T1/20261129T101500Z-7f3a2c`, its beginning, or `T1` for the newest.
fn run<'a>(bundles: &'a Bundles, name: &str) -> Result<&'a Run, Failure> {
    let (id, run) = name.trim_end_matches('/').split_once('/').unwrap_or((name, ""));
    let Some(bundle) = bundles.get(id) else {
        let near = nearest(id, bundles.keys().map(String::as_str));
        let hint = near.map_or_else(
            || "name a run like T1/20261129T101500Z-7f3a2c".to_owned(),
            |near| format!("did you mean {near}?"),
        );
        return Err(Failure::new(format!("evidence/{id}/ does not exist")).hint(hint));
    };
    let found: Vec<&Run> = bundle.runs.iter().filter(|known| known.id.starts_with(run)).collect();
    match (found.as_slice(), run) {
        ([one], _) => Ok(one),
        ([.., newest], "") => Ok(newest),
        _ => {
            let ids: Vec<&str> = bundle.runs.iter().map(|run| run.id.as_str()).collect();
            let message = format!(
                "{name} is {} run of {id}",
                if found.is_empty() { "no" } else { "more than one" }
            );
            Err(Failure::new(message).hint(format!("runs: {}", ids.join(", "))))
        }
    }
}

/// Everything in which two runs differ: what, before, after.
fn differences(a: &Run, b: &Run) -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    let (va, vb) = (&a.verdict, &b.verdict);
    let mut push = |what: String, before: String, after: String| {
        if before != after {
            out.push((what, before, after));
        }
    };
    push("outcome".into(), va.outcome.word().into(), vb.outcome.word().into());
    let checks = |run: &Run| -> BTreeMap<String, String> {
        run.verdict.checks.iter().map(|c| (c.id.clone(), c.outcome.word().to_owned())).collect()
    };
    let values = |run: &Run| -> BTreeMap<String, String> {
        run.verdict.values.iter().map(|(name, v)| (name.clone(), v.value.clone())).collect()
    };
    let short = |map: &BTreeMap<String, String>| -> BTreeMap<String, String> {
        map.iter().map(|(key, digest)| (key.clone(), digest.chars().take(19).collect())).collect()
    };
    let parts = [
        ("value ", values(a), values(b)),
        ("check ", checks(a), checks(b)),
        ("environment ", va.environment.clone(), vb.environment.clone()),
        ("kit ", short(&va.inputs.kit), short(&vb.inputs.kit)),
        ("block ", short(&va.inputs.blocks), short(&vb.inputs.blocks)),
    ];
    for (head, before, after) in parts {
        let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for key in keys {
            let of = |map: &BTreeMap<String, String>| map.get(key).cloned().unwrap_or("–".into());
            push(format!("{head}{key}"), of(&before), of(&after));
        }
    }
    out
}

/// ` (+2)` between two numbers.
fn delta(before: &str, after: &str) -> String {
    let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
    match (number(before), number(after)) {
        (Some(a), Some(b)) => {
            let difference = ((b - a) * 1e6).round() / 1e6;
            format!(" ({difference:+})")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_are_between_numbers_only() {
        let check = |a: &str, b: &str, expect: &str| assert_eq!(delta(a, b), expect);
        check("0", "2", " (+2)");
        check("1,000", "998", " (-2)");
        check("0.1", "0.3", " (+0.2)");
        check("pass", "fail", "");
        check("–", "2", "");
    }
}
