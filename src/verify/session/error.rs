//! Why a session could not go on. What a block does is never such an error.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A reason that lies outside the block.
#[derive(Debug)]
pub(crate) enum SessionError {
    /// There is no bash on the `PATH`.
    NoBash,
    /// The bash that was found is older than 4.0.
    OldBash {
        /// Where it was found.
        path: PathBuf,
        /// What it says of itself.
        version: String,
    },
    /// The folder to run in is none.
    NoFolder(PathBuf),
    /// The block's text holds a NUL byte, which no shell can take.
    NulByte {
        /// The line of the block that holds it.
        line: usize,
    },
    /// The shell did not start.
    Start(String),
    /// The system refused something.
    System {
        /// What labdoc tried.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl SessionError {
    /// For `map_err`: the system refused `action`.
    pub(super) fn system(action: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::System { action, source }
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBash => f.write_str("no bash on the PATH: install bash 4.0 or newer"),
            Self::OldBash { path, version } => write!(
                f,
                "{} is bash {version}, too old: put bash 4.0 or newer first on the PATH",
                path.display()
            ),
            Self::NoFolder(path) => {
                write!(f, "the folder to run in does not exist: {}", path.display())
            }
            Self::NulByte { line } => {
                write!(f, "line {line} of the block holds a NUL byte: write it as an escape, \\0")
            }
            Self::Start(why) => write!(f, "bash did not start: {why}"),
            Self::System { action, source } => write!(f, "could not {action}: {source}"),
        }
    }
}

impl std::error::Error for SessionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            _ => None,
        }
    }
}
