//! Asking a program a question that has a short answer, such as its version.

use super::children::{spawn, wait_for};
use super::pipe::{Read, read_some, wait_readable};
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How much of an answer is read.
const MAX_ANSWER: usize = 64 * 1024;

/// How often to look whether a program that closed its streams has ended.
const LOOK: Duration = Duration::from_millis(10);

/// What a program answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Whether it ended with status 0.
    pub(crate) success: bool,
    /// Its standard output, then its standard error.
    pub(crate) text: String,
}

/// Runs a program with nothing on its standard input; `None` when it cannot be started, or has
/// not ended in time and was ended.
pub(crate) fn ask(program: &Path, arguments: &[&str], limit: Duration) -> Option<Answer> {
    let mut command = Command::new(program);
    command.args(arguments).env("LC_ALL", "C").env_remove(OsStr::new("KUBECONFIG"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(&mut command).ok()?;
    let deadline = Instant::now() + limit;
    let answer = read_both(&mut child, deadline);
    let success = ended_well(&mut child, deadline);
    if success.is_none() {
        let _ = child.kill();
    }
    wait_for(&mut child);
    let text = String::from_utf8_lossy(&answer.ok()?).into_owned();
    success.map(|success| Answer { success, text })
}

/// Reads both streams to their ends, or until the deadline.
fn read_both(child: &mut Child, deadline: Instant) -> io::Result<Vec<u8>> {
    let mut pipes: Vec<OwnedFd> = Vec::new();
    pipes.extend(child.stdout.take().map(OwnedFd::from));
    pipes.extend(child.stderr.take().map(OwnedFd::from));
    for pipe in &pipes {
        rustix::io::ioctl_fionbio(pipe, true)?;
    }
    let mut texts = vec![Vec::new(); pipes.len()];
    let mut open = vec![true; pipes.len()];
    let mut buffer = [0; 4096];
    while open.contains(&true) && Instant::now() < deadline {
        let waiting: Vec<usize> = (0..pipes.len()).filter(|at| open[*at]).collect();
        let descriptors: Vec<BorrowedFd<'_>> =
            waiting.iter().map(|at| pipes[*at].as_fd()).collect();
        let ready = wait_readable(&descriptors, Some(deadline))?;
        for (at, _) in waiting.iter().zip(ready).filter(|(_, ready)| *ready) {
            match read_some(&pipes[*at], &mut buffer)? {
                Read::Some(count) if texts[*at].len() < MAX_ANSWER => {
                    texts[*at].extend_from_slice(&buffer[..count]);
                }
                Read::Some(_) | Read::Nothing => {}
                Read::End => open[*at] = false,
            }
        }
    }
    Ok(texts.concat())
}

/// Whether the program ended with status 0; `None` when it has not ended by the deadline.
fn ended_well(child: &mut Child, deadline: Instant) -> Option<bool> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status.success());
        }
        if Instant::now() >= deadline {
            return None;
        }
        let _ = wait_readable(&[], Some(deadline.min(Instant::now() + LOOK)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, limit: Duration, expect: Option<(bool, &str)>) {
        let got = ask(Path::new("/bin/sh"), &["-c", line], limit);
        let got = got.as_ref().map(|answer| (answer.success, answer.text.as_str()));
        assert_eq!(got, expect, "{line}");
    }

    #[test]
    fn an_answer_is_bounded_in_time() {
        let long = Duration::from_secs(20);
        check("echo 1.2; echo why >&2", long, Some((true, "1.2\nwhy\n")));
        check("echo no; exit 3", long, Some((false, "no\n")));
        check("cat", long, Some((true, "")));
        check("sleep 600", Duration::from_millis(50), None);
    }
}
