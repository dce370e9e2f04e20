//! Writing `bundle: T1` into the header of a page, and touching nothing else of it.

use crate::book::split_header;

/// The text of a page with its bundle in the header.
pub(super) fn with_bundle(text: &str, bundle: &str) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let Ok(Some(split)) = split_header(text) else {
        let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let header = format!("---{newline}verify: {{bundle: {bundle}}}{newline}---{newline}");
        return format!("{}{header}{}", &text[..bom], &text[bom..]);
    };
    let header = &text[split.header.clone()];
    let (at, line) =
        if split.toml { toml_place(header, bundle) } else { yaml_place(header, bundle) };
    let line = line.replace('\n', newline);
    let at = split.header.start + at;
    format!("{}{line}{}", &text[..at], &text[at..])
}

/// Where the key goes in a YAML header, and what is written there.
fn yaml_place(header: &str, bundle: &str) -> (usize, String) {
    let Some(at) = line_starting_with(header, "verify:") else {
        return (header.len(), format!("verify:\n  bundle: {bundle}\n"));
    };
    let rest = &header[at + "verify:".len()..];
    let value = rest.trim_start_matches([' ', '\t']);
    if let Some(inner) = value.strip_prefix('{') {
        let open = header.len() - inner.len();
        let comma = if inner.trim_start().starts_with('}') { "" } else { ", " };
        return (open, format!("bundle: {bundle}{comma}"));
    }
    let line_end = header[at..].find('\n').map_or(header.len(), |end| at + end + 1);
    let next = header[line_end..].lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let indent = &next[..next.len() - next.trim_start().len()];
    let indent = if indent.is_empty() { "  " } else { indent };
    (line_end, format!("{indent}bundle: {bundle}\n"))
}

/// Where the key goes in a TOML header, and what is written there.
fn toml_place(header: &str, bundle: &str) -> (usize, String) {
    match line_starting_with(header, "[verify]") {
        Some(at) => {
            let end = header[at..].find('\n').map_or(header.len(), |end| at + end + 1);
            (end, format!("bundle = \"{bundle}\"\n"))
        }
        None => (header.len(), format!("[verify]\nbundle = \"{bundle}\"\n")),
    }
}

/// The offset of the first line that begins with `word`.
fn line_starting_with(text: &str, word: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(word) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(with_bundle(text, "T3"), expect);
    }

    #[test]
    fn the_bundle_goes_under_verify() {
        check(
            "---\nverify:\n    env: [A]\n---\nx\n",
            "---\nverify:\n    bundle: T3\n    env: [A]\n---\nx\n",
        );
        check("---\ntitle: x\n---\n", "---\ntitle: x\nverify:\n  bundle: T3\n---\n");
        check("---\nverify: {env: [A]}\n---\n", "---\nverify: {bundle: T3, env: [A]}\n---\n");
        check("---\nverify: {}\n---\n", "---\nverify: {bundle: T3}\n---\n");
        check("# x\n", "---\nverify: {bundle: T3}\n---\n# x\n");
        check("---\r\nverify:\r\n---\r\n", "---\r\nverify:\r\n  bundle: T3\r\n---\r\n");
        check("+++\n[verify]\nenv = []\n+++\n", "+++\n[verify]\nbundle = \"T3\"\nenv = []\n+++\n");
    }
}
