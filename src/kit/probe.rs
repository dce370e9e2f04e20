//! What the bytes of one file say: digest, size, script or not, text or not, and what would fail
//! on the reader's side.

use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::diag::{Checked, Diagnostic, Failure};
use crate::digest::hex;
use crate::disk;

/// Files up to this size are looked at whole; beyond it only digest and text are computed after
/// the first part, so that memory stays bounded.
const WHOLE: u64 = 4 << 20;

/// What is known about the bytes of a file.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// How many there are.
    pub(super) size: u64,
    /// Their SHA-256 in hex.
    pub(super) sha256: String,
    /// Whether they begin with a shebang.
    pub(super) executable: bool,
    /// Whether they are UTF-8 without NUL.
    pub(super) text: bool,
}

/// Reads the file at `path` once; findings name it as `at`.
pub(super) fn probe(path: &Path, at: &str) -> Result<Checked<Facts>, Failure> {
    let mut file = disk::open(path)?;
    let failure = |error: std::io::Error| Failure::new(format!("cannot read {at}: {error}"));
    let mut first = Vec::new();
    (&mut file).take(WHOLE).read_to_end(&mut first).map_err(failure)?;
    let mut running = Running::default();
    running.update(&first);
    let mut buffer = vec![0; if first.len() as u64 == WHOLE { 64 << 10 } else { 1 }];
    loop {
        match file.read(&mut buffer).map_err(failure)? {
            0 => break,
            count => running.update(&buffer[..count]),
        }
    }
    let whole = running.size == first.len() as u64;
    let facts = running.finish(has_shebang(&first));
    let mut diagnostics = Vec::from_iter(check_script(&first, at));
    if whole && facts.text && is_yaml(at) {
        diagnostics.extend(check_yaml(&first, at));
    }
    Ok(Checked { value: facts, diagnostics })
}

/// Digest, size and text of bytes that come in parts.
#[derive(Default)]
struct Running {
    hasher: Sha256,
    size: u64,
    /// The beginning of a character that the next part may finish.
    open: Vec<u8>,
    binary: bool,
}

impl Running {
    /// Takes the next part.
    fn update(&mut self, part: &[u8]) {
        self.hasher.update(part);
        self.size += part.len() as u64;
        if !self.binary {
            self.open.extend_from_slice(part);
            self.look_at_text();
        }
    }

    /// Checks what is complete and keeps the rest.
    fn look_at_text(&mut self) {
        let good = match std::str::from_utf8(&self.open) {
            Ok(_) => self.open.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => {
                self.binary = true;
                self.open.len()
            }
        };
        self.binary |= self.open[..good].contains(&0);
        self.open.drain(..good);
    }

    /// What all parts together are.
    fn finish(self, executable: bool) -> Facts {
        let text = !self.binary && self.open.is_empty();
        Facts { size: self.size, sha256: hex(&self.hasher.finalize()), executable, text }
    }
}

/// Whether a file begins with a shebang. Rust sources begin with `#![…]`, which is none.
fn has_shebang(bytes: &[u8]) -> bool {
    let rest = bytes.strip_prefix(b"#!").unwrap_or_default();
    rest.iter().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'/')
}

/// The finding about a script that would not start, or would not be started.
fn check_script(bytes: &[u8], at: &str) -> Option<Diagnostic> {
    let after_mark = bytes.strip_prefix(b"\xef\xbb\xbf");
    if after_mark.is_some_and(has_shebang) {
        return Some(bad_start(at, 1, "a byte-order mark"));
    }
    if has_shebang(bytes) {
        let line_end = bytes.windows(2).position(|pair| pair == b"\r\n")?;
        let line = bytes[..line_end].iter().filter(|byte| **byte == b'\n').count() + 1;
        return Some(bad_start(at, line, "Windows line ends"));
    }
    at.ends_with(".sh").then(|| {
        let message = format!("{at} has no shebang; it will not be marked executable");
        Diagnostic::warning("KT308", message)
            .in_file(at, Some(1))
            .hint("begin it with `#!/bin/sh` or `#!/usr/bin/env bash`, or name it otherwise")
    })
}

/// The finding for a script with a mark or line ends that the shell trips over.
fn bad_start(at: &str, line: usize, what: &str) -> Diagnostic {
    let effect = if line == 1 { "the shebang would fail" } else { "the shell would see `\\r`" };
    Diagnostic::error("KT307", format!("{at}:{line} has {what}; {effect}"))
        .in_file(at, Some(line))
        .hint("save it as UTF-8 without a mark and with LF; `*.sh text eol=lf` in .gitattributes keeps it so")
}

/// Whether a path promises YAML.
fn is_yaml(path: &str) -> bool {
    path.ends_with(".yaml") || path.ends_with(".yml")
}

/// The finding about a file that is no YAML. A file may hold many documents, anchors and tags; it
/// is not taken for a template.
fn check_yaml(bytes: &[u8], at: &str) -> Option<Diagnostic> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut options = serde_saphyr::Options::default();
    options.duplicate_keys = serde_saphyr::DuplicateKeyPolicy::Error;
    options.with_snippet = false;
    options.non_finite_float_policy = serde_saphyr::options::NonFiniteFloatPolicy::PassThrough;
    let error =
        serde_saphyr::from_multiple_with_options::<serde::de::IgnoredAny>(text, options).err()?;
    if matches!(error.without_snippet(), serde_saphyr::Error::Budget { .. }) {
        // Large is not wrong.
        return None;
    }
    let line = error.location().map_or(1, |place| place.line() as usize).max(1);
    let reason = error.without_snippet().to_string();
    let reason = reason.lines().next().unwrap_or_default().to_owned();
    let finding = Diagnostic::error("KT310", format!("{at}:{line} is not valid YAML"))
        .in_file(at, Some(line))
        .note(reason)
        .hint("correct it; give a template another ending, such as `.yaml.tpl`");
    Some(finding)
}
