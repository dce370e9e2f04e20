//! The lab kits: what is in them, whether it can be published, and in which forms it arrives.
//!
//! [`list`] finds the kits, [`Kit::load`] reads one (walk, names, contents, digest),
//! and [`publish`] makes the files below `kit/<name>/`. Nothing here is run, and a file's bytes
//! are read when they are needed and held against the digest they had when they were loaded.

mod archive;
mod content;
mod fetch;
mod href;
mod listing;
mod names;
mod probe;
pub(crate) mod publish;
mod tree;
mod walk;

#[cfg(test)]
mod testing;

pub(crate) use archive::DEFAULT_MTIME;
pub(crate) use content::Content;
pub(crate) use tree::{Kit, KitFile, KitOptions, list};
pub(crate) use walk::{LeftOut, Reason};
