//! The session: one bash per page, kept across its blocks.
//!
//! `Session::start` finds bash and starts it below a keeper. `Session::run` checks a block's
//! syntax in a fork of the shell, runs it, and returns an `Outcome`, whatever the block does: a
//! block that ends the shell, hangs or kills its keeper has an outcome of its own, and the next
//! run begins in a shell that was rebuilt from the state after the last block that finished.
//! `Session::finish` ends the shell, names what still lives below it and ends that too.
//!
//! `script` holds the lines that bash reads, `shell` the pipes to it, `lane` and `output` what
//! blocks print, `syntax` what bash says about a text that it cannot read.

mod background;
mod error;
mod lane;
mod output;
mod run;
pub(super) mod script;
mod shell;
mod syntax;
#[cfg(test)]
mod tests;

pub(crate) use background::Started;
pub(crate) use error::SessionError;
pub(crate) use output::Output;
use output::Sink;

use super::redact::{Masked, Redactor};
use crate::proc::{Interrupt, Kept, KeptShell, PrivateFolder, file_bytes, find_program};
use lane::Lane;
use shell::{Shell, Waiting};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long an EXIT trap may run at the end of a session.
const LEAVE_LIMIT: Duration = Duration::from_secs(2);

/// How much is read from a pipe at once.
const CHUNK: usize = 64 * 1024;

/// Variables that would make bash read a file or set options before the first block.
const NEVER_PASSED: [&str; 5] = ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_XTRACEFD"];

/// What a session is started with.
pub(crate) struct SessionOptions {
    /// The folder in which the first block begins.
    pub(crate) cwd: PathBuf,
    /// The folder of the run; where labdoc is killed, the keeper removes it. May be empty.
    pub(crate) scratch: PathBuf,
    /// The whole environment; nothing else is passed.
    pub(crate) env: BTreeMap<OsString, OsString>,
    /// How many bytes of each stream of each block are kept.
    pub(crate) output_limit: usize,
    /// What never leaves the session.
    pub(crate) redactor: Redactor,
}

/// How many bytes are kept when nobody says otherwise.
pub(crate) const OUTPUT_LIMIT: usize = 1024 * 1024;

/// One block to run.
pub(crate) struct Request<'a> {
    /// Its text, passed byte for byte.
    pub(crate) text: &'a str,
    /// How long it may take.
    pub(crate) timeout: Duration,
    /// Where the block prints.
    pub(crate) streams: Streams,
    /// The user's wish to stop. A teardown block after the first signal passes none.
    pub(crate) interrupt: Option<&'a Interrupt>,
}

/// Where a block prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Streams {
    /// Standard output and standard error are one stream, in order.
    #[default]
    Joined,
    /// Standard error is kept apart.
    Apart,
    /// Both are one terminal, and so is the standard input, which is at its end.
    Terminal,
}

/// How a block ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// It ran to its end; the status of its last command.
    Exited(i32),
    /// It ended the shell (`exit`, `exec`, a fatal error, a signal), which ended with this status.
    ShellEnded(i32),
    /// Bash cannot read it; nothing of it ran.
    SyntaxError {
        /// What bash says.
        message: String,
        /// The line within the block, from 1.
        line: usize,
    },
    /// It took longer than it may and was ended, with everything that ran below the session.
    TimedOut,
    /// The user stopped it with this signal; everything below the session was ended.
    Interrupted(i32),
}

/// What a block did: a value, whatever happened.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// How it ended.
    pub(crate) end: End,
    /// What it printed until then.
    pub(crate) output: Output,
    /// Its standard error, when kept apart.
    pub(crate) stderr: Option<Output>,
    /// How long it took.
    pub(crate) duration: Duration,
    /// The statuses of its last pipeline; empty when they are not known.
    pub(crate) pipestatus: Vec<i32>,
    /// The command lines of what lived when it was ended.
    pub(crate) killed: Vec<String>,
    /// Whether its shell had been rebuilt before it.
    pub(crate) rebuilt: bool,
}

/// What is known after the end of a session.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The command lines of what still lived and was ended.
    pub(crate) survivors: Vec<String>,
    /// What background children printed after the end of their run, by run.
    pub(crate) late: BTreeMap<usize, Vec<Output>>,
    /// What the EXIT trap printed.
    pub(crate) trap_output: Output,
    /// How often each rule masked something in what the session printed.
    pub(crate) masked: Masked,
}

/// One bash per page, kept across its blocks.
///
/// Runs are counted from 0. A session that is dropped ends everything below it as `finish` does,
/// only without politeness.
pub(crate) struct Session {
    /// What it was started with.
    options: SessionOptions,
    /// Where bash is.
    bash: PathBuf,
    /// The keeper above the shell.
    kept: Kept,
    /// The shell; `None` after a block that ended it.
    shell: Option<Shell>,
    /// How many shells were started.
    shells: usize,
    /// How many runs began.
    runs: usize,
    /// What the last finished block left.
    left: Left,
    /// Lanes of former runs on which something may still come.
    lanes: Vec<Lane>,
    /// Room for one read.
    buffer: Vec<u8>,
    /// The private folder for pipes and texts; dropped last, after the keeper.
    folder: PrivateFolder,
    /// What was masked so far.
    masked: Masked,
}

/// What a finished block leaves to the next one.
#[derive(Default)]
struct Left {
    /// The file with the commands that bring another shell into the same state.
    state: Option<PathBuf>,
    /// The status of its last command.
    status: i32,
    /// The letters of the shell's options.
    flags: String,
    /// Whether that state holds nothing that can stand behind a plain word, once somebody asked.
    is_bare: Option<bool>,
    /// Whether a block may have loaded builtins, which the state does not tell.
    has_builtins: bool,
}

impl Session {
    /// Starts a shell.
    pub(crate) fn start(mut options: SessionOptions) -> Result<Self, SessionError> {
        if !options.cwd.is_dir() {
            return Err(SessionError::NoFolder(options.cwd));
        }
        options.env.retain(|name, _| !NEVER_PASSED.iter().any(|never| name == never));
        let path = options.env.get(OsStr::new("PATH")).map(OsString::as_os_str);
        let bash = find_program("bash", path).ok_or(SessionError::NoBash)?;
        let folder = PrivateFolder::new();
        let folder = folder.map_err(SessionError::system("make a temporary folder"))?;
        let kept = start_keeper(&bash, folder.path(), &options)?;
        let mut session = Self {
            options,
            bash,
            kept,
            shell: None,
            shells: 0,
            runs: 0,
            left: Left::default(),
            lanes: Vec::new(),
            buffer: vec![0; CHUNK],
            masked: Masked::new(),
            folder,
        };
        session.start_shell()?;
        Ok(session)
    }

    /// The process below which everything of the session lives.
    pub(crate) fn keeper(&self) -> Option<u32> {
        self.kept.id()
    }

    /// What background children of run `run` printed since its end or the last call.
    #[cfg(test)]
    pub(crate) fn late_output(&mut self, run: usize) -> Result<Vec<Output>, SessionError> {
        let Some(lane) = self.lanes.iter_mut().find(|lane| lane.run == run) else {
            return Ok(Vec::new());
        };
        lane.late(&mut self.buffer).map_err(SessionError::system("read late output"))
    }

    /// Ends the shell politely and everything else below the session without.
    pub(crate) fn finish(mut self) -> Result<Ended, SessionError> {
        let failed = SessionError::system("end the session");
        let trap_output = self.leave()?;
        let survivors = self.kept.kill_all().map_err(&failed)?;
        self.ended(survivors, trap_output)
    }

    /// Ends the shell alone, without its EXIT trap; whatever it started lives on. The survivors
    /// have their process ids in front.
    pub(crate) fn keep(mut self) -> Result<Ended, SessionError> {
        let failed = SessionError::system("leave the session");
        // The shell ends first, by the keeper: it would take the end of its pipe for its own.
        let survivors = self.kept.keep_all().map_err(&failed)?;
        self.shell = None;
        let nothing = Sink::new(self.options.output_limit).finish();
        self.ended(survivors, nothing)
    }

    /// The state that the last finished block left, as text for a shell.
    pub(crate) fn state(&self) -> Option<Vec<u8>> {
        file_bytes(self.left.state.as_deref()?)
    }

    /// Masks what the session's blocks printed.
    fn hide(&mut self, output: &mut Output) {
        let bytes = std::mem::take(&mut output.bytes);
        output.bytes = self.options.redactor.redact_bytes(&bytes, &mut self.masked);
    }

    /// What is known at the end.
    fn ended(
        &mut self,
        survivors: Vec<String>,
        mut trap_output: Output,
    ) -> Result<Ended, SessionError> {
        let failed = SessionError::system("end the session");
        self.hide(&mut trap_output);
        let mut late = BTreeMap::new();
        for lane in &mut self.lanes {
            let outputs = lane.late(&mut self.buffer).map_err(&failed)?;
            if !outputs.is_empty() {
                late.insert(lane.run, outputs);
            }
        }
        late.values_mut().flatten().for_each(|output| self.hide(output));
        let redactor = &self.options.redactor;
        let hidden = |line: String, masked: &mut Masked| redactor.redact(line, masked);
        let survivors = survivors.into_iter().map(|line| hidden(line, &mut self.masked)).collect();
        let masked = std::mem::take(&mut self.masked);
        Ok(Ended { survivors, late, trap_output, masked })
    }

    /// Lets the shell exit, with its EXIT trap, and returns what that prints.
    fn leave(&mut self) -> Result<Output, SessionError> {
        let failed = SessionError::system("end the session");
        let limit = self.options.output_limit;
        let place = (self.folder.path(), "");
        let lane = Lane::open(place, self.runs, Streams::Joined, limit).map_err(&failed)?;
        self.notice_end()?;
        let path = lane.out_path().to_owned();
        self.lanes.push(lane);
        if let Some(shell) = &mut self.shell {
            shell.send(&script::leave(&path))?;
            let deadline = Instant::now() + LEAVE_LIMIT;
            let (lanes, buffer) = (&mut self.lanes, &mut self.buffer);
            let mut waiting = Waiting { deadline, interrupt: None, lanes, buffer };
            shell.wait(&mut self.kept, &mut waiting)?;
        }
        let mut lane = self.lanes.pop().ok_or_else(|| SessionError::Start("no lane".to_owned()))?;
        Ok(lane.take(&mut self.buffer).map_err(failed)?.0)
    }

    /// Starts a shell in the state that the last finished block left.
    fn start_shell(&mut self) -> Result<(), SessionError> {
        let failed = SessionError::system("start bash");
        self.shells += 1;
        let name = format!("g{}", self.shells);
        if self.kept.is_gone() {
            self.kept = start_keeper(&self.bash, self.folder.path(), &self.options)?;
        }
        let mut shell = Shell::start(&mut self.kept, &self.folder, &name).map_err(&failed)?;
        let state = self.left.state.as_deref();
        let version = shell.set_up(&mut self.kept, &self.options.cwd, state)?;
        if is_too_old(&version) {
            return Err(SessionError::OldBash { path: self.bash.clone(), version });
        }
        self.shell = Some(shell);
        Ok(())
    }
}

/// Starts the keeper of a session.
fn start_keeper(
    bash: &Path,
    folder: &Path,
    SessionOptions { env, scratch, .. }: &SessionOptions,
) -> Result<Kept, SessionError> {
    Kept::start(&KeptShell { program: bash, folder, scratch, env })
        .map_err(SessionError::system("start the keeper"))
}

/// Whether a version of bash is one before 4.0.
fn is_too_old(version: &str) -> bool {
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    major.is_none_or(|major| major < 4)
}
