//! What every page of the site shares: title, words, navigation, the way down to it.

use serde_json::{Value, json};

use super::Site;
use crate::address::relative;
use crate::book::Section;

/// The part of a page's context that the templates' frame needs, for the file at `out`.
pub(super) fn frame(site: &Site<'_>, out: &str, section: usize) -> Value {
    let book = &site.book.config.file.book;
    let root = "../".repeat(out.matches('/').count());
    json!({
        "site": {
            "title": book.title,
            "language": book.language,
            "version": book.version,
            "root": root,
            "search": false,
            "as_of": site.evidence.as_of,
            "offline_href": super::offline::wanted(site).then(|| relative(out, "offline/index.html")),
            "generator": concat!("labdoc ", env!("CARGO_PKG_VERSION")),
        },
        "t": site.theme.words,
        "nav": navigation(site, out, section),
    })
}

/// The values of two objects in one.
pub(super) fn merged(mut base: Value, more: Value) -> Value {
    if let (Value::Object(base), Value::Object(more)) = (&mut base, more) {
        base.extend(more);
    }
    base
}

/// The least that `page` holds on pages that are no documents.
pub(super) fn bare_page(site: &Site<'_>, title: &str, crumbs: Value) -> Value {
    json!({
        "title": title,
        "lang": site.book.config.file.book.language,
        "crumbs": crumbs,
        "toc": [], "badges": [], "tags": [], "meta": [], "files": [], "languages": [],
        "generated": true,
    })
}

/// The navigation: the folder of the page, and the ways to evidence and kits.
fn navigation(site: &Site<'_>, out: &str, section: usize) -> Value {
    let mut groups = vec![section_group(site, out, section)];
    if !site.evidence.claims.is_empty() {
        let item = link(out, "evidence/index.html", site.theme.word("record"));
        groups.push(json!({ "title": site.theme.word("evidence"), "items": [item] }));
    }
    if !site.kits.is_empty() {
        let items: Vec<Value> = site
            .kits
            .iter()
            .map(|kit| link(out, &format!("kit/{}/index.html", kit.name), &kit.name))
            .collect();
        groups.push(json!({ "title": site.theme.word("download"), "items": items }));
    }
    Value::Array(groups)
}

/// The group of a folder: its index, its pages, the folders in it; and the way up.
fn section_group(site: &Site<'_>, out: &str, at: usize) -> Value {
    let section = &site.book.sections[at];
    let mut items = Vec::new();
    if section.parent.is_some() {
        items.push(link(out, "index.html", site.theme.word("home")));
    }
    items.push(link(out, &index_of(section), &section_title(site, section)));
    for page in section.pages.iter().map(|at| &site.book.pages[*at]) {
        items.push(link(out, &page.out, &page.title));
    }
    for child in section.children.iter().map(|at| &site.book.sections[*at]) {
        items.push(link(out, &index_of(child), &section_title(site, child)));
    }
    json!({ "title": site.theme.word("documents"), "items": items })
}

/// One link of the navigation.
fn link(from: &str, to: &str, title: &str) -> Value {
    json!({ "title": title, "href": relative(from, to), "current": from == to, "children": [] })
}

/// The index page of a folder.
pub(super) fn index_of(section: &Section) -> String {
    if section.dir.is_empty() {
        "index.html".to_owned()
    } else {
        format!("{}/index.html", section.dir)
    }
}

/// A folder's title: that of its index page, of the site for the root, or its name.
pub(super) fn section_title(site: &Site<'_>, section: &Section) -> String {
    if section.dir.is_empty() && section.index.is_none() {
        return site.book.config.file.book.title.clone();
    }
    section.title.clone()
}

/// The way down to a page: the folders above it, then itself.
pub(super) fn crumbs(site: &Site<'_>, out: &str, section: usize, title: &str) -> Value {
    let mut way = Vec::new();
    let mut at = Some(section);
    while let Some(index) = at {
        let section = &site.book.sections[index];
        let to = index_of(section);
        if to != out {
            let title = section_title(site, section);
            way.push(json!({ "title": title, "href": relative(out, &to) }));
        }
        at = section.parent;
    }
    if way.is_empty() {
        return json!([]);
    }
    way.reverse();
    way.push(json!({ "title": title }));
    Value::Array(way)
}

/// A number of bytes for people.
pub(super) fn size_text(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
    let size = bytes as f64;
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KB", size / 1024.0),
        _ => format!("{:.1} MB", size / 1_048_576.0),
    }
}
