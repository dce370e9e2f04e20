//! Addresses in generated pages as paths of the site.

use crate::address::decode;

/// Whether a path is that of a file of the site.
pub(crate) type IsThere<'a> = dyn Fn(&str) -> bool + Sync + 'a;

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
pub(super) fn missing(is_there: &IsThere<'_>, path: &str) -> Option<(&'static str, String)> {
    if is_there(path) {
        return None;
    }
    let folder = path.trim_end_matches('/');
    let index =
        if folder.is_empty() { "index.html".to_owned() } else { format!("{folder}/index.html") };
    if is_there(&index) {
        return Some(("OF403", format!("offline needs \"{index}\"")));
    }
    Some(("OF405", format!("there is no file {path}")))
}

/// Whether an address leads to another machine.
pub(super) fn is_remote(address: &str) -> bool {
    let lower = address.trim().to_ascii_lowercase();
    lower.starts_with("//") || lower.starts_with("http://") || lower.starts_with("https://")
}

/// Whether an address has a scheme, such as `mailto:`.
pub(super) fn has_scheme(address: &str) -> bool {
    let end = address.find([':', '/', '?', '#']);
    end.is_some_and(|end| end > 0 && address[end..].starts_with(':'))
}
