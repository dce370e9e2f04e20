//! Every example of the CommonMark specification gives the HTML that pulldown-cmark itself gives,
//! but for what labdoc asks for on purpose. The examples are no part of this repository: they come
//! with the npm package `commonmark-spec`, which `tools/dev-tools test` installs.

#![allow(clippy::disallowed_methods, reason = "the test reads a file of a package")]

use html5gum::{Token, Tokenizer};

use super::*;

/// Examples that differ on purpose, with the reason. Beside them the first heading of level 1 is
/// the page's title and stands above the body, comments are left out, and letters of other scripts
/// stay as they are in addresses.
const EXCEPTIONS: &[(&str, &[usize])] = &[
    ("raw HTML that runs or styles is refused (PG010)", &[170, 172, 173, 176, 178]),
    ("raw HTML: no processing instructions, no CDATA", &[180, 629]),
    ("raw HTML: an address that holds an entity is not followed", &[31, 630]),
    ("raw HTML: blanks before a block", &[150]),
    ("an address whose scheme could run something is refused (PG013)", &[500, 596, 598, 599, 601]),
    (
        "an image with a title is a figure with a caption",
        &[572, 573, 576, 577, 584, 585, 586, 588, 589, 591],
    ),
    ("a link to a page leads to what it becomes", &[484]),
];

/// Elements around code, headings and tables that have no part in Markdown.
const WRAPPERS: &[&str] = &["div", "span", "button", "figure", "section"];

/// Attributes that Markdown decides about.
const ATTRIBUTES: &[&str] = &["href", "src", "alt", "title", "start", "class", "id"];

/// One example: its number, its Markdown.
fn examples() -> Vec<(usize, String)> {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/node_modules/commonmark-spec/spec.txt");
    let spec = std::fs::read_to_string(path).expect("run `tools/dev-tools test` first");
    let fence = "`".repeat(32);
    let begin = format!("{fence} example\n");
    let mut out = Vec::new();
    for part in spec.split(&begin).skip(1) {
        let body = part.split(&format!("\n{fence}\n")).next().unwrap_or("");
        let markdown = body.split("\n.\n").next().unwrap_or("");
        let markdown = if body.starts_with(".\n") { "" } else { markdown };
        out.push((out.len() + 1, format!("{markdown}\n").replace('→', "\t")));
    }
    out
}

/// What HTML says, without what is only labdoc's dress: tags and texts.
pub(super) fn shape(html: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut skip: Vec<String> = Vec::new();
    for token in Tokenizer::new(html) {
        match token.expect("a text never fails") {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                let value = |key: &str| {
                    let value = tag.attributes.get(key.as_bytes());
                    value.map(|value| String::from_utf8_lossy(value).into_owned())
                };
                let class = value("class").unwrap_or_default();
                // The name of the language and the button above code, the link behind a heading.
                let dress = name == "header" || name == "button" || class == "anchor";
                if !skip.is_empty() || dress {
                    if !tag.self_closing {
                        skip.push(name);
                    }
                    continue;
                }
                if WRAPPERS.contains(&name.as_str()) && name != "section" {
                    continue;
                }
                let mut text = format!("<{name}");
                for key in ATTRIBUTES {
                    let of_code = *key == "class" && matches!(name.as_str(), "code" | "pre");
                    let of_heading = *key == "id" && name.starts_with('h');
                    if let Some(value) = value(key).filter(|_| !of_code && !of_heading) {
                        let value = crate::address::decode(&value).unwrap_or(value);
                        text.push_str(&format!(" {key}={value}"));
                    }
                }
                out.push(text + ">");
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                if let Some(at) = skip.iter().rposition(|open| *open == name) {
                    skip.truncate(at);
                } else if skip.is_empty() && !WRAPPERS.contains(&name.as_str()) {
                    out.push(format!("</{name}>"));
                }
            }
            Token::String(text) if skip.is_empty() => {
                let text = String::from_utf8_lossy(&text).into_owned();
                match out.last_mut().filter(|last| last.starts_with('\u{1}')) {
                    Some(last) => last.push_str(&text),
                    None => out.push(format!("\u{1}{text}")),
                }
            }
            _ => {}
        }
    }
    let next: Vec<String> = out.iter().skip(1).cloned().chain([String::new()]).collect();
    let texts = out.into_iter().zip(next).map(|(one, next)| match one.strip_prefix('\u{1}') {
        // Blanks between blocks, and the line end behind code, are labdoc's own; so is the blank
        // between a heading and the link to it.
        Some(text) if next.starts_with("</h") => text.trim_matches('\n').trim_end().to_owned(),
        Some(text) => text.trim_matches('\n').to_owned(),
        None => one,
    });
    texts.filter(|one| !one.trim().is_empty()).collect()
}

/// A shape without its first heading of level 1.
pub(super) fn without_title(shape: &[String]) -> Vec<String> {
    let Some(start) = shape.iter().position(|one| one == "<h1>") else { return shape.to_vec() };
    let end =
        shape[start..].iter().position(|one| one == "</h1>").map_or(shape.len(), |n| start + n + 1);
    [&shape[..start], &shape[end..]].concat()
}

/// The HTML of pulldown-cmark.
pub(super) fn plain(markdown: &str) -> String {
    let (sources, file, page) = page(markdown);
    let text = sources.text(file);
    let mut html = String::new();
    let parser =
        pulldown_cmark::Parser::new_ext(&text[page.body..], crate::book::options(page.markup));
    pulldown_cmark::html::push_html(&mut html, parser);
    html
}

#[test]
#[ignore = "its examples come with an npm package; `make test` installs it and runs this"]
fn examples_of_commonmark_are_as_the_parser_has_them() {
    let examples = examples();
    assert!(examples.len() > 640, "{} examples", examples.len());
    let mut wrong = Vec::new();
    let mut same = Vec::new();
    for (number, markdown) in &examples {
        let excepted = EXCEPTIONS.iter().any(|(_, numbers)| numbers.contains(number));
        let (ours, theirs) = (shape(&body(markdown).html), shape(&plain(markdown)));
        let equal = ours == theirs || ours == without_title(&theirs);
        if !equal && !excepted {
            wrong.push(format!("{number}\n{markdown}\n ours   {ours:?}\n theirs {theirs:?}\n"));
        } else if equal && excepted {
            same.push(*number);
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same.is_empty(), "these are no exceptions any more: {same:?}");
}
