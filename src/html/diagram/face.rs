//! The font that a site names, as far as the widths of its letters go.

use std::sync::Arc;

use skrifa::FontRef;
#[cfg(feature = "mermaid")]
use skrifa::MetadataProvider as _;
#[cfg(feature = "mermaid")]
use skrifa::instance::{LocationRef, Size};

use crate::digest::sha256_hex;

/// A font by which labels are measured.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "mermaid"), expect(dead_code, reason = "only diagrams measure"))]
pub(crate) struct Face {
    regular: Arc<Vec<u8>>,
    bold: Option<Arc<Vec<u8>>>,
    /// Digest of both files.
    pub(super) digest: String,
}

impl Face {
    /// Reads a TrueType or OpenType file and its bold face; nothing for another one, as those for
    /// the web are packed and cannot be measured.
    pub(crate) fn new(regular: &[u8], bold: Option<&[u8]>) -> Option<Face> {
        let readable = |bytes: &&[u8]| FontRef::new(bytes).is_ok();
        let regular = Some(regular).filter(readable)?;
        let bold = bold.filter(readable);
        let digest = sha256_hex(&[regular, bold.unwrap_or_default()].concat());
        let keep = |bytes: &[u8]| Arc::new(bytes.to_vec());
        Some(Face { regular: keep(regular), bold: bold.map(keep), digest })
    }

    /// The width of a character in thousandths of the font's size, where the font has it, and
    /// whether it is that of bold letters.
    #[cfg(feature = "mermaid")]
    pub(super) fn width(&self, c: char, bold: bool) -> Option<(u32, bool)> {
        let own = self.bold.as_ref().filter(|_| bold);
        let font = FontRef::new(own.unwrap_or(&self.regular)).ok()?;
        let glyph = font.charmap().map(c)?;
        let metrics = font.glyph_metrics(Size::new(1000.0), LocationRef::default());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
        let width = metrics.advance_width(glyph)?.clamp(0.0, 10_000.0).round() as u32;
        Some((width, own.is_some()))
    }
}

#[cfg(all(test, feature = "mermaid"))]
pub(super) mod tests {
    use super::*;

    /// A font in which every Hangul syllable is so wide, in thousandths, and which has nothing else.
    pub(in super::super) fn hangul(advance: u16) -> Vec<u8> {
        let mut head = vec![0; 54];
        head[12..16].copy_from_slice(&0x5f0f_3cf5_u32.to_be_bytes());
        head[18..20].copy_from_slice(&1000_u16.to_be_bytes());
        let mut hhea = vec![0; 36];
        hhea[35] = 2;
        let metrics = [0, 0, advance, 0].map(u16::to_be_bytes).concat();
        // One group of format 12: every syllable is glyph 1 onwards; all but the first have the
        // last advance of the table.
        let groups = [12 << 16, 28, 0, 1, 0xac00, 0xd7a3, 1_u32].map(u32::to_be_bytes).concat();
        let cmap = [[0, 1, 3, 10].map(u16::to_be_bytes).concat(), vec![0, 0, 0, 12], groups];
        let maxp = [vec![0, 0, 0x50, 0], 11_173_u16.to_be_bytes().to_vec()].concat();
        let tables: [(&[u8; 4], Vec<u8>); 5] = [
            (b"cmap", cmap.concat()),
            (b"head", head),
            (b"hhea", hhea),
            (b"hmtx", metrics),
            (b"maxp", maxp),
        ];
        let mut font =
            [0x0001_0000_u32.to_be_bytes().to_vec(), vec![0, 5, 0, 0, 0, 0, 0, 0]].concat();
        let mut at = 12 + 16 * tables.len();
        for (tag, bytes) in &tables {
            let number = |n: usize| u32::try_from(n).expect("small").to_be_bytes();
            font.extend([tag.as_slice(), &[0; 4], &number(at), &number(bytes.len())].concat());
            at += bytes.len();
        }
        font.extend(tables.into_iter().flat_map(|(_, bytes)| bytes));
        font
    }

    #[test]
    fn widths_are_those_of_the_font() {
        let face = Face::new(&hangul(500), Some(&hangul(700))).expect("a font");
        assert_eq!(face.width('한', false), Some((500, false)));
        assert_eq!(face.width('한', true), Some((700, true)));
        assert_eq!(face.width('x', false), None);
        let plain = Face::new(&hangul(500), None).expect("a font");
        assert_eq!(plain.width('한', true), Some((500, false)));
        assert!(Face::new(b"wOF2", None).is_none() && Face::new(b"", None).is_none());
    }
}
