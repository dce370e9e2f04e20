//! The processes below one process: listing them, ending them, reaping them.

use super::platform::{children_of, command_line};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait};

/// Every process below `root`, parents first; `root` itself is not among them.
pub(super) fn descendants(root: Pid) -> Vec<Pid> {
    let mut found = children_of(root);
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        let new = children_of(pid).into_iter().filter(|child| !found.contains(child));
        let new: Vec<Pid> = new.collect();
        found.extend(new);
        next += 1;
    }
    found
}

/// The command lines of those of `pids` that live, in the given order.
pub(super) fn command_lines(pids: &[Pid]) -> Vec<String> {
    pids.iter().filter_map(|pid| command_line(*pid)).collect()
}

/// Sends the signal that nobody can refuse to each of `pids`.
pub(super) fn kill_each(pids: &[Pid]) {
    for pid in pids {
        // It may be gone already, or belong to another user; the caller looks again.
        let _ = kill_process(*pid, Signal::KILL);
    }
}

/// One child that ended.
pub(super) struct Reaped {
    /// Which one.
    pub(super) pid: Pid,
    /// Its exit status, or 128 and the signal.
    pub(super) status: i32,
}

/// Whether this process still has children, and those that it just reaped.
pub(super) fn reap_all() -> (Vec<Reaped>, bool) {
    let mut reaped = Vec::new();
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => {
                reaped.extend(status_of(status).map(|status| Reaped { pid, status }));
            }
            Ok(None) => return (reaped, true),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return (reaped, false),
        }
    }
}

/// A wait status as a shell would show it.
fn status_of(status: WaitStatus) -> Option<i32> {
    status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_without_arguments_has_its_name_and_a_dead_one_none() {
        let mut cat = Command::new("bash");
        cat.args(["-c", "exec -a '' cat"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = cat.spawn().expect("bash");
        let pid = Pid::from_child(&child);
        // It is cat when it answers.
        child.stdin.as_mut().expect("stdin").write_all(b"x").expect("write");
        child.stdout.as_mut().expect("stdout").read_exact(&mut [0]).expect("answer");
        assert_eq!(command_lines(&[pid]), ["[cat]"]);
        drop(child.stdin.take());
        // It is dead when nothing more comes, and lies there until somebody asks how it ended.
        while !command_lines(&[pid]).is_empty() {}
        assert!(child.wait().expect("end").success());
    }
}
