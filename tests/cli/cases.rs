//! Cases from real threads (`design/03`, section 8), by number: those about evidence.

use crate::support::World;

/// A check has a finding whose text holds `part`.
#[track_caller]
fn check(world: &World, code: i32, part: &str) {
    let ended = world.labdoc("check").any_output().code(code);
    assert!(ended.stderr.contains(part), "no {part:?} in:\n{}", ended.stderr);
}

/// The recorded lab with a foreign bundle T7 that C1 names too.
fn with_foreign() -> World {
    let (world, _) = World::recorded();
    world.foreign("T7", &["C1"]);
    world.edit("content/claims.yaml", "evidence: [T1#flip]", "evidence: [T1#flip, T7]");
    world
}

#[test]
fn case_01_every_command_finds_a_dangling_id() {
    let (world, _) = World::recorded();
    world.edit("content/claims.yaml", "T1#up", "T70");
    for command in
        ["build --release", "check --release", "build --release --json", "check --release --json"]
    {
        let ended = world.labdoc(command).any_output().code(1);
        let all = ended.stdout + &ended.stderr;
        assert!(all.contains("EV006"), "{command}: {all}");
    }
}

#[test]
fn case_02_the_missing_target_is_named() {
    let (world, _) = World::recorded();
    world.edit("content/claims.yaml", "T1#up", "T70");
    check(&world, 0, "claim C2 names bundle T70, but evidence/T70/ does not exist");
    check(&world, 0, "--> content/claims.yaml:7:");
}

#[test]
fn case_03_a_foreign_bundle_backs_a_claim_that_does_not_exist() {
    let world = with_foreign();
    world.edit("evidence/T7/manifest.yaml", "[C1]", "[C1, C99]");
    check(&world, 1, "error[EV003]: T7/manifest.yaml:4 refers to claim C99");
}

#[test]
fn case_04_a_one_sided_link_says_both_ways_out() {
    let world = with_foreign();
    world.edit("evidence/T7/manifest.yaml", "[C1]", "[C1, C2]");
    check(&world, 1, "add it to the claim or drop it from T7/manifest.yaml:4");
}

#[test]
fn case_06_a_part_is_not_the_whole() {
    let world = with_foreign();
    world.edit("evidence/T7/manifest.yaml", "checks: [a]", "checks: [a, b]");
    check(
        &world,
        1,
        "error[EV107]: T7: planned check `b` is not in the verdict (2 planned, 1 reported)",
    );
}

#[test]
fn case_07_an_empty_file_is_no_result() {
    let world = with_foreign();
    world.write("evidence/T7/result.txt", "");
    check(&world, 1, "error[EV101]: bundle T7: result.txt is empty (0 bytes)");
}

#[test]
fn case_08_a_verdict_contradicts_its_exit_code() {
    let world = with_foreign();
    world.edit("evidence/T7/verdict.json", "\"exit_code\":0", "\"exit_code\":1");
    check(&world, 1, "verdict says pass, but exit code is 1; the record contradicts itself");
}

#[test]
fn case_09_a_second_verdict_stands_beside_the_first() {
    let world = with_foreign();
    let first = world.read("evidence/T7/verdict.json");
    world.labdoc("evidence judge T7").any_output().success();
    assert_eq!(world.read("evidence/T7/verdict.json"), first);
    let second = world.read("evidence/T7/verdict.labdoc.rules-1.json");
    assert!(second.contains("\"rules\":\"labdoc.rules/1\""), "{second}");
    world.labdoc("check").any_output().success();
}

#[test]
fn case_14_a_pipe_into_tee_hides_a_failure() {
    let world = with_foreign();
    world.write("evidence/T7/run.sh", "#!/bin/sh\nfalse | tee x\n");
    check(&world, 0, "warning[EV111]: T7/run.sh:2 pipes into `tee` without `set -o pipefail`");
    world.write("evidence/T7/run.sh", "#!/bin/bash\nset -euo pipefail\nfalse | tee x\n");
    let ended = world.labdoc("check").any_output().success();
    assert!(!ended.stderr.contains("EV111"), "{}", ended.stderr);
}

#[test]
fn case_15_a_banner_comes_with_the_day() {
    let (world, _) = World::recorded();
    world.edit(
        "content/claims.yaml",
        "expect: [\"ok(up)\"]",
        "expect: [\"ok(up)\"]\n  expires_after: 180d",
    );
    let stale = |day: &str| {
        let ended = world.labdoc(&format!("check --as-of {day}")).any_output().success();
        ended.stderr.contains("EV206")
    };
    let today = world.runs()[0].clone();
    let day = &today.rsplit('/').next().expect("run")[..8];
    let near = format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..8]);
    assert!(!stale(&near));
    assert!(stale("2099-01-01"));
}

#[test]
fn case_16_a_withdrawn_id_is_never_used_again() {
    let (world, _) = World::recorded();
    world.labdoc("evidence seal --as-of 2026-11-30").any_output().success();
    world.write("evidence/corrections.yaml", "K1:\n  date: \"2026-12-01\"\n  claims: [C2]\n  kind: withdrawn\n  was: Setup works.\n  reason: r\n");
    world.labdoc("build").any_output().success();
    world.edit("content/lab.md", "[Setup works.]", "[Something else.]");
    check(
        &world,
        1,
        "error[EV002]: claim id C2 was withdrawn on 2026-12-01 (K1) and cannot be used again; next free id is C3",
    );
    assert!(world.exists("public/evidence/claims/C2.html"));
}

#[test]
fn case_18_a_version_is_no_number() {
    let world = with_foreign();
    let manifest = world.read("evidence/T7/manifest.yaml") + "environment:\n  kubernetes: 1.30\n";
    world.write("evidence/T7/manifest.yaml", manifest);
    check(&world, 1, "`kubernetes: 1.30` is a number and reads as 1.3; write \"1.30\"");
}

#[test]
fn case_19_names_that_windows_cannot_have() {
    let world = with_foreign();
    assert!(!world.runs()[0].contains(':'));
    world.write("evidence/T7/note:1", "x");
    check(
        &world,
        1,
        "error[KT303]: evidence path \"T7/note:1\" holds ':', which cannot exist on Windows",
    );
}

#[test]
fn links_in_evidence_are_refused() {
    let world = with_foreign();
    std::os::unix::fs::symlink("/etc/hostname", world.path("evidence/T7/x")).expect("link");
    check(&world, 1, "error[EV118]: T7/x is a link or a special file");
    std::fs::remove_file(world.path("evidence/T7/x")).expect("remove");
    std::os::unix::fs::symlink("/etc", world.path("evidence/reports")).expect("link");
    let digest = World::sha256(&std::fs::read("/etc/hostname").expect("read"));
    world.write(
        "evidence/reports.yaml",
        format!(
            "R1: {{file: reports/hostname, sha256: {digest}, title: t, date: \"2026-11-01\"}}\n"
        ),
    );
    check(&world, 1, "error[EV101]: report R1: reports/hostname is missing");
}

#[test]
fn paths_in_records_stay_inside() {
    let world = with_foreign();
    for path in ["../book.toml", "/etc/hostname", "a\\\\b", "nul.txt", "a:b"] {
        world.write(
            "evidence/reports.yaml",
            format!("R1: {{file: \"{path}\", sha256: x, title: t, date: \"2026-11-01\"}}\n"),
        );
        check(&world, 1, "error[EV118]: report R1: path");
    }
}

#[test]
fn a_run_id_is_the_name_of_a_folder() {
    let world = with_foreign();
    world.edit("evidence/T7/verdict.json", "\"run_id\":\"f1\"", "\"run_id\":\"../../x\"");
    check(&world, 1, "error[EV118]: T7: run id \"../../x\" cannot be the name of a folder");
}

#[test]
fn yaml_of_ours_has_no_anchors_and_no_doubles() {
    let world = with_foreign();
    for text in [
        "S1: &a {url: \"https://x.org\"}\nS2: *a\n",
        "S1: {url: \"https://x.org\"}\nS1: {url: \"https://x.org\"}\n",
        "S1: {url: \"https://x.org\", urll: x}\n",
    ] {
        world.write("evidence/sources.yaml", text);
        check(&world, 1, "error[EV118]: sources.yaml:");
    }
}

#[test]
fn case_20_markup_in_a_result_is_text() {
    let world = with_foreign();
    world.rewrite_result("T7", "labdoc-check: a pass exit=0\n</pre><img src=x onerror=alert(1)>\n");
    world.labdoc("build").any_output().success();
    let html = world.read("public/evidence/T7/f1/view/result.txt.html");
    assert!(!html.contains("<img src=x"), "{html}");
    assert!(html.contains("&lt;/pre&gt;&lt;img src=x onerror=alert(1)&gt;"), "{html}");
}

#[test]
fn case_21_a_token_in_a_result_stops_the_build() {
    let world = with_foreign();
    let token = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NSJ9", "c2lnbmF0dXJlLWhlcmU"].join(".");
    world.rewrite_result("T7", &format!("labdoc-check: a pass exit=0\n{token}\n"));
    let ended = world.labdoc("build").any_output().code(1);
    assert!(
        ended.stderr.contains("error[SE501]: T7/result.txt:2 looks like a JWT"),
        "{}",
        ended.stderr
    );
    assert!(!ended.stderr.contains(&token), "the value is not printed");
    assert!(!world.exists("public"));
}

#[test]
fn case_25_nothing_is_loaded_from_elsewhere_and_case_27_no_modules() {
    let world = with_foreign();
    world.labdoc("build").any_output().success();
    world
        .bash("! grep -rlE 'type=\"?module|crossorigin|integrity=' public --include=*.html")
        .success();
}

#[test]
fn an_edited_output_is_held_against_the_run() {
    let (world, _) = World::recorded();
    world.edit("content/lab.md", "at 10.0.0.1\n", "at 10.0.0.77\n");
    let ended = world.labdoc("check").any_output().success();
    assert!(!ended.stderr.contains("EV208"), "what may vary may: {}", ended.stderr);
    world.edit("content/lab.md", "```output {for=up}\nup\n", "```output {for=up}\nUP\n");
    check(&world, 0, "the output printed for block `up` is not what run");
}

#[test]
fn idle_bundles_and_incomplete_sources_are_named() {
    let (world, _) = World::recorded();
    world.foreign("T8", &[]);
    world.write("evidence/sources.yaml", "S1: {url: \"javascript:alert(1)\"}\n");
    check(&world, 1, "warning[EV008]: bundle T8 backs no claim");
    check(&world, 1, "warning[EV010]: source S1 has no access date, no locator, no quote");
    check(&world, 1, "error[SE504]: source S1 url has scheme \"javascript:\"");
}

#[test]
fn active_files_are_published_as_text() {
    let world = with_foreign();
    world.write("evidence/reports/r.html", "<script>alert(1)</script>");
    let digest = World::sha256(b"<script>alert(1)</script>");
    world.write(
        "evidence/reports.yaml",
        format!("R1: {{file: reports/r.html, sha256: {digest}, title: t, date: \"2026-11-01\"}}\n"),
    );
    check(
        &world,
        0,
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
    let world = with_foreign();
    world.rewrite_result("T7", "labdoc-check: a pass exit=0\nok\nin /home/jane/lab\n");
    check(&world, 0, "warning[SE505]: T7/result.txt:3 contains a home directory path");
    world.rewrite_result("T7", "labdoc-check: a pass exit=0\na\u{202e}b\n");
    check(
        &world,
        0,
        "warning[SE503]: T7/result.txt:2 contains terminal or bidi control characters; shown as ⟨U+202E⟩",
    );
}
