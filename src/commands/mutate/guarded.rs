//! A watch over one mutant, which may do anything.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::super::proof::{Care, Run};
use crate::diag::Failure;
use crate::disk;
use crate::proc::{Interrupt, count_below};

/// Bytes that a mutant may leave in its folder.
const DISK_LIMIT: u64 = 256 << 20;
/// Processes that may live below a mutant at once.
const PROCESS_LIMIT: usize = 256;
/// How often a running mutant is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Runs something under a watch that stops it at its time limit, when it fills its folder, when
/// too many processes live below it, and when the user wants to stop. Says whether it had to.
pub(super) fn guarded(
    limit: Duration,
    interrupt: &Interrupt,
    run: &dyn Fn(Care<'_>) -> Result<Run, Failure>,
) -> Result<(Run, bool), Failure> {
    let stop = Interrupt::of_own()
        .map_err(|error| Failure::new(format!("cannot watch a mutant: {error}")))?;
    let (done, ended) = (AtomicBool::new(false), AtomicBool::new(false));
    let place = Mutex::new(None::<(PathBuf, u32)>);
    let begin = Instant::now();
    let too_much = || {
        let place = place.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some((folder, keeper)) = place else { return false };
        count_below(keeper) > PROCESS_LIMIT || disk::size_below(&folder) > DISK_LIMIT
    };
    let watch = || {
        while !done.load(Ordering::SeqCst) {
            if let Some(signal) = interrupt.signal() {
                stop.trip(signal);
                return;
            }
            if begin.elapsed() > limit || too_much() {
                ended.store(true, Ordering::SeqCst);
                stop.trip(signal_hook::consts::SIGTERM);
                return;
            }
            thread::park_timeout(LOOK);
        }
    };
    let started = |folder: &Path, keeper: u32| {
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some((folder.to_owned(), keeper));
    };
    let ran = thread::scope(|scope| {
        let watcher = scope.spawn(watch);
        let ran = run(Care { stop: &stop, started: &started });
        done.store(true, Ordering::SeqCst);
        watcher.thread().unpark();
        ran
    })?;
    Ok((ran, ended.load(Ordering::SeqCst)))
}
