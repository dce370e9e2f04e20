//! The commands: each reads what it needs, does its work through the rooms below, and says how
//! it ended.

mod assess;
mod bisect;
mod build;
mod cluster_run;
mod doctor;
mod evidence;
mod external;
mod generate;
mod import;
mod judging;
mod kit;
mod known;
mod mutate;
mod new;
mod preview;
mod proof;
mod quick;
mod said;
mod seal;
mod serve;
mod show;
mod trust;
mod unchanged;
mod verify;

use std::path::{Path, PathBuf};

pub(crate) use bisect::bisect;
pub(crate) use build::{build, check};
pub(crate) use cluster_run::{cluster_run, cluster_shard};
pub(crate) use doctor::doctor;
pub(crate) use evidence::judge;
pub(crate) use generate::{completions, man, schema};
pub(crate) use import::import;
pub(crate) use kit::{check as kit_check, list as kit_list, pack as kit_pack};
pub(crate) use mutate::mutate;
pub(crate) use new::new;
pub(crate) use seal::seal;
pub(crate) use serve::serve;
pub(crate) use show::{diff, show};
pub(crate) use trust::trust;
pub(crate) use verify::verify;

use crate::cli::Common;
use crate::config::BOOK_TOML;
use crate::diag::Failure;
use crate::disk::{self, Lock};

/// Takes the lock of a site that is written to: its pages or its evidence.
///
/// # Errors
/// Another labdoc has it, or the folder cannot be opened.
fn write_lock(root: &Path) -> Result<Lock, Failure> {
    disk::lock(root)?.ok_or_else(|| {
        Failure::new(format!(
            "another labdoc is writing the pages or the evidence of {}",
            root.display()
        ))
        .hint("wait until it has ended; nothing was run and nothing was written")
    })
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All well.
    Clean,
    /// The documents are wrong.
    Findings,
    /// A signal stopped it.
    Signal(i32),
}

/// The book's root: `--root`, else the nearest parent with a `book.toml`.
fn find_root(common: &Common) -> Result<PathBuf, Failure> {
    if let Some(root) = &common.root {
        let root = disk::canonical(root)?;
        if !disk::is_file(&root.join(BOOK_TOML)) {
            return Err(Failure::new(format!("{} has no {BOOK_TOML}", root.display())));
        }
        return Ok(root);
    }
    let here = disk::current_folder()?;
    let found = here.ancestors().find(|folder| disk::is_file(&folder.join(BOOK_TOML)));
    found.map(Path::to_owned).ok_or_else(|| {
        Failure::new(format!("no {BOOK_TOML} here or in a folder above"))
            .hint("go into a site's folder, or name it with --root DIR")
    })
}

/// A count with its word.
fn plural(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
