//! A1 to A9 and A42: one shell a page, its text byte for byte.

use super::{fails, page, passes};
use crate::support::World;

#[test]
fn a1_state_of_one_block_is_there_in_the_next() {
    passes(&[
        (
            "cd \"$(mktemp -d)\"; v=1; f(){ echo \"f $v\"; }; shopt -s extglob; alias hi='echo hi'",
            None,
        ),
        ("f; pwd | grep -c tmp", Some("f 1\n1\n")),
        ("hi; shopt -q extglob && echo on; v=2; export W=3", Some("hi\non\n")),
        ("f; sh -c 'echo $W'", Some("f 2\n3\n")),
    ]);
}

#[test]
fn a2_errexit_of_one_block_does_not_kill_the_page() {
    let world = page(&[
        ("set -euo pipefail; v=kept", None),
        ("grep nope /etc/hostname; echo \"rc kept\"", None),
        ("echo \"after $v\"", Some("after kept\n")),
    ]);
    fails(&world, &["ok    b1", "FAIL  b2", "exit 1, expected 0", "content/a.md:6", "ok    b3"]);
}

#[test]
fn a3_a_block_that_ends_the_shell_has_its_own_verdict() {
    let world = World::page(
        "```sh {#b1}\nv=before\n```\n\n```sh {#b2 exit=3}\necho leaving; exit 3\n```\n\n```output {for=b2}\nleaving\n```\n\n```sh {#b3}\necho \"after $v\"\n```\n\n```output {for=b3}\nafter before\n```\n\n```sh {#b4}\nexec true\n```\n\n```sh {#b5}\n: \"${missing:?not set}\"\n```\n\n```sh {#b6}\necho end\n```\n",
    );
    fails(&world, &["ok    b2", "ok    b3", "rebuilt", "FAIL  b5", "missing: not set", "ok    b6"]);
}

#[test]
fn a4_standard_input_is_empty() {
    passes(&[
        ("cat; read x; echo \"got <$x>\"; sh -c 'cat; echo inner'", Some("got <>\ninner\n")),
        ("echo after", Some("after\n")),
    ]);
}

#[test]
fn a5_an_open_quote_or_heredoc_is_named_and_nothing_of_it_runs() {
    let world = page(&[
        ("touch ran1; echo \"abc", None),
        ("touch ran2\ncat <<EOF\nx", None),
        ("touch ran3; if true; then", None),
        ("ls ran1 ran2 ran3 2>/dev/null | wc -l", Some("0\n")),
    ]);
    fails(
        &world,
        &["error[VR004]", "content/a.md:2", "content/a.md:7", "content/a.md:12", "ok    b4"],
    );
}

#[test]
fn a6_loops_and_heredocs_run_byte_for_byte() {
    passes(&[(
        "for i in a b; do\n  printf '%s\\n' \"$i\"\ndone\ncat >\"$HOME/f.yaml\" <<'EOF'\na:\n  b: 1\n\n    c: 2\nEOF\ncat \"$HOME/f.yaml\"",
        Some("a\nb\na:\n  b: 1\n\n    c: 2\n"),
    )]);
}

#[test]
fn a7_only_the_indent_of_the_container_is_taken_off() {
    let page = "1. one\n\n   ```sh {#a}\n   printf 'svc:\\n  port: 80\\n'\n   echo \"x:\n     y: 1\n   z\"\n   ```\n\n   ```output {for=a}\n   svc:\n     port: 80\n   x:\n     y: 1\n   z\n   ```\n\n> - ```sh {#b}\n>   cat <<'EOF'\n>     two\n>   EOF\n>   ```\n>\n>   ```output {for=b}\n>     two\n>   ```\n";
    World::page(page).labdoc("verify").any_stdout().success();
}

#[test]
fn a8_a_wrong_heredoc_is_the_shells_error_with_the_pages_line() {
    let world = page(&[("cat <<EOF\nx\nEOF > out", None)]);
    fails(
        &world,
        &["error[VR004]", "here-document", "content/a.md:2", "nothing of the block was run"],
    );
}

#[test]
fn a9_a_tab_in_a_command_is_a_tab() {
    passes(&[(
        "printf '%s\\n' \"a\tb\"; [ -t 0 ] || [ -t 1 ] || echo 'no terminal'",
        Some("a\tb\nno terminal\n"),
    )]);
}

#[test]
fn a42_a_variable_can_be_set_twice() {
    passes(&[
        ("export N=1", None),
        ("export N=2", None),
        ("echo $N; sh -c 'echo $N'", Some("2\n2\n")),
    ]);
}
