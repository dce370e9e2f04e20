//! What of a file of the book a fence is to show.

use std::path::Path;

use super::include::part;
use crate::book::Include;
use crate::diag::{Diagnostic, Failure, nearest};
use crate::disk;

/// The lines that a fence is to show, or why there are none.
///
/// # Errors
/// The file is there and cannot be read.
pub(crate) fn wanted(
    root: &Path,
    include: &Include,
) -> Result<Result<Vec<String>, Box<Diagnostic>>, Failure> {
    let path = include.path.as_str();
    let error = |code, message: String| Diagnostic::error(code, message).at(include.at);
    let hidden = |part: &str| part.is_empty() || part.starts_with('.');
    if path.split('/').any(hidden) || path.contains(['\\', ':']) {
        let finding = error("IN002", format!("`{path}` is no path of a file of this book"));
        let hint = "write it from the book's folder, as in labkit/app/deploy.yaml";
        return Ok(Err(Box::new(finding.hint(hint))));
    }
    let full = root.join(path);
    // A link could lead out of the book.
    let inside = disk::canonical(&full).is_ok_and(|real| {
        disk::canonical(root).is_ok_and(|root| real.starts_with(root)) && disk::is_file(&real)
    });
    if !inside {
        return Ok(Err(Box::new(missing(root, path, error("IN001", String::new())))));
    }
    let Ok(text) = String::from_utf8(disk::read(&full)?) else {
        return Ok(Err(Box::new(error("IN001", format!("{path} is not UTF-8 text")))));
    };
    Ok(match part(&text, &include.part) {
        Ok(lines) => Ok(lines.into_iter().map(str::to_owned).collect()),
        Err(fault) => {
            let line = fault.line.map(|line| format!(":{line}")).unwrap_or_default();
            let mut finding = error("IN003", format!("{path}{line} {}", fault.message));
            finding.hint = fault.hint;
            Err(Box::new(finding))
        }
    })
}

/// The finding for a file that is not there, with the nearest one of its folder.
fn missing(root: &Path, path: &str, mut finding: Diagnostic) -> Diagnostic {
    finding.message = format!("{path} does not exist");
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let names: Vec<String> = disk::list(&root.join(folder))
        .map(|entries| entries.into_iter().filter_map(|entry| entry.name).collect())
        .unwrap_or_default();
    finding.hint = nearest(name, names.iter().map(String::as_str))
        .map(|near| format!("did you mean {folder}/{near}?"));
    finding
}
