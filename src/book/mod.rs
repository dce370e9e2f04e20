//! Pages and the book they make.

mod after;
mod blocks;
mod events;
mod foreign;
mod front;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod header;
mod history;
mod includes;
mod inline;
mod kind;
mod language;
mod links;
mod needs;
mod outline;
mod page;
mod parse;
mod quotes;
mod raw;
mod ready;
mod routes;
mod slug;
mod statement;
mod tree;
mod vars;

pub(crate) use blocks::shape::line_prefix;
#[cfg(test)]
pub(crate) use events::options;
pub(crate) use events::{Markup, Spanned, events};
pub(crate) use foreign::{Named, add_foreign};
pub(crate) use front::split as split_header;
#[cfg(test)]
pub(crate) use header::PageKind;
pub(crate) use history::date;
pub(crate) use includes::{Include, Part};
pub(crate) use inline::{Mark, MarkKind, is_claim_id, visible};
pub(crate) use language::in_language;
pub(crate) use outline::Outline;
pub(crate) use page::*;
pub(crate) use parse::{Setting, parse, parse_in};
pub(crate) use tree::{
    Book, CONTENT, LoadOptions, Section, folder_of, load, load_config, read_page,
};
pub(crate) use vars::fill;
