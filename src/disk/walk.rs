//! The Markdown files below a folder, less what `.gitignore` files name.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::{DiskError, Result};

/// Every `*.md` below `folder` that is neither hidden nor named by a `.gitignore` in or above it,
/// sorted. Links are not followed.
pub(crate) fn markdown_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut builder = WalkBuilder::new(folder);
    builder.require_git(false).git_global(false).follow_links(false);
    let mut found = Vec::new();
    for entry in builder.build() {
        let entry = entry.map_err(|error| DiskError {
            action: "look through",
            path: folder.to_owned(),
            source: error.into_io_error().unwrap_or_else(|| std::io::Error::other("a bad entry")),
        })?;
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if is_file && entry.path().extension().is_some_and(|extension| extension == "md") {
            found.push(entry.into_path());
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::{temporary_folder, write};
    use super::*;

    #[test]
    fn what_git_ignores_is_no_page() {
        let folder = temporary_folder("labdoc-test-").expect("temp");
        for path in ["a.md", "b.txt", "out/c.md", "x/d.md", "x/skip.md", ".hidden/e.md"] {
            write(&folder.path().join(path), b"x").expect("write");
        }
        write(&folder.path().join(".gitignore"), b"/out/\n").expect("write");
        write(&folder.path().join("x/.gitignore"), b"skip.md\n").expect("write");
        let found = markdown_below(folder.path()).expect("walk");
        let names: Vec<_> =
            found.iter().filter_map(|p| p.strip_prefix(folder.path()).ok()).collect();
        assert_eq!(names, [Path::new("a.md"), Path::new("x/d.md")]);
    }
}
