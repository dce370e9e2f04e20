//! The keeper: the process between labdoc and a page's shell.
//!
//! `keeper_main` is its whole life: it leaves labdoc's session, becomes the parent of every orphan
//! below it, then hears over its standard input what it is in charge of, obeys the lines that follow
//! (`start SUBFOLDER`, `kill`, `keep`, `leave`) and tells over its standard output what happens. That input is the *life* pipe: only
//! labdoc holds its other end, so that its end means that labdoc is gone, by whatever means. The
//! keeper then kills and reaps until nothing is left below it. A parent-death signal would not do:
//! it is lost on a fork.

use super::charge::Charge;
use super::pipe::{Read, read_some, wait_readable};
use super::report::Report;
use super::tree::{command_lines, descendants, kill_each, reap_all};
use super::{folder, platform};
use rustix::process::{Pid, getpid};
use signal_hook::consts::{SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The hidden first argument that makes the binary a keeper.
pub(crate) const KEEPER_ARGUMENT: &str = "__keeper";

/// What the shell is started with: no file of the user's, and its script.
pub(super) const SHELL_ARGUMENTS: &str = "--noprofile --norc bash";

/// How long to wait for killed children before looking for new ones.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Runs the keeper: `labdoc __keeper`.
pub(crate) fn keeper_main() -> ExitCode {
    let Ok(mut keeper) = Keeper::new() else { return ExitCode::FAILURE };
    let result = keeper.serve();
    // labdoc may be gone and cannot.
    if let Some(charge) = &keeper.charge {
        folder::remove(&charge.folder);
        if result.is_err() || !keeper.leaves {
            folder::remove(&charge.scratch);
        }
    }
    if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The state of a running keeper.
struct Keeper {
    /// What it is in charge of, once it knows.
    charge: Option<Charge>,
    /// The shell that runs now.
    shell: Option<Pid>,
    /// Becomes readable when a child ends.
    child_ended: UnixStream,
    /// Command bytes without their line end yet.
    pending: Vec<u8>,
    /// Whether what lives below is to live on.
    keeps: bool,
    /// Whether labdoc has come to its end in order and sees to the run's folder itself.
    leaves: bool,
}

impl Keeper {
    /// Detaches from labdoc and gets ready to look after children.
    fn new() -> io::Result<Self> {
        // Fails only for a group leader, which then already stands apart from labdoc.
        let _ = rustix::process::setsid();
        platform::adopt_orphans();
        // Caught, not ignored: what is ignored would stay ignored in the shell.
        let unused = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM] {
            signal_hook::flag::register(signal, Arc::clone(&unused))?;
        }
        let (child_ended, wake) = UnixStream::pair()?;
        child_ended.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(SIGCHLD, wake)?;
        rustix::io::ioctl_fionbio(rustix::stdio::stdin(), true)?;
        let (pending, keeps, leaves) = (Vec::new(), false, false);
        Ok(Self { charge: None, shell: None, child_ended, pending, keeps, leaves })
    }

    /// Obeys until labdoc is gone, then ends everything below.
    fn serve(&mut self) -> io::Result<()> {
        let result = self.obey();
        if !self.keeps {
            self.kill_all(false);
        }
        result
    }

    /// Waits for commands and for ended children until the life pipe ends.
    fn obey(&mut self) -> io::Result<()> {
        loop {
            let life = rustix::stdio::stdin();
            wait_readable(&[life, self.child_ended.as_fd()], None)?;
            self.reap();
            let mut buffer = [0; 4096];
            match read_some(life, &mut buffer)? {
                Read::Some(count) => self.pending.extend_from_slice(&buffer[..count]),
                Read::Nothing => {}
                Read::End => return Ok(()),
            }
            if self.charge.is_none() {
                self.charge = Charge::take(&mut self.pending);
            }
            while self.charge.is_some()
                && let Some(line) = take_line(&mut self.pending)
            {
                self.command(&line);
            }
            if self.keeps {
                return Ok(());
            }
        }
    }

    /// Obeys one line.
    fn command(&mut self, line: &str) {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("start", subfolder) => self.start_shell(subfolder),
            ("kill", _) => {
                self.kill_all(true);
                say(&Report::Childless);
            }
            ("keep", _) => self.keep(),
            ("leave", _) => self.leaves = true,
            _ => {}
        }
    }

    /// Ends the shell alone, without its EXIT trap, and names with their ids the processes that
    /// live on without a keeper.
    fn keep(&mut self) {
        while let Some(shell) = self.shell {
            kill_each(&[shell]);
            let _ = wait_readable(&[self.child_ended.as_fd()], Some(Instant::now() + LOOK_AGAIN));
            self.reap();
        }
        let names = descendants(getpid()).into_iter().filter_map(|pid| {
            let line = command_lines(&[pid]).pop()?;
            Some(format!("{} {line}", pid.as_raw_pid()))
        });
        say(&Report::Survivors(names.collect()));
        (self.keeps, self.leaves) = (true, true);
        say(&Report::Childless);
    }

    /// Starts the shell; its script is the named pipe `bash` in `subfolder`, which it reads as its
    /// private control pipe: bash keeps a script's descriptor away from its children.
    fn start_shell(&mut self, subfolder: &str) {
        let Some(charge) = &self.charge else { return };
        let mut command = Command::new(&charge.program);
        command.args(SHELL_ARGUMENTS.split(' ')).current_dir(charge.folder.join(subfolder));
        command.env_clear().envs(charge.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(child) => {
                self.shell = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
                say(&Report::Started);
            }
            Err(error) => say(&Report::Failed(error.to_string())),
        }
    }

    /// Reaps whatever ended, reports the shell's end, and tells whether a child is left.
    fn reap(&mut self) -> bool {
        let mut ignored = [0; 64];
        while let Ok(Read::Some(_)) = read_some(&self.child_ended, &mut ignored) {}
        let (reaped, left) = reap_all();
        for child in reaped {
            if self.shell == Some(child.pid) {
                self.shell = None;
                say(&Report::Exited(child.status));
            }
        }
        left
    }

    /// The command lines of `pids` without the shell itself.
    fn survivors(&self, pids: &[Pid]) -> Vec<String> {
        let others: Vec<Pid> =
            pids.iter().copied().filter(|pid| self.shell != Some(*pid)).collect();
        let mut names = command_lines(&others);
        // A fork of the shell shows the shell's own command line, which tells nobody anything.
        for name in names.iter_mut().filter(|name| name.ends_with(SHELL_ARGUMENTS)) {
            *name = "bash (a background part of a block)".to_owned();
        }
        names
    }

    /// Kills and reaps until no child is left; first names what lived, when asked to. What was
    /// forked between the look and the kill is found at the next look.
    fn kill_all(&mut self, name: bool) {
        let mut below = descendants(getpid());
        if name {
            say(&Report::Survivors(self.survivors(&below)));
        }
        let mut pause = LOOK_AGAIN;
        loop {
            kill_each(&below);
            if !self.reap() {
                return;
            }
            let _ = wait_readable(&[self.child_ended.as_fd()], Some(Instant::now() + pause));
            if !self.reap() {
                return;
            }
            below = descendants(getpid());
            // Only what cannot be killed (another user's process) lives that long.
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }
}

/// Tells labdoc; when it is gone nobody listens and the life pipe says so.
fn say(report: &Report) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(report.line().as_bytes()).and_then(|()| out.flush());
}

/// Takes the first whole line out of `pending`.
pub(super) fn take_line(pending: &mut Vec<u8>) -> Option<String> {
    let end = pending.iter().position(|byte| *byte == b'\n')?;
    let line: Vec<u8> = pending.drain(..=end).collect();
    Some(String::from_utf8_lossy(&line[..end]).into_owned())
}
