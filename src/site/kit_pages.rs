//! The HTML pages of the kits: what is in them, how to get them, a viewer for each file.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Site;
use super::frame::{bare_page, frame, merged, size_text};
use super::output::Staging;
use crate::diag::{Diagnostic, Failure};
use crate::disk;
use crate::html::escape;
use crate::kit::pages::{FolderIndex, KitPage, folder_indexes, kit_page, kits_index};
use crate::kit::publish::{ArchiveFacts, Claims, PublishOptions, publish};
use crate::kit::{Kit, Way, viewer};

/// Publishes every kit: files, archives, pages.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn kits(site: &Site<'_>, staging: &Staging) -> Result<Vec<Diagnostic>, Failure> {
    let mut findings = Vec::new();
    if site.kits.is_empty() {
        return Ok(findings);
    }
    let used = used(site);
    findings.extend(folder(site, staging, (&kits_index(site.kits), &used))?);
    for kit in site.kits {
        let base_url = site.book.config.file.book.base_url.clone();
        let options =
            PublishOptions { claims: claims_of(site, kit), base_url, ..PublishOptions::default() };
        let publication = publish(kit, &options)?;
        findings.extend(publication.diagnostics);
        for mut file in publication.value.files {
            let path = staging.claim(&file.path)?;
            file.content.copy_to(kit, &mut disk::create(&path)?)?;
            staging.weighed(&file.path, file.weight);
        }
        let page = kit_page(kit, &publication.value.archives, options.base_url.as_deref());
        let archives = publication.value.archives.as_slice();
        findings.extend(kit_html(site, staging, (kit, &page, archives), &used)?);
        for index in folder_indexes(kit) {
            findings.extend(folder(site, staging, (&index, &used))?);
        }
        for at in 0..kit.files.len() {
            findings.extend(viewer_html(site, staging, (kit, at))?);
        }
    }
    Ok(findings)
}

/// The day of the newest run that could see a kit file, by the file's digest.
type Used = BTreeMap<String, String>;

/// When each kit file was last part of a run that ended, as it is now.
fn used(site: &Site<'_>) -> Used {
    let mut out = Used::new();
    for run in site.evidence.bundles.values().flat_map(|bundle| &bundle.runs) {
        let date = run.verdict.date().to_string();
        for digest in run.verdict.inputs.kit.values().filter(|_| run.verdict.is_finished()) {
            let digest = digest.strip_prefix("sha256:").unwrap_or(digest);
            let newest = out.entry(digest.to_owned()).or_default();
            if *newest < date {
                newest.clone_from(&date);
            }
        }
    }
    out
}

/// What a list says beside a file that a run has used.
fn note(site: &Site<'_>, used: &Used, sha256: Option<&str>) -> Option<String> {
    let date = used.get(sha256?)?;
    Some(site.theme.word("last_evidence").replace("{n}", date))
}

/// The claims whose runs could see a file of the kit.
fn claims_of(site: &Site<'_>, kit: &Kit) -> Claims {
    site.evidence.kit_claims.get(&kit.name).cloned().unwrap_or_default()
}

/// Renders a template and puts the page; a template error is a finding.
fn put(
    site: &Site<'_>,
    staging: &Staging,
    (template, path): (&str, &str),
    context: Value,
) -> Result<Option<Diagnostic>, Failure> {
    let context = merged(frame(site, path, 0), context);
    match site.theme.render(template, &context) {
        Ok(html) => staging.put(path, html.as_bytes()).map(|()| None),
        Err(finding) => Ok(Some(finding)),
    }
}

/// The index page of a published folder.
fn folder(
    site: &Site<'_>,
    staging: &Staging,
    (index, used): (&FolderIndex, &Used),
) -> Result<Option<Diagnostic>, Failure> {
    let entries: Vec<Value> = index
        .entries
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name, "href": entry.href, "size_text": size_text(entry.size),
                "sha256": entry.sha256, "is_folder": entry.is_folder, "count": entry.count,
                "note": note(site, used, entry.sha256.as_deref()),
            })
        })
        .collect();
    let crumbs = crumbs(site, index);
    let context = json!({
        "page": bare_page(site, &index.title, crumbs.clone()),
        "folder": {
            "title": index.title, "path": index.title, "crumbs": crumbs, "entries": entries,
        },
    });
    put(site, staging, ("folder.html", &index.path), context)
}

/// The way down to a folder.
fn crumbs(site: &Site<'_>, index: &FolderIndex) -> Value {
    let root = "../".repeat(index.path.matches('/').count());
    let mut way =
        vec![json!({ "title": site.theme.word("home"), "href": format!("{root}index.html") })];
    way.extend(index.parents.iter().map(|p| json!({ "title": p.name, "href": p.href })));
    let name = index.title.rsplit('/').next().unwrap_or(&index.title);
    way.push(json!({ "title": name }));
    Value::Array(way)
}

/// The page of a kit.
fn kit_html(
    site: &Site<'_>,
    staging: &Staging,
    (kit, page, archives): (&Kit, &KitPage, &[ArchiveFacts]),
    used: &Used,
) -> Result<Option<Diagnostic>, Failure> {
    let tree: Vec<Value> = page
        .index
        .entries
        .iter()
        .zip(&kit.files)
        .map(|(entry, file)| {
            json!({
                "path": entry.name, "href": entry.href, "size_text": size_text(entry.size),
                "sha256": entry.sha256, "executable": file.executable,
                "note": note(site, used, entry.sha256.as_deref()),
            })
        })
        .collect();
    let crumbs = crumbs(site, &page.index);
    let context = json!({
        "page": bare_page(site, &kit.name, crumbs.clone()),
        "kit": {
            "name": kit.name, "version": page.version, "digest": page.digest,
            "files_count": kit.files.len(), "size_text": size_text(kit.size()),
            "crumbs": crumbs, "tree": tree, "ways": ways(page, archives),
        },
    });
    put(site, staging, ("kit.html", &page.index.path), context)
}

/// The ways to get a kit, by the names that the template knows.
fn ways(page: &KitPage, archives: &[ArchiveFacts]) -> Value {
    let way = |id: &str| page.ways.iter().find(|way| way.id == id);
    let command = |way: Option<&Way>, at: usize| way.and_then(|way| way.commands.get(at)).cloned();
    let file = |facts: &ArchiveFacts| {
        json!({
            "name": facts.name, "href": facts.name, "size_text": size_text(facts.size),
            "sha256": facts.sha256,
        })
    };
    let packed: Vec<Value> =
        archives.iter().filter(|facts| facts.name != "all.txt").map(file).collect();
    let all = archives.iter().find(|facts| facts.name == "all.txt").map(file);
    let fetch = way("fetch");
    json!({
        "fetch": {
            "href": "fetch.sh", "text_href": "fetch.sh.txt",
            "careful": command(fetch, 0), "short": command(fetch, 1),
            "windows": command(fetch, 2),
            "windows_href": "fetch.ps1", "windows_text_href": "fetch.ps1.txt",
        },
        "archives": packed,
        "all_txt": all,
        "files_href": "files/index.html",
        "view_href": "view/index.html",
        "text_href": "text/index.html",
        "wget": command(way("mirror"), 0),
        "sums_href": "files/SHA256SUMS",
        "index_href": "INDEX.txt",
        "json_href": "kit.json",
    })
}

/// The viewer page of one file.
fn viewer_html(
    site: &Site<'_>,
    staging: &Staging,
    (kit, at): (&Kit, usize),
) -> Result<Vec<Diagnostic>, Failure> {
    let view = viewer(kit, at)?;
    let mut findings = view.findings.clone();
    let root = "../".repeat(view.path.matches('/').count());
    let crumbs = json!([
        { "title": site.theme.word("home"), "href": format!("{root}index.html") },
        { "title": kit.name, "href": crate::address::relative(&view.path, &format!("kit/{}/index.html", kit.name)) },
        { "title": view.title },
    ]);
    let text = view.text.clone();
    let notes: Vec<&str> =
        if text.is_none() { vec![site.theme.word("binary")] } else { Vec::new() };
    let context = json!({
        "page": bare_page(site, &view.title, crumbs.clone()),
        "viewer": {
            "title": view.title, "path": format!("{}/{}", kit.name, view.title),
            "raw_href": view.raw_href, "text_href": view.text_href,
            "download_name": view.download, "sha256": view.sha256,
            "size_text": size_text(view.size), "mode": view.mode, "run": view.run,
            "lines": numbered(text.as_deref().unwrap_or("")), "truncated": view.truncated,
            "notes": notes, "crumbs": crumbs,
        },
    });
    findings.extend(put(site, staging, ("viewer.html", &view.path), context)?);
    Ok(findings)
}

/// The lines of a text with their numbers, escaped.
pub(super) fn numbered(text: &str) -> Vec<Value> {
    text.lines()
        .enumerate()
        .map(|(at, line)| json!({ "n": at + 1, "html": escape(line) }))
        .collect()
}
