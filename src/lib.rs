//! labdoc: static documentation sites whose pages are executable notebooks.
//!
//! The rooms and the layers they stand in are described in `docs/architecture.md`; a room may
//! only import rooms of a lower layer, which `tests/tidy.rs` holds.

mod address;
mod book;
mod check;
mod cli;
mod commands;
mod compare;
mod config;
mod diag;
mod digest;
mod disk;
mod evidence;
mod fence;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod git;
mod html;
mod kit;
mod net;
mod proc;
mod secrets;
mod serve;
mod site;
mod source;
mod store;
mod vary;
mod verify;
mod yaml;

pub use cli::main;
