//! The pages of `content/` and the list pages of folders without one.

use serde_json::{Value, json};

use super::Site;
use super::cache::Rendered;
use super::card;
use super::evidence_pages::bundle_title;
use super::faults;
use super::frame::{crumbs, frame, index_base, index_of, merged, section_title, size_text};
use super::language::Version;
use super::output::Staging;
use super::record::{
    CORRECTIONS_PAGE, SOURCES_PAGE, bundle_page, claim_page, environment_words, line_of, page_rows,
    proof, report_page, run_page,
};
use super::record_tables::ended_word;
use super::run_pages::all_files;
use super::search::Document;
use super::words::{shown, state_word};
use crate::address::relative;
use crate::book::{Block, Page, class_names, is_claim_id};
use crate::check::links::{Target, anchors};
use crate::diag::{Diagnostic, Failure};
use crate::digest::sha256_hex;
use crate::evidence::CheckOutcome;
use crate::html::{
    Body, Chip, Diagrams, Highlight, RunState, State, TocEntry, World, escape, render,
};
use crate::vary::Classes;

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
fn rendered(
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

/// Where a page's Markdown is published: beside it, under its own name.
pub(super) fn raw_markdown(page: &Page) -> String {
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
        "generated": false,
    }))
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

/// The files of the newest run of the page's bundle.
fn files(site: &Site<'_>, page: &Page, out: &str) -> Result<Vec<Value>, Failure> {
    let bundle = page.front.verify.as_ref().and_then(|verify| verify.bundle.as_ref());
    let Some(run) = bundle.and_then(|bundle| site.evidence.newest(bundle)) else {
        return Ok(Vec::new());
    };
    let name = format!("{}/{}", run.verdict.bundle, run.verdict.run_id);
    let entry = |(file, bytes): &(String, Vec<u8>)| {
        let to = format!("evidence/{name}/view/{file}.html");
        json!({
            "name": format!("{name}/{file}"), "href": relative(out, &to),
            "size_text": size_text(bytes.len() as u64), "sha256": sha256_hex(bytes),
        })
    };
    Ok(all_files(site, run)?.iter().map(entry).collect())
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

/// What a page's HTML asks of the site.
struct Surroundings<'a> {
    site: &'a Site<'a>,
    page: &'a Page,
    /// Where it is shown.
    out: &'a str,
}

impl Surroundings<'_> {
    /// A path of the site as seen from this page.
    fn to(&self, path: &str) -> String {
        relative(self.out, path)
    }

    /// Where a link leads in the language of the page: a link to a page under its plain name
    /// means its translation, where the page itself is one.
    fn translated(&self, path: String, fragment: Option<String>) -> (String, Option<String>) {
        let book = self.site.book;
        let default = &book.config.file.book.language;
        let found = book.translation(&path, default).filter(|_| self.site.language != default);
        let Some(at) = found else { return (path, fragment) };
        let version = self.site.version(at);
        let known = |id: &String| anchors(version.page).contains(id);
        (version.out, fragment.filter(known))
    }

    /// The state of a claim as a chip.
    fn chip(&self, id: &str, href: String) -> Option<Chip> {
        let state = self.site.evidence.states.get(id)?;
        let word = state_word(self.site, state.word);
        let mut title = format!("{id}: {word}");
        for sentence in state.reasons.iter().map(|reason| super::words::reason(self.site, reason)) {
            title.push_str(" · ");
            title.push_str(&sentence);
        }
        Some(Chip { href, state: Some(shown(state.word)), word, title })
    }
}

impl World for Surroundings<'_> {
    fn href(&self, dest: &str) -> Option<String> {
        match self.site.map.resolve(self.page, dest) {
            Ok(Target::Inside { path, fragment }) => {
                let (path, fragment) = self.translated(path, fragment);
                let here = path == self.out && fragment.is_some();
                let address = if here { String::new() } else { self.to(&path) };
                Some(match fragment {
                    Some(id) => format!("{address}#{}", crate::address::encode(&id)),
                    None => address,
                })
            }
            Ok(Target::Elsewhere) | Err(_) => None,
        }
    }

    fn claim(&self, id: &str) -> Option<Chip> {
        self.chip(id, format!("#record-{id}"))
    }

    fn cite(&self, id: &str) -> Option<Chip> {
        if is_claim_id(id) {
            let Some(claim) = self.site.evidence.claim(id) else {
                let gone = self.site.evidence.gone.iter().find(|gone| gone.id == id)?;
                let word = ended_word(self.site, id, gone.word);
                let title = format!("{id}: {word} · {}", gone.statement);
                let (href, state) = (self.to(&claim_page(id)), Some(shown(gone.word)));
                return Some(Chip { href, state, word, title });
            };
            let out = &self.site.book.pages[claim.page].out;
            let address = if out == self.out { String::new() } else { self.to(out) };
            return self.chip(id, format!("{address}#{id}"));
        }
        if let Some(correction) = self.site.evidence.records.corrections.get(id) {
            let href = format!("{}#{id}", self.to(CORRECTIONS_PAGE));
            let title = format!("{}: {}", correction.dated(), correction.reason);
            return Some(Chip { href, state: None, word: String::new(), title });
        }
        if let Some(source) = self.site.evidence.records.sources.get(id) {
            let href = format!("{}#{id}", self.to(SOURCES_PAGE));
            let title = format!("{id}: {}", source.publisher);
            return Some(Chip { href, state: None, word: String::new(), title });
        }
        let (to, title) = if let Some(bundle) = self.site.evidence.bundles.get(id) {
            (bundle_page(id), bundle_title(bundle).to_owned())
        } else {
            let report = self.site.evidence.records.reports.get(id)?;
            (report_page(id), report.title.clone())
        };
        Some(Chip {
            href: self.to(&to),
            state: None,
            word: String::new(),
            title: format!("{id}: {title}"),
        })
    }

    fn live(&self, name: &str) -> Option<String> {
        let own = self.page.front.verify.as_ref().and_then(|verify| verify.bundle.as_deref());
        let (bundle, name) = name.split_once('#').map_or((own, name), |(b, n)| (Some(b), n));
        let run = self.site.evidence.newest(bundle?)?;
        let line = run.verdict.values.get(name)?.line?;
        let (path, fragment) = line_of(&run.verdict.bundle, &run.verdict.run_id, line);
        Some(self.to(&path) + &fragment)
    }

    fn run(&self, block: &str) -> Option<RunState> {
        let bundle = self.page.front.verify.as_ref()?.bundle.as_deref()?;
        let run = self.site.evidence.newest(bundle)?;
        let check = run.verdict.checks.iter().find(|check| check.id == block)?;
        let changed =
            self.site.evidence.changed_blocks.contains(&(bundle.to_owned(), block.to_owned()));
        let stale = changed || self.site.evidence.stale_bundles.contains(bundle);
        let (state, key) = match (check.outcome, stale) {
            (CheckOutcome::Pass, false) => (State::Ok, "state_verified"),
            (CheckOutcome::Pass, true) => (State::Stale, "state_stale"),
            (CheckOutcome::Skip, _) => (State::Idle, "state_pending"),
            (CheckOutcome::Fail | CheckOutcome::Error, _) => (State::Bad, "state_failed"),
        };
        let date = run.verdict.date();
        let environment = environment_words(&run.verdict.environment);
        let detail = if environment.is_empty() {
            date.to_string()
        } else {
            format!("{date}, {environment}")
        };
        let href = self.to(&run_page(bundle, &run.verdict.run_id));
        #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
        let seconds = check.duration_ms as f64 / 1000.0;
        let unit = self.site.theme.word("seconds").replace("{n}", &format!("{seconds:.1}"));
        Some(RunState {
            state,
            word: self.site.theme.word(key).to_owned(),
            detail,
            bundle: Some((bundle.to_owned(), href)),
            duration: Some(unit),
        })
    }

    fn classes(&self, block: &Block) -> Classes {
        let config = &self.site.book.config;
        config.classes.select(class_names(self.page, block, config))
    }

    fn word(&self, key: &str) -> &str {
        self.site.theme.words.get(key).map_or_else(|| default_word(key), String::as_str)
    }

    fn highlight(&self) -> &Highlight {
        self.site.highlight
    }

    fn diagrams(&self) -> &Diagrams {
        self.site.diagrams
    }

    fn image_size(&self, dest: &str) -> Option<(u32, u32)> {
        super::images::size(self.site, self.page, dest)
    }
}

/// The English word of the page's HTML for a key that the theme lacks.
fn default_word(key: &str) -> &'static str {
    crate::html::WORDS.iter().find(|(known, _)| *known == key).map_or("", |(_, word)| word)
}
