//! The only door to processes.
//!
//! A page's shell never hangs directly below labdoc. labdoc starts a *keeper* (`Kept`, the same
//! binary with a hidden argument), the keeper starts the shell (`keeper`), and whatever happens to
//! labdoc the keeper ends everything below itself (`tree`); `charge` is what it hears first. What a dead keeper leaves behind falls
//! to labdoc (`children`). `pipe` and `interrupt` are what the two sides wait on,
//! `folder` is where named pipes lie.

#![allow(clippy::disallowed_methods, reason = "this room is the door to processes and their pipes")]

mod ask;
mod browser;
mod capture;
mod charge;
mod children;
mod folder;
mod interrupt;
mod keeper;
mod kept;
mod pipe;
mod platform;
mod report;
mod terminal;
mod tool;
mod tree;

pub(crate) use browser::open_in_browser;
pub(crate) use keeper::{KEEPER_ARGUMENT, keeper_main};

pub(crate) use ask::ask;
pub(crate) use capture::{capture, interactive};
pub(crate) use folder::{PrivateFolder, file_bytes, forget_file, small_file};
pub(crate) use interrupt::Interrupt;
pub(crate) use kept::{Kept, KeptShell, let_go, start_ahead};
pub(crate) use pipe::{
    Read, make_fifo, open_both_ways, open_reader, read_some, unread, wait_readable,
};
pub(crate) use report::Report;
pub(crate) use terminal::Terminal;
pub(crate) use tool::{Tool, run_tool};

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A variable of labdoc's own environment.
pub(crate) fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

/// How many processes live below one of labdoc's own children.
pub(crate) fn count_below(pid: u32) -> usize {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.map_or(0, |pid| tree::descendants(pid).len())
}

/// What this machine runs.
pub(crate) struct System {
    /// `Linux`.
    pub(crate) name: String,
    /// The kernel's release.
    pub(crate) release: String,
    /// `x86_64`.
    pub(crate) machine: String,
}

impl System {
    /// Asks the kernel.
    pub(crate) fn here() -> System {
        let uname = rustix::system::uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        System {
            name: text(uname.sysname()),
            release: text(uname.release()),
            machine: text(uname.machine()),
        }
    }
}

/// The name of this machine.
pub(crate) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The first executable file called `name` in a `PATH` value; labdoc's own `PATH` when none is
/// given.
pub(crate) fn find_program(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    let path = path.map(OsStr::to_os_string).or_else(|| std::env::var_os("PATH"))?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| {
        file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    })
}
