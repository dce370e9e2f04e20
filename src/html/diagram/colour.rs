//! Colours of diagrams: every colour of merman's theme is a mark of its role, and each mark
//! becomes a custom property of the page's theme.
//!
//! merman takes only literal colours, so the theme is one of near-black marks (`#010101`,
//! `#010102`, …) that come through verbatim and can be told from every colour of an author.

use serde_json::{Map, Value, json};

/// What a colour is for; the order gives the marks.
pub(super) const ROLES: &[&str] = &[
    "ink",
    "line",
    "node",
    "node-line",
    "group",
    "group-line",
    "note",
    "note-line",
    "paper",
    "panel",
    "soft",
    "bad",
    "bad-line",
    "done",
    "done-line",
    "on",
    "s0",
    "s1",
    "s2",
    "s3",
    "s4",
    "s5",
    "s6",
    "s7",
];

/// How many colours tell series and sections apart.
const SERIES: usize = 8;

/// Theme variables by role.
const VARIABLES: &[(&str, &[&str])] = &[
    (
        "ink",
        &[
            "primaryTextColor",
            "secondaryTextColor",
            "tertiaryTextColor",
            "textColor",
            "nodeTextColor",
            "titleColor",
            "actorTextColor",
            "signalTextColor",
            "labelTextColor",
            "loopTextColor",
            "noteTextColor",
            "taskTextColor",
            "taskTextDarkColor",
            "taskTextOutsideColor",
            "taskTextClickableColor",
            "classText",
            "pieTitleTextColor",
            "pieLegendTextColor",
            "commitLabelColor",
            "tagLabelColor",
            "stateLabelColor",
            "transitionLabelColor",
            "scaleLabelColor",
            "labelColor",
            "relationLabelColor",
            "requirementTextColor",
            "darkTextColor",
            "errorTextColor",
            "attributeTextColor",
        ],
    ),
    (
        "line",
        &[
            "lineColor",
            "arrowheadColor",
            "defaultLinkColor",
            "signalColor",
            "actorLineColor",
            "transitionColor",
            "relationColor",
            "gridColor",
            "specialStateColor",
            "stateEdge",
        ],
    ),
    (
        "node",
        &[
            "primaryColor",
            "mainBkg",
            "nodeBkg",
            "actorBkg",
            "stateBkg",
            "labelBoxBkgColor",
            "rectBkgColor",
            "taskBkgColor",
            "tagLabelBackground",
            "personBkg",
            "requirementBackground",
            "activeTaskBkgColor",
        ],
    ),
    (
        "node-line",
        &[
            "primaryBorderColor",
            "nodeBorder",
            "actorBorder",
            "stateBorder",
            "border1",
            "labelBoxBorderColor",
            "taskBorderColor",
            "activeTaskBorderColor",
            "tagLabelBorder",
            "personBorder",
            "requirementBorderColor",
            "todayLineColor",
            "vertLineColor",
        ],
    ),
    (
        "group",
        &[
            "secondaryColor",
            "tertiaryColor",
            "clusterBkg",
            "compositeBackground",
            "compositeTitleBackground",
            "secondBkg",
            "sectionBkgColor",
            "sectionBkgColor2",
        ],
    ),
    (
        "group-line",
        &[
            "secondaryBorderColor",
            "tertiaryBorderColor",
            "clusterBorder",
            "compositeBorder",
            "border2",
            "innerEndBackground",
        ],
    ),
    ("note", &["noteBkgColor"]),
    ("note-line", &["noteBorderColor"]),
    (
        "paper",
        &[
            "background",
            "edgeLabelBackground",
            "commitLabelBackground",
            "altBackground",
            "altSectionBkgColor",
            "labelBackground",
            "labelBackgroundColor",
            "relationLabelBackground",
            "rowOdd",
            "attributeBackgroundColorOdd",
        ],
    ),
    ("panel", &["excludeBkgColor", "rowEven", "attributeBackgroundColorEven"]),
    ("soft", &["activationBkgColor"]),
    ("bad", &["errorBkgColor", "critBkgColor"]),
    ("bad-line", &["critBorderColor"]),
    ("done", &["doneTaskBkgColor"]),
    ("done-line", &["doneTaskBorderColor", "activationBorderColor"]),
    (
        "on",
        &["sequenceNumberColor", "pieSectionTextColor", "branchLabelColor", "taskTextLightColor"],
    ),
];

/// The mark of a role.
fn mark(role: &str) -> String {
    let at = ROLES.iter().position(|known| *known == role).unwrap_or(0);
    format!("#0101{:02x}", at + 1)
}

/// The theme variables for merman.
pub(super) fn theme_variables() -> Value {
    let mut out = Map::new();
    for (role, names) in VARIABLES {
        for name in *names {
            out.insert((*name).to_owned(), Value::String(mark(role)));
        }
    }
    let series: Vec<String> = (0..12).map(|at| mark(&format!("s{}", at % SERIES))).collect();
    for (at, colour) in series.iter().enumerate() {
        for name in ["cScale", "cScalePeer", "fillType", "git", "surface", "surfacePeer"] {
            out.insert(format!("{name}{at}"), Value::String(colour.clone()));
        }
        out.insert(format!("pie{}", at + 1), Value::String(colour.clone()));
        for name in ["cScaleLabel", "gitBranchLabel", "gitInv"] {
            out.insert(format!("{name}{at}"), Value::String(mark("on")));
        }
        out.insert(format!("cScaleInv{at}"), Value::String(mark("line")));
    }
    for (name, role) in [("pieStrokeColor", "paper"), ("pieOuterStrokeColor", "group-line")] {
        out.insert(name.to_owned(), Value::String(mark(role)));
    }
    let text = [
        "titleColor",
        "xAxisLabelColor",
        "xAxisTitleColor",
        "yAxisLabelColor",
        "yAxisTitleColor",
        "dataLabelColor",
    ];
    let line = ["xAxisTickColor", "xAxisLineColor", "yAxisTickColor", "yAxisLineColor"];
    let mut chart = Map::new();
    chart.insert("backgroundColor".to_owned(), Value::String("transparent".to_owned()));
    chart.insert("plotColorPalette".to_owned(), Value::String(series[..SERIES].join(",")));
    chart.extend(text.map(|name| (name.to_owned(), Value::String(mark("ink")))));
    chart.extend(line.map(|name| (name.to_owned(), Value::String(mark("line")))));
    out.insert("xyChart".to_owned(), Value::Object(chart));
    out.insert("fontFamily".to_owned(), json!("sans-serif"));
    out.insert("fontSize".to_owned(), json!("16px"));
    out.insert("pieOpacity".to_owned(), json!("1"));
    Value::Object(out)
}

/// A colour as it is written in a drawing.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Colour {
    /// A role of the theme, with an opacity.
    Role(&'static str, f64),
    /// An author's own colour, or a word such as `none`.
    Own(String),
}

/// Reads a colour.
pub(super) fn read(value: &str) -> Colour {
    let value = value.trim();
    let lower = value.to_ascii_lowercase();
    if let Some((rgb, alpha)) = channels(&lower)
        && rgb[0] == 1
        && rgb[1] == 1
        && let Some(role) = ROLES.get(usize::from(rgb[2]).wrapping_sub(1))
    {
        return Colour::Role(role, alpha);
    }
    Colour::Own(value.to_owned())
}

/// Red, green, blue and opacity of `#rrggbb`, `#rgb`, `rgb(…)` and `rgba(…)`.
pub(super) fn channels(value: &str) -> Option<([u8; 3], f64)> {
    if let Some(hex) = value.strip_prefix('#') {
        let digits: Vec<u8> = hex
            .chars()
            .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
            .collect::<Option<_>>()?;
        return match digits[..] {
            [r, g, b] => Some(([r * 17, g * 17, b * 17], 1.0)),
            [a, b, c, d, e, f] => Some(([a * 16 + b, c * 16 + d, e * 16 + f], 1.0)),
            _ => None,
        };
    }
    let inner = value.strip_prefix("rgba(").or_else(|| value.strip_prefix("rgb("))?;
    let parts = inner.strip_suffix(')')?.split([',', ' ', '/']).map(str::trim);
    let numbers: Vec<f64> = parts
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let byte = |n: f64| n.round().clamp(0.0, 255.0) as u8;
    match numbers[..] {
        [r, g, b] => Some(([byte(r), byte(g), byte(b)], 1.0)),
        [r, g, b, a] => Some(([byte(r), byte(g), byte(b)], a)),
        _ => None,
    }
}

/// Whether dark text reads better on a colour; nothing for a colour that cannot be read.
pub(super) fn is_light(value: &str) -> Option<bool> {
    let lower = value.trim().to_ascii_lowercase();
    let named = match lower.as_str() {
        "white" | "yellow" | "lightblue" | "lightgreen" | "lightyellow" | "lightgray"
        | "lightgrey" | "pink" | "orange" | "gold" | "cyan" | "beige" | "lavender" | "ivory" => {
            Some(true)
        }
        "black" | "red" | "blue" | "green" | "purple" | "navy" | "gray" | "grey" | "brown" => {
            Some(false)
        }
        _ => None,
    };
    named.or_else(|| {
        let ([r, g, b], _) = channels(&lower)?;
        let linear = |c: u8| (f64::from(c) / 255.0).powf(2.2);
        Some(0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) > 0.22)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_roles() {
        assert_eq!(read(&mark("node")), Colour::Role("node", 1.0));
        assert_eq!(read("rgba(1, 1, 9, 0.5)"), Colour::Role("paper", 0.5));
        assert_eq!(read("#F96"), Colour::Own("#F96".to_owned()));
        assert_eq!(read("none"), Colour::Own("none".to_owned()));
    }

    #[test]
    fn text_on_an_authors_colour_is_dark_or_light() {
        assert_eq!(is_light("#fff3cd"), Some(true));
        assert_eq!(is_light("rgb(20, 30, 60)"), Some(false));
        assert_eq!(is_light("url(#a)"), None);
    }
}
