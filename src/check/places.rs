//! Addresses in generated pages as paths of the site.

use std::collections::BTreeSet;

use crate::address::decode;

/// A part of an address, decoded where it can be.
pub(super) fn decoded(text: &str) -> String {
    decode(text).unwrap_or_else(|| text.to_owned())
}

/// A relative path as seen from a page, without `.` and `..`; with its slash where it ends in one.
pub(super) fn resolve(page: &str, path: &str) -> String {
    if path.is_empty() {
        return page.to_owned();
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// What is wrong with the path of a link: a folder, or a file that is not there.
pub(super) fn missing(names: &BTreeSet<String>, path: &str) -> Option<(&'static str, String)> {
    if names.contains(path) {
        return None;
    }
    let folder = path.trim_end_matches('/');
    let index =
        if folder.is_empty() { "index.html".to_owned() } else { format!("{folder}/index.html") };
    if names.contains(&index) {
        return Some(("OF403", format!("offline needs \"{index}\"")));
    }
    Some(("OF405", format!("there is no file {path}")))
}
