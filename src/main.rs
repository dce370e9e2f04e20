//! The `labdoc` binary.

use std::process::ExitCode;

/// A build asks for memory millions of times, from all threads: a tenth of its processor time was
/// the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    labdoc::main()
}
