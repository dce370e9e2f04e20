//! Runs the blocks of a page and compares what they print with what the page shows.

pub(crate) mod session;
