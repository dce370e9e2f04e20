//! Programs that labdoc runs for itself: one that answers, and one that the user talks to.

use super::children::{spawn, wait_for};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// What a program answered.
pub(crate) struct Captured {
    /// Whether it came to a good end.
    pub(crate) success: bool,
    /// Its standard output.
    pub(crate) stdout: Vec<u8>,
    /// Its standard error.
    pub(crate) stderr: Vec<u8>,
}

/// Runs a program in a folder, with nothing to read, and takes what it prints.
pub(crate) fn capture(program: &str, args: &[&str], folder: &Path) -> io::Result<Captured> {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(&mut command)?;
    let mut errors = child.stderr.take();
    // Both pipes are emptied at once: a full one would stop the program.
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        errors.as_mut().map_or(Ok(0), |pipe| pipe.read_to_end(&mut bytes)).map(|_| bytes)
    });
    let mut stdout = Vec::new();
    if let Some(pipe) = &mut child.stdout {
        pipe.read_to_end(&mut stdout)?;
    }
    let stderr = reader.join().unwrap_or_else(|_| Ok(Vec::new()))?;
    Ok(Captured { success: wait_for(&mut child), stdout, stderr })
}

/// Runs a program on labdoc's own terminal until the user leaves it.
pub(crate) fn interactive(
    program: &Path,
    args: &[&OsStr],
    (folder, env): (&Path, &BTreeMap<OsString, OsString>),
) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env_clear().envs(env);
    let mut child = spawn(&mut command)?;
    wait_for(&mut child);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::capture;
    use std::path::Path;

    #[test]
    fn both_streams_and_the_end_are_taken() {
        let got = capture("sh", &["-c", "pwd; seq 1 40000 >&2; exit 3"], Path::new("/")).unwrap();
        assert_eq!((got.success, got.stdout.as_slice()), (false, b"/\n".as_slice()));
        assert!(got.stderr.ends_with(b"\n40000\n"));
    }
}
