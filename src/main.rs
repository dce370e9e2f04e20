//! The `labdoc` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == labdoc::proc::KEEPER_ARGUMENT) {
        return labdoc::proc::keeper_main();
    }
    ExitCode::SUCCESS
}
