//! Milestones of gantt charts: a square that stands on its tip, with its name beside it. merman
//! leaves the turn to CSS, and puts the name into the mark where it decides twice, by two
//! different widths, on which side it stands.

use roxmltree::Node;

use super::number::rounded;

/// Room between a mark and its name.
const GAP: f64 = 5.0;

/// The square of a mark: left, top, width and height.
fn square(mark: Node<'_, '_>) -> Option<[f64; 4]> {
    let number = |name: &str| mark.attribute(name)?.parse::<f64>().ok();
    Some([number("x")?, number("y")?, number("width")?, number("height")?])
}

/// Whether an element has a class.
fn has_class(node: Node<'_, '_>, name: &str) -> bool {
    node.attribute("class").is_some_and(|all| all.split_whitespace().any(|one| one == name))
}

/// The attribute that turns a mark; nothing for any other element.
pub(super) fn turned(node: Node<'_, '_>) -> String {
    let is_mark = node.tag_name().name() == "rect" && has_class(node, "milestone");
    let Some([x, y, width, height]) = square(node).filter(|_| is_mark) else {
        return String::new();
    };
    let (x, y) = (rounded(x + width / 2.0, 3), rounded(y + height / 2.0, 3));
    format!(" transform=\"translate({x},{y}) rotate(45) scale(.8) translate(-{x},-{y})\"")
}

/// Where the name of a milestone stands, on the side that its anchor says; nothing for any other
/// element, and for a name that fits into the mark.
pub(super) fn beside(node: Node<'_, '_>, anchor: &str) -> Option<String> {
    if !has_class(node, "milestoneText") {
        return None;
    }
    let id = node.attribute("id")?.strip_suffix("-text")?;
    let mark = node.parent_element()?.children().find(|one| one.attribute("id") == Some(id))?;
    let [x, _, width, _] = square(mark)?;
    match anchor {
        "end" => Some(rounded(x - GAP, 3)),
        "start" => Some(rounded(x + width + GAP, 3)),
        _ => None,
    }
}
