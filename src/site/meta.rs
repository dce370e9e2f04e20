//! What machines read of the site: head of each page, site map, feed, robots, `llms.txt`, and how
//! a web server should send it all.

use std::fmt::Write as _;

use serde_json::json;

use super::Site;
use super::card;
use super::language::Version;
use super::output::Staging;
use super::page::raw_markdown;
use super::search::script_json;
use crate::address::{encode, relative};
use crate::diag::Failure;
use crate::html::escape;

/// The site map.
const SITEMAP: &str = "sitemap.xml";

/// The feed.
const FEED: &str = "feed.xml";

/// How many pages the feed holds.
const FEED_LENGTH: usize = 20;

/// The policy of every page, for servers that send it as a header, too.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Endings of texts that browsers show only when the type says so.
const TEXTS: &[&str] = &["md", "txt", "sh", "ps1", "yaml", "yml", "conf", "log", "toml"];

/// The whole address of a file of the site; `None` without `base_url`.
fn absolute(site: &Site<'_>, path: &str) -> Option<String> {
    let base = site.book.config.file.book.base_url.as_ref()?;
    let path = match path.strip_suffix("index.html") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => folder,
        _ => path,
    };
    Some(format!("{}/{}", base.trim_end_matches('/'), encode(path)))
}

/// The lines of a page's head that name its whole address: nothing without `base_url`.
pub(super) fn head(site: &Site<'_>, version: &Version<'_>) -> Option<String> {
    let page = version.page;
    let url = absolute(site, &page.out)?;
    let book = &site.book.config.file.book;
    let feed = relative(&version.out, FEED);
    let description = page.front.description.as_deref();
    let mut out = format!("<link rel=\"canonical\" href=\"{}\">\n", escape(&url));
    let mut meta = |property: &str, content: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<meta property=\"{property}\" content=\"{}\">", escape(content));
    };
    meta("og:type", "article");
    meta("og:title", &page.title);
    meta("og:url", &url);
    meta("og:site_name", &book.title);
    meta("og:locale", &page.language);
    if let Some(description) = description {
        meta("og:description", description);
    }
    if let Some(picture) = site.cards.and_then(|_| absolute(site, &card::path(page))) {
        let (width, height) = card::SIZE;
        meta("og:image", &picture);
        meta("og:image:type", "image/png");
        meta("og:image:width", &width.to_string());
        meta("og:image:height", &height.to_string());
        meta("og:image:alt", &page.title);
    }
    let mut data = json!({
        "@context": "https://schema.org", "@type": "TechArticle", "headline": page.title,
        "url": url, "inLanguage": page.language,
        "isPartOf": { "@type": "WebSite", "name": book.title, "url": absolute(site, "index.html") },
    });
    for (key, value) in [
        ("description", description),
        ("datePublished", page.front.date.as_deref()),
        ("dateModified", page.front.updated.as_deref().or(page.front.date.as_deref())),
    ] {
        if let Some(value) = value {
            data[key] = json!(value);
        }
    }
    let _ = write!(
        out,
        "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"{}\" href=\"{feed}\">\n\
         <script type=\"application/ld+json\">{}</script>",
        escape(&book.title),
        script_json(&data)
    );
    Some(out)
}

/// Writes the files that machines read.
///
/// # Errors
/// A file cannot be written.
pub(super) fn files(site: &Site<'_>, staging: &Staging) -> Result<(), Failure> {
    let mut robots = "User-agent: *\nAllow: /\n".to_owned();
    if let Some(url) = absolute(site, SITEMAP) {
        let _ = writeln!(robots, "Sitemap: {url}");
        staging.put(SITEMAP, sitemap(site).as_bytes())?;
        staging.put(FEED, feed(site).as_bytes())?;
    }
    let others = [
        ("robots.txt", robots),
        ("llms.txt", llms(site)),
        ("_headers", headers()),
        ("nginx-snippet.conf", nginx()),
        ("s3-content-types.txt", object_store()),
    ];
    for (path, text) in others {
        // A site's own file, from `static/`, is the better one.
        if !site.theme.files.contains_key(path) {
            staging.put(path, text.as_bytes())?;
        }
    }
    Ok(())
}

/// Every page under its own address, with its date.
fn sitemap(site: &Site<'_>) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                   <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        .to_owned();
    for page in &site.book.pages {
        let Some(url) = absolute(site, &page.out) else { continue };
        let _ = write!(out, "<url><loc>{}</loc>", escape(&url));
        if let Some(date) = page.front.updated.as_ref().or(page.front.date.as_ref()) {
            let _ = write!(out, "<lastmod>{}</lastmod>", escape(date));
        }
        out.push_str("</url>\n");
    }
    out.push_str("</urlset>\n");
    out
}

/// The pages with a date, the newest first.
fn feed(site: &Site<'_>) -> String {
    let book = &site.book.config.file.book;
    let mut pages: Vec<(&str, usize)> = site
        .book
        .pages
        .iter()
        .enumerate()
        .filter_map(|(at, page)| {
            let date = page.front.updated.as_ref().or(page.front.date.as_ref())?;
            Some((date.as_str(), at))
        })
        .collect();
    pages.sort_by(|(a, x), (b, y)| b.cmp(a).then(x.cmp(y)));
    pages.truncate(FEED_LENGTH);
    // A feed has to name a moment; the first day there is stands for a site without dates.
    let newest = pages.first().map_or("1970-01-01", |(date, _)| date);
    let home = absolute(site, "index.html").unwrap_or_default();
    let own = absolute(site, FEED).unwrap_or_default();
    let title = escape(&book.title);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{}\">\n\
         <title>{title}</title>\n<id>{home}</id>\n<link href=\"{home}\"/>\n\
         <link rel=\"self\" href=\"{own}\"/>\n<updated>{}</updated>\n\
         <author><name>{title}</name></author>\n",
        escape(&book.language),
        moment(newest)
    );
    for (date, at) in pages {
        let page = &site.book.pages[at];
        let url = absolute(site, &page.out).unwrap_or_default();
        let _ = write!(
            out,
            "<entry xml:lang=\"{}\"><title>{}</title><id>{url}</id><link href=\"{url}\"/><updated>{}</updated>",
            escape(&page.language),
            escape(&page.title),
            moment(date)
        );
        if let Some(description) = &page.front.description {
            let _ = write!(out, "<summary>{}</summary>", escape(description));
        }
        out.push_str("</entry>\n");
    }
    out.push_str("</feed>\n");
    out
}

/// A calendar date as a moment; a feed knows no others.
fn moment(date: &str) -> String {
    format!("{}T00:00:00Z", escape(date))
}

/// The list of raw Markdown pages, in reading order.
fn llms(site: &Site<'_>) -> String {
    let book = &site.book.config.file.book;
    let mut out = format!("# {}\n", book.title);
    if let Some(description) = &book.description {
        let _ = write!(out, "\n> {description}\n");
    }
    for language in site.languages() {
        let site = site.in_language(language);
        let _ = write!(out, "\n## {}\n\n", site.theme.word("documents"));
        let order = site.book.reading_order();
        for version in order.iter().map(|at| site.version(*at)).filter(|v| !v.fallback) {
            let path = raw_markdown(version.page);
            let address = absolute(&site, &path).unwrap_or_else(|| encode(&path));
            let title = version.page.title.replace(['[', ']', '\n'], " ");
            let _ = write!(out, "- [{title}]({address})");
            if let Some(description) = &version.page.front.description {
                let _ = write!(out, ": {}", description.replace('\n', " "));
            }
            out.push('\n');
        }
    }
    out
}

/// Headers in the form that Netlify, Cloudflare Pages and others read.
fn headers() -> String {
    let mut out = format!(
        "/*\n  Content-Security-Policy: {POLICY}\n  X-Content-Type-Options: nosniff\n  \
         Referrer-Policy: strict-origin-when-cross-origin\n"
    );
    for ending in TEXTS {
        let _ = write!(out, "/*.{ending}\n  Content-Type: text/plain; charset=utf-8\n");
    }
    out
}

/// The same for nginx, to be included in a `server` or `location`.
fn nginx() -> String {
    let texts = TEXTS.join("|");
    format!(
        "# Include this in the server or location that serves the site.\n\
         charset utf-8;\nindex index.html;\nerror_page 404 /404.html;\n\
         add_header Content-Security-Policy \"{POLICY}\" always;\n\
         add_header X-Content-Type-Options nosniff always;\n\
         add_header Referrer-Policy strict-origin-when-cross-origin always;\n\
         location ~ \\.({texts})$ {{\n  types {{ }}\n  default_type text/plain;\n\
         \x20 add_header X-Content-Type-Options nosniff always;\n}}\n"
    )
}

/// The same for stores that know a content type for each object, such as S3: what to ask for.
fn object_store() -> String {
    let mut out = "# Which content type each file needs where it is set when it is copied, as in\n\
                   # aws s3 cp public s3://BUCKET --recursive --exclude '*' --include PATTERN --content-type TYPE\n"
        .to_owned();
    for ending in ["html", "css", "js"] {
        let kind = if ending == "js" { "javascript" } else { ending };
        let _ = writeln!(out, "*.{ending}\ttext/{kind}; charset=utf-8");
    }
    for ending in TEXTS {
        let _ = writeln!(out, "*.{ending}\ttext/plain; charset=utf-8");
    }
    out
}
