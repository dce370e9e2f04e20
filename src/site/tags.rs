//! The pages of tags, and the pages that stand at old addresses.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization as _;

use super::Site;
use super::frame::{bare_page, frame, merged};
use super::output::Staging;
use crate::address::{decode, relative};
use crate::diag::{Diagnostic, Failure};
use crate::html::escape;

/// The page of a tag, in the language of plain file names: tags that differ only in letter case
/// or in punctuation are one.
pub(super) fn tag_page(tag: &str) -> String {
    let mut name = String::new();
    for c in tag.nfc().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || matches!(c, '_' | '.') {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_matches(['-', '.']);
    format!("tags/{}.html", if name.is_empty() || name == "index" { "tag-index" } else { name })
}

/// A page's tags as links.
pub(super) fn links(site: &Site<'_>, tags: &[String], out: &str) -> Vec<Value> {
    let link = |tag: &String| json!({ "title": tag, "href": relative(out, &site.localized(&tag_page(tag))) });
    tags.iter().map(link).collect()
}

/// A tag: how it is written first, and its pages in reading order.
type Tag = (String, Vec<usize>);

/// Writes a page for each tag and one for all of them, in the language of the site.
///
/// # Errors
/// A file cannot be written.
pub(super) fn tags(
    site: &Site<'_>,
    staging: &Staging,
    order: &[usize],
) -> Result<Vec<Diagnostic>, Failure> {
    let mut tags: BTreeMap<String, Tag> = BTreeMap::new();
    for at in order {
        for tag in &site.version(*at).page.front.tags {
            let (_, pages) = tags.entry(tag_page(tag)).or_insert_with(|| (tag.clone(), Vec::new()));
            if pages.last() != Some(at) {
                pages.push(*at);
            }
        }
    }
    let mut findings = Vec::new();
    if tags.is_empty() {
        return Ok(findings);
    }
    let list = "tags/index.html";
    let out = site.localized(list);
    let entry = |(path, (title, pages)): (&String, &Tag)| {
        let count = site.theme.word("n_pages").replace("{n}", &pages.len().to_string());
        json!({ "title": title, "href": relative(&out, &site.localized(path)), "description": count })
    };
    let entries: Vec<Value> = tags.iter().map(entry).collect();
    let title = site.theme.word("tags").to_owned();
    findings.extend(list_page(site, staging, (list, &title, &[]), entries)?);
    for (base, (title, pages)) in &tags {
        let out = site.localized(base);
        let entry = |at: &usize| {
            let version = site.version(*at);
            json!({
                "title": version.page.title, "href": relative(&out, &version.out),
                "description": version.page.front.description, "date": version.page.front.date,
            })
        };
        let entries = pages.iter().map(entry).collect();
        let above = [(site.theme.word("tags"), list)];
        findings.extend(list_page(site, staging, (base, title, &above), entries)?);
    }
    Ok(findings)
}

/// One list page; `above` is what stands between it and the first page.
fn list_page(
    site: &Site<'_>,
    staging: &Staging,
    (base, title, above): (&str, &str, &[(&str, &str)]),
    entries: Vec<Value>,
) -> Result<Option<Diagnostic>, Failure> {
    let out = site.localized(base);
    let crumb = |title: &str, to: &str| json!({ "title": title, "href": relative(&out, &site.localized(to)) });
    let mut crumbs = vec![crumb(site.theme.word("home"), "index.html")];
    crumbs.extend(above.iter().map(|(title, to)| crumb(title, to)));
    crumbs.push(json!({ "title": title }));
    let page = merged(
        bare_page(site, title, Value::Array(crumbs)),
        json!({ "kind": "page", "href": out, "body": "" }),
    );
    let more = json!({ "page": page, "section": { "entries": entries } });
    put(site, staging, ("section.html", &out), more)
}

/// Renders a template into a page; a template error is a finding.
fn put(
    site: &Site<'_>,
    staging: &Staging,
    (template, out): (&str, &str),
    more: Value,
) -> Result<Option<Diagnostic>, Failure> {
    match site.theme.render(template, &merged(frame(site, out, 0), more)) {
        Ok(html) => staging.put(out, html.as_bytes()).map(|()| None),
        Err(finding) => Ok(Some(finding)),
    }
}

/// Writes a page at each old address that leads to the new one.
///
/// # Errors
/// A file cannot be written.
pub(super) fn aliases(site: &Site<'_>, staging: &Staging) -> Result<Vec<Diagnostic>, Failure> {
    let mut findings = Vec::new();
    let taken = staging.names();
    let mut own: BTreeSet<String> = BTreeSet::new();
    for page in &site.book.pages {
        for alias in &page.front.aliases {
            let Some(out) = alias_path(alias) else {
                let finding = Diagnostic::error("PG020", format!("`{alias}` is no old address"));
                let hint = "write a path from the root of the site, like old/page.html";
                findings.push(finding.in_file(&page.path, None).hint(hint));
                continue;
            };
            if taken.contains(&out) || !own.insert(out.clone()) {
                let message = format!("the old address {alias} is that of another page: {out}");
                let finding = Diagnostic::error("PG021", message).in_file(&page.path, None);
                findings.push(finding.hint("take it out of `aliases`"));
                continue;
            }
            let site = site.in_language(&page.language);
            let to = relative(&out, &page.out);
            let refresh =
                format!("<meta http-equiv=\"refresh\" content=\"0; url={}\">\n", escape(&to));
            let canonical = format!("<link rel=\"canonical\" href=\"{}\">", escape(&to));
            let bare = bare_page(&site, site.theme.word("moved"), json!([]));
            let page = merged(
                bare,
                json!({ "head": refresh + &canonical, "to": { "href": to, "title": page.title } }),
            );
            let more = json!({ "page": page });
            findings.extend(put(&site, staging, ("redirect.html", &out), more)?);
        }
    }
    Ok(findings)
}

/// The file of an old address; an address without an ending was a folder's.
fn alias_path(alias: &str) -> Option<String> {
    let path: String = decode(alias)?.nfc().collect();
    let path = path.trim_start_matches('/');
    let folder = path.ends_with('/') || path.is_empty();
    let path = path.trim_end_matches('/');
    let known = !path.split('/').any(|part| part.is_empty() || part.starts_with('.'))
        && !path.contains(['\\', ':', '?', '#'])
        && !path.chars().any(char::is_control);
    match known {
        false => None,
        true if !folder && path.ends_with(".html") => Some(path.to_owned()),
        true => Some(format!("{path}/index.html")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_addresses_become_files() {
        let check = |alias: &str, expect: Option<&str>| {
            assert_eq!(alias_path(alias).as_deref(), expect, "{alias}");
        };
        check("/old/page.html", Some("old/page.html"));
        check("old/", Some("old/index.html"));
        check("old/page", Some("old/page/index.html"));
        check("%EA%B0%80.html", Some("가.html"));
        check("../x.html", None);
        check("https://x/y", None);
        check("/", None);
    }

    #[test]
    fn tags_have_a_page_each() {
        let check = |tag: &str, expect: &str| assert_eq!(tag_page(tag), expect, "{tag}");
        check("Envoy", "tags/envoy.html");
        check("DNS / GSLB", "tags/dns-gslb.html");
        check("네트워크 정책", "tags/네트워크-정책.html");
        check("../..", "tags/tag-index.html");
        check("index", "tags/tag-index.html");
    }
}
