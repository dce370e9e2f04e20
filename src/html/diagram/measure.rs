//! How wide labels are: a table instead of a font.
//!
//! The reader's font is not ours, so every width is that of the widest of the usual fonts: Hangul
//! as in Noto Sans CJK, Malgun Gothic and NanumGothic, Latin as in DejaVu Sans and Segoe UI. A
//! label that is measured so fits its box in all of them. Where a site names a font, it is that one.

use std::sync::LazyLock;

use merman::svg::{
    DeterministicTextMeasurer, MeasurementProfileId, TextMeasurementPolicy, TextMeasurementProfile,
    TextMeasurementProfileIdentity, TextStyle,
};
use unicode_width::UnicodeWidthChar as _;

use super::face::Face;

/// How much wider bold letters are.
const BOLD: f64 = 1.1;

/// Widths of the printable ASCII characters in thousandths of the font's size, from the blank.
const ASCII: [u16; 95] = [
    330, 410, 470, 840, 640, 960, 790, 290, 400, 400, 510, 840, 330, 400, 330, 400, 640, 640, 640,
    640, 640, 640, 640, 640, 640, 640, 350, 350, 840, 840, 840, 540, 1000, 700, 700, 710, 780, 640,
    590, 780, 760, 310, 380, 660, 570, 900, 760, 790, 620, 790, 700, 640, 620, 740, 690, 1000, 690,
    620, 690, 400, 400, 400, 840, 510, 510, 620, 640, 560, 640, 620, 370, 640, 640, 290, 320, 590,
    290, 980, 640, 620, 640, 640, 420, 530, 400, 640, 600, 820, 600, 600, 540, 640, 350, 640, 840,
];

/// The width of a character in thousandths of the font's size.
fn thousandths(c: char) -> u32 {
    match c {
        ' '..='~' => u32::from(ASCII[c as usize - ' ' as usize]),
        // Hangul syllables and jamo.
        '\u{ac00}'..='\u{d7a3}' | '\u{3130}'..='\u{318f}' => 960,
        _ => match c.width() {
            None | Some(0) => 0,
            Some(1) => 680,
            _ if (c as u32) < 0x1_0000 => 1000,
            // Emoji.
            _ => 1380,
        },
    }
}

/// The width of a text in pixels: in the site's font as far as it goes, else in wide ones.
fn width(text: &str, style: &TextStyle, face: Option<&Face>) -> f64 {
    let weight = style.font_weight.as_deref().unwrap_or("");
    let bold = weight == "bold" || weight == "bolder" || weight.parse().is_ok_and(|w: u32| w > 550);
    // In thousandths: letters that are as wide as they are drawn, and those that get bold.
    let (mut drawn, mut thin) = (0, 0);
    for c in text.chars() {
        match face.and_then(|face| face.width(c, bold)) {
            Some((width, true)) => drawn += width,
            Some((width, false)) => thin += width,
            None => thin += thousandths(c),
        }
    }
    let factor = if bold { BOLD } else { 1.0 };
    let size = style.font_size.max(1.0);
    f64::from(drawn) / 1000.0 * size + f64::from(thin) / 1000.0 * size * factor
}

/// The measurer for all labels.
pub(super) fn policy(face: Option<&Face>) -> TextMeasurementPolicy {
    static POLICY: LazyLock<TextMeasurementPolicy> =
        LazyLock::new(|| own_policy(None).unwrap_or_else(TextMeasurementPolicy::deterministic));
    match face {
        None => POLICY.clone(),
        Some(face) => own_policy(Some(face.clone())).unwrap_or_else(|| POLICY.clone()),
    }
}

/// The policy; nothing only if merman took exception to the names.
fn own_policy(face: Option<Face>) -> Option<TextMeasurementPolicy> {
    let (name, version) = match &face {
        Some(face) => ("labdoc-site-font", face.digest.clone()),
        None => ("labdoc-widest-korean", "1".to_owned()),
    };
    let id = MeasurementProfileId::new(name).ok()?;
    let identity = TextMeasurementProfileIdentity::new(id, version).ok()?;
    let measurer = DeterministicTextMeasurer::default()
        .with_width_callback(move |text, style| width(text, style, face.as_ref()));
    Some(TextMeasurementPolicy::uniform(TextMeasurementProfile::new(identity, measurer)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hangul_is_nearly_an_em_and_bold_is_wider() {
        let plain = TextStyle { font_size: 10.0, ..TextStyle::default() };
        let bold = TextStyle { font_weight: Some("bold".to_owned()), ..plain.clone() };
        assert!((width("한글", &plain, None) - 19.2).abs() < 1e-9);
        assert!((width("i m", &plain, None) - (2.9 + 3.3 + 9.8)).abs() < 1e-9);
        assert!(width("한글", &bold, None) > width("한글", &plain, None));
        assert!((width("e\u{301}", &plain, None) - 6.2).abs() < 1e-9);
    }
}
