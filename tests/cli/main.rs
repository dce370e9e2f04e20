//! Tests through the binary: given a small site in a world of its own, run `labdoc`, expect what
//! it prints, how it ends and what is on the disk afterwards.

mod findings;
mod refresh;
mod serve;
mod site;
mod support;
mod verify;
