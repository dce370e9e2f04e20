//! Sites: cases A1 to A30. What only a browser shows of A5, A24, A25 and A27 stands in
//! `tests/browser/` under the same ids.

mod links;
mod markdown;
mod output;
mod pages;
mod search;

use crate::support::World;

/// The HTML of `public/a.html`; the build must be clean.
#[track_caller]
fn html(world: &World) -> String {
    world.labdoc("build").any_output().success();
    world.read("public/a.html")
}

/// Builds a page with this text and expects these parts in its HTML.
#[track_caller]
fn check(text: &str, parts: &[&str]) -> String {
    let html = html(&World::page(&format!("# T\n\n{text}\n")));
    for part in parts {
        assert!(html.contains(part), "no {part:?} in:\n{html}");
    }
    html
}

/// Builds a site that is wrong, and expects these lines among the findings.
#[track_caller]
fn refuse(world: &World, lines: &[&str]) {
    let ended = world.labdoc("build").any_output().code(1);
    for line in lines {
        assert!(ended.stderr.contains(line), "no {line:?} in:\n{}", ended.stderr);
    }
    assert!(!world.exists("public"), "something was written");
}

/// Every value of `href` and `src` in a page, its `&amp;` read.
fn addresses(html: &str) -> Vec<String> {
    let pattern = regex::Regex::new(r#"\b(?:href|src)="([^"]*)""#).expect("pattern");
    pattern.captures_iter(html).map(|found| found[1].replace("&amp;", "&")).collect()
}

#[test]
fn every_case_has_a_test() {
    let texts = [
        include_str!("links.rs"),
        include_str!("markdown.rs"),
        include_str!("output.rs"),
        include_str!("pages.rs"),
        include_str!("search.rs"),
    ];
    let pattern = regex::Regex::new(r"#\[test\]\nfn a(\d+)_").expect("pattern");
    let has = |id: u32| {
        texts.iter().any(|text| {
            pattern.captures_iter(text).any(|found| found[1].parse().is_ok_and(|n: u32| n == id))
        })
    };
    let missing: Vec<u32> = (1..=30).filter(|id| !has(*id)).collect();
    assert!(missing.is_empty(), "no test for A{missing:?}");
    let browser = include_str!("../../browser/run.mjs");
    for id in ["A5:", "A24:", "A25:", "A27:"] {
        assert!(browser.contains(id), "no browser test named {id}");
    }
}
