//! Real bash, no luck: every wait is for a condition with a deadline.

#![allow(clippy::disallowed_methods, reason = "the tests look at real files and processes")]

mod ends;
mod processes;
mod shell_state;
mod streams;

use super::{End, OUTPUT_LIMIT, Outcome, Request, Session, SessionOptions, Streams};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A session in an empty folder with a small fixed environment.
struct World {
    session: Session,
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        Self::with_limit(OUTPUT_LIMIT)
    }

    fn with_limit(output_limit: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().canonicalize().unwrap();
        let session = Session::start(SessionOptions {
            cwd,
            scratch: PathBuf::new(),
            env: env(),
            output_limit,
            redactor: crate::verify::redact::Redactor::default(),
        })
        .unwrap();
        Self { session, folder }
    }

    /// Runs a block with a long limit.
    fn run(&mut self, text: &str) -> Outcome {
        self.run_within(text, Duration::from_secs(30))
    }

    fn run_within(&mut self, text: &str, timeout: Duration) -> Outcome {
        let request = Request { text, timeout, streams: Streams::Joined, interrupt: None };
        self.session.run(&request).unwrap()
    }

    fn run_apart(&mut self, text: &str) -> Outcome {
        let timeout = Duration::from_secs(30);
        let request = Request { text, timeout, streams: Streams::Apart, interrupt: None };
        self.session.run(&request).unwrap()
    }

    /// Runs a block, which must exit with `status` after printing `expect`.
    #[track_caller]
    fn check(&mut self, text: &str, status: i32, expect: &str) {
        let outcome = self.run(text);
        let shown = String::from_utf8_lossy(&outcome.output.bytes).into_owned();
        assert_eq!((outcome.end, shown.as_str()), (End::Exited(status), expect), "{text}");
    }

    fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }
}

fn env() -> BTreeMap<OsString, OsString> {
    let path = std::env::var_os("PATH").unwrap();
    [("PATH", path), ("LANG", "C.UTF-8".into()), ("HOME", "/nonexistent".into())]
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .collect()
}

fn text(outcome: &Outcome) -> String {
    String::from_utf8(outcome.output.bytes.clone()).unwrap()
}

/// Waits until `done` holds, at most ten seconds.
#[track_caller]
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !done() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process lives (a dead one that nobody reaped does not).
fn lives(pid: &str) -> bool {
    std::fs::read(format!("/proc/{}/cmdline", pid.trim())).is_ok_and(|line| !line.is_empty())
}
