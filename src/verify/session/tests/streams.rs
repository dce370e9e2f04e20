//! What goes in and what comes out, byte for byte.

use super::{World, wait_until};
use sha2::{Digest, Sha256};

#[test]
fn text_is_passed_byte_for_byte() {
    let mut world = World::new();
    let block = "for i in a b; do\n  printf '%s\\n' \"$i\"\ndone\ncat >f.yaml <<'EOF'\na:\n  b: 1\nEOF\ncat f.yaml";
    world.check(block, 0, "a\nb\na:\n  b: 1\n");
    world.check("printf '%s\\n' \"a\tb\"", 0, "a\tb\n");
    world.check("x='\n  two\n  three  \n'; printf %s \"$x\"", 0, "\n  two\n  three  \n");
    world.check("printf '%s' 'a\r\nb' | od -An -c", 0, "   a  \\r  \\n   b\n");
    world.check("echo end \\", 0, "end\n");
    world.check("echo 'naïve ✓ 日本' # it's", 0, "naïve ✓ 日本\n");
    world.check("", 0, "");
    world.check("# only a word", 0, "");
}

#[test]
fn output_is_kept_byte_for_byte() {
    let mut world = World::new();
    world.check("printf abc", 0, "abc");
    world.check("echo x", 0, "x\n");
    assert_eq!(world.run(r"printf '\377\0a\r\n'").output.bytes, b"\xff\0a\r\n");
}

#[test]
fn standard_input_is_empty() {
    let mut world = World::new();
    world.check("cat", 0, "");
    world.check("read x; echo $?; readlink /proc/self/fd/0", 0, "1\n/dev/null\n");
}

#[test]
fn both_streams_keep_their_order() {
    let mut world = World::new();
    for _ in 0..50 {
        let block = "for i in 1 2 3; do echo o$i; echo e$i >&2; done";
        world.check(block, 0, "o1\ne1\no2\ne2\no3\ne3\n");
    }
    let apart = world.run_apart("for i in 1 2; do echo o$i; echo e$i >&2; done");
    assert_eq!(apart.output.bytes, b"o1\no2\n");
    assert_eq!(apart.stderr.unwrap().bytes, b"e1\ne2\n");
}

#[test]
fn much_output_is_bounded_and_digested() {
    let mut world = World::with_limit(64 * 1024);
    let outcome = world.run("seq 1 400000; seq 1 400000 >&2");
    let whole: String = (1..=400_000).map(|n| format!("{n}\n")).collect::<String>().repeat(2);
    let digest = Sha256::digest(whole.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(outcome.output.total, whole.len() as u64);
    assert_eq!(outcome.output.sha256, digest);
    assert!(outcome.output.truncated);
    assert!(outcome.output.bytes.len() < 65 * 1024);
    let shown = super::text(&outcome);
    assert!(shown.starts_with("1\n2\n") && shown.ends_with("399999\n400000\n"));
    assert!(shown.contains(&format!(" bytes cut, sha256 of the whole: {digest}⟩\n")));
}

#[test]
fn late_output_stays_with_its_run() {
    let mut world = World::new();
    world.check("mkfifo go; { read x <go; echo late; } & echo now", 0, "now\n");
    world.check("echo two", 0, "two\n");
    world.check("echo >go; wait", 0, "");
    assert_eq!(world.session.late_output(0).unwrap()[0].bytes, b"late\n");
    assert!(world.session.late_output(1).unwrap().is_empty());
    assert_eq!(world.run("yes &").end, super::End::Exited(0));
    let mut seen = 0;
    wait_until("late output of yes", || {
        seen += world.session.late_output(3).unwrap().len();
        seen > 1
    });
    let ended = world.session.finish().unwrap();
    assert_eq!(ended.survivors, ["yes"]);
}

#[test]
fn a_nul_byte_is_refused() {
    let mut world = World::new();
    let request = super::Request {
        text: "echo a\nprintf '\0'",
        timeout: std::time::Duration::from_secs(1),
        streams: super::Streams::Joined,
        interrupt: None,
    };
    let error = world.session.run(&request).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2 of the block holds a NUL byte: write it as an escape, \\0"
    );
}
