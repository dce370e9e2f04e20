//! The data of Kubernetes secrets. A manifest in a kit is an example; what a cluster answered is
//! alive, and has a `uid`.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};

use super::{Hit, patterns};

/// What takes a value whose last digits were cut or made up.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, NO_PAD.with_decode_allow_trailing_bits(true));

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

/// The text under one layer of base64, in either of its forms, with or without its padding.
fn decode(text: &str) -> Option<String> {
    let standard = text.replace('-', "+").replace('_', "/");
    let bytes = LENIENT.decode(standard.trim_end_matches('=')).ok()?;
    String::from_utf8(bytes).ok()
}
