//! labdoc: static documentation sites with executable notebooks.

#[allow(dead_code, reason = "the verify command is not wired yet")]
pub mod proc;
#[allow(dead_code, reason = "the verify command is not wired yet")]
pub(crate) mod verify;
