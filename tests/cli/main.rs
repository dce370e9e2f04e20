//! Tests through the binary: given a small site in a world of its own, run `labdoc`, expect what
//! it prints, how it ends and what is on the disk afterwards.

mod exits;
mod findings;
mod kill;
mod output;
mod refresh;
mod selection;
mod session;
mod support;
mod verify;
