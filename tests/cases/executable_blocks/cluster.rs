//! A39: output that is not there yet. (A37, A38 and A40 need a cluster.)

use super::fails;
use crate::support::World;

/// A page whose block counts its tries in a file and prints 2 from the third one on.
fn page(options: &str) -> World {
    World::page(&format!(
        "---\nverify:\n  workdir: temp\n  capture: {{wait.ready: '^(\\d)$'}}\n---\n\n```sh {{#wait {options}}}\necho x >>tries; n=$(wc -l <tries); echo $((n > 2 ? 2 : 1))\n```\n\n```output {{for=wait}}\n2\n```\n\n```sh {{#count}}\nwc -l <tries\n```\n\n```output {{for=count}}\n3\n```\n"
    ))
}

#[test]
fn a39_a_block_is_repeated_until_it_matches() {
    let world = page("retry=30s");
    let ended = world.labdoc("verify --record").any_output().success();
    assert!(ended.stderr.contains("block `wait` passed at try 3"), "{}", ended.stderr);
    let run = format!("evidence/T1/{}", world.names("evidence/T1").remove(0));
    assert_eq!(world.names(&format!("{run}/files/tries/wait")), ["1.txt", "2.txt"]);
    let first = world.read(&format!("{run}/files/tries/wait/1.txt"));
    assert_eq!(first, "labdoc-block: wait\n1\nlabdoc-check: wait fail exit=0\n");
    assert!(world.read(&format!("{run}/result.txt")).starts_with("labdoc-block: wait\n2\n"));
    let verdict: serde_json::Value =
        serde_json::from_str(&world.read(&format!("{run}/verdict.json"))).expect("JSON");
    assert_eq!(verdict["checks"][0]["attempts"], 3);
    assert_eq!(verdict["checks"][1]["attempts"], 1);
}

#[test]
fn a39_without_the_mark_nothing_is_repeated() {
    fails(&page(""), &["DRIFT wait", "-2", "+1"]);
}

#[test]
fn a39_a_block_that_never_matches_ends_with_its_last_output() {
    let world = World::page(
        "```sh {#a retry=600ms}\necho never; false\n```\n\n```output {for=a}\nready\n```\n",
    );
    fails(&world, &["exit 1, expected 0", "+never", "block `a` did not pass in"]);
}
