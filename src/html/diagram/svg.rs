//! merman's SVG, written anew: only what draws, as attributes, with the theme's colours.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::Drawing;
use super::attributes::{attributes_without, initial, is_text};
use super::colour::{self, Colour};
use super::number::{rounded, shortened};
use super::style::{Declarations, Sheet};
use crate::html::escape::escape;
use crate::html::links::is_safe;

/// Elements that draw.
const ELEMENTS: &[&str] = &[
    "svg",
    "g",
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "text",
    "tspan",
    "defs",
    "marker",
    "linearGradient",
    "radialGradient",
    "stop",
    "clipPath",
    "a",
];
/// Shapes that hold labels.
const SHAPES: &[&str] = &["rect", "circle", "ellipse", "polygon", "path"];
/// Room around a drawing: letters that are taller than measured are not cut.
const MARGIN: f64 = 8.0;

/// Writes merman's SVG anew; `id` begins every id.
///
/// # Errors
/// The SVG cannot be read or has no size.
pub(super) fn drawing(raw: &str, source: &str, id: &str) -> Result<Drawing, String> {
    let document =
        Document::parse(raw).map_err(|error| format!("the drawing is broken: {error}"))?;
    let root = document.root_element();
    let view: Vec<f64> = root
        .attribute("viewBox")
        .unwrap_or("")
        .split([' ', ','])
        .filter_map(|number| number.parse().ok())
        .collect();
    let [left, top, width, height] = view[..] else {
        return Err("the drawing has no size".to_owned());
    };
    let css: String = document
        .descendants()
        .filter(|node| node.has_tag_name((SVG, "style")))
        .filter_map(|node| node.text())
        .collect();
    let mut writer = Writer {
        sheet: Sheet::parse(&css),
        ids: referenced(&document, id),
        source: squeezed(source),
        out: String::with_capacity(raw.len() / 2),
        links: Vec::new(),
    };
    let (attributes, inherited) = writer.attributes(root, &initial(), None);
    for child in root.children() {
        writer.node(child, &inherited, None);
    }
    let text_of = |name: &str| {
        let node = root.children().find(|node| node.has_tag_name((SVG, name)))?;
        node.text().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let (width, height) = (width + 2.0 * MARGIN, height + 2.0 * MARGIN);
    let view = [left - MARGIN, top - MARGIN, width, height].map(|n| rounded(n, 2)).join(" ");
    Ok(Drawing {
        inner: writer.out,
        root: format!(" viewBox=\"{view}\"{attributes}"),
        id: id.to_owned(),
        size: (whole(width), whole(height)),
        title: text_of("title").or_else(|| drawn_title(root)),
        description: text_of("desc"),
        links: writer.links,
    })
}

/// A length in whole pixels; one that no screen has is cut.
fn whole(length: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let whole = length.ceil().clamp(1.0, 100_000.0) as u32;
    whole
}

/// The namespace of SVG.
const SVG: &str = "http://www.w3.org/2000/svg";

/// The title that a drawing shows.
fn drawn_title(root: Node<'_, '_>) -> Option<String> {
    let is_title = |node: &Node<'_, '_>| {
        node.tag_name().name() == "text"
            && node.attribute("class").is_some_and(|class| class.contains("itleText"))
    };
    let node = root.descendants().find(is_title)?;
    let text: String = node.descendants().filter(Node::is_text).filter_map(|n| n.text()).collect();
    let text = text.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The ids that something refers to, with their new names; all others are left out.
fn referenced(document: &Document<'_>, id: &str) -> BTreeMap<String, String> {
    let mut found: Vec<&str> = Vec::new();
    for node in document.descendants() {
        for attribute in node.attributes() {
            let value = attribute.value();
            let url = value.find("url(#").map(|at| &value[at + 5..]);
            let url = url.and_then(|rest| rest.split([')', '"']).next());
            let href = (attribute.name() == "href").then(|| value.strip_prefix('#')).flatten();
            found.extend(url.or(href));
        }
    }
    found.dedup();
    let mut ids = BTreeMap::new();
    for old in found {
        let next = ids.len() + 1;
        ids.entry(old.to_owned()).or_insert_with(|| format!("{id}{next}"));
    }
    ids
}

/// The source without blanks, in lower case: to tell an author's colours from leftovers.
fn squeezed(source: &str) -> String {
    source.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase()
}

/// Writes the elements.
pub(super) struct Writer {
    /// What merman's style sheet says.
    pub(super) sheet: Sheet,
    /// New ids by old.
    pub(super) ids: BTreeMap<String, String>,
    source: String,
    out: String,
    links: Vec<String>,
}

impl Writer {
    /// Writes a node. `around` is what the parent's properties are, `behind` the colour that an
    /// author gave the shape behind the text.
    fn node(&mut self, node: Node<'_, '_>, around: &Declarations, behind: Option<&str>) {
        if node.is_text() {
            let text = node.text().unwrap_or("");
            let inside = node.parent().is_some_and(|parent| is_text(parent.tag_name().name()));
            if inside {
                self.out.push_str(&escape(text));
            }
            return;
        }
        let name = node.tag_name().name();
        if name == "use" {
            self.used(node, around, behind);
            return;
        }
        let in_defs =
            node.parent_element().is_some_and(|parent| parent.has_tag_name((SVG, "defs")));
        if !node.is_element() || !ELEMENTS.contains(&name) || (name == "g" && in_defs) {
            return;
        }
        // What only others refer to is left out when none does.
        let passive = matches!(name, "marker" | "clipPath" | "linearGradient" | "radialGradient");
        let named = node.attribute("id").is_some_and(|id| self.ids.contains_key(id));
        let hollow = name == "defs" && !node.children().any(|child| child.is_element());
        if (passive && !named) || hollow {
            return;
        }
        let own = self.colour_behind(node);
        let behind = own.as_deref().or(behind);
        let (attributes, inherited) = self.attributes(node, around, behind);
        let href = if name == "a" { self.link(node) } else { None };
        // Of an address that could run something, the contents stay.
        let name = if name == "a" && href.is_none() { "g" } else { name };
        let empty = name == "g" && attributes.is_empty() && !node.has_children();
        if empty {
            return;
        }
        self.out.push_str(&format!("<{name}{}{attributes}>", href.unwrap_or_default()));
        for child in node.children() {
            self.node(child, &inherited, behind);
        }
        self.out.push_str(&format!("</{name}>"));
    }

    /// Writes what a `<use>` names in its place: a label that stands where it is drawn can be
    /// found and copied.
    fn used(&mut self, node: Node<'_, '_>, around: &Declarations, behind: Option<&str>) {
        let href = node.attributes().find(|one| one.name() == "href").map(|one| one.value());
        let Some(id) = href.and_then(|href| href.strip_prefix('#')) else { return };
        let mut all = node.document().descendants();
        let Some(label) = all.find(|one| one.attribute("id") == Some(id)) else { return };
        // One that names what it stands in, or another one, would not end.
        if label.descendants().any(|one| one.has_tag_name((SVG, "use"))) {
            return;
        }
        let (attributes, inherited) = self.attributes(node, around, behind);
        let number = |name: &str| node.attribute(name).and_then(|n| n.parse().ok()).unwrap_or(0.0);
        let (x, y): (f64, f64) = (number("x"), number("y"));
        let own = node.attribute("transform").unwrap_or("");
        let moved = format!("{own} translate({}, {})", rounded(x, 3), rounded(y, 3));
        let plain = attributes_without(&attributes, &["x", "y", "width", "height", "transform"]);
        self.out
            .push_str(&format!("<g transform=\"{}\"{plain}>", escape(&shortened(moved.trim()))));
        for child in label.children() {
            self.node(child, &inherited, behind);
        }
        self.out.push_str("</g>");
    }

    /// The address of a link, as the place that a page fills.
    fn link(&mut self, node: Node<'_, '_>) -> Option<String> {
        let dest = node.attributes().find(|one| one.name() == "href")?.value();
        if !is_safe(dest, false) {
            return None;
        }
        let at = self.links.len();
        self.links.push(dest.to_owned());
        Some(format!(" href=\"\u{e000}{at}\u{e001}\""))
    }

    /// The colour that an author gave a node's shape.
    fn colour_behind(&self, node: Node<'_, '_>) -> Option<String> {
        let class = node.attribute("class").unwrap_or("");
        if !class.split_whitespace().any(|one| matches!(one, "node" | "cluster")) {
            return None;
        }
        let shapes = node.descendants().filter(|one| SHAPES.contains(&one.tag_name().name()));
        let fill = |shape: Node<'_, '_>| {
            let own = self.sheet.of(shape);
            own.get("fill").map(String::as_str).or(shape.attribute("fill")).map(str::to_owned)
        };
        shapes
            .filter_map(fill)
            .find(|fill| self.is_authored(fill) && colour::is_light(fill).is_some())
    }

    /// Whether a colour is the author's and no leftover of the theme.
    pub(super) fn is_authored(&self, value: &str) -> bool {
        matches!(colour::read(value), Colour::Own(_)) && self.source.contains(&squeezed(value))
    }
}
