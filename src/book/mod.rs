//! Pages and the book they make.

mod blocks;
mod events;
mod front;
mod includes;
mod inline;
mod needs;
mod page;
mod parse;
mod ready;
mod slug;
mod tree;
mod vars;

pub(crate) use events::{Markup, Spanned, events};
pub(crate) use front::split as split_header;
pub(crate) use includes::{Include, Part};
pub(crate) use inline::{Mark, MarkKind, is_claim_id, visible};
pub(crate) use page::*;
pub(crate) use parse::parse;
pub(crate) use tree::{Book, CONTENT, LoadOptions, Section, folder_of, load, load_config};
pub(crate) use vars::fill;
