//! labdoc's own children, and the orphans that a dead keeper leaves to it.
//!
//! A block can kill its keeper. labdoc is therefore the parent of orphans too while sessions run,
//! and must tell them from the processes that it started itself: every start goes through `spawn`,
//! and what hangs below labdoc without having gone through it is an orphan.

use super::platform::{adopt_orphans, children_of, session_of};
use super::tree::{command_lines, descendants, kill_each};
use rustix::process::{Pid, WaitOptions, getpid, waitpid};
use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The processes that labdoc started and has not yet waited for.
static OWN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Starts a process that is known as labdoc's own.
pub(super) fn spawn(command: &mut Command) -> io::Result<Child> {
    adopt_orphans();
    // Held over the start: nobody may take the new child for an orphan meanwhile.
    let mut own = own();
    let child = command.spawn()?;
    // Arguments may hold what is secret.
    tracing::debug!(program = %command.get_program().display(), pid = child.id(), "started");
    own.insert(child.id());
    Ok(child)
}

/// Waits for a child of labdoc's own, and tells whether it came to a good end.
pub(super) fn wait_for(child: &mut Child) -> bool {
    wait_status(child).is_some_and(|status| status.success())
}

/// Waits for a child of labdoc's own, and tells how it ended.
pub(super) fn wait_status(child: &mut Child) -> Option<ExitStatus> {
    let status = child.wait();
    own().remove(&child.id());
    status.ok()
}

/// Kills and reaps every orphan that fell to labdoc, and names those that lived.
pub(super) fn sweep(limit: Duration) -> Vec<String> {
    let deadline = Instant::now() + limit;
    let mut named = BTreeSet::new();
    let mut names = Vec::new();
    loop {
        let orphans = orphans();
        if orphans.is_empty() || Instant::now() > deadline {
            return names;
        }
        for orphan in orphans {
            let mut all = vec![orphan];
            all.extend(descendants(orphan));
            let new: Vec<Pid> =
                all.iter().copied().filter(|pid| named.insert(pid.as_raw_pid())).collect();
            names.extend(command_lines(&new));
            kill_each(&all);
            if waitpid(Some(orphan), WaitOptions::NOHANG).is_ok_and(|ended| ended.is_none()) {
                let _ = rustix::event::poll(&mut [], Some(&SHORT));
            }
        }
    }
}

/// How long a killed process gets before the next look.
const SHORT: rustix::event::Timespec = rustix::event::Timespec { tv_sec: 0, tv_nsec: 2_000_000 };

/// The children that labdoc did not start. Those in labdoc's own terminal session never came from
/// a keeper, which leaves that session before it starts anything.
fn orphans() -> Vec<Pid> {
    let own = own();
    let home = session_of(getpid());
    children_of(getpid())
        .into_iter()
        .filter(|pid| !u32::try_from(pid.as_raw_pid()).is_ok_and(|raw| own.contains(&raw)))
        .filter(|pid| session_of(*pid) != home)
        .collect()
}

/// The set; a thread that died while it held the lock cannot have left it half changed.
fn own() -> MutexGuard<'static, BTreeSet<u32>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}
