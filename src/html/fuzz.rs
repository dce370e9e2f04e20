//! What must hold for any page, and for any text that becomes HTML.

use std::sync::LazyLock;

use html5gum::{StartTag, Token, Tokenizer};

use super::escape::{escape, escape_href};
use super::{Chip, Diagrams, Highlight, RunState, State, WORDS, World, render};
use crate::book::fuzz::draw;
use crate::book::{self, Block};
use crate::kit::{Show, safe_text};
use crate::source::Sources;
use crate::vary::{Classes, Registry};

/// Elements that the content security policy blocks or that change what follows.
const ALIVE: &[&[u8]] = &[
    b"script",
    b"style",
    b"iframe",
    b"object",
    b"embed",
    b"base",
    b"meta",
    b"link",
    b"form",
    b"plaintext",
    b"template",
    b"noscript",
];

/// Surroundings in which everything that a page may name is there.
#[derive(Default)]
struct Everything {
    highlight: Highlight,
    diagrams: Diagrams,
    registry: Registry,
}

/// The grammars and fonts are read once.
static WORLD: LazyLock<Everything> = LazyLock::new(Everything::default);

/// A chip with everything in it that could break out of an attribute.
fn chip() -> Chip {
    let (href, word, title) = ("a.html#'\"><", "'\"><", "'\"><b onclick=x>");
    Chip { href: href.into(), state: Some(State::Stale), word: word.into(), title: title.into() }
}

impl World for Everything {
    fn href(&self, dest: &str) -> Option<String> {
        dest.strip_suffix(".md").map(|stem| format!("{stem}.html"))
    }

    fn claim(&self, _: &str) -> Option<Chip> {
        Some(chip())
    }

    fn cite(&self, _: &str) -> Option<Chip> {
        Some(chip())
    }

    fn live(&self, name: &str) -> Option<String> {
        Some(format!("e.html#{name}"))
    }

    fn run(&self, _: &str) -> Option<RunState> {
        let Chip { href, word, title, .. } = chip();
        let (duration, bundle) = (Some(word.clone()), Some((word.clone(), href)));
        Some(RunState { state: State::Ok, word, detail: title, bundle, duration })
    }

    fn classes(&self, block: &Block) -> Classes {
        let own = block.output.as_ref().map_or(&block.options.vary, |output| &output.vary);
        self.registry.select(own.iter().map(String::as_str))
    }

    fn word(&self, key: &str) -> &str {
        WORDS.iter().find(|(known, _)| *known == key).map_or("", |(_, word)| word)
    }

    fn highlight(&self) -> &Highlight {
        &self.highlight
    }

    fn diagrams(&self) -> &Diagrams {
        &self.diagrams
    }
}

/// Reads bytes as a page. Its findings lie in it, and nothing in its HTML runs or loads anything.
pub(crate) fn page(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut sources = Sources::default();
    let file = sources.add("content/a.md", text.as_ref());
    let checked = book::parse(&sources, file);
    draw(&checked.diagnostics, &sources);
    let body = render(&checked.value, &text, &*WORLD);
    draw(&body.diagnostics, &sources);
    nothing_alive(&body.html);
    for entry in &body.toc {
        assert!((2..=4).contains(&entry.level), "{entry:?}");
    }
}

/// No element, attribute or address that a browser would run or load.
fn nothing_alive(html: &str) {
    for Ok(token) in Tokenizer::new(html) {
        let Token::StartTag(StartTag { name, attributes, .. }) = token else { continue };
        assert!(!ALIVE.contains(&name.as_slice()), "<{name:?}> in {html}");
        for (key, value) in &attributes {
            let key = String::from_utf8_lossy(key).to_ascii_lowercase();
            let handler = key.starts_with("on") && key.len() > 2;
            assert!(!handler && key != "style" && key != "srcdoc", "{key}= in {html}");
            if matches!(key.as_str(), "href" | "src" | "action" | "formaction" | "xlink:href") {
                let value = String::from_utf8_lossy(value).to_ascii_lowercase();
                let plain: String = value.chars().filter(|c| *c > ' ').collect();
                let runs = ["javascript:", "vbscript:", "data:text"];
                assert!(!runs.iter().any(|scheme| plain.starts_with(scheme)), "{value} in {html}");
            }
        }
    }
}

/// Reads bytes as a text to show: as content and as an attribute a browser reads it back as it
/// was, and what is shown of a file or a terminal holds nothing that moves or hides text.
pub(crate) fn escaping(data: &[u8]) {
    let text = String::from_utf8_lossy(data).replace(['\0', '\r'], "");
    let escaped = escape(&text);
    let mut content = String::new();
    let mut title = None;
    for Ok(token) in Tokenizer::new(&format!("{escaped}<a title=\"{escaped}\" x='{escaped}'>")) {
        match token {
            Token::String(part) => content.push_str(&String::from_utf8_lossy(&part.value)),
            Token::StartTag(StartTag { attributes, .. }) => {
                assert_eq!(attributes.len(), 2, "{text:?} left its attribute");
                title = attributes.get(b"title".as_slice()).map(|value| value.value.clone());
            }
            // Controls are faults of the input, and read as they are.
            Token::Error(_) => {}
            other => panic!("{text:?} became {other:?}"),
        }
    }
    assert_eq!(content, text, "as content");
    assert_eq!(title.map(|title| title.0), Some(text.clone().into_bytes()), "as an attribute");
    let address = escape_href(&text);
    assert!(!address.contains(['"', '\'', '<', '>', ' ', '\n', '\t']), "{address}");
    for show in [Show::Source, Show::Terminal] {
        let safe = safe_text(data, show);
        let odd = safe.text.chars().find(|c| is_hidden(*c));
        assert_eq!(odd, None, "{show:?} of {data:?}: {:?}", safe.text);
        let again = safe_text(safe.text.as_bytes(), Show::Source);
        assert_eq!(again.text, safe.text, "what is safe stays as it is");
    }
}

/// Whether a character moves or hides text: controls but tab and line end, bidi and zero-width.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
