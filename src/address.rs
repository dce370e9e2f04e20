//! Addresses: relative links between published files, and what a link written in a document
//! means. Only relative ones, so that one output works under any path and from a disk.

use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization as _;

/// The address of the published file `to` as it is written in the published file `from`.
pub(crate) fn relative(from: &str, to: &str) -> String {
    let from_parts: Vec<&str> = from.split('/').collect();
    let to_parts: Vec<&str> = to.split('/').collect();
    let (from_folders, to_folders) =
        (&from_parts[..from_parts.len() - 1], &to_parts[..to_parts.len() - 1]);
    let shared = from_folders.iter().zip(to_folders).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from_folders.len() - shared);
    let parts: Vec<&str> = up.chain(to_parts[shared..].iter().copied()).collect();
    encode(&parts.join("/"))
}

/// A path with every byte percent-encoded that has a meaning, or no place, in an address.
pub(crate) fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A path with percent-encoded bytes decoded; `None` where that is no UTF-8.
pub(crate) fn decode(path: &str) -> Option<String> {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = (bytes[at] == b'%').then(|| path.get(at + 1..at + 3)).flatten();
        match pair.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

/// A link as written, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Another site: it has a scheme, which is given in lower case.
    Elsewhere(String),
    /// It begins with `/`, so it works under one path only.
    Absolute,
    /// A path of this site and a fragment, both decoded and in NFC. An empty path is this page.
    Inside {
        /// The path as written; may begin with `../`.
        path: String,
        /// What stands behind `#`.
        fragment: Option<String>,
    },
    /// Its escapes are no UTF-8.
    Unreadable,
}

/// Takes a link apart.
pub(crate) fn parse(link: &str) -> Written {
    let head = link.split(['/', '?', '#']).next().unwrap_or(link);
    if let Some((scheme, _)) = head.split_once(':') {
        return Written::Elsewhere(scheme.trim().to_ascii_lowercase());
    }
    if link.starts_with("//") {
        return Written::Elsewhere("https".to_owned());
    }
    if link.starts_with('/') {
        return Written::Absolute;
    }
    let (address, fragment) = match link.split_once('#') {
        Some((address, fragment)) => (address, Some(fragment)),
        None => (link, None),
    };
    let path = decode(address.split('?').next().unwrap_or(address));
    let fragment = match fragment.map(decode) {
        Some(None) => return Written::Unreadable,
        Some(Some(text)) => Some(text.nfc().collect()),
        None => None,
    };
    match path {
        Some(path) => Written::Inside { path: path.nfc().collect(), fragment },
        None => Written::Unreadable,
    }
}

/// The path that `link` means in the folder of `page`, both from the root; `None` where it
/// leaves the root.
pub(crate) fn join(page: &str, link: &str) -> Option<String> {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative_and_encoded() {
        let check = |from, to, expect: &str| assert_eq!(relative(from, to), expect);
        check("kit/x/index.html", "kit/x/files/index.html", "files/index.html");
        check("kit/x/view/a/b.html", "kit/x/files/a/b", "../../files/a/b");
        check("index.html", "kit/x/view/한 글.html", "kit/x/view/%ED%95%9C%20%EA%B8%80.html");
        check("a/b/c.html", "a/b/d.html", "d.html");
        assert_eq!(decode("%ED%95%9C%20%zz").as_deref(), Some("한 %zz"));
    }

    #[test]
    fn links_are_taken_apart() {
        let inside = |path: &str, fragment: Option<&str>| Written::Inside {
            path: path.into(),
            fragment: fragment.map(Into::into),
        };
        assert_eq!(parse("../a.md#%EC%84%A4%EC%B9%98"), inside("../a.md", Some("설치")));
        assert_eq!(parse("#x"), inside("", Some("x")));
        assert_eq!(parse("HTTPS://x"), Written::Elsewhere("https".into()));
        assert_eq!(parse("/a.md"), Written::Absolute);
        assert_eq!(join("content/a/b.md", "../../labkit/x/"), Some("labkit/x".into()));
        assert_eq!(join("content/a.md", "../../x"), None);
    }
}
