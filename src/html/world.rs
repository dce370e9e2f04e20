//! What a page's HTML needs to know from outside the page.

use super::diagram::Diagrams;
use super::highlight::Highlight;
use crate::book::Block;
use crate::vary::Classes;

/// A state as a reader sees it: a shape, a word and a colour, in that order of importance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// Confirmed by a run that still holds.
    Ok,
    /// Confirmed once; something has changed since.
    Stale,
    /// A run failed or contradicts.
    Bad,
    /// Never run, or nothing to say.
    Idle,
}

impl State {
    /// Its class.
    pub(crate) fn class(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Stale => "stale",
            State::Bad => "bad",
            State::Idle => "idle",
        }
    }

    /// Its shape.
    pub(crate) fn shape(self) -> &'static str {
        match self {
            State::Ok => "✓",
            State::Stale => "◷",
            State::Bad => "✕",
            State::Idle => "○",
        }
    }
}

/// The small link behind a claim, or that a reference becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chip {
    /// Where it leads, relative to the page.
    pub(crate) href: String,
    /// Its state; `None` for a thing that has none, such as a source.
    pub(crate) state: Option<State>,
    /// The state's word, read out but not shown.
    pub(crate) word: String,
    /// Shown on hover.
    pub(crate) title: String,
}

/// What is known of a block's last run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunState {
    /// Its state.
    pub(crate) state: State,
    /// The state's word, `확인됨`.
    pub(crate) word: String,
    /// When and where, `2026-11-29, Envoy 1.38.3`.
    pub(crate) detail: String,
    /// Name and address of the recorded run.
    pub(crate) bundle: Option<(String, String)>,
    /// How long it took.
    pub(crate) duration: Option<String>,
}

/// What the page's surroundings answer while it is rendered. The room `site` implements it for
/// each page; a page's HTML depends on nothing else but the page, so equal answers give equal
/// bytes.
pub(crate) trait World {
    /// The address, relative to this page, of a destination as written in Markdown or raw HTML;
    /// `None` leaves it as written.
    fn href(&self, dest: &str) -> Option<String>;
    /// The chip of a claim whose statement stands on this page.
    fn claim(&self, id: &str) -> Option<Chip>;
    /// The chip of a reference: claim, bundle, report, source or correction.
    fn cite(&self, id: &str) -> Option<Chip>;
    /// Where a live number was measured.
    fn live(&self, name: &str) -> Option<String>;
    /// The last run of a block.
    fn run(&self, block: &str) -> Option<RunState>;
    /// The value classes in effect for a block's output.
    fn classes(&self, block: &Block) -> Classes;
    /// A word of the interface in the page's language; the keys are those of [`WORDS`].
    fn word(&self, key: &str) -> &str;
    /// The colours, shared by all pages of a build.
    fn highlight(&self) -> &Highlight;
    /// The diagrams, shared by all pages of a build.
    fn diagrams(&self) -> &Diagrams;
    /// Width and height of an image, where the file is known.
    fn image_size(&self, _dest: &str) -> Option<(u32, u32)> {
        None
    }
}

/// Every key that [`World::word`] is asked for, with the English word.
pub(crate) const WORDS: &[(&str, &str)] = &[
    ("abstract", "Abstract"),
    ("block", "Runnable block"),
    ("caution", "Caution"),
    ("copy", "Copy"),
    ("correction", "Correction"),
    ("diagram", "Diagram"),
    ("diagram-source", "Source of the diagram"),
    ("done", "done"),
    ("footnote", "Footnote"),
    ("footnote-back", "Back to the text"),
    ("footnotes", "Footnotes"),
    ("important", "Important"),
    ("may-differ", "may differ from run to run"),
    ("not-run", "no run recorded"),
    ("note", "Note"),
    ("open", "not done"),
    ("output-of", "Output of"),
    ("section-link", "Link to this section"),
    ("setup", "setup"),
    ("skip", "not run"),
    ("table", "Table"),
    ("teardown", "clean-up"),
    ("tip", "Tip"),
    ("warning", "Warning"),
];
