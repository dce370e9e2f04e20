//! Refreshing the fences that show a file.

use std::path::Path;

use super::edit::{Edit, prefixed, widened_runs};
use crate::book::{Include, Page};
use crate::compare::{first_difference, wanted};
use crate::diag::Failure;
use crate::source::Sources;

/// The edits that make every fence of a page show its file. A fence whose file or region is
/// missing is left alone; the check reports it.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn include_edits(
    root: &Path,
    page: &Page,
    sources: &Sources,
) -> Result<Vec<Edit>, Failure> {
    let mut edits = Vec::new();
    for include in &page.includes {
        let Ok(lines) = wanted(root, include)? else { continue };
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        if first_difference(&include.shown, &lines).is_some() {
            edits.extend(edits_of(include, &lines, sources));
        }
    }
    Ok(edits)
}

/// The edits of one fence.
fn edits_of(include: &Include, lines: &[&str], sources: &Sources) -> Vec<Edit> {
    let text = sources.text(include.content.file);
    let newline = if text[..include.content.start].ends_with("\r\n") { "\r\n" } else { "\n" };
    let line = |line: &&str| format!("{}{newline}", prefixed(&include.prefix, line));
    let content = lines.iter().map(line).collect();
    let mut edits = vec![Edit { range: include.content.range(), text: content }];
    edits.extend(widened_runs(include.runs, lines.iter().copied(), sources));
    edits
}
