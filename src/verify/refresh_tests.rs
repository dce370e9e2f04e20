//! Properties of refresh: for any page and any output, only outputs change, twice is once, and
//! the same run verifies afterwards.
//!
//! `PROPTEST_CASES` sets the number of cases (1,000; `make test-long` 10,000).

mod pages;

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use proptest::prelude::*;

use super::edit::apply;
use super::judge::{judge, settle};
use super::outcome::{PageResult, StepResult};
use super::plan::{Plan, Selection, plan};
use super::rewrite::{Refresh, command_lines};
use super::session::{End, Outcome, Output};
use crate::book::{Page, parse};
use crate::config::Config;
use crate::source::Sources;
use pages::{PageSpec, page};

/// The settings of every page; its classes are compiled once.
static CONFIG: LazyLock<Config> = LazyLock::new(Config::default);

/// A parsed page with its plan.
struct Parsed {
    sources: Sources,
    page: Page,
    plan: Plan,
}

fn parsed(text: &str) -> Parsed {
    let mut sources = Sources::default();
    let file = sources.add("content/a.md", text);
    let page = parse(&sources, file).value;
    let plan = plan(&page, &CONFIG, &sources, &Selection::default());
    Parsed { sources, page, plan }
}

impl Parsed {
    /// The page's run, had its blocks printed this.
    fn run(&self, transcript: &BTreeMap<String, String>) -> PageResult {
        let mut result = PageResult::default();
        for step in &self.plan.steps {
            let mut done = StepResult::new(&step.id);
            for unit in &step.units {
                let text = transcript.get(&unit.id).map_or("", String::as_str);
                done.units.push(judge(step, unit, &outcome(text), &mut result.names));
            }
            result.steps.push(done);
        }
        settle(&self.plan, &mut result);
        result
    }

    /// The text after a refresh of these blocks (all when empty), and what was edited.
    fn refreshed(
        &self,
        result: &PageResult,
        only: &[String],
    ) -> (String, Vec<std::ops::Range<usize>>) {
        let (page, plan, sources) = (&self.page, &self.plan, &self.sources);
        let edits = Refresh { page, plan, result, sources, config: &CONFIG, only }.edits().edits;
        let text = apply(sources.text(page.file), &edits);
        (text, edits.into_iter().map(|edit| edit.range).collect())
    }

    /// The ids and commands of all blocks.
    fn commands(&self) -> Vec<(String, String)> {
        self.page.blocks.iter().map(command_lines).collect()
    }
}

fn outcome(text: &str) -> Outcome {
    Outcome {
        end: End::Exited(0),
        output: Output {
            bytes: text.as_bytes().to_vec(),
            total: text.len() as u64,
            sha256: String::new(),
            truncated: false,
        },
        stderr: None,
        duration: Duration::ZERO,
        pipestatus: vec![0],
        killed: Vec::new(),
        rebuilt: false,
    }
}

/// The units whose output differs.
fn drifted(result: &PageResult) -> Vec<String> {
    let units = result.steps.iter().flat_map(|step| &step.units);
    units.filter(|unit| !unit.problems.is_empty()).map(|unit| unit.id.clone()).collect()
}

/// The units that could not hold their output.
fn unable(parsed: &Parsed, result: &PageResult) -> Vec<String> {
    let steps = parsed.plan.steps.iter().zip(&result.steps);
    steps
        .flat_map(|(step, ran)| step.units.iter().zip(&ran.units))
        .filter(|(unit, got)| {
            got.comparison.as_ref().is_some_and(|c| !c.equal && unit.cannot_hold(&c.measured))
        })
        .map(|(unit, _)| unit.id.clone())
        .collect()
}

/// Checks all properties for a page and a subset of its blocks.
fn check(spec: &PageSpec, only: &[String]) -> Result<(), TestCaseError> {
    let (text, transcript) = (spec.text(), spec.transcript());
    let before = parsed(&text);
    prop_assert_eq!(before.page.blocks.len(), spec.blocks.len(), "every block is found\n{}", text);
    let result = before.run(&transcript);
    let (now, edited) = before.refreshed(&result, only);

    // Only outputs and the runs around them are touched.
    let units = before.plan.steps.iter().flat_map(|step| &step.units);
    let places: Vec<_> = units
        .filter_map(|unit| unit.printed.as_ref())
        .flat_map(|p| [p.content.range(), p.runs.0.range(), p.runs.1.range()])
        .collect();
    for range in &edited {
        let inside =
            |place: &std::ops::Range<usize>| place.start <= range.start && range.end <= place.end;
        prop_assert!(places.iter().any(inside), "{:?} is no output\n{}", range, text);
    }
    let was = drifted(&result);
    if was.is_empty() {
        prop_assert_eq!(&now, &text, "nothing differs, nothing is written");
    }

    // The commands are the same, and the same run verifies.
    let after = parsed(&now);
    prop_assert_eq!(after.commands(), before.commands(), "commands\n{}\n{}", text, now);
    let again = after.run(&transcript);
    let unable = unable(&before, &result);
    let block = |id: &String| id.split('/').next().unwrap_or("").to_owned();
    let expected = |id: &&String| {
        let chosen = only.is_empty() || only.contains(&block(id));
        !unable.contains(id) && (chosen || !was.contains(id))
    };
    let left = drifted(&again);
    let wrong: Vec<&String> = left.iter().filter(expected).collect();
    prop_assert!(
        wrong.is_empty(),
        "{:?} differ after the refresh\n{}\n{}\n{:?}",
        wrong,
        text,
        now,
        transcript
    );

    // Twice is once.
    let (twice, _) = after.refreshed(&again, only);
    prop_assert_eq!(&twice, &now, "a second refresh changes something\n{}", text);
    Ok(())
}

#[test]
fn lines_in_any_order_never_go_on_with_the_command_above_them() {
    let text = "```console {#b .unordered}\n$ run 0\nold\n\nstate\n\\...\n\n$ true\n```\n";
    let before = parsed(text);
    for measured in ["state\n> quote\n", "state\n> quote\n> more\n", "new\n> quote\nstate\n"] {
        let transcript = BTreeMap::from([("b/1".to_owned(), measured.to_owned())]);
        let (now, _) = before.refreshed(&before.run(&transcript), &[]);
        assert!(now.contains("> quote"), "{now}");
        let after = parsed(&now);
        assert_eq!(after.commands(), before.commands(), "{now}");
        assert_eq!(drifted(&after.run(&transcript)), [] as [&str; 0], "{now}");
    }
}

/// The number of cases.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_refreshed_page_verifies_and_nothing_else_of_it_changes(spec in page()) {
        check(&spec, &[])?;
    }

    #[test]
    fn any_subset_may_be_refreshed(spec in page(), chosen in any::<u8>()) {
        let ids = (0..spec.blocks.len()).filter(|at| chosen >> at & 1 == 1);
        let only: Vec<String> = ids.map(|at| format!("b{at}")).collect();
        if !only.is_empty() {
            check(&spec, &only)?;
        }
    }
}
