//! The reader's browser.

use std::process::{Command, Stdio};

use super::find_program;

/// Programs that open an address in whatever the reader uses for it.
const OPENERS: &[&str] = &["xdg-open", "open", "wslview"];

/// Opens an address; says whether there was a program to do it.
pub(crate) fn open_in_browser(address: &str) -> bool {
    let Some(program) = OPENERS.iter().find_map(|name| find_program(name, None)) else {
        return false;
    };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        Ok(mut child) => {
            // It ends at once or stays with the browser; nobody else waits for it.
            std::thread::spawn(move || child.wait());
            true
        }
        Err(_) => false,
    }
}
