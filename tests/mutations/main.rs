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
mod table;

use support::World;

/// The site `proof`, recorded and sealed: a release of it has no finding at all.
fn green() -> World {
    let world = World::site("proof");
    world.labdoc("verify --record").any_stdout().success();
    world.labdoc("evidence seal").any_stdout().success();
    world.labdoc("check --release").stdout("checked: 0 errors, 0 warnings\n").success();
    world
}

/// The folder of the one run of a bundle.
fn run_of(world: &World, bundle: &str) -> String {
    world.runs_of(bundle).pop().expect("a run")
}
