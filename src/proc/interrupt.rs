//! Ctrl-C and SIGTERM as something that can be waited on.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The user's wish to stop, made once by the command that runs pages.
///
/// The first signal only wakes whoever waits on `descriptor`, so that teardown can run; it stays
/// readable from then on. A second signal ends labdoc at once with 128 and the signal, and the
/// keepers end what is below them because their life pipe is gone.
pub(crate) struct Interrupt {
    /// Becomes readable with the first signal and is never emptied.
    wake: UnixStream,
    /// The other end.
    sender: UnixStream,
    /// The last signal, 0 before the first.
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Begins to listen for both signals.
    pub(crate) fn listen() -> io::Result<Self> {
        let (wake, sender) = UnixStream::pair()?;
        let armed = Arc::new(AtomicBool::new(false));
        let signal = Arc::new(AtomicUsize::new(0));
        for number in [SIGINT, SIGTERM] {
            // In this order: the number is there before the pipe wakes anybody, and the first
            // signal arms what only the second one finds armed.
            let value = usize::try_from(number).unwrap_or_default();
            signal_hook::flag::register_usize(number, signal.clone(), value)?;
            signal_hook::low_level::pipe::register(number, sender.try_clone()?)?;
            signal_hook::flag::register_conditional_shutdown(number, 128 + number, armed.clone())?;
            signal_hook::flag::register(number, armed.clone())?;
        }
        let interrupt = Self { wake, sender, signal };
        // A signal that came between those lines was taken note of by some of them only.
        if let Some(number) = interrupt.signal() {
            armed.store(true, Ordering::SeqCst);
            interrupt.trip(number);
        }
        Ok(interrupt)
    }

    /// One that no signal reaches, but [`Interrupt::trip`].
    pub(crate) fn of_own() -> io::Result<Self> {
        let (wake, sender) = UnixStream::pair()?;
        Ok(Self { wake, sender, signal: Arc::default() })
    }

    /// Stops whoever waits on it, as that signal would.
    pub(crate) fn trip(&self, signal: i32) {
        self.signal.store(usize::try_from(signal).unwrap_or_default(), Ordering::SeqCst);
        // The pipe holds one byte at least; that it is full means that all are awake already.
        let _ = (&self.sender).write(&[1]);
    }

    /// The signal that came, if one did.
    pub(crate) fn signal(&self) -> Option<i32> {
        i32::try_from(self.signal.load(Ordering::SeqCst)).ok().filter(|number| *number != 0)
    }

    /// The descriptor to wait on.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
