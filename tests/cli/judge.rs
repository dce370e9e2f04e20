//! `run.sh` replays a run in plain bash; `labdoc evidence judge` gives its transcript the same
//! verdict as the run had.

use std::time::Duration;

use crate::support::{Ended, Run, World, mark, processes, wait_for};

/// The word of the last line of a judgement.
fn word(judged: &Ended) -> &str {
    judged.stdout.lines().last().expect("a line").split(' ').nth(1).expect("a word")
}

/// Replays the one run of the world and judges the recorded and the replayed transcript.
#[track_caller]
fn replay(world: &World, exit: i32, verdict: &str) -> String {
    let run = world.runs()[0].clone();
    let code = i32::from(verdict != "pass");
    let name = run.strip_prefix("evidence/").expect("evidence").to_owned();
    let recorded = world.labdoc(&format!("evidence judge {name}")).any_output().code(code);
    assert_eq!(word(&recorded), verdict, "{}", recorded.stdout);
    let replayed = world.bash(&format!("bash {run}/run.sh")).any_output().code(exit);
    world.write("replayed.txt", &replayed.stdout);
    let judged =
        world.labdoc(&format!("evidence judge {name} replayed.txt")).any_output().code(code);
    assert_eq!(word(&judged), verdict, "{}\n{}", judged.stdout, replayed.stdout);
    replayed.stdout
}

#[test]
fn a_passing_run_is_replayed_with_the_kit_beside_it() {
    let (world, _) = World::recorded();
    let transcript = replay(&world, 0, "pass");
    assert!(
        transcript.starts_with("labdoc-block: up\nup\nlabdoc-check: up skip exit=0\n"),
        "{transcript}"
    );
    assert!(transcript.contains("labdoc-check: no pass exit=1\n"), "{transcript}");
    assert!(
        transcript.contains("labdoc-block: look/2\n3 7\nlabdoc-check: look/2 skip exit=0\n"),
        "{transcript}"
    );
    assert!(transcript.ends_with("labdoc-check: down pass exit=0\n"), "{transcript}");
}

#[test]
fn the_kit_may_be_named_and_the_folder_may_be_any() {
    let (world, run) = World::recorded();
    std::fs::rename(world.path("labkit/demo"), world.base().join("kit")).expect("rename");
    let line = format!("bash '{}/run.sh'", world.path(&run).display());
    let tmp = world.base().join("tmp");
    world.bash(&line).current_dir(&tmp).stderr("kit demo not found; set KIT=FOLDER\n").code(2);
    let kit = world.base().join("kit");
    let kit = kit.to_str().expect("UTF-8");
    world.bash(&line).current_dir(&tmp).env("KIT", kit).any_stdout().success();
    world.bash(&line).current_dir(&tmp).env("KIT", "../kit").any_stdout().success();
}

#[test]
fn a_replay_leaves_nothing_behind_and_spares_the_kit() {
    let (world, run) = World::recorded();
    let before = world.tree("");
    world.bash(&format!("bash {run}/run.sh")).any_stdout().success();
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
    assert_eq!(std::fs::read_dir(world.base().join("tmp")).expect("tmp").count(), 0);
}

#[test]
fn a_wrong_counter_with_exit_code_0_never_reads_as_a_pass() {
    let world = World::site("lab");
    world.write("labkit/demo/conf/a.conf", "4 7\n");
    world.labdoc("verify --record").any_output().code(1);
    let transcript = replay(&world, 0, "fail");
    assert!(!transcript.contains("labdoc-check: flip pass"), "{transcript}");
}

#[test]
fn a_wrong_exit_code_fails_the_replay() {
    let world = World::site("lab");
    world.edit("content/lab.md", "{#no exit=1}\nfalse", "{#no exit=1}\ntrue");
    world.labdoc("verify --record").any_output().code(1);
    let transcript = replay(&world, 1, "fail");
    assert!(transcript.contains("labdoc-check: no fail exit=0\n"), "{transcript}");
}

#[test]
fn a_wrong_console_command_fails_in_both() {
    let world = World::site("lab");
    world.edit("content/lab.md", "3 7\n```", "3 8\n```");
    world.labdoc("verify --record").any_output().code(1);
    replay(&world, 0, "fail");
}

#[test]
fn an_address_that_breaks_the_renaming_fails_in_both() {
    let world = World::site("lab");
    world.edit("content/lab.md", "at 10.0.0.$((RANDOM % 200 + 1))\"", "at 10.0.0.7 10.0.0.7\"");
    world.edit("content/lab.md", "at 10.0.0.1\n", "at 10.0.0.1 10.0.0.2\n");
    world.labdoc("verify --record").any_output().code(1);
    replay(&world, 0, "fail");
}

#[test]
fn a_block_that_ends_the_shell_as_expected_passes_in_both() {
    let world = World::page(
        "```sh {#a exit=3}\nexit 3\n```\n\n```sh {#b}\necho after\n```\n\n```output {for=b}\nafter\n```\n",
    );
    world.labdoc("verify --record").any_output().success();
    let recorded =
        world.labdoc(&format!("evidence judge {}", &world.runs()[0][9..])).any_stdout().success();
    assert_eq!(word(&recorded), "pass");
    let transcript = replay(&world, 0, "pass");
    assert!(transcript.contains("labdoc-check: a pass exit=3\n"), "{transcript}");
    // Whatever shell it is started with.
    let other = world.bash(&format!("sh {}/run.sh", world.runs()[0])).any_output().success();
    assert_eq!(other.stdout, transcript);
    assert!(transcript.contains("\nafter\nlabdoc-check: b skip exit=0\n"), "{transcript}");
}

#[test]
fn a_shell_that_ended_is_rebuilt_in_the_replay_as_in_the_run() {
    let blocks = [
        ("{#a}", "v=1; f() { echo \"f $v\"; }; alias hi='echo hi'; cd /; set -u; shopt -s extglob"),
        ("{#b exit=4}", "v=2; echo part; exit 4"),
        ("{#c}", "f; hi; pwd; shopt -q extglob && echo ext; echo \"${unset-no}\""),
        ("{#d exit=any}", "exec sh -c 'echo other; kill -9 $$'"),
        ("{#e}", "set -e; echo on"),
        ("{#f exit=7}", "(exit 7); echo never"),
        ("{#g}", "f; nosuch; no-such-either; true"),
        ("{#h exit=any}", "set -n"),
        ("{#i}", "f; echo end"),
    ];
    let page: String = blocks
        .iter()
        .map(|(attributes, text)| {
            let id = attributes[2..3].to_owned();
            format!("```sh {attributes}\n{text}\n```\n\n```output {{for={id}}}\n```\n\n")
        })
        .collect();
    let world = World::page(&page);
    world.labdoc("verify --update").any_output().success();
    world.labdoc("verify --record").any_output().success();
    let transcript = replay(&world, 0, "pass");
    // Line by line what the run printed; texts are not compared here, which is skip.
    let recorded = world.read(&format!("{}/result.txt", world.runs()[0]));
    assert_eq!(recorded.replace(" pass exit", " skip exit"), transcript);
    assert!(transcript.contains("f 1\nhi\n/\next\nno\n"), "{transcript}");
}

#[test]
fn a_replay_that_is_stopped_runs_its_teardown_and_leaves_nothing() {
    let mark = &mark(2101);
    let world = World::page(&format!(
        "```sh {{#a}}\necho a\n```\n\n```sh {{#b}}\necho part; [ -e \"$PWD/now\" ] || exit 0; (sleep {mark} & sleep {mark})\n```\n\n```sh {{#c}}\necho c\n```\n\n```sh {{#d .teardown}}\ntouch torn\n```\n"
    ));
    world.labdoc("verify --record").any_output().success();
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        world.write("content/now", "");
        std::fs::remove_file(world.path("content/torn")).expect("torn down before");
        // Tests that run in the background of a script inherit an ignored SIGINT, which no shell
        // can trap again.
        let replay = format!("exec env --default-signal=INT bash {}/run.sh", world.runs()[0]);
        let child = world.bash(&replay).spawn();
        wait_for("the block runs", Duration::from_secs(60), || processes(mark).len() >= 2);
        let pid = child.id().to_string();
        let sent = std::process::Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(sent.expect("kill").success());
        let ended = Run::wait(&world, child, code);
        let expect = format!(
            "labdoc-block: b\npart\nlabdoc-check: b fail exit={code}\nlabdoc-block: c\nlabdoc-check: c skip\nlabdoc-block: d\nlabdoc-check: d pass exit=0\n"
        );
        assert!(ended.stdout.ends_with(&expect), "{}", ended.stdout);
        assert!(world.exists("content/torn"));
        assert_eq!(processes(mark), [] as [&str; 0]);
        assert_eq!(std::fs::read_dir(world.base().join("tmp")).expect("tmp").count(), 0);
    }
}

#[test]
fn a_replay_has_the_world_of_the_run() {
    let world = World::page(
        "---\nparams: {ns: lab}\nverify: {env: [MINE]}\n---\n\n```sh {#a}\necho \"$LANG $TZ $COLUMNS $ns $MINE <${OTHER-}>\"; ls -A ~; trap 'echo bye' EXIT\n```\n\n```output {for=a}\nC.UTF-8 UTC 120 lab yours <>\n```\n\n```sh {#b .on-failure}\necho never\n```\n",
    );
    let mine = |run: Run<'_>| run.env("MINE", "yours").env("OTHER", "x").any_output().success();
    mine(world.labdoc("verify --record"));
    let transcript = mine(world.bash(&format!("bash {}/run.sh", world.runs()[0]))).stdout;
    let recorded = world.read(&format!("{}/result.txt", world.runs()[0]));
    assert_eq!(recorded.replace(" pass exit", " skip exit"), transcript);
    let manifest = world.read(&format!("{}/manifest.yaml", world.runs()[0]));
    for line in [
        "  TZ: UTC\n",
        "  LANG: C.UTF-8\n",
        "  ns: lab\n",
        "  home: temporary\n",
        "- MINE\n",
        "- PATH\n",
    ] {
        assert!(manifest.contains(line), "{line:?}\n{manifest}");
    }
    assert!(!manifest.contains("yours\n") && !manifest.contains("- OTHER\n"), "{manifest}");
}

#[test]
fn a_skipped_block_and_any_exit_code_pass_in_both() {
    let world = World::page("```sh {#a exit=any}\n(exit 9)\n```\n\n```sh {#b .skip}\nfalse\n```\n");
    world.labdoc("verify --record").any_stdout().success();
    replay(&world, 0, "pass");
}

#[test]
fn text_of_any_kind_is_replayed_byte_for_byte() {
    let world = World::page(
        "```sh {#a}\ncat <<'LABDOC-TEXT'\n\\n $HOME `x` '\"\nLABDOC-TEXT\nprintf 'no newline'\n```\n\n```output {for=a}\n\\n $HOME `x` '\"\nno newline\n```\n\n```sh {#b}\necho 'labdoc-check: a fail exit=0'; echo '\\labdoc-block: x'\n```\n\n```output {for=b}\nlabdoc-check: a fail exit=0\n\\labdoc-block: x\n```\n",
    );
    world.labdoc("verify --record").any_stdout().success();
    let transcript = replay(&world, 0, "pass");
    let recorded = world.read(&format!("{}/result.txt", world.runs()[0]));
    assert_eq!(recorded.replace(" pass exit", " skip exit"), transcript);
}

#[test]
fn judge_names_what_is_not_there() {
    let (world, run) = World::recorded();
    world.labdoc("evidence judge T9/none").any_output().code(2);
    world.labdoc("evidence judge ../x").any_output().code(2);
    world.write("part.txt", "labdoc-block: up\nup\nlabdoc-check: up pass exit=0\n");
    let judged =
        world.labdoc(&format!("evidence judge {} part.txt", &run[9..])).any_output().code(1);
    assert_eq!(word(&judged), "fail", "a part is not the whole");
}
