//! Running pages: plan, session, comparison, refresh, record.

mod console;
pub(crate) mod findings;
mod header;
pub(crate) mod order;
pub(crate) mod outcome;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod redact;
mod replay;
pub(crate) mod report;
pub(crate) mod rewrite;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod world;
