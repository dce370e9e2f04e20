//! Tests of whole bodies.

use super::*;
use crate::book::{self, Block, Page};
use crate::source::{FileId, Sources};
use crate::vary::{Classes, Registry};

mod code;
mod commonmark;
mod gfm;
mod markdown;
mod marks;
mod nesting;
mod params;
mod safety;

/// Surroundings that know claim C7, evidence T1 and R2, one live number and one run.
#[derive(Default)]
pub(super) struct FakeWorld {
    highlight: Highlight,
    diagrams: Diagrams,
    registry: Registry,
}

/// A chip with a state.
fn chip(href: &str, state: Option<State>, word: &str) -> Option<Chip> {
    let (href, word, title) = (href.to_owned(), word.to_owned(), format!("<{word}>"));
    Some(Chip { href, state, word, title })
}

impl World for FakeWorld {
    fn href(&self, dest: &str) -> Option<String> {
        dest.strip_suffix(".md").map(|stem| format!("{stem}/index.html"))
    }

    fn claim(&self, id: &str) -> Option<Chip> {
        if id == "C7" { chip("#record-C7", Some(State::Ok), "확인됨") } else { None }
    }

    fn cite(&self, id: &str) -> Option<Chip> {
        match id {
            "C14" => chip("../a.html#C14", Some(State::Stale), "낡음"),
            "R2" => chip("r.html", None, ""),
            _ => None,
        }
    }

    fn live(&self, name: &str) -> Option<String> {
        (name == "flip.lost").then(|| "e.html#L2".to_owned())
    }

    fn run(&self, block: &str) -> Option<RunState> {
        (block == "setup").then(|| RunState {
            state: State::Ok,
            word: "확인됨".into(),
            detail: "2026-11-29, Envoy <1.38>".into(),
            bundle: Some(("T7".into(), "t.html".into())),
            duration: Some("22초".into()),
        })
    }

    fn classes(&self, block: &Block) -> Classes {
        let own = block.output.as_ref().map_or(&block.options.vary, |output| &output.vary);
        self.registry.select(own.iter().map(String::as_str))
    }

    fn word(&self, key: &str) -> &str {
        let row = WORDS.iter().find(|(known, _)| *known == key);
        row.unwrap_or_else(|| panic!("a word of {key}")).1
    }

    fn highlight(&self) -> &Highlight {
        &self.highlight
    }

    fn diagrams(&self) -> &Diagrams {
        &self.diagrams
    }
}

/// Parses a text as a page.
pub(super) fn page(text: &str) -> (Sources, FileId, Page) {
    let mut sources = Sources::default();
    let file = sources.add("content/a.md", text);
    let page = book::parse(&sources, file).value;
    (sources, file, page)
}

/// The body of a text.
pub(super) fn body(text: &str) -> Body {
    let (sources, file, page) = page(text);
    render(&page, sources.text(file), &FakeWorld::default())
}

/// Renders `text` and expects this HTML, without findings, inline style or script.
pub(super) fn check(text: &str, expect: &str) {
    let body = body(text);
    assert_eq!(body.html.trim_end(), expect, "\n{text}\n\n{}", body.html);
    assert_eq!(body.diagnostics, [], "{text}");
    assert!(!body.html.contains("style=") && !body.html.contains("<script"), "{text}");
}

/// The findings of a text, as `CODE text that is pointed at`.
pub(super) fn findings(text: &str) -> Vec<String> {
    let (sources, file, page) = page(text);
    let body = render(&page, sources.text(file), &FakeWorld::default());
    let line = |finding: &Diagnostic| match finding.place {
        crate::diag::Place::Text(span) => format!("{} {}", finding.code, sources.slice(span)),
        _ => finding.code.to_owned(),
    };
    body.diagnostics.iter().map(line).collect()
}

#[test]
fn the_lab_page_renders_without_findings() {
    let text = include_str!("../../content/lab-local/index.md");
    let body = body(text);
    assert_eq!(body.diagnostics, []);
    let count = |part: &str| body.html.matches(part).count();
    let (blocks, claims) = (text.matches("\n```sh {#").count(), text.matches("]{#C").count());
    assert!(blocks > 20 && claims > 20, "{blocks} blocks, {claims} claims");
    assert_eq!((count("<section class=\"run\""), count("<pre class=\"output\"")), (blocks, blocks));
    assert_eq!((count("class=\"claim\""), count("<div class=\"callout correction\"")), (claims, 1));
    assert!(body.toc.iter().any(|entry| entry.id == "envoy-1-39" && entry.level == 2));
    assert!(body.title_id.is_some() && !body.html.contains("<h1"));
    assert!(body.plain_words > 1000);
}
