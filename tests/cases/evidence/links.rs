//! What claims, bundles, sources and corrections name.

use crate::support::World;

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
    world.finds(0, "claim C2 names bundle T70, but evidence/T70/ does not exist");
    world.finds(0, "--> content/claims.yaml:7:");
}

#[test]
fn case_03_a_foreign_bundle_backs_a_claim_that_does_not_exist() {
    let world = World::with_foreign();
    world.edit("evidence/T7/manifest.yaml", "[C1]", "[C1, C99]");
    world.finds(1, "error[EV003]: T7/manifest.yaml:4 refers to claim C99");
}

#[test]
fn case_04_a_one_sided_link_says_both_ways_out() {
    let world = World::with_foreign();
    world.edit("evidence/T7/manifest.yaml", "[C1]", "[C1, C2]");
    world.finds(1, "add it to the claim or drop it from T7/manifest.yaml:4");
}

#[test]
fn case_16_a_withdrawn_id_is_never_used_again() {
    let (world, _) = World::recorded();
    world.labdoc("evidence seal --as-of 2026-11-30").any_output().success();
    world.write("evidence/corrections.yaml", "K1:\n  date: \"2026-12-01\"\n  claims: [C2]\n  kind: withdrawn\n  was: Setup works.\n  reason: r\n");
    world.labdoc("build").any_output().success();
    world.edit("content/lab.md", "[Setup works.]", "[Something else.]");
    world.finds(1,
        "error[EV002]: claim id C2 was withdrawn on 2026-12-01 (K1) and cannot be used again; next free id is C3",
    );
    assert!(world.exists("public/evidence/claims/C2.html"));
}

#[test]
fn case_05_a_quote_that_moved_is_said() {
    let world = World::proven();
    world.edit("evidence/sources.yaml", "costs nothing", "costs little");
    world.finds(
        0,
        "warning[EV207]: claim C4 is stale: quote of source S1 changed since it was sealed on",
    );
    world.finds(0, "(was: A failover costs nothing.), and it was not read again");
    // Who read it again says so, and the claim stands.
    world.edit("evidence/sources.yaml", "2026-01-10", "2026-02-10");
    let ended = world.labdoc("check --release").any_stdout().success();
    assert_eq!(ended.stderr, "");
}

#[test]
fn case_17_corrections_have_a_number_a_date_and_an_order() {
    let world = World::proven();
    world.edit("evidence/corrections.yaml", "  date: \"2026-01-06\"\n", "");
    world.finds(1, "error[EV015]: correction K2: date missing");
    let world = World::proven();
    let text = world.read("evidence/corrections.yaml");
    world.write("evidence/corrections.yaml", text.replace("K1:", "K3:"));
    world.finds(1, "error[EV015]: correction K2: number out of order, behind 2026-01-05 (K3)");
    // The list has the newest first, each with its number and its day.
    let world = World::proven();
    world.labdoc("build").any_output().success();
    let list = world.read("public/evidence/corrections.html");
    let (first, second) =
        (list.find("id=\"K2\"").expect("K2"), list.find("id=\"K1\"").expect("K1"));
    assert!(first < second && list.contains("2026-01-06"), "{list}");
}
