//! Pages spread over a cluster of the user's: an Indexed Job whose pods run a shard each.
//!
//! `content` is what the pods get of the site, `objects` what is made in the cluster, `results` what
//! comes back. A pod answers for each page apart, so that a shard which is run again after its pod
//! died replaces answers and adds none.

mod content;
mod objects;
mod results;
mod scene;

pub(crate) use content::{Order, pack, unpack_parts};
pub(crate) use objects::{Account, MOST_PIECES, Spread, objects};
pub(crate) use results::{Answer, heads, read, send};
pub(crate) use scene::{began, clear_namespaces, enter_cluster};

/// The label by which everything of a run is found.
pub(crate) const RUN: &str = "labdoc/run";

/// The label that tells what a ConfigMap of a run is for.
const PART: &str = "labdoc/part";

/// Most bytes in one ConfigMap: the API server takes 1 MiB of data, base 64 undone.
pub(crate) const PIECE: usize = 900 << 10;

/// What everything of a run is called, or begins with.
pub(crate) fn name_of(id: &str) -> String {
    format!("labdoc-{id}")
}
