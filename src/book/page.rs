//! What a page is once it is parsed: header, headings, blocks, links, claims, all with spans.

use std::time::Duration;

use super::events::Markup;
pub(crate) use super::header::{FrontMatter, VerifyHeader, Workdir};
use super::includes::Include;
use super::inline::Mark;
pub(crate) use super::needs::{Need, Relation};
pub(crate) use super::ready::Ready;
use super::vars::Filled;
use crate::config::Config;
use crate::fence::Attributes;
use crate::source::{FileId, Span};
pub(crate) use crate::vary::Order;
use crate::vary::Within;

/// One page of the book. Parsing never fails: what is wrong is reported beside the value.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Its text.
    pub(crate) file: FileId,
    /// Path from the root, `content/lab/index.md`.
    pub(crate) path: String,
    /// Path in the site, `lab/index.html`; set when the book is assembled.
    pub(crate) out: String,
    /// The same for the default language: what translations of one page share. Set with `out`.
    pub(crate) base: String,
    /// Its language; set with `out`.
    pub(crate) language: String,
    /// Where the body begins, behind the header.
    pub(crate) body: usize,
    /// The header.
    pub(crate) front: FrontMatter,
    /// The header's place, where there is one.
    pub(crate) front_span: Option<Span>,
    /// Title from the header, else the first heading, else the file's name.
    pub(crate) title: String,
    /// Headings in order.
    pub(crate) headings: Vec<Heading>,
    /// Runnable blocks in order, with the output that is printed for them.
    pub(crate) blocks: Vec<Block>,
    /// What would be runnable blocks if it did not stand in an HTML comment: id and opening line.
    pub(crate) commented: Vec<(String, Span)>,
    /// Links and images in order, then those of raw HTML.
    pub(crate) links: Vec<Link>,
    /// The anchors of raw HTML.
    pub(crate) raw_ids: Vec<String>,
    /// Claims whose statement stands on this page, in order.
    pub(crate) claims: Vec<ClaimSpan>,
    /// References to claims, reports, sources, bundles, corrections.
    pub(crate) cites: Vec<Cite>,
    /// Live numbers and settings.
    pub(crate) lives: Vec<LiveNumber>,
    /// Where the brackets of claims, live numbers and references stand.
    pub(crate) marks: Vec<Mark>,
    /// Variables with their values.
    pub(crate) filled: Vec<Filled>,
    /// Fences that show a file.
    pub(crate) includes: Vec<Include>,
    /// What of Markdown is switched on.
    pub(crate) markup: Markup,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// 1 to 6.
    pub(crate) level: u8,
    /// Its anchor, unique on the page, in NFC.
    pub(crate) id: String,
    /// Its plain text.
    pub(crate) text: String,
    /// Its place.
    pub(crate) span: Span,
}

/// A link or an image as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// The destination as written, percent escapes included.
    pub(crate) dest: String,
    /// Whether it is an image.
    pub(crate) image: bool,
    /// The place of the whole link.
    pub(crate) span: Span,
}

/// The statement of a claim: `[…]{#C7}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimSpan {
    /// `C7`.
    pub(crate) id: String,
    /// Plain text in NFC with white space collapsed, as the reader sees it.
    pub(crate) statement: String,
    /// The same with each live number written as `{=name}`; this is what the digest covers.
    pub(crate) digest_text: String,
    /// The place from `[` to `}`.
    pub(crate) span: Span,
    /// Numbers that stand alone in the statement and are neither live nor a setting.
    pub(crate) bare_numbers: Vec<(String, Span)>,
    /// Names of the live numbers inside it.
    pub(crate) lives: Vec<String>,
}

/// A reference such as `[C14]`, `[R2]` or `[T7]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cite {
    /// The id that is named.
    pub(crate) id: String,
    /// The place from `[` to `]`.
    pub(crate) span: Span,
}

/// A number in the prose that comes from a run: `[2]{=flip.lost}`; a setting is `[5]{=}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LiveNumber {
    /// The captured value's name, `None` for a setting.
    pub(crate) name: Option<String>,
    /// The number as printed.
    pub(crate) value: String,
    /// The place of the printed number.
    pub(crate) value_span: Span,
    /// The place from `[` to `}`.
    pub(crate) span: Span,
}

/// What language a runnable block is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// `sh` or `bash`: the text is one script.
    Shell,
    /// `console`: `$ ` lines are commands, the rest is their output.
    Console,
    /// `yaml {.apply}`: a manifest that is applied as it is shown.
    Apply,
    /// `yaml {.assert}`: parts that live objects of the cluster must hold.
    Assert,
}

/// A runnable block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Its id, unique on the page.
    pub(crate) id: String,
    /// Its language.
    pub(crate) kind: BlockKind,
    /// The commands, without the prefix of the list or quote that holds them.
    pub(crate) text: String,
    /// The header's attributes.
    pub(crate) attributes: Attributes,
    /// The options that stand on the block itself.
    pub(crate) options: BlockOptions,
    /// The whole fence, header line to closing line.
    pub(crate) span: Span,
    /// The place of each line of `text` in the page, line end excluded, prefix excluded.
    pub(crate) lines: Vec<Span>,
    /// The printed output, where an `output` fence names this block.
    pub(crate) output: Option<OutputFence>,
}

/// The options of a block as written on it; what is `None` comes from page, book or default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockOptions {
    /// Time limit.
    pub(crate) timeout: Option<Duration>,
    /// Expected exit code; `Some(None)` is `exit=any`.
    pub(crate) exit: Option<Option<i32>>,
    /// How long it is repeated until it matches.
    pub(crate) retry: Option<Duration>,
    /// `.background`: it runs on while later blocks run.
    pub(crate) background: bool,
    /// When a background block is ready.
    pub(crate) ready: Option<Ready>,
    /// `.on-failure`: it runs only after something failed.
    pub(crate) on_failure: bool,
    /// What it needs to run.
    pub(crate) needs: Vec<Need>,
    /// Names under which it can be chosen.
    pub(crate) tags: Vec<String>,
    /// Environment variables that are passed through.
    pub(crate) env: Vec<String>,
    /// `tty=true`: it runs on a terminal.
    pub(crate) tty: bool,
    /// `stderr=apart`: only the standard output is compared.
    pub(crate) stderr_apart: bool,
    /// `strict=true`: trailing blanks, carriage returns and the last newline count.
    pub(crate) strict: bool,
    /// `.setup`.
    pub(crate) setup: bool,
    /// `.teardown`.
    pub(crate) teardown: bool,
    /// `.skip`.
    pub(crate) skip: bool,
    /// `vary=`, for `console` blocks.
    pub(crate) vary: Vec<String>,
    /// `within=`, for `console` blocks.
    pub(crate) within: Within,
    /// `.ordered` and `.unordered`, for `console` blocks.
    pub(crate) order: Order,
}

/// An `output` fence: the text as last measured.
#[derive(Clone, Debug)]
pub(crate) struct OutputFence {
    /// The printed text, without the prefix of the list or quote that holds it.
    pub(crate) text: String,
    /// The place of each line of `text` in the page, line end excluded, prefix excluded.
    pub(crate) lines: Vec<Span>,
    /// The bytes between the opening line and the closing line, prefixes included.
    pub(crate) content: Span,
    /// The opening line's fence run (``` or ~~~).
    pub(crate) open_run: Span,
    /// The closing line's fence run.
    pub(crate) close_run: Span,
    /// What stands before each content line: list indent or `> `.
    pub(crate) prefix: String,
    /// The whole fence.
    pub(crate) span: Span,
    /// Value classes that may vary here.
    pub(crate) vary: Vec<String>,
    /// How far quantities may be off.
    pub(crate) within: Within,
    /// In which order lines and rows may come.
    pub(crate) order: Order,
}

impl Page {
    /// The block of that id.
    pub(crate) fn block(&self, id: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.id == id)
    }

    /// Whether the page is meant to be run.
    pub(crate) fn is_runnable(&self) -> bool {
        !self.blocks.is_empty() || self.front.verify.is_some()
    }
}

impl Block {
    /// In which order lines and rows of its output may come, and how far quantities may be off.
    pub(crate) fn order_and_bounds(&self) -> (Order, &Within) {
        match &self.output {
            Some(output) => (output.order, &output.within),
            None => (self.options.order, &self.options.within),
        }
    }
}

/// The names of the value classes in effect for a block: the book's, the page's and its own.
pub(crate) fn class_names<'a>(
    page: &'a Page,
    block: &'a Block,
    config: &'a Config,
) -> Vec<&'a str> {
    let own = block.output.as_ref().map_or(&block.options.vary, |output| &output.vary);
    let verify = page.front.verify.as_ref();
    let page_wide = verify.map(|verify| verify.vary.as_slice()).unwrap_or_default();
    config.page_classes().iter().chain(page_wide).chain(own).map(String::as_str).collect()
}
