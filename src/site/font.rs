//! What a font file says of itself: whether it holds all weights. Only its table of tables is read.

/// The table of a variable font.
const FVAR: &[u8; 4] = b"fvar";

/// Number of `fvar` among the tables that WOFF2 names by number (WOFF2, section 5.1).
const FVAR_IN_WOFF2: u8 = 47;

/// Whether a font file (TrueType, OpenType, WOFF or WOFF2) holds a range of weights.
pub(super) fn is_variable(bytes: &[u8]) -> bool {
    match bytes.get(..4) {
        Some(b"wOF2") => in_woff2(bytes).unwrap_or(false),
        Some(b"wOFF") => has_record(bytes, 44, 20),
        _ => has_record(bytes, 12, 16),
    }
}

/// Whether a table of records of `size` bytes that begins at `start` has one for `fvar`. Their
/// count stands at byte 12 of a WOFF and at byte 4 of the others.
fn has_record(bytes: &[u8], start: usize, size: usize) -> bool {
    let Some(count) = number(bytes, if start == 44 { 12 } else { 4 }) else { return false };
    (0..count).any(|n| bytes.get(start + n * size..start + n * size + 4) == Some(FVAR))
}

/// The same for WOFF2, whose records differ in length.
fn in_woff2(bytes: &[u8]) -> Option<bool> {
    let count = number(bytes, 12)?;
    let mut at = 48;
    for _ in 0..count {
        let flags = *bytes.get(at)?;
        at += 1;
        let (tag, version) = (flags & 0x3f, flags >> 6);
        let own = tag == 0x3f;
        if tag == FVAR_IN_WOFF2 || (own && bytes.get(at..at + 4)? == FVAR) {
            return Some(true);
        }
        at += if own { 4 } else { 0 };
        at = behind_number(bytes, at)?;
        // `glyf` and `loca` are transformed unless it says 3, all others if it says anything.
        let transformed = if matches!(tag, 10 | 11) { version != 3 } else { version != 0 };
        if transformed {
            at = behind_number(bytes, at)?;
        }
    }
    Some(false)
}

/// Two bytes as a number.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)))
}

/// The place behind a number of one to five bytes, each but the last with its highest bit set.
fn behind_number(bytes: &[u8], at: usize) -> Option<usize> {
    let length = bytes.get(at..)?.iter().take(5).position(|byte| byte & 0x80 == 0)?;
    Some(at + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A font with these tables, empty otherwise.
    fn font(head: &[u8], (count_at, start): (usize, usize), records: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = head.to_vec();
        bytes.resize(start, 0);
        bytes[count_at + 1] = u8::try_from(records.len()).expect("few");
        bytes.extend(records.concat());
        bytes
    }

    #[test]
    fn a_range_of_weights_is_seen_in_every_format() {
        let record = |tag: &[u8; 4], size: usize| {
            let mut record = tag.to_vec();
            record.resize(size, 0);
            record
        };
        let plain = |tags: [&[u8; 4]; 2], head: &[u8], at, size| {
            font(head, at, &tags.map(|tag| record(tag, size)))
        };
        let ttf = [0, 1, 0, 0];
        assert!(is_variable(&plain([b"cmap", b"fvar"], &ttf, (4, 12), 16)));
        assert!(!is_variable(&plain([b"cmap", b"glyf"], &ttf, (4, 12), 16)));
        assert!(is_variable(&plain([b"cmap", b"fvar"], b"wOFF", (12, 44), 20)));
        assert!(!is_variable(&plain([b"cmap", b"glyf"], b"wOFF", (12, 44), 20)));
        // glyf (10, transformed), then a length of two bytes, then fvar (47).
        let woff2 = |last: u8| font(b"wOF2", (12, 48), &[vec![10, 0x81, 0x01, 5], vec![last, 9]]);
        assert!(is_variable(&woff2(47)));
        assert!(!is_variable(&woff2(48)));
        let own = font(b"wOF2", (12, 48), &[[&[0x3f], FVAR.as_slice(), &[9]].concat()]);
        assert!(is_variable(&own));
        for short in [&b"wOF2"[..], b"", b"OT"] {
            assert!(!is_variable(short));
        }
    }
}
