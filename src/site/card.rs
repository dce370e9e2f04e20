//! The picture of a page that other places show beside a link to it: title, site and description
//! as a PNG. It needs a font that has Hangul: the site's own, else one of the usual Korean ones, from
//! the machine.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Family, ID, Query};
use resvg::usvg::{Options, Tree};
use unicode_width::UnicodeWidthChar as _;

use crate::book::Page;
use crate::digest::sha256_hex;
use crate::html::escape;
use crate::store::Store;

/// Width and height of a picture.
pub(super) const SIZE: (u32, u32) = (1200, 630);

/// What pictures are among the things that are kept.
const KIND: &str = "card";

/// Korean families, the usual first.
const FAMILIES: &[&str] = &[
    "Noto Sans CJK KR",
    "Noto Sans KR",
    "Source Han Sans KR",
    "Pretendard",
    "NanumGothic",
    "Nanum Gothic",
    "NanumBarunGothic",
    "Apple SD Gothic Neo",
    "Malgun Gothic",
    "UnDotum",
    "Baekmuk Dotum",
];

/// What draws the pictures of a build.
pub(crate) struct Cards {
    fonts: Arc<Database>,
    family: String,
    /// Digest of the font: another one gives another picture.
    font: String,
    store: Arc<Store>,
}

/// The face of a family.
fn face(fonts: &Database, family: &str) -> Option<ID> {
    fonts.query(&Query { families: &[Family::Name(family)], ..Query::default() })
}

impl Cards {
    /// The family that pictures would be drawn with; `None` where no Korean one is installed.
    pub(crate) fn font() -> Option<&'static str> {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        FAMILIES.iter().find(|family| face(&fonts, family).is_some()).copied()
    }

    /// Takes the site's `own` fonts, and no other ones beside them, so that the pictures are the same
    /// on every machine; where they cannot be read, finds one on this machine. `None` where there is
    /// no Korean one.
    pub(crate) fn find(store: Arc<Store>, own: &[&[u8]]) -> Option<Cards> {
        let mut fonts = Database::new();
        own.iter().for_each(|bytes| fonts.load_font_data(bytes.to_vec()));
        let mut digest: String = own.iter().map(|bytes| sha256_hex(bytes)).collect();
        let first = fonts.faces().next().and_then(|face| Some(face.families.first()?.0.clone()));
        let family = if let Some(family) = first {
            family
        } else {
            fonts.load_system_fonts();
            let family = FAMILIES.iter().find(|family| face(&fonts, family).is_some())?;
            digest = fonts.with_face_data(face(&fonts, family)?, |data, _| sha256_hex(data))?;
            (*family).to_owned()
        };
        Some(Cards { fonts: Arc::new(fonts), family, font: digest, store })
    }

    /// The picture of a page; `None` when it cannot be drawn.
    pub(super) fn png(&self, site: &str, page: &Page) -> Option<Vec<u8>> {
        let svg = svg(&self.family, site, page);
        let input = format!("{} {svg}", self.font);
        if let Some(png) = self.store.get(KIND, input.as_bytes()) {
            return Some(png);
        }
        let options = Options { fontdb: Arc::clone(&self.fonts), ..Options::default() };
        let tree = Tree::from_str(&svg, &options).ok()?;
        let mut picture = Pixmap::new(SIZE.0, SIZE.1)?;
        resvg::render(&tree, Transform::identity(), &mut picture.as_mut());
        let png = picture.encode_png().ok()?;
        self.store.put(KIND, input.as_bytes(), &png);
        Some(png)
    }
}

/// Where the picture of a page is.
pub(super) fn path(page: &Page) -> String {
    format!("cards/{}.png", page.out.trim_end_matches(".html"))
}

/// The picture as SVG.
fn svg(family: &str, site: &str, page: &Page) -> String {
    let (width, height) = SIZE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"{}\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\
         <rect width=\"24\" height=\"100%\" fill=\"#1f5fa8\"/>",
        escape(family)
    );
    let mut text = |y: u32, size: u32, (weight, colour): (u32, &str), line: &str| {
        out.push_str(&format!(
            "<text x=\"80\" y=\"{y}\" font-size=\"{size}\" font-weight=\"{weight}\" fill=\"{colour}\">{}</text>",
            escape(line)
        ));
    };
    for line in lines(site, 32, 1) {
        text(110, 32, (400, "#49566a"), &line);
    }
    let mut y = 230;
    for line in lines(&page.title, 68, 3) {
        text(y, 68, (700, "#1b2330"), &line);
        y += 92;
    }
    let about = page.front.description.as_deref().unwrap_or("");
    for line in lines(about, 34, 2) {
        text(y, 34, (400, "#49566a"), &line);
        y += 50;
    }
    if let Some(date) = page.front.updated.as_ref().or(page.front.date.as_ref()) {
        text(570, 28, (400, "#49566a"), date);
    }
    out + "</svg>"
}

/// A text in at most `most` lines that fit at a font size; what is left out is an ellipsis. Widths
/// are those of wide fonts, so that a line fits in every font.
fn lines(text: &str, size: u32, most: usize) -> Vec<String> {
    let room = 1040 * 100 / size;
    let wide = |text: &str| -> u32 {
        text.chars().map(|c| if c.width() == Some(2) { 100 } else { 62 }).sum()
    };
    let mut out: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match out.last_mut().filter(|line| wide(line) + 62 + wide(word) <= room) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => out.push(word.to_owned()),
        }
    }
    let cut = out.len() > most;
    out.truncate(most);
    for (at, line) in out.iter_mut().enumerate() {
        let ends = cut && at + 1 == most;
        let long = wide(line) > room;
        while wide(line) + if ends || long { 100 } else { 0 } > room && line.pop().is_some() {}
        if ends || long {
            line.push('…');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_end_in_an_ellipsis() {
        let check = |text: &str, most: usize, expect: &[&str]| {
            assert_eq!(lines(text, 260, most), expect, "{text}");
        };
        // Four wide letters fit, or six narrow ones.
        check("하나 둘셋", 2, &["하나", "둘셋"]);
        check("ab cd ef", 2, &["ab cd", "ef"]);
        check("하나 둘셋 넷", 1, &["하나…"]);
        check("가나다라마바", 1, &["가나다…"]);
        check("", 3, &[]);
    }
}
