//! What programs read: one JSON object a line, the summary last.

use serde_json::Value;
use snapbox::str;

use crate::support::{Ended, World};

/// The lines of standard output as objects.
fn objects(ended: &Ended) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    ended.stdout.lines().map(parse).collect()
}

/// The findings have the documented keys; the last line is the summary.
fn check(ended: &Ended) -> (Vec<Value>, Value) {
    let mut all = objects(ended);
    let last = all.pop().expect("a summary");
    let summary = last.get("summary").unwrap_or_else(|| panic!("no summary: {last}")).clone();
    for finding in &all {
        let keys: Vec<&str> =
            finding.as_object().expect("object").keys().map(String::as_str).collect();
        let documented = ["level", "code", "message", "file", "line", "column", "notes", "hint"];
        assert_eq!(keys, documented, "{finding}");
        let level = finding["level"].as_str().expect("level");
        assert!(["error", "warning", "note"].contains(&level), "{finding}");
        assert!(!finding["code"].as_str().expect("code").is_empty());
        assert!(finding["notes"].is_array());
    }
    (all, summary)
}

const DRIFT: &str = "# 제목\n\n한글 [9]{=a.n} 값\n\n```sh {#a}\necho n 2; false | cat\n```\n\n```output {for=a}\nn 3\n```\n";

/// A page with a capture, a stale live number and a drift.
fn drifting() -> World {
    World::page(&format!("---\nverify: {{capture: {{a.n: 'n (\\d+)'}}}}\n---\n\n{DRIFT}"))
}

#[test]
fn verify_prints_objects() {
    let ended = drifting().labdoc("verify --json").any_stdout().code(1);
    let (findings, summary) = check(&ended);
    let short: Vec<String> = findings
        .iter()
        .map(|f| {
            format!("{} {} {}:{}:{}", f["level"], f["code"], f["file"], f["line"], f["column"])
        })
        .collect();
    let expect = str![[r#"
"error" "VR006" "content/a.md":7:5
"note" "VR010" "content/a.md":10:1
"error" "VR001" "content/a.md":14:1
{"outcome":"findings","pages":1,"passed":0,"drifted":1,"failed":0,"skipped":0,"refreshed":0}

"#]];
    snapbox::assert_data_eq!(short.join("\n") + "\n" + &summary.to_string() + "\n", expect);
}

#[test]
fn build_and_check_print_the_same_objects() {
    let world = World::page("[x](missing.md) and [y](#nowhere)\n");
    let (built, summary) = check(&world.labdoc("build --json").any_stdout().code(1));
    let (checked, _) = check(&world.labdoc("check --json").any_stdout().code(1));
    assert_eq!(built, checked);
    assert_eq!(built.len(), 2, "{built:?}");
    assert_eq!(summary["errors"], 2);
}

#[test]
fn a_clean_build_prints_a_summary_only() {
    let ended = World::page("# T\n").labdoc("build --json").any_stdout().success();
    let (findings, summary) = check(&ended);
    assert_eq!(findings, [] as [Value; 0]);
    assert_eq!(summary["outcome"], "clean");
}

#[test]
fn what_could_not_be_done_is_an_object_too() {
    let ended = World::new().labdoc("verify nope.md --json").any_stdout().code(2);
    let (findings, summary) = check(&ended);
    assert_eq!(findings[0]["code"], "LD001");
    assert_eq!(summary["outcome"], "could not run");
}

#[test]
fn a_dry_run_prints_objects_too() {
    let ended = drifting().labdoc("verify --dry-run --json").any_stdout().success();
    let all = objects(&ended);
    let expect = str![[r#"
{"plan":{"page":"content/a.md","block":"a","role":"run","skip":null,"line":10,"exit":0,"timeout_ms":60000,"compared":true,"vary":[]}}
{"summary":{"outcome":"clean","pages":1}}

"#]];
    let lines: Vec<String> = all.iter().map(Value::to_string).collect();
    snapbox::assert_data_eq!(lines.join("\n") + "\n", expect);
}

#[test]
fn quiet_prints_findings_only() {
    let world = drifting();
    let ended = world.labdoc("verify --quiet").any_output().code(1);
    assert_eq!(ended.stdout, "");
    assert!(
        ended.stderr.contains("error[VR001]") && !ended.stderr.contains("note["),
        "{}",
        ended.stderr
    );
}

#[test]
fn nothing_is_coloured_without_a_terminal() {
    let ended =
        drifting().labdoc("verify").env("NO_COLOR", "").env("TERM", "xterm").any_output().code(1);
    assert!(!ended.stderr.contains('\x1b') && !ended.stdout.contains('\x1b'));
}

#[test]
fn a_reader_who_has_seen_enough_is_no_fault() {
    let world = World::page(&"[a](nope.md)\n\n".repeat(3000));
    let labdoc = env!("CARGO_BIN_EXE_labdoc");
    let line = format!("{labdoc} check 2>&1 | head -n 1; echo ${{PIPESTATUS[0]}}");
    let ended = world.bash(&line).any_output().success();
    assert!(ended.stdout.ends_with("\n1\n"), "{}", ended.stdout);
}
