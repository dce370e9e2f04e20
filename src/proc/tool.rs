//! A program that is run to its end within a time limit: labdoc's own questions to a tool.

use super::children::{spawn, wait_status};
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How much of each stream is kept.
const KEPT: u64 = 32 << 20;

/// How long the streams may stay open after the program's end (a helper may hold them).
const STREAMS_LIMIT: Duration = Duration::from_millis(500);

/// What is to be run. It gets labdoc's own environment with `env` on top.
pub(crate) struct Tool<'a> {
    /// The program.
    pub(crate) program: &'a Path,
    /// Its arguments.
    pub(crate) args: &'a [String],
    /// Variables that differ from labdoc's own.
    pub(crate) env: &'a [(OsString, OsString)],
    /// What it reads; nothing where there is none.
    pub(crate) input: Option<&'a [u8]>,
    /// How long it may take.
    pub(crate) limit: Duration,
}

/// How a tool ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolEnd {
    /// Its exit code; `None` where a signal or the time limit ended it.
    pub(crate) code: Option<i32>,
    /// Whether it was ended at its time limit.
    pub(crate) late: bool,
    /// What it printed.
    pub(crate) stdout: Vec<u8>,
    /// What it complained about.
    pub(crate) stderr: Vec<u8>,
}

/// Runs a tool in a process group of its own, which is ended as a whole at the limit.
pub(crate) fn run_tool(tool: &Tool<'_>) -> io::Result<ToolEnd> {
    let mut command = Command::new(tool.program);
    command.args(tool.args).envs(tool.env.iter().map(|(name, value)| (name, value)));
    let input = if tool.input.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = spawn(&mut command)?;
    let stdout = child.stdout.take().map(read_all);
    let stderr = child.stderr.take().map(read_all);
    if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), tool.input.map(<[u8]>::to_vec)) {
        // A tool that does not read its input says why itself.
        std::thread::spawn(move || pipe.write_all(&bytes));
    }
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (sender, ended) = channel();
    std::thread::spawn(move || sender.send(wait_status(&mut child)));
    let (status, late) = match ended.recv_timeout(tool.limit) {
        Ok(status) => (status, false),
        Err(_) => {
            if let Some(group) = group {
                let _ = kill_process_group(group, Signal::KILL);
            }
            (ended.recv().ok().flatten(), true)
        }
    };
    let take = |pipe: Option<Receiver<Vec<u8>>>| {
        pipe.and_then(|pipe| pipe.recv_timeout(STREAMS_LIMIT).ok()).unwrap_or_default()
    };
    let code = status.and_then(|status| status.code()).filter(|_| !late);
    Ok(ToolEnd { code, late, stdout: take(stdout), stderr: take(stderr) })
}

/// Reads a pipe to its end on a thread of its own.
fn read_all(pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut pipe = pipe;
        // What was read before an error is what there is; the rest is read and thrown away, so
        // that the tool is never held up.
        let _ = pipe.by_ref().take(KEPT).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a line of sh.
    fn run(line: &str, input: Option<&[u8]>, limit: Duration) -> ToolEnd {
        let args = ["-c".to_owned(), line.to_owned()];
        let env = [("FROM_TEST".into(), "seen".into())];
        run_tool(&Tool { program: Path::new("/bin/sh"), args: &args, env: &env, input, limit })
            .expect("runs")
    }

    #[test]
    fn code_streams_input_and_environment_pass() {
        let end = run("cat; echo $FROM_TEST; echo bad >&2; exit 3", Some(b"in\n"), Duration::MAX);
        assert_eq!((end.code, end.late), (Some(3), false));
        assert_eq!(
            (end.stdout.as_slice(), end.stderr.as_slice()),
            (&b"in\nseen\n"[..], &b"bad\n"[..])
        );
    }

    #[test]
    fn at_the_limit_everything_of_it_is_ended() {
        // The pipe ends when nobody holds it any more, so what was printed is here only then.
        let end = run("echo part; sleep 60 & sleep 61", None, Duration::from_millis(200));
        assert_eq!((end.code, end.late), (None, true));
        assert_eq!(end.stdout, b"part\n");
    }
}
