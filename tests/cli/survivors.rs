//! Whatever ends labdoc, nothing that a block started outlives it by more than two seconds.

use std::process::Command;
use std::time::Duration;

use crate::support::{World, processes, wait_for};

/// A small generator: the same seed gives the same runs.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// A page whose blocks start processes in every way in which they could get away. Each carries the
/// mark.
fn page(mark: &str) -> String {
    let blocks = [
        "sleep 9001 & sh -c 'sleep 9002 & sleep 9003' &",
        "setsid sleep 9004 & nohup sleep 9005 >/dev/null 2>&1 &",
        "( ( setsid sh -c 'sleep 9006 & sleep 9007' & ) & )",
        "python3 -m http.server 0 --bind 127.0.0.1 >/dev/null 2>&1 &",
        "trap '' TERM INT HUP; setsid nohup bash -c 'trap \"\" TERM; while :; do sleep 0.1; done' &",
        "sleep 9008",
    ];
    let mut page = format!("---\nparams: {{MARK: {mark}}}\n---\n");
    for (index, text) in blocks.iter().enumerate() {
        page.push_str(&format!("\n```sh {{#b{index} timeout=5m}}\n{text}\n```\n"));
    }
    page.push_str("\n```sh {#end .teardown}\ntouch teardown-ran\n```\n");
    page
}

/// The living processes that have the mark in their environment, labdoc and its keeper among them.
fn marked(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(environ) = std::fs::read(format!("/proc/{pid}/environ")) else { continue };
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if !line.is_empty() && String::from_utf8_lossy(&environ).contains(mark) {
            found.push(format!("{pid} {}", String::from_utf8_lossy(&line).replace('\0', " ")));
        }
    }
    found
}

#[test]
fn nothing_survives() {
    let runs: u64 =
        std::env::var("LABDOC_SURVIVOR_RUNS").map_or(20, |n| n.parse().expect("number"));
    let seed: u64 = std::env::var("LABDOC_SURVIVOR_SEED").map_or(7, |n| n.parse().expect("number"));
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for run in 0..runs {
        let mark = format!("labdoc-mark-{}-{seed}-{run}", std::process::id());
        let world = World::page(&page(&mark));
        let signal = ["INT", "TERM", "KILL"][usize::try_from(random.below(3)).expect("small")];
        let delay = Duration::from_millis(random.below(700));
        // Tests that run in the background of a script inherit an ignored SIGINT, which would be
        // lost before labdoc listens.
        let labdoc = env!("CARGO_BIN_EXE_labdoc");
        let line = format!("exec env --default-signal=INT {labdoc} verify");
        let mut child = world.bash(&line).spawn();
        // The moment is random on purpose; what is waited for afterwards is a condition.
        std::thread::sleep(delay);
        let pid = child.id().to_string();
        let what = format!("run {run}, seed {seed}: SIG{signal} after {delay:?}");
        let sent = Command::new("kill").args(["-s", signal, &pid]).status().expect("kill");
        assert!(sent.success(), "{what}");
        wait_for(&what, Duration::from_secs(20), || child.try_wait().expect("wait").is_some());
        wait_for(&format!("{what}: {:?}", marked(&mark)), Duration::from_secs(2), || {
            marked(&mark).is_empty()
        });
        let base = world.base().display().to_string();
        wait_for(&format!("{what}: a keeper"), Duration::from_secs(2), || {
            processes(&base).is_empty()
        });
        // A run that was killed before it had a keeper leaves its folder to the next one.
        world.write("content/a.md", "```sh {#next}\ntrue\n```\n");
        world.labdoc("verify").any_output().success();
        let left = std::fs::read_dir(world.base().join("tmp")).expect("tmp").flatten();
        let left: Vec<String> =
            left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        assert_eq!(left, [] as [&str; 0], "{what}: files");
    }
}
