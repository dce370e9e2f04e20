//! Which files of a folder belong to the kit: everything but dot files, what `.gitignore` files
//! inside the folder exclude, and folders that build tools fill; `include` names exceptions.
//!
//! The rules of `.gitignore` are read from inside the kit only. With those of the user or of
//! folders above, two people would publish two kits from one commit.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::names;
use super::tree::LABKIT;
use crate::diag::{Diagnostic, Failure};
use crate::disk::{self, Entry, Kind};

/// Folders that tools fill and nobody publishes.
const TOOL_FOLDERS: [&str; 3] = ["target", "node_modules", "__pycache__"];

/// Dot files that every folder may have; leaving them out surprises nobody.
const QUIET: [&str; 6] =
    [".git", ".gitignore", ".gitattributes", ".gitkeep", ".gitmodules", ".DS_Store"];

/// Something in the folder that is not published.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeftOut {
    /// Path in the kit; a folder ends in `/`.
    pub(crate) path: String,
    /// Why.
    pub(crate) reason: Reason,
}

/// Why something is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// Its name begins with a dot.
    Dot,
    /// A `.gitignore` inside the kit excludes it.
    Ignored,
    /// A tool fills this folder.
    Tool,
}

impl Reason {
    /// The reason in words, to follow a path.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Reason::Dot => "starts with a dot",
            Reason::Ignored => "is excluded by a .gitignore of the kit",
            Reason::Tool => "is a folder that a build tool fills",
        }
    }
}

/// A file that belongs to the kit.
#[derive(Debug)]
pub(super) struct Found {
    /// Path in the kit, in NFC.
    pub(super) path: String,
    /// Where it is.
    pub(super) disk: PathBuf,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// The files, in the order of the walk.
    pub(super) found: Vec<Found>,
    /// What was left out, sorted.
    pub(super) left_out: Vec<LeftOut>,
    /// Links, special files, names that are no text.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Walks `labkit/<name>/` below `root`.
pub(super) fn walk(root: &Path, name: &str, include: &[String]) -> Result<Walked, Failure> {
    // The name may come from a page's header.
    if matches!(name, "" | "." | "..") || name.contains(['/', '\\']) {
        return Err(Failure::new(format!("{name:?} is no name of a kit")));
    }
    let folder = root.join(LABKIT).join(name);
    let source = format!("{LABKIT}/{}", names::nfc(name));
    let mut walker = Walker { include: Include::new(include), source, ..Walker::default() };
    match disk::kind(&folder)? {
        Some(Kind::Folder) => walker.folder(&folder, "")?,
        Some(_) => walker.out.diagnostics.push(names::not_published(&walker.source, &folder)),
        None => return Err(Failure::new(format!("there is no kit {}", walker.source))),
    }
    walker.unused_includes(name);
    walker.out.left_out.sort();
    Ok(walker.out)
}

/// The state of a walk.
#[derive(Default)]
struct Walker {
    source: String,
    include: Include,
    /// The `.gitignore` files of the folders on the way, outermost first.
    rules: Vec<Gitignore>,
    out: Walked,
}

impl Walker {
    /// Walks one folder, whose path in the kit is `prefix` (empty, or ending in `/`).
    fn folder(&mut self, folder: &Path, prefix: &str) -> Result<(), Failure> {
        self.rules.push(rules_of(folder, prefix)?);
        for entry in disk::list(folder)? {
            match &entry.name {
                Some(name) => self.entry(&entry, format!("{prefix}{}", names::nfc(name)))?,
                None => {
                    let finding = names::not_utf8(&self.source, &entry.path);
                    self.out.diagnostics.push(finding);
                }
            }
        }
        self.rules.pop();
        Ok(())
    }

    /// Looks at one entry, whose path in the kit is `path`.
    fn entry(&mut self, entry: &Entry, path: String) -> Result<(), Failure> {
        let is_folder = entry.kind == Kind::Folder;
        let reason = self.reason(&path, is_folder);
        if let Some(reason) = reason
            && !self.include.names(&path, is_folder)
        {
            self.leave_out(&path, is_folder, reason);
            // Something deeper may be named although this folder is not.
            return if is_folder && self.include.reaches_into(&path) {
                self.only_included(&entry.path, &path)
            } else {
                Ok(())
            };
        }
        match entry.kind {
            Kind::File => self.out.found.push(Found { path, disk: entry.path.clone() }),
            Kind::Folder => self.folder(&entry.path, &format!("{path}/"))?,
            Kind::Link | Kind::Special => {
                let at = format!("{}/{path}", self.source);
                self.out.diagnostics.push(names::not_published(&at, &entry.path));
            }
        }
        Ok(())
    }

    /// Takes only what is named from a folder that is left out.
    fn only_included(&mut self, folder: &Path, path: &str) -> Result<(), Failure> {
        for entry in disk::list(folder)? {
            let Some(name) = &entry.name else { continue };
            let path = format!("{path}/{}", names::nfc(name));
            let is_folder = entry.kind == Kind::Folder;
            if self.include.names(&path, is_folder) {
                self.entry(&entry, path)?;
            } else if is_folder && self.include.reaches_into(&path) {
                self.only_included(&entry.path, &path)?;
            }
        }
        Ok(())
    }

    /// Why `path` would be left out.
    fn reason(&self, path: &str, is_folder: bool) -> Option<Reason> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if self.is_ignored(path, is_folder) {
            Some(Reason::Ignored)
        } else if name.starts_with('.') {
            Some(Reason::Dot)
        } else if is_folder && TOOL_FOLDERS.contains(&name) {
            Some(Reason::Tool)
        } else {
            None
        }
    }

    /// Whether the nearest `.gitignore` with an opinion excludes `path`.
    fn is_ignored(&self, path: &str, is_folder: bool) -> bool {
        let opinion = self
            .rules
            .iter()
            .rev()
            .map(|rules| rules.matched(path, is_folder))
            .find(|m| !m.is_none());
        opinion.is_some_and(|found| found.is_ignore())
    }

    /// Notes what is left out; a dot file that an author may miss is a finding.
    fn leave_out(&mut self, path: &str, is_folder: bool, reason: Reason) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if reason == Reason::Dot && !QUIET.contains(&name) && !self.include.reaches_into(path) {
            self.out.diagnostics.push(dot_file(&self.source, path));
        }
        let path = if is_folder { format!("{path}/") } else { path.to_owned() };
        self.out.left_out.push(LeftOut { path, reason });
    }

    /// Names of `include` that meet nothing: a typo here would silently drop a file.
    fn unused_includes(&mut self, name: &str) {
        let paths: Vec<&str> = self.out.found.iter().map(|file| file.path.as_str()).collect();
        for line in &self.include.lines {
            let one = Include::new(std::slice::from_ref(line));
            if !paths.iter().any(|path| one.names_or_parent(path)) {
                let message = format!("`[kit.{name}] include` names {line}, which does not exist");
                self.out.diagnostics.push(
                    Diagnostic::error("KT302", message)
                        .in_file(&self.source, None)
                        .hint(format!("write it as a path in {}", self.source)),
                );
            }
        }
    }
}

/// The finding for a dot file that is left out.
fn dot_file(source: &str, path: &str) -> Diagnostic {
    let at = format!("{source}/{path}");
    let kit = source.rsplit('/').next().unwrap_or(source);
    Diagnostic::warning("KT309", format!("{at} starts with a dot and is left out"))
        .in_file(&at, None)
        .note("GitHub Pages drops dot files, so a published one may not arrive there")
        .hint(format!("name it in `[kit.{kit}] include`, or rename it"))
}

/// The `.gitignore` of one folder; lines that are no patterns are passed over, as git does.
fn rules_of(folder: &Path, prefix: &str) -> Result<Gitignore, Failure> {
    let path = folder.join(".gitignore");
    if disk::kind(&path)? != Some(Kind::File) {
        return Ok(Gitignore::empty());
    }
    let text = String::from_utf8_lossy(&disk::read(&path)?).into_owned();
    Ok(matcher(prefix.trim_end_matches('/'), text.lines()))
}

/// A matcher for lines in the syntax of `.gitignore`, relative to `root`.
fn matcher<'a>(root: &str, lines: impl Iterator<Item = &'a str>) -> Gitignore {
    let mut builder = GitignoreBuilder::new(root);
    for line in lines {
        // A pattern that cannot be read matches nothing, for git as well.
        let _ = builder.add_line(None, &names::nfc(line.trim_start_matches('\u{feff}')));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The exceptions that `include` names.
struct Include {
    lines: Vec<String>,
    matcher: Gitignore,
}

impl Default for Include {
    fn default() -> Include {
        Include::new(&[])
    }
}

impl Include {
    /// The exceptions behind the lines of `include`.
    fn new(lines: &[String]) -> Include {
        let matcher = matcher("", lines.iter().map(String::as_str));
        Include { lines: lines.to_vec(), matcher }
    }

    /// Whether `path` or a folder above it is named.
    fn names(&self, path: &str, is_folder: bool) -> bool {
        self.matcher.matched_path_or_any_parents(path, is_folder).is_ignore()
    }

    /// Whether a file's path, or a folder above it, is named.
    fn names_or_parent(&self, path: &str) -> bool {
        self.names(path, false)
    }

    /// Whether something below the folder `path` may be named.
    fn reaches_into(&self, path: &str) -> bool {
        self.lines.iter().any(|line| super::tree::is_below(line.trim_start_matches('/'), path))
    }
}
