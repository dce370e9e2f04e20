//! merman's SVG, written anew: only what draws, as attributes, with the theme's colours.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::Drawing;
use super::colour::{self, Colour};
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
/// Attributes of geometry.
const GEOMETRY: &[&str] = &[
    "d",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "points",
    "width",
    "height",
    "viewBox",
    "transform",
    "dx",
    "dy",
    "refX",
    "refY",
    "markerWidth",
    "markerHeight",
    "markerUnits",
    "orient",
    "offset",
    "gradientUnits",
    "gradientTransform",
    "fx",
    "fy",
    "preserveAspectRatio",
    "textLength",
    "clipPathUnits",
];
/// Properties that descendants take over.
const INHERITED: &[&str] = &[
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-opacity",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "font-size",
    "font-weight",
    "font-style",
    "text-anchor",
    "dominant-baseline",
    "letter-spacing",
    "visibility",
];
/// Properties of one element.
const OWN: &[&str] = &[
    "opacity",
    "alignment-baseline",
    "baseline-shift",
    "display",
    "text-decoration",
    "overflow",
    "marker-start",
    "marker-mid",
    "marker-end",
    "clip-path",
    "stop-color",
    "stop-opacity",
];
/// Properties that are colours.
const COLOURS: &[&str] = &["fill", "stroke", "stop-color"];
/// Shapes that hold labels.
const SHAPES: &[&str] = &["rect", "circle", "ellipse", "polygon", "path"];
/// Classes that are kept, for style sheets of a site.
const CLASSES: &[&str] = &[
    "node",
    "cluster",
    "edgeLabel",
    "edgePath",
    "label",
    "actor",
    "note",
    "messageText",
    "loopText",
    "labelBox",
    "task",
    "section",
    "commit",
    "branch",
    "pieCircle",
    "slice",
    "legend",
];
/// Opacity of an author's background behind parts of a sequence, so that the page's text stays
/// readable on it in light and dark.
const TINT: &str = "0.3";

/// Text on an author's light colour, and on a dark one.
const DARK: &str = "#1b2330";
const LIGHT: &str = "#ffffff";

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
        size: (width, height),
        title: text_of("title").or_else(|| drawn_title(root)),
        description: text_of("desc"),
        links: writer.links,
    })
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
struct Writer {
    sheet: Sheet,
    ids: BTreeMap<String, String>,
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
    fn is_authored(&self, value: &str) -> bool {
        matches!(colour::read(value), Colour::Own(_)) && self.source.contains(&squeezed(value))
    }

    /// The attributes of an element, and what its children take over.
    fn attributes(
        &self,
        node: Node<'_, '_>,
        around: &Declarations,
        behind: Option<&str>,
    ) -> (String, Declarations) {
        let mut html = String::new();
        self.push_names(node, &mut html);
        let is_root = node.parent_element().is_none();
        for attribute in node.attributes().filter(|one| GEOMETRY.contains(&one.name())) {
            let size = matches!(attribute.name(), "width" | "height" | "viewBox");
            if !(is_root && size) {
                let value = shortened(attribute.value());
                html.push_str(&format!(" {}=\"{}\"", attribute.name(), escape(&value)));
            }
        }
        let mut own = Declarations::new();
        for attribute in node.attributes() {
            own.insert(attribute.name().to_owned(), attribute.value().to_owned());
        }
        own.extend(self.sheet.of(node));
        self.adapt(node, &mut own, behind);
        html.push_str(&turned(node, &own));
        let mut inherited = around.clone();
        for property in INHERITED {
            let Some(value) = own.get(*property).and_then(|value| self.value(property, value))
            else {
                continue;
            };
            if inherited.get(*property) != Some(&value) {
                html.push_str(&format!(" {property}=\"{}\"", escape(&value)));
                inherited.insert((*property).to_owned(), value);
            }
        }
        for property in OWN {
            let value = own.get(*property).and_then(|value| self.value(property, value));
            if let Some(value) = value.filter(|value| !is_initial(property, value)) {
                html.push_str(&format!(" {property}=\"{}\"", escape(&value)));
            }
        }
        (html, inherited)
    }

    /// The id, where something refers to it, and the classes that are kept.
    fn push_names(&self, node: Node<'_, '_>, html: &mut String) {
        if let Some(id) = node.attribute("id").and_then(|id| self.ids.get(id)) {
            html.push_str(&format!(" id=\"{id}\""));
        }
        let classes = node.attribute("class").unwrap_or("").split_whitespace();
        let kept: Vec<&str> = classes.filter(|class| CLASSES.contains(class)).collect();
        if !kept.is_empty() && node.parent_element().is_some() {
            html.push_str(&format!(" class=\"{}\"", kept.join(" ")));
        }
    }

    /// What differs from the sheet: opacities out of colours, text on an author's colours, and
    /// labels that no box may cut.
    fn adapt(&self, node: Node<'_, '_>, own: &mut Declarations, behind: Option<&str>) {
        let name = node.tag_name().name();
        for (property, opacity) in [("fill", "fill-opacity"), ("stroke", "stroke-opacity")] {
            if let Some(Colour::Role(_, alpha)) = own.get(property).map(|value| colour::read(value))
                && alpha < 1.0
            {
                own.insert(opacity.to_owned(), rounded(alpha, 2));
            }
        }
        if is_text(name)
            && let Some(light) = behind.and_then(colour::is_light)
            && !own.get("fill").is_some_and(|fill| self.is_authored(fill))
        {
            own.insert("fill".to_owned(), if light { DARK } else { LIGHT }.to_owned());
        }
        let class = node.attribute("class").unwrap_or("");
        if name == "rect" && class == "rect" && own.get("fill").is_some_and(|f| self.is_authored(f))
        {
            own.insert("fill-opacity".to_owned(), TINT.to_owned());
        }
        let of_edge =
            |one: Node<'_, '_>| one.attribute("class").is_some_and(|c| c.contains("edgeLabel"));
        if name == "rect" && node.ancestors().any(of_edge) {
            // The line would run through the letters.
            own.remove("opacity");
            own.remove("fill-opacity");
        }
        if own.get("stroke-dasharray").is_some_and(|value| value == "0" || value == "0px") {
            own.insert("stroke-dasharray".to_owned(), "none".to_owned());
        }
        if own.get("overflow").is_some_and(|value| value == "hidden") {
            own.insert("overflow".to_owned(), "visible".to_owned());
        }
    }

    /// A property's value as an attribute takes it; `None` for one that says nothing here.
    fn value(&self, property: &str, value: &str) -> Option<String> {
        let value = value.trim();
        if value.is_empty() || matches!(value, "inherit" | "initial" | "unset" | "normal") {
            return None;
        }
        if let Some(rest) = value.strip_prefix("url(") {
            let old = rest.trim_matches(['"', '\'']).strip_prefix('#')?;
            let old = old.split([')', '"', '\'']).next()?;
            return self.ids.get(old).map(|id| format!("url(#{id})"));
        }
        if COLOURS.contains(&property) {
            return Some(self.colour(property, value));
        }
        let harmless = |c: char| c.is_ascii_alphanumeric() || " .,-%".contains(c);
        let value = value.strip_suffix("px").unwrap_or(value);
        (value.chars().all(harmless) && value.len() < 64).then(|| shortened(value))
    }

    /// A colour: the theme's, an author's, or in the place of a leftover the usual one.
    fn colour(&self, property: &str, value: &str) -> String {
        match colour::read(value) {
            // A line in the colour of text on a series would be lost on the paper.
            Colour::Role("on", _) if property == "stroke" => "var(--mm-line)".to_owned(),
            Colour::Role(role, _) => format!("var(--mm-{role})"),
            Colour::Own(word) if matches!(word.as_str(), "none" | "transparent") => {
                "none".to_owned()
            }
            Colour::Own(word) if word == DARK || word == LIGHT => word,
            Colour::Own(word) if is_colour(&word) && self.is_authored(&word) => word,
            Colour::Own(_) if property == "stroke" => "var(--mm-line)".to_owned(),
            Colour::Own(word) if word == "currentColor" => "var(--mm-ink)".to_owned(),
            Colour::Own(word) => match colour::is_light(&word) {
                Some(true) => "var(--mm-panel)".to_owned(),
                _ => "var(--mm-ink)".to_owned(),
            },
        }
    }
}

/// The turn of a milestone, which merman writes as CSS, as an attribute.
fn turned(node: Node<'_, '_>, own: &Declarations) -> String {
    let css = own.get("transform").filter(|css| css.starts_with("rotate(45deg)"));
    let (Some(_), None) = (css, node.attribute("transform")) else { return String::new() };
    let origin = own.get("transform-origin").map_or("", String::as_str);
    let mut numbers = origin.split(' ').filter_map(|part| part.trim_end_matches("px").parse().ok());
    let (Some(x), Some(y)): (Option<f64>, Option<f64>) = (numbers.next(), numbers.next()) else {
        return String::new();
    };
    let (x, y) = (rounded(x, 3), rounded(y, 3));
    format!(" transform=\"translate({x},{y}) rotate(45) scale(.8) translate(-{x},-{y})\"")
}

/// Attributes less some; none of the values holds a blank before a name.
fn attributes_without(attributes: &str, names: &[&str]) -> String {
    let is_out = |part: &str| names.iter().any(|name| part.starts_with(&format!("{name}=\"")));
    let parts = attributes.split("\" ").map(|part| part.trim().trim_end_matches('"'));
    let kept = parts.filter(|part| !part.is_empty() && !is_out(part));
    kept.map(|part| format!(" {part}\"")).collect()
}

/// Whether a value is what a property is without it.
fn is_initial(property: &str, value: &str) -> bool {
    match property {
        "opacity" | "stop-opacity" => value == "1",
        "display" => value != "none",
        "overflow" => false,
        _ => matches!(value, "none" | "auto" | "baseline"),
    }
}

/// What inherited properties are where nothing says otherwise.
fn initial() -> Declarations {
    [
        ("fill-opacity", "1"),
        ("stroke", "none"),
        ("stroke-width", "1"),
        ("stroke-opacity", "1"),
        ("stroke-dasharray", "none"),
        ("stroke-linecap", "butt"),
        ("stroke-linejoin", "miter"),
        ("text-anchor", "start"),
        ("dominant-baseline", "auto"),
        ("visibility", "visible"),
    ]
    .into_iter()
    .map(|(property, value)| (property.to_owned(), value.to_owned()))
    .collect()
}

/// Whether an element holds text.
fn is_text(name: &str) -> bool {
    matches!(name, "text" | "tspan")
}

/// Whether a value can be nothing but a colour.
fn is_colour(value: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "#(),.% ".contains(c);
    value.len() < 40 && value.chars().all(fits)
}

/// A number without needless digits.
fn rounded(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A value with its numbers cut to three digits behind the point.
fn shortened(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let whole = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        let decimals = tail[whole..].strip_prefix('.').map_or(0, |digits| {
            1 + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())
        });
        let (number, after) = tail.split_at(whole + decimals);
        match number.parse::<f64>() {
            Ok(value) if decimals > 0 && !after.starts_with(['e', 'E']) => {
                out.push_str(&rounded(value, 3));
            }
            _ => out.push_str(number),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut() {
        assert_eq!(shortened("M1.23456,-7.5L0.0004 10.0"), "M1.235,-7.5L0 10");
        assert_eq!(shortened("a5,5 0 0,1 0.5000,3"), "a5,5 0 0,1 0.5,3");
        assert_eq!(shortened("#f96"), "#f96");
    }
}
