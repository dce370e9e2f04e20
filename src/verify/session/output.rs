//! What a block prints, in bounded memory.

use sha2::{Digest, Sha256};
use std::collections::VecDeque;

/// What was printed on one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// The bytes as they came; of a long output its begin and its end with a mark between.
    pub(crate) bytes: Vec<u8>,
    /// How many bytes came in all.
    pub(crate) total: u64,
    /// The digest of all of them, in hexadecimal.
    pub(crate) sha256: String,
    /// Whether bytes were cut out.
    pub(crate) truncated: bool,
}

/// Takes a stream in: keeps three quarters of the limit from its begin and one quarter from its
/// end, counts and digests the whole.
pub(super) struct Sink {
    /// The first bytes.
    head: Vec<u8>,
    /// The last bytes, once the head is full.
    tail: VecDeque<u8>,
    /// How many bytes are kept in all.
    limit: usize,
    /// How many bytes came.
    total: u64,
    /// The digest so far.
    digest: Sha256,
}

impl Sink {
    /// An empty one that keeps `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), limit, total: 0, digest: Sha256::new() }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.total += bytes.len() as u64;
        let room = (self.limit - self.tail_limit()).saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        let keep = &rest[rest.len().saturating_sub(self.tail_limit())..];
        self.tail.extend(keep);
        let excess = self.tail.len().saturating_sub(self.tail_limit());
        self.tail.drain(..excess);
    }

    /// Whether nothing came.
    pub(super) fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// What is kept of what came so far.
    pub(super) fn so_far(&self) -> Vec<u8> {
        self.head.iter().chain(&self.tail).copied().collect()
    }

    /// The part of the limit that is kept for the end.
    fn tail_limit(&self) -> usize {
        self.limit / 4
    }

    /// What came.
    pub(super) fn finish(mut self) -> Output {
        let sha256 = hex(&self.digest.finalize());
        let kept = (self.head.len() + self.tail.len()) as u64;
        if kept == self.total {
            self.head.extend(&self.tail);
            return Output { bytes: self.head, total: self.total, sha256, truncated: false };
        }
        let head = whole_lines_of_begin(&self.head);
        let tail = whole_lines_of_end(self.tail.make_contiguous());
        let cut = self.total - (head.len() + tail.len()) as u64;
        let mark = format!("⟨… {cut} bytes cut, sha256 of the whole: {sha256}⟩\n");
        let bytes = [head, mark.as_bytes(), tail].concat();
        Output { bytes, total: self.total, sha256, truncated: true }
    }
}

/// `head` up to its last line end, so that the mark stands on a line of its own.
fn whole_lines_of_begin(head: &[u8]) -> &[u8] {
    let end = head.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    &head[..end]
}

/// `tail` without the rest of a line that it begins with.
fn whole_lines_of_end(tail: &[u8]) -> &[u8] {
    let begin = tail.iter().position(|byte| *byte == b'\n').map_or(tail.len(), |at| at + 1);
    &tail[begin..]
}

/// Bytes in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::Sink;

    /// Pushes `text` in pieces of `step` bytes with a limit of 40.
    fn collect(text: &str, step: usize) -> super::Output {
        let mut sink = Sink::new(40);
        text.as_bytes().chunks(step).for_each(|piece| sink.push(piece));
        sink.finish()
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let text = "0123456789012345678901234567890123456789";
        let output = collect(text, 7);
        assert_eq!(output.bytes, text.as_bytes());
        assert!(!output.truncated);
        assert_eq!(
            collect("abc", 1).sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn what_does_not_fit_keeps_begin_and_end_on_whole_lines() {
        let text: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let expect = collect(&text, 1000);
        let shown = String::from_utf8(expect.bytes.clone()).unwrap();
        assert!(shown.starts_with("line 0\nline 1\nline 2\nline 3\n⟨… "), "{shown}");
        assert!(shown.ends_with("⟩\nline 99\n"), "{shown}");
        assert!(expect.truncated);
        assert_eq!(expect.total, text.len() as u64);
        for step in [1, 3, 11, 64] {
            assert_eq!(collect(&text, step), expect);
        }
    }
}
