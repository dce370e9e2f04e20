//! `labdoc verify --update`: what of a page is replaced and what is left as it stands.

use std::os::unix::fs::MetadataExt as _;

use snapbox::str;

use crate::support::World;

/// Refreshes `from` and expects `to`; a second refresh writes nothing.
#[track_caller]
fn check(from: &str, to: &str) {
    let world = World::page(from);
    world.labdoc("verify --update").any_output().success();
    assert_eq!(world.read("content/a.md"), to);
    let before = world.tree("");
    world.labdoc("verify --update").any_output().success();
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn windows_line_ends_are_kept() {
    let page = "# T\r\n\r\n```sh {#a}\r\necho one\r\necho two\r\n```\r\n\r\n```output {for=a}\r\none\r\nTWO\r\n```\r\n\r\nend\r\n";
    check(page, &page.replace("TWO", "two"));
}

#[test]
fn a_byte_order_mark_is_kept() {
    let page =
        "\u{feff}---\ntitle: T\n---\n\n```sh {#a}\necho one\n```\n\n```output {for=a}\nONE\n```\n";
    check(page, &page.replace("ONE", "one"));
}

#[test]
fn a_list_item_keeps_its_indent() {
    let page = "\
1. one

   ```sh {#a}
   printf 'svc:\\n  port: 80\\n\\nend\\n'
   ```

   ```output {for=a}
   svc:
     PORT: 80

   end
   ```

10. ten

    ```sh {#b}
    echo b
    ```

    ```output {for=b}
    B
    ```
";
    check(page, &page.replace("PORT", "port").replace("    B\n", "    b\n"));
}

#[test]
fn a_quote_keeps_its_marks() {
    let page = "> ```sh {#a}\n> printf 'x\\n\\ny\\n'\n> ```\n>\n> ```output {for=a}\n> X\n> Y\n> ```\n\nend\n";
    check(page, &page.replace("> X\n> Y\n", "> x\n>\n> y\n"));
}

#[test]
fn tildes_and_four_backticks() {
    let page = "\
~~~sh {#a}
echo a
~~~

~~~output {for=a}
A
~~~

````bash {#b}
echo '```'; echo b
````

````output {for=b}
```
B
````
";
    check(page, &page.replace("\nA\n", "\na\n").replace("\nB\n", "\nb\n"));
}

#[test]
fn the_fence_widens_where_the_output_holds_one() {
    let from =
        "```sh {#a}\nprintf '%s\\n' x '```' y\n```\n\n```output {for=a}\nold\n```\n\nafter\n";
    let to = "```sh {#a}\nprintf '%s\\n' x '```' y\n```\n\n````output {for=a}\nx\n```\ny\n````\n\nafter\n";
    check(from, to);
}

#[test]
fn console_blocks_are_refreshed_command_by_command() {
    let page = "\
```console {#c}
$ echo one
ONE
$ for i in 1 2
> do echo $i; done
1
3
$ true
left over
$ echo last
last
```
";
    let to = page.replace("ONE", "one").replace("1\n3\n", "1\n2\n").replace("left over\n", "");
    check(page, &to);
}

#[test]
fn elisions_and_notes_survive() {
    let page = "\
```sh {#a}
echo 'id 123 up'; echo 'state NEW'; seq 5; echo end
```

```output {for=a vary=n}
id 7 up
state OLD        <- this one matters
...
5   <- the last
END              ← an arrow
```
";
    check(page, &page.replace("OLD", "NEW").replace("END  ", "end  "));
}

#[test]
fn a_real_elision_line_is_escaped() {
    let from = "```sh {#a}\nprintf '%s\\n' a ... 'b  <- c'\n```\n\n```output {for=a}\nx\n```\n";
    check(from, &from.replace("\nx\n", "\na\n\\...\nb  \\<- c\n"));
}

#[test]
fn an_empty_output_fence_is_filled_and_emptied() {
    let page = "```sh {#a}\necho a\n```\n\n```output {for=a}\n```\n\n```sh {#b}\ntrue\n```\n\n```output {for=b}\nb\n```\n";
    check(page, &page.replace("{for=a}\n", "{for=a}\na\n").replace("{for=b}\nb\n", "{for=b}\n"));
}

#[test]
fn text_stays_readable_and_odd_bytes_are_shown() {
    let from = "```sh {#a}\nprintf 'na\\303\\257ve \\346\\227\\245 \\377 \\000 \\033[31mred\\033[0m\\n'\n```\n\n```output {for=a}\nx\n```\n";
    let world = World::page(from);
    world.labdoc("verify --update").any_output().success();
    let text = world.read("content/a.md");
    assert!(text.contains("\nnaïve 日 "), "{text}");
    assert!(text.contains(" red\n"), "{text}");
    world.labdoc("verify").any_stdout().success();
}

#[test]
fn the_mode_of_a_page_is_kept() {
    let page = "```sh {#a}\necho new\n```\n\n```output {for=a}\nold\n```\n";
    let world = World::page(page);
    world.mode("content/a.md", 0o640);
    world.labdoc("verify content/a.md --update").any_output().success();
    assert_eq!(world.read("content/a.md"), page.replace("old", "new"));
    let mode = std::fs::metadata(world.path("content/a.md")).expect("file").mode();
    assert_eq!(mode & 0o7777, 0o640);
}

#[test]
fn captured_values_in_the_prose_are_refreshed() {
    let page = "\
---
verify:
  capture: {flip.lost: 'lost (\\d+)', flip.kept: 'kept (\\d+)'}
---

It lost [9]{=flip.lost} and kept [7]{=flip.kept} of [16]{=}.

```sh {#flip}
echo lost 3; echo kept 7
```

```output {for=flip}
lost 3
kept 7
```
";
    let world = World::page(page);
    world
        .labdoc("verify")
        .any_stdout()
        .stderr(str![[r#"
error[VR006]: the live number 9 for flip.lost was measured as 3
 --> content/a.md:6:10
  |
6 | It lost [9]{=flip.lost} and kept [7]{=flip.kept} of [16]{=}.
  |          ^
 = help: refresh the page with labdoc verify --update


"#]])
        .code(1);
    check(page, &page.replace("[9]", "[3]"));
}

#[test]
fn a_failed_or_late_block_is_not_refreshed_but_the_others_are() {
    let page = "\
```sh {#good}
echo new
```

```output {for=good}
old
```

```sh {#bad}
echo broken; false
```

```output {for=bad}
fine
```

```sh {#late timeout=300ms}
echo part; sleep 60
```

```output {for=late}
whole
```
";
    let world = World::page(page);
    world
        .labdoc("verify --update")
        .any_stdout()
        .stderr(str![[r#"
error[VR001]: the output of block `good` differs from the page
 --> content/a.md:6:1
  |
6 | old
  | ^^^
 | --- content/a.md (printed)
 | +++ measured
 | @@ line 6 @@
 | -old
 | +new
 = help: refresh the page with labdoc verify --update, or mark what may vary with vary=

error[VR002]: block `bad` ended with exit code 1, expected 0
 --> content/a.md:10:1
   |
10 | echo broken; false
   | ^^^^^^^^^^^^^^^^^^
 | it printed:
 | broken

error[VR001]: the output of block `bad` differs from the page
 --> content/a.md:14:1
   |
14 | fine
   | ^^^^
 | --- content/a.md (printed)
 | +++ measured
 | @@ line 14 @@
 | -fine
 | +broken
 = help: refresh the page with labdoc verify --update, or mark what may vary with vary=

error[VR003]: block `late` was ended after its time limit of 300ms
 --> content/a.md:18:1
   |
18 | echo part; sleep 60
   | ^^^^^^^^^^^^^^^^^^^
 | it printed:
 | part
 = ended: sleep 60
 = help: raise it with timeout= on the block (now 300ms)

error[VR001]: the output of block `late` differs from the page
 --> content/a.md:22:1
   |
22 | whole
   | ^^^^^
 | --- content/a.md (printed)
 | +++ measured
 | @@ line 22 @@
 | -whole
 | +part
 = help: refresh the page with labdoc verify --update, or mark what may vary with vary=


"#]])
        .code(1);
    assert_eq!(world.read("content/a.md"), page.replace("old", "new"));
}

#[test]
fn a_page_that_changed_meanwhile_is_not_overwritten() {
    let page = "```sh {#a}\nsed -i s/^End$/END/ a.md; echo new\n```\n\n```output {for=a}\nold\n```\n\nEnd\n";
    let world = World::page(page);
    world.labdoc("verify --update").any_stdout().any_stderr().code(2);
    assert_eq!(world.read("content/a.md"), page.replacen("\nEnd", "\nEND", 1));
}

/// A page that is a link is run and refreshed; the link stays and the file behind it changes.
#[test]
fn a_linked_page_stays_a_link() {
    let page = "# L\n\n```sh {#a}\necho new\n```\n\n```output {for=a}\nold\n```\n";
    let world = World::page("# A\n").file("real.md", page);
    std::os::unix::fs::symlink("../real.md", world.path("content/l.md")).expect("link");
    std::os::unix::fs::symlink("/etc/hostname", world.path("content/out.md")).expect("link");
    world.labdoc("verify content/l.md --update").any_output().success();
    assert!(world.path("content/l.md").is_symlink());
    assert_eq!(world.read("real.md"), page.replace("old", "new"));
    let checked = world.labdoc("check").any_output().success();
    assert!(checked.stderr.contains("warning[PG015]: content/out.md"), "{}", checked.stderr);
}
