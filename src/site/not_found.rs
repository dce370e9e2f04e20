//! `404.html`, which a server shows in the place of any address that leads nowhere, however deep.

use serde_json::{Value, json};

use super::Site;
use super::frame::{bare_page, frame, merged};
use super::output::Staging;
use crate::diag::{Diagnostic, Failure};

/// Writes the page. Its links begin with the path of `base_url`, as it is shown at other addresses
/// than its own; without `base_url` nobody knows that path, and they are relative.
///
/// # Errors
/// It cannot be written.
pub(super) fn not_found(site: &Site<'_>, staging: &Staging) -> Result<Vec<Diagnostic>, Failure> {
    let title = site.theme.word("not_found").to_owned();
    let page = bare_page(site, &title, json!([]));
    let mut context = merged(frame(site, "404.html", 0), json!({ "page": page }));
    // `labdoc serve` has a root of its own, and leads to the page itself.
    let base = site.book.config.file.book.base_url.as_deref().filter(|_| !site.serve);
    if let Some(root) = base.map(path_of) {
        rooted(&mut context, &root);
    }
    match site.theme.render("404.html", &context) {
        Ok(html) => staging.put("404.html", html.as_bytes()).map(|()| Vec::new()),
        Err(finding) => Ok(vec![finding]),
    }
}

/// The path of an address, with a slash at both ends.
fn path_of(base: &str) -> String {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let path = path.split(['?', '#']).next().unwrap_or("").trim_matches('/');
    if path.is_empty() { "/".to_owned() } else { format!("/{path}/") }
}

/// Puts the root before every address in a context that was made for the root of the site.
fn rooted(value: &mut Value, root: &str) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(text) if is_address(key) => put_before(text, root),
                    Value::Array(list) if matches!(key.as_str(), "scripts" | "styles") => {
                        for one in list {
                            if let Value::String(text) = one {
                                put_before(text, root);
                            }
                        }
                    }
                    other => rooted(other, root),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|one| rooted(one, root)),
        _ => {}
    }
}

/// Whether a key of a context holds an address.
fn is_address(key: &str) -> bool {
    matches!(key, "root" | "home" | "href") || key.ends_with("_href")
}

/// Puts the root before a relative address.
fn put_before(address: &mut String, root: &str) {
    if !address.contains("://") && !address.starts_with(['/', '#']) {
        address.insert_str(0, root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_an_address_has_slashes_at_both_ends() {
        for (base, path) in [
            ("https://x.example", "/"),
            ("https://x.example/", "/"),
            ("https://x.example/a/b", "/a/b/"),
            ("https://x.example/a/b/?q#f", "/a/b/"),
        ] {
            assert_eq!(path_of(base), path, "{base}");
        }
    }
}
