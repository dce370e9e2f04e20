//! What changed after a run: the states in which a claim is then, and the reasons.

use super::states::failing;
use super::{Lab, Measured, environment, holds_in};
use crate::evidence::holds::Environment;
use crate::evidence::{Records, Word, as_of, load_bundles};

#[test]
fn edits_make_it_stale_and_undoing_them_verifies_again() {
    let mut lab = Lab::measured();
    lab.record(Measured::default());
    lab.statements[0].1 = "연결이 거의 끊기지 않는다";
    let answer = lab.check(Word::Stale, "its wording changed after run 2026-11-29");
    answer.has("EV201", "content/guide.md:5", "claim C14 is stale: its wording changed after run");
    lab.statements[0].1 = "연결이  끊기지 않는다";
    lab.check(Word::Verified, "");
    let before = lab.kit.insert("manifests/pvc.yaml".into(), "sha256:0".into()).expect("there");
    lab.kit.remove("scripts/up.sh");
    let answer = lab.check(Word::Stale, "manifests/pvc.yaml, scripts/up.sh (gone)");
    answer.has(
        "EV202",
        "content/guide.md:5",
        "kit files changed since the run: manifests/pvc.yaml",
    );
    lab.kit = Lab::measured().kit;
    assert_eq!(lab.kit["manifests/pvc.yaml"], before);
    lab.check(Word::Verified, "");
}

#[test]
fn blocks_up_to_the_named_one_count() {
    let mut lab = Lab::measured();
    lab.record(Measured::default());
    lab.blocks[1].1 = "sh flip.sh -x\n";
    let answer =
        lab.check(Word::Stale, "block `flip` of content/guide.md:10 changed since the run");
    answer.has(
        "EV204",
        "content/guide.md:10",
        "claim C14 is stale: block `flip` of content/guide.md:10",
    );
    lab.blocks[1].1 = "sh flip.sh\n";
    lab.blocks[0].1 = "sh setup.sh --other\n";
    lab.check(Word::Stale, "block `setup` of content/guide.md:7 changed");
    lab.blocks[0].1 = "sh setup.sh\n";
    lab.blocks[2].1 = "sh clean.sh --all\n";
    lab.check(Word::Verified, "");
    lab.blocks.insert(1, ("between", "true\n", ""));
    lab.check(Word::Stale, "block `between` of content/guide.md:10 was added");
    lab.blocks.remove(1);
    lab.blocks.remove(0);
    lab.check(Word::Stale, "block `setup` of content/guide.md is gone");
    // Without a block the whole run counts.
    let mut lab = Lab::new("{grade: measured, evidence: [T1], expect: [\"flip.lost == 0\"]}");
    lab.record(Measured::default());
    lab.check(Word::Verified, "");
    lab.blocks[2].1 = "sh clean.sh --all\n";
    lab.check(Word::Stale, "block `clean`");
}

#[test]
fn a_changed_capture_counts_where_it_is_named() {
    let mut lab = Lab::measured();
    lab.record(Measured::default());
    lab.capture = r"lost (\d)";
    lab.check(Word::Stale, "capture `flip.lost` of content/guide.md:10 changed");
    let mut lab = Lab::new("{grade: measured, evidence: [T1#flip], expect: [ok(flip)]}");
    lab.record(Measured::default());
    lab.capture = r"lost (\d)";
    lab.check(Word::Verified, "");
}

#[test]
fn a_page_refreshed_to_other_values_fails_the_claim() {
    let mut lab = Lab::measured();
    lab.record(Measured::default());
    lab.blocks[1].2 = "lost 4\n";
    let answer = lab.check(
        Word::Failed,
        "the output printed on content/guide.md breaks `flip.lost == 0`: flip.lost is 4",
    );
    answer.has("EV104", "content/guide.md:5", "claim C14 failed: the output printed on");
    lab.blocks[1].2 = "lost 0        <- lost 4 before the fix\n";
    lab.check(Word::Verified, "");
}

#[test]
fn a_failed_run_on_changed_inputs_says_both() {
    let mut lab = Lab::measured();
    lab.record(failing("2026-11-29T10:15:00Z"));
    lab.kit.insert("scripts/up.sh".into(), "sha256:0".into());
    let answer = lab.check(Word::Failed, "check `flip`");
    let sentences = answer.states[0].sentences().join(" | ");
    assert!(sentences.contains("kit files changed since the run: scripts/up.sh"), "{sentences}");
}

#[test]
fn stale_then_a_new_run() {
    let mut lab = Lab::measured();
    lab.record(Measured::default());
    lab.blocks[1].1 = "sh flip.sh -x\n";
    lab.check(Word::Stale, "");
    lab.record(Measured { at: "2026-11-30T10:00:00Z", ..Measured::default() });
    lab.check(Word::Verified, "");
    lab.record(failing("2026-12-01T10:00:00Z"));
    lab.check(Word::Failed, "");
}

#[test]
fn the_page_moves_on_to_another_environment() {
    let mut lab = Lab::measured();
    lab.record(Measured::default());
    lab.environment = environment(&[("envoy", "1.40")]);
    let answer = lab.check(Word::Stale, "the document is for envoy 1.40, the run was on 1.38.3");
    answer.has("EV205", "content/guide.md:5", "claim C14 is stale: the document is for envoy 1.40");
    // The page's own environment decides, also over a newer run elsewhere.
    lab.record(Measured {
        at: "2026-11-30T10:00:00Z",
        environment: &[("envoy", "1.40.0")],
        ..Measured::default()
    });
    let newer = Measured { environment: &[("envoy", "1.41.0")], ..failing("2026-12-01T10:00:00Z") };
    lab.record(newer);
    let answer = lab.check(Word::Verified, "");
    assert_eq!(holds_in(&answer.states[0]), ["1.38.3", "1.40.0"]);
    lab.environment = Environment::new();
    lab.check(Word::Failed, "run 2026-12-01");
}

#[test]
fn age_is_judged_as_of_a_day() {
    let entry =
        "{grade: measured, evidence: [T1#flip], expect: [\"flip.lost == 0\"], expires_after: 180d}";
    let mut lab = Lab::new(entry);
    lab.record(Measured { at: "2026-03-01T10:00:00Z", ..Measured::default() });
    lab.as_of = Some("2026-08-28");
    lab.check(Word::Verified, "");
    lab.as_of = Some("2026-08-29");
    let answer = lab.check(Word::Stale, "last run 2026-03-01, limit 180 days, as of 2026-08-29");
    answer.has("EV206", "content/guide.md:5", "claim C14 is stale: last run 2026-03-01, limit 180");
    lab.as_of = None;
    lab.check(Word::Verified, "");
    // Without a given day it is the newest day of the evidence itself.
    let bundles = load_bundles(lab.dir.path()).expect("readable");
    let day = as_of(None, &bundles, &Records::default()).map(|day| day.to_string());
    assert_eq!(day.as_deref(), Some("2026-03-01"));
}

#[test]
fn a_claim_that_the_run_did_not_know_has_no_wording_to_compare() {
    let mut lab = Lab::measured();
    let mut recording = lab.recording(&Measured::default());
    recording.verdict.inputs.claims.clear();
    lab.write(&recording);
    lab.statements[0].1 = "다른 문장";
    lab.check(Word::Verified, "");
}

#[test]
fn files_that_a_run_would_see_now_count() {
    let mut lab = Lab::measured();
    lab.record(Measured::default());
    lab.kit.insert("manifests/new.yaml".into(), "sha256:0".into());
    lab.check(Word::Stale, "kit files changed since the run: manifests/new.yaml (new)");
}

#[test]
fn a_bundle_whose_page_dropped_it_is_stale() {
    let mut lab = Lab::measured();
    lab.record(Measured::default());
    lab.bundle = None;
    lab.check(Word::Stale, "the link to this bundle of content/guide.md is gone since the run");
}
