//! Where Linux and the other systems differ in processes and pipes.

use rustix::process::Pid;
use std::io;
use std::path::Path;

/// Makes this process the parent of every orphan below it.
#[cfg(target_os = "linux")]
pub(super) fn adopt_orphans() {
    // A kernel without it leaves the keeper with what it can reach; nothing to do about it here.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Other systems have no such parent: an orphan goes to process 1.
#[cfg(not(target_os = "linux"))]
pub(super) fn adopt_orphans() {}

/// The children of a process.
#[cfg(target_os = "linux")]
pub(super) fn children_of(pid: Pid) -> Vec<Pid> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_pid())) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for task in tasks.flatten() {
        match std::fs::read_to_string(task.path().join("children")) {
            Ok(list) => found.extend(list.split_whitespace().filter_map(parse_pid)),
            // Some kernels are built without this list.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return children_by_scan(pid);
            }
            Err(_) => {}
        }
    }
    found
}

/// The children of a process, found by the parent that every process names.
#[cfg(target_os = "linux")]
fn children_by_scan(parent: Pid) -> Vec<Pid> {
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    all.flatten()
        .filter_map(|entry| parse_pid(&entry.file_name().to_string_lossy()))
        .filter(|pid| stat_field(*pid, 1).and_then(|raw| parse_pid(&raw)) == Some(parent))
        .collect()
}

/// A field of `/proc/PID/stat`, counted from the state that follows the command's name.
#[cfg(target_os = "linux")]
fn stat_field(pid: Pid, index: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    // The name may hold blanks and brackets; the last bracket ends it.
    stat.rsplit_once(") ")?.1.split(' ').nth(index).map(str::to_owned)
}

/// The terminal session of a process. It is 0 when the session began outside of this process's pid
/// namespace (`docker exec`), which `getsid` of rustix does not allow for.
#[cfg(target_os = "linux")]
pub(super) fn session_of(pid: Pid) -> Option<i32> {
    stat_field(pid, 3)?.parse().ok()
}

/// The terminal session of a process.
#[cfg(not(target_os = "linux"))]
pub(super) fn session_of(pid: Pid) -> Option<i32> {
    rustix::process::getsid(Some(pid)).ok().map(|session| session.as_raw_pid())
}

/// How often the command line of a process is asked for that has none.
#[cfg(target_os = "linux")]
const LOOKS: usize = 20;

/// The command line of a living process; `None` for a dead one that nobody reaped yet. One that is
/// just becoming another program has none for a moment; one that took its own away has its name.
#[cfg(target_os = "linux")]
pub(super) fn command_line(pid: Pid) -> Option<String> {
    for _ in 0..LOOKS {
        let bytes = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_pid())).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let line = text.trim_end_matches('\0').replace('\0', " ");
        if !line.is_empty() {
            return Some(line);
        }
        if matches!(stat_field(pid, 0)?.as_str(), "Z" | "X") {
            return None;
        }
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
    let name = std::fs::read_to_string(format!("/proc/{}/comm", pid.as_raw_pid())).ok()?;
    Some(format!("[{}]", name.trim_end()))
}

/// The children of a process, and the orphans that stayed in its process group: a keeper leads
/// one, and nobody can be made the parent of its orphans. Those that left the group as well stay.
#[cfg(not(target_os = "linux"))]
pub(super) fn children_of(pid: Pid) -> Vec<Pid> {
    ps(&["-axo", "pid=,ppid=,pgid="])
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let child = parse_pid(words.next()?)?;
            let below = words.filter_map(parse_pid).any(|above| above == pid);
            (below && child != pid).then_some(child)
        })
        .collect()
}

/// The command line of a living process; `None` for a dead one that nobody reaped yet.
#[cfg(not(target_os = "linux"))]
pub(super) fn command_line(pid: Pid) -> Option<String> {
    let shown = ps(&["-o", "stat=,command=", "-p", &pid.as_raw_pid().to_string()]);
    let (state, line) = shown.trim().split_once(' ')?;
    (!state.starts_with('Z')).then(|| line.trim().to_owned())
}

/// What `ps` prints; empty when it cannot be run.
#[cfg(not(target_os = "linux"))]
fn ps(args: &[&str]) -> String {
    let output = std::process::Command::new("/bin/ps").args(args).output();
    output.map(|found| String::from_utf8_lossy(&found.stdout).into_owned()).unwrap_or_default()
}

/// Makes a named pipe that only this user may open.
#[cfg(target_os = "linux")]
pub(super) fn named_pipe(path: &Path) -> io::Result<()> {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    Ok(rustix::fs::mkfifoat(rustix::fs::CWD, path, mode)?)
}

/// Makes a named pipe that only this user may open.
#[cfg(not(target_os = "linux"))]
pub(super) fn named_pipe(path: &Path) -> io::Result<()> {
    let status = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(path).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other("mkfifo failed")) }
}

/// A process id from its decimal text.
fn parse_pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}
