//! `labdoc bisect`: the version at which a claim stops to hold.

use snapbox::str;

use crate::support::World;

const PAGE: &str = "\
---
environment: {tool: \"1.1\"}
verify:
  env: [TOOL]
  workdir: temp
  capture: {show.tool: 'tool (\\S+)', show.lost: 'lost (\\d+)'}
  measure: {tool: show.tool}
---

# T

[Nothing is lost: [0]{=show.lost}.]{#C1}

```sh {#show}
v=${TOOL:-1.1.4}; echo \"tool $v\"
case $v in 1.*) echo lost 0 ;; *) echo lost 3 ;; esac
```

```output {for=show}
tool 1.1.4
lost 0
```
";

fn recorded() -> World {
    let world = World::page(PAGE)
        .file(
            "book.toml",
            "[book]\ntitle = \"T\"\nlanguage = \"en\"\n\n[environments.tool]\nversions = [\"1.0.2\", \"1.1.4\", \"1.2.0\", \"2.0.1\"]\nset = \"TOOL={version}\"\n",
        )
        .file(
            "content/claims.yaml",
            "# ours\nC1:\n  grade: measured\n  evidence: [T1#show]\n  expect: [\"show.lost == 0\"]\n",
        );
    world.labdoc("verify --record").any_stdout().success();
    world
}

#[test]
fn the_boundary_is_found_recorded_and_written() {
    let world = recorded();
    world
        .labdoc("bisect C1 --over tool=1.0..2.0")
        .stdout(str![[r#"
tool 1.0.2      not run
tool 1.1.4      holds          verified already
tool 1.2.0      holds          evidence/T1/[..]
tool 2.0.1      does not hold  evidence/T1/[..]  show.lost is 3
C1 holds up to tool 1.2.0 and not from 2.0.1 on; it states no `holds`, found is holds: {tool: "<2.0"}

"#]])
        .code(1);
    assert_eq!(world.runs().len(), 3);
    // Runs in other environments change nothing for the page's own.
    world.labdoc("check").any_output().success();
    world.labdoc("bisect C1 --over tool --update").any_stdout().success();
    assert_eq!(
        world.read("content/claims.yaml"),
        "# ours\nC1:\n  grade: measured\n  evidence: [T1#show]\n  expect: [\"show.lost == 0\"]\n  holds: {tool: \"<2.0\"}\n"
    );
    world.labdoc("check --release").any_output().success();
    let all = world.labdoc("bisect C1 --over tool --all").any_stdout().success();
    assert!(!all.stdout.contains("not run"), "{}", all.stdout);
    assert!(all.stdout.contains("holds: {tool: \"<2.0\"} says so"), "{}", all.stdout);
    world.labdoc("build").any_output().success();
    // The newest run was made for contrast; the page shows the newest in its own environment.
    let page = world.read("public/a.html");
    assert!(page.contains("Tool 1.1.4</span><a href=\"evidence/T1/"), "{page}");
    let record = world.read("public/evidence/index.html");
    for environment in ["Tool 1.0.2", "Tool 1.1.4", "Tool 1.2.0", "Tool 2.0.1"] {
        assert!(record.contains(environment), "{environment}");
    }
}

#[test]
fn a_version_that_was_not_run_after_all_is_an_error() {
    let world = recorded();
    world.edit("book.toml", "TOOL={version}", "OTHER={version}");
    world
        .labdoc("bisect C1 --over tool=2.0")
        .stderr(str![[r#"
error: asked for tool 2.0.1, but the page measured 1.1.4
 = help: see to `set` in [environments.tool] of book.toml

"#]])
        .code(2);
    assert_eq!(world.runs().len(), 1);
}

#[test]
fn what_cannot_be_asked_is_said() {
    let world = recorded();
    for (arguments, words) in [
        ("C2 --over tool", "there is no claim C2"),
        ("C1 --over envoy", "book.toml has no [environments.envoy]"),
        ("C1 --over tool=3.0..4.0", "no version 3.0 is listed"),
        ("C1 --over tool=2.0..1.0", "2.0 is newer than 1.0"),
    ] {
        let ended = world.labdoc(&format!("bisect {arguments}")).any_output().code(2);
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
}

#[test]
fn versions_may_come_from_a_command() {
    let world = recorded();
    world.edit(
        "book.toml",
        "versions = [\"1.0.2\", \"1.1.4\", \"1.2.0\", \"2.0.1\"]",
        "list = \"seq -f %.1f 1 2\"",
    );
    let ended = world.labdoc("bisect C1 --over tool --all").any_stdout().code(1);
    assert!(ended.stdout.contains("holds up to tool 1.0 and not from 2.0 on"), "{}", ended.stdout);
}
