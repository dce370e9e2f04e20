//! What the rest of a site can see of its pages: enough to render one page among the others
//! without reading them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::header::FrontMatter;
use super::page::Page;
use super::tree::Book;
use crate::config::Config;
use crate::digest::sha256;
use crate::source::{FileId, Sources};

/// One page as others see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outline<'a> {
    /// Path from the root.
    pub(crate) path: &'a str,
    /// Path in the site.
    pub(crate) out: &'a str,
    /// The same for the default language.
    base: &'a str,
    /// Its language.
    language: &'a str,
    /// Its title.
    title: &'a str,
    /// Order in its folder.
    weight: Option<i64>,
    /// The date of the last change, which may come from the history.
    updated: Option<&'a str>,
    /// Digest of the text of its header.
    header: [u8; 32],
    /// Ids of its headings, then those of raw HTML.
    #[serde(borrow)]
    anchors: Vec<&'a str>,
    /// Whether it is running text and nothing else, see [`is_plain`].
    plain: bool,
}

/// Whether nothing of a page is seen elsewhere but what its outline holds: no block, claim,
/// reference, number, shown file, bundle or kit.
fn is_plain(page: &Page) -> bool {
    page.blocks.is_empty()
        && page.commented.is_empty()
        && page.claims.is_empty()
        && page.cites.is_empty()
        && page.lives.is_empty()
        && page.marks.is_empty()
        && page.includes.is_empty()
        && page.front.verify.is_none()
        && page.front.kit.is_none()
}

impl<'a> Outline<'a> {
    /// The outline of a page.
    pub(crate) fn of(page: &'a Page, sources: &Sources) -> Outline<'a> {
        let header = sources.text(page.file).get(..page.body).unwrap_or_default();
        let headings = page.headings.iter().map(|heading| heading.id.as_str());
        Outline {
            path: &page.path,
            out: &page.out,
            base: &page.base,
            language: &page.language,
            title: &page.title,
            weight: page.front.weight,
            updated: page.front.updated.as_deref(),
            header: sha256(header.as_bytes()),
            anchors: headings.chain(page.raw_ids.iter().map(String::as_str)).collect(),
            plain: is_plain(page),
        }
    }

    /// Gives a page that was parsed anew what it had from the book, and says whether the rest of
    /// the book still sees the same of it, but for its anchors.
    pub(crate) fn is_still(&self, page: &mut Page, sources: &Sources) -> bool {
        self.out.clone_into(&mut page.out);
        self.base.clone_into(&mut page.base);
        self.language.clone_into(&mut page.language);
        page.front.updated = self.updated.map(str::to_owned);
        let now = Outline::of(page, sources);
        let anchors = now.anchors.clone();
        self.plain && now == Outline { anchors, ..self.clone() }
    }

    /// Whether a page has the same anchors.
    pub(crate) fn has_same_anchors(&self, other: &Outline<'_>) -> bool {
        self.anchors == other.anchors
    }

    /// Its anchors that `other` has not.
    pub(crate) fn anchors_beside(&self, other: &Outline<'_>) -> Vec<&'a str> {
        self.anchors.iter().copied().filter(|id| !other.anchors.contains(id)).collect()
    }

    /// The page as others see it; nothing else of it is there, and its anchors only if it is
    /// `asked` for them.
    fn page(&self, file: FileId, asked: bool) -> Page {
        let weight = self.weight;
        let anchors = self.anchors.iter().filter(|_| asked);
        Page {
            file,
            path: self.path.to_owned(),
            out: self.out.to_owned(),
            base: self.base.to_owned(),
            language: self.language.to_owned(),
            body: 0,
            front: FrontMatter { weight, ..FrontMatter::default() },
            front_span: None,
            title: self.title.to_owned(),
            headings: Vec::new(),
            blocks: Vec::new(),
            commented: Vec::new(),
            links: Vec::new(),
            // To others an anchor is an anchor.
            raw_ids: anchors.map(|id| (*id).to_owned()).collect(),
            claims: Vec::new(),
            cites: Vec::new(),
            lives: Vec::new(),
            marks: Vec::new(),
            filled: Vec::new(),
            includes: Vec::new(),
            markup: super::Markup::default(),
        }
    }
}

impl Book {
    /// A book of which only the outlines are known. `file` stands for the texts of its pages, which
    /// nobody may ask for. The anchors are there for the links of the pages that are `asking`.
    pub(crate) fn of_outlines(
        (config, assets): (Config, BTreeMap<String, String>),
        outlines: &[Outline<'_>],
        file: FileId,
        asking: &[&Page],
    ) -> Book {
        let is_elsewhere = |dest: &str| dest.contains('#') && !dest.starts_with('#');
        let mut links = asking.iter().flat_map(|page| &page.links);
        let asks = links.any(|link| is_elsewhere(&link.dest));
        let pages = outlines.iter().map(|outline| outline.page(file, asks)).collect();
        Book::assembled(config, pages, assets)
    }
}
