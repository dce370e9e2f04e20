//! Where the time of a command goes, for `--timings`.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::Console;

/// A watch that is read at the end of each part of the work.
pub(crate) struct Laps {
    last: Mutex<Instant>,
    laps: Mutex<Vec<(String, Duration)>>,
}

impl Laps {
    /// Starts.
    pub(crate) fn start() -> Laps {
        Laps { last: Mutex::new(Instant::now()), laps: Mutex::default() }
    }

    /// Ends a part.
    pub(crate) fn lap(&self, name: &str) {
        if let (Ok(mut last), Ok(mut laps)) = (self.last.lock(), self.laps.lock()) {
            let now = Instant::now();
            tracing::info!(took = ?(now - *last), "{name}");
            laps.push((name.to_owned(), now - *last));
            *last = now;
        }
    }

    /// Prints the parts where they are asked for.
    pub(crate) fn show(&self, asked: bool, console: &Console) {
        if asked {
            self.lines().iter().for_each(|line| console.result(line));
        }
    }

    /// One line a part.
    fn lines(&self) -> Vec<String> {
        let line = |(name, time): &(String, Duration)| {
            format!("{:>8.1} ms  {name}", time.as_secs_f64() * 1000.0)
        };
        self.laps.lock().map(|laps| laps.iter().map(line).collect()).unwrap_or_default()
    }
}
