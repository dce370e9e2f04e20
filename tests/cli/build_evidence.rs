//! What a build says of claims: verified, stale, failed, and what a release makes of it.

use snapbox::str;

use crate::support::World;

/// The state that the record at the end of the page shows for a claim.
fn state(world: &World, claim: &str) -> String {
    let html = world.read("public/lab.html");
    let row = format!("id=\"record-{claim}\" data-state=\"");
    let at = html.find(&row).unwrap_or_else(|| panic!("no {row}:\n{html}")) + row.len();
    html[at..].split('"').next().expect("a state").to_owned()
}

#[test]
fn claims_are_verified_then_stale_with_the_name_of_the_file_then_verified_again() {
    let (world, _) = World::recorded();
    world.labdoc("build").any_output().success();
    let verified = world.tree("public");
    assert_eq!((state(&world, "C1"), state(&world, "C2")), ("ok".into(), "ok".into()));

    // One byte of a file that the run used.
    world.edit("labkit/demo/run.sh", "# Prints", "# prints");
    let ended = world.labdoc("build").any_stdout().any_stderr().success();
    assert!(ended.stderr.contains("warning[EV202]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("run.sh"), "{}", ended.stderr);
    assert_eq!((state(&world, "C1"), state(&world, "C2")), ("stale".into(), "stale".into()));
    let html = world.read("public/lab.html");
    let record = &html[html.find("id=\"record-C1\"").expect("record")..];
    assert!(record.contains("run.sh"), "the page names the file: {record}");

    let tree = world.tree("");
    let ended = world.labdoc("build --release").any_output().code(1);
    assert!(ended.stderr.contains("error[EV202]"), "{}", ended.stderr);
    assert_eq!(tree.changes(&world.tree("")), [] as [&str; 0]);

    world.edit("labkit/demo/run.sh", "# prints", "# Prints");
    world.labdoc("build --release").any_output().success();
    assert_eq!(verified.other_content(&world.tree("public")), [] as [&str; 0]);
}

#[test]
fn a_file_that_the_run_could_not_see_changes_no_state() {
    let (world, _) = World::recorded();
    world.edit("labkit/demo/README.md", "Demo", "demo");
    let ended = world.labdoc("build --release").any_output().success();
    assert!(!ended.stderr.contains("EV2"), "{}", ended.stderr);
}

#[test]
fn a_new_file_among_the_declared_ones_is_named() {
    let (world, _) = World::recorded();
    world.write("labkit/demo/conf/b.conf", "1 2\n");
    let ended = world.labdoc("build --release").any_output().code(1);
    assert!(
        ended.stderr.contains("EV202") && ended.stderr.contains("conf/b.conf"),
        "{}",
        ended.stderr
    );
}

#[test]
fn printed_output_that_breaks_an_expect_shows_failed() {
    let (world, _) = World::recorded();
    world.edit("content/lab.md", "\nlost 3\n", "\nlost 5\n");
    let ended = world.labdoc("build").any_output().success();
    assert!(ended.stderr.contains("warning[EV104]"), "{}", ended.stderr);
    assert_eq!((state(&world, "C1"), state(&world, "C2")), ("bad".into(), "ok".into()));
    world.labdoc("build --release").any_output().code(1);
    // The claim that does not rest on that value stands.
    assert!(!ended.stderr.contains("claim C2"), "{}", ended.stderr);
}

#[test]
fn a_newer_run_that_fails_overturns_the_pass() {
    let (world, _) = World::recorded();
    world.edit("labkit/demo/conf/a.conf", "3 7", "4 7");
    world.labdoc("verify --record").any_output().code(1);
    let ended = world.labdoc("build").any_output().success();
    assert!(ended.stderr.contains("warning[EV104]"), "{}", ended.stderr);
    assert_eq!((state(&world, "C1"), state(&world, "C2")), ("bad".into(), "ok".into()));
}

#[test]
fn changed_wording_and_a_changed_block_are_stale() {
    let (world, _) = World::recorded();
    world.edit("content/lab.md", "Setup works.", "Setup worked.");
    let ended = world.labdoc("build").any_output().success();
    assert!(ended.stderr.contains("warning[EV201]: "), "{}", ended.stderr);
    let (world, _) = World::recorded();
    world.edit("content/lab.md", "; echo up", "; echo  up");
    let ended = world.labdoc("build").any_output().success();
    assert!(ended.stderr.contains("warning[EV204]: "), "{}", ended.stderr);
}

#[test]
fn a_claim_without_a_run_is_pending_or_absent() {
    let world = World::site("lab");
    let ended = world.labdoc("build").any_output().success();
    assert!(ended.stderr.contains("EV006") && ended.stderr.contains("T1"), "{}", ended.stderr);
    world.labdoc("build --release").any_output().code(1);
}

#[test]
fn mistakes_in_claims_are_errors_with_a_place() {
    let world = World::page("[It works.]{#C1} and [C7].\n")
        .file("content/claims.yaml", "C1:\n  grade: mesured\nC2:\n  grade: logical\n");
    world
        .labdoc("build")
        .any_stdout()
        .stderr(str![[r#"
error[EV020]: content/a.md:1 states C1, but content/claims.yaml does not describe it
 --> content/a.md:1:1
  |
1 | [It works.]{#C1} and [C7].
  | ^^^^^^^^^^^^^^^^
 = help: add `C1:` with a grade, its evidence and what it expects to content/claims.yaml

error[EV003]: content/a.md:1 refers to claim C7, which does not exist (there are no claims)
 --> content/a.md:1:22
  |
1 | [It works.]{#C1} and [C7].
  |                      ^^^^
 = help: name a claim that exists; a literal one is `\[C7]`

error[EV004]: claim C1 has grade "mesured"; use measured, reported, official or logical
 --> content/claims.yaml:2:10
  |
2 |   grade: mesured
  |          ^^^^^^^
 = help: did you mean `measured`?

error[EV020]: content/claims.yaml:3 describes C2, but no page has the span `[…]{#C2}`
 --> content/claims.yaml:3:1
  |
3 | C2:
  | ^^
 = help: mark the sentence on the page, or take C2 out


"#]])
        .code(1);
}

#[test]
fn the_record_links_the_run_its_files_and_the_lines() {
    let (world, run) = World::recorded();
    world.labdoc("build").any_output().success();
    let html = world.read("public/lab.html");
    let folder = format!("{run}/");
    assert!(html.contains(&format!("href=\"{folder}index.html\"")), "{html}");
    assert!(html.contains(&format!("href=\"{folder}view/result.txt.html#L5\">3</a>")), "{html}");
    for name in ["manifest.yaml", "run.sh", "result.txt", "verdict.json", "files/down.txt"] {
        assert!(html.contains(&format!("{folder}raw/result.txt")));
        let (raw, source) = (format!("public/{folder}raw/{name}"), format!("{folder}{name}"));
        assert_eq!(world.bytes(&raw), world.bytes(&source));
    }
    for folder in ["", "T1/"] {
        assert!(world.exists(&format!("public/evidence/{folder}index.html")));
    }
}

#[test]
fn ages_are_judged_at_the_date_that_was_asked_for() {
    let (world, _) = World::recorded();
    world.edit(
        "content/claims.yaml",
        "  expect: [\"ok(up)\"]",
        "  expect: [\"ok(up)\"]\n  expires_after: 30d",
    );
    world.labdoc("verify --record").any_output().success();
    let ended = world.labdoc("build --as-of 2100-01-01").any_output().success();
    assert!(ended.stderr.contains("EV206"), "{}", ended.stderr);
    let ended = world.labdoc("build").any_output().success();
    assert!(!ended.stderr.contains("EV206"), "{}", ended.stderr);
    world.labdoc("build --as-of yesterday").any_output().code(2);
}

#[test]
fn a_live_number_that_may_vary_agrees_with_the_printed_output() {
    let page = "\
---
verify:
  capture: {a.n: 'n (\\d+)'}
---

It took [5]{=a.n} of them.

```sh {#a}
echo \"n $((10 + RANDOM))\"
```

```output {for=a vary=n}
n 5
```
";
    let world = World::page(page);
    world.labdoc("verify --record").any_stdout().success();
    world.labdoc("check").any_output().success();
    assert!(!world.labdoc("check").any_output().success().stderr.contains("EV210"));
    world.edit("content/a.md", "[5]{=a.n}", "[6]{=a.n}");
    let ended = world.labdoc("check").any_output().success();
    assert!(ended.stderr.contains("warning[EV210]: content/a.md:7"), "{}", ended.stderr);
}
