//! Processes: none survives, none holds a block up.

use super::{End, Request, World, lives, text, wait_until};
use crate::proc::Interrupt;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

#[test]
fn a_background_child_delays_nothing_and_is_named_at_the_end() {
    let mut world = World::new();
    let outcome = world.run("sleep 605 & echo $!");
    // A block that waited for the child would be ended by its time limit.
    assert_eq!(outcome.end, End::Exited(0));
    let pid = text(&outcome);
    world.check("echo after", 0, "after\n");
    wait_until("the child is no copy of the shell any more", || is_running("sleep 605"));
    assert_eq!(world.session.finish().unwrap().survivors, ["sleep 605"]);
    assert!(!lives(&pid));
}

#[test]
fn the_limit_ends_grandchildren_too() {
    let mut world = World::new();
    world.check("v=1", 0, "");
    let block = "v=2; echo part; sh -c 'echo $$; sleep 600 & echo $!; sleep 601'";
    let outcome = world.run_within(block, Duration::from_millis(400));
    assert_eq!(outcome.end, End::TimedOut);
    let killed: Vec<&str> = outcome.killed.iter().map(String::as_str).collect();
    assert!(killed.contains(&"sleep 600") && killed.contains(&"sleep 601"), "{killed:?}");
    let shown = text(&outcome);
    assert!(shown.starts_with("part\n"));
    assert!(shown.lines().skip(1).all(|pid| !lives(pid)));
    world.check("echo $v", 0, "1\n");
    assert!(world.session.finish().unwrap().survivors.is_empty());
}

#[test]
fn the_limit_holds_under_a_flood() {
    let mut world = World::with_limit(1000);
    let outcome = world.run_within("yes", Duration::from_millis(300));
    assert_eq!((outcome.end, outcome.killed), (End::TimedOut, vec!["yes".to_owned()]));
    assert!(outcome.output.truncated && outcome.output.total > 100_000);
}

#[test]
fn nobody_escapes() {
    let mut world = World::new();
    let block = "setsid sleep 611 & nohup sleep 612 >/dev/null 2>&1 &
        (setsid sh -c 'sleep 613 & sleep 614 &' &)
        sh -c 'trap \"\" TERM HUP INT; kill -STOP $$; sleep 615' &
        unshare -fpn sh -c 'setsid sleep 616 & sleep 617' &
        disown -a; until [ \"$(pgrep -fx 'sleep 61[1-4]' | wc -l)\" = 4 ]; do :; done >/dev/null";
    assert_eq!(world.run(block).end, End::Exited(0));
    let names = world.session.finish().unwrap().survivors;
    for sleep in ["sleep 611", "sleep 612", "sleep 613", "sleep 614"] {
        assert!(names.iter().any(|name| name == sleep), "{names:?}");
    }
    for number in 611..=617 {
        assert!(!is_running(&format!("sleep {number}")), "{number}");
    }
}

/// Whether a process with this command line lives.
fn is_running(line: &str) -> bool {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok()).any(|bytes| {
        String::from_utf8_lossy(&bytes).trim_end_matches('\0').replace('\0', " ") == line
    })
}

#[test]
fn a_child_of_an_ended_shell_lives_on() {
    let mut world = World::new();
    let pid = text(&world.run("sleep 620 & echo $!"));
    assert_eq!(world.run("exit 1").end, End::ShellEnded(1));
    world.check("echo on", 0, "on\n");
    assert!(lives(&pid));
    drop(world);
    assert!(!lives(&pid));
}

/// Orphans of two keepers that die at once cannot be told apart; these tests look at the names.
static ONE_DEAD_KEEPER: Mutex<()> = Mutex::new(());

#[test]
fn a_block_may_kill_its_keeper() {
    let _alone = ONE_DEAD_KEEPER.lock();
    let mut world = World::new();
    world.check("v=1", 0, "");
    let outcome = world.run(
        "setsid sleep 630 & sleep 631 &
        until [ $(pgrep -fxc 'sleep 63[01]') = 2 ]; do :; done; kill -9 $PPID; sleep 632",
    );
    assert_eq!(outcome.end, End::ShellEnded(137));
    assert!(outcome.killed.iter().any(|name| name == "sleep 631"), "{:?}", outcome.killed);
    assert!((630..=632).all(|number| !is_running(&format!("sleep {number}"))));
    world.check("echo $v", 0, "1\n");
    assert_eq!(world.run("kill $PPID; kill -INT $PPID; echo on").end, End::Exited(0));
}

#[test]
fn a_block_may_stop_its_keeper() {
    let _alone = ONE_DEAD_KEEPER.lock();
    let mut world = World::new();
    let block = "kill -STOP $PPID; sleep 640";
    let outcome = world.run_within(block, Duration::from_millis(200));
    assert_eq!((outcome.end, outcome.killed), (End::TimedOut, vec!["sleep 640".to_owned()]));
    world.check("echo on", 0, "on\n");
}

#[test]
fn a_shell_killed_between_two_runs_is_rebuilt() {
    let mut world = World::new();
    world.check("v=1; s=$$; (until [ -e go ]; do :; done; kill -9 $s) & echo", 0, "\n");
    let shell = text(&world.run("echo $$; touch go"));
    wait_until("the shell is dead", || !lives(&shell));
    wait_until("the keeper has told", || {
        world.session.notice_end().is_ok() && world.session.shell.is_none()
    });
    let outcome = world.run("echo $v");
    assert_eq!((text(&outcome).as_str(), outcome.rebuilt), ("1\n", true));
}

/// Starts this test program again for the test `name`, which prints lines that begin with `> `.
fn helper(name: &str) -> (std::process::Child, impl Iterator<Item = String>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("verify::session::tests::processes::{name}")])
        .args(["--ignored", "--nocapture", "--quiet"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let lines =
        lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("> ").map(str::to_owned));
    (child, lines)
}

/// Tells the test that started this one; the harness would swallow `println`.
fn tell(line: &str) {
    use std::io::Write;
    writeln!(std::io::stdout(), "\n> {line}").unwrap();
}

#[test]
#[ignore = "the process that another test kills"]
fn helper_that_is_killed() {
    let mut world = World::new();
    tell(&text(&world.run("setsid sleep 600 & echo $!")));
    tell(&text(&world.run("echo $PPID")));
    tell(&world.session.folder.path().display().to_string());
    tell("ready");
    world.run_within("sleep 650", Duration::from_secs(60));
}

#[test]
fn a_killed_labdoc_leaves_nothing() {
    let (mut child, mut lines) = helper("helper_that_is_killed");
    let sleeper = lines.next().unwrap();
    let keeper = lines.next().unwrap();
    let folder = lines.next().unwrap();
    assert_eq!(lines.next().unwrap(), "ready");
    wait_until("the block runs", || is_running("sleep 650"));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("all is gone", || !lives(&sleeper) && !lives(&keeper) && !is_running("sleep 650"));
    wait_until("the folder too", || !std::path::Path::new(&folder).exists());
}

#[test]
#[ignore = "the process that another test interrupts"]
fn helper_that_is_interrupted() {
    let interrupt = Interrupt::listen().unwrap();
    let mut world = World::new();
    tell("ready");
    let request = |text| Request {
        text,
        timeout: Duration::from_secs(60),
        streams: super::Streams::Joined,
        interrupt: Some(&interrupt),
    };
    let outcome = world.session.run(&request("echo part; sleep 660")).unwrap();
    tell(&format!("{:?} {:?} {:?}", outcome.end, text(&outcome), outcome.killed));
    tell(&text(&world.run("echo teardown")));
    world.run("sleep 661");
}

#[test]
fn the_first_signal_lets_teardown_run_and_the_second_ends_all() {
    let (mut child, mut lines) = helper("helper_that_is_interrupted");
    let pid = rustix::process::Pid::from_child(&child);
    assert_eq!(lines.next().unwrap(), "ready");
    wait_until("the block runs", || is_running("sleep 660"));
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(lines.next().unwrap(), r#"Interrupted(2) "part\n" ["sleep 660"]"#);
    assert_eq!(lines.next().unwrap(), "teardown");
    wait_until("the teardown runs", || is_running("sleep 661"));
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    wait_until("all is gone", || !is_running("sleep 661"));
}
