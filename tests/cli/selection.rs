//! What is run: `--only`, `--dry-run`, pages and folders, the kit that a run sees.

use snapbox::str;

use crate::support::World;

const FRAMED: &str = "\
```sh {#up .setup}
echo up >>log
```

```sh {#one}
echo one >>log
```

```sh {#two}
echo two >>log
```

```output {for=two}
```

```sh {#never .skip}
echo never >>log
```

```sh {#down .teardown}
echo down >>log
```
";

#[test]
fn only_runs_the_block_with_setup_and_teardown() {
    let world = World::page(FRAMED);
    world
        .labdoc("verify --only two")
        .stdout(str![[r#"
content/a.md
  ok    up [TIME]
  skip  one [TIME]  not chosen
  ok    two [TIME]
  skip  never [TIME]  not chosen
  ok    down [TIME]
1 page: 3 passed, 0 differ, 0 failed, 2 skipped

"#]])
        .success();
    assert_eq!(world.read("content/log"), "up\ntwo\ndown\n");
}

#[test]
fn only_with_an_unknown_block_runs_nothing() {
    let world = World::page(FRAMED);
    world
        .labdoc("verify --only tow")
        .stderr(str![[r#"
error: --only tow: no chosen page has a block of that id
 = help: did you mean two?

"#]])
        .code(2);
    assert!(!world.exists("content/log"));
}

#[test]
fn only_and_record_do_not_go_together() {
    let world = World::page(FRAMED);
    world.labdoc("verify --only two --record").any_output().code(2);
    assert!(!world.exists("content/log") && !world.exists("evidence"));
}

#[test]
fn a_dry_run_prints_the_plan_and_runs_nothing() {
    let world = World::page(FRAMED);
    world.edit("content/a.md", "{#one}", "{#one timeout=5s exit=any}");
    let before = world.tree("");
    world
        .labdoc("verify --dry-run")
        .stdout(str![[r#"
content/a.md
  up                   line 2    setup: exit 0, limit 60s, output not compared
  one                  line 6    run: any exit code, limit 5s, output not compared
  two                  line 10   run: exit 0, limit 60s, output compared
  never                line 17   skipped: marked .skip: exit 0, limit 60s, output not compared
  down                 line 21   teardown: exit 0, limit 60s, output not compared

"#]])
        .success();
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn a_folder_stands_for_its_pages() {
    let page = |name: &str| format!("```sh {{#a}}\necho {name} >>../log\n```\n");
    let world = World::new()
        .file("content/x/a.md", page("a"))
        .file("content/x/b.md", page("b"))
        .file("content/xy/c.md", page("c"))
        .file("content/x/plain.md", "# Nothing to run\n");
    world.labdoc("verify content/x").any_stdout().success();
    assert_eq!(world.read("content/log"), "a\nb\n");
    let inside = world.path("content/x");
    world.labdoc("verify b.md").current_dir(&inside).any_stdout().success();
    assert_eq!(world.read("content/log"), "a\nb\nb\n");
}

#[test]
fn illustrations_and_comments_never_run() {
    let world = World::page(
        "\
```bash
touch ran
```

```output
x
```

<!--
```sh {#hidden}
touch ran
```
-->

```sh {#real}
true
```
",
    );
    world.labdoc("verify").any_output().success();
    assert!(!world.exists("content/ran"));
}

#[test]
fn the_comment_form_runs_a_plain_fence() {
    let page = "<!-- labdoc {#a} -->\n```sh\necho a\n```\n\n<!-- labdoc {for=a} -->\n```\nA\n```\n";
    let world = World::page(page);
    world.labdoc("verify --update").any_output().success();
    assert_eq!(world.read("content/a.md"), page.replace('A', "a"));
}

/// A kit of two scripts and a page that declares one of them.
fn kit() -> World {
    World::page(
        "\
---
kit: demo
verify: {uses: [\"run.sh\", \"conf/**\"]}
---

```sh {#see}
find . -type f | sort; ./run.sh; echo changed >run.sh; touch new
```

```output {for=see}
./conf/a.conf
./run.sh
hello from a
```
",
    )
    .file("labkit/demo/run.sh", "#!/bin/sh\ncat conf/a.conf\n")
    .file("labkit/demo/other.sh", "#!/bin/sh\necho other\n")
    .file("labkit/demo/conf/a.conf", "hello from a\n")
}

#[test]
fn a_run_sees_a_copy_of_the_declared_part_of_the_kit() {
    let world = kit();
    let before = world.tree("labkit");
    world.labdoc("verify").any_stdout().success();
    assert_eq!(before.changes(&world.tree("labkit")), [] as [&str; 0]);
    assert_eq!(std::fs::read_dir(world.base().join("tmp")).expect("tmp").count(), 0, "no rest");
}

#[test]
fn uses_that_match_nothing_are_named() {
    let world = kit();
    world.edit("content/a.md", "\"run.sh\", \"conf/**\"", "\"rum.sh\"");
    world
        .labdoc("verify")
        .any_stdout()
        .stderr(str![[r#"
error: content/a.md: `uses` matches no file of kit demo

"#]])
        .code(2);
}

#[test]
fn parameters_and_workdir_temp() {
    let world = World::page(
        "---\nparams: {ns: dns-lab}\nverify: {workdir: temp}\n---\n\n```sh {#a}\necho \"$ns\"; ls -A | wc -l; bash -c 'echo $ns'\n```\n\n```output {for=a}\ndns-lab\n0\ndns-lab\n```\n",
    );
    world.labdoc("verify").any_stdout().success();
}
