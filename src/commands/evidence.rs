//! `labdoc evidence`.

use std::path::Path;

use serde_json::json;

use super::{Ended, find_root};
use crate::book::Order;
use crate::cli::{Common, Console};
use crate::compare::{Form, Question, compare, normalise};
use crate::diag::Failure;
use crate::disk;
use crate::evidence::{
    Check, CheckOutcome, Judged, Judgement, Manifest, ManifestBlock, Outcome, Part, RULES, Verdict,
    judge as judge_text,
};
use crate::source::Sources;
use crate::vary::{Registry, Renaming, Within};
use crate::verify::parts::transcript_holds;

/// Judges a transcript by the manifest of a run.
///
/// # Errors
/// The run or the transcript cannot be read.
pub(crate) fn judge(
    common: &Common,
    run: &str,
    file: Option<&Path>,
    console: &Console,
) -> Result<Ended, Failure> {
    let root = find_root(common)?;
    let run = run.trim_end_matches('/');
    disk::check_relative(run).map_err(|fault| {
        Failure::new(format!("`{run}` {}", fault.reason()))
            .hint("name it like T1/20261129T101500Z-7f3a2c")
    })?;
    let folder = root.join("evidence").join(run);
    let path = folder.join("manifest.yaml");
    let manifest = Manifest::parse(&disk::read_text(&path)?).map_err(|fault| {
        Failure::new(format!("{}:{}: {}", path.display(), fault.line, fault.message))
    })?;
    let transcript = disk::read(file.unwrap_or(&folder.join("result.txt")))?;
    let transcript = normalise(&transcript, Form::Plain);
    let mut sources = Sources::default();
    let registry = crate::book::load_config(&root, &mut sources)?.value.config.classes;
    let compared = Compared { registry, names: std::cell::RefCell::default() };
    let judgement =
        judge_text(&manifest, &transcript, &|block, parts| compared.equal(block, parts));
    for check in &judgement.checks {
        report(check, console);
    }
    if file.is_none()
        && let Some(name) = keep(&folder, &judgement)?
    {
        console.say(&format!("wrote {run}/{name}; the first verdict stays"));
    }
    let count = |wanted| judgement.checks.iter().filter(|check| check.outcome == wanted).count();
    let (passed, failed) =
        (count(CheckOutcome::Pass), count(CheckOutcome::Fail) + count(CheckOutcome::Error));
    let sentence =
        format!("verdict: {} ({passed} passed, {failed} failed)", judgement.outcome.word());
    console.summary(&sentence, &json!({
        "outcome": judgement.outcome.word(), "passed": passed, "failed": failed,
        "values": judgement.values.iter().map(|(name, captured)| (name.clone(), json!(captured.value)))
            .collect::<serde_json::Map<_, _>>(),
    }));
    Ok(if judgement.outcome == Outcome::Pass { Ended::Clean } else { Ended::Findings })
}

/// Writes what a run comes to under the present rules beside its verdict, where that one was made
/// under others. The name of the new file.
fn keep(folder: &Path, judgement: &Judgement) -> Result<Option<String>, Failure> {
    let text = disk::read_text(&folder.join("verdict.json"))?;
    let first = Verdict::parse(&text)
        .map_err(|(message, line)| Failure::new(format!("verdict.json:{line}: {message}")))?;
    let name = format!("verdict.{}.json", RULES.replace('/', "-"));
    if first.rules == RULES || disk::kind(&folder.join(&name))?.is_some() {
        return Ok(None);
    }
    let check = |judged: &Judged| Check {
        id: judged.id.clone(),
        outcome: judged.outcome,
        exit: judged.exit,
        lines: judged.lines,
        ..first.checks.iter().find(|check| check.id == judged.id).cloned().unwrap_or_default()
    };
    let verdict = Verdict {
        outcome: judgement.outcome,
        checks: judgement.checks.iter().map(check).collect(),
        values: judgement.values.clone(),
        rules: RULES.to_owned(),
        digest: None,
        ..first.clone()
    };
    disk::write(&folder.join(&name), verdict.to_text()?.as_bytes())?;
    Ok(Some(name))
}

/// One line a check.
fn report(check: &Judged, console: &Console) {
    let why = check.why.join("; ");
    let why = if why.is_empty() { why } else { format!("  {why}") };
    console.say(&format!("  {:<5} {}{why}", check.outcome.word(), check.id));
}

/// Compares as `verify` does: one renaming over the whole transcript.
struct Compared {
    registry: Registry,
    names: std::cell::RefCell<Renaming>,
}

impl Compared {
    /// Whether the parts of a block are what its manifest expects.
    fn equal(&self, block: &ManifestBlock, parts: &[&Part]) -> bool {
        let classes = self.registry.select(block.vary.iter().map(String::as_str));
        let within = block.options.get("within").and_then(|text| Within::parse(text).ok());
        let classes = classes.bounded(within.unwrap_or_default());
        let order = match &block.options {
            options if options.contains_key("unordered") => Order::Unordered,
            options if options.contains_key("ordered") => Order::Ordered,
            _ => Order::Natural,
        };
        let form = if block.options.contains_key("strict") { Form::Strict } else { Form::Plain };
        let mut names = self.names.borrow_mut();
        let mut one = |printed: &str, measured: &str| {
            let classes = &classes;
            let question = Question { printed, measured, classes, order, form, first_line: 0 };
            compare(&question, &mut names).equal
        };
        match (&block.expected, block.kind.as_deref()) {
            (_, Some("assert")) => {
                let live: String = parts.iter().map(|part| part.output.as_str()).collect();
                transcript_holds(&block.text, &live)
            }
            (_, Some("console")) => {
                let printed = crate::compare::console_outputs(&block.text);
                printed.len() == parts.len()
                    && printed.iter().zip(parts).all(|(printed, part)| one(printed, &part.output))
            }
            (Some(printed), _) => {
                let measured: String = parts.iter().map(|part| part.output.as_str()).collect();
                one(printed, &measured)
            }
            (None, _) => true,
        }
    }
}
