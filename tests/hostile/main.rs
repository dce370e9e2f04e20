//! Documents, records and archives that want to do harm. Each is given to the binary with half a
//! gigabyte of memory and seconds of processor time: it must end by itself, say in words what is wrong (or do its work), write
//! nothing outside the site, and run nothing.
#![allow(
    clippy::disallowed_methods,
    reason = "a test looks at the disk and starts programs itself"
)]

#[path = "../cli/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with tests/cli, which uses all of it")]
mod support;

mod archives;
mod drawings;
mod paths;
mod records;
mod sizes;
mod text;

use support::{World, try_all};

/// Memory that labdoc may ask for, in KiB.
const MEMORY: u32 = 512 * 1024;

/// Seconds of processor time that labdoc may take, whatever else the machine does. Without
/// optimisation it takes some ten times as many as what people use, which stays far below ten.
const CPU: u32 = 20;

/// Seconds after which it hangs: far more than anything here may take on a slow machine.
const HANGS: u32 = 300;

/// One attempt: what is in the site, what is done, and what must come of it.
struct Case {
    /// What it tries, in a few words.
    name: &'static str,
    /// Makes the site.
    site: fn() -> World,
    /// The arguments of labdoc.
    command: &'static str,
    /// The exit code.
    code: i32,
    /// What labdoc says; several parts are parted by `|`.
    says: &'static str,
}

/// A case of `labdoc check`.
const fn check(name: &'static str, code: i32, says: &'static str, site: fn() -> World) -> Case {
    Case { name, site, command: "check", code, says }
}

/// A case of `labdoc build`.
const fn build(name: &'static str, code: i32, says: &'static str, site: fn() -> World) -> Case {
    Case { name, site, command: "build", code, says }
}

/// Tries every case of a table.
#[track_caller]
fn hold(cases: &[Case]) {
    try_all(cases, |case| attempt(case).map_err(|fault| format!("{}: {fault}", case.name)));
}

/// Tries a case.
fn attempt(case: &Case) -> Result<(), String> {
    let world = (case.site)();
    // All but the site, in which labdoc makes its output and its cache.
    let outside = || -> Vec<(String, Vec<u8>)> {
        let names = world.names("..").into_iter().filter(|name| name != "site");
        names.flat_map(|name| below(&world, &name)).collect()
    };
    let before = outside();
    let line = format!(
        "ulimit -d {MEMORY}; ulimit -t {CPU}; ulimit -c 0; exec timeout -s KILL {HANGS} {} --jobs 2 {}",
        env!("CARGO_BIN_EXE_labdoc"),
        case.command
    );
    let ended = world.bash(&line).any_output().end();
    let said = format!("{}{}", ended.stdout, ended.stderr);
    let shown: String = said.chars().take(2000).collect();
    if ended.code != Some(case.code) {
        return Err(format!("exit code {:?}, not {}\n{shown}", ended.code, case.code));
    }
    if said.contains("panicked at") {
        return Err(format!("it panicked\n{shown}"));
    }
    if let Some(c) = said.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(format!("it printed {c:?}\n{}", shown.escape_debug()));
    }
    if let Some(part) = case.says.split('|').find(|part| !said.contains(part)) {
        return Err(format!("it does not say {part:?}\n{shown}"));
    }
    let after = outside();
    if before != after {
        let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
            files.iter().map(|(path, _)| path.clone()).collect()
        };
        let (before, after) = (names(&before), names(&after));
        return Err(format!("it wrote outside the site: {before:?}, then {after:?}"));
    }
    Ok(())
}

/// A file or a folder beside the site, with all that is below it.
fn below(world: &World, name: &str) -> Vec<(String, Vec<u8>)> {
    let path = world.base().join(name);
    if !path.is_dir() {
        return vec![(name.to_owned(), std::fs::read(path).expect("file"))];
    }
    let tree = support::Tree::read(&path).0.into_iter();
    let files = tree.map(|(path, entry)| (format!("{name}/{path}"), entry.bytes));
    std::iter::once((name.to_owned(), Vec::new())).chain(files).collect()
}

/// The text of a page that is not to be run: it would leave a file.
fn page(text: &str) -> World {
    World::page(&format!("# A\n\n```sh {{#a}}\ntouch ../tmp/ran\n```\n\n{text}\n"))
}
