//! Being told when a file is saved.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use super::{DiskError, Result};

/// How long a file must be left alone before it counts as saved: editors write in several steps.
const QUIET: Duration = Duration::from_millis(15);

/// Watches one file. Its folder is what is watched, since most editors put a new file in the place
/// of the old one; what happens to other files there (an editor's swap file) is not told.
pub(crate) struct FileWatch {
    events: Receiver<()>,
    _watcher: RecommendedWatcher,
}

impl FileWatch {
    /// Begins to watch a file.
    pub(crate) fn new(path: &Path) -> Result<FileWatch> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let name = path.file_name().map(std::ffi::OsStr::to_os_string);
        let (sender, events) = channel();
        let told = move |event: notify::Result<notify::Event>| {
            // A watch that lost events may have lost one of this file.
            let ours = event.map_or(true, |event| {
                !event.kind.is_access()
                    && event.paths.iter().any(|path| path.file_name() == name.as_deref())
            });
            if ours {
                // Nobody listens any more while the watch ends.
                let _ = sender.send(());
            }
        };
        let failed = |error: notify::Error| DiskError {
            action: "watch",
            path: path.to_owned(),
            source: std::io::Error::other(error.to_string()),
        };
        let mut watcher = notify::recommended_watcher(told).map_err(failed)?;
        watcher.watch(folder, RecursiveMode::NonRecursive).map_err(failed)?;
        Ok(FileWatch { events, _watcher: watcher })
    }

    /// Waits until the file was touched and then left alone, at most for `limit`.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        if self.events.recv_timeout(limit).is_err() {
            return false;
        }
        while self.events.recv_timeout(QUIET).is_ok() {}
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{replace, temporary_folder, write};
    use super::*;

    #[test]
    fn a_save_is_told_and_a_swap_file_is_not() {
        let folder = temporary_folder("labdoc-test-").expect("temp");
        let path = folder.path().join("a.md");
        write(&path, b"1").expect("write");
        let watch = FileWatch::new(&path).expect("watch");
        write(&folder.path().join(".a.md.swp"), b"x").expect("write");
        write(&folder.path().join("a.md~"), b"x").expect("write");
        assert!(!watch.wait(Duration::from_millis(100)));
        write(&path, b"2").expect("write");
        assert!(watch.wait(Duration::from_secs(5)));
        replace(&path, b"3").expect("replace");
        assert!(watch.wait(Duration::from_secs(5)), "a new file in the place of the old one");
        super::super::read(&path).expect("read");
        assert!(!watch.wait(Duration::from_millis(100)), "reading is no save");
    }
}
