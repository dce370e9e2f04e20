//! The attributes of an element of a drawing: geometry as it is, and what the style sheet says of
//! it, with the theme's colours.

use roxmltree::Node;

use super::colour::{self, Colour};
use super::milestone;
use super::number::{rounded, shortened};
use super::style::Declarations;
use super::svg::Writer;
use crate::html::escape::escape;

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

impl Writer {
    /// The attributes of an element, and what its children take over.
    pub(super) fn attributes(
        &self,
        node: Node<'_, '_>,
        around: &Declarations,
        behind: Option<&str>,
    ) -> (String, Declarations) {
        let mut html = String::new();
        self.push_names(node, &mut html);
        let mut own = Declarations::new();
        for attribute in node.attributes() {
            own.insert(attribute.name().to_owned(), attribute.value().to_owned());
        }
        own.extend(self.sheet.of(node));
        self.adapt(node, &mut own, behind);
        let is_root = node.parent_element().is_none();
        let beside = milestone::beside(node, own.get("text-anchor").map_or("", String::as_str));
        for attribute in node.attributes().filter(|one| GEOMETRY.contains(&one.name())) {
            let size = matches!(attribute.name(), "width" | "height" | "viewBox");
            if !(is_root && size) {
                let moved = beside.as_deref().filter(|_| attribute.name() == "x");
                let value = shortened(moved.unwrap_or(attribute.value()));
                html.push_str(&format!(" {}=\"{}\"", attribute.name(), escape(&value)));
            }
        }
        html.push_str(&milestone::turned(node));
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

/// Attributes less some; none of the values holds a blank before a name.
pub(super) fn attributes_without(attributes: &str, names: &[&str]) -> String {
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
pub(super) fn initial() -> Declarations {
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
pub(super) fn is_text(name: &str) -> bool {
    matches!(name, "text" | "tspan")
}

/// Whether a value can be nothing but a colour.
fn is_colour(value: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "#(),.% ".contains(c);
    value.len() < 40 && value.chars().all(fits)
}
