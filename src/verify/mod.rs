//! Running pages: plan, session, comparison, refresh, record.

mod console;
pub(crate) mod findings;
pub(crate) mod guard;
mod header;
pub(crate) mod outcome;
pub(crate) mod plan;
pub(crate) mod record;
mod replay;
pub(crate) mod rewrite;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod world;
