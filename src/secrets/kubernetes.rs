//! The data of Kubernetes secrets. A manifest in a kit is an example; what a cluster answered is
//! alive, and has a `uid`.

use super::{Hit, patterns};

/// What says that a document is a Secret, in YAML and in JSON as kubectl prints them.
const KINDS: [&str; 2] = ["kind: Secret", "\"kind\": \"Secret\""];

/// Values below `data:` and `stringData:` of every document of kind Secret that a cluster
/// answered with, or that hold a credential under one layer of base64; YAML, or JSON with a value
/// a line.
pub(super) fn hits(text: &str) -> Vec<Hit> {
    let mut out = Vec::new();
    if !KINDS.iter().any(|kind| text.contains(kind)) {
        return out;
    }
    let mut start = 0;
    for document in text.split_inclusive("\n---\n") {
        if document.lines().any(|line| KINDS.contains(&line.trim().trim_end_matches(','))) {
            document_hits(document, start, &mut out);
        }
        start += document.len();
    }
    out
}

/// The hits of one document that begins at `start` of the text.
fn document_hits(document: &str, start: usize, out: &mut Vec<Hit>) {
    let live = document
        .lines()
        .map(|line| line.trim_start().trim_start_matches('"').replacen("\":", ":", 1))
        .any(|line| line.starts_with("uid:") || line.starts_with("resourceVersion:"));
    let mut indent = None;
    let mut at = start;
    for line in document.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let depth = line.len() - line.trim_start().len();
        let word = line.trim();
        if matches!(word, "data:" | "stringData:" | "\"data\": {" | "\"stringData\": {") {
            indent = Some(depth);
            continue;
        }
        if indent.is_some_and(|indent| depth <= indent && !word.is_empty()) {
            indent = None;
        }
        let Some((_, value)) = word.split_once(": ").filter(|_| indent.is_some()) else { continue };
        let value = value.trim_end_matches(',').trim_matches(['"', '\'']);
        if value.len() < 4 || value.starts_with(['$', '<', '⟨', '{']) {
            continue;
        }
        let inside = decode(value).is_some_and(|plain| !patterns::hits(&plain).is_empty());
        if live || inside {
            let from = begin + line.find(value).unwrap_or(0);
            let range = from..from + value.len();
            out.push(Hit { rule: "secret-data", what: "the data of a Secret", range });
        }
    }
}

/// The text under one layer of base64; `None` where there is none.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for c in text.trim_end_matches('=').bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}
