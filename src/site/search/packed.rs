//! Texts as they stand in a script: deflated, in base 64.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

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

/// Bytes in base 64.
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes behind base 64.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
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
