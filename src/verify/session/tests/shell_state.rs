//! What survives from block to block, and what a block may do to the shell.

use super::{World, text};
use std::os::unix::fs::MetadataExt as _;

#[test]
fn folder_variables_functions_and_options_survive() {
    let mut world = World::new();
    world.check("cd \"$(mktemp -d)\"; v=1; f(){ echo \"f $v\"; }; shopt -s extglob", 0, "");
    world.check("f; pwd | grep -c tmp", 0, "f 1\n1\n");
    world.check("alias hi='echo hello'\ndeclare -A m=([k]=v)\numask 027", 0, "");
    world.check(
        "hi; echo ${m[k]}; umask; case ab in @(ab|c)) echo ext;; esac",
        0,
        "hello\nv\n0027\next\n",
    );
}

#[test]
fn the_status_of_the_last_block_is_seen_by_the_next() {
    let mut world = World::new();
    world.check("(exit 7)", 7, "");
    world.check("echo $?", 0, "7\n");
    world.check("echo $?", 0, "0\n");
}

#[test]
fn messages_count_lines_from_one_in_every_block() {
    let mut world = World::new();
    world.check("no_such_cmd\necho x", 0, "bash: line 1: no_such_cmd: command not found\nx\n");
    for _ in 0..3 {
        world.check("echo $LINENO\nnosuch", 127, "1\nbash: line 2: nosuch: command not found\n");
    }
    let apart = world.run_apart("echo $LINENO\nnosuch");
    assert_eq!(apart.output.bytes, b"1\n");
    assert_eq!(apart.stderr.unwrap().bytes, b"bash: line 2: nosuch: command not found\n");
    world.check(
        "f(){ cd /nonexist\n}\nf",
        1,
        "bash: line 1: cd: /nonexist: No such file or directory\n",
    );
    world.check("echo \"$0 ${BASH_SOURCE[0]} $-\"", 0, "bash bash hB\n");
}

#[test]
fn statuses_of_a_pipeline_are_told() {
    let mut world = World::new();
    let outcome = world.run("false | cat");
    assert_eq!((outcome.end, outcome.pipestatus), (super::End::Exited(0), vec![1, 0]));
    world.check("false", 1, "");
    world.check("no_such_cmd", 127, "bash: line 1: no_such_cmd: command not found\n");
    assert_eq!(world.run("true | false | (exit 3) # end").pipestatus, [0, 1, 3]);
}

#[test]
fn a_block_runs_at_the_top_level() {
    let mut world = World::new();
    world.check("local x=1", 1, "bash: line 1: local: can only be used in a function\n");
    world.check(
        "return 3; echo on",
        0,
        "bash: line 1: return: can only `return' from a function or sourced script\non\n",
    );
    world.check(
        "break; echo on",
        0,
        "bash: line 1: break: only meaningful in a `for', `while', or `until' loop\non\n",
    );
    world.check(
        "x=$((1/0)); echo never",
        1,
        "bash: line 1: 1/0: division by 0 (error token is \"0\")\n",
    );
    world.check("echo on", 0, "on\n");
}

#[test]
fn nothing_of_labdoc_is_in_the_shell() {
    let mut world = World::new();
    world.check("true", 0, "");
    world.check("declare -p | grep -c labdoc; set | grep -c __labdoc; declare -F", 0, "0\n0\n");
    world.check("echo \"${OLDPWD-unset}\"; ls /proc/self/fd | tr '\\n' ' '", 0, "unset\n0 1 2 3 ");
}

#[test]
fn labdoc_lines_withstand_what_a_page_redefines() {
    let mut world = World::new();
    world.check("IFS=:x; set -f", 0, "");
    assert_eq!(world.run("false | true").pipestatus, [1, 0]);
    world.check("for c in echo printf eval cd unset declare set trap exit; do :; done", 0, "");
    world.check("printf(){ command echo fake; }; cd(){ :; }; eval(){ :; }; unset(){ :; }", 0, "");
    world.check("alias echo='echo aliased' declare=false set=false builtin=false", 0, "");
    world.check("echo on", 0, "aliased on\n");
    world.check("printf x", 0, "fake\n");
}

#[test]
fn traces_and_traps_print_only_for_the_block() {
    let mut world = World::new();
    world.check("set -x\necho a", 0, "++ echo a\na\n");
    world.check("echo b", 0, "++ echo b\nb\n");
    world.check("set +x", 0, "++ set +x\n");
    world.check("trap 'echo dbg' DEBUG", 0, "");
    world.check("echo c", 0, "dbg\nc\n");
    world.check("set -T", 0, "dbg\n");
    world.check("false | true", 0, "dbg\ndbg\n");
    world.check("trap - DEBUG; set +T; trap 'echo err' ERR", 0, "dbg\n");
    world.check("false", 1, "err\n");
    world.check("trap - ERR; set -v", 0, "");
    world.check("echo v # seen", 0, "echo v # seen\nv\n");
}

#[test]
fn options_and_descriptors_do_not_break_the_session() {
    let mut world = World::new();
    world.check("exec >&- 2>&-", 0, "");
    world.check("exec 3>f; echo three >&3; exec 9>g 10>h", 0, "");
    world.check("echo more >&3; echo nine >&9; cat f g", 0, "three\nmore\nnine\n");
    world.check("set -C; set -o posix; set -u; set -k", 0, "");
    world.check("echo on", 0, "on\n");
    world.check("set -e; false || true; cd / ; echo $-", 0, "ehkuBC\n");
    world.check("! true", 1, "");
    world.check("echo $?", 0, "1\n");
}

/// The value of a variable in a shell that was rebuilt after these blocks.
fn rebuilt(blocks: &[&str], name: &str) -> String {
    let mut world = World::new();
    for block in blocks {
        world.run(block);
    }
    world.run("exit 3");
    let outcome = world.run(&format!("builtin echo \"${name}\""));
    assert!(outcome.rebuilt, "{blocks:?}");
    text(&outcome)
}

#[test]
fn a_state_from_before_plain_words_still_holds() {
    let plain = ["x=1", "echo a", "true", "false", "no-such-command b", "/bin/echo c"];
    assert_eq!(rebuilt(&plain, "x"), "1\n");
    assert_eq!(rebuilt(&["set -- a 'b c'", "echo d"], "{#}-$2"), "2-b c\n");
    assert_eq!(rebuilt(&["true", "echo d"], "{#}-$1"), "0-\n");
}

#[test]
fn a_plain_word_that_stands_for_more_changes_the_state() {
    for define in [
        "echo() { x=2; }",
        "f() { x=2; }; alias echo=f",
        "alias echo='x=2 #'",
        "trap 'x=2' DEBUG",
        "set -k; trap 'x=2' DEBUG",
        "command_not_found_handle() { :; }; echo() { x=2; }",
    ] {
        assert_eq!(rebuilt(&["x=1", "echo a", define, "echo b"], "x"), "2\n", "{define}");
    }
    assert_eq!(rebuilt(&["trap 'x=2' ERR; x=1", "false"], "x"), "2\n");
    for (define, plain) in [
        ("y='a[x=2]'", "test -v $y"),
        ("y='-v a[x=2]'", "test $y"),
        ("declare -n y='a[x=2]'", "echo $y"),
        ("declare -nx y='a[x=2]'", "/bin/echo $y"),
    ] {
        assert_eq!(rebuilt(&["x=1", "echo a", define, plain], "x"), "2\n", "{define}");
    }
}

#[test]
fn a_number_at_random_is_another_one_in_a_shell_that_was_rebuilt() {
    for plain in ["echo $RANDOM", "test -v RANDOM"] {
        let before = rebuilt(&["RANDOM=5"], "RANDOM");
        assert_ne!(rebuilt(&["RANDOM=5", plain], "RANDOM"), before, "{plain}");
    }
}

/// Whether the state is told after a block of plain words that follows these.
fn is_told_after(blocks: &[&str]) -> bool {
    let mut world = World::new();
    for block in blocks {
        world.run(block);
    }
    let file = |world: &World| {
        let path = world.session.left.state.clone().expect("a state");
        std::fs::metadata(path).expect("its file").ino()
    };
    let before = file(&world);
    world.check("echo a", 0, "a\n");
    file(&world) != before
}

#[test]
fn builtins_that_a_block_loads_may_change_the_state() {
    assert!(!is_told_after(&["x=1"]));
    assert!(!is_told_after(&["kubectl label x istio-injection=enabled --enable"]));
    assert!(is_told_after(&["enable -f some/file stat", "x=1"]));
    assert!(is_told_after(&["if true\nthen\n\tenable stat; fi", "x=1", "echo b"]));
}

#[test]
fn options_come_back_as_they_were() {
    let blocks =
        ["shopt -s nullglob; shopt -u sourcepath; set -o pipefail; set +o hashall", "echo a"];
    let shown =
        rebuilt(&blocks, "(shopt nullglob sourcepath extglob; shopt -o pipefail hashall noglob)");
    let words: Vec<&str> = shown.split_whitespace().collect();
    let expect = "nullglob on sourcepath off extglob off pipefail on hashall off noglob off";
    assert_eq!(words.join(" "), expect);
}

/// What a block costs beside itself: bytes of the shell's state, which is told after each block,
/// output pipes that are still read, and files in the private folder.
fn cost(world: &World) -> (usize, usize, usize) {
    let session = &world.session;
    let state = session.state().map_or(0, |state| state.len());
    let files = std::fs::read_dir(session.folder.path()).unwrap().count();
    (state, session.lanes.len(), files)
}

#[test]
fn a_thousand_blocks_take_a_thousand_times_one() {
    let mut world = World::new();
    let mut costs = Vec::new();
    for round in 0..1000 {
        // Plain words leave the state as it is, others may change it.
        let quote = if round % 2 == 0 { "" } else { "'" };
        let text = format!("echo {quote}{}{quote}", round + 1000);
        world.check(&text, 0, &format!("{}\n", round + 1000));
        costs.push(cost(&world));
    }
    // The first block is the first that has a last command to remember.
    assert!(costs[1..].iter().all(|cost| *cost == costs[1]), "{costs:?}");
}
