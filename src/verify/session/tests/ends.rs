//! Blocks that cannot be read, and blocks that end the shell.

use super::{End, World, text};
use std::time::Duration;

/// Runs a block that bash cannot read.
#[track_caller]
fn check_fault(world: &mut World, block: &str, line: usize, message: &str) {
    let outcome = world.run(block);
    let End::SyntaxError { message: told, line: at } = &outcome.end else {
        panic!("{block}: {outcome:?}");
    };
    assert_eq!((*at, told.contains(message)), (line, true), "{block}: {told}");
    assert!(outcome.output.bytes.is_empty());
    assert_eq!(outcome.duration, Duration::ZERO);
}

#[test]
fn an_unreadable_block_is_told_and_nothing_of_it_runs() {
    let mut world = World::new();
    check_fault(
        &mut world,
        "touch ran\necho \"abc",
        2,
        "unexpected EOF while looking for matching `\"'",
    );
    check_fault(&mut world, "touch ran\ncat <<EOF\nx", 2, "here-document at line 2");
    check_fault(&mut world, "cat <<EOF\nx\nEOF > out", 1, "here-document at line 1");
    check_fault(
        &mut world,
        "touch ran\nif true; done",
        2,
        "syntax error near unexpected token `done'",
    );
    check_fault(&mut world, "f()", 1, "syntax error");
    check_fault(&mut world, "}; touch ran; {", 1, "syntax error");
    check_fault(&mut world, "touch ran); (:", 1, "syntax error");
    world.check("ls; echo after", 0, "after\n");
    world.check("set -e", 0, "");
    check_fault(&mut world, "for", 1, "syntax error");
    world.check("set -xv +e", 0, "");
    check_fault(&mut world, "echo \"", 1, "matching");
    assert_eq!(world.run("set +xv").end, End::Exited(0));
}

#[test]
fn patterns_count_in_the_syntax_check() {
    let mut world = World::new();
    check_fault(&mut world, "echo !(x)", 1, "syntax error");
    world.check("touch x y", 0, "");
    world.check("shopt -s extglob\necho !(x)", 0, "y\n");
    world.check("echo !(y)", 0, "x\n");
}

/// Runs a block that ends the shell, then one that finds the state of the block before.
#[track_caller]
fn check_end(block: &str, status: i32, expect: &str) {
    let mut world = World::new();
    world.check("mkdir sub; cd sub; v='1\n2'; f(){ echo \"f $v\"; }; declare -A m=([a]=b)", 0, "");
    world.check(
        "alias ll='echo ll'; shopt -s extglob; set -- 'a b' c; umask 077; readonly r=1",
        0,
        "",
    );
    world.check("export e=2; export -f f; trap 'echo usr' USR1; set -o noglob", 0, "");
    let outcome = world.run(block);
    assert_eq!(
        (&outcome.end, text(&outcome).as_str()),
        (&End::ShellEnded(status), expect),
        "{block}"
    );
    assert!(!outcome.rebuilt);
    let after = world.run(
        "f; ll; echo ${m[a]} \"$1\" $# $r $(umask) $-; basename \"$PWD\"; bash -c 'f; echo $e'; kill -USR1 $$",
    );
    assert_eq!(text(&after), "f 1\n2\nll\nb a b 2 1 0077 fhB\nsub\nf \n2\nusr\n");
    assert!(after.rebuilt);
    assert!(!world.run("true").rebuilt);
}

#[test]
fn a_block_that_ends_the_shell_has_its_own_end() {
    check_end("echo a; v=9; exit 3; echo b", 3, "a\n");
    check_end("g(){ exit 4; }; g", 4, "");
    check_end("exec sh -c 'echo hi'", 0, "hi\n");
    check_end("exec true", 0, "");
    check_end("set -e; false; echo never", 1, "");
    check_end("set -u; echo \"$nope\"", 1, "bash: line 1: nope: unbound variable\n");
    check_end("kill -9 $$", 137, "");
    check_end("echo a; set -n; echo b", 0, "a\n");
    check_end("trap 'echo bye' EXIT; exit 5", 5, "bye\n");
}

#[test]
fn a_harmless_failure_after_errexit_is_told_and_the_rest_runs() {
    let mut world = World::new();
    world.check("set -euo pipefail; v=1", 0, "");
    assert_eq!(world.run("grep nope /etc/hostname; echo \"rc kept\"").end, End::ShellEnded(1));
    world.check("echo after $v; false; echo ${nope}on", 0, "after 1\non\n");
}

#[test]
fn plain_words_that_break_off_are_told_and_the_shell_lives_on() {
    let fault = "bash: line 1: 1/0: division by 0 (error token is \"0\")\n";
    for (define, plain) in [
        ("x='a[1/0]'", "test -v $x"),
        ("declare -n r='a[1/0]'", "echo $r"),
        ("declare -n r='a[1/0]'; n=r", "echo a $r"),
    ] {
        let mut world = World::new();
        world.check("sleep 100 & true", 0, "");
        world.check(define, 0, "");
        world.check(plain, 1, fault);
        let after = world.run("jobs %1 | grep -c sleep");
        assert_eq!((text(&after).as_str(), after.rebuilt), ("1\n", false), "{plain}");
    }
}

#[test]
fn an_exit_trap_runs_at_the_end_and_is_shown() {
    let mut world = World::new();
    world.check("trap 'echo bye; touch gone' EXIT", 0, "");
    let path = world.path();
    let ended = world.session.finish().unwrap();
    assert_eq!(ended.trap_output.bytes, b"bye\n");
    assert!(path.join("gone").exists());
}

#[test]
fn a_missing_bash_and_a_missing_folder_are_told() {
    let options = |path: &str, cwd: &str| super::SessionOptions {
        cwd: cwd.into(),
        scratch: "".into(),
        env: [("PATH".into(), path.into())].into(),
        output_limit: 1000,
        redactor: crate::verify::redact::Redactor::default(),
    };
    let told = |options| super::Session::start(options).map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        told(options("/nonexistent", "/")),
        "no bash on the PATH: install bash 4.0 or newer"
    );
    assert!(told(options("/bin", "/nonexistent")).starts_with("the folder to run in"));
    assert!(super::super::is_too_old("3.2.57(1)-release"));
    assert!(!super::super::is_too_old("4.0.1") && !super::super::is_too_old("5.2.15(1)-release"));
}
