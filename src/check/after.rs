//! Whether `after:` names pages, and never leads back to where it began.

use crate::book::{Book, Page};
use crate::diag::{Diagnostic, nearest};
use crate::source::{Sources, Span};

/// The findings for the chosen pages.
pub(super) fn after(book: &Book, chosen: &[usize], sources: &Sources) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for at in chosen {
        let page = &book.pages[*at];
        findings.extend(missing(book, page, sources));
        findings.extend(cycle(book, (*at, chosen), sources));
    }
    findings
}

/// Names under `after:` that mean no page.
fn missing(book: &Book, page: &Page, sources: &Sources) -> Vec<Diagnostic> {
    let unknown = book.after(page).filter(|(_, at)| at.is_none());
    unknown
        .map(|(name, _)| {
            let message = format!("`after:` names {name}, which is no page");
            let paths: Vec<String> = book
                .pages
                .iter()
                .map(|other| crate::address::relative(&page.path, &other.path))
                .collect();
            let mut finding = Diagnostic::error("PG031", message).at(word(page, name, sources));
            finding.hint = nearest(name, paths.iter().map(String::as_str))
                .map(|near| format!("did you mean `{near}`?"))
                .or_else(|| Some("name a page from this page's folder, as in a link".to_owned()));
            finding
        })
        .collect()
}

/// The cycle on which a page lies, told once: at its first page among the chosen ones.
fn cycle(book: &Book, (at, chosen): (usize, &[usize]), sources: &Sources) -> Option<Diagnostic> {
    let way = book.cycle_of(at)?;
    if way.iter().any(|other| chosen.contains(other) && *other < at) {
        return None;
    }
    let mut finding = Diagnostic::error("PG032", "these pages wait for each other under `after:`");
    for (index, from) in way.iter().enumerate() {
        let to = way[(index + 1) % way.len()];
        let page = &book.pages[*from];
        let named = book.after(page).find(|(_, at)| *at == Some(to));
        let span = word(page, named.map_or("after", |(name, _)| name), sources);
        let place = sources.position(span);
        finding = finding.note(format!(
            "{}:{}:{}: runs after {}",
            page.path, place.line, place.column, book.pages[to].path
        ));
        if index == 0 {
            finding = finding.at(span);
        }
    }
    Some(finding.hint("take one of these lines out"))
}

/// A word of the header behind `after`.
fn word(page: &Page, name: &str, sources: &Sources) -> Span {
    let Some(front) = page.front_span else { return Span::new(page.file, 0..0) };
    let text = sources.slice(front);
    let from = text.find("after").unwrap_or(0);
    let start = front.start + text[from..].find(name).map_or(from, |at| from + at);
    Span::new(page.file, start..(start + name.len()).min(front.end))
}
