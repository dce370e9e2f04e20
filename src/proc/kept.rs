//! labdoc's side of a keeper.

use super::charge::Charge;
use super::children::{spawn, sweep, wait_for};
use super::keeper::{KEEPER_ARGUMENT, SHELL_ARGUMENTS, take_line};
use super::pipe::{Read, read_some, wait_readable};
use super::report::Report;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a keeper may take to end everything before labdoc does it without it.
const KILL_LIMIT: Duration = Duration::from_secs(3);

/// What a keeper is started with.
pub(crate) struct KeptShell<'a> {
    /// The shell's program.
    pub(crate) program: &'a Path,
    /// The session's private folder, removed by the keeper at its end.
    pub(crate) folder: &'a Path,
    /// The run's folder, removed by the keeper where labdoc was killed; may be empty.
    pub(crate) scratch: &'a Path,
    /// The whole environment of the shell.
    pub(crate) env: &'a BTreeMap<OsString, OsString>,
}

/// A running keeper, seen from labdoc.
///
/// `life` is the pipe by whose end the keeper knows that labdoc is gone; nobody else holds it. A
/// keeper that was killed (or stopped) by a block is replaced by labdoc itself, so that no call
/// here waits for ever: `kill_all` names and ends what lived either way.
pub(crate) struct Kept {
    /// The keeper's process, until it was waited for.
    child: Option<Child>,
    /// Its standard input, the life pipe.
    life: Option<ChildStdin>,
    /// Its standard output, where reports come.
    reports: ChildStdout,
    /// Report bytes without their line end yet.
    pending: Vec<u8>,
    /// Reports that were read and not yet taken.
    queue: VecDeque<Report>,
    /// Whether the keeper is dead.
    gone: bool,
}

/// A keeper that does not know yet for whom.
struct Bare {
    child: Child,
    life: ChildStdin,
    reports: ChildStdout,
}

/// The one that was started ahead.
static AHEAD: Mutex<Option<Bare>> = Mutex::new(None);

/// Starts a keeper for the next session: it gets ready while pages are read. That there is none is
/// told by that session.
pub(crate) fn start_ahead() {
    *ahead() = Bare::start().ok();
}

/// Lets go of a keeper that no session needed; it ends by itself.
pub(crate) fn let_go() {
    *ahead() = None;
}

/// The place of the one that was started ahead.
fn ahead() -> MutexGuard<'static, Option<Bare>> {
    AHEAD.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bare {
    /// Starts one. It has no environment: its shell has one of its own.
    fn start() -> io::Result<Self> {
        let mut command = keeper_command()?;
        command.env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawn(&mut command)?;
        let (Some(life), Some(reports)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the keeper has no pipes"));
        };
        rustix::io::ioctl_fionbio(&reports, true)?;
        Ok(Self { child, life, reports })
    }
}

impl Kept {
    /// Starts a keeper, or takes the one that was; it starts no shell yet.
    pub(crate) fn start(shell: &KeptShell<'_>) -> io::Result<Self> {
        let taken = ahead().take();
        let Bare { child, mut life, reports } = taken.map_or_else(Bare::start, Ok)?;
        // A dead keeper is noticed by the end of its reports.
        let _ = life.write_all(&Charge::bytes(shell));
        let (pending, queue) = (Vec::new(), VecDeque::new());
        Ok(Self { child: Some(child), life: Some(life), reports, pending, queue, gone: false })
    }

    /// Lets the keeper start a shell on the control pipe `bash` in `subfolder` of its folder.
    pub(crate) fn start_shell(&mut self, subfolder: &str) {
        self.send(&format!("start {subfolder}\n"));
    }

    /// The keeper's process id; `None` when it is dead.
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// The descriptor that becomes readable with the next report.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.reports.as_fd()
    }

    /// Whether the keeper is dead.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// The next report that is there, without waiting.
    pub(crate) fn next_report(&mut self) -> io::Result<Option<Report>> {
        let mut buffer = [0; 4096];
        while !self.gone {
            match read_some(&self.reports, &mut buffer)? {
                Read::Some(count) => self.pending.extend_from_slice(&buffer[..count]),
                Read::Nothing => break,
                Read::End => self.gone = true,
            }
            while let Some(line) = take_line(&mut self.pending) {
                self.queue.extend(Report::parse(&line));
            }
            if self.gone {
                self.queue.push_back(Report::Gone);
            }
        }
        Ok(self.queue.pop_front())
    }

    /// Whether a report was put back and not yet taken.
    pub(crate) fn has_report(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Keeps a report for the next call.
    pub(crate) fn put_back(&mut self, report: Report) {
        self.queue.push_front(report);
    }

    /// Waits for the next report until the deadline.
    pub(crate) fn wait_report(&mut self, deadline: Instant) -> io::Result<Option<Report>> {
        loop {
            if let Some(report) = self.next_report()? {
                return Ok(Some(report));
            }
            if self.gone || Instant::now() >= deadline {
                return Ok(None);
            }
            wait_readable(&[self.reports.as_fd()], Some(deadline))?;
        }
    }

    /// Ends everything below the keeper and returns the command lines of what lived.
    pub(crate) fn kill_all(&mut self) -> io::Result<Vec<String>> {
        self.send("kill\n");
        let deadline = Instant::now() + KILL_LIMIT;
        let mut names = Vec::new();
        while let Some(report) = self.wait_report(deadline)? {
            match report {
                Report::Survivors(found) => names.extend(found),
                Report::Childless => return Ok(names),
                _ => {}
            }
        }
        let more = self.replace_keeper();
        // The shell and the keeper are labdoc's own and not the block's.
        let own = |name: &String| name.ends_with(SHELL_ARGUMENTS) || name.contains(KEEPER_ARGUMENT);
        names.extend(more.into_iter().filter(|name| !own(name)));
        Ok(names)
    }

    /// Lets everything below the keeper live on, but for the shell; returns the id and the command
    /// line of each process. The keeper ends, and nobody looks after them any more.
    pub(crate) fn keep_all(&mut self) -> io::Result<Vec<String>> {
        self.send("keep\n");
        let deadline = Instant::now() + KILL_LIMIT;
        let mut names = Vec::new();
        while let Some(report) = self.wait_report(deadline)? {
            match report {
                Report::Survivors(found) => names.extend(found),
                Report::Childless => break,
                _ => {}
            }
        }
        Ok(names)
    }

    /// Ends a keeper that does not answer, and all that then falls to labdoc. A keeper that came
    /// to its own end has left nothing, and what falls to labdoc meanwhile is another session's.
    fn replace_keeper(&mut self) -> Vec<String> {
        let Some(mut child) = self.child.take() else { return Vec::new() };
        if !self.gone {
            // One that has closed its pipe is about to end by itself.
            let _ = child.kill();
        }
        self.gone = true;
        if wait_for(&mut child) { Vec::new() } else { sweep(KILL_LIMIT) }
    }

    /// Sends a command line; a dead keeper is noticed by the end of its reports.
    fn send(&mut self, line: &str) {
        if let Some(life) = &mut self.life {
            let _ = life.write_all(line.as_bytes());
        }
    }

    /// Lets go of the life pipe and waits until the keeper has ended everything.
    fn release(&mut self) {
        self.send("leave\n");
        self.life = None;
        let deadline = Instant::now() + KILL_LIMIT;
        while !self.gone {
            match self.wait_report(deadline) {
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break,
            }
        }
        self.replace_keeper();
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.release();
    }
}

/// The command that becomes the keeper: this very binary.
#[cfg(not(test))]
fn keeper_command() -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(KEEPER_ARGUMENT);
    Ok(command)
}

/// In tests the binary is the test harness, which reaches the keeper through a test of that name.
#[cfg(test)]
fn keeper_command() -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", "proc::kept::tests::act_as_keeper", "--ignored", "--nocapture"]);
    command.args(["--quiet", "--", KEEPER_ARGUMENT]);
    Ok(command)
}

#[cfg(test)]
mod tests {
    #[test]
    #[ignore = "the entry of the keeper process in other tests"]
    fn act_as_keeper() {
        super::super::keeper_main();
    }
}
