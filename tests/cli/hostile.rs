//! Evidence that is hostile, careless or idle.

use crate::support::World;

#[test]
fn links_in_evidence_are_refused() {
    let world = World::with_foreign();
    std::os::unix::fs::symlink("/etc/hostname", world.path("evidence/T7/x")).expect("link");
    world.finds(1, "error[EV118]: T7/x is a link or a special file");
    std::fs::remove_file(world.path("evidence/T7/x")).expect("remove");
    std::os::unix::fs::symlink("/etc", world.path("evidence/reports")).expect("link");
    let digest = World::sha256(&std::fs::read("/etc/hostname").expect("read"));
    world.write(
        "evidence/reports.yaml",
        format!(
            "R1: {{file: reports/hostname, sha256: {digest}, title: t, date: \"2026-11-01\"}}\n"
        ),
    );
    world.finds(1, "error[EV101]: report R1: reports/hostname is missing");
}

#[test]
fn paths_in_records_stay_inside() {
    let world = World::with_foreign();
    for path in ["../book.toml", "/etc/hostname", "a\\\\b", "nul.txt", "a:b"] {
        world.write(
            "evidence/reports.yaml",
            format!("R1: {{file: \"{path}\", sha256: x, title: t, date: \"2026-11-01\"}}\n"),
        );
        world.finds(1, "error[EV118]: report R1: path");
    }
}

#[test]
fn a_run_id_is_the_name_of_a_folder() {
    let world = World::with_foreign();
    world.edit("evidence/T7/verdict.json", "\"run_id\":\"f1\"", "\"run_id\":\"../../x\"");
    world.finds(1, "error[EV118]: T7: run id \"../../x\" cannot be the name of a folder");
}

#[test]
fn yaml_of_ours_has_no_anchors_and_no_doubles() {
    let world = World::with_foreign();
    for text in [
        "S1: &a {url: \"https://x.org\"}\nS2: *a\n",
        "S1: {url: \"https://x.org\"}\nS1: {url: \"https://x.org\"}\n",
        "S1: {url: \"https://x.org\", urll: x}\n",
    ] {
        world.write("evidence/sources.yaml", text);
        world.finds(1, "error[EV118]: sources.yaml:");
    }
}

#[test]
fn an_edited_output_is_held_against_the_run() {
    let (world, _) = World::recorded();
    world.edit("content/lab.md", "at 10.0.0.1\n", "at 10.0.0.77\n");
    let ended = world.labdoc("check").any_output().success();
    assert!(!ended.stderr.contains("EV208"), "what may vary may: {}", ended.stderr);
    world.edit("content/lab.md", "```output {for=up}\nup\n", "```output {for=up}\nUP\n");
    world.finds(0, "the output printed for block `up` is not what run");
}

#[test]
fn idle_bundles_and_incomplete_sources_are_named() {
    let (world, _) = World::recorded();
    world.foreign("T8", &[]);
    world.write("evidence/sources.yaml", "S1: {url: \"javascript:alert(1)\"}\n");
    world.finds(1, "warning[EV008]: bundle T8 backs no claim");
    world.finds(1, "warning[EV010]: source S1 has no access date, no locator, no quote");
    world.finds(1, "error[SE504]: source S1 url has scheme \"javascript:\"");
}

#[test]
fn active_files_are_published_as_text() {
    let world = World::with_foreign();
    world.write("evidence/reports/r.html", "<script>alert(1)</script>");
    let digest = World::sha256(b"<script>alert(1)</script>");
    world.write(
        "evidence/reports.yaml",
        format!("R1: {{file: reports/r.html, sha256: {digest}, title: t, date: \"2026-11-01\"}}\n"),
    );
    world.finds(0,
        "warning[SE502]: evidence file reports/r.html would run in readers' browsers; it is published as r.html.txt",
    );
    world.labdoc("build").any_output().success();
    assert!(world.exists("public/evidence/reports/r.html.txt"));
    assert!(!world.exists("public/evidence/reports/r.html"));
    let book = world.read("book.toml");
    world.write("book.toml", book + "\n[evidence]\nallow_active = [\"reports/r.html\"]\n");
    let ended = world.labdoc("check").any_output().success();
    assert!(!ended.stderr.contains("SE502"), "{}", ended.stderr);
}

#[test]
fn traces_of_a_machine_are_named() {
    let world = World::with_foreign();
    world.rewrite_result("T7", "labdoc-check: a pass exit=0\nok\nin /home/jane/lab\n");
    world.finds(0, "warning[SE505]: T7/result.txt:3 contains a home directory path");
    world.rewrite_result("T7", "labdoc-check: a pass exit=0\na\u{202e}b\n");
    world.finds(0,
        "warning[SE503]: T7/result.txt:2 contains terminal or bidi control characters; shown as ⟨U+202E⟩",
    );
}

#[test]
fn what_terminals_do_is_shown_and_never_done() {
    let world = World::with_foreign();
    let lines = [
        "labdoc-check: a pass exit=0".as_bytes(),
        b"\x1b[31mred\x1b[0m \x1b]8;;http://evil.example/\x07link\x1b]8;;\x07",
        b"1%\r100%",
        b"bad \xff byte",
        "zero\u{200b}width http://auto.example/".as_bytes(),
    ];
    let result = [lines.join(&b'\n'), b"\n".to_vec()].concat();
    world.rewrite_result("T7", "labdoc-check: a pass exit=0\n");
    let (before, after) =
        (World::sha256(&world.bytes("evidence/T7/result.txt")), World::sha256(&result));
    world.write("evidence/T7/result.txt", &result);
    world.edit("evidence/T7/verdict.json", &before, &after);
    world.labdoc("build").any_output().success();
    let html = world.read("public/evidence/T7/f1/view/result.txt.html");
    for part in [
        ">red link\n",
        ">100%\n",
        ">bad \u{fffd} byte\n",
        ">zero⟨U+200B⟩width http://auto.example/\n",
    ] {
        assert!(html.contains(&part.replace('>', "</a>")), "{part}: {html}");
    }
    assert!(html.contains("Line 4 holds bytes that are not UTF-8"), "{html}");
    assert!(!html.contains("evil.example") && !html.contains("href=\"http://auto"), "{html}");
    assert_eq!(world.bytes("public/evidence/T7/f1/raw/result.txt"), result);
}
