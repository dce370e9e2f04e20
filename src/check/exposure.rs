//! What would be published and must not be: credentials, traces of a person's machine, text that
//! shows something else than it holds, files that run in a reader's browser. The raw bytes are
//! looked at, so nothing is masked on one page and open on another.

use std::path::Path;

use rayon::prelude::*;

use crate::book::Page;
use crate::diag::{Diagnostic, Failure};
use crate::disk;
use crate::kit::{Kit, Show, safe_text};
use crate::secrets::{line_at, scan, traces};
use crate::source::{Sources, Span};

/// Endings of files that run in a reader's browser; they are published as `NAME.txt`.
const ACTIVE: &[&str] = &[".html", ".htm", ".xhtml", ".svg", ".xml", ".js", ".mjs", ".pdf"];

/// Whether a browser would run the file of that name.
pub(crate) fn is_active(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ACTIVE.iter().any(|ending| name.ends_with(ending))
}

/// Everything about the files under `evidence/`; `allowed` are active files that are published as
/// they are.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn of_evidence(root: &Path, allowed: &[String]) -> Result<Vec<Diagnostic>, Failure> {
    let folder = root.join("evidence");
    if !disk::is_folder(&folder) {
        return Ok(Vec::new());
    }
    let paths = disk::files_below(&folder)?;
    let found: Result<Vec<Vec<Diagnostic>>, Failure> =
        paths.par_iter().map(|path| of_file(&folder, path, allowed)).collect();
    Ok(found?.into_iter().flatten().collect())
}

/// Everything about one file under `evidence/`.
fn of_file(folder: &Path, path: &str, allowed: &[String]) -> Result<Vec<Diagnostic>, Failure> {
    let at = format!("evidence/{path}");
    let bytes = disk::read(&folder.join(path))?;
    let mut found = Vec::new();
    if let Err(fault) = disk::check_relative(path) {
        let message = format!("evidence path \"{path}\" {}", fault.reason());
        let error = Diagnostic::error("KT303", message).in_file(at.clone(), None);
        found.push(error.hint("give it a name that every system can have, and record again"));
    }
    if is_active(path) && !path.starts_with("ledger/") && !allowed.iter().any(|known| known == path)
    {
        let message = format!(
            "evidence file {path} would run in readers' browsers; it is published as {}.txt (see allow_active)",
            path.rsplit('/').next().unwrap_or(path)
        );
        let warning = Diagnostic::warning("SE502", message).in_file(at.clone(), None);
        found.push(
            warning.hint(format!(
                "keep it so, or write `allow_active = [\"{path}\"]` under [evidence]"
            )),
        );
    }
    let text = String::from_utf8_lossy(&bytes);
    found.extend(secrets(&text, &at));
    if !bytes.contains(&0) {
        found.extend(hidden(&bytes, path, &at));
    }
    if path.ends_with("result.txt") {
        found.extend(machine(&text, path, &at));
    }
    Ok(found)
}

/// SE501: each rule once a file, with its first line; never the value.
fn secrets<'a>(text: &'a str, at: &'a str) -> impl Iterator<Item = Diagnostic> + use<'a> {
    let hits = scan(text);
    let mut said: Vec<&str> = Vec::new();
    let first: Vec<_> = hits
        .iter()
        .filter(|hit| {
            let new = !said.contains(&hit.rule);
            said.push(hit.rule);
            new
        })
        .cloned()
        .collect();
    first.into_iter().map(move |hit| {
        let all = hits.iter().filter(|other| other.rule == hit.rule).count();
        let line = line_at(text, hit.range.start);
        secret(&format!("{}:{line}", at.strip_prefix("evidence/").unwrap_or(at)), hit.what)
            .in_file(at, Some(line))
            .note(format!("rule {}, {all} in this file", hit.rule))
    })
}

/// SE501 without its place.
fn secret(place: &str, what: &str) -> Diagnostic {
    let message = format!(
        "{place} looks like {what}; redact at record time and run again (value not printed)"
    );
    Diagnostic::error("SE501", message)
        .hint("it is in the version control already: make it worthless first, then take it out")
}

/// SE503: a character that readers would not see.
fn hidden(bytes: &[u8], path: &str, at: &str) -> Option<Diagnostic> {
    // Most files hold nothing that could be hidden, and reading them as a terminal does costs time.
    if bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return None;
    }
    let (c, line) = safe_text(bytes, Show::Terminal).hidden?;
    let message = format!(
        "{path}:{line} contains terminal or bidi control characters; shown as ⟨U+{:04X}⟩",
        u32::from(c)
    );
    let found = Diagnostic::warning("SE503", message).in_file(at, Some(line));
    Some(found.hint("see what printed it; the raw file keeps it"))
}

/// SE505: traces of somebody's machine, in one finding a file.
fn machine(text: &str, path: &str, at: &str) -> Option<Diagnostic> {
    let traces = traces(text);
    let first = traces.iter().map(|(_, at)| *at).min()?;
    let line = line_at(text, first);
    let what: Vec<&str> = traces.iter().map(|(what, _)| *what).collect();
    let found = Diagnostic::warning("SE505", format!("{path}:{line} contains {}", what.join(", ")));
    Some(
        found
            .in_file(at, Some(line))
            .hint("see whether everybody may know it; run the lab where nothing is private"),
    )
}

/// SE501 in the text files of kits.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn of_kits(kits: &[Kit]) -> Result<Vec<Diagnostic>, Failure> {
    let mut found = Vec::new();
    for (kit, file) in kits.iter().flat_map(|kit| kit.files.iter().map(move |file| (kit, file))) {
        if file.text {
            let bytes = file.bytes()?;
            let at = format!("{}/{}", kit.source(), file.path);
            found.extend(secrets(&String::from_utf8_lossy(&bytes), &at));
        }
    }
    Ok(found)
}

/// SE501 in the documents: what is pasted into a page is published with it.
pub(crate) fn of_pages(pages: &[Page], sources: &Sources) -> Vec<Diagnostic> {
    let of_page = |page: &Page| -> Vec<Diagnostic> {
        let text = sources.text(page.file);
        let each = scan(text).into_iter().map(|hit| {
            let span = Span::new(page.file, hit.range);
            // The caret line would print the value, so the finding names the line only.
            let line = sources.line(span);
            secret(&format!("{}:{line}", page.path), hit.what)
                .in_file(page.path.clone(), Some(line))
        });
        each.collect()
    };
    pages.iter().flat_map(of_page).collect()
}
