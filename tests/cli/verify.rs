//! `labdoc verify`: what is compared, what is said about a difference.

use snapbox::str;

use crate::support::World;

const PAGE: &str = "\
# Counters

```sh {#count}
n=2; for i in a b c; do echo \"$i $((n * 2))\"; done
```

```output {for=count}
a 4
b 4
c 4
```

```sh {#again}
echo \"n is $n\"
```

```output {for=again}
n is 2
```
";

#[test]
fn a_page_that_is_right_passes_three_times_and_is_not_written() {
    let world = World::page(PAGE);
    let before = world.tree("");
    for _ in 0..3 {
        world
            .labdoc("verify content/a.md")
            .stdout(str![[r#"
content/a.md
  ok    count [TIME]
  ok    again [TIME]
1 page: 2 passed, 0 differ, 0 failed, 0 skipped

"#]])
            .success();
    }
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn drift_names_page_line_and_block_with_a_diff() {
    let world = World::page(&PAGE.replace("b 4", "b 5"));
    let before = world.tree("");
    world
        .labdoc("verify")
        .stdout(str![[r#"
content/a.md
  DRIFT count [TIME]  output differs
  ok    again [TIME]
1 page: 1 passed, 1 differ, 0 failed, 0 skipped

"#]])
        .stderr(str![[r#"
error[VR001]: the output of block `count` differs from the page
 --> content/a.md:9:1
  |
9 | b 5
  | ^^^
 | --- content/a.md (printed)
 | +++ measured
 | @@ line 8 @@
 |  a 4
 | -b 5
 | +b 4
 |  c 4
 = help: it would pass with vary=n on the output fence, if that may differ; else refresh the page with labdoc verify --update


"#]])
        .code(1);
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn update_restores_the_page_byte_for_byte() {
    let world = World::page(&PAGE.replace("b 4", "b 5").replace("n is 2", "n is 1\nand more"));
    world
        .labdoc("verify --update")
        .stdout(str![[r#"
content/a.md
  DRIFT count [TIME]  output differs
  DRIFT again [TIME]  output differs
  refreshed content/a.md
1 page: 0 passed, 2 differ, 0 failed, 0 skipped, 1 refreshed

"#]])
        .any_stderr()
        .success();
    assert_eq!(world.read("content/a.md"), PAGE);
    let before = world.tree("");
    world.labdoc("verify --update").any_output().success();
    assert_eq!(
        before.changes(&world.tree("")),
        [] as [&str; 0],
        "nothing differs, nothing is written"
    );
}

#[test]
fn state_lives_on_over_the_blocks() {
    let world = World::page(
        "\
```sh {#one}
cd \"$HOME\"; v=1; f() { echo \"f $v\"; }; shopt -s extglob; alias hi='echo hello'
export E=2
```

```console {#two}
$ f
f 1
$ basename \"$PWD\"
home
$ shopt -q extglob && echo on
on
$ hi
hello
$ export E=3
$ bash -c 'echo $E'
3
```
",
    );
    world.labdoc("verify").any_stdout().success();
}

#[test]
fn standard_input_is_empty_and_the_world_is_fixed() {
    let world = World::page(
        "\
```sh {#world}
cat; echo \"in ended\"
echo \"$LANG $TZ $COLUMNS $NO_COLOR $TERM ${SECRET-none} ${FORCE_COLOR-none} ${GIVEN-none}\"
test \"$HOME\" != \"$REAL_HOME\" && ls -A \"$HOME\" | wc -l
test -t 0 || test -t 1 || echo no terminal
```

```output {for=world}
in ended
C.UTF-8 UTC 120 1 dumb none none yes
0
no terminal
```
",
    );
    world.edit("content/a.md", "```sh", "---\nverify: {env: [GIVEN]}\n---\n```sh");
    world
        .labdoc("verify")
        .env("SECRET", "x")
        .env("FORCE_COLOR", "1")
        .env("GIVEN", "yes")
        .env("TZ", "Asia/Seoul")
        .env("LANG", "ko_KR.UTF-8")
        .any_stdout()
        .success();
}

#[test]
fn varying_names_are_renamed_consistently_over_the_page() {
    let page = |one: &str, two: &str, three: &str| {
        format!(
            "\
```sh {{#one}}
echo \"backend-a {one}\"; echo \"backend-b {two}\"
```

```output {{for=one vary=ip}}
backend-a 10.0.0.1
backend-b 10.0.0.2
```

```sh {{#two}}
echo \"the name points to {three}\"
```

```output {{for=two vary=ip}}
the name points to 10.0.0.2
```
"
        )
    };
    let world = World::page(&page("10.9.0.7", "10.9.0.8", "10.9.0.8"));
    world.labdoc("verify").any_stdout().success();
    // The name now points to backend a: that is no renaming.
    let world = World::page(&page("10.9.0.7", "10.9.0.8", "10.9.0.7"));
    world
        .labdoc("verify")
        .any_stdout()
        .stderr(str![[r#"
error[VR001]: the output of block `two` differs from the page
 --> content/a.md:15:1
   |
15 | the name points to 10.0.0.2
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
 | --- content/a.md (printed)
 | +++ measured
 | @@ line 15 @@
 | -the name points to 10.0.0.2
 | +the name points to 10.9.0.7
 = 10.0.0.2 already stands for 10.9.0.8 (line 7)
 = help: refresh the page with labdoc verify --update, or mark what may vary with vary=


"#]])
        .code(1);
}

#[test]
fn stdout_and_stderr_keep_their_order_and_a_big_output_is_cut() {
    let world = World::page(
        "\
```sh {#order}
for i in $(seq 50); do echo o$i; echo e$i >&2; done | head -0; for i in 1 2 3; do echo o$i; echo e$i >&2; done
```

```output {for=order}
...
o1
e1
o2
e2
o3
e3
```

```sh {#big}
seq 1 400000; seq 1 400000 >&2
```

```output {for=big}
1
2
...
```
",
    );
    world.labdoc("verify").any_output().success();
}

#[test]
fn output_is_never_taken_for_a_command() {
    let world = World::page(
        "\
```console {#c}
$ printf '%s rm -rf x\\nok\\n' '$'
```
",
    )
    .file("content/x", "stay");
    // A console block cannot show that output, so a refresh refuses: it would run it next time.
    let before = world.tree("content");
    for _ in 0..2 {
        world
            .labdoc("verify --update")
            .any_stdout()
            .stderr(str![[r#"
error[VR001]: the output of block `c/1` differs from the page
 --> content/a.md:3:1
  |
3 | ```
  | ^
 | --- content/a.md (printed)
 | +++ measured
 | @@ line 3 @@
 | +$ rm -rf x
 | +ok
 = help: a console block would read that output as a command: write it as sh with an output fence


"#]])
            .code(1);
    }
    assert_eq!(before.changes(&world.tree("content")), [] as [&str; 0]);
}
