//! How blocks end: exit codes, limits, syntax errors, setup and teardown.

use snapbox::str;

use crate::support::{World, mark, processes};

#[test]
fn exit_codes_are_compared() {
    let world = World::page(
        "\
```sh {#three exit=3}
(exit 3)
```

```sh {#any exit=any}
false
```

```sh {#shell exit=4}
exit 4
```

```sh {#after}
echo still here
```

```output {for=after}
still here
```
",
    );
    world.labdoc("verify").any_output().success();
}

#[test]
fn another_exit_code_is_a_failure_and_the_later_blocks_run() {
    let world = World::page(
        "\
```sh {#a}
echo nope >&2; no_such_command
```

```sh {#b exit=1}
true
```

```sh {#c}
echo c >c.txt
```
",
    );
    world
        .labdoc("verify")
        .stdout(str![[r#"
content/a.md
  FAIL  a [TIME]  exit 127, expected 0
  FAIL  b [TIME]  exit 0, expected 1
  ok    c [TIME]
1 page: 1 passed, 0 differ, 2 failed, 0 skipped

"#]])
        .stderr(str![[r#"
error[VR002]: block `a` ended with exit code 127, expected 0
 --> content/a.md:2:1
  |
2 | echo nope >&2; no_such_command
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
 | it printed:
 | nope
 | bash: line 1: no_such_command: command not found

error[VR002]: block `b` ended with exit code 0, expected 1
 --> content/a.md:6:1
  |
6 | true
  | ^^^^
 = it printed nothing


"#]])
        .code(1);
    assert!(world.exists("content/c.txt"));
}

#[test]
fn a_syntax_error_names_the_line_of_the_page_and_runs_nothing_of_the_block() {
    let world = World::page(
        "\
# T

```sh {#quote}
touch ran
echo \"abc
```

```sh {#heredoc}
touch ran
cat <<EOF
x
```

```sh {#loop}
touch ran
for i in 1 2; do
fi
```

```sh {#after}
echo after
```

```output {for=after}
after
```
",
    );
    world
        .labdoc("verify")
        .stdout(str![[r#"
content/a.md
  FAIL  quote [TIME]  syntax error
  FAIL  heredoc [TIME]  syntax error
  FAIL  loop [TIME]  syntax error
  ok    after [TIME]
1 page: 1 passed, 0 differ, 3 failed, 0 skipped

"#]])
        .stderr(str![[r#"
error[VR004]: block `quote`: unexpected EOF while looking for matching `"'
 --> content/a.md:5:1
  |
5 | echo "abc
  | ^^^^^^^^^
 = nothing of the block was run

error[VR004]: block `heredoc`: here-document at line 2 delimited by end-of-file (wanted `EOF')
 --> content/a.md:10:1
   |
10 | cat <<EOF
   | ^^^^^^^^^
 = nothing of the block was run

error[VR004]: block `loop`: syntax error near unexpected token `fi'
 --> content/a.md:17:1
   |
17 | fi
   | ^^
 = `fi'
 = nothing of the block was run


"#]])
        .code(1);
    assert!(!world.exists("content/ran"));
}

#[test]
fn a_block_over_its_limit_is_ended_with_its_children() {
    let mark = mark(1);
    let world = World::page(&format!(
        "```sh {{#slow timeout=500ms}}\necho part; sh -c 'sleep {mark} & sleep {mark}'\n```\n\n```sh {{#next}}\necho next\n```\n"
    ));
    world
        .labdoc("verify")
        .any_stdout()
        .stderr(str![[r#"
error[VR003]: block `slow` was ended after its time limit of 500ms
...

"#]])
        .code(1);
    assert_eq!(processes(&mark), [] as [&str; 0]);
}

#[test]
fn a_background_child_holds_nothing_up_and_is_ended_with_the_page() {
    let mark = mark(2);
    let world = World::page(&format!(
        "```sh {{#bg}}\nsleep {mark} &\n```\n\n```output {{for=bg}}\n```\n\n```sh {{#after}}\necho after\n```\n\n```output {{for=after}}\nafter\n```\n"
    ));
    world.labdoc("verify").any_stdout().any_stderr().success();
    assert_eq!(processes(&mark), [] as [&str; 0]);
}

/// A page with setup and teardown that leave traces, and `middle` between them.
fn framed(middle: &str) -> World {
    World::page(&format!(
        "\
```sh {{#up .setup}}
echo up >>log
```

```sh {{#down .teardown}}
echo down >>log
```

{middle}

```sh {{#last}}
echo last >>log
```
"
    ))
}

#[test]
fn teardown_runs_last_and_after_a_failure() {
    let world = framed("```sh {#bad}\necho bad >>log; false\n```");
    world.labdoc("verify").any_output().code(1);
    assert_eq!(world.read("content/log"), "up\nbad\nlast\ndown\n");
}

#[test]
fn teardown_runs_after_a_time_limit() {
    let world = framed("```sh {#slow timeout=300ms}\nsleep 60\n```");
    world.labdoc("verify").any_output().code(1);
    assert_eq!(world.read("content/log"), "up\nlast\ndown\n");
}

#[test]
fn teardown_runs_after_the_limit_of_the_page() {
    let world = framed("```sh {#slow}\nsleep 60\n```");
    world.edit("content/a.md", "```sh", "---\nverify: {page_timeout: 500ms}\n---\n\n```sh");
    world.labdoc("verify").any_output().code(1);
    assert_eq!(world.read("content/log"), "up\ndown\n");
}

#[test]
fn teardown_runs_after_a_block_that_ends_the_shell() {
    let world = framed("```sh {#end}\nexec false\n```");
    world.labdoc("verify").any_output().code(1);
    assert_eq!(world.read("content/log"), "up\nlast\ndown\n");
}

#[test]
fn fail_fast_stops_the_page_and_still_tears_down() {
    let world = framed("```sh {#bad}\necho bad >>log; false\n```");
    world
        .labdoc("verify --fail-fast")
        .stdout(str![[r#"
content/a.md
  ok    up [TIME]
  FAIL  bad [TIME]  exit 1, expected 0
  skip  last [TIME]  --fail-fast
  ok    down [TIME]
1 page: 2 passed, 0 differ, 1 failed, 1 skipped

"#]])
        .any_stderr()
        .code(1);
    assert_eq!(world.read("content/log"), "up\nbad\ndown\n");
}

#[test]
fn a_hidden_failure_in_a_pipeline_is_noted() {
    let world = World::page("```sh {#a}\nfalse | cat\n```\n");
    world.labdoc("verify").any_stdout().stderr(str![[r#"
note[VR010]: block `a`: a failure in the last pipeline is hidden (statuses 1 0); set -o pipefail to see it
 --> content/a.md:2:1
  |
2 | false | cat
  | ^^^^^^^^^^^


"#]]).success();
}

#[test]
fn options_that_one_block_sets_do_not_kill_the_next() {
    let world = World::page(
        "\
```sh {#strict}
set -euo pipefail; v=kept
```

```sh {#harmless exit=1}
grep nope /etc/hostname
```

```sh {#after}
echo \"after $v\"
```

```output {for=after}
after kept
```
",
    );
    world.labdoc("verify").any_output().success();
}
