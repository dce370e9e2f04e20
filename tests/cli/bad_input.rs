//! The list of bad input: each is an error with file, line, column, a caret and a next step;
//! nothing is run and nothing is written.

use crate::support::World;

/// The page's first block would leave a trace; `rest` is what is wrong. The finding must begin so
/// and have a caret and, where one is given, a hint.
#[track_caller]
fn check(rest: &str, begin: &str, hint: &str) {
    let text = format!("```sh {{#first}}\ntouch ran\n```\n\n{rest}");
    check_world(&World::page(&text), begin, hint);
}

#[track_caller]
fn check_world(world: &World, begin: &str, hint: &str) {
    let before = world.tree("");
    let ended = world.labdoc("verify --update").any_output().code(1);
    assert!(ended.stderr.starts_with(begin), "{}", ended.stderr);
    assert!(ended.stderr.contains("| "), "a caret: {}", ended.stderr);
    assert!(ended.stderr.contains(&format!(" = help: {hint}")), "{}", ended.stderr);
    assert_eq!(ended.stdout, "nothing was run\n");
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn an_unknown_attribute() {
    check(
        "```sh {#b timout=5s}\necho\n```\n",
        "error[BL010]: `timout=` is not known here\n --> content/a.md:5:11\n  |\n5 | ```sh {#b timout=5s}\n  |           ^",
        "did you mean `timeout`?",
    );
}

#[test]
fn an_unclosed_fence() {
    check(
        "text\n\n```sh {#b}\necho\n",
        "error[BL002]: this fence is never closed\n --> content/a.md:7:1\n  |\n7 | ```sh {#b}\n  | ^^^\n",
        "end it with a line ````",
    );
}

#[test]
fn an_id_that_is_used_twice() {
    check(
        "```sh {#first}\necho\n```\n",
        "error[BL004]: block id `first` is used twice\n --> content/a.md:5:8\n",
        "give one of them another id",
    );
}

#[test]
fn an_output_for_nobody() {
    check(
        "```output {for=frist}\nx\n```\n",
        "error[BL008]: output for `frist`, but no block has that id\n --> content/a.md:5:1",
        "did you mean `first`?",
    );
}

#[test]
fn a_cycle() {
    let page = |other: &str| {
        format!("---\nverify:\n  after: [{other}]\n---\n```sh {{#x}}\ntouch ran\n```\n")
    };
    let world = World::page(&page("b.md")).file("content/b.md", page("a.md"));
    check_world(
        &world,
        "error[PG032]: these pages wait for each other under `after:`\n --> content/a.md:3:11\n  |\n3 |   after: [b.md]\n  |           ^^^^\n",
        "take one of these lines out",
    );
}

#[test]
fn a_class_whose_expression_is_invalid() {
    let world = World::page("```sh {#a}\ntouch ran\n```\n");
    world.write("book.toml", "[book]\ntitle = \"x\"\n[verify.vary.txn]\npattern = \"txn=([0-9\"\n");
    let before = world.tree("");
    let ended = world.labdoc("verify").any_output().code(1);
    assert!(ended.stderr.starts_with("error[CF002]: "), "{}", ended.stderr);
    assert!(ended.stderr.contains(" --> book.toml:4:12\n"), "{}", ended.stderr);
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn a_page_that_is_not_utf_8() {
    let world = World::page("```sh {#a}\ntouch ran\n```\n");
    world.write("content/b.md", b"# ok\n\n\xff\xfe\n");
    let before = world.tree("");
    let ended = world.labdoc("verify").any_output().code(1);
    assert!(
        ended.stderr.starts_with(
            "error[PG006]: the file is not UTF-8 text\n --> content/b.md:3:1\n  |\n3 | ��\n  | ^\n = help: save it as UTF-8\n"
        ),
        "{}",
        ended.stderr
    );
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}
