//! Running many pages at once, as far as they do not disturb each other.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use crate::verify::order::Graph;

/// Who runs.
#[derive(Default)]
struct State {
    started: BTreeSet<usize>,
    done: BTreeSet<usize>,
    stopped: bool,
}

/// What the workers share.
struct Shared<'a> {
    graph: &'a Graph,
    order: &'a [usize],
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared<'_> {
    /// The state; a worker that died while it held it cannot have left it half changed.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a page that may start; `None` when there is none any more.
    fn take(&self) -> Option<usize> {
        let mut state = self.state();
        loop {
            if state.stopped || state.started.len() == self.order.len() {
                return None;
            }
            if let Some(page) = self.graph.next(self.order, &state.started, &state.done) {
                state.started.insert(page);
                return Some(page);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A page has ended; `stop` lets no other one begin.
    fn end(&self, page: usize, stop: bool) {
        let mut state = self.state();
        state.done.insert(page);
        state.stopped |= stop;
        self.changed.notify_all();
    }
}

/// Runs the pages of a graph with so many workers. `run` says what a page came to and whether no
/// other one is to begin; `show` gets the results in the pages' order, as early as that allows.
pub(super) fn run_all<T: Send>(
    graph: &Graph,
    workers: usize,
    run: &(dyn Fn(usize) -> (T, bool) + Sync),
    show: &mut dyn FnMut(T),
) {
    let order = graph.order();
    let shared = Shared { graph, order: &order, state: Mutex::default(), changed: Condvar::new() };
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers.clamp(1, order.len().max(1)) {
            let (sender, shared) = (sender.clone(), &shared);
            scope.spawn(move || {
                while let Some(page) = shared.take() {
                    let (result, stop) = run(page);
                    // The receiver outlives the workers.
                    let _ = sender.send((page, result));
                    shared.end(page, stop);
                }
            });
        }
        drop(sender);
        show_in_order(&order, &results, show);
    });
}

/// Hands on the results in order. After a stop pages lack, and what came is handed on all the same.
fn show_in_order<T>(
    order: &[usize],
    results: &mpsc::Receiver<(usize, T)>,
    show: &mut dyn FnMut(T),
) {
    let mut waiting: Vec<(usize, T)> = Vec::new();
    let mut next = 0;
    let place = |page: usize| order.iter().position(|other| *other == page).unwrap_or(0);
    for (page, result) in results {
        waiting.push((place(page), result));
        while let Some(at) = waiting.iter().position(|(place, _)| *place == next) {
            show(waiting.swap_remove(at).1);
            next += 1;
        }
    }
    waiting.sort_by_key(|(place, _)| *place);
    waiting.into_iter().for_each(|(_, result)| show(result));
}
