//! How wide labels are: a table instead of a font.
//!
//! The reader's font is not ours, so every width is that of the widest of the usual fonts: Hangul
//! as in Noto Sans CJK, Malgun Gothic and NanumGothic, Latin as in DejaVu Sans and Segoe UI. A
//! label that is measured so fits its box in all of them.

use std::sync::LazyLock;

use merman::svg::{
    DeterministicTextMeasurer, MeasurementProfileId, TextMeasurementPolicy, TextMeasurementProfile,
    TextMeasurementProfileIdentity, TextStyle,
};
use unicode_width::UnicodeWidthChar as _;

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

/// The width of a text in pixels.
fn width(text: &str, style: &TextStyle) -> f64 {
    let sum: u32 = text.chars().map(thousandths).sum();
    let weight = style.font_weight.as_deref().unwrap_or("");
    let bold = weight == "bold" || weight == "bolder" || weight.parse().is_ok_and(|w: u32| w > 550);
    let factor = if bold { BOLD } else { 1.0 };
    f64::from(sum) / 1000.0 * style.font_size.max(1.0) * factor
}

/// The measurer for all labels.
pub(super) fn policy() -> TextMeasurementPolicy {
    static POLICY: LazyLock<TextMeasurementPolicy> =
        LazyLock::new(|| own_policy().unwrap_or_else(TextMeasurementPolicy::deterministic));
    POLICY.clone()
}

/// The policy; nothing only if merman took exception to the names.
fn own_policy() -> Option<TextMeasurementPolicy> {
    let measurer = DeterministicTextMeasurer::default().with_width_callback(width);
    let id = MeasurementProfileId::new("labdoc-widest-korean").ok()?;
    let identity = TextMeasurementProfileIdentity::new(id, "1").ok()?;
    Some(TextMeasurementPolicy::uniform(TextMeasurementProfile::new(identity, measurer)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hangul_is_nearly_an_em_and_bold_is_wider() {
        let plain = TextStyle { font_size: 10.0, ..TextStyle::default() };
        let bold = TextStyle { font_weight: Some("bold".to_owned()), ..plain.clone() };
        assert!((width("한글", &plain) - 19.2).abs() < 1e-9);
        assert!((width("i m", &plain) - (2.9 + 3.3 + 9.8)).abs() < 1e-9);
        assert!(width("한글", &bold) > width("한글", &plain));
        assert!((width("e\u{301}", &plain) - 6.2).abs() < 1e-9);
    }
}
