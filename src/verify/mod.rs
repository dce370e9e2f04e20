//! Running pages: plan, session, comparison, refresh, record.

mod background;
pub(crate) mod boundary;
mod console;
mod diff;
pub(crate) mod edit;
pub(crate) mod findings;
pub(crate) mod guard;
mod header;
mod hints;
pub(crate) mod includes;
pub(crate) mod judge;
pub(crate) mod live;
pub(crate) mod lives;
mod manifest;
pub(crate) mod mutants;
pub(crate) mod needs;
pub(crate) mod on_cluster;
pub(crate) mod order;
pub(crate) mod outcome;
pub(crate) mod parts;
pub(crate) mod plan;
mod ready;
pub(crate) mod record;
pub(crate) mod redact;
mod replay;
pub(crate) mod report;
pub(crate) mod rewrite;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod spread;
pub(crate) mod world;

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;

#[cfg(test)]
mod refresh_tests;
