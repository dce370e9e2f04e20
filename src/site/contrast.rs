//! Whether a site's own colours can be read: the contrast of text against what is behind it, as
//! WCAG 2.2 counts it (success criterion 1.4.3).

use super::look::Properties;

/// The least contrast of text.
const LEAST: f64 = 4.5;

/// Which colour stands on which.
const PAIRS: &[(&str, &str)] = &[
    ("ink", "paper"),
    ("ink", "panel"),
    ("ink", "mark"),
    ("ink-2", "paper"),
    ("ink-2", "panel-2"),
    ("ink-3", "paper"),
    ("ink-3", "panel-2"),
    ("accent", "paper"),
    ("accent", "accent-soft"),
    ("ok", "ok-soft"),
    ("stale", "stale-soft"),
    ("bad", "bad-soft"),
    ("idle", "idle-soft"),
    ("note", "note-soft"),
    ("tip", "tip-soft"),
];

/// A pair of colours that cannot be read.
pub(super) struct Fault {
    /// The property that the site set.
    pub(super) name: String,
    /// What is wrong.
    pub(super) message: String,
}

/// The pairs with a colour of the site's own whose contrast is too low. Colours that are not
/// written in hexadecimal digits are not judged.
pub(super) fn faults(all: &Properties, own: &Properties) -> Vec<Fault> {
    let code =
        all.keys().filter(|name| name.starts_with("c-")).map(|name| (name.as_str(), "panel"));
    let mut out = Vec::new();
    for (text, ground) in PAIRS.iter().copied().chain(code) {
        let Some(name) = [text, ground].into_iter().find(|name| own.contains_key(*name)) else {
            continue;
        };
        let (Some(a), Some(b)) = (luminance(all, text), luminance(all, ground)) else { continue };
        let ratio = (a.max(b) + 0.05) / (a.min(b) + 0.05);
        if ratio < LEAST {
            let shown = (ratio * 10.0).floor() / 10.0;
            let message = format!("text in `{text}` on `{ground}` has a contrast of {shown:.1}");
            out.push(Fault { name: name.to_owned(), message });
        }
    }
    out
}

/// The relative luminance of a property's colour.
fn luminance(all: &Properties, name: &str) -> Option<f64> {
    let [red, green, blue] = channels(all.get(name)?)?.map(linear);
    Some(0.2126 * red + 0.7152 * green + 0.0722 * blue)
}

/// Red, green and blue of `#rgb` or `#rrggbb`, 0 to 255.
fn channels(colour: &str) -> Option<[u8; 3]> {
    let digits = colour.strip_prefix('#')?;
    let long: String = match digits.len() {
        3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        6 => digits.to_owned(),
        _ => return None,
    };
    let channel = |at: usize| u8::from_str_radix(long.get(at..at + 2)?, 16).ok();
    Some([channel(0)?, channel(2)?, channel(4)?])
}

/// A channel's share of light.
fn linear(channel: u8) -> f64 {
    let share = f64::from(channel) / 255.0;
    if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(own: &[(&str, &str)], expect: &[&str]) {
        let own: Properties =
            own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut all = Properties::from([
            ("ink".to_owned(), "#000".to_owned()),
            ("paper".to_owned(), "#ffffff".to_owned()),
            ("c-name".to_owned(), "#777777".to_owned()),
            ("panel".to_owned(), "#ffffff".to_owned()),
        ]);
        all.extend(own.clone());
        let messages: Vec<String> = faults(&all, &own).into_iter().map(|f| f.message).collect();
        assert_eq!(messages, expect);
    }

    #[test]
    fn contrast_is_counted_as_wcag_does() {
        // #767676 on white is 4.54, #777777 is 4.48.
        check(&[("ink", "#767676")], &[]);
        check(
            &[("ink", "#777777")],
            &[
                "text in `ink` on `paper` has a contrast of 4.4",
                "text in `ink` on `panel` has a contrast of 4.4",
            ],
        );
    }

    #[test]
    fn only_what_the_site_set_is_judged() {
        check(&[], &[]);
        check(&[("ink", "color-mix(in srgb, red, blue)")], &[]);
        check(&[("panel", "#ffffff")], &["text in `c-name` on `panel` has a contrast of 4.4"]);
    }
}
