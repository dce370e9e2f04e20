//! Width and height of images, so that a page does not jump while it loads.

use std::io::BufReader;

use super::Site;
use crate::book::{CONTENT, Page};
use crate::check::links::Target;
use crate::disk;

/// The size of an image as a page names it; `None` where it is not ours or cannot be read.
pub(super) fn size(site: &Site<'_>, page: &Page, dest: &str) -> Option<(u32, u32)> {
    let Ok(Target::Inside { path, .. }) = site.map.resolve(page, dest) else { return None };
    let is_svg = path.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case("svg"));
    if let Some(file) = site.book.assets.get(&path) {
        let file = site.root.join(CONTENT).join(file);
        if is_svg {
            return svg_size(&disk::read(&file).ok()?);
        }
        let found = imagesize::reader_size(BufReader::new(disk::open(&file).ok()?)).ok()?;
        return pixels(found);
    }
    let bytes = site.theme.files.get(&path)?;
    if is_svg { svg_size(bytes) } else { pixels(imagesize::blob_size(bytes).ok()?) }
}

/// A size as attributes take it.
fn pixels(size: imagesize::ImageSize) -> Option<(u32, u32)> {
    Some((u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?))
}

/// The size that an SVG file gives itself: its width and height, else its view box.
fn svg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(text, options).ok()?;
    let root = document.root_element();
    let length = |name: &str| {
        let value = root.attribute(name)?.trim();
        whole(value.strip_suffix("px").unwrap_or(value).parse().ok()?)
    };
    if let (Some(width), Some(height)) = (length("width"), length("height")) {
        return Some((width, height));
    }
    let numbers = root.attribute("viewBox")?.split([' ', ',']).filter(|part| !part.is_empty());
    let numbers: Vec<f64> = numbers.map_while(|part| part.parse().ok()).collect();
    let [_, _, width, height] = numbers[..] else { return None };
    Some((whole(width)?, whole(height)?))
}

/// A length in whole pixels.
fn whole(length: f64) -> Option<u32> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked"
    )]
    (0.5..1e6).contains(&length).then_some(length.round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(svg: &str, expect: Option<(u32, u32)>) {
        assert_eq!(svg_size(svg.as_bytes()), expect, "{svg}");
    }

    #[test]
    fn an_svg_file_has_a_size() {
        check(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30px\" height=\"20\"/>",
            Some((30, 20)),
        );
        check("<svg width=\"100%\" viewBox=\"0 0 64.4 32\"/>", Some((64, 32)));
        check("<svg/>", None);
        check("<svg", None);
    }
}
