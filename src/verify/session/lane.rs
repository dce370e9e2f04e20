//! The pipes on which one run prints.

use super::Streams;
use super::output::{Output, Sink};
use crate::proc::{
    Read, Terminal, forget_file, make_fifo, open_reader, read_some, unread, wait_readable,
};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the end of a terminal is waited for, and how long a silence counts as one: a
/// background child may hold it for ever.
const LINGER: Duration = Duration::from_secs(1);
const SILENCE: Duration = Duration::from_millis(50);

/// One stream: its pipe while somebody may write to it, and what came.
struct Stream {
    /// The named pipe's path.
    path: PathBuf,
    /// The reading end; `None` after the last writer has gone.
    pipe: Option<OwnedFd>,
    /// The other end of a terminal, held until its run is over.
    terminal: Option<OwnedFd>,
    /// What came.
    sink: Sink,
}

impl Stream {
    /// Makes the named pipe and opens it for reading.
    fn open(path: PathBuf, limit: usize) -> io::Result<Self> {
        make_fifo(&path)?;
        let pipe = Some(open_reader(&path)?);
        Ok(Self { path, pipe, terminal: None, sink: Sink::new(limit) })
    }

    /// Opens a terminal.
    fn terminal(limit: usize) -> io::Result<Self> {
        let Terminal { reader, held, path } = Terminal::open()?;
        let (pipe, terminal) = (Some(reader), Some(held));
        Ok(Self { path, pipe, terminal, sink: Sink::new(limit) })
    }

    /// Lets go of a terminal and reads what is on its way: the kernel hands it on in its own
    /// time, so that its end or a silence is waited for.
    fn end_terminal(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        if self.terminal.take().is_none() {
            return Ok(());
        }
        let deadline = Instant::now() + LINGER;
        while let Some(pipe) = self.pipe.as_ref().filter(|_| Instant::now() < deadline) {
            wait_readable(&[pipe.as_fd()], Some(deadline.min(Instant::now() + SILENCE)))?;
            if self.pump(buffer)? == 0 {
                break;
            }
        }
        Ok(())
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
    /// Opens the pipes of run `run` in a folder, their names with this end.
    pub(super) fn open(
        (folder, end): (&Path, &str),
        run: usize,
        streams: Streams,
        limit: usize,
    ) -> io::Result<Self> {
        let pipe = |letter| Stream::open(folder.join(format!("{letter}{end}")), limit);
        let (out, err) = match streams {
            Streams::Joined => (pipe('o')?, None),
            Streams::Apart => (pipe('o')?, Some(pipe('e')?)),
            Streams::Terminal => (Stream::terminal(limit)?, None),
        };
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

    /// The terminal that the block reads from, where it has one.
    pub(super) fn in_path(&self) -> Option<&Path> {
        self.out.terminal.as_ref().map(|_| self.out.path.as_path())
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
        let is_terminal = self.out.terminal.is_some();
        self.out.end_terminal(buffer)?;
        let limit = self.limit;
        let out = self.out.take(limit);
        let err = self.err.as_mut().map(|stream| stream.take(limit));
        for stream in self.streams() {
            if !is_terminal {
                forget_file(&stream.path);
            }
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
