//! Kits in temporary folders, for the tests of this room.
#![expect(clippy::disallowed_methods, reason = "tests run shells and tools on what was made")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::tree::{Kit, KitOptions};
use crate::diag::{Checked, Diagnostic, Place};
use crate::disk;

/// A site root in a temporary folder.
pub(super) struct Site {
    dir: tempfile::TempDir,
}

impl Site {
    /// An empty one.
    pub(super) fn new() -> Site {
        Site { dir: disk::temporary_folder("labdoc-kit-").unwrap() }
    }

    /// One with files below `labkit/`.
    pub(super) fn with(files: &[(&str, &str)]) -> Site {
        let site = Site::new();
        for (path, text) in files {
            site.write(path, text.as_bytes());
        }
        site
    }

    /// The root.
    pub(super) fn root(&self) -> &Path {
        self.dir.path()
    }

    /// A path below `labkit/`.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.root().join("labkit").join(path)
    }

    /// Writes a file below `labkit/`.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) {
        disk::write(&self.at(path), bytes).unwrap();
    }

    /// Loads a kit with its default options.
    pub(super) fn load(&self, name: &str) -> Checked<Kit> {
        Kit::load(self.root(), name, &KitOptions::default()).unwrap()
    }

    /// Loads a kit that has nothing wrong with it.
    pub(super) fn kit(&self, name: &str) -> Kit {
        let checked = self.load(name);
        assert_eq!(checked.diagnostics, [], "findings");
        checked.value
    }
}

/// Code and place of findings.
pub(super) fn codes(diagnostics: &[Diagnostic]) -> Vec<String> {
    let line = |line: Option<usize>| line.map(|n| format!(":{n}")).unwrap_or_default();
    let one = |finding: &Diagnostic| match &finding.place {
        Place::File(path, at) => format!("{} {path}{}", finding.code, line(*at)),
        _ => finding.code.to_owned(),
    };
    diagnostics.iter().map(one).collect()
}

/// Runs a shell command in `folder`.
pub(super) fn sh(folder: &Path, script: &str) -> Output {
    Command::new("sh").arg("-c").arg(script).current_dir(folder).output().unwrap()
}

/// Runs a shell command that must succeed, and gives its output.
pub(super) fn sh_ok(folder: &Path, script: &str) -> String {
    let output = sh(folder, script);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{script}: {text}{said}");
    text
}

/// Whether a tool is installed here.
pub(super) fn has(tool: &str) -> bool {
    sh(Path::new("/"), &format!("command -v {tool}")).status.success()
}
