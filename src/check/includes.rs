//! Fences that show a file of the book: what they show is what the file holds.

use std::path::Path;

use crate::book::{Include, Page};
use crate::compare::{first_difference, wanted};
use crate::diag::{Diagnostic, Failure};

/// The findings for the fences of some pages that show files.
///
/// # Errors
/// A file that is there cannot be read.
pub(crate) fn includes<'p>(
    root: &Path,
    pages: impl IntoIterator<Item = &'p Page>,
) -> Result<Vec<Diagnostic>, Failure> {
    let mut findings = Vec::new();
    for page in pages {
        for include in &page.includes {
            match wanted(root, include)? {
                Ok(lines) => findings.extend(differs(page, include, &lines)),
                Err(finding) => findings.push(*finding),
            }
        }
    }
    Ok(findings)
}

/// The finding for a fence that shows something else than its file.
fn differs(page: &Page, include: &Include, wanted: &[String]) -> Option<Diagnostic> {
    let lines: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let line = first_difference(&include.shown, &lines)?;
    let message = format!("the fence shows {}, but the text differs at line {line}", include.path);
    let at = include.lines.get(line - 1).copied().unwrap_or(include.at);
    let mut finding = Diagnostic::error("KT311", message).at(at);
    finding = match lines.get(line - 1) {
        Some(there) => finding.note(format!("the file has: {there}")),
        None => finding.note("the file ends before this line"),
    };
    Some(finding.hint(format!("refresh it with `labdoc verify {} --update`", page.path)))
}
