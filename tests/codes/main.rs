//! Every documented code can be provoked through the binary, at the level that is documented; the
//! table has no code that is not documented, and `tests/tidy.rs` holds that the sources have none.
#![allow(
    clippy::disallowed_methods,
    reason = "a test looks at the disk and starts programs itself"
)]

#[path = "../cli/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with tests/cli, which uses all of it")]
mod support;

mod cluster;
mod evidence;
mod kits;
mod pages;
mod runs;
mod text;
mod verify;

use std::collections::BTreeMap;

use regex::Regex;
use support::{World, try_all};

/// A code and the smallest thing that provokes it.
pub(crate) struct Row {
    code: &'static str,
    how: How,
}

/// What is done.
pub(crate) enum How {
    /// A site is checked; a code of level R is looked for in a release too.
    Check(fn(&Scenes) -> World),
    /// A site is verified.
    Verify(fn(&Scenes) -> World),
    /// Something else; what both streams said.
    Other(fn(&Scenes) -> String),
}

/// Sites that take a while to make, each made once.
pub(crate) struct Scenes {
    /// The site `proof`, recorded and sealed.
    proven: World,
}

impl Scenes {
    /// The site `proof` with one part of one file replaced.
    pub(crate) fn edited(&self, path: &str, from: &str, to: &str) -> World {
        let world = self.proven.copy();
        world.edit(path, from, to);
        world
    }
}

/// A row whose site is checked.
const fn check(code: &'static str, world: fn(&Scenes) -> World) -> Row {
    Row { code, how: How::Check(world) }
}

/// A row whose site is verified.
const fn verify(code: &'static str, world: fn(&Scenes) -> World) -> Row {
    Row { code, how: How::Verify(world) }
}

/// A row that does something else.
const fn other(code: &'static str, said: fn(&Scenes) -> String) -> Row {
    Row { code, how: How::Other(said) }
}

/// Runs labdoc; what it said on both streams, however it ended.
fn says(world: &World, arguments: &str) -> String {
    let ended = world.labdoc(arguments).end();
    format!("{}{}", ended.stdout, ended.stderr)
}

impl Row {
    /// What is wrong, if something is: every finding of the code has the level that is documented.
    fn attempt(&self, scenes: &Scenes, level: &str) -> Result<(), String> {
        let word = |level| match level {
            "E" => "error",
            "N" => "note",
            _ => "warning",
        };
        match &self.how {
            How::Check(world) => {
                let world = world(scenes);
                self.look(&says(&world, "check"), word(level))?;
                if level == "R" {
                    self.look(&says(&world, "check --release"), "error")?;
                }
                Ok(())
            }
            How::Verify(world) => self.look(&says(&world(scenes), "verify"), word(level)),
            How::Other(said) => self.look(&said(scenes), word(level)),
        }
    }

    /// Looks for the code at a level, and at no other.
    fn look(&self, said: &str, word: &str) -> Result<(), String> {
        let code = self.code;
        let plain = said.contains(&format!("{word}[{code}]: "));
        let json = said.contains(&format!("\"level\":\"{word}\",\"code\":\"{code}\""));
        let others = said.matches(&format!("[{code}]: ")).count();
        if json || (plain && others == said.matches(&format!("{word}[{code}]: ")).count()) {
            return Ok(());
        }
        Err(format!("{code}: no {word}[{code}] alone in\n{said}"))
    }
}

/// The documented codes with their levels.
fn documented() -> BTreeMap<String, String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/content/guide/findings.en.md");
    let text = std::fs::read_to_string(path).expect("content/guide/findings.en.md");
    let row = Regex::new(r"(?m)^\| ([A-Z]{2}[0-9]{3}) \| ([ERWN]) \|").expect("pattern");
    row.captures_iter(&text).map(|found| (found[1].to_owned(), found[2].to_owned())).collect()
}

#[test]
fn every_documented_code_can_be_provoked_at_its_level() {
    let levels = documented();
    let all = [
        pages::ROWS,
        text::ROWS,
        kits::ROWS,
        evidence::ROWS,
        runs::ROWS,
        verify::ROWS,
        cluster::ROWS,
    ];
    let rows: Vec<&Row> = all.into_iter().flatten().collect();
    let tried: BTreeMap<&str, &Row> = rows.iter().map(|row| (row.code, *row)).collect();
    let untried: Vec<&String> =
        levels.keys().filter(|code| !tried.contains_key(code.as_str())).collect();
    let unknown: Vec<&&str> = tried.keys().filter(|code| !levels.contains_key(**code)).collect();
    assert!(
        untried.is_empty() && unknown.is_empty(),
        "no row: {untried:?}; not documented: {unknown:?}"
    );
    let scenes = Scenes { proven: World::proven() };
    try_all(&rows, |row| row.attempt(&scenes, &levels[row.code]));
}
