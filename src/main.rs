//! The `labdoc` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    labdoc::main()
}
