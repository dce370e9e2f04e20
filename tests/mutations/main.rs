//! A site whose claims are all proven, and what one change does to it: each that matters is found
//! by its code and names what was changed; each that does not changes no state.
#![allow(
    clippy::disallowed_methods,
    reason = "a test looks at the disk and starts programs itself"
)]

#[path = "../cli/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with tests/cli, which uses all of it")]
mod support;

mod harmful;
mod harmless;

use support::World;

/// The folder of the one run of a bundle.
fn run_of(world: &World, bundle: &str) -> String {
    world.runs_of(bundle).pop().expect("a run")
}
