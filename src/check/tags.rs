//! The start tags of a page that hold certain attributes. Of a page that labdoc has written, most tags
//! colour code and hold a class alone: they are passed over by their looks, and only the others are
//! taken apart. A page that does not look as if labdoc had written it is taken apart as a whole.

use std::ops::Range;

use html5gum::{StartTag, Token, Tokenizer};

/// Gives the start tags with one of these attributes, and maybe others.
pub(super) fn tags_with(text: &str, names: &[&str], take: &mut dyn FnMut(&StartTag<()>)) {
    let mut each = |text: &str| {
        for token in Tokenizer::new(text) {
            if let Ok(Token::StartTag(tag)) = token {
                take(&tag);
            }
        }
    };
    match places(text, names) {
        Some(places) => places.into_iter().for_each(|place| each(&text[place])),
        None => each(text),
    }
}

/// Where the start tags with one of these attributes stand; `None` of a text in which something is
/// not written plainly: a comment, a capital, a value without quotes, a `<` that is text.
fn places(text: &str, names: &[&str]) -> Option<Vec<Range<usize>>> {
    const DOCTYPE: &str = "<!doctype html>";
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find('<') {
        at += next;
        let rest = &text.as_bytes()[at..];
        let length = match rest.get(1)? {
            b'a'..=b'z' => {
                let (length, is_wanted) = start_tag(rest, names)?;
                if is_wanted {
                    found.push(at..at + length);
                }
                length
            }
            b'/' => {
                let name = rest[2..].iter().take_while(|byte| is_name(**byte)).count();
                if name == 0 || rest.get(2 + name) != Some(&b'>') {
                    return None;
                }
                name + 3
            }
            _ if text[at..].starts_with(DOCTYPE) => DOCTYPE.len(),
            _ => return None,
        };
        at += length;
    }
    Some(found)
}

/// The length of the start tag with which these bytes begin, and whether it has one of these
/// attributes; `None` where it is not written plainly.
fn start_tag(bytes: &[u8], names: &[&str]) -> Option<(usize, bool)> {
    let name = |at: usize| bytes[at..].iter().take_while(|byte| is_name(**byte)).count();
    let mut at = 1 + name(1);
    let mut is_wanted = false;
    loop {
        let spaces = bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\n')).count();
        at += spaces;
        match bytes.get(at)? {
            b'>' => return Some((at + 1, is_wanted)),
            b'/' if bytes.get(at + 1) == Some(&b'>') => return Some((at + 2, is_wanted)),
            _ if spaces == 0 => return None,
            _ => {}
        }
        let length = name(at);
        let key = &bytes[at..at + length];
        if length == 0 {
            return None;
        }
        is_wanted |= names.iter().any(|wanted| key.eq_ignore_ascii_case(wanted.as_bytes()));
        at += length;
        if bytes.get(at) == Some(&b'=') {
            let quote = *bytes.get(at + 1).filter(|byte| matches!(byte, b'"' | b'\''))?;
            at += 2;
            at += bytes[at..].iter().position(|byte| *byte == quote)? + 1;
        }
    }
}

/// Whether a byte may stand in the name of a tag or an attribute that is written plainly.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':' | b'_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAMES: &[&str] = &["id", "href", "xlink:href"];

    /// The wanted attributes of all start tags, as a full reading gives them, or as this one does.
    fn read(text: &str, is_quick: bool) -> Vec<String> {
        let mut found = Vec::new();
        let mut take = |tag: &StartTag<()>| {
            let wanted = |name: &&&str| tag.attributes.contains_key(name.as_bytes());
            let values = NAMES.iter().filter(wanted).map(|name| &tag.attributes[name.as_bytes()]);
            let values: Vec<_> = values.collect();
            if !values.is_empty() {
                found.push(format!("{:?} {values:?}", tag.name));
            }
        };
        if is_quick {
            tags_with(text, NAMES, &mut take);
        } else {
            for Ok(token) in Tokenizer::new(text) {
                if let Token::StartTag(tag) = token {
                    take(&tag);
                }
            }
        }
        found
    }

    #[test]
    fn what_labdoc_writes_is_passed_over_by_its_looks() {
        let page = "<!doctype html>\n<p id=\"a\" class='b'><span class=\"c\">x &lt; y</span><a\n  href=\"b.html#&quot;>\">b</a><input disabled><br/>";
        let found = places(page, NAMES).expect("plain");
        let tags: Vec<&str> = found.into_iter().map(|place| &page[place]).collect();
        assert_eq!(tags, ["<p id=\"a\" class='b'>", "<a\n  href=\"b.html#&quot;>\">"]);
        for other in [
            "a < b",
            "<!-- <a href=\"x\"> -->",
            "<P id=\"a\">",
            "<p id=a>",
            "<p a=\"b\"c>",
            "<p",
            "<",
        ] {
            assert_eq!(places(other, NAMES), None, "{other}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn what_is_found_is_what_a_full_reading_finds(parts in prop::collection::vec(prop::sample::select(vec![
            "<", ">", "/", "!", "?", " ", "\n", "\r", "\t", "\0", "=", "\"", "'", "a", "A", "id", "href", "x", "-", "--", "&", "&quot;",
            "<a href=\"b\">", "<span class=\"k\">", "</span>", "<!--", "-->", "<!doctype html>", "<![CDATA[", "<script>", "</script>",
            " id=\"1\"", " id='2'", " id=3", " xlink:href=\"#u\"", "<svg", "<title>", "<textarea>", "한", "<?", "</", "<p",
        ]), 0..14)) {
            let text = parts.concat();
            prop_assert_eq!(read(&text, true), read(&text, false), "{:?}", text);
        }
    }
}
