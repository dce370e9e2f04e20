//! A14 to A25: output is captured whole and compared for what it says.

use super::{fails, page, passes, refreshes};
use crate::support::World;

/// A page with one block and its output fence with these options.
fn one(block: &str, commands: &str, output: &str, printed: &str) -> String {
    format!(
        "```sh {{#a {block}}}\n{commands}\n```\n\n```output {{for=a {output}}}\n{printed}```\n\nend\n"
    )
}

/// Whether a page with these value classes passes.
#[track_caller]
fn varies(commands: &str, vary: &str, printed: &str) {
    World::page(&one("", commands, vary, printed)).labdoc("verify").any_stdout().success();
}

#[test]
fn a14_an_output_that_looks_like_a_command_is_never_run() {
    let commands = "printf '$ touch ran\\n> x\\nok\\n'";
    passes(&[(commands, Some("$ touch ran\n> x\nok\n")), ("[ -e ran ] || echo no", Some("no\n"))]);
    refreshes(&one("", commands, "", "old\n"), &one("", commands, "", "$ touch ran\n> x\nok\n"));
    // In a console block it cannot stand, and refresh says so instead of adding a command.
    let console = "```console {#a}\n$ printf '$ touch ran\\nok\\n'\nold\n```\n";
    let world = World::page(console);
    world.labdoc("verify --update").any_output().code(1);
    assert_eq!(world.read("content/a.md"), console);
    assert!(!world.exists("content/ran"));
}

#[test]
fn a15_an_elision_works_beside_lines_of_quotes() {
    let page = one("", "printf 'A\\n > B\\n > C\\n > D\\nE\\n'", "", "A\n...\n > D\n...\n");
    refreshes(&page, &page);
}

#[test]
fn a16_blanks_at_line_ends_count_only_when_strict() {
    let commands = "printf 'a  \\r\\nb'";
    passes(&[(commands, Some("a\nb\n"))]);
    let strict = "a  \\x0d\nb\n\\ no newline at the end\n";
    fails(
        &World::page(&one("strict=true", commands, "", "a\nb\n")),
        &["+a  \\x0d", "+\\ no newline at the end"],
    );
    refreshes(
        &one("strict=true", commands, "", "a\nb\n"),
        &one("strict=true", commands, "", strict),
    );
    refreshes(
        &one("strict=true", "printf 'x \\n'", "", "x\n"),
        &one("strict=true", "printf 'x \\n'", "", "x\\x20\n"),
    );
}

#[test]
fn a17_outputs_without_a_last_newline_never_run_together() {
    passes(&[("printf abc", Some("abc\n")), ("echo x", Some("x\n"))]);
    let world = World::page(&one("strict=true", "printf abc", "", "abc\n"));
    fails(&world, &["no newline at the end"]);
}

#[test]
fn a18_text_stays_text_and_only_bytes_that_are_none_are_escaped() {
    let commands = "printf 'naive: na\\303\\257ve \\342\\234\\223 \\346\\227\\245\\346\\234\\254\\n\\377 x\\000y\\n'";
    refreshes(
        &one("", commands, "", "old\n"),
        &one("", commands, "", "naive: naïve ✓ 日本\n\\xff x\\x00y\n"),
    );
}

#[test]
fn a19_both_streams_come_in_the_order_of_writing() {
    let printed = "o1\ne1\no2\ne2\no3\ne3\n".repeat(50);
    let both = "for n in $(seq 50); do for i in 1 2 3; do echo o$i; echo e$i >&2; done; done";
    varies(both, "", &printed);
    let apart = one("stderr=apart", "echo e >&2; echo o", "", "o\n");
    World::page(&apart).labdoc("verify").any_stdout().success();
}

#[test]
fn a20_a_long_output_neither_hangs_nor_is_kept_whole() {
    let world = page(&[("seq 1 400000; seq 1 400000 >&2", Some("1\n...\n"))]);
    let ended = world.labdoc("verify --record").any_output().success();
    assert!(ended.stderr.contains("was cut"), "{}", ended.stderr);
    let run = world.names("evidence/T1").remove(0);
    let result = world.bytes(&format!("evidence/T1/{run}/result.txt"));
    assert!(result.len() < 2 * 1024 * 1024, "{} bytes", result.len());
    assert!(String::from_utf8_lossy(&result).contains("bytes cut, sha256 of the whole: "));
}

#[test]
fn a21_the_width_of_the_terminal_changes_nothing() {
    let commands = "printf 'x%.0s' $(seq 300); echo; echo \"$COLUMNS $LANG $TZ\"";
    let printed = format!("{}\n120 C.UTF-8 UTC\n", "x".repeat(300));
    let world = World::page(&one("", commands, "", &printed));
    world
        .labdoc("verify")
        .env("COLUMNS", "40")
        .env("LANG", "ko_KR.UTF-8")
        .env("TZ", "Asia/Seoul")
        .any_stdout()
        .success();
}

#[test]
fn a22_colours_of_the_writers_shell_make_no_difference() {
    let commands = "printf '\\033[31mred\\033[0m \\033]0;title\\007x\\n'; echo \"<$FORCE_COLOR$CLICOLOR_FORCE>\"";
    let world = World::page(&one("", commands, "", "red x\n<>\n"));
    world
        .labdoc("verify")
        .env("FORCE_COLOR", "1")
        .env("CLICOLOR_FORCE", "1")
        .any_stdout()
        .success();
    refreshes(&one("", commands, "", "old\n"), &one("", commands, "", "red x\n<>\n"));
}

/// A table of pods as kubectl prints it.
fn pods(rows: &[&str]) -> String {
    let head = "NAME                     READY   STATUS    RESTARTS     AGE\n";
    head.to_owned() + &rows.iter().map(|row| format!("{row}\n")).collect::<String>()
}

#[test]
fn a23_tables_are_compared_by_their_cells() {
    let printed = pods(&[
        "web-7d4b9c6f5d-x2x4z     1/1     Running   1 (2m ago)   5m",
        "db-0                     1/1     Running   0            5m",
    ]);
    let page = |measured: &str| {
        let commands = format!("cat <<'EOF'\n{measured}EOF");
        World::page(&one("", &commands, "vary=pod,restarts,age", &printed))
    };
    let measured = pods(&[
        "db-0                  1/1     Running   0          41s",
        "web-6c8f5d9b7-q9q2p   1/1     Running   0          41s",
    ]);
    page(&measured).labdoc("verify").any_stdout().success();
    fails(
        &page(&measured.replace("q2p   1/1", "q2p   0/1")),
        &["row web-7d4b9c6f5d-x2x4z, column READY: 1/1 is printed, 0/1 was measured"],
    );
    fails(
        &page(&measured.replace("web-", "api-")),
        &["column NAME: web-7d4b9c6f5d-x2x4z is printed"],
    );
    let wider = measured.replace("AGE\n", "AGE   NODE\n").replace("41s\n", "41s   n1\n");
    fails(&page(&wider), &["column NODE was measured and is not printed"]);
    let fewer = pods(&["db-0   1/1   Running   0   41s"]);
    fails(&page(&fewer), &["row web-7d4b9c6f5d-x2x4z was not measured"]);
}

#[test]
fn a24_likeness_is_not_equality() {
    let page = |printed: &str, measured: &str| {
        World::page(&one("", &format!("printf '{measured}'"), "vary=pod", printed))
    };
    fails(&page("reviews-v1-aaa Running\n", "reviews-v3-bbb Run\n"), &["output differs"]);
    fails(&page("A\n...\nB\n", "B\nA\n"), &["output differs"]);
    fails(
        &page("reviews-7d4b9c6f5d-x2x4z up\n", "ratings-7d4b9c6f5d-x2x4z up\n"),
        &["output differs"],
    );
}

#[test]
fn a25_the_same_name_is_the_same_name_on_the_whole_page() {
    let page = |second: &str| {
        let blocks = "```sh {#a}\nPOD=web-6c8f5d9b7-q9q2p IP=10.9.0.5 OTHER=10.9.0.55\necho \"$POD $IP $OTHER\"\n```\n\n```output {for=a vary=pod,ip}\nweb-7d4b9c6f5d-x2x4z 10.0.0.1 10.0.0.2\n```\n\n";
        let printed =
            "```output {for=b vary=pod,ip}\nPOD=web-7d4b9c6f5d-x2x4z ip=10.0.0.1 x10.0.0.1\n```\n";
        World::page(&format!("{blocks}```sh {{#b}}\n{second}\n```\n\n{printed}"))
    };
    page("echo \"POD=$POD ip=$IP x10.0.0.1\"").labdoc("verify").any_stdout().success();
    fails(
        &page("echo \"POD=$POD ip=$OTHER x10.0.0.1\""),
        &["10.0.0.1 already stands for 10.9.0.5 (line 7)"],
    );
    // A value inside a longer word is not taken for it.
    fails(&page("echo \"POD=$POD ip=$IP x$IP\""), &["output differs"]);
}
