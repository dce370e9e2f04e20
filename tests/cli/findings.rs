//! A page that cannot be run as it says: nothing is run, nothing is written, and the place is
//! named.

use snapbox::str;

use crate::support::World;

/// A page whose first block would leave a trace.
fn page(rest: &str) -> World {
    World::page(&format!("```sh {{#first}}\ntouch ran\necho x\n```\n\n{rest}"))
}

/// Nothing ran and nothing was written.
#[track_caller]
fn check(world: &World, stderr: impl snapbox::IntoData) {
    let before = world.tree("");
    world.labdoc("verify --update").stdout("nothing was run\n").stderr(stderr).code(1);
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn an_unknown_attribute() {
    check(
        &page("```sh {#b timout=5s}\necho b\n```\n"),
        str![[r#"
error[BL010]: `timout=` is not known here
 --> content/a.md:6:11
  |
6 | ```sh {#b timout=5s}
  |           ^^^^^^^^^
 = help: did you mean `timeout`?


"#]],
    );
}

#[test]
fn an_unknown_class_and_an_unknown_value_class() {
    check(
        &page("```sh {#b .tearodwn}\necho b\n```\n\n```output {for=b vary=ipp}\nb\n```\n"),
        str![[r#"
error[BL010]: `.tearodwn` is not known here
 --> content/a.md:6:11
  |
6 | ```sh {#b .tearodwn}
  |           ^^^^^^^^^
 = help: did you mean `teardown`?

error[BL011]: value class `ipp` is not known
 --> content/a.md:10:23
   |
10 | ```output {for=b vary=ipp}
   |                       ^^^
 = help: did you mean `ip`?


"#]],
    );
}

#[test]
fn an_id_that_is_used_twice() {
    check(
        &page("```sh {#first}\necho b\n```\n"),
        str![[r#"
error[BL004]: block id `first` is used twice
 --> content/a.md:6:8
  |
6 | ```sh {#first}
  |        ^^^^^^
 = first used in line 1
 = help: give one of them another id


"#]],
    );
}

#[test]
fn an_output_for_an_unknown_block() {
    check(
        &page("```output {for=frist}\nx\n```\n"),
        str![[r#"
error[BL008]: output for `frist`, but no block has that id
 --> content/a.md:6:12
  |
6 | ```output {for=frist}
  |            ^^^^^^^^^
 = help: did you mean `first`?


"#]],
    );
}

#[test]
fn a_second_output() {
    let output = "```output {for=first}\nx\n```\n";
    check(
        &page(&format!("{output}\n{output}")),
        str![[r#"
error[BL009]: a second output for `first`
 --> content/a.md:10:12
   |
10 | ```output {for=first}
   |            ^^^^^^^^^


"#]],
    );
}

#[test]
fn an_unclosed_fence() {
    check(
        &page("```sh {#b}\necho b\n"),
        str![[r#"
error[BL002]: this fence is never closed
 --> content/a.md:6:1
  |
6 | ```sh {#b}
  | ^^^
 = help: end it with a line `````


"#]],
    );
}

#[test]
fn unclosed_attributes_and_a_bad_exit_code() {
    check(
        &page("```sh {#b\necho b\n```\n\n```sh {#c exit=300 timeout=5}\ntrue\n```\n"),
        str![[r#"
error[BL001]: the attributes are not closed with `}`
 --> content/a.md:6:7
  |
6 | ```sh {#b
  |       ^^^

error[BL007]: `300` is no exit code: 0 to 255, or any
 --> content/a.md:10:11
   |
10 | ```sh {#c exit=300 timeout=5}
   |           ^^^^^^^^
 = help: leave it out where the block ends with 0

error[BL007]: `5` is no duration
 --> content/a.md:10:20
   |
10 | ```sh {#c exit=300 timeout=5}
   |                    ^^^^^^^^^
 = help: write it like 500ms, 60s, 5m or 2h


"#]],
    );
}

#[test]
fn a_page_that_is_not_utf_8() {
    let world = World::new().file("content/a.md", b"```sh {#a}\ntouch ran\n```\n\xff\n");
    check(
        &world,
        str![[r#"
error[PG006]: the file is not UTF-8 text
 --> content/a.md:4:1
  |
4 | �
  | ^
 = help: save it as UTF-8


"#]],
    );
}

#[test]
fn a_header_with_an_unknown_key() {
    let world = World::page("---\nverify: {tiemout: 5s}\n---\n\n```sh {#a}\ntouch ran\n```\n");
    check(
        &world,
        str![[r#"
error[PG002]: page header: `tiemout` is not known here
 --> content/a.md:2:10
  |
2 | verify: {tiemout: 5s}
  |          ^^^^^^^
 = help: did you mean `timeout`?


"#]],
    );
}

#[test]
fn a_capture_of_a_block_that_is_not_there() {
    let world = World::page(
        "---\nverify:\n  capture: {flp.n: 'n (\\d+)'}\n---\n\n```sh {#flip}\ntouch ran; echo n 1\n```\n",
    );
    check(
        &world,
        str![[r#"
error[PG009]: capture `flp.n` reads block `flp`, which this page does not have
 --> content/a.md:3:13
  |
3 |   capture: {flp.n: 'n (\d+)'}
  |             ^^^^^
 = help: did you mean `flip`?


"#]],
    );
}

#[test]
fn a_kit_that_is_not_there() {
    let world = World::page("---\nkit: demoo\n---\n\n```sh {#a}\ntouch ran\n```\n")
        .file("labkit/demo/run.sh", "#!/bin/sh\n");
    check(
        &world,
        str![[r#"
error[PG011]: kit `demoo` is not there: labkit/demoo/ does not exist
 --> content/a.md:2:6
  |
2 | kit: demoo
  |      ^^^^^
 = help: did you mean `demo`?


"#]],
    );
}

#[test]
fn verify_without_a_block() {
    check(
        &World::page("---\nverify: {}\n---\n\n# Nothing\n"),
        str![[r#"
error[PG007]: the page has `verify:` but no runnable block
 --> content/a.md:2:1
  |
2 | verify: {}
  | ^^^^^^
 = help: give a block an id, as in ```sh {#setup}, or write `empty: ok`


"#]],
    );
}

#[test]
fn findings_of_other_pages_do_not_stand_in_the_way() {
    let world = page("").file("content/b.md", "```sh {#b timout=5s}\necho\n```\n");
    world.labdoc("verify content/a.md").any_stdout().success();
    world.labdoc("verify").any_output().code(1);
}

#[test]
fn a_block_in_an_html_comment_is_listed_and_never_run() {
    let world = World::page(
        "```sh {#a}\necho a\n```\n\n<!--\n```sh {#a timeout=1s}\ntouch ran\n```\n\n> ~~~console {#b}\n> $ touch ran\n> ~~~\n\n```yaml {#c .apply}\nkind: Pod\n```\n\n```sh\ntouch plain\n```\n-->\n\n<!-- labdoc {#d} -->\n```sh\necho d\n```\n",
    );
    let ended = world.labdoc("verify --record").any_output().success();
    for line in [
        "  skip  a@6 ",
        "  skip  b@10 ",
        "  skip  c@14 ",
        "in an HTML comment",
        "  ok    a ",
        "  ok    d ",
    ] {
        assert!(ended.stdout.contains(line), "{line}\n{}", ended.stdout);
    }
    assert!(ended.stdout.contains("2 passed, 0 differ, 0 failed, 3 skipped"), "{}", ended.stdout);
    assert!(!world.exists("content/ran"));
    // They are no part of the plan that is recorded.
    assert!(!world.read(&format!("{}/result.txt", world.runs()[0])).contains('@'));
    let plan = world.labdoc("verify --dry-run").any_output().success();
    assert!(plan.stdout.contains("skipped: in an HTML comment"), "{}", plan.stdout);
}
