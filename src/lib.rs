//! labdoc: static documentation sites whose pages are executable notebooks.
//!
//! The rooms and the layers they stand in are described in `docs/architecture.md`; a room may
//! only import rooms of a lower layer, which `tests/tidy.rs` holds.

#![expect(dead_code, reason = "rooms are built bottom up; removed with the first command")]

mod book;
mod compare;
mod config;

mod diag;
mod digest;
mod disk;
mod fence;
mod html;
mod source;
mod vary;
mod yaml;
