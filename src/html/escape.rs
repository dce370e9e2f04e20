//! The one place where text becomes HTML text.

use std::borrow::Cow;

/// `text` with `& < > " '` as references: safe as content and as a quoted attribute's value.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// An address as an attribute's value: blanks and control characters percent-encoded, letters of
/// every script as they are.
pub(super) fn escape_href(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    for c in address.chars() {
        match c {
            c if c == ' ' || c.is_ascii_control() => {
                out.push_str(&format!("%{:02X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    escape(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_characters_are_escaped() {
        assert_eq!(escape("a<b>&\"c'가"), "a&lt;b&gt;&amp;&quot;c&#39;가");
        assert!(matches!(escape("가나"), Cow::Borrowed(_)));
        assert_eq!(escape_href("a b\n#설치\""), "a%20b%0A#설치&quot;");
    }
}
