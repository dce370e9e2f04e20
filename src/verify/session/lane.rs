//! The pipes on which one run prints.

use super::output::{Output, Sink};
use crate::proc::{Read, forget_file, make_fifo, open_reader, read_some, unread};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// One stream: its pipe while somebody may write to it, and what came.
struct Stream {
    /// The named pipe's path.
    path: PathBuf,
    /// The reading end; `None` after the last writer has gone.
    pipe: Option<OwnedFd>,
    /// What came.
    sink: Sink,
}

impl Stream {
    /// Makes the named pipe and opens it for reading.
    fn open(path: PathBuf, limit: usize) -> io::Result<Self> {
        make_fifo(&path)?;
        let pipe = Some(open_reader(&path)?);
        Ok(Self { path, pipe, sink: Sink::new(limit) })
    }

    /// Reads once, when something is there.
    fn pump(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(pipe) = &self.pipe else { return Ok(0) };
        match read_some(pipe, buffer)? {
            Read::Some(count) => {
                self.sink.push(&buffer[..count]);
                return Ok(count);
            }
            Read::Nothing => {}
            Read::End => self.pipe = None,
        }
        Ok(0)
    }

    /// Reads what lies in the pipe now, and no more: a background child may write for ever.
    fn drain(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        let mut left = match &self.pipe {
            Some(pipe) => usize::try_from(unread(pipe)?).unwrap_or(usize::MAX),
            None => 0,
        };
        while left > 0 {
            let piece = left.min(buffer.len());
            let count = self.pump(&mut buffer[..piece])?;
            if count == 0 {
                break;
            }
            left -= count;
        }
        Ok(())
    }

    /// What came so far; from here on everything is late.
    fn take(&mut self, limit: usize) -> Output {
        std::mem::replace(&mut self.sink, Sink::new(limit)).finish()
    }
}

/// The output of one run: one stream, or two when the standard error is kept apart.
///
/// A lane outlives its run as long as a background child may write to it; what comes then is the
/// run's *late* output.
pub(super) struct Lane {
    /// Which run.
    pub(super) run: usize,
    /// Standard output, and standard error unless kept apart.
    out: Stream,
    /// Standard error kept apart.
    err: Option<Stream>,
    /// How many bytes a stream keeps.
    limit: usize,
    /// Whether it is a background block's, whose output belongs together to the end.
    kept: bool,
}

impl Lane {
    /// Opens the pipes of run `run` in `folder`.
    pub(super) fn open(folder: &Path, run: usize, apart: bool, limit: usize) -> io::Result<Self> {
        let out = Stream::open(folder.join(format!("o{run}")), limit)?;
        let err = apart.then(|| Stream::open(folder.join(format!("e{run}")), limit)).transpose()?;
        Ok(Self { run, out, err, limit, kept: false })
    }

    /// Makes it a background block's.
    pub(super) fn keep(&mut self) {
        self.kept = true;
    }

    /// What came on the standard output so far.
    pub(super) fn so_far(&self) -> Vec<u8> {
        self.out.sink.so_far()
    }

    /// The path of the standard output's pipe.
    pub(super) fn out_path(&self) -> &Path {
        &self.out.path
    }

    /// The path of the standard error's own pipe.
    pub(super) fn err_path(&self) -> Option<&Path> {
        self.err.as_ref().map(|stream| stream.path.as_path())
    }

    /// Both streams.
    fn streams(&mut self) -> impl Iterator<Item = &mut Stream> {
        std::iter::once(&mut self.out).chain(&mut self.err)
    }

    /// The descriptors that may still give something.
    pub(super) fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        std::iter::once(&self.out)
            .chain(&self.err)
            .filter_map(|stream| stream.pipe.as_ref().map(AsFd::as_fd))
    }

    /// Reads once from those streams for which `ready` says so, in the order of `descriptors`.
    pub(super) fn pump(
        &mut self,
        ready: &mut impl Iterator<Item = bool>,
        buffer: &mut [u8],
    ) -> io::Result<()> {
        for stream in self.streams().filter(|stream| stream.pipe.is_some()) {
            if ready.next().unwrap_or_default() {
                stream.pump(buffer)?;
            }
        }
        Ok(())
    }

    /// Reads what lies in the pipes now.
    pub(super) fn drain(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        self.streams().try_for_each(|stream| stream.drain(buffer))
    }

    /// Ends the run: what came, and from here on all is late. The names of the pipes go, those who
    /// hold them keep them.
    pub(super) fn take(&mut self, buffer: &mut [u8]) -> io::Result<(Output, Option<Output>)> {
        self.drain(buffer)?;
        let limit = self.limit;
        let out = self.out.take(limit);
        let err = self.err.as_mut().map(|stream| stream.take(limit));
        for stream in self.streams() {
            forget_file(&stream.path);
            // Learns whether a writer is left.
            stream.pump(buffer)?;
        }
        Ok((out, err))
    }

    /// Whether somebody may still write, or has written late.
    pub(super) fn is_alive(&self) -> bool {
        let mut streams = std::iter::once(&self.out).chain(&self.err);
        self.kept || streams.any(|stream| stream.pipe.is_some() || !stream.sink.is_empty())
    }

    /// The late output that came since the last call, standard error behind standard output.
    pub(super) fn late(&mut self, buffer: &mut [u8]) -> io::Result<Vec<Output>> {
        self.drain(buffer)?;
        let limit = self.limit;
        Ok(self
            .streams()
            .filter(|stream| !stream.sink.is_empty())
            .map(|stream| stream.take(limit))
            .collect())
    }
}
