//! What a run is worth: its files agree, its inputs are still those, a part is not the whole.

use std::time::Duration;

use crate::support::{Run, World, wait_for};

#[test]
fn case_06_a_part_is_not_the_whole() {
    let world = World::with_foreign();
    world.edit("evidence/T7/manifest.yaml", "checks: [a]", "checks: [a, b]");
    world.finds(
        1,
        "error[EV107]: T7: planned check `b` is not in the verdict (2 planned, 1 reported)",
    );
}

#[test]
fn case_07_an_empty_file_is_no_result() {
    let world = World::with_foreign();
    world.write("evidence/T7/result.txt", "");
    world.finds(1, "error[EV101]: bundle T7: result.txt is empty (0 bytes)");
}

#[test]
fn case_08_a_verdict_contradicts_its_exit_code() {
    let world = World::with_foreign();
    world.edit("evidence/T7/verdict.json", "\"exit_code\":0", "\"exit_code\":1");
    world.finds(1, "verdict says pass, but exit code is 1; the record contradicts itself");
}

#[test]
fn case_09_a_second_verdict_stands_beside_the_first() {
    let world = World::with_foreign();
    let first = world.read("evidence/T7/verdict.json");
    world.labdoc("evidence judge T7").any_output().success();
    assert_eq!(world.read("evidence/T7/verdict.json"), first);
    let second = world.read("evidence/T7/verdict.labdoc.rules-1.json");
    assert!(second.contains("\"rules\":\"labdoc.rules/1\""), "{second}");
    world.labdoc("check").any_output().success();
}

#[test]
fn case_14_a_pipe_into_tee_hides_a_failure() {
    let world = World::with_foreign();
    world.write("evidence/T7/run.sh", "#!/bin/sh\nfalse | tee x\n");
    world.finds(0, "warning[EV111]: T7/run.sh:2 pipes into `tee` without `set -o pipefail`");
    world.write("evidence/T7/run.sh", "#!/bin/bash\nset -euo pipefail\nfalse | tee x\n");
    let ended = world.labdoc("check").any_output().success();
    assert!(!ended.stderr.contains("EV111"), "{}", ended.stderr);
    // A run of our own takes what the commands print itself: what is not printed is not met.
    let page = "```sh {#a}\nfalse | tee x\n```\n\n```output {for=a}\ndone\n```\n";
    let ended = World::page(page).labdoc("verify").any_output().code(1);
    assert!(ended.stdout.contains("1 differ") && ended.stderr.contains("VR001"));
}

#[test]
fn case_18_a_version_is_no_number() {
    let world = World::with_foreign();
    let manifest = world.read("evidence/T7/manifest.yaml") + "environment:\n  kubernetes: 1.30\n";
    world.write("evidence/T7/manifest.yaml", manifest);
    world.finds(1, "`kubernetes: 1.30` is a number and reads as 1.3; write \"1.30\"");
}

#[test]
fn case_10_an_input_that_is_edited_during_the_run_is_named() {
    let world = World::site("lab");
    let wait = "echo up; touch FLAG/started; until [ -e FLAG/go ]; do sleep 0.05; done\n";
    let wait = wait.replace("FLAG", &world.base().display().to_string());
    world.edit("content/lab.md", "echo up\n", &wait);
    let child = world.labdoc("verify --record").spawn();
    wait_for("the block", Duration::from_secs(60), || world.base().join("started").exists());
    world.write("labkit/demo/conf/a.conf", "3 7 \n");
    std::fs::write(world.base().join("go"), "").expect("go");
    Run::wait(&world, child, 1);
    world
        .finds(1, "error[EV110]: T1: conf/a.conf changed while the run was going on; run it again");
}

#[test]
fn case_11_what_is_stale_names_the_thing_that_changed() {
    let proven = World::proven();
    let edits = [
        (
            "content/guide.md",
            "none is lost",
            "few are lost",
            "claim C2 is stale: its wording changed",
        ),
        (
            "labkit/probe/conf/flip.conf",
            "3 7",
            "3  7",
            "kit files changed since the run: conf/flip.conf",
        ),
        ("evidence/T3/run.sh", "lost 3", "lost 4", "run.sh of T3 changed since the run"),
        ("content/guide.md", "echo probe", "echo  probe", "block `version` of content/guide.md"),
        (
            "content/guide.md",
            "\"1.2\"",
            "\"1.3\"",
            "the document is for probe 1.3, the run was on 1.2.3",
        ),
        ("evidence/sources.yaml", "2026-01-10", "1901-01-10", "source S1 was read on 1901-01-10"),
    ];
    for (path, from, to, says) in edits {
        let world = proven.copy();
        world.edit(path, from, to);
        let ended = world.labdoc("check").end();
        assert!(ended.stderr.contains(says), "{path}: no {says:?} in\n{}", ended.stderr);
        assert!(!ended.stderr.contains("always"), "{}", ended.stderr);
    }
}

#[test]
fn case_12_a_pass_behind_a_failure_on_equal_inputs_is_flaky() {
    let world = World::page(
        "---\ntitle: A\nverify: {bundle: T1}\n---\n\n[It holds.]{#C1}\n\n\
         ```sh {#a}\n. ../measured\n```\n\n```output {for=a}\nyes\n```\n",
    );
    let claim = "C1: {grade: measured, evidence: [T1#a], expect: [\"ok(a)\"]}\n";
    world.write("content/claims.yaml", claim);
    for (says, code) in [("echo no", 1), ("echo yes", 0)] {
        world.write("measured", says);
        world.labdoc("verify --record").any_output().code(code);
    }
    world.finds(0, "warning[EV113]: T1 is flaky: 1 of 2 runs on the same inputs failed");
    world.labdoc("build").any_output().success();
    let bundle = world.read("public/evidence/T1/index.html");
    for run in world.names("evidence/T1") {
        assert!(bundle.contains(&run), "{run} is not listed:\n{bundle}");
    }
    assert!(world.read("public/evidence/claims/C1.html").contains("1/2"));
}
