//! A page's body as HTML, written in one walk over its Markdown events.
//!
//! Nothing is ever replaced in finished HTML. What the page needs from evidence and site comes
//! through [`World`]. No inline script or style is written, whatever the page holds, so the
//! strict content security policy of the site is always met.

mod callout;
mod console;
mod diagram;
mod escape;
mod fence;
mod formula;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod highlight;
mod inline;
mod links;
mod notes;
mod output;
mod params;
mod raw;
mod run;
mod table;
mod walk;
mod world;

#[cfg(test)]
mod tests;

pub(crate) use diagram::{Diagrams, Face};
pub(crate) use escape::escape;
pub(crate) use highlight::Highlight;
pub(crate) use world::{Chip, RunState, State, WORDS, World};

use crate::book::{Page, events, fill};
use crate::diag::Diagnostic;

/// The HTML of a page's body, and what a template needs beside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// The HTML, without the first heading of level 1: the template prints the title.
    pub(crate) html: String,
    /// The anchor of that first heading, for the template to put on the title.
    pub(crate) title_id: Option<String>,
    /// Headings of level 2 to 4, in order.
    pub(crate) toc: Vec<TocEntry>,
    /// Parameters that commands show, with the values that stand there.
    pub(crate) params: Vec<(String, String)>,
    /// What is wrong with the page as HTML.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Words of running text, code left out: for the reading time.
    pub(crate) plain_words: usize,
}

/// A heading in the list of contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TocEntry {
    /// Its anchor.
    pub(crate) id: String,
    /// Its plain text.
    pub(crate) text: String,
    /// 2 to 4.
    pub(crate) level: u8,
}

/// Renders the body of `page`, whose whole text is `text`.
pub(crate) fn render(page: &Page, text: &str, world: &dyn World) -> Body {
    let events = fill(events(text, page.body, page.markup), &page.filled);
    walk::Walk::new(page, text, world, &events).run()
}
