//! A26 to A31: refresh replaces what drifted and nothing else.

use super::refreshes;
use crate::support::World;

#[test]
fn a26_only_the_line_that_drifted_is_written() {
    let commands = "printf 'id 123 up\\nx\\ny\\nstate NEW\\n'";
    let page = |state: &str| {
        format!(
            "```sh {{#a}}\n{commands}\n```\n\n```output {{for=a vary=n}}\nid 7 up       <- any id\n...\nstate {state}    <- watch this\n```\n"
        )
    };
    refreshes(&page("OLD"), &page("NEW"));
}

#[test]
fn a27_an_output_with_a_fence_widens_its_own() {
    let page = |fence: &str, output: &str| {
        format!(
            "```sh {{#a}}\nprintf '~~~\\n```sh\\nx\\n```\\n'\n```\n\n{fence}output {{for=a}}\n{output}{fence}\n\nafter `x`\n"
        )
    };
    refreshes(&page("```", "old\n"), &page("````", "~~~\n```sh\nx\n```\n"));
}

#[test]
fn a28_blocks_in_lists_and_quotes_are_found_and_keep_their_prefix() {
    let page = |one: &str, ten: &str, quote: &str| {
        format!(
            "1. one\n\n   ```sh {{#a}}\n   echo a; echo; echo b\n   ```\n\n   ```output {{for=a}}\n{one}   ```\n\n10. ten\n\n    ```sh {{#b}}\n    echo ten\n    ```\n\n    ```output {{for=b}}\n{ten}    ```\n\n> ```console {{#c}}\n> $ echo q; echo; echo r\n{quote}> ```\n\nend\n"
        )
    };
    refreshes(
        &page("   old\n", "", "> old\n"),
        &page("   a\n\n   b\n", "    ten\n", "> q\n>\n> r\n"),
    );
}

#[test]
fn a29_a_time_out_keeps_what_was_printed_and_is_never_refreshed() {
    let page = |first: &str| {
        format!(
            "```sh {{#a}}\necho new\n```\n\n```output {{for=a}}\n{first}\n```\n\n```sh {{#b timeout=500ms}}\necho part; sleep 60\n```\n\n```output {{for=b}}\nall\n```\n"
        )
    };
    let world = World::page(&page("old"));
    let ended = world.labdoc("verify").any_output().code(1);
    assert!(ended.stderr.contains("it printed:\n | part"), "{}", ended.stderr);
    assert_eq!(world.read("content/a.md"), page("old"));
    world.labdoc("verify --update").any_output().code(1);
    assert_eq!(world.read("content/a.md"), page("new"));
}

#[test]
fn a30_nothing_is_written_when_nothing_differs() {
    let page = "```sh {#a}\necho 'ip 10.0.0.9'\n```\n\n```output {for=a vary=ip}\nip 10.0.0.1  <- differs\n```\n";
    let world = World::page(page);
    let before = world.tree("");
    for _ in 0..3 {
        world.labdoc("verify --update").any_output().success();
    }
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn a31_an_output_that_was_emptied_comes_back_the_same() {
    let full = "```sh {#a}\nprintf 'one\\ntwo\\n'\n```\n\n```output {for=a}\none\ntwo\n```\n\n```console {#c}\n$ echo x\nx\n$ true\n```\n";
    let empty =
        full.replace("one\ntwo\n```\n\n```console", "```\n\n```console").replace("\nx\n$", "\n$");
    refreshes(full, full);
    refreshes(&empty, full);
}
