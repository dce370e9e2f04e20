//! Relative addresses between published files, so that one output works under any path and from
//! a disk.

use std::fmt::Write as _;

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
}
