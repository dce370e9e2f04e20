//! Tests through the binary: given a small site in a world of its own, run `labdoc`, expect what
//! it prints, how it ends and what is on the disk afterwards.


mod findings;
mod foreign;
mod pages;
mod refresh;
mod reports;
mod scene;
mod secrets;
mod support;
mod survivors;
mod verify;
