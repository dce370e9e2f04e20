//! Texts as they stand in a script: deflated, in base 64.

use std::io::{Read as _, Write as _};

/// Most bytes that come out of one text: labdoc packs far less into one.
const MOST: u64 = 64 << 20;

/// Bytes in raw deflate form.
pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// The bytes behind a raw deflate form.
pub(super) fn inflate(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    flate2::read::DeflateDecoder::new(bytes).take(MOST).read_to_end(&mut out).ok()?;
    Some(out)
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base 64.
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4_usize {
            let digit = (word >> (18 - 6 * at)) as usize & 63;
            out.push(if at <= group.len() { char::from(DIGITS[digit]) } else { '=' });
        }
    }
    out
}

/// The bytes behind base 64.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut bits) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        (word, bits) = (word << 6 | u32::from(digit), bits + 6);
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(word >> bits & 0xff).ok()?);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_read_back() {
        for length in 0..70_usize {
            let bytes: Vec<u8> =
                (0..length).map(|n| u8::try_from(n * 37 % 256).expect("byte")).collect();
            assert_eq!(from_base64(&base64(&bytes)), Some(bytes.clone()));
            assert_eq!(inflate(&deflate(&bytes)), Some(bytes));
        }
        assert_eq!((base64(b"ab"), from_base64("a_b")), ("YWI=".to_owned(), None));
    }
}
