//! The transitions between the states of a claim.

use super::{Lab, Measured, holds_in};
use crate::evidence::holds::Environment;
use crate::evidence::{CheckOutcome, Policy, Word};

/// A failing run.
pub(super) fn failing(at: &'static str) -> Measured {
    Measured { at, lost: "3", flip: CheckOutcome::Fail, ..Measured::default() }
}

#[test]
fn without_evidence_a_claim_is_unsupported() {
    let lab = Lab::new("{grade: measured, expect: [\"flip.lost == 0\"]}");
    lab.record(Measured::default());
    let answer = lab.check(Word::Unsupported, "names no run");
    answer.has("EV005", "content/claims.yaml:1", "claim C14 (measured) has no evidence");
}

#[test]
fn evidence_that_is_not_there_is_absent() {
    let lab = Lab::new("{grade: measured, evidence: [T70], expect: [\"flip.lost == 0\"]}");
    lab.record(Measured::default());
    let answer = lab.check(Word::Absent, "evidence/T70/ does not exist");
    answer.has("EV006", "content/claims.yaml:1", "claim C14 names bundle T70, but evidence/T70/");
}

#[test]
fn an_earlier_run_of_unchanged_blocks_verifies() {
    let mut lab = Lab::new("{grade: logical}");
    lab.record(Measured::default());
    lab.claims_yaml = Lab::measured().claims_yaml;
    // The claim was another one when the run was recorded, so its digest differs.
    lab.check(Word::Stale, "wording changed");
    let lab = Lab::measured();
    lab.record(Measured::default());
    let answer = lab.check(Word::Verified, "");
    answer.codes(&[]);
    let state = &answer.states[0];
    assert_eq!(holds_in(state), ["1.38.3"]);
    assert_eq!(state.runs(), 1);
    let run = state.links[0].run.as_ref().expect("decides");
    assert_eq!(run.run.date.to_string(), "2026-11-29");
    assert_eq!(
        (run.values["flip.lost"].value.as_str(), run.values["flip.lost"].line),
        ("0", Some(5))
    );
}

#[test]
fn pending_until_a_run_finishes_with_the_values() {
    let lab = Lab::measured();
    lab.break_off("2026-11-28T10:00:00Z");
    let answer = lab.check(Word::Pending, "did not finish (timeout after 900 s)");
    answer.has("EV105", "evidence/T1", "T1 was started on 2026-11-28 but did not finish");
    lab.record(Measured::default());
    lab.check(Word::Verified, "");
    let mut lab = Lab::measured();
    lab.record(Measured { lost: "", ..Measured::default() });
    let answer = lab.check(Word::Pending, "no finished run of T1 has flip.lost");
    answer.has(
        "EV023",
        "content/guide.md:5",
        "claim C14 is pending: no finished run of T1 has flip.lost",
    );
    lab.blocks[1].2 = "";
    lab.check(Word::Pending, "flip.lost");
}

#[test]
fn pending_then_failed() {
    let lab = Lab::measured();
    lab.break_off("2026-11-28T10:00:00Z");
    lab.record(failing("2026-11-29T10:15:00Z"));
    let answer = lab.check(Word::Failed, "T1, run 2026-11-29, check `flip` (result.txt:6)");
    answer.has(
        "EV104",
        "content/guide.md:5",
        "claim C14: evidence failed — T1, run 2026-11-29, check `flip` (result.txt:6)",
    );
    answer.has(
        "EV104",
        "content/guide.md:5",
        "expect `flip.lost == 0` does not hold: flip.lost is 3 (result.txt:5)",
    );
}

#[test]
fn a_newer_fail_overturns_an_older_pass() {
    let lab = Lab::measured();
    lab.record(Measured { at: "2026-11-28T10:00:00Z", ..Measured::default() });
    lab.record(failing("2026-11-30T10:00:00Z"));
    let answer = lab.check(Word::Failed, "the pass of 2026-11-28 does not count");
    answer.has(
        "EV112",
        "evidence/T1/RUN/verdict.json",
        "T1: a newer run (2026-11-30) failed; the pass of 2026-11-28 does not count",
    );
}

#[test]
fn a_pass_in_another_environment_is_not_overturned() {
    let lab = Lab::measured();
    let environment = &[("envoy", "1.38.2")];
    lab.record(Measured { at: "2026-11-28T10:00:00Z", environment, ..Measured::default() });
    lab.record(failing("2026-11-30T10:00:00Z"));
    let answer = lab.check(Word::Failed, "check `flip`");
    assert!(answer.found.iter().all(|found| found.code != "EV112"));
    let groups = &answer.states[0].links[0].environments;
    let passed: Vec<_> = groups.iter().map(|runs| (runs.run_id.len(), runs.passed)).collect();
    assert_eq!(passed, [(23, Some(true)), (23, Some(false))]);
}

#[test]
fn a_newer_pass_is_flaky_after_a_fail_on_the_same_inputs() {
    let mut lab = Lab::measured();
    lab.record(Measured { at: "2026-11-27T10:00:00Z", ..Measured::default() });
    lab.record(failing("2026-11-28T10:00:00Z"));
    lab.record(Measured::default());
    let answer = lab.check(Word::Verified, "");
    assert_eq!(answer.states[0].links[0].flaky, Some((1, 3)));
    answer.has("EV113", "evidence/T1", "T1 is flaky: 1 of 3 runs on the same inputs failed");
    // A run of changed steps is no repetition of the others.
    lab.blocks[1].1 = "sh flip.sh --careful\n";
    lab.record(Measured { at: "2026-11-30T10:00:00Z", ..Measured::default() });
    assert_eq!(lab.check(Word::Verified, "").states[0].links[0].flaky, None);
}

#[test]
fn an_attempt_that_broke_off_overturns_nothing() {
    let lab = Lab::measured();
    lab.record(Measured::default());
    lab.break_off("2026-11-30T10:00:00Z");
    let answer = lab.check(Word::Verified, "");
    let last = answer.states[0].links[0].unfinished.as_ref().expect("the last attempt");
    assert_eq!(last.date.to_string(), "2026-11-30");
    assert!(last.run_id.starts_with("20261130T100000Z-"), "{last:?}");
    assert_eq!(last.why.as_deref(), Some("timeout after 900 s"));
    answer.codes(&[]);
}

#[test]
fn runs_outside_of_holds_are_contrast() {
    let entry = "{grade: measured, evidence: [T1#flip], expect: [\"flip.lost == 0\"], holds: {envoy: \"<1.39\"}}";
    let lab = Lab::new(entry);
    lab.record(Measured::default());
    let other = Measured { environment: &[("envoy", "1.40.0")], ..failing("2026-11-30T10:00:00Z") };
    lab.record(other);
    let answer = lab.check(Word::Verified, "");
    let outside = |answer: &super::Answer| -> Vec<(String, Option<bool>)> {
        let runs = answer.states[0].links[0].environments.iter().filter(|runs| !runs.counts);
        runs.map(|runs| (runs.environment["envoy"].clone(), runs.passed)).collect()
    };
    assert_eq!(outside(&answer), [("1.40.0".to_owned(), Some(false))]);
    assert_eq!(answer.states[0].runs(), 1);
    lab.record(Measured {
        at: "2026-12-01T10:00:00Z",
        environment: &[("envoy", "1.41.0")],
        ..Measured::default()
    });
    let answer = lab.check(Word::Verified, "");
    assert_eq!(outside(&answer)[1], ("1.41.0".to_owned(), Some(true)));
    // Nothing but contrast is no evidence.
    let lab = Lab::new(entry);
    lab.record(Measured { environment: &[("envoy", "1.40.0")], ..Measured::default() });
    lab.check(Word::Pending, "is in the environment for which it is claimed (envoy <1.39)");
    let lab = Lab::new(entry);
    lab.record(Measured { environment: &[("os", "linux")], ..Measured::default() });
    lab.check(Word::Pending, "");
}

#[test]
fn the_control_must_hold_too() {
    let lab = Lab::new(
        "{grade: measured, evidence: [T1#flip], expect: [ok(flip)], control: \"flip.lost > 0\"}",
    );
    lab.record(Measured::default());
    lab.check(Word::Failed, "control `flip.lost > 0` does not hold: flip.lost is 0");
}

#[test]
fn logical_claims_stand_and_fall_with_their_premises() {
    let mut lab = Lab::measured();
    lab.statements.push(("C15", "따라서 괜찮다"));
    lab.statements.push(("C16", "그래서 쓴다"));
    lab.claims_yaml.push_str(
        "C15: {grade: logical, evidence: [C14]}\nC16: {grade: logical, evidence: [C15]}\n",
    );
    lab.record(Measured::default());
    let words = |lab: &Lab| lab.ask().states.iter().map(|state| state.word).collect::<Vec<_>>();
    assert_eq!(words(&lab), [Word::Verified, Word::Derived, Word::Derived]);
    lab.blocks[1].1 = "sh flip.sh -x\n";
    let answer = lab.ask();
    assert_eq!(words(&lab), [Word::Stale, Word::Stale, Word::Stale]);
    assert_eq!(answer.states[2].sentences(), ["it rests on C15 ← C14, which is stale"]);
    answer.has("EV012", "content/guide.md:7", "claim C15 (logical) rests on C14, which is stale");
    answer.has(
        "EV012",
        "content/guide.md:9",
        "claim C16 (logical) rests on C15 ← C14, which is stale",
    );
}

#[test]
fn a_release_raises_findings_to_errors() {
    use crate::diag::Severity;
    let mut lab = Lab::measured();
    lab.break_off("2026-11-28T10:00:00Z");
    assert_eq!(lab.ask().found[0].severity, Severity::Warning);
    lab.release = true;
    assert_eq!(lab.ask().found[0].severity, Severity::Error);
    let mut policy = Policy { release: true, ..Policy::default() };
    policy.in_release.insert(Word::Pending, Severity::Warning);
    assert_eq!(policy.weight(Word::Pending), Severity::Warning);
    assert_eq!(policy.weight(Word::Stale), Severity::Error);
    policy.release = false;
    policy.default = Severity::Note;
    assert_eq!(policy.weight(Word::Stale), Severity::Note);
}

#[test]
fn a_skipped_block_measured_nothing() {
    let lab = Lab::new("{grade: measured, evidence: [T1#flip], expect: [ok(flip)]}");
    lab.record(Measured { flip: CheckOutcome::Skip, ..Measured::default() });
    lab.check(Word::Pending, "no finished run of T1 has block flip");
}

#[test]
fn a_condition_is_looked_up_in_the_bundle_that_has_its_value() {
    let entry = "{grade: measured, evidence: [T1#flip, T92], expect: [\"flip.lost == 0\", \"count.lost == 0\", \"T1#flip.lost == count.lost\"]}";
    let lab = Lab::new(entry);
    lab.record(Measured::default());
    let environment = lab.environment.clone();
    let lab = Lab { environment: Environment::new(), ..lab };
    super::bundles::foreign(&lab, "labdoc-check: kept pass exit=0\n", "pass", 0);
    let answer = lab.check(Word::Verified, "");
    assert_eq!(answer.states[0].runs(), 2);
    // The foreign run measured nothing of its environment, so it cannot be the page's.
    let lab = Lab { environment, ..lab };
    lab.check(Word::Stale, "the run did not measure envoy");
    lab.record(Measured { lost: "2", at: "2026-11-30T10:00:00Z", ..Measured::default() });
    let answer = lab.check(Word::Failed, "expect `flip.lost == 0` does not hold: flip.lost is 2");
    let sentences = answer.states[0].sentences().join(" | ");
    assert!(sentences.contains("T1#flip.lost is 2, count.lost is 0"), "{sentences}");
}
