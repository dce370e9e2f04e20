//! Mermaid fences as inline SVG: drawn at build time, without script and without a browser.
//!
//! The drawing depends on the source alone: labels are measured by a table and not by a font, so
//! that it is the same on every machine and fits in the reader's font. Its colours are custom
//! properties of the theme, so that it follows the page in light and dark. It holds no style
//! sheet and no inline style: what merman writes as CSS becomes attributes.

#[cfg(feature = "mermaid")]
mod attributes;
#[cfg(feature = "mermaid")]
mod colour;
mod face;
mod fence;
#[cfg(feature = "mermaid")]
mod measure;
#[cfg(feature = "mermaid")]
mod milestone;
#[cfg(feature = "mermaid")]
mod number;
#[cfg(feature = "mermaid")]
mod render;
#[cfg(feature = "mermaid")]
mod style;
#[cfg(feature = "mermaid")]
mod svg;

#[cfg(all(test, feature = "mermaid"))]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use face::Face;
use serde::{Deserialize, Serialize};

use crate::digest::sha256_hex;
use crate::store::Store;

/// A source above this many bytes is refused, so that time and size are bounded.
const LONGEST: usize = 64 * 1024;

/// What every id of a drawing begins with: `mmd-`, eight digits of its source's digest, `-`.
const ID_PREFIX: &str = "mmd-";

/// What drawings are among the things that are kept.
const KIND: &str = "diagram";

/// The words that begin a diagram, one a kind.
pub(super) const KINDS: &[&str] = &[
    "flowchart",
    "graph",
    "sequenceDiagram",
    "classDiagram",
    "stateDiagram-v2",
    "erDiagram",
    "gantt",
    "pie",
    "gitGraph",
    "mindmap",
    "timeline",
    "block-beta",
    "xychart-beta",
];

/// A finished drawing. It is the same wherever its source stands; a page puts its own addresses
/// and, for the second of two equal ones, other ids into it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Drawing {
    /// What stands inside `<svg …>`; `\u{e000}3\u{e001}` is the address of the fourth link.
    pub(crate) inner: String,
    /// The attributes of the root, without its id and labels.
    pub(crate) root: String,
    /// What all ids in it begin with.
    pub(crate) id: String,
    /// Natural width and height in whole pixels.
    pub(crate) size: (u32, u32),
    /// `accTitle`, or the title that is drawn.
    pub(crate) title: Option<String>,
    /// `accDescr`.
    pub(crate) description: Option<String>,
    /// The addresses that the drawing links to.
    pub(crate) links: Vec<String>,
}

/// Why a source cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// One sentence.
    pub(crate) message: String,
    /// Where in the source, in bytes.
    pub(crate) at: usize,
}

/// A drawing or its fault, shared by all fences that are equal.
type Drawn = Arc<Result<Drawing, Fault>>;

/// The diagrams of one build: equal sources are drawn once, also across threads, and not at all
/// where an earlier build did.
#[derive(Default)]
pub(crate) struct Diagrams {
    done: Mutex<BTreeMap<String, Drawn>>,
    store: Arc<Store>,
    /// The site's own font.
    face: Option<Face>,
}

impl Diagrams {
    /// Diagrams that are kept in a store. Labels are measured by the site's own font where there is
    /// one, else for the widest of the usual ones.
    pub(crate) fn kept(store: Arc<Store>, face: Option<Face>) -> Diagrams {
        Diagrams { done: Mutex::default(), store, face }
    }

    /// Draws a source.
    pub(crate) fn draw(&self, source: &str) -> Drawn {
        let digest = sha256_hex(source.as_bytes());
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(drawn) = done.get(&digest) {
            return Arc::clone(drawn);
        }
        // Drawing takes long: other threads go on meanwhile, and at worst do the same work.
        drop(done);
        let drawn = Arc::new(self.kept_or_drawn(source, &format!("{ID_PREFIX}{}-", &digest[..8])));
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.insert(digest, Arc::clone(&drawn));
        drawn
    }

    /// The drawing that an earlier build kept, else a new one.
    fn kept_or_drawn(&self, source: &str, id: &str) -> Result<Drawing, Fault> {
        // A labdoc without diagrams draws none, whatever another one kept.
        let input = match &self.face {
            Some(face) => format!("{} {source}", face.digest),
            None => source.to_owned(),
        };
        let kept = self.store.get(KIND, input.as_bytes()).filter(|_| cfg!(feature = "mermaid"));
        if let Some(drawing) = kept.and_then(|json| serde_json::from_slice(&json).ok()) {
            return Ok(drawing);
        }
        let drawing = draw(source, id, self.face.as_ref())?;
        if let Ok(json) = serde_json::to_vec(&drawing) {
            self.store.put(KIND, input.as_bytes(), &json);
        }
        Ok(drawing)
    }
}

/// Draws a source whose ids are to begin with `id`.
fn draw(source: &str, id: &str, face: Option<&Face>) -> Result<Drawing, Fault> {
    if source.len() > LONGEST {
        let message = format!("the diagram is longer than {} KB", LONGEST / 1024);
        return Err(Fault { message, at: 0 });
    }
    if source.trim().is_empty() {
        return Err(Fault { message: "the diagram is empty".to_owned(), at: 0 });
    }
    #[cfg(feature = "mermaid")]
    return render::render(source, id, face);
    #[cfg(not(feature = "mermaid"))]
    {
        let _ = (id, face);
        let message = "this labdoc was built without diagrams (feature `mermaid`)".to_owned();
        Err(Fault { message, at: 0 })
    }
}
