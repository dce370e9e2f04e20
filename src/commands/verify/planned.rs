//! `--dry-run`: what would be run, for people and for programs.

use serde_json::json;

use super::selection;
use crate::book::Book;
use crate::cli::{Console, VerifyArgs};
use crate::commands::Ended;
use crate::source::Sources;
use crate::verify::plan::{Plan, Role, Step, plan};

/// Prints the plan.
pub(super) fn dry_run(
    book: &Book,
    chosen: &[usize],
    (args, sources): (&VerifyArgs, &Sources),
    console: &Console,
) -> Ended {
    for at in chosen {
        let page = &book.pages[*at];
        let plan = plan(page, &book.config, sources, &selection(args));
        if console.is_json() {
            plan.steps.iter().for_each(|step| console.object(&planned(&plan, step, sources)));
        } else {
            console.result(&describe(&plan, sources));
        }
    }
    if console.is_json() {
        console.summary("", &json!({ "outcome": "clean", "pages": chosen.len() }));
    }
    Ended::Clean
}

/// A plan for people.
fn describe(plan: &Plan, sources: &Sources) -> String {
    let mut out = plan.path.clone();
    for step in &plan.steps {
        let role = match (&step.skip, step.role) {
            (Some(why), _) => format!("skipped: {why}"),
            (None, Role::Setup) => "setup".to_owned(),
            (None, Role::Teardown) => "teardown".to_owned(),
            (None, Role::OnFailure) => "on failure".to_owned(),
            (None, Role::Normal) if step.background => "in the background".to_owned(),
            (None, Role::Normal) => "run".to_owned(),
        };
        let line = step.units.first().map_or(0, |unit| sources.line(unit.span));
        let exit = step.exit.map_or("any exit code".to_owned(), |code| format!("exit {code}"));
        let timeout = step.timeout;
        let compared = step.units.iter().any(|unit| unit.printed.is_some());
        let compare = if compared { "output compared" } else { "output not compared" };
        let vary = step.classes.names().join(",");
        let vary = if vary.is_empty() { String::new() } else { format!(", vary={vary}") };
        let more = more_options(step);
        out.push_str(&format!(
            "\n  {:<20} line {line:<4} {role}: {exit}, limit {timeout:?}, {compare}{vary}{more}",
            step.id
        ));
    }
    out
}

/// A planned block for programs.
fn planned(plan: &Plan, step: &Step, sources: &Sources) -> serde_json::Value {
    let role = match step.role {
        Role::Setup => "setup",
        Role::Normal if step.background => "background",
        Role::Normal => "run",
        Role::OnFailure => "on-failure",
        Role::Teardown => "teardown",
    };
    json!({ "plan": {
        "page": plan.path, "block": step.id, "role": role, "skip": step.skip,
        "line": step.units.first().map(|unit| sources.line(unit.span)),
        "exit": step.exit, "timeout_ms": step.timeout.as_millis(),
        "compared": step.units.iter().any(|unit| unit.printed.is_some()),
        "vary": step.classes.names(),
    } })
}

/// The options of a block that most blocks do not have, as they stand on the page.
fn more_options(step: &Step) -> String {
    let mut words = Vec::new();
    words.extend(step.retry.map(|retry| format!("retry={retry:?}")));
    words.extend(step.ready.as_ref().map(|ready| format!("ready: {ready}")));
    words.extend(step.needs.iter().map(|need| format!("needs {need}")));
    words.into_iter().map(|word| format!(", {word}")).collect()
}
