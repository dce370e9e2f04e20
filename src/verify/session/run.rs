//! One run of a block: check its syntax, run it, take what it left.

use super::lane::Lane;
use super::output::Sink;
use super::script::{self, Patterns, Pipestatus, Places};
use super::shell::{Event, Waiting};
use super::syntax::{self, SyntaxFault};
use super::{End, Outcome, Output, Request, Session, SessionError, Streams};
use crate::proc::{Report, file_bytes, forget_file};
use regex::Regex;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How long a syntax check may take.
const CHECK_LIMIT: Duration = Duration::from_secs(10);

/// The file with the text of a block that is run, or with the lines that run it.
const TEXT: &str = "t";

/// How the wait for a block ended.
pub(super) struct Finish {
    /// How the block ended.
    pub(super) end: End,
    /// The statuses of its last pipeline.
    pipestatus: Vec<i32>,
    /// What lived when everything was ended.
    killed: Vec<String>,
}

/// What a block leaves as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    /// The shell's state, so that the one that is kept still holds.
    State,
    /// Nobody knows.
    Anything,
}

impl From<End> for Finish {
    fn from(end: End) -> Self {
        Self { end, pipestatus: Vec::new(), killed: Vec::new() }
    }
}

impl Session {
    /// Runs one block.
    pub(crate) fn run(&mut self, request: &Request<'_>) -> Result<Outcome, SessionError> {
        let (run, rebuilt) = self.prepare(request)?;
        let outcome = match self.leaves(request.text) {
            leaves @ Leaves::State => self.run_checked(run, request, (None, leaves))?,
            leaves @ Leaves::Anything => {
                let text = self.pass(TEXT, request.text.as_bytes())?;
                match self.check(request, &text)? {
                    Some(finish) => self.not_run(finish, request),
                    None => self.run_checked(run, request, (Some(&text), leaves))?,
                }
            }
        };
        forget_file(&self.folder.path().join(TEXT));
        Ok(self.hidden(Outcome { rebuilt, ..outcome }))
    }

    /// Sees to it that a shell is there which can take the block: the run's number, and whether the
    /// shell was rebuilt.
    pub(super) fn prepare(&mut self, request: &Request<'_>) -> Result<(usize, bool), SessionError> {
        refuse_nul(request.text)?;
        self.notice_end()?;
        let rebuilt = self.shell.is_none();
        if rebuilt {
            self.start_shell()?;
        }
        let run = self.runs;
        self.runs += 1;
        Ok((run, rebuilt))
    }

    /// Puts bytes where the shell can read them: the place.
    pub(super) fn pass(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, SessionError> {
        self.folder.write(name, bytes).map_err(SessionError::system("pass the block"))
    }

    /// An outcome without secrets.
    pub(super) fn hidden(&mut self, mut outcome: Outcome) -> Outcome {
        self.hide(&mut outcome.output);
        if let Some(stderr) = &mut outcome.stderr {
            self.hide(stderr);
        }
        let redactor = &self.options.redactor;
        let mut hide = |text: &mut String| {
            *text = redactor.redact(std::mem::take(text), &mut self.masked);
        };
        outcome.killed.iter_mut().for_each(&mut hide);
        if let End::SyntaxError { message, .. } = &mut outcome.end {
            hide(message);
        }
        outcome
    }

    /// Takes note of a shell that ended since the last run (a background child may kill it).
    pub(super) fn notice_end(&mut self) -> Result<(), SessionError> {
        let failed = SessionError::system("hear from the keeper");
        while let Some(report) = self.kept.next_report().map_err(&failed)? {
            match report {
                Report::Exited(_) => self.shell = None,
                Report::Gone => {
                    self.end_everything()?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The outcome of a block that did not run.
    pub(super) fn not_run(&self, finish: Finish, request: &Request<'_>) -> Outcome {
        let nothing = || Sink::new(self.options.output_limit).finish();
        let stderr = (request.streams == Streams::Apart).then(nothing);
        outcome(finish, (nothing(), stderr), Duration::ZERO)
    }

    /// Checks the syntax; `None` when the block can run.
    pub(super) fn check(
        &mut self,
        request: &Request<'_>,
        text: &Path,
    ) -> Result<Option<Finish>, SessionError> {
        if syntax::is_plain(request.text) {
            return Ok(None);
        }
        let fault = match self.check_with(Patterns::AsSet, request, text)? {
            // What a block turns on for its own later lines is not on yet.
            Ok(Some(_)) if request.text.contains("extglob") => {
                self.check_with(Patterns::Extended, request, text)?
            }
            other => other,
        };
        Ok(match fault {
            Ok(fault) => fault.map(|SyntaxFault { message, line }| {
                Finish::from(End::SyntaxError { message, line })
            }),
            Err(finish) => Some(finish),
        })
    }

    /// Checks the syntax once; an inner error is a check that was cut short.
    fn check_with(
        &mut self,
        patterns: Patterns,
        request: &Request<'_>,
        text: &Path,
    ) -> Result<Result<Option<SyntaxFault>, Finish>, SessionError> {
        let Some(shell) = &self.shell else { return Ok(Ok(None)) };
        shell.send(&script::check(text, patterns, shell.report_path()))?;
        let deadline = Instant::now() + CHECK_LIMIT;
        let messages = match self.next_event(request, deadline)? {
            Event::Said(messages) => messages,
            other => return self.cut_short(&other).map(Err),
        };
        match self.next_event(request, deadline)? {
            Event::Said(status) => {
                let (messages, status) =
                    (String::from_utf8_lossy(&messages), String::from_utf8_lossy(&status));
                Ok(Ok(syntax::judge(&messages, &status, request.text.lines().count())))
            }
            other => self.cut_short(&other).map(Err),
        }
    }

    /// Runs a block that bash can read. `text` is where it lies, unless it leaves the state alone.
    fn run_checked(
        &mut self,
        run: usize,
        request: &Request<'_>,
        (text, leaves): (Option<&Path>, Leaves),
    ) -> Result<Outcome, SessionError> {
        let failed = SessionError::system("read the block's output");
        let (folder, limit) = (self.folder.path(), self.options.output_limit);
        let lane = Lane::open((folder, ""), run, request.streams, limit).map_err(&failed)?;
        let begin = Instant::now();
        self.send_block((request.text, text), &lane)?;
        self.lanes.push(lane);
        let finish = self.wait_for_end(request, begin, leaves)?;
        let duration = begin.elapsed();
        let output = match self.lanes.last_mut() {
            Some(lane) => lane.take(&mut self.buffer).map_err(&failed)?,
            None => (Sink::new(limit).finish(), None),
        };
        self.lanes.retain(Lane::is_alive);
        Ok(outcome(finish, output, duration))
    }

    /// What a block leaves as it is: the state of the shell, where it holds only plain words, the
    /// first of each line names no builtin that changes it, and nothing else can stand behind one: no
    /// function, alias, trap, name of another variable or builtin that was loaded. Most of what
    /// another block costs is to note down the state.
    fn leaves(&mut self, text: &str) -> Leaves {
        let left = &mut self.left;
        left.has_builtins |= syntax::loads_builtins(text);
        if left.has_builtins {
            return Leaves::Anything;
        }
        // They print lines, run none, or take plain words for assignments.
        if left.flags.contains(['v', 'x', 'n', 'k']) || !syntax::changes_nothing(text) {
            return Leaves::Anything;
        }
        let Some(state) = &left.state else { return Leaves::Anything };
        let look = || file_bytes(state).is_some_and(|state| script::is_bare(&state));
        if *left.is_bare.get_or_insert_with(look) { Leaves::State } else { Leaves::Anything }
    }

    /// Sends a block (its text, and where that lies) and what reports its end. One that lies nowhere
    /// leaves the state alone.
    fn send_block(
        &self,
        (text, file): (&str, Option<&Path>),
        lane: &Lane,
    ) -> Result<(), SessionError> {
        let Some(shell) = &self.shell else { return Ok(()) };
        let echoes = self.left.flags.contains('v') || turns_echo_on(text);
        let pipestatus = if echoes { Pipestatus::Unknown } else { Pipestatus::Taken };
        let (input, out, err) = (lane.in_path(), lane.out_path(), lane.err_path());
        let places = Places { input, out, err, pipestatus };
        let Some(file) = file else {
            let lines = script::lone_block(text, &places, shell.report_path());
            let file = self.pass(TEXT, &lines)?;
            return shell.send(&[script::read(&file), b"\n".to_vec()].concat());
        };
        let block = script::block(file, &places, self.left.status);
        shell.send(&[block, shell.finish_line()].concat())
    }

    /// Waits until the block has finished or something else ended it.
    pub(super) fn wait_for_end(
        &mut self,
        request: &Request<'_>,
        begin: Instant,
        leaves: Leaves,
    ) -> Result<Finish, SessionError> {
        let deadline = begin + request.timeout;
        let mut event = self.next_event(request, deadline)?;
        if let (Leaves::State, Event::Mute, Some(shell)) = (leaves, &event, &self.shell) {
            // A block that breaks off (a division by zero behind a variable, say) takes with it all
            // that it was read with, the line that tells its status too.
            shell.send(&[script::tell(shell.report_path()), b"\n".to_vec()].concat())?;
            event = self.next_event(request, deadline)?;
        }
        let header = match event {
            Event::Said(header) => header,
            other => return self.cut_short(&other),
        };
        let (flags, statuses) = parse_header(&header);
        let status = statuses.first().copied().unwrap_or(1);
        if leaves == Leaves::Anything {
            self.keep_state().map_err(SessionError::system("keep the shell's state"))?;
        }
        (self.left.status, self.left.flags) = (status, flags);
        let pipestatus = statuses.into_iter().skip(1).collect();
        Ok(Finish { end: End::Exited(status), pipestatus, killed: Vec::new() })
    }

    /// Takes the state that the shell has just written in place of the one before. A shell that dies
    /// while it writes the next one leaves this one whole.
    fn keep_state(&mut self) -> std::io::Result<()> {
        let Some(shell) = &self.shell else { return Ok(()) };
        self.left.state = self.folder.rename(shell.state_path(), "state")?;
        self.left.is_bare = None;
        Ok(())
    }

    /// Waits for what the shell or anybody else does next.
    fn next_event(
        &mut self,
        request: &Request<'_>,
        deadline: Instant,
    ) -> Result<Event, SessionError> {
        let Some(shell) = &mut self.shell else { return Ok(Event::KeeperGone) };
        let (lanes, buffer) = (&mut self.lanes, &mut self.buffer);
        let mut waiting = Waiting { deadline, interrupt: request.interrupt, lanes, buffer };
        shell.wait(&mut self.kept, &mut waiting)
    }

    /// Ends what has to be ended after an event that is no answer.
    fn cut_short(&mut self, event: &Event) -> Result<Finish, SessionError> {
        let end = match event {
            Event::Ended(status) => {
                // Background children of this block or earlier ones live on, as they would when
                // somebody leaves a shell.
                self.shell = None;
                return Ok(End::ShellEnded(*status).into());
            }
            Event::KeeperGone => End::ShellEnded(128 + signal_hook::consts::SIGKILL),
            Event::Interrupted(signal) => End::Interrupted(*signal),
            Event::Mute => End::ShellEnded(0),
            Event::Late | Event::Said(_) => End::TimedOut,
        };
        let killed = self.end_everything()?;
        Ok(Finish { end, pipestatus: Vec::new(), killed })
    }

    /// Ends the shell and all below the keeper; names what lived.
    fn end_everything(&mut self) -> Result<Vec<String>, SessionError> {
        self.shell = None;
        self.kept.kill_all().map_err(SessionError::system("end the block's processes"))
    }
}

/// Puts an outcome together.
fn outcome(finish: Finish, output: (Output, Option<Output>), duration: Duration) -> Outcome {
    Outcome {
        end: finish.end,
        output: output.0,
        stderr: output.1,
        duration,
        pipestatus: finish.pipestatus,
        killed: finish.killed,
        rebuilt: false,
    }
}

/// Refuses a text that no shell can take.
fn refuse_nul(text: &str) -> Result<(), SessionError> {
    match text.find('\0') {
        Some(at) => Err(SessionError::NulByte { line: text[..at].matches('\n').count() + 1 }),
        None => Ok(()),
    }
}

/// Whether a block may turn on the echo of its lines. A block that only mentions it loses the
/// statuses of its last pipeline and nothing else.
fn turns_echo_on(text: &str) -> bool {
    static ECHO: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\bset\s.*-[a-zA-Z]*v|\bverbose\b").ok());
    let may = text.contains("set") || text.contains("verbose");
    may && ECHO.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// The option letters and the statuses out of `FLAGS STATUS PIPESTATUS…`. The last pipeline is
/// unknown when only the status is there.
fn parse_header(header: &[u8]) -> (String, Vec<i32>) {
    let text = String::from_utf8_lossy(header);
    let mut words = text.split_whitespace();
    let flags = words.next().unwrap_or_default().to_owned();
    (flags, words.filter_map(|word| word.parse().ok()).collect())
}
