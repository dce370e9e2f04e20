//! What an author saves: a wait that ends when something of the site has changed and it is quiet.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::diag::Failure;

/// How long nothing must happen before a change counts as complete: an editor writes in steps.
const QUIET: Duration = Duration::from_millis(60);

/// How long nothing must happen before a build begins, which is shown only when it is quiet: most
/// saves are complete by then.
const BRIEF: Duration = Duration::from_millis(15);

/// The folders that a site is made of.
const FOLDERS: &[&str] = &["content", "evidence", "labkit", "static", "templates"];

/// Files at the root that a site is made of.
const FILES: &[&str] = &["book.toml"];

/// A watch over a site's sources.
pub(crate) struct Watch {
    root: PathBuf,
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    watched: Vec<&'static str>,
    /// When something last happened.
    last: Instant,
}

impl Watch {
    /// Begins to watch. The root itself is watched without what is below it, so the output folder
    /// never is.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn start(root: &Path) -> Result<Watch, Failure> {
        let (sender, events) = channel();
        let watcher = notify::recommended_watcher(move |event| {
            // Nobody listens any more once the command has ended.
            let _ = sender.send(event);
        });
        let watcher = watcher.map_err(|error| refused(&error))?;
        let mut watch = Watch {
            root: root.to_owned(),
            watcher,
            events,
            watched: Vec::new(),
            last: Instant::now(),
        };
        watch.watcher.watch(root, RecursiveMode::NonRecursive).map_err(|error| refused(&error))?;
        watch.add_folders()?;
        Ok(watch)
    }

    /// Watches the folders that are there and not watched yet.
    fn add_folders(&mut self) -> Result<(), Failure> {
        self.watched.retain(|name| self.root.join(name).is_dir());
        for name in FOLDERS {
            let folder = self.root.join(name);
            if folder.is_dir() && !self.watched.contains(name) {
                self.watcher
                    .watch(&folder, RecursiveMode::Recursive)
                    .map_err(|error| refused(&error))?;
                self.watched.push(name);
            }
        }
        Ok(())
    }

    /// Waits for the next change of a source; the first changed path. `None` when the watch broke.
    ///
    /// # Errors
    /// The system refuses to watch a new folder.
    pub(crate) fn next(&mut self) -> Result<Option<String>, Failure> {
        loop {
            let Ok(event) = self.events.recv() else { return Ok(None) };
            if let Some(path) = self.change(&event)? {
                return Ok(Some(path));
            }
        }
    }

    /// Waits until it is quiet; whether no source changed meanwhile.
    ///
    /// # Errors
    /// The system refuses to watch a new folder.
    pub(crate) fn is_quiet(&mut self) -> Result<bool, Failure> {
        while let Ok(event) = self.events.recv_timeout(QUIET.saturating_sub(self.last.elapsed())) {
            if self.change(&event)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes an event and those that follow it briefly; the first path of a source.
    fn change(&mut self, event: &notify::Result<Event>) -> Result<Option<String>, Failure> {
        // A build reads, too.
        let is_read = |event: &notify::Result<Event>| {
            event.as_ref().is_ok_and(|event| matches!(event.kind, EventKind::Access(_)))
        };
        if is_read(event) {
            return Ok(None);
        }
        let mut first = self.source_of(event);
        self.last = Instant::now();
        while let Ok(event) = self.events.recv_timeout(BRIEF.saturating_sub(self.last.elapsed())) {
            if !is_read(&event) {
                first = first.or_else(|| self.source_of(&event));
                self.last = Instant::now();
            }
        }
        if first.is_some() {
            self.add_folders()?;
        }
        Ok(first)
    }

    /// The first path of an event that belongs to the site. Lost events count as a change.
    fn source_of(&self, event: &notify::Result<Event>) -> Option<String> {
        let event = match event {
            Ok(event) if event.need_rescan() => return Some("book.toml".to_owned()),
            Ok(event) => event,
            Err(_) => return None,
        };
        if matches!(event.kind, EventKind::Access(_)) {
            return None;
        }
        let below = event.paths.iter().filter_map(|path| path.strip_prefix(&self.root).ok());
        below.filter_map(Path::to_str).find(|path| is_source(path)).map(str::to_owned)
    }
}

/// The failure of a system that does not let us watch.
fn refused(error: &notify::Error) -> Failure {
    Failure::new(format!("cannot watch for changes: {error}"))
        .hint("on Linux, raise fs.inotify.max_user_watches")
}

/// Whether a path from the root is a source of the site: no file that an editor keeps for itself.
fn is_source(path: &str) -> bool {
    let mut parts = path.split('/');
    let first = parts.next().unwrap_or(path);
    let known = FILES.contains(&path) || FOLDERS.contains(&first);
    let name = path.rsplit('/').next().unwrap_or(path);
    let own = path.split('/').any(|part| part.starts_with('.') || part.starts_with('#'))
        || name.ends_with('~')
        || [".swp", ".swx", ".swo", ".tmp", ".bak", ".orig"].iter().any(|end| name.ends_with(end))
        // Vim asks by this name whether it may write here.
        || name == "4913";
    known && !own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_count() {
        for path in ["book.toml", "content/a.md", "content", "labkit/app/a.yaml", "static/x.png"] {
            assert!(is_source(path), "{path}");
        }
        for path in [
            "public/index.html",
            "content/.a.md.swp",
            "content/a.md~",
            "content/#a.md#",
            "content/.#a.md",
            "content/4913",
            ".labdoc/cache/x",
            ".git/index",
            "notes.txt",
        ] {
            assert!(!is_source(path), "{path}");
        }
    }
}
