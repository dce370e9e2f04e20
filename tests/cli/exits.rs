//! Exit codes 0, 1, 2, 130 and 143, and what the tool says when it cannot work.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use snapbox::str;

use crate::support::{Run, World, mark, processes, wait_for};

#[test]
fn help_and_version_are_no_mistake() {
    let world = World::new();
    world.labdoc("--version").stdout("labdoc [..]\n").success();
    let help = world.labdoc("verify --help").any_stdout().success();
    assert!(help.stdout.contains("Example:"), "{}", help.stdout);
}

#[test]
fn bad_usage_is_exit_code_2() {
    let world = World::new();
    world.labdoc("").any_output().code(2);
    world.labdoc("verfy").any_output().code(2);
    world.labdoc("verify --nope").any_output().code(2);
    world.labdoc("build --jobs 0").any_output().code(2);
    world.labdoc("verify --dry-run --update").any_output().code(2);
}

#[test]
fn outside_a_book() {
    let world = World::new();
    let home = world.base().join("home");
    for command in ["build", "check", "verify"] {
        world
            .labdoc(command)
            .current_dir(&home)
            .stderr(str![[r#"
error: no book.toml here or in a folder above
 = help: go into a site's folder, or name it with --root DIR

"#]])
            .code(2);
    }
    world.labdoc("check --root").arg(world.root()).current_dir(&home).any_output().success();
    world.labdoc("check --root [..]").any_output().code(2);
}

#[test]
fn a_page_that_is_not_there_or_not_of_the_book() {
    let world = World::page("# Nothing to run\n");
    world
        .labdoc("verify content/b.md")
        .stderr(str![[r#"
error: cannot find content/b.md: No such file or directory (os error 2)
 = help: name a page or a folder of pages

"#]])
        .code(2);
    world
        .labdoc("verify ../home")
        .stderr(str![[r#"
error: ../home is not part of the book at [SITE]

"#]])
        .code(2);
    world
        .labdoc("verify content")
        .stderr(str![[r#"
error: content holds no page with runnable blocks

"#]])
        .code(2);
}

#[test]
fn a_broken_book_toml_is_a_finding() {
    let world = World::page("# T\n").file("book.toml", "[book]\ntitel = \"x\"\n");
    world
        .labdoc("build")
        .stdout(str![[r#"
nothing was written: 1 error, 0 warnings

"#]])
        .stderr(str![[r#"
error[CF001]: `titel` is not known here
 --> book.toml:2:1
  |
2 | titel = "x"
  | ^^^^^
 = help: did you mean `title`?


"#]])
        .code(1);
    assert!(!world.exists("public"));
}

/// Starts a page whose middle block sleeps, and sends a signal once it does.
fn interrupted(signal: Signal, number: u32, code: i32) {
    let mark = &mark(number);
    let world = World::page(&format!(
        "\
```sh {{#up .setup}}
echo up >>log
```

```sh {{#slow}}
sleep {mark} & sleep {mark}
```

```sh {{#later}}
echo later >>log
```

```sh {{#down .teardown}}
echo down >>log
```

```output {{for=down}}
drifted
```
"
    ));
    let child = world.labdoc("verify --update").spawn();
    wait_for("the block runs", Duration::from_secs(60), || {
        processes(mark).iter().filter(|line| line.contains("sleep ")).count() >= 2
    });
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("pid")).expect("pid");
    kill_process(pid, signal).expect("signal");
    Run::wait(&world, child, code);
    assert_eq!(world.read("content/log"), "up\ndown\n");
    assert_eq!(processes(mark), [] as [&str; 0]);
    let page = world.read("content/a.md");
    assert!(page.starts_with("```sh {#up") && page.contains("\n```output {for=down}\n"), "{page}");
}

#[test]
fn ctrl_c_tears_down_and_ends_with_130() {
    interrupted(Signal::INT, 1001, 130);
}

#[test]
fn sigterm_tears_down_and_ends_with_143() {
    interrupted(Signal::TERM, 1002, 143);
}
