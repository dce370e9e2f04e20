//! The fixed world of a test, and what is often asked of it.

mod numbers;
mod preview;
mod run;
mod server;
mod table;
mod tree;
mod world;

pub(crate) use numbers::{Numbers, extent};
pub(crate) use preview::Preview;
pub(crate) use run::{Ended, Run};
pub(crate) use server::{Answer, Server, file};
pub(crate) use table::try_all;
pub(crate) use tree::Tree;
pub(crate) use world::{BOOK, World};

use std::time::{Duration, Instant};

/// Waits until `condition` holds; fails the test when it does not within `limit`.
pub(crate) fn wait_for(what: &str, limit: Duration, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + limit;
    while !condition() {
        assert!(Instant::now() < deadline, "{what}: not within {limit:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A number of seconds, and so an argument of `sleep`, that no other process has.
pub(crate) fn mark(number: u32) -> String {
    format!("611.{number}{}", std::process::id())
}

/// Command lines of the living processes that carry `mark` as an argument or in their command.
pub(crate) fn processes(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(line) = std::fs::read(format!("/proc/{pid}/cmdline")) else { continue };
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if pid != std::process::id() && line.contains(mark) {
            found.push(format!("{pid} {}", line.trim_end()));
        }
    }
    found
}
