//! The pages of `content/` and the list pages of folders without one.

use serde_json::{Value, json};

use super::Site;
use super::cache::Rendered;
use super::card;
use super::faults;
use super::frame::{crumbs, frame, index_base, index_of, merged, section_title, size_text};
use super::language::Version;
use super::output::Staging;
use super::record::{environment_words, page_rows, proof};
use super::run_pages::all_files;
use super::search::Document;
use super::surroundings::Surroundings;
use crate::address::relative;
use crate::book::Page;
use crate::diag::{Diagnostic, Failure};
use crate::digest::sha256_hex;
use crate::html::{Body, TocEntry, escape, render};
use crate::kit::viewer_path;

/// How many words a reader takes in a minute.
const WORDS_A_MINUTE: usize = 180;

/// Renders the page at a place of the reading order, or takes it from the cache, and publishes
/// its Markdown. `world` is the digest of all that the page can show of the rest of the site.
pub(super) fn page(
    site: &Site<'_>,
    staging: &Staging,
    (order, at): (&[usize], usize),
    world: &str,
) -> Result<(Vec<Diagnostic>, Option<Document>), Failure> {
    let version = site.version(order[at]);
    let Some(cache) = site.cache else {
        let (findings, rendered) = rendered(site, &version, (order, at))?;
        put(staging, &rendered)?;
        return Ok((findings, rendered.document));
    };
    let text = site.sources.text(version.page.file);
    let key = format!("{world} {at} {}", sha256_hex(text.as_bytes()));
    if let Some(known) = cache.get(&version.out, &key) {
        put(staging, &known)?;
        return Ok((Vec::new(), known.document.clone()));
    }
    let (findings, rendered) = rendered(site, &version, (order, at))?;
    put(staging, &rendered)?;
    let document = rendered.document.clone();
    if findings.is_empty() {
        cache.keep(&version.out, key, rendered);
    }
    Ok((findings, document))
}

/// Writes the files of a page.
fn put(staging: &Staging, rendered: &Rendered) -> Result<(), Failure> {
    rendered.files.iter().try_for_each(|(path, bytes)| staging.put(path, bytes))
}

/// A page in one of its languages, rendered.
pub(super) fn rendered(
    site: &Site<'_>,
    version: &Version<'_>,
    (order, at): (&[usize], usize),
) -> Result<(Vec<Diagnostic>, Rendered), Failure> {
    let page = version.page;
    let surroundings = Surroundings { site, page, out: &version.out };
    let text = site.sources.text(page.file);
    let body = render(page, text, &surroundings);
    let mut findings = body.diagnostics.clone();
    let neighbour = |at: Option<usize>| {
        let version = site.version(*order.get(at?)?);
        Some((version.page.title.clone(), version.out))
    };
    let turn = (neighbour(at.checked_sub(1)), neighbour(at.checked_add(1)));
    let section = site.book.section_of(page);
    let context = merged(
        frame(site, &version.out, section),
        json!({ "page": page_context(site, (version, section), &body, turn)? }),
    );
    let mut files = Vec::new();
    match site.theme.render("page.html", &context) {
        Ok(html) => files.push((version.out.clone(), html.into_bytes())),
        Err(finding) => findings.push(finding.note(faults::on(&page.path))),
    }
    if version.fallback {
        // What is wrong with its text is found where it is shown in its own language.
        return Ok((Vec::new(), Rendered { files, document: None }));
    }
    files.push((raw_markdown(page), text.as_bytes().to_vec()));
    let title = &site.book.config.file.book.title;
    files.extend(site.cards.and_then(|cards| Some((card::path(page), cards.png(title, page)?))));
    let document = Document::page(&version.out, (site.language, &page.title), &body.html);
    Ok((findings, Rendered { files, document: Some(document) }))
}

/// What the search knows of a page in one of its languages.
pub(super) fn document(site: &Site<'_>, version: &Version<'_>) -> Option<Document> {
    let Version { page, out, .. } = version;
    let body = render(page, site.sources.text(page.file), &Surroundings { site, page, out });
    let title = (site.language, page.title.as_str());
    (!version.fallback).then(|| Document::page(out, title, &body.html))
}

/// Where a page's Markdown is published: beside it, under its own name.
pub(crate) fn raw_markdown(page: &Page) -> String {
    let folder = crate::book::folder_of(&page.out);
    let name = page.path.rsplit('/').next().unwrap_or(&page.path);
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A neighbour in reading order: title and path.
type Turn = Option<(String, String)>;

/// What the template sees of a page.
fn page_context(
    site: &Site<'_>,
    (version, section): (&Version<'_>, usize),
    body: &Body,
    (prev, next): (Turn, Turn),
) -> Result<Value, Failure> {
    let (page, index) = (version.page, version.at);
    let front = &page.front;
    let out = &version.out;
    let turn =
        |turn: Turn| turn.map(|(title, to)| json!({ "title": title, "href": relative(out, &to) }));
    let kind = serde_json::to_value(front.kind).unwrap_or_default();
    let kind = kind.as_str().unwrap_or("page").to_owned();
    let kind_word = (kind != "page").then(|| site.theme.word(&format!("kind_{kind}")).to_owned());
    let minutes = body.plain_words.div_ceil(WORDS_A_MINUTE);
    let record = page_rows(site, index, out);
    let edit = site.book.config.file.book.edit_url.as_ref();
    // The first page speaks for the site.
    let of_site = site.book.config.file.book.description.as_ref().filter(|_| out == "index.html");
    let description = front.description.as_ref().or(of_site);
    Ok(json!({
        "title": page.title,
        "title_id": body.title_id,
        "lang": site.language,
        "fallback": version.fallback.then(|| site.theme.word("untranslated")),
        "kind": kind,
        "kind_word": kind_word,
        "description": description,
        "href": out,
        "body": shown_body(version, body),
        "toc": toc(&body.toc),
        "crumbs": crumbs(site, out, section, &page.title),
        "badges": front.category.iter().collect::<Vec<_>>(),
        "tags": super::tags::links(site, &front.tags, out),
        "head": super::meta::head(site, version),
        "reading_minutes": (minutes > 1).then_some(minutes),
        "date": front.date,
        "updated": front.updated,
        "meta": meta(site, page, out),
        "proof": proof(site, index, out),
        "record": (!record.is_empty()).then_some(record),
        "prev": turn(prev),
        "next": turn(next),
        "files": files(site, page, out)?,
        "raw_href": relative(out, &raw_markdown(page)),
        "edit_href": edit.map(|url| url.replace("{path}", &crate::address::encode(&page.path))),
        "languages": site.switch(&page.base, out),
        "params": params(body),
        "extra": front.extra,
        "generated": false,
    }))
}

/// What a reader can fill in before copying.
fn params(body: &Body) -> Vec<Value> {
    let one = |(name, value): &(String, String)| json!({ "name": name, "value": value });
    body.params.iter().map(one).collect()
}

/// The body; one in another language than its page says so.
fn shown_body(version: &Version<'_>, body: &Body) -> String {
    if !version.fallback {
        return body.html.clone();
    }
    format!("<div lang=\"{}\">\n{}</div>\n", escape(&version.page.language), body.html)
}

/// The contents list: headings of level 3 below those of level 2.
fn toc(entries: &[TocEntry]) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.level <= 3) {
        let item =
            json!({ "id": entry.id, "text": entry.text, "level": entry.level, "children": [] });
        let above = out.last_mut().filter(|_| entry.level > 2);
        match above.and_then(|above| above["children"].as_array_mut()) {
            Some(children) => children.push(item),
            None => out.push(item),
        }
    }
    out
}

/// The table under the title: environment, what is needed, kit.
fn meta(site: &Site<'_>, page: &Page, out: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut row = |key: &str, html: String| {
        rows.push(json!({ "term": site.theme.word(key), "value_html": html }));
    };
    if !page.front.environment.is_empty() {
        row("environment", escape(&environment_words(&page.front.environment)).into_owned());
    }
    if let Some(audience) = &page.front.audience {
        row("audience", escape(audience).into_owned());
    }
    if !page.front.prerequisites.is_empty() {
        row("prerequisites", escape(&page.front.prerequisites.join(", ")).into_owned());
    }
    let kit = page.front.kit.as_ref();
    if let Some(kit) = kit.and_then(|name| site.kits.iter().find(|kit| kit.name == *name)) {
        let href = relative(out, &format!("kit/{}/index.html", kit.name));
        let files = site.theme.word("n_files").replace("{n}", &kit.files.len().to_string());
        let (name, size) = (escape(&kit.name), size_text(kit.size()));
        row("kit", format!("<a href=\"{}\">{name}</a> · {files} · {size}", escape(&href)));
    }
    rows
}

/// The files of the newest run of the page's bundle, and those of its kit.
fn files(site: &Site<'_>, page: &Page, out: &str) -> Result<Vec<Value>, Failure> {
    let mut files = Vec::new();
    let bundle = page.front.verify.as_ref().and_then(|verify| verify.bundle.as_ref());
    let run = bundle.and_then(|bundle| site.evidence.newest(bundle, &page.front.environment));
    if let Some(run) = run {
        let name = format!("{}/{}", run.verdict.bundle, run.verdict.run_id);
        let entry = |(file, bytes): &(String, Vec<u8>)| {
            let to = format!("evidence/{name}/view/{file}.html");
            json!({
                "name": format!("{name}/{file}"), "href": relative(out, &to),
                "size_text": size_text(bytes.len() as u64), "sha256": sha256_hex(bytes),
            })
        };
        files.extend(all_files(site, run)?.iter().map(entry));
    }
    let kit = page.front.kit.as_ref();
    if let Some(kit) = kit.and_then(|name| site.kits.iter().find(|kit| kit.name == *name)) {
        files.extend(kit.files.iter().map(|file| {
            json!({
                "name": format!("{}/{}", kit.name, file.path),
                "href": relative(out, &viewer_path(kit, &file.path)),
                "size_text": size_text(file.size), "sha256": file.sha256,
                "executable": file.executable,
            })
        }));
    }
    Ok(files)
}

/// The list pages of folders that have no index page of their own.
pub(super) fn sections(site: &Site<'_>, staging: &Staging) -> Result<Vec<Diagnostic>, Failure> {
    let mut findings = Vec::new();
    for (at, section) in site.book.sections.iter().enumerate() {
        if section.index.is_some() {
            continue;
        }
        let out = index_of(site, section);
        let title = section_title(site, section);
        let entries = entries(site, at, &out);
        let languages = site.switch(&index_base(section), &out);
        let page = merged(
            super::frame::bare_page(site, &title, crumbs(site, &out, at, &title)),
            json!({ "kind": "page", "href": out, "body": "", "languages": languages }),
        );
        let context = merged(
            frame(site, &out, at),
            json!({ "page": page, "section": { "entries": entries } }),
        );
        match site.theme.render("section.html", &context) {
            Ok(html) => staging.put(&out, html.as_bytes())?,
            Err(finding) => findings.push(finding),
        }
    }
    Ok(findings)
}

/// What stands in a folder.
fn entries(site: &Site<'_>, section: usize, out: &str) -> Vec<Value> {
    let section = &site.book.sections[section];
    let pages = section.pages.iter().map(|at| {
        let Version { page, at, out: to, .. } = site.version(*at);
        json!({
            "title": page.title, "href": relative(out, &to),
            "description": page.front.description, "date": page.front.date,
            "proof": proof(site, at, out),
        })
    });
    let folders = section.children.iter().map(|at| {
        let child = &site.book.sections[*at];
        json!({ "title": section_title(site, child), "href": relative(out, &index_of(site, child)) })
    });
    pages.chain(folders).collect()
}
