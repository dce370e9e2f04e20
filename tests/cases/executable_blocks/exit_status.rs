//! A10 to A13: how a block ended is never hidden.

use super::{fails, page};
use crate::support::World;

#[test]
fn a10_the_status_is_the_blocks_own() {
    let world = page(&[
        ("no_such_cmd", None),
        ("false", None),
        ("(exit 7)", None),
        ("no_such_cmd\necho x", Some("x\n")),
    ]);
    fails(
        &world,
        &[
            "exit 127, expected 0",
            "exit 1, expected 0",
            "exit 7, expected 0",
            // The last status is 0, but the message is no part of what is printed.
            "+bash: line 1: no_such_cmd: command not found",
        ],
    );
}

#[test]
fn a11_a_block_that_fails_fails_the_run() {
    let console = World::page("```console {#a}\n$ false\n$ true\n```\n");
    fails(&console, &["FAIL  a", "exit 1, expected 0"]);
    // The tool itself breaking is another exit code.
    World::page("").labdoc("verify content/none.md").any_output().code(2);
}

#[test]
fn a12_an_error_that_is_shown_on_purpose_needs_status_and_text() {
    let text = |commands: &str, printed: &str| {
        format!("```sh {{#a exit=1}}\n{commands}\n```\n\n```output {{for=a}}\n{printed}\n```\n")
    };
    let not_found = "echo 'Error: pods \"nope\" not found' >&2; false";
    let right = text(not_found, "Error: pods \"nope\" not found");
    World::page(&right).labdoc("verify").any_stdout().success();
    fails(&World::page(&text(not_found, "Error: other")), &["output differs"]);
    let passes = text("echo 'Error: pods \"nope\" not found'", "Error: pods \"nope\" not found");
    fails(&World::page(&passes), &["exit 0, expected 1"]);
    World::page("```sh {#a exit=any}\n(exit 9)\n```\n").labdoc("verify").any_stdout().success();
}

#[test]
fn a13_a_failure_inside_a_pipeline_is_told_and_recorded() {
    let world = page(&[("false | tee \"$HOME/log\"", None)]);
    let ended = world.labdoc("verify --record").any_output().success();
    assert!(ended.stderr.contains("statuses 1 0"), "{}", ended.stderr);
    let run = world.names("evidence/T1").remove(0);
    let verdict = world.read(&format!("evidence/T1/{run}/verdict.json"));
    let verdict: serde_json::Value = serde_json::from_str(&verdict).expect("JSON");
    assert_eq!(verdict["checks"][0]["pipestatus"], serde_json::json!([1, 0]));
}
