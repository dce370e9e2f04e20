//! Running pages: plan, session, comparison, refresh, record.

mod console;
pub(crate) mod outcome;
pub(crate) mod plan;
pub(crate) mod rewrite;
