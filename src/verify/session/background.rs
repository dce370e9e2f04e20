//! Blocks that run on while later ones run, and waiting for what they do.

use super::lane::Lane;
use super::run::Leaves;
use super::script::{self, Pipestatus, Places};
use super::shell::wait_for_output;
use super::{End, Outcome, Request, Session, SessionError};
use crate::proc::{Interrupt, small_file};
use crate::verify::redact::Masked;
use std::time::Instant;

/// How a background block began.
pub(crate) enum Started {
    /// It runs; the session's number for the run.
    Running(usize),
    /// It could not begin: a syntax error, or a shell that ended.
    Failed(Box<Outcome>),
}

/// How a background block stands.
pub(crate) struct Look {
    /// Its status, once it has ended by itself.
    pub(crate) ended: Option<i32>,
    /// What it has printed so far.
    pub(crate) output: Vec<u8>,
}

impl Session {
    /// Starts a block that runs on.
    pub(crate) fn start_background(
        &mut self,
        request: &Request<'_>,
    ) -> Result<Started, SessionError> {
        let (run, rebuilt) = self.prepare(request)?;
        let text = self.pass(&format!("t{run}"), request.text.as_bytes())?;
        if let Some(finish) = self.check(request, &text)? {
            let outcome = self.not_run(finish, request);
            return Ok(Started::Failed(Box::new(self.hidden(Outcome { rebuilt, ..outcome }))));
        }
        let failed = SessionError::system("start the background block");
        let (folder, limit) = (self.folder.path(), self.options.output_limit);
        let mut lane =
            Lane::open((folder, &run.to_string()), run, request.streams, limit).map_err(&failed)?;
        let status = folder.join(format!("b{run}"));
        let places = Places {
            input: lane.in_path(),
            out: lane.out_path(),
            err: lane.err_path(),
            pipestatus: Pipestatus::Unknown,
        };
        let begin = Instant::now();
        if let Some(shell) = &self.shell {
            let begin = script::background(&text, &places, &status);
            shell.send(&[begin, shell.finish_line()].concat())?;
        }
        lane.keep();
        self.lanes.push(lane);
        let finish = self.wait_for_end(request, begin, Leaves::Anything)?;
        if let End::Exited(_) = finish.end {
            return Ok(Started::Running(run));
        }
        let outcome = self.not_run(finish, request);
        Ok(Started::Failed(Box::new(self.hidden(Outcome { rebuilt, ..outcome }))))
    }

    /// How the background block of a run stands.
    pub(crate) fn look(&mut self, run: usize) -> Result<Look, SessionError> {
        let failed = SessionError::system("look at the background block");
        let status = self.folder.path().join(format!("b{run}"));
        // First the status, so that the output is whole when it is there.
        let ended = small_file(&status).and_then(|text| text.trim().parse().ok());
        let lane = self.lanes.iter_mut().find(|lane| lane.run == run);
        let output = match lane {
            Some(lane) => {
                lane.drain(&mut self.buffer).map_err(failed)?;
                lane.so_far()
            }
            None => Vec::new(),
        };
        let output = self.options.redactor.redact_bytes(&output, &mut Masked::new());
        Ok(Look { ended, output })
    }

    /// Waits until something is printed, the user wants to stop, or the time is over.
    pub(crate) fn idle(
        &mut self,
        until: Instant,
        interrupt: Option<&Interrupt>,
    ) -> Result<(), SessionError> {
        wait_for_output(&mut self.lanes, (&mut self.buffer, until), interrupt)
            .map_err(SessionError::system("wait for output"))
    }
}
