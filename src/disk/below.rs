//! What stands below a folder; links are never followed.

use std::path::Path;

use super::{Kind, Result, kind, list};

/// Every regular file below `folder`, as paths relative to it with `/`, sorted bytewise. Links
/// are not followed and not listed.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<String>> {
    let mut out = Vec::new();
    collect(folder, "", &|kind| kind == Kind::File, &mut out)?;
    out.sort();
    Ok(out)
}

/// Every link and special file below `folder`, as paths relative to it with `/`, sorted.
pub(crate) fn links_below(folder: &Path) -> Result<Vec<String>> {
    let mut out = Vec::new();
    collect(folder, "", &|kind| matches!(kind, Kind::Link | Kind::Special), &mut out)?;
    out.sort();
    Ok(out)
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

/// The recursion of [`files_below`] and [`links_below`].
fn collect(
    folder: &Path,
    prefix: &str,
    wanted: &dyn Fn(Kind) -> bool,
    out: &mut Vec<String>,
) -> Result<()> {
    for entry in list(folder)? {
        let Some(name) = entry.name else { continue };
        if entry.kind == Kind::Folder {
            collect(&entry.path, &format!("{prefix}{name}/"), wanted, out)?;
        } else if wanted(entry.kind) {
            out.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}
