//! Runs that cannot be believed: every edit after the run is found, and named with its place.

use std::path::Path;

use super::{Lab, Measured};
use crate::disk;
use crate::evidence::{CheckOutcome, Outcome, Recording, Word, load_bundles, next_bundle_id};

/// A recorded run, edited on disk.
fn edited(edit: impl Fn(&Path)) -> Lab {
    let lab = Lab::measured();
    edit(&lab.record(Measured::default()));
    lab
}

/// A run whose recording was changed before it was written.
fn changed(change: impl Fn(&mut Recording)) -> Lab {
    let lab = Lab::measured();
    let mut recording = lab.recording(&Measured::default());
    change(&mut recording);
    lab.write(&recording);
    lab
}

/// Replaces a part of a file's text.
fn replace(folder: &Path, name: &str, from: &str, to: &str) {
    let path = folder.join(name);
    let text = disk::read_text(&path).expect("text");
    assert!(text.contains(from), "{from:?} is not in {text}");
    disk::write(&path, text.replacen(from, to, 1).as_bytes()).expect("writes");
}

fn check(lab: &Lab, code: &str, place: &str, part: &str) {
    lab.check(Word::Invalid, "").has(code, place, part);
}

#[test]
fn a_written_run_is_read_back_whole() {
    let lab = Lab::measured();
    let folder = lab.record(Measured::default());
    let bundles = load_bundles(lab.dir.path()).expect("readable");
    let bundle = &bundles["T1"];
    assert!(bundle.faults.is_empty(), "{:#?}", bundle.faults);
    let run = &bundle.runs[0];
    assert!(folder.ends_with(&run.folder), "{folder:?} {}", run.folder);
    assert_eq!(run.manifest, lab.recording(&Measured::default()).manifest);
    assert_eq!(
        run.verdict.outputs.keys().collect::<Vec<_>>(),
        ["files/reports/a.md", "result.txt"]
    );
    assert_eq!(run.transcript.parts[1].output, "lost 0\n");
    assert_eq!(disk::list(folder.parent().expect("bundle")).expect("list").len(), 1);
    assert_eq!(next_bundle_id(lab.dir.path()).expect("free"), "T2");
}

#[test]
fn a_run_is_never_written_over() {
    let lab = Lab::measured();
    let recording = lab.recording(&Measured::default());
    lab.write(&recording);
    let bundle = lab.dir.path().join("evidence/T1");
    let failure = crate::evidence::write_run(&bundle, &recording).expect_err("is there");
    assert!(failure.message.contains("is there already"), "{failure}");
    let mut unsafe_path = recording;
    unsafe_path.verdict.run_id = "20261130T000000Z-000000".into();
    unsafe_path.files.insert("../x".into(), Vec::new());
    assert!(crate::evidence::write_run(&bundle, &unsafe_path).is_err());
    assert_eq!(disk::list(&bundle).expect("list").len(), 1, "nothing is left behind");
}

#[test]
fn files_are_there_and_not_empty() {
    let result = edited(|run| disk::remove_file(&run.join("result.txt")).expect("removes"));
    check(&result, "EV101", "evidence/T1/RUN/result.txt", "bundle T1: result.txt is missing");
    let empty = edited(|run| disk::write(&run.join("result.txt"), b"").expect("writes"));
    check(&empty, "EV101", "evidence/T1/RUN/result.txt", "result.txt is empty (0 bytes)");
    let script = edited(|run| disk::remove_file(&run.join("run.sh")).expect("removes"));
    check(&script, "EV101", "evidence/T1/RUN/run.sh", "run.sh is missing");
    let file = edited(|run| disk::remove_file(&run.join("files/reports/a.md")).expect("removes"));
    check(&file, "EV101", "evidence/T1/RUN/files/reports/a.md", "files/reports/a.md is missing");
}

#[test]
fn one_byte_of_a_file_is_found() {
    let result = edited(|run| replace(run, "result.txt", "lost 0", "lost 1"));
    check(
        &result,
        "EV103",
        "evidence/T1/RUN/result.txt",
        "result.txt is not the file the verdict describes",
    );
    let file = edited(|run| replace(run, "files/reports/a.md", "# a", "# b"));
    check(&file, "EV103", "evidence/T1/RUN/files/reports/a.md", "it was edited after the run");
    let added = edited(|run| disk::write(&run.join("files/b.md"), b"b").expect("writes"));
    check(&added, "EV103", "evidence/T1/RUN/files/b.md", "it was added after the run");
    let script = edited(|run| replace(run, "run.sh", "exit 0", "exit 1"));
    check(
        &script,
        "EV103",
        "evidence/T1/RUN/run.sh",
        "run.sh is not the file the verdict describes",
    );
    let plan = edited(|run| replace(run, "manifest.yaml", "sh flip.sh", "sh flop.sh"));
    check(&plan, "EV103", "evidence/T1/RUN/manifest.yaml", "manifest.yaml is not the file");
}

#[test]
fn every_edit_of_the_verdict_is_found() {
    let value = edited(|run| replace(run, "verdict.json", "\"value\":\"0\"", "\"value\":\"1\""));
    check(
        &value,
        "EV115",
        "evidence/T1/RUN/verdict.json",
        "T1: verdict.json was edited after the run",
    );
    let date = edited(|run| {
        replace(
            run,
            "verdict.json",
            "2026-11-29T10:15:00Z\",\"inputs",
            "2026-11-30T10:15:00Z\",\"inputs",
        )
    });
    check(&date, "EV115", "evidence/T1/RUN/verdict.json", "edited");
    let digest = edited(|run| {
        replace(run, "verdict.json", ",\"digest\":\"sha256:", ",\"digest\":\"sha256:0")
    });
    check(&digest, "EV115", "evidence/T1/RUN/verdict.json", "edited");
    let removed = edited(|run| {
        let text = disk::read_text(&run.join("verdict.json")).expect("text");
        let at = text.find(",\"digest\"").expect("digest");
        disk::write(&run.join("verdict.json"), format!("{}}}\n", &text[..at]).as_bytes())
            .expect("writes");
    });
    check(&removed, "EV115", "evidence/T1/RUN/verdict.json", "edited");
    let broken = edited(|run| replace(run, "verdict.json", "\"outcome\"", "\"outcame\""));
    check(&broken, "EV118", "evidence/T1/RUN/verdict.json:1", "outcame");
}

#[test]
fn a_part_is_not_the_whole() {
    // Written with a right digest, as a runner would that left a check out.
    let verdict = changed(|recording| {
        recording.verdict.checks.remove(1);
    });
    check(
        &verdict,
        "EV107",
        "evidence/T1/RUN/verdict.json",
        "planned check `flip` is not in the verdict (3 planned, 2 reported)",
    );
    let result = changed(|recording| {
        let text = String::from_utf8(recording.result_txt.clone()).expect("text");
        let kept = text.lines().filter(|line| !line.starts_with("labdoc-check: clean"));
        recording.result_txt =
            kept.map(|line| format!("{line}\n")).collect::<String>().into_bytes();
    });
    check(
        &result,
        "EV107",
        "evidence/T1/RUN/result.txt",
        "planned check `clean` is not in result.txt (3 planned, 2 reported)",
    );
    let none = changed(|recording| recording.manifest.checks.clear());
    check(&none, "EV114", "evidence/T1/RUN/manifest.yaml", "T1 has no checks");
    // An attempt that broke off reports what it has.
    let lab = Lab::measured();
    let mut recording = lab.recording(&Measured::default());
    recording.verdict.outcome = Outcome::Error;
    recording.verdict.exit_code = None;
    recording.verdict.checks.truncate(1);
    lab.write(&recording);
    lab.check(Word::Pending, "did not finish");
}

#[test]
fn three_sources_agree() {
    let code = changed(|recording| recording.verdict.exit_code = Some(1));
    check(
        &code,
        "EV106",
        "evidence/T1/RUN/verdict.json",
        "T1: verdict says pass, but exit code is 1; the record contradicts itself",
    );
    let line = changed(|recording| {
        let text = String::from_utf8(recording.result_txt.clone()).expect("text");
        recording.result_txt = text.replace("flip pass exit=0", "flip fail exit=1").into_bytes();
    });
    check(
        &line,
        "EV106",
        "evidence/T1/RUN/result.txt:6",
        "verdict says pass of check `flip`, but T1/",
    );
    let outcome = changed(|recording| recording.verdict.checks[1].outcome = CheckOutcome::Fail);
    check(
        &outcome,
        "EV106",
        "evidence/T1/RUN/verdict.json",
        "verdict says pass, but its check `flip` says fail",
    );
    let fail = changed(|recording| {
        recording.verdict.outcome = Outcome::Fail;
        recording.verdict.exit_code = Some(1);
    });
    check(
        &fail,
        "EV106",
        "evidence/T1/RUN/verdict.json",
        "verdict says fail (exit code 1), but no check says fail",
    );
}

#[test]
fn a_verdict_belongs_to_its_folder() {
    let other = changed(|recording| recording.verdict.bundle = "T6".into());
    check(&other, "EV108", "evidence/T1/RUN/verdict.json", "T1: verdict.json belongs to bundle T6");
    let moved = edited(|run| {
        disk::rename(run, &run.with_file_name("20200101T000000Z-000000")).expect("renames");
    });
    check(
        &moved,
        "EV108",
        "evidence/T1/RUN/verdict.json",
        "T1: verdict.json belongs to run 20261129T101500Z-",
    );
}

#[test]
fn versions_are_strings() {
    let lab = edited(|run| {
        let path = run.join("manifest.yaml");
        let text = disk::read_text(&path).expect("text") + "environment:\n  kubernetes: 1.30\n";
        disk::write(&path, text.as_bytes()).expect("writes");
    });
    let answer = lab.check(Word::Invalid, "");
    let found = answer.found.iter().find(|found| found.code == "EV102").expect("EV102");
    assert!(
        found.message.ends_with("`kubernetes: 1.30` is a number and reads as 1.3; write \"1.30\""),
        "{}",
        found.message
    );
}

#[test]
fn a_run_elsewhere_than_asked_is_said() {
    let lab = changed(|recording| {
        recording.manifest.environment.insert("kubernetes".into(), "1.30".into());
        recording.verdict.environment.insert("kubernetes".into(), "1.23.5".into());
    });
    let answer = lab.check(Word::Verified, "");
    answer.has(
        "EV109",
        "evidence/T1/RUN/verdict.json",
        "T1 ran on kubernetes 1.23.5, manifest asks for 1.30",
    );
}

/// A flat bundle that was recorded without labdoc.
pub(super) fn foreign(lab: &Lab, result: &str, outcome: &str, exit: i32) {
    let folder = lab.dir.path().join("evidence/T92");
    let write = |name: &str, text: &str| {
        disk::write(&folder.join(name), text.as_bytes()).expect("writes");
    };
    write(
        "manifest.yaml",
        "schema: labdoc.bundle/1\nid: T92\ntitle: t\nclaims: [C14]\nchecks: [kept]\n",
    );
    write("run.sh", "true\n");
    write("result.txt", result);
    let digest = |text: &str| crate::digest::sha256_tagged(text.as_bytes());
    let verdict = serde_json::json!({
        "schema": "labdoc.verdict/1", "bundle": "T92", "run_id": "by-hand", "outcome": outcome,
        "exit_code": exit, "started_at": "2026-11-29T10:00:00Z", "finished_at": "2026-11-29T10:00:00Z",
        "inputs": {"bundle": {"run.sh": digest("true\n")}},
        "outputs": {"result.txt": {"sha256": crate::digest::sha256_hex(result.as_bytes()), "bytes": result.len()}},
        "checks": [{"id": "kept", "outcome": outcome}],
        "values": {"count.lost": {"value": "0"}},
        "runner": {"name": "manual"},
    });
    write("verdict.json", &verdict.to_string());
}

#[test]
fn foreign_bundles_need_only_check_lines() {
    let lab = Lab {
        bundle: None,
        ..Lab::new("{grade: measured, evidence: [T92], expect: [ok(kept), \"count.lost == 0\"]}")
    };
    let lab = Lab { environment: super::environment(&[]), ..lab };
    foreign(&lab, "some text\nlabdoc-check: kept pass exit=0\n", "pass", 0);
    lab.check(Word::Verified, "").codes(&[]);
    disk::write(&lab.dir.path().join("evidence/T92/run.sh"), b"false\n").expect("writes");
    let answer = lab.check(Word::Stale, "run.sh of T92 changed since the run");
    answer.has("EV203", "content/guide.md:5", "claim C14 is stale: run.sh of T92 changed");
    foreign(&lab, "labdoc-check: kept fail exit=1\n", "fail", 1);
    lab.check(Word::Failed, "T92, run 2026-11-29, check `kept` (result.txt:1)");
    foreign(&lab, "labdoc-check: kept fail exit=1\n", "fail", 0);
    check(&lab, "EV106", "evidence/T92/verdict.json", "but exit code is 0");
}

#[test]
fn back_links_of_foreign_bundles_agree() {
    let lab = Lab { bundle: None, ..Lab::new("{grade: logical, evidence: [C15]}") };
    foreign(&lab, "labdoc-check: kept pass exit=0\n", "pass", 0);
    let place = "evidence/T92/manifest.yaml:4";
    lab.ask().has("EV007", place, "T92 says it backs C14, but C14 does not list T92 — add it to the claim or drop it from T92/manifest.yaml:4");
    replace(&lab.dir.path().join("evidence/T92"), "manifest.yaml", "C14", "C99");
    lab.ask().has("EV003", place, "T92/manifest.yaml:4 refers to claim C99, which does not exist");
}
