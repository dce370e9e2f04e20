//! What stands below a folder; links are never followed.

use std::path::Path;

use super::{Kind, Result, kind, list};

/// Everything below `folder`, folders before what is in them: paths relative to it with `/`, and
/// what stands there. Names that are no UTF-8 are left out.
pub(crate) fn entries_below(folder: &Path) -> Result<Vec<(String, Kind)>> {
    let mut out = Vec::new();
    collect(folder, "", &mut |path, kind| out.push((path, kind)))?;
    Ok(out)
}

/// Every regular file below `folder`, as paths relative to it with `/`, sorted bytewise. Links
/// are not followed and not listed.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<String>> {
    paths_below(folder, &[Kind::File])
}

/// Every link and special file below `folder`, as paths relative to it with `/`, sorted.
pub(crate) fn links_below(folder: &Path) -> Result<Vec<String>> {
    paths_below(folder, &[Kind::Link, Kind::Special])
}

/// Whether `path` below `root` is reached without a link: every folder on the way is one.
pub(crate) fn is_reached_directly(root: &Path, path: &str) -> Result<bool> {
    let mut at = root.to_owned();
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in parts {
        at.push(part);
        if kind(&at)? != Some(Kind::Folder) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The paths of what is of one of the kinds, sorted.
fn paths_below(folder: &Path, kinds: &[Kind]) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let mut take = |path, kind| {
        if kinds.contains(&kind) {
            out.push(path);
        }
    };
    collect(folder, "", &mut take)?;
    out.sort();
    Ok(out)
}

/// The recursion of [`entries_below`].
fn collect(folder: &Path, prefix: &str, take: &mut dyn FnMut(String, Kind)) -> Result<()> {
    for entry in list(folder)? {
        let Some(name) = entry.name else { continue };
        let path = format!("{prefix}{name}");
        take(path.clone(), entry.kind);
        if entry.kind == Kind::Folder {
            collect(&entry.path, &format!("{path}/"), take)?;
        }
    }
    Ok(())
}
