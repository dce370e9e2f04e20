//! A terminal of one's own for a block that asks for one.

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, Winsize, tcgetattr, tcsetattr, tcsetwinsize,
};
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// The size of the terminal, the same as `COLUMNS` and `LINES` say.
const SIZE: Winsize = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };

/// What a reader gets at the end of a line that nobody typed: the end of the input.
const END_OF_INPUT: &[u8] = b"\x04";

/// A terminal: what is written to its path can be read here.
pub(crate) struct Terminal {
    /// Where labdoc reads, without waiting.
    pub(crate) reader: OwnedFd,
    /// Keeps it from ending before the block has opened it.
    pub(crate) held: OwnedFd,
    /// The path that the block opens.
    pub(crate) path: PathBuf,
}

impl Terminal {
    /// Opens one. It neither echoes nor changes line ends, and whoever reads from it finds the
    /// end of the input, since nobody types.
    pub(crate) fn open() -> io::Result<Terminal> {
        let reader = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&reader)?;
        unlockpt(&reader)?;
        rustix::io::fcntl_setfd(&reader, rustix::io::FdFlags::CLOEXEC)?;
        let name = ptsname(&reader, Vec::new())?;
        let path = PathBuf::from(OsStr::from_bytes(name.as_bytes()));
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let held = open(&path, flags, Mode::empty())?;
        let mut modes = tcgetattr(&held)?;
        modes.output_modes.remove(OutputModes::OPOST);
        modes.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&held, OptionalActions::Now, &modes)?;
        tcsetwinsize(&held, SIZE)?;
        rustix::io::ioctl_fionbio(&reader, true)?;
        rustix::io::write(&reader, END_OF_INPUT)?;
        Ok(Terminal { reader, held, path })
    }
}
