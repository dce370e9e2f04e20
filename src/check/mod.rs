//! What only the whole book can show: links, and whether pages can be run.

mod includes;
pub(crate) mod links;
mod runnable;

pub(crate) use includes::includes;
pub(crate) use links::links;
pub(crate) use runnable::runnable;
