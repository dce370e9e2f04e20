//! What only the whole book can show: links, whether pages can be run, whether what is printed was
//! recorded, and what must not be published.

mod after;
pub(crate) mod exposure;
mod includes;
pub(crate) mod links;
mod offline;
mod places;
mod printed;
mod runnable;
mod still;
mod tags;
mod terminal;

pub(crate) use includes::includes;
pub(crate) use links::links;
pub(crate) use offline::{Wanted, offline};
pub(crate) use printed::Printed;
pub(crate) use runnable::runnable;
pub(crate) use still::is_offline_still;
