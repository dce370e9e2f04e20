//! `labdoc verify --record`: what a bundle holds.

use serde_json::Value;
use snapbox::str;

use crate::support::World;

/// A run's verdict.
fn verdict(world: &World, run: &str) -> Value {
    serde_json::from_str(&world.read(&format!("{run}/verdict.json"))).expect("verdict")
}

#[test]
fn two_runs_go_into_one_bundle_and_the_header_names_it_once() {
    let world = World::site("lab");
    let before = world.read("content/lab.md");
    world
        .labdoc("verify --record")
        .stdout(str![[r#"
content/lab.md
  ok    up [TIME]
  ok    flip [TIME]
  ok    look [TIME]
  ok    no [TIME]
  ok    down [TIME]
  wrote bundle: T1 into the header of content/lab.md
  recorded evidence/T1/[RUN]
1 page: 5 passed, 0 differ, 0 failed, 0 skipped

"#]])
        .success();
    let page = before.replace("verify:\n", "verify:\n  bundle: T1\n");
    assert_eq!(world.read("content/lab.md"), page);
    world
        .labdoc("verify --record")
        .stdout(str![[r#"
content/lab.md
  ok    up [TIME]
  ok    flip [TIME]
  ok    look [TIME]
  ok    no [TIME]
  ok    down [TIME]
  recorded evidence/T1/[RUN]
1 page: 5 passed, 0 differ, 0 failed, 0 skipped

"#]])
        .success();
    assert_eq!(world.read("content/lab.md"), page);
    assert_eq!(world.names("evidence"), ["T1"]);
    let runs = world.runs();
    assert_eq!(runs.len(), 2, "{runs:?}");
    for run in &runs {
        assert!(!run.contains(':'), "{run}");
        let names = world.names(run);
        assert_eq!(names, ["files", "manifest.yaml", "result.txt", "run.sh", "verdict.json"]);
        assert_eq!(world.read(&format!("{run}/files/down.txt")), "down\n");
    }
    world.labdoc("check --release").any_output().success();
}

#[test]
fn a_bundle_takes_the_lowest_free_number() {
    let world =
        World::site("lab").file("evidence/T2/note", "taken").file("evidence/T1/note", "taken");
    world.labdoc("verify --record").any_stdout().success();
    assert_eq!(world.names("evidence"), ["T1", "T2", "T3"]);
    assert!(world.read("content/lab.md").contains("  bundle: T3\n"));
}

#[test]
fn the_transcript_and_the_verdict_say_what_happened() {
    let (world, run) = World::recorded();
    snapbox::assert_data_eq!(
        world.read(&format!("{run}/result.txt")).replace(
            world
                .read(&format!("{run}/result.txt"))
                .lines()
                .find(|l| l.starts_with("at "))
                .expect("at"),
            "at [IP]"
        ),
        str![[r#"
labdoc-block: up
up
labdoc-check: up pass exit=0
labdoc-block: flip
lost 3
kept 7
at [IP]
labdoc-check: flip pass exit=0
labdoc-block: look/1
4
labdoc-check: look/1 pass exit=0
labdoc-block: look/2
3 7
labdoc-check: look/2 pass exit=0
labdoc-block: no
labdoc-check: no pass exit=1
labdoc-block: down
labdoc-check: down pass exit=0

"#]]
    );
    let verdict = verdict(&world, &run);
    assert_eq!(verdict["outcome"], "pass");
    assert_eq!(verdict["values"]["flip.lost"]["value"], "3");
    let line = verdict["values"]["flip.kept"]["line"].as_u64().expect("line");
    let result = world.read(&format!("{run}/result.txt"));
    assert_eq!(result.lines().nth(usize::try_from(line).expect("line") - 1), Some("kept 7"));
    let keys: Vec<&str> = verdict.as_object().expect("object").keys().map(String::as_str).collect();
    assert_eq!(keys.first(), Some(&"schema"));
    assert_eq!(keys.last(), Some(&"digest"));
    let kit: Vec<&String> = verdict["inputs"]["kit"].as_object().expect("kit").keys().collect();
    assert_eq!(kit, ["conf/a.conf", "run.sh"]);
}

#[test]
fn failing_runs_are_recorded() {
    let world = World::site("lab");
    world.write("labkit/demo/conf/a.conf", "4 6\n");
    world.labdoc("verify --record").any_output().code(1);
    let verdict = verdict(&world, &world.runs()[0]);
    assert_eq!(verdict["outcome"], "fail");
    assert_eq!(verdict["values"]["flip.lost"]["value"], "4");
    let flip = verdict["checks"].as_array().expect("checks").iter().find(|c| c["id"] == "flip");
    assert_eq!(flip.expect("flip")["outcome"], "fail");
}

#[test]
fn a_page_that_was_refreshed_is_recorded_as_it_is_now() {
    let world = World::site("lab");
    world.edit("content/lab.md", "kept 7", "kept 8");
    world.labdoc("verify --update --record").any_output().success();
    let run = world.runs()[0].clone();
    assert_eq!(verdict(&world, &run)["outcome"], "pass");
    assert!(world.read(&format!("{run}/manifest.yaml")).contains("kept 7"));
    world.labdoc("check --release").any_output().success();
}

#[test]
fn an_input_that_changes_during_the_run_is_an_error() {
    let world = World::site("lab");
    let real = world.path("labkit/demo/conf/a.conf");
    world.edit(
        "content/lab.md",
        "echo up\n",
        &format!("echo up; echo 3 7 again >{}\n", real.display()),
    );
    world.labdoc("verify --record").any_output().code(1);
    let run = world.runs()[0].clone();
    let verdict = verdict(&world, &run);
    assert_eq!(verdict["outcome"], "error", "{verdict}");
    assert!(verdict.to_string().contains("conf/a.conf"));
}

#[test]
fn an_interrupted_or_late_run_is_no_measurement() {
    let world = World::site("lab");
    world.edit("content/lab.md", "{#no exit=1}\nfalse", "{#no timeout=300ms}\nsleep 60");
    world.labdoc("verify --record").any_output().code(1);
    let verdict = verdict(&world, &world.runs()[0]);
    assert_eq!(verdict["outcome"], "error", "{verdict}");
}

#[test]
fn output_lines_that_look_like_marks_are_escaped() {
    let world = World::page(
        "```sh {#a}\necho 'labdoc-check: a pass exit=0'; printf 'labdoc-block: b'; false\n```\n",
    );
    world.labdoc("verify --record").any_output().code(1);
    snapbox::assert_data_eq!(
        world.read(&format!("{}/result.txt", world.runs()[0])),
        str![[r#"
labdoc-block: a
/labdoc-check: a pass exit=0
/labdoc-block: b
labdoc-check: a fail exit=1

"#]]
    );
}

#[test]
fn record_writes_nothing_but_the_bundle_and_the_header() {
    let world = World::site("lab");
    let before = world.tree("");
    world.labdoc("verify --record").any_stdout().success();
    let changes = before.other_content(&world.tree(""));
    let other: Vec<&String> = changes.iter().filter(|c| !c.starts_with("+ evidence")).collect();
    assert_eq!(other, ["~ content/lab.md"]);
}
