//! Where the links of documents lead, and whether anything is there.

use std::collections::BTreeSet;

use crate::address::{Written, join, parse};
use crate::book::{Book, CONTENT, Page};
use crate::diag::{Diagnostic, nearest};
use crate::kit::{Kit, links as kit_links};

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A published file, with the fragment.
    Inside {
        /// Path in the site.
        path: String,
        /// What stands behind `#`.
        fragment: Option<String>,
    },
    /// Another site; left as written.
    Elsewhere,
}

/// Everything that a link can lead to.
pub(crate) struct Map<'a> {
    /// The pages.
    pub(crate) book: &'a Book,
    /// The kits.
    pub(crate) kits: &'a [Kit],
    /// Files of `static/`, as paths in the site.
    pub(crate) statics: &'a BTreeSet<String>,
}

/// The findings for every link of the book.
pub(crate) fn links(map: &Map<'_>) -> Vec<Diagnostic> {
    links_of(map, &map.book.pages)
}

/// The findings for every link of some pages.
pub(crate) fn links_of(map: &Map<'_>, pages: &[Page]) -> Vec<Diagnostic> {
    let of_page = |page: &Page| -> Vec<Diagnostic> {
        page.links
            .iter()
            .filter_map(|link| map.resolve(page, &link.dest).err().map(|f| f.at(link.span)))
            .collect()
    };
    pages.iter().flat_map(of_page).collect()
}

impl Map<'_> {
    /// Resolves a link as written in a page; a finding has no place yet.
    pub(crate) fn resolve(&self, page: &Page, link: &str) -> Result<Target, Diagnostic> {
        let (path, fragment) = match parse(link) {
            Written::Elsewhere(scheme) => return elsewhere(&scheme, link),
            Written::Absolute => return Err(absolute(link)),
            Written::Unreadable => {
                return Err(Diagnostic::error(
                    "LK004",
                    format!("{link} is not a readable address"),
                ));
            }
            Written::Inside { path, fragment } => (path, fragment),
        };
        if path.is_empty() {
            return self.anchor(page, fragment);
        }
        if let Some(found) = kit_links::resolve(self.kits, &page.path, link) {
            let route = found?;
            return Ok(Target::Inside { path: route.path, fragment: route.fragment });
        }
        let Some(full) = join(&page.path, &path) else {
            let finding = Diagnostic::error("LK001", format!("{path} leads out of the site"));
            return Err(finding.hint("publish the file, or write its whole address"));
        };
        self.full(&full, fragment)
    }

    /// A path from the root.
    fn full(&self, full: &str, fragment: Option<String>) -> Result<Target, Diagnostic> {
        if let Some(at) = self.book.page_at(full) {
            return self.anchor(&self.book.pages[at], fragment);
        }
        let below = full.strip_prefix(CONTENT).map(|rest| rest.trim_start_matches('/'));
        if let Some(below) = below {
            if self.book.sections.iter().any(|section| section.dir == below) {
                let slash = if below.is_empty() { "" } else { "/" };
                let path = format!("{below}{slash}index.html");
                return Ok(Target::Inside { path, fragment });
            }
            if self.book.assets.contains_key(below) {
                return Ok(Target::Inside { path: below.to_owned(), fragment });
            }
        }
        let fixed = full.strip_prefix("static/").map(|path| path.trim_end_matches('/'));
        if let Some(path) = fixed.filter(|path| self.statics.contains(*path)) {
            return Ok(Target::Inside { path: path.to_owned(), fragment });
        }
        // Every published folder has an index page: the author's own, or a list of its files.
        let folder = fixed.or(below).filter(|folder| self.is_folder(folder));
        if let Some(folder) = folder {
            return Ok(Target::Inside { path: format!("{folder}/index.html"), fragment });
        }
        Err(self.missing(full))
    }

    /// Whether files of `static/`, or files beside the pages, are published below this folder.
    fn is_folder(&self, folder: &str) -> bool {
        let below = format!("{folder}/");
        let first = |path: Option<&String>| path.is_some_and(|path| path.starts_with(&below));
        !folder.is_empty()
            && (first(self.statics.range(below.clone()..).next())
                || first(self.book.assets.range(below.clone()..).next().map(|(path, _)| path)))
    }

    /// A page and an anchor on it.
    fn anchor(&self, page: &Page, fragment: Option<String>) -> Result<Target, Diagnostic> {
        let Some(id) = fragment.filter(|id| !id.is_empty()) else {
            return Ok(Target::Inside { path: page.out.clone(), fragment: None });
        };
        let known = anchors(page);
        if known.contains(&id) {
            return Ok(Target::Inside { path: page.out.clone(), fragment: Some(id) });
        }
        let mut finding = Diagnostic::error("LK002", format!("{} has no anchor #{id}", page.path));
        let near = nearest(&id, known.iter().map(String::as_str));
        finding.hint = near.map(|near| format!("did you mean #{near}?"));
        Err(finding)
    }

    /// The finding for a path at which nothing is published.
    fn missing(&self, full: &str) -> Diagnostic {
        let same_but_case =
            self.candidates().find(|path| path.to_lowercase() == full.to_lowercase());
        if let Some(path) = same_but_case {
            let finding =
                Diagnostic::error("LK003", format!("{full} differs in letter case from {path}"));
            return finding.hint(format!("write {path}; other systems tell the two apart"));
        }
        let mut finding = Diagnostic::error("LK001", format!("{full} does not exist"));
        let candidates: Vec<String> = self.candidates().collect();
        finding.hint = nearest(full, candidates.iter().map(String::as_str))
            .map(|near| format!("did you mean {near}?"));
        finding
    }

    /// Source paths that a link could have meant.
    fn candidates(&self) -> impl Iterator<Item = String> {
        let pages = self.book.pages.iter().map(|page| page.path.clone());
        pages.chain(self.book.assets.keys().map(|asset| format!("{CONTENT}/{asset}")))
    }
}

/// A link with a scheme.
fn elsewhere(scheme: &str, link: &str) -> Result<Target, Diagnostic> {
    if matches!(scheme, "http" | "https" | "mailto" | "tel") {
        return Ok(Target::Elsewhere);
    }
    let bare: String = scheme.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    if matches!(bare.as_str(), "javascript" | "vbscript" | "data") {
        let message = format!("`{link}` is an address that could run something");
        let hint = "a link is relative, or begins with https:, http:, mailto: or tel:";
        return Err(Diagnostic::error("PG013", message).hint(hint));
    }
    let message = format!("{link} has scheme `{scheme}:`, which is not published");
    Err(Diagnostic::error("LK005", message).hint("use http, https, mailto or a relative path"))
}

/// A link that begins with a slash.
fn absolute(link: &str) -> Diagnostic {
    Diagnostic::error("LK006", format!("{link} begins with a slash and works under one path only"))
        .hint("write it relative to this page")
}

/// All anchors of a page: headings, claims, blocks, the record at its end, and those of raw HTML.
pub(crate) fn anchors(page: &Page) -> BTreeSet<String> {
    let headings = page.headings.iter().map(|heading| heading.id.clone());
    let claims = page.claims.iter().map(|claim| claim.id.clone());
    let blocks = page.blocks.iter().map(|block| format!("block-{}", block.id));
    let record = (!page.claims.is_empty()).then(|| "record".to_owned());
    let raw = page.raw_ids.iter().cloned();
    headings.chain(claims).chain(blocks).chain(record).chain(raw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{LoadOptions, load};
    use crate::disk;
    use crate::source::Sources;

    /// Resolves one link written on `content/a.md`: what it leads to, or code and hint.
    fn check(link: &str, expect: &str) {
        let dir = disk::temporary_folder("labdoc-test-").expect("temp");
        for (path, text) in [
            ("book.toml", "[book]\ntitle = \"x\"\n"),
            ("content/a.md", "# 제목\n\n## 설치 전\n\n```sh {#run}\ntrue\n```\n"),
            ("content/sub/other.md", "# 딴 글\n"),
            ("content/sub/pic.png", "x"),
            ("content/sub/보고서.pdf", "x"),
            ("content/files/deep/x.txt", "x"),
        ] {
            disk::write(&dir.path().join(path), text.as_bytes()).expect("write");
        }
        let mut sources = Sources::default();
        let book = load(dir.path(), &mut sources, LoadOptions::default()).expect("book").value;
        let statics = BTreeSet::from(["logo.svg".to_owned(), "old/index.html".to_owned()]);
        let map = Map { book: &book, kits: &[], statics: &statics };
        let page = &book.pages[book.page_at("content/a.md").expect("page")];
        let got = match map.resolve(page, link) {
            Ok(Target::Inside { path, fragment: None }) => path,
            Ok(Target::Inside { path, fragment: Some(id) }) => format!("{path}#{id}"),
            Ok(Target::Elsewhere) => "elsewhere".to_owned(),
            Err(finding) => format!("{} {}", finding.code, finding.hint.unwrap_or_default()),
        };
        assert_eq!(got, expect, "{link}");
    }

    #[test]
    fn links_lead_to_published_files() {
        check("sub/other.md", "sub/other.html");
        check("sub/", "sub/index.html");
        check("sub", "sub/index.html");
        check("sub/pic.png", "sub/pic.png");
        check("sub/%EB%B3%B4%EA%B3%A0%EC%84%9C.pdf", "sub/보고서.pdf");
        check("../static/logo.svg", "logo.svg");
        check("../static/old/", "old/index.html");
        check("files/deep/", "files/deep/index.html");
        check("files", "files/index.html");
        check("#설치-전", "a.html#설치-전");
        check("#block-run", "a.html#block-run");
        check("https://example.org/", "elsewhere");
    }

    #[test]
    fn broken_links_have_a_code_and_a_hint() {
        check("sub/othr.md", "LK001 did you mean content/sub/other.md?");
        check("Sub/Other.md", "LK003 write content/sub/other.md; other systems tell the two apart");
        check("#설치", "LK002 ");
        check("#설치-젼", "LK002 did you mean #설치-전?");
        check("sub/other.md#x", "LK002 ");
        check("/a.md", "LK006 write it relative to this page");
        check("gopher://x", "LK005 use http, https, mailto or a relative path");
        let hint = "a link is relative, or begins with https:, http:, mailto: or tel:";
        check("javascript:alert(1)", &format!("PG013 {hint}"));
        check("../../etc/passwd", "LK001 publish the file, or write its whole address");
    }
}
