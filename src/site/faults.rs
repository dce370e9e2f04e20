//! Faults of templates, which may show on every page of a site.

use std::collections::BTreeMap;

use crate::diag::Diagnostic;

/// Begins the note that names the page on which a template failed.
const FIRST_ON: &str = "on the page";

/// The note that names the page on which a template failed.
pub(super) fn on(page: &str) -> String {
    format!("{FIRST_ON} {page}")
}

/// One finding for a template that fails on many pages: it names the first of them and how many
/// there are.
pub(super) fn once(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::new();
    let mut seen: BTreeMap<(String, Vec<String>), (usize, usize)> = BTreeMap::new();
    for finding in findings {
        let of_page = |note: &String| !note.starts_with(FIRST_ON);
        let notes: Vec<String> = finding.notes.iter().filter(|n| of_page(n)).cloned().collect();
        if finding.code != "TP001" || notes.len() == finding.notes.len() {
            out.push(finding);
            continue;
        }
        let entry = seen.entry((finding.message.clone(), notes)).or_insert((out.len(), 0));
        entry.1 += 1;
        if entry.1 == 1 {
            out.push(finding);
        }
    }
    for (at, count) in seen.into_values().filter(|(_, count)| *count > 1) {
        if let Some(last) = out[at].notes.last_mut() {
            last.push_str(&format!(", and on {} more", count - 1));
        }
    }
    out
}
