//! Corrections, waivers and the ledger: what was published cannot vanish or change unseen.

use crate::support::World;

/// A recorded and sealed site.
fn sealed() -> World {
    let (world, _) = World::recorded();
    world.labdoc("evidence seal --as-of 2026-11-30").any_output().success();
    world
}

/// The second claim is withdrawn.
const WITHDRAWN: &str = "\
K1:
  date: \"2026-12-01\"
  claims: [C2]
  kind: withdrawn
  was: Setup works.
  reason: it was never asked
  by: jane
";

#[test]
fn a_seal_is_written_once_and_marks_the_book() {
    let world = sealed();
    assert_eq!(world.names("evidence/ledger").len(), 1);
    assert!(world.read("book.toml").contains("[evidence]\nsealed = true\n"));
    let before = world.tree("");
    let ended = world.labdoc("evidence seal").any_output().success();
    assert!(ended.stdout.contains("nothing changed since the last seal"), "{}", ended.stdout);
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
    world.labdoc("check --release").any_output().success();
}

#[test]
fn a_missing_or_edited_ledger_is_named() {
    let world = sealed();
    let name = format!("evidence/ledger/{}", world.names("evidence/ledger")[0]);
    world.edit(&name, "Setup works.", "Setup fails.");
    world.finds(1, "error[EV017]");
    std::fs::remove_dir_all(world.path("evidence/ledger")).expect("remove");
    world.finds(1, "error[EV017]: evidence/ledger/ is missing although the evidence was sealed");
}

#[test]
fn a_claim_that_vanished_is_named() {
    let world = sealed();
    world.edit("content/lab.md", "[Setup works.]{#C2}", "Setup works.");
    world.edit(
        "content/claims.yaml",
        "C2:\n  grade: measured\n  evidence: [T1#up]\n  expect: [\"ok(up)\"]\n",
        "",
    );
    world.finds(1, "error[EV013]: claim C2 was published on 2026-11-30 and is gone");
    world.write("evidence/corrections.yaml", WITHDRAWN);
    world.labdoc("build").any_output().success();
    let page = world.read("public/evidence/claims/C2.html");
    assert!(page.contains("Setup works.") && page.contains("withdrawn"), "{page}");
    let record = world.read("public/evidence/index.html");
    assert!(record.contains("id=\"ended\"") && record.contains("claims/C2.html"), "{record}");
}

#[test]
fn a_claim_that_is_withdrawn_in_place_asks_for_no_proof() {
    let world = sealed();
    world.write("evidence/corrections.yaml", WITHDRAWN);
    world.edit("content/lab.md", "echo up\n", "echo UP\n");
    let ended = world.labdoc("check").any_output().success();
    assert!(!ended.stderr.contains("C2"), "{}", ended.stderr);
}

#[test]
fn a_wording_changes_only_with_a_correction() {
    let world = sealed();
    world.edit("content/lab.md", "Setup works.", "Setup works well.");
    world.finds(1,
        "error[EV014]: wording of C2 changed since it was published and no correction says so (was: \"Setup works.\", now: \"Setup works well.\")",
    );
    let correction = |now: &str| {
        format!(
            "K1:\n  date: \"2026-12-01\"\n  claims: [C2]\n  kind: corrected\n  was: Setup works.\n  now: {now}\n  reason: too little\n"
        )
    };
    world.write("evidence/corrections.yaml", correction("Setup works better."));
    world.finds(1, "K1 says: \"Setup works better.\"");
    world.write("evidence/corrections.yaml", correction("Setup works well."));
    world.labdoc("build").any_output().success();
    let page = world.read("public/evidence/claims/C2.html");
    assert!(page.contains("<del>Setup works.</del>"), "{page}");
    assert!(page.contains("<ins>Setup works well.</ins>"), "{page}");
    let list = world.read("public/evidence/corrections.html");
    assert!(list.contains("id=\"K1\""), "{list}");
}

#[test]
fn a_live_number_that_was_refreshed_is_no_new_wording() {
    let world = sealed();
    world.edit("content/lab.md", "[3]{=flip.lost}", "[4]{=flip.lost}");
    let ended = world.labdoc("check").any_output().success();
    assert!(!ended.stderr.contains("EV014"), "{}", ended.stderr);
    assert!(ended.stderr.contains("warning[EV210]"), "{}", ended.stderr);
}

#[test]
fn a_correction_is_in_order_and_never_edited() {
    let world = sealed();
    let entry = |id: &str, date: &str| {
        format!(
            "{id}:\n  date: \"{date}\"\n  claims: [C2]\n  kind: clarified\n  now: Setup works.\n  reason: r\n"
        )
    };
    world
        .write("evidence/corrections.yaml", entry("K3", "2026-11-02") + &entry("K2", "2026-11-03"));
    world.finds(1, "error[EV015]: correction K2: number out of order");
    world.write(
        "evidence/corrections.yaml",
        "K1: {claims: [C2], kind: clarified, now: x, reason: r}\n",
    );
    world.finds(1, "error[EV015]: correction K1: date missing");
    world.write("evidence/corrections.yaml", entry("K1", "2027-01-01"));
    let ended = world.labdoc("check --as-of 2026-12-01").any_output().code(1);
    assert!(
        ended.stderr.contains("error[EV015]: correction K1: date in the future"),
        "{}",
        ended.stderr
    );
    world.labdoc("evidence seal --as-of 2027-01-02").any_output().success();
    world.edit("evidence/corrections.yaml", "reason: r", "reason: s");
    world.finds(1, "error[EV015]: correction K1: entry edited after it was sealed");
    world.write("evidence/corrections.yaml", "");
    world.finds(1, "error[EV015]: correction K1: entry was sealed and is gone");
}

#[test]
fn a_grade_rises_only_with_new_evidence() {
    let (world, _) = World::recorded();
    world.edit("content/claims.yaml", "C2:\n  grade: measured", "C2:\n  grade: reported");
    world.labdoc("evidence seal --as-of 2026-11-30").any_output().success();
    world.edit("content/claims.yaml", "C2:\n  grade: reported", "C2:\n  grade: measured");
    world.finds(
        0,
        "warning[EV016]: grade of C2 rose from reported to measured without new evidence",
    );
}

#[test]
fn a_waiver_is_shown_and_ends_by_itself() {
    let (world, _) = World::recorded();
    world.edit("content/lab.md", "[Setup works.]", "[Setup works well.]");
    world.labdoc("build --release").any_output().code(1);
    world.write(
        "evidence/waivers.yaml",
        "C2: {state: stale, until: \"2027-01-31\", reason: no cluster, by: jane}\n",
    );
    let ended = world.labdoc("build --release --as-of 2027-01-31").any_output().success();
    assert!(
        ended.stderr.contains("waived until 2027-01-31 by jane: no cluster"),
        "{}",
        ended.stderr
    );
    let page = world.read("public/lab.html");
    assert!(page.contains("waived until 2027-01-31"), "{page}");
    let ended = world.labdoc("build --release --as-of 2027-02-01").any_output().code(1);
    assert!(
        ended.stderr.contains("error[EV209]: waiver for C2 ended on 2027-01-31"),
        "{}",
        ended.stderr
    );
}

#[test]
fn corrections_speak_of_what_exists() {
    let world = sealed();
    world.write("evidence/corrections.yaml", "K1:\n  date: \"2026-12-01\"\n  claims: [C9]\n  kind: clarified\n  now: x\n  reason: r\n  evidence: [T9]\n");
    world.finds(1, "error[EV003]: correction K1 refers to claim C9, which does not exist");
    world.finds(1, "warning[EV006]: correction K1 names bundle T9");
    world.write("evidence/corrections.yaml", "K1:\n  date: \"2026-12-01\"\n  claims: [C2]\n  kind: superseded\n  now: another\n  reason: r\n");
    world.finds(1, "names no claim that takes the place");
    world.write(
        "evidence/corrections.yaml",
        "K1:\n  date: \"2026-12-01\"\n  claims: [C2]\n  kind: superseded\n  now: C1\n  reason: r\n",
    );
    world.edit("content/index.md", "See", "See [C2] and [K1], not [K7]. See");
    world.finds(0, "warning[EV006]: content/index.md:5 names correction K7");
    world.labdoc("build").any_output().success();
    let page = world.read("public/index.html");
    assert!(page.contains("evidence/corrections.html#K1"), "{page}");
    assert!(world.read("public/evidence/claims/C2.html").contains("superseded by C1"));
}

#[test]
fn a_claim_that_is_made_again_waits_for_a_run() {
    let world = sealed();
    let again =
        "K2:\n  date: \"2099-12-02\"\n  claims: [C2]\n  kind: reinstated\n  reason: asked now\n";
    world.write("evidence/corrections.yaml", WITHDRAWN.to_owned() + again);
    let ended = world.labdoc("evidence show C2").any_output().success();
    assert!(ended.stdout.starts_with("C2 pending"), "{}", ended.stdout);
}

#[test]
fn a_translation_repeats_the_claims_of_its_original() {
    let (world, _) = World::recorded();
    world.write("content/lab.en.md", "# The lab\n\n[Setup is fine.]{#C2}\n");
    let ended = world.labdoc("check").any_output().success();
    assert!(!ended.stderr.contains("EV001"), "{}", ended.stderr);
    world.write("content/other.md", "# Other\n\n[Setup is fine.]{#C2}\n");
    world.finds(1, "error[EV001]: claim id C2 is used twice");
}
