//! Pipes that labdoc reads without ever waiting on one of them alone.

use super::platform;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// Makes a named pipe that only this user may open.
pub(crate) fn make_fifo(path: &Path) -> io::Result<()> {
    platform::named_pipe(path)
}

/// Opens the reading end of a named pipe; no writer needs to be there yet.
pub(crate) fn open_reader(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::empty())?)
}

/// Opens a named pipe for both ways, so that it never ends while labdoc lives.
pub(crate) fn open_both_ways(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::empty())?)
}

/// What one read of a pipe gave.
pub(crate) enum Read {
    /// So many bytes.
    Some(usize),
    /// Nothing now; a writer may still come.
    Nothing,
    /// No writer is left.
    End,
}

/// Reads once without waiting.
pub(crate) fn read_some(pipe: impl AsFd, buffer: &mut [u8]) -> io::Result<Read> {
    loop {
        match rustix::io::read(&pipe, &mut *buffer) {
            // A terminal that nobody holds any more says so with an error.
            Ok(0) | Err(Errno::IO) => return Ok(Read::End),
            Ok(count) => return Ok(Read::Some(count)),
            Err(Errno::AGAIN) => return Ok(Read::Nothing),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// How many bytes lie in a pipe unread.
pub(crate) fn unread(pipe: impl AsFd) -> io::Result<u64> {
    Ok(rustix::io::ioctl_fionread(pipe)?)
}

/// Waits until one of the descriptors can be read (or has ended) or the deadline is over, and
/// tells for each whether it is ready.
pub(crate) fn wait_readable(
    descriptors: &[BorrowedFd<'_>],
    deadline: Option<Instant>,
) -> io::Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> =
        descriptors.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    loop {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        match poll(&mut polled, left.map(timespec).as_ref()) {
            Ok(_) => return Ok(polled.iter().map(|fd| !fd.revents().is_empty()).collect()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A duration in the form that the kernel takes.
fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}
