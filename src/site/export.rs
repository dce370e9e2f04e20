//! The record for programs: `record.json`, `record.csv`, `record.js` for pages opened from the
//! disk, and an unsigned in-toto statement for each run.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Site;
use super::output::Staging;
use super::record::{SOURCES_PAGE, bundle_page, claim_page, report_page, run_page};
use crate::diag::Failure;
use crate::evidence::{
    Check, CheckOutcome, Claim, ClaimState, Correction, EnvironmentRuns, EvidenceRef, LinkState,
    Outcome, Reason, Run,
};

/// Writes the three files.
///
/// # Errors
/// A file cannot be written.
pub(super) fn record(site: &Site<'_>, staging: &Staging) -> Result<(), Failure> {
    let states = &site.evidence.states;
    let claims = site.evidence.claims.iter();
    let live: Vec<Value> =
        claims.filter_map(|claim| Some(claim_value(site, claim, states.get(&claim.id)?))).collect();
    let gone = site.evidence.gone.iter().map(|gone| {
        json!({
            "id": gone.id, "statement": gone.statement, "grade": gone.grade,
            "state": gone.word.text(), "reasons": [], "page": null,
            "environments": [], "evidence": [],
            "corrections": ids(site.evidence.records.corrections.of(&gone.id)),
        })
    });
    let claims: Vec<Value> = live.into_iter().chain(gone).collect();
    let csv = csv(&claims);
    let record =
        json!({ "schema": "labdoc.record/1", "as_of": site.evidence.as_of, "claims": claims });
    let text = format!("{:#}\n", record);
    staging.put("evidence/record.json", text.as_bytes())?;
    staging.put("evidence/record.csv", csv.as_bytes())?;
    staging.put("evidence/record.js", script("labdocRecord", &record).as_bytes())
}

/// A classic script that sets a variable: nothing in the data can end the script or its element.
pub(super) fn script(name: &str, value: &Value) -> String {
    let mut out = format!("window.{name} = ");
    for c in value.to_string().chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push_str(";\n");
    out
}

/// The ids of corrections.
fn ids<'a>(corrections: impl Iterator<Item = &'a Correction>) -> Vec<&'a str> {
    corrections.map(|correction| correction.id.as_str()).collect()
}

/// One claim.
fn claim_value(site: &Site<'_>, claim: &Claim, state: &ClaimState) -> Value {
    let sentences: Vec<String> = state.reasons.iter().map(Reason::sentence).collect();
    let environments = state.links.iter().flat_map(|link| &link.environments);
    let environment = |runs: &EnvironmentRuns| {
        json!({
            "environment": runs.environment, "counts": runs.counts, "passed": runs.passed,
            "date": runs.date.to_string(), "run_id": runs.run_id, "runs": runs.runs,
        })
    };
    json!({
        "id": claim.id,
        "statement": claim.statement,
        "grade": claim.entry.grade.word(),
        "state": state.word.text(),
        "reasons": sentences,
        "page": format!("{}#{}", site.book.pages[claim.page].out, claim.id),
        "environments": environments.map(environment).collect::<Vec<_>>(),
        "evidence": state.links.iter().map(|link| link_value(site, link)).collect::<Vec<_>>(),
        "corrections": ids(site.evidence.records.corrections.of(&claim.id)),
    })
}

/// One piece of evidence.
fn link_value(site: &Site<'_>, link: &LinkState) -> Value {
    let run = link.run.as_ref();
    let recorded = run.and_then(|run| site.evidence.run(&run.run.bundle, &run.run.id));
    let values = run.map(|run| {
        let pairs = run.values.iter().map(|(name, value)| (name.clone(), json!(value.value)));
        pairs.collect::<serde_json::Map<_, _>>()
    });
    let href = match (&link.reference, run) {
        (EvidenceRef::Bundle { id, .. }, Some(run)) => run_page(id, &run.run.id),
        (EvidenceRef::Bundle { id, .. }, None) => bundle_page(id),
        (EvidenceRef::Report(id), _) => report_page(id),
        (EvidenceRef::Source(id), _) => format!("{SOURCES_PAGE}#{id}"),
        (EvidenceRef::Claim(id), _) => claim_page(id),
    };
    json!({
        "ref": link.reference.to_string(),
        "state": link.word.text(),
        "reasons": link.reasons.iter().map(Reason::sentence).collect::<Vec<_>>(),
        "run_id": run.map(|run| run.run.id.as_str()),
        "finished_at": recorded.map(|run| run.verdict.finished_at.as_str()),
        "values": values.unwrap_or_default(),
        "href": href,
    })
}

/// The claims as comma-separated values.
fn csv(claims: &[Value]) -> String {
    let mut out = String::from("id,state,grade,statement,page,evidence,reasons,corrections\n");
    let list = |value: &Value, pick: fn(&Value) -> Option<&str>| {
        let parts = value.as_array().into_iter().flatten().filter_map(pick);
        parts.collect::<Vec<_>>().join("; ")
    };
    let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
    for claim in claims {
        let cells = [
            text(&claim["id"]),
            text(&claim["state"]),
            text(&claim["grade"]),
            text(&claim["statement"]),
            text(&claim["page"]),
            list(&claim["evidence"], |e| e["ref"].as_str()),
            list(&claim["reasons"], Value::as_str),
            list(&claim["corrections"], Value::as_str),
        ];
        out.push_str(&cells.map(|cell| quoted(&cell)).join(","));
        out.push('\n');
    }
    out
}

/// A cell, quoted where it must be.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", cell.replace('"', "\"\""));
    }
    cell.to_owned()
}

/// The unsigned in-toto statement of a run: what was tested, by what, and how it came out.
pub(super) fn attestation(run: &Run) -> String {
    let verdict = &run.verdict;
    let hex = |digest: &str| digest.strip_prefix("sha256:").unwrap_or(digest).to_owned();
    let resource = |(name, digest): (&String, &String)| json!({ "name": name, "digest": { "sha256": hex(digest) } });
    let mut subject: Vec<Value> = verdict.inputs.kit.iter().map(resource).collect();
    if subject.is_empty() {
        // A statement needs a subject; without a kit it is what was printed.
        let outputs = verdict.outputs.iter().map(|(name, output)| (name, &output.sha256));
        subject.extend(outputs.map(resource));
    }
    let of = |wanted: fn(CheckOutcome) -> bool| -> Vec<&str> {
        let checks = verdict.checks.iter().filter(|check: &&Check| wanted(check.outcome));
        checks.map(|check| check.id.as_str()).collect()
    };
    let statement = json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subject,
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": {
            "result": if verdict.outcome == Outcome::Pass { "PASSED" } else { "FAILED" },
            "configuration": verdict.inputs.bundle.iter().map(resource).collect::<Vec<_>>(),
            "passedTests": of(|outcome| outcome == CheckOutcome::Pass),
            "warnedTests": of(|outcome| outcome == CheckOutcome::Skip),
            "failedTests": of(|outcome| {
                matches!(outcome, CheckOutcome::Fail | CheckOutcome::Error)
            }),
        },
    });
    format!("{statement:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_in_a_script_cannot_end_it() {
        let check = |value: &str, expect: &str| {
            assert_eq!(script("x", &json!(value)), format!("window.x = \"{expect}\";\n"));
        };
        check("</script><b>&", r"\u003c/script\u003e\u003cb\u003e\u0026");
        check("a\u{2028}b", r"a\u2028b");
        check("한글", "한글");
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let check = |cell: &str, expect: &str| assert_eq!(quoted(cell), expect);
        check("a b", "a b");
        check("a,b", "\"a,b\"");
        check("a \"b\"\nc", "\"a \"\"b\"\"\nc\"");
    }
}
