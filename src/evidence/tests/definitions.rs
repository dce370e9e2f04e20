//! Findings about how claims are defined, each at its place.

use super::{Lab, Measured};
use crate::evidence::Word;

/// The usual claim, recorded, with another entry.
fn lab(entry: &str) -> Lab {
    let lab = Lab::new(entry);
    lab.record(Measured::default());
    lab
}

fn check(lab: &Lab, code: &str, place: &str, part: &str) {
    lab.ask().has(code, place, part);
}

#[test]
fn ids_are_used_once_and_described_once() {
    let mut lab = Lab::measured();
    lab.statements.push(("C14", "다시"));
    check(
        &lab,
        "EV001",
        "content/guide.md:7",
        "claim id C14 is used twice: content/guide.md:5 and content/guide.md:7",
    );
    let mut lab = Lab::measured();
    lab.statements.push(("C15", "새 주장"));
    check(
        &lab,
        "EV020",
        "content/guide.md:7",
        "states C15, but content/claims.yaml does not describe it",
    );
    let mut lab = Lab::measured();
    lab.claims_yaml.push_str("C7: {grade: logical, evidence: [C14]}\n");
    check(
        &lab,
        "EV020",
        "content/claims.yaml:2",
        "content/claims.yaml:2 describes C7, but no page has the span `[…]{#C7}`",
    );
}

#[test]
fn references_name_what_is_missing() {
    let mut lab = Lab::measured();
    lab.cites = vec!["C14", "C99", "T9", "R3"];
    let answer = lab.ask();
    answer.has(
        "EV003",
        "content/guide.md:16",
        "refers to claim C99, which does not exist (claims: C14)",
    );
    answer.has("EV006", "content/guide.md:16", "names bundle T9, but evidence/T9/ does not exist");
    answer.has(
        "EV006",
        "content/guide.md:16",
        "names report R3, but R3 in evidence/reports.yaml does not exist",
    );
    let lab = self::lab("{grade: logical, evidence: [C15]}");
    check(&lab, "EV003", "content/claims.yaml:1", "refers to claim C15, which does not exist");
    let lab = self::lab("{grade: measured, evidence: [T2], expect: [ok(flip)]}");
    check(&lab, "EV006", "content/claims.yaml:1", "(did you mean T1?)");
    let lab = self::lab("{grade: measured, evidence: [T1#flop], expect: [ok(flip)]}");
    check(
        &lab,
        "EV006",
        "content/claims.yaml:1",
        "names block `flop` of T1, which has no such block (did you mean flip?)",
    );
    let mut lab = Lab::measured();
    lab.bundle = Some("T7");
    check(&lab, "EV006", "content/guide.md:1", "the header of content/guide.md names bundle T7");
}

#[test]
fn a_claim_can_fail_and_names_what_is_captured() {
    let no_expect = lab("{grade: measured, evidence: [T1]}");
    check(
        &no_expect,
        "EV018",
        "content/claims.yaml:1",
        "claim C14 is measured but has no `expect`",
    );
    no_expect.check(Word::Unsupported, "a claim that cannot fail proves nothing");
    let typo = lab("{grade: measured, evidence: [T1], expect: [\"flip.lots == 0\"]}");
    check(
        &typo,
        "EV021",
        "content/claims.yaml:1",
        "`expect` names flip.lots, which no page captures of T1 (did you mean flip.lost?)",
    );
    let block = lab("{grade: measured, evidence: [T1], expect: [ok(flop)]}");
    check(
        &block,
        "EV021",
        "content/claims.yaml:1",
        "names flop, which is no block of T1 (did you mean flip?)",
    );
    let other = lab("{grade: measured, evidence: [T1], expect: [\"T2#flip.lost == 0\"]}");
    check(&other, "EV021", "content/claims.yaml:1", "T2 is not in the evidence of claim C14");
    let only_report = lab("{grade: measured, evidence: [R2], expect: [\"flip.lost == 0\"]}");
    check(
        &only_report,
        "EV009",
        "content/claims.yaml:1",
        "is graded measured but is backed only by report R2",
    );
}

#[test]
fn an_entry_that_cannot_be_read_is_never_verified() {
    let lab =
        lab("{grade: measured, evidence: [T1], expect: [\"flip.lost == 0\", \"flip.lost = 1\"]}");
    lab.check(Word::Invalid, "the entry of C14 in claims.yaml cannot be read in full");
}

#[test]
fn numbers_come_from_runs() {
    let mut lab = Lab::measured();
    lab.statements[0].1 = "연결 {35}개 중 {=flip.lost}개가 끊긴다";
    lab.record(Measured::default());
    let answer = lab.check(Word::Verified, "");
    answer.codes(&["EV019"]);
    answer.has(
        "EV019",
        "content/guide.md:5",
        "claim C14 shows the number 35 that no captured value backs; write `[35]{=flip.lost}`",
    );
    lab.statements[0].1 = "{=flip.other}개";
    check(
        &lab,
        "EV019",
        "content/guide.md:5",
        "shows the number flip.other, which its `expect` does not name",
    );
}

#[test]
fn circles_are_said_once() {
    let mut lab = Lab::new("{grade: logical, evidence: [C15]}");
    lab.statements.push(("C15", "둘째"));
    lab.claims_yaml.push_str("C15: {grade: logical, evidence: [C14]}\n");
    let answer = lab.ask();
    let circles = answer.found.iter().filter(|found| found.code == "EV011").count();
    assert_eq!(circles, 1);
    answer.has(
        "EV011",
        "content/claims.yaml:1",
        "claim C14 (logical) depends on itself: C14 → C15 → C14",
    );
    assert!(answer.states.iter().all(|state| !state.word.stands()));
}

#[test]
fn reports_and_sources_are_there_and_intact() {
    let mut lab = Lab::new("{grade: reported, evidence: [R2]}");
    let folder = lab.dir.path().join("evidence");
    let write = |name: &str, text: &str| {
        crate::disk::write(&folder.join(name), text.as_bytes()).expect("writes");
    };
    let digest = crate::digest::sha256_hex(b"report\n");
    write("reports/churn.md", "report\n");
    write(
        "reports.yaml",
        &format!(
            "R2: {{file: reports/churn.md, sha256: {digest}, title: t, date: \"2026-10-01\"}}\n"
        ),
    );
    write(
        "sources.yaml",
        "S4: {url: \"https://example.org\", accessed: \"2025-01-10\", product_version: \"1.38\", locator: p, quote: q}\n",
    );
    lab.check(Word::Reported, "").codes(&["EV006"]);
    lab.bundle = None;
    lab.check(Word::Reported, "").codes(&[]);
    write("reports/churn.md", "Report\n");
    let answer = lab.check(Word::Absent, "the file of report R2 is not the one that is stated");
    answer.has("EV116", "evidence/reports/churn.md", "report R2: the file has sha256");
    lab.claims_yaml = "C14: {grade: official, evidence: [S4]}\n".into();
    lab.check(Word::Sourced, "");
    lab.as_of = Some("2026-11-29");
    let answer = lab.check(Word::Stale, "source S4 was read on 2025-01-10");
    answer.has(
        "EV207",
        "content/guide.md:5",
        "claim C14 is stale: source S4 was read on 2025-01-10",
    );
}
