//! Runs the rows of a table, each on a copy of its own, and says all that is wrong at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many rows are tried at a time.
const WORKERS: usize = 4;

/// Tries every row; fails with what was wrong in each.
#[track_caller]
pub(crate) fn try_all<R: Sync>(rows: &[R], attempt: impl Fn(&R) -> Result<(), String> + Sync) {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(fault) = attempt(row) {
                        wrong.lock().expect("faults").push(fault);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("faults");
    let held = rows.len() - wrong.len();
    assert!(wrong.is_empty(), "{held} of {} rows hold:\n\n{}", rows.len(), wrong.join("\n\n"));
}
