//! The lab kits: what is in them, whether it can be published, and in which forms it arrives.
//!
//! [`list`] finds the kits, [`Kit::load`] reads one (walk, names, contents, digest),
//! [`publish`] makes the files below `kit/<name>/`, [`pages`] the data of their HTML pages, and
//! [`links`] says where a document's link into `labkit/` leads. Nothing here is run, and a file's
//! bytes are read when they are needed and held against the digest they had when they were loaded.

mod archive;
mod content;
mod fetch;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
pub(crate) mod links;
mod listing;
mod names;
pub(crate) mod pack;
pub(crate) mod pages;
mod probe;
pub(crate) mod publish;
mod safe;
mod tree;
mod uses;
mod viewer;
mod walk;
mod ways;

#[cfg(test)]
mod testing;

pub(crate) use safe::{Show, safe_text};
pub(crate) use tree::{Kit, KitFile, KitOptions, LABKIT, list};
pub(crate) use uses::visible;
pub(crate) use viewer::{path_of as viewer_path, viewer};
pub(crate) use ways::Way;
