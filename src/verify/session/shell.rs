//! One running bash below a keeper, and the pipes to it.

use super::error::SessionError;
use super::lane::Lane;
use super::script;
use crate::proc::{
    Interrupt, Kept, PrivateFolder, Read, Report, make_fifo, open_both_ways, read_some, unread,
    wait_readable,
};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long bash may take to start.
const START_LIMIT: Duration = Duration::from_secs(10);

/// How often to look whether a shell that says nothing can still say something.
const LOOK: Duration = Duration::from_millis(250);

/// How long output may lie in its pipe while the shell is expected to answer: for most blocks one
/// look then finds both.
const PATIENCE: Duration = Duration::from_millis(1);

/// Whether a look at the pipes takes in those of the output.
#[derive(Clone, Copy)]
enum Lanes {
    Later,
    Now,
}

/// What a wait for the shell ended with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The shell said something, up to the next NUL.
    Said(Vec<u8>),
    /// The shell ended with this status.
    Ended(i32),
    /// The keeper was killed.
    KeeperGone,
    /// The shell reads on but runs nothing any more (`set -n`).
    Mute,
    /// The deadline is over.
    Late,
    /// The user wants to stop: the signal.
    Interrupted(i32),
}

/// Until when and with what else to wait.
pub(super) struct Waiting<'a> {
    /// The last moment.
    pub(super) deadline: Instant,
    /// The user's wish to stop.
    pub(super) interrupt: Option<&'a Interrupt>,
    /// The output to read meanwhile: a full pipe would stop its writer.
    pub(super) lanes: &'a mut [Lane],
    /// Room for one read.
    pub(super) buffer: &'a mut [u8],
}

/// One bash and the two pipes that only it and labdoc know: `control`, its script, and `report`,
/// on which it answers in texts that end with a NUL.
pub(super) struct Shell {
    /// Where labdoc writes commands.
    control: OwnedFd,
    /// Where the shell answers.
    report: OwnedFd,
    /// The path of that pipe.
    report_path: PathBuf,
    /// Where the lines lie that report the end of a run, and where these write the state.
    finish_path: PathBuf,
    state_path: PathBuf,
    /// Answer bytes not yet taken.
    pending: VecDeque<u8>,
    /// How many of them are known to hold no NUL.
    searched: usize,
}

impl Shell {
    /// Lets the keeper start bash with pipes in the subfolder `name` of `folder`.
    pub(super) fn start(kept: &mut Kept, folder: &PrivateFolder, name: &str) -> io::Result<Self> {
        let own = folder.make(name)?;
        let (script, report_path) = (own.join("bash"), own.join("report"));
        make_fifo(&script)?;
        make_fifo(&report_path)?;
        let (control, report) = (open_both_ways(&script)?, open_both_ways(&report_path)?);
        let state_path = own.join("state-now");
        let finish = script::finish_text(&report_path, &state_path);
        let finish_path = folder.write(&format!("{name}/finish"), &finish)?;
        kept.start_shell(name);
        Ok(Self {
            control,
            report,
            report_path,
            finish_path,
            state_path,
            pending: VecDeque::new(),
            searched: 0,
        })
    }

    /// Sends the setup and returns bash's version.
    pub(super) fn set_up(
        &mut self,
        kept: &mut Kept,
        cwd: &Path,
        state: Option<&Path>,
    ) -> Result<String, SessionError> {
        self.send(&script::setup(cwd, state, &self.report_path))?;
        let deadline = Instant::now() + START_LIMIT;
        let mut waiting = Waiting { deadline, interrupt: None, lanes: &mut [], buffer: &mut [] };
        match self.wait(kept, &mut waiting)? {
            Event::Said(version) => Ok(String::from_utf8_lossy(&version).into_owned()),
            Event::Ended(status) => Err(SessionError::Start(format!("it ended with {status}"))),
            other => Err(SessionError::Start(format!("{other:?}"))),
        }
    }

    /// The pipe on which the shell answers.
    pub(super) fn report_path(&self) -> &Path {
        &self.report_path
    }

    /// The line that reports the end of a run.
    pub(super) fn finish_line(&self) -> Vec<u8> {
        script::finish(&self.finish_path)
    }

    /// Where the state lies once the shell has said so.
    pub(super) fn state_path(&self) -> &Path {
        &self.state_path
    }

    /// Sends lines to the shell. They are far shorter than a pipe and the shell has read those
    /// before, so that this never waits.
    pub(super) fn send(&self, lines: &[u8]) -> Result<(), SessionError> {
        let sent = rustix::io::write(&self.control, lines).map_err(io::Error::from);
        let sent = sent.map_err(SessionError::system("write to bash"))?;
        if sent == lines.len() {
            return Ok(());
        }
        Err(SessionError::Start("its control pipe is full".to_owned()))
    }

    /// Waits for the next event, reading all output meanwhile.
    pub(super) fn wait(
        &mut self,
        kept: &mut Kept,
        waiting: &mut Waiting<'_>,
    ) -> Result<Event, SessionError> {
        let failed = SessionError::system("read from bash");
        if let Some(answer) = self.take_answer() {
            return Ok(Event::Said(answer));
        }
        let mut ready = kept.has_report();
        let mut lanes = Lanes::Later;
        loop {
            if ready && let Some(event) = self.event(kept, waiting.interrupt)? {
                return Ok(event);
            }
            if Instant::now() >= waiting.deadline {
                return Ok(Event::Late);
            }
            let answered = self.read_ready(kept, waiting, lanes).map_err(&failed)?;
            if answered {
                self.read_answers().map_err(&failed)?;
                if let Some(answer) = self.take_answer() {
                    return Ok(Event::Said(answer));
                }
            }
            (ready, lanes) = (true, Lanes::Now);
        }
    }

    /// The event that is there already. What the shell said comes before its end.
    fn event(
        &mut self,
        kept: &mut Kept,
        interrupt: Option<&Interrupt>,
    ) -> Result<Option<Event>, SessionError> {
        let failed = SessionError::system("read from bash");
        let report = kept.next_report().map_err(&failed)?;
        let mute = self.is_mute().map_err(&failed)?;
        self.read_answers().map_err(&failed)?;
        if let Some(answer) = self.take_answer() {
            // The end is told at the next wait.
            report.into_iter().for_each(|report| kept.put_back(report));
            return Ok(Some(Event::Said(answer)));
        }
        let end = match report {
            Some(Report::Exited(status)) => Some(Event::Ended(status)),
            Some(Report::Gone) => Some(Event::KeeperGone),
            Some(Report::Failed(why)) => return Err(SessionError::Start(why)),
            _ => None,
        };
        let signal = interrupt.and_then(Interrupt::signal).map(Event::Interrupted);
        Ok(end.or(signal).or(mute.then_some(Event::Mute)))
    }

    /// Whether the shell has read all its lines. It reads a line only after it has run the one
    /// before, and the last one is empty: with no answer by then there will be none.
    fn is_mute(&self) -> io::Result<bool> {
        Ok(unread(&self.control)? == 0)
    }

    /// Waits until some pipe is ready and reads the lanes among them; whether the shell answered.
    fn read_ready(
        &mut self,
        kept: &mut Kept,
        waiting: &mut Waiting<'_>,
        lanes: Lanes,
    ) -> io::Result<bool> {
        let mut descriptors = vec![self.report.as_fd(), kept.descriptor()];
        descriptors.extend(waiting.interrupt.map(Interrupt::descriptor));
        let own = descriptors.len();
        let look = match lanes {
            Lanes::Later => PATIENCE,
            Lanes::Now => {
                descriptors.extend(waiting.lanes.iter().flat_map(Lane::descriptors));
                LOOK
            }
        };
        let deadline = waiting.deadline.min(Instant::now() + look);
        let ready = wait_readable(&descriptors, Some(deadline))?;
        let answered = ready.first().copied().unwrap_or_default();
        let mut of_lanes = ready.into_iter().skip(own);
        waiting.lanes.iter_mut().try_for_each(|lane| lane.pump(&mut of_lanes, waiting.buffer))?;
        Ok(answered)
    }

    /// Reads all that the shell has answered.
    fn read_answers(&mut self) -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        while let Read::Some(count) = read_some(&self.report, &mut buffer)? {
            self.pending.extend(&buffer[..count]);
            if count < buffer.len() {
                break;
            }
        }
        Ok(())
    }

    /// Takes the first whole answer.
    fn take_answer(&mut self) -> Option<Vec<u8>> {
        let found = self.pending.iter().skip(self.searched).position(|byte| *byte == 0);
        let Some(end) = found.map(|at| at + self.searched) else {
            self.searched = self.pending.len();
            return None;
        };
        self.searched = 0;
        let answer = self.pending.drain(..end).collect();
        self.pending.pop_front();
        Some(answer)
    }
}

/// Waits until one of the lanes has something to read, and reads it; or until the time is over or
/// the user wants to stop.
pub(super) fn wait_for_output(
    lanes: &mut [Lane],
    (buffer, until): (&mut [u8], Instant),
    interrupt: Option<&Interrupt>,
) -> io::Result<()> {
    let mut descriptors: Vec<_> = interrupt.map(Interrupt::descriptor).into_iter().collect();
    let own = descriptors.len();
    descriptors.extend(lanes.iter().flat_map(Lane::descriptors));
    let ready = wait_readable(&descriptors, Some(until))?;
    let mut ready = ready.into_iter().skip(own);
    lanes.iter_mut().try_for_each(|lane| lane.pump(&mut ready, buffer))
}
