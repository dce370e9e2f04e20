//! What every page of the site shares: title, words, navigation, the way down to it.

use std::ops::Range;

use serde_json::{Value, json};

use super::{Site, look};
use crate::address::relative;
use crate::book::Section;

/// Longest list of pages in a navigation.
const LONG: usize = 80;

/// How many stand before and after the page in a longer one.
const AROUND: usize = 25;

/// The part of a page's context that the templates' frame needs, for the file at `out`.
pub(super) fn frame(site: &Site<'_>, out: &str, section: usize) -> Value {
    let book = &site.book.config.file.book;
    let root = "../".repeat(out.matches('/').count());
    let mut scripts = vec![format!("{root}labdoc-search.js")];
    if site.serve {
        scripts.push(format!("{root}.labdoc/live.js"));
    }
    json!({
        "site": {
            "title": book.title,
            "language": site.language,
            "version": book.version,
            "root": root,
            "home": relative(out, &site.localized("index.html")),
            "search": true,
            "styles": site.theme.has_look.then(|| vec![format!("{root}{}", look::SHEET)]),
            "scripts": scripts,
            "serve": site.serve,
            "as_of": site.evidence.as_of,
            "offline_href": super::offline::wanted(site).then(|| relative(out, "offline/index.html")),
            "generator": concat!("labdoc ", env!("CARGO_PKG_VERSION")),
        },
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
        "lang": site.language,
        "crumbs": crumbs,
        "toc": [], "badges": [], "tags": [], "meta": [], "files": [], "languages": [],
        "params": [], "extra": {},
        "generated": true,
    })
}

/// The navigation: the folder of the page, and the ways to evidence and kits.
fn navigation(site: &Site<'_>, out: &str, section: usize) -> Value {
    let mut groups = vec![section_group(site, out, section)];
    if site.evidence.has_claims {
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
        items.push(link(out, &site.localized("index.html"), site.theme.word("home")));
    }
    items.push(link(out, &index_of(site, section), &section_title(site, section)));
    let base = site.base_of(out);
    let here = section.pages.iter().position(|at| site.book.pages[*at].base == base);
    let shown = around(section.pages.len(), here);
    for version in section.pages[shown.clone()].iter().map(|at| site.version(*at)) {
        items.push(link(out, &version.out, &version.page.title));
    }
    let children = around(section.children.len(), None);
    for child in section.children[children.clone()].iter().map(|at| &site.book.sections[*at]) {
        items.push(link(out, &index_of(site, child), &section_title(site, child)));
    }
    let (all, left) = (section.pages.len() + section.children.len(), shown.len() + children.len());
    if left < all {
        let title = format!("… {}", site.theme.word("n_pages").replace("{n}", &all.to_string()));
        let to = relative(out, &index_of(site, section));
        items.push(json!({ "title": title, "href": to, "current": false, "children": [] }));
    }
    json!({ "title": site.theme.word("documents"), "items": items })
}

/// Which of `count` entries a navigation shows: all, or those around `here` where there are so
/// many that every page of the folder would grow with it.
fn around(count: usize, here: Option<usize>) -> Range<usize> {
    if count <= LONG {
        return 0..count;
    }
    let start = here.unwrap_or(0).saturating_sub(AROUND).min(count - 2 * AROUND);
    start..start + 2 * AROUND
}

/// One link of the navigation.
fn link(from: &str, to: &str, title: &str) -> Value {
    json!({ "title": title, "href": relative(from, to), "current": from == to, "children": [] })
}

/// The index page of a folder, in the language of the site.
pub(super) fn index_of(site: &Site<'_>, section: &Section) -> String {
    site.localized(&index_base(section))
}

/// The index page of a folder in the language of plain file names.
pub(super) fn index_base(section: &Section) -> String {
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
    match section.index {
        Some(at) => site.version(at).page.title.clone(),
        None => section.title.clone(),
    }
}

/// The way down to a page: the folders above it, then itself.
pub(super) fn crumbs(site: &Site<'_>, out: &str, section: usize, title: &str) -> Value {
    let mut way = Vec::new();
    let mut at = Some(section);
    while let Some(index) = at {
        let section = &site.book.sections[index];
        let to = index_of(site, section);
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
