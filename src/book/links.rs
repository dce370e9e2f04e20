//! Which files of `content/` belong to the book, links among them.

use std::path::Path;

use super::tree::CONTENT;
use crate::diag::{Diagnostic, Failure};
use crate::disk;

/// The files below `content/`. A link to a file of the book is that file under another name; one
/// that leads out of the book, to a folder, or to what Git or labdoc keep (a token for the remote, say),
/// is not published.
pub(super) fn content_files(
    root: &Path,
    content: &Path,
    findings: &mut Vec<Diagnostic>,
) -> Result<Vec<String>, Failure> {
    if !disk::is_folder(content) {
        return Ok(Vec::new());
    }
    let mut paths = disk::files_below(content)?;
    let root = disk::canonical(root)?;
    for link in disk::links_below(content)? {
        let at = content.join(&link);
        let is_ours =
            |target: &Path| !target.iter().any(|part| part == ".git" || part == ".labdoc");
        let inside =
            disk::canonical(&at).is_ok_and(|target| target.strip_prefix(&root).is_ok_and(is_ours));
        if inside && disk::is_file(&at) {
            paths.push(link);
        } else {
            let message = format!("{CONTENT}/{link} is no file of the book and is not published");
            let finding = Diagnostic::warning("PG015", message);
            let hint = "copy it, or link to a file below the folder of book.toml";
            findings.push(finding.in_file(format!("{CONTENT}/{link}"), None).hint(hint));
        }
    }
    paths.sort();
    Ok(paths)
}
