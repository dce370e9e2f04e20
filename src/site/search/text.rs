//! The text of a page as its reader sees it, taken from its HTML, in the parts that headings make.

use std::ops::Range;

/// A heading and what stands below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// The heading's anchor; empty for what stands before the first.
    pub(super) id: String,
    /// Its text.
    pub(super) heading: String,
    /// The text below it.
    pub(super) text: String,
    /// Where the later lines of code stand in it: they are found, but not kept to be shown.
    code: Vec<Range<usize>>,
}

/// How much of a block of code is kept to be shown, in bytes.
const CODE: usize = 160;

impl Part {
    /// A part of plain text.
    pub(super) fn plain(text: &str) -> Part {
        Part { text: text.to_owned(), ..Part::default() }
    }

    /// What is kept of the text to show where a hit stands.
    pub(super) fn excerpt(&self) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut from = 0;
        for range in &self.code {
            out.push_str(self.text.get(from..range.start).unwrap_or(""));
            out.push_str("… ");
            from = range.end.min(self.text.len());
        }
        out.push_str(self.text.get(from..).unwrap_or(""));
        out
    }

    /// Notes that a block of code stands from `start` to the end of the text.
    fn end_code(&mut self, start: usize) {
        let cut = self.text.len().min(self.text.floor_char_boundary(start + CODE));
        if cut < self.text.len() {
            self.code.push(cut..self.text.len());
        }
    }
}

/// Elements whose content nobody reads as text.
const SKIPPED: &[&str] = &["button", "svg", "script", "style", "math"];

/// Elements that do not end a word.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "code", "del", "em", "i", "ins", "kbd", "mark", "s", "samp", "small",
    "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
];

/// The parts of a page's body.
pub(super) fn parts(html: &str) -> Vec<Part> {
    let mut parts = vec![Part::default()];
    let mut in_heading = false;
    let mut code = 0;
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        push(&mut parts, in_heading, &rest[..at]);
        let tag = &rest[at..];
        if tag.starts_with("<!--") {
            rest = after(tag, "-->");
            continue;
        }
        let end = tag_end(tag);
        let inside = tag[1..end].trim_end_matches(['>', '/']);
        let (closing, inside) = match inside.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, inside),
        };
        let name = inside.split([' ', '\n', '\t']).next().unwrap_or("");
        rest = &tag[end..];
        if SKIPPED.contains(&name) && !closing {
            rest = after(rest, &format!("</{name}>"));
        } else if is_heading(name) {
            if !closing {
                parts.push(Part { id: id_of(inside), ..Part::default() });
            }
            in_heading = !closing;
        } else if name == "pre" {
            push(&mut parts, in_heading, " ");
            match (closing, parts.last_mut()) {
                (false, Some(part)) => code = part.text.len(),
                (true, Some(part)) => part.end_code(code),
                _ => {}
            }
        } else if !INLINE.contains(&name) {
            push(&mut parts, in_heading, " ");
        }
    }
    push(&mut parts, in_heading, rest);
    for part in &mut parts {
        part.text.truncate(part.text.trim_end().len());
        part.heading.truncate(part.heading.trim_end().len());
    }
    parts.retain(|part| !(part.id.is_empty() && part.text.is_empty()));
    parts
}

/// Adds text, blanks collapsed and references resolved.
fn push(parts: &mut [Part], in_heading: bool, raw: &str) {
    let Some(part) = parts.last_mut() else { return };
    let out = if in_heading { &mut part.heading } else { &mut part.text };
    let mut chars = raw.char_indices();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        } else if let Some((plain, length)) = (c == '&').then(|| reference(&raw[at..])).flatten() {
            out.push(plain);
            // The reference is ASCII, so bytes are characters; its first was taken already.
            chars.nth(length - 2);
        } else {
            out.push(c);
        }
    }
}

/// The character of a reference, and the length of the reference.
fn reference(text: &str) -> Option<(char, usize)> {
    let end =
        text.get(..text.len().min(10)).map_or_else(|| text.find(';'), |head| head.find(';'))?;
    let plain = match &text[1..end] {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "nbsp" => ' ',
        other => {
            let number = other.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((plain, end + 1))
}

/// The length of the tag that `html` begins with; quoted values may hold a `>`.
fn tag_end(html: &str) -> usize {
    let mut quote = None;
    for (at, byte) in html.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    html.len()
}

/// Whether an element is a heading that the contents list shows.
fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4")
}

/// The value of a tag's `id`.
fn id_of(tag: &str) -> String {
    let value = tag.split_once(" id=\"").and_then(|(_, rest)| rest.split_once('"'));
    let mut part = [Part::default()];
    push(&mut part, false, value.map_or("", |(id, _)| id));
    let [part] = part;
    part.text
}

/// What stands behind `mark`; nothing where it is missing.
fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.find(mark).map_or("", |at| &text[at + mark.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, expect: &[(&str, &str, &str)]) {
        let got = parts(html);
        let got: Vec<(&str, &str, &str)> =
            got.iter().map(|p| (p.id.as_str(), p.heading.as_str(), p.text.as_str())).collect();
        assert_eq!(got, expect, "{html}");
    }

    #[test]
    fn headings_make_the_parts() {
        check(
            "<p>앞 <b>굵</b>게</p>\n<h2 id=\"설치-전\">설치 &amp; 전 <a class=\"anchor\" href=\"#x\"></a></h2><p>a&#39;b</p><p>c</p>",
            &[("", "", "앞 굵게"), ("설치-전", "설치 & 전", "a'b c")],
        );
    }

    #[test]
    fn what_is_no_text_is_left_out() {
        check(
            "<div title=\"a > b\"><button>복사</button><pre><code><span class=\"k\">ku</span>be</code></pre></div><svg><text>x</text></svg><!-- y -->1 &lt; 2",
            &[("", "", "kube 1 < 2")],
        );
        check("", &[]);
    }
}
