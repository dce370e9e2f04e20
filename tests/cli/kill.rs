//! SIGKILL of labdoc in the middle of a block: nothing it started or wrote is left.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{World, mark, processes, wait_for};

/// Kills labdoc while `block` runs; `count` processes with the mark are expected before it.
#[track_caller]
fn check(number: u32, block: &str, count: usize) {
    let mark = &mark(number);
    let world = World::page(&format!("```sh {{#slow}}\n{}\n```\n", block.replace("MARK", mark)));
    let mut child = world.labdoc("verify").spawn();
    wait_for("the block runs", Duration::from_secs(60), || {
        processes(mark).iter().filter(|line| line.contains(" sleep ")).count() >= count
    });
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("pid")).expect("pid");
    kill_process(pid, Signal::KILL).expect("kill");
    child.wait().expect("wait");
    wait_for("nothing is left", Duration::from_secs(2), || processes(mark).is_empty());
    // Among them the copy of the kit and what blocks wrote to HOME.
    wait_for("no folder is left", Duration::from_secs(2), || temporary(&world).is_empty());
}

/// What lies in the world's temporary folder.
fn temporary(world: &World) -> Vec<String> {
    let entries = std::fs::read_dir(world.base().join("tmp")).expect("tmp").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_foreground_command() {
    check(2001, "sleep MARK", 1);
}

#[test]
fn background_children() {
    check(2002, "sleep MARK & sleep MARK & sleep MARK", 3);
}

#[test]
fn a_session_of_its_own() {
    check(2003, "setsid sleep MARK & sleep MARK", 2);
}

#[test]
fn a_child_that_ignores_hangups() {
    check(2004, "nohup sleep MARK >/dev/null 2>&1 & sleep MARK", 2);
}

#[test]
fn a_child_that_ignores_every_polite_signal() {
    check(2005, "(trap '' TERM INT HUP; exec sleep MARK) & sleep MARK", 2);
}

#[test]
fn a_daemon_by_double_fork() {
    check(2006, "(setsid sh -c 'setsid sleep MARK & ' &); sleep MARK", 2);
}

#[test]
fn a_child_that_closed_everything_it_inherited() {
    check(
        2007,
        "(exec </dev/null >/dev/null 2>&1; for f in 3 4 5 6 7 8 9; do eval \"exec $f>&-\"; done; setsid sleep MARK &); sleep MARK",
        2,
    );
}

#[test]
fn the_next_run_removes_what_a_keeper_could_not() {
    let mark = &mark(2009);
    let world = World::page(&format!(
        "```sh {{#slow}}\ntouch ~/file; kill -STOP $PPID; sleep {mark}\n```\n"
    ));
    let mut child = world.labdoc("verify").spawn();
    wait_for("the block runs", Duration::from_secs(60), || {
        processes(mark).iter().any(|line| line.contains(" sleep "))
    });
    let is_below = |pid: &&str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
        parent == Some(child.id().to_string().as_str())
    };
    let lines = processes(" __keeper");
    let mut pids = lines.iter().filter_map(|line| line.split(' ').next());
    let keeper = pids.find(is_below).expect("a keeper");
    let kill = |pid: &str| {
        let pid = Pid::from_raw(pid.parse().expect("pid")).expect("pid");
        kill_process(pid, Signal::KILL).expect("kill");
    };
    kill(&child.id().to_string());
    child.wait().expect("wait");
    kill(keeper);
    for line in processes(mark) {
        kill(line.split(' ').next().expect("pid"));
    }
    assert!(temporary(&world).iter().any(|name| name.starts_with("labdoc-run-")));
    world.write("content/a.md", "```sh {#quick}\ntrue\n```\n");
    world.labdoc("verify").any_output().success();
    let left: Vec<String> =
        temporary(&world).into_iter().filter(|name| name.starts_with("labdoc-run-")).collect();
    assert_eq!(left, [] as [&str; 0]);
}

#[test]
fn a_keeper_that_dies_in_a_container() {
    // In a pid namespace the session began outside of it, and the kernel gives it the number 0.
    let mark = &mark(2008);
    let world = World::page(&format!(
        "```sh {{#a exit=137}}\nsetsid sleep {mark} & kill -9 $PPID; sleep {mark}\n```\n\n```sh {{#b}}\necho on\n```\n"
    ));
    let labdoc = concat!("exec ", env!("CARGO_BIN_EXE_labdoc"), " verify");
    world.apart("--pid --fork --mount-proc", labdoc).any_output().success();
    assert_eq!(processes(mark), Vec::<String>::new());
}
