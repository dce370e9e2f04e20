//! What no compiler holds: import layers, sizes of files, documented diagnostic codes.
#![expect(clippy::disallowed_methods, reason = "the test reads the sources itself")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// The rooms by layer; a room may import rooms of lower layers only. The table stands in
/// `docs/architecture.md` too. A room of several layers is listed file by file.
const LAYERS: &[(u8, &[&str])] = &[
    (0, &["source", "digest", "address", "secrets"]),
    (1, &["diag", "disk", "git", "proc"]),
    (2, &["fence", "net", "secrets", "store", "vary", "yaml"]),
    (3, &["config"]),
    (4, &["book"]),
    (5, &["compare", "evidence", "kit"]),
    (6, &["html", "check"]),
    (7, &["serve", "site", "verify"]),
    (8, &["commands", "cli"]),
    (9, &["fuzzing", "main", "lib"]),
];

/// Rooms of one layer of which one may import the other, and why.
const SAME_LAYER: &[(&str, &str, &str)] = &[
    ("disk", "diag", "a file fault becomes a failure"),
    ("commands", "cli", "the commands read the arguments and talk to the console"),
    ("cli", "commands", "the command line calls the commands"),
];

/// Never, whatever the layer: `evidence/` on disk is the only bridge between the two sides, and
/// only `labdoc check --external` uses the network.
const NEVER: &[(&[&str], &[&str])] = &[
    (&["html", "site", "check", "kit"], &["verify", "proc", "net"]),
    (&["verify"], &["html", "site", "net"]),
    (&["book", "evidence", "serve", "disk", "git", "store"], &["net"]),
];

/// Every source file with its text.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut out = BTreeMap::new();
    let mut folders: Vec<PathBuf> = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
                out.insert(name, fs::read_to_string(&path).expect("text"));
            }
        }
    }
    out
}

/// The room of a path such as `verify/session/mod` or `book/page`: the longest that is listed.
fn room(path: &str) -> Option<(u8, &'static str)> {
    let listed = LAYERS.iter().flat_map(|(layer, rooms)| rooms.iter().map(|room| (*layer, *room)));
    listed
        .filter(|(_, room)| path == *room || path.starts_with(&format!("{room}/")))
        .max_by_key(|(_, room)| room.len())
}

/// The text without comments and without `mod tests { … }` at its end.
fn code(text: &str) -> String {
    let body = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines = body.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that a file imports, as `verify/session` or `diag`.
fn imports(path: &str, text: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let by_crate = Regex::new(r"\bcrate::(\w+)(?:::(\w+))?").expect("pattern");
    for found in by_crate.captures_iter(text) {
        let second = found.get(2).map_or(String::new(), |word| format!("/{}", word.as_str()));
        out.insert(format!("{}{second}", &found[1]));
    }
    let grouped = Regex::new(r"use crate::\{([^;]*)\};").expect("pattern");
    for found in grouped.captures_iter(text) {
        out.extend(found[1].split(',').filter_map(|part| {
            let word = part.trim().split("::").next()?.to_owned();
            (!word.is_empty()).then_some(word)
        }));
    }
    let depth = path.matches('/').count();
    if let Some(rest) = path.strip_prefix("verify/").filter(|_| depth == 1) {
        let by_super = Regex::new(r"\bsuper::(\w+)").expect("pattern");
        let own = rest.trim_end_matches("mod");
        out.extend(
            by_super
                .captures_iter(text)
                .map(|found| format!("verify/{}", &found[1]))
                .filter(|found| found.trim_start_matches("verify/") != own),
        );
    }
    out
}

#[test]
fn rooms_import_lower_layers_only() {
    let mut faults = Vec::new();
    for (file, text) in sources().iter().filter(|(file, _)| !is_test(file)) {
        let path = file.trim_start_matches("src/").trim_end_matches(".rs");
        let path = path.strip_suffix("/mod").unwrap_or(path);
        if matches!(path, "main" | "lib" | "verify") {
            continue;
        }
        let Some((layer, from)) = room(path) else {
            faults.push(format!("{file} is in no room of the table"));
            continue;
        };
        for import in imports(path, &code(text)) {
            let Some((other, to)) = room(&import) else { continue };
            let allowed = SAME_LAYER.iter().any(|(a, b, _)| (*a, *b) == (from, to));
            if from != to && (other > layer || (other == layer && !allowed)) {
                faults.push(format!("{file} (layer {layer}) imports {to} (layer {other})"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_build_side_and_the_verify_side_never_meet() {
    let mut faults = Vec::new();
    for (file, text) in sources().iter().filter(|(file, _)| !is_test(file)) {
        let path = file.trim_start_matches("src/").trim_end_matches(".rs");
        let top = path.split('/').next().unwrap_or(path);
        for (side, others) in NEVER.iter().filter(|(side, _)| side.contains(&top)) {
            for import in imports(path, &code(text)) {
                let to = import.split('/').next().unwrap_or(&import);
                if others.contains(&to) && !side.contains(&to) {
                    faults.push(format!("{file} imports {to}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Whether a file holds tests only.
fn is_test(file: &str) -> bool {
    file.contains("/tests/") || file.ends_with("tests.rs") || file.ends_with("/testing.rs")
}

#[test]
fn files_stay_short() {
    let mut faults = Vec::new();
    for (file, text) in &sources() {
        let lines = text.lines().count();
        if lines > 350 {
            faults.push(format!("{file} has {lines} lines; split it: 350 is the limit"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The family letters of codes.
const CODE: &str = "(?:PG|LK|CF|BL|DG|IM|IN|MA|TP|VA|VR|KT|EV|SE|OF|LD)[0-9]{3}";

#[test]
fn every_diagnostic_code_is_documented_and_the_other_way_round() {
    let quoted = Regex::new(&format!("\"({CODE})\"")).expect("pattern");
    let mut used: BTreeMap<String, String> = BTreeMap::new();
    for (file, text) in sources().iter().filter(|(file, _)| !is_test(file)) {
        for found in quoted.captures_iter(&code(text)) {
            used.insert(found[1].to_owned(), file.clone());
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("content/guide/findings.en.md");
    let text = fs::read_to_string(path).expect("content/guide/findings.en.md");
    let row = Regex::new(&format!(r"(?m)^\| ({CODE}) \| (?:E|R|W|N) \| [^|]+ \| [^|]+ \|$"))
        .expect("pattern");
    let documented: Vec<String> =
        row.captures_iter(&text).map(|found| found[1].to_owned()).collect();
    let set: BTreeSet<&String> = documented.iter().collect();
    assert_eq!(set.len(), documented.len(), "a code is documented twice");
    let missing: Vec<String> = used
        .iter()
        .filter(|(code, _)| !set.contains(code))
        .map(|(code, file)| format!("{code} ({file}) is not in content/guide/findings.en.md"))
        .collect();
    let unused: Vec<String> = documented
        .iter()
        .filter(|code| !used.contains_key(*code))
        .map(|code| format!("{code} is in content/guide/findings.en.md, but nothing says it"))
        .collect();
    assert!(
        missing.is_empty() && unused.is_empty(),
        "{}\n{}",
        missing.join("\n"),
        unused.join("\n")
    );
}
