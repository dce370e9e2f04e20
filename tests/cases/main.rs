//! The faults that users reported of other tools, each as a test through the binary, named by
//! its id in the list of cases.
#![allow(
    clippy::disallowed_methods,
    reason = "a test looks at the disk and starts programs itself"
)]

#[path = "../cli/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with tests/cli, which uses all of it")]
mod support;

mod api;
mod evidence;
mod executable_blocks;
mod site;
