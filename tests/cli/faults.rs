//! Faults from outside while labdoc works: a disk that is full, rights that are lost, reads that
//! fail, a clock that is wrong, signals, a second labdoc. Nothing is lost, nothing is half-written.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Run, Tree, World, mark, processes, wait_for};

/// The last part of what labdoc says when another one has the lock.
const TAKEN: &str = " = help: wait until it has ended";

/// A page with a block that goes on while a file `go` is not there, and one that differs.
fn waiting(mark: &str) -> World {
    World::page(&format!(
        "# A\n\n```sh {{#wait}}\nuntil [ -e \"$OLDPWD/go\" ] || [ -e ../go ]; do sleep {mark} & wait $!; done\n```\n\n```sh {{#a}}\necho new\n```\n\n```output {{for=a}}\nold\n```\n"
    ))
}

/// Ends a process.
fn signal(child: &std::process::Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("pid")).expect("pid");
    kill_process(pid, signal).expect("kill");
}

#[test]
fn a_second_labdoc_that_would_write_is_told_to_wait() {
    let mark = &mark(2101);
    let world = waiting(mark);
    let child = world.labdoc("verify --update --record").spawn();
    wait_for("the block runs", Duration::from_secs(60), || !processes(mark).is_empty());
    for command in ["verify --update", "verify --record", "evidence seal", "evidence import x"] {
        let ended = world.labdoc(command).any_output().code(2);
        let said = "error: another labdoc is writing the pages or the evidence of [SITE]\n";
        assert!(ended.stderr.contains(said), "{command}: {}", ended.stderr);
        assert!(ended.stderr.contains(TAKEN), "{command}: {}", ended.stderr);
    }
    // What only reads is free.
    world.labdoc("check").any_output().success();
    world.labdoc("build").any_output().success();
    world.labdoc("verify --dry-run").any_output().success();
    signal(&child, Signal::TERM);
    Run::wait(&world, child, 143);
    // The lock goes with its owner, however that ended.
    world
        .write("content/a.md", "# A\n\n```sh {#a}\necho new\n```\n\n```output {for=a}\nold\n```\n");
    world.labdoc("verify --update --record").any_output().success();
    assert!(world.read("content/a.md").contains("\nnew\n"));
}

#[test]
fn two_builds_into_one_folder_wait_for_each_other() {
    let world = World::page("# A\n");
    world.labdoc("build").any_output().success();
    let before = world.tree("public");
    let held = std::fs::File::open(world.path("public")).expect("folder");
    held.lock().expect("lock");
    // A build that would change nothing has nothing to write.
    world.labdoc("build").any_output().success();
    world.write("content/a.md", "# B\n");
    let ended = world.labdoc("build").any_output().code(2);
    let said = "error: another labdoc is writing [SITE]/public\n";
    assert!(ended.stderr.starts_with(said) && ended.stderr.contains(TAKEN), "{}", ended.stderr);
    assert_eq!(before.changes(&world.tree("public")), [] as [String; 0]);
    world.labdoc("build --out other").any_output().success();
    drop(held);
    world.labdoc("build").any_output().success();
}

#[test]
fn many_builds_at_once_leave_a_whole_site() {
    let world = World::page("# A\n\nwords\n");
    world.labdoc("build --out ../clean").any_output().success();
    let clean = Tree::read(&world.base().join("clean"));
    let children: Vec<_> = (0..6).map(|_| world.labdoc("build --quiet").spawn()).collect();
    let codes: Vec<Option<i32>> =
        children.into_iter().map(|mut child| child.wait().expect("wait").code()).collect();
    assert!(codes.iter().all(|code| matches!(code, Some(0 | 2))), "{codes:?}");
    assert!(codes.contains(&Some(0)), "{codes:?}");
    assert_eq!(clean.other_content(&world.tree("public")), [] as [String; 0]);
}

/// A page with a block that prints something new each time, for refreshes that are broken off.
const COUNTING: &str = "---\nverify: {bundle: T1}\n---\n\n# A\n\n```sh {#a}\ndate +%s%N\n```\n\n```output {for=a}\n0\n```\n\nThe end.\n";

#[test]
fn sigterm_at_any_moment_leaves_page_and_evidence_whole() {
    let world = World::page(COUNTING);
    for milliseconds in [1, 5, 12, 25, 40, 60, 90, 130, 180, 250, 350, 500] {
        let child = world.labdoc("verify --update --record").spawn();
        std::thread::sleep(Duration::from_millis(milliseconds));
        signal(&child, Signal::TERM);
        let code = child.wait_with_output().expect("wait").status.code();
        // Before labdoc listens the signal itself ends it.
        assert!(matches!(code, None | Some(0 | 143)), "{milliseconds} ms: {code:?}");
        let text = world.read("content/a.md");
        let rest = text.strip_prefix(COUNTING.split("0\n").next().unwrap_or(""));
        let number = rest.and_then(|rest| rest.strip_suffix("\n```\n\nThe end.\n"));
        let number = number.unwrap_or_else(|| panic!("{milliseconds} ms: {text}"));
        assert!(number.parse::<u64>().is_ok(), "{milliseconds} ms: {text}");
        for run in if world.exists("evidence/T1") { world.runs() } else { Vec::new() } {
            let files = world.names(&run);
            for file in ["manifest.yaml", "result.txt", "run.sh", "verdict.json"] {
                assert!(
                    files.iter().any(|name| name == file),
                    "{milliseconds} ms: {run}: {files:?}"
                );
            }
        }
    }
    world.labdoc("verify --update --record").any_output().success();
    let ended = world.labdoc("check").any_output().success();
    assert!(!ended.stderr.contains("EV1"), "{}", ended.stderr);
}

#[test]
fn a_page_that_is_saved_while_it_runs_is_not_written_over() {
    let mark = &mark(2102);
    let world = waiting(mark);
    let child = world.labdoc("verify --update").spawn();
    wait_for("the block runs", Duration::from_secs(60), || !processes(mark).is_empty());
    let mine = world.read("content/a.md") + "\nA line that somebody wrote meanwhile.\n";
    world.write("content/a.md", &mine);
    world.write("go", "");
    for line in processes(mark).iter().filter(|line| line.contains(" sleep ")) {
        let pid = line.split(' ').next().and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw);
        let _ = kill_process(pid.expect("pid"), Signal::KILL);
    }
    let ended = Run::wait(&world, child, 2);
    assert!(
        ended.stderr.contains("content/a.md was changed while its blocks ran"),
        "{}",
        ended.stderr
    );
    assert_eq!(world.read("content/a.md"), mine);
}

#[test]
fn a_full_disk_keeps_the_page_and_leaves_no_part_of_a_run() {
    let world = World::page(COUNTING);
    let script = "
        mkdir ../full; mount -t tmpfs -o size=64k tmpfs ../full
        cp -r . ../full/site; cd ../full/site
        cp content/a.md ../../a.md
        head -c 200000 /dev/zero >fill 2>../../why || true
        code=0; LABDOC verify --update --record >../../out 2>&1 || code=$?
        test $code = 2
        grep -q 'No space left on device' ../../out
        cmp content/a.md ../../a.md
        test \"$(find evidence -name verdict.json 2>/dev/null | wc -l)\" = 0
        test \"$(find . -name '.labdoc-*' -o -name '.tmp*' | wc -l)\" = 0
        rm fill; LABDOC verify --update --record >../../out 2>&1
        LABDOC check >../../out 2>&1
    ";
    let script = script.replace("LABDOC", env!("CARGO_BIN_EXE_labdoc"));
    world.apart("", &script).any_output().success();
}

/// Runs labdoc as somebody who is not root, in a copy that he may read.
fn as_nobody(world: &World, arguments: &str, code: i32) -> String {
    let copy = world.base().join("labdoc");
    std::fs::copy(env!("CARGO_BIN_EXE_labdoc"), &copy).expect("copy");
    let root = rustix::process::getuid().is_root();
    let nobody = if root { "setpriv --reuid=65534 --regid=65534 --clear-groups" } else { "" };
    let line = format!("exec {nobody} {} {arguments}", copy.display());
    world.bash(&line).any_output().code(code).stderr
}

#[test]
fn rights_that_are_lost_are_named_and_nothing_changes() {
    let world = World::page(COUNTING);
    world.labdoc("build").any_output().success();
    world.bash("chmod -R o+rwX ..; mkdir evidence").any_output().success();
    world
        .bash("chmod o-w content content/a.md evidence public public/a.html")
        .any_output()
        .success();
    let before = world.tree("");
    let said = as_nobody(&world, "verify --update", 2);
    assert!(said.contains("content") && said.contains("Permission denied"), "{said}");
    let said = as_nobody(&world, "verify --record", 2);
    assert!(said.contains("evidence") && said.contains("Permission denied"), "{said}");
    let said = as_nobody(&world, "build", 2);
    assert!(said.contains("public") && said.contains("Permission denied"), "{said}");
    assert_eq!(before.other_content(&world.tree("")), [] as [String; 0]);
}

#[test]
fn a_read_that_fails_is_exit_code_2_with_its_path() {
    // Reading the memory of a process at its beginning fails in the kernel.
    let broken = |path: &str| {
        let world = World::page("# A\n");
        let _ = std::fs::remove_file(world.path(path));
        std::os::unix::fs::symlink("/proc/self/mem", world.path(path)).expect("link");
        world
    };
    let world = broken("book.toml");
    let ended = world.labdoc("check").any_output().code(2);
    assert!(
        ended.stderr.contains("cannot read [SITE]/book.toml: Input/output error"),
        "{}",
        ended.stderr
    );
    let world = broken("../a.tar");
    let ended = world.labdoc("evidence import ../a.tar").any_output().code(2);
    assert!(ended.stderr.contains("cannot read ../a.tar: Input/output error"), "{}", ended.stderr);
}

#[test]
fn a_run_of_a_day_to_come_is_read_and_the_next_one_recorded_beside_it() {
    let (world, run) = World::recorded();
    let later = "evidence/T1/20991231T235959Z-abcdef";
    let now = run.rsplit('/').next().expect("id").to_owned();
    world.bash(&format!("cp -r {run} {later}")).any_output().success();
    let verdict = world.read(&format!("{later}/verdict.json"));
    let year = regex::Regex::new(r"20\d\d-(\d\d-\d\dT)").expect("pattern");
    let verdict = year.replace_all(&verdict, "2099-$1").replace(&now, "20991231T235959Z-abcdef");
    world.write(&format!("{later}/verdict.json"), verdict);
    // The digest no longer holds, which is said; nothing is lost and the clock is believed again.
    let ended = world.labdoc("check").any_output().end();
    assert!(ended.stderr.contains("EV115"), "{}", ended.stderr);
    world.labdoc("verify --record").any_output().success();
    assert_eq!(world.runs().len(), 3);
    assert!(world.exists(&format!("{run}/verdict.json")));
}

/// Runs labdoc with the clock that the file `clock` beside the site gives, which may jump at any
/// moment; the clock that measures durations goes on, as the kernel's does.
fn with_clock(world: &World, command: &str) -> String {
    let file = world.base().join("clock");
    let line = format!(
        "FAKETIME_TIMESTAMP_FILE={} FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1 \
         faketime -f +0 env -u FAKETIME {} {command}",
        file.display(),
        env!("CARGO_BIN_EXE_labdoc")
    );
    let ended = world.bash(&line).any_output().success();
    format!("{}{}", ended.stdout, ended.stderr)
}

#[test]
fn a_clock_that_jumps_while_blocks_run_ends_no_block_and_loses_nothing() {
    let world = World::page("# A\n");
    let clock = world.base().join("clock");
    let clock = clock.display();
    let page = format!(
        "---\nverify: {{bundle: T1}}\n---\n\n# A\n\n\
         ```sh {{#forward timeout=30s}}\necho +3650d >{clock}\necho 1\n```\n\n\
         ```output {{for=forward}}\n1\n```\n\n\
         ```sh {{#back timeout=30s}}\necho -3650d >{clock}\necho 2\n```\n\n\
         ```output {{for=back}}\n2\n```\n\n\
         ```sh {{#again timeout=30s retry=20s}}\ntest -e third && echo 3 || {{ touch third; false; }}\n```\n\n\
         ```output {{for=again}}\n3\n```\n"
    );
    world.write("../clock", "+3600d\n");
    world.write("content/a.md", page.as_str());
    with_clock(&world, "verify --record");
    assert_eq!(world.read("content/a.md"), page);
    let run = world.runs().pop().expect("a run");
    assert!(run.starts_with("evidence/T1/203"), "named by when it began: {run}");
    let verdict: serde_json::Value =
        serde_json::from_str(&world.read(&format!("{run}/verdict.json"))).expect("verdict");
    let at = |key: &str| -> jiff::Timestamp {
        verdict[key].as_str().and_then(|time| time.parse().ok()).expect("a time")
    };
    let seconds = at("finished_at").as_second() - at("started_at").as_second();
    assert!((0..86_400).contains(&seconds), "{verdict}");
    for check in verdict["checks"].as_array().expect("checks") {
        // Ten years are 3e11 ms.
        let ms = check["duration_ms"].as_f64().expect("a duration");
        assert!((0.0..1e6).contains(&ms), "{verdict}");
    }
    // The record is of a day to come, seen from each of these days.
    for day in ["+0", "+3650d", "-3650d"] {
        world.write("../clock", format!("{day}\n"));
        with_clock(&world, "check --as-of today");
        with_clock(&world, "build");
        let edited = format!("{page}\nOn {day}.\n");
        world.write("content/a.md", edited.as_str());
        with_clock(&world, "build");
        assert!(world.read("public/a.html").contains(&format!("On {day}.")), "{day}");
    }
    world.labdoc("verify --record").any_output().success();
    assert_eq!(world.runs().len(), 2);
}
