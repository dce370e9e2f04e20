//! What only the whole book can show: links, and whether pages can be run.

mod after;
pub(crate) mod links;
mod runnable;

pub(crate) use links::links;
pub(crate) use runnable::runnable;
