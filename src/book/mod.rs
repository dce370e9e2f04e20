//! Pages and the book they make.

mod page;

pub(crate) use page::*;
