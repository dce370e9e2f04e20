//! The digests of a plan: what of a block or a capture has to stay the same for a recorded run
//! to speak for the page. Page and recorder compute them with the same functions.
//!
//! Every digest is the SHA-256 of one compact JSON array whose first element names the form, so
//! that a later form can never be mistaken for this one.

use std::collections::BTreeSet;

use serde_json::json;

use crate::book::{Block, BlockKind, Order};
use crate::digest::sha256_tagged;

/// The digest of a block: `["labdoc.block/1", kind, options, commands, expected]`.
///
/// - `options` are the classes (`.teardown`) and the pairs (`timeout=60s`) of the header, sorted,
///   without the id and without `vary=`;
/// - `commands` is the text, of a console block its command lines only;
/// - `expected` is the *kind* of what is printed: `null` where nothing is, else
///   `[vary classes, order, shape]`. The classes are those on the block or its output fence and
///   those of page and book (`vary`), sorted; the shape is `"exact"`, or where `...` stands for
///   any lines, how texts and elisions follow one another. Bounds (`within=`) come last, where
///   there are any. The printed values take no part.
pub(crate) fn block_digest(block: &Block, vary: &[String]) -> String {
    let (commands, shape) = match block.kind {
        BlockKind::Shell | BlockKind::Apply | BlockKind::Assert => {
            let shape = block.output.as_ref().map(|output| shape_of(output.text.lines()));
            (block.text.clone(), shape)
        }
        BlockKind::Console => split_console(&block.text),
    };
    let kind = block.kind.word();
    let expected = shape.map(|shape| {
        let mut expected = vec![json!(classes(block, vary)), json!(order(block)), json!(shape)];
        expected.extend(bounds(block).map(|bounds| json!(bounds)));
        expected
    });
    digest(&json!(["labdoc.block/1", kind, options(block), commands, expected]))
}

/// The digest of a capture: `["labdoc.capture/1", name, expression]`.
pub(crate) fn capture_digest(name: &str, pattern: &str) -> String {
    digest(&json!(["labdoc.capture/1", name, pattern]))
}

/// The tagged SHA-256 of the compact JSON text.
pub(super) fn digest(value: &serde_json::Value) -> String {
    sha256_tagged(value.to_string().as_bytes())
}

/// Classes and pairs of the header, sorted.
fn options(block: &Block) -> BTreeSet<String> {
    let attributes = &block.attributes;
    let classes = attributes.classes.iter().map(|word| format!(".{}", word.text));
    let pairs = attributes.pairs.iter().filter(|pair| pair.key != "vary");
    classes.chain(pairs.map(|pair| format!("{}={}", pair.key, pair.value))).collect()
}

/// The value classes in effect, sorted, each once.
fn classes<'a>(block: &'a Block, vary: &'a [String]) -> BTreeSet<&'a str> {
    let fence = block.output.iter().flat_map(|output| &output.vary);
    block.options.vary.iter().chain(fence).chain(vary).map(String::as_str).collect()
}

/// In which order the lines may come: `ordered` is what nothing on the fence says.
fn order(block: &Block) -> &'static str {
    match block.output.as_ref().map(|output| output.order) {
        Some(Order::Unordered) => "unordered",
        Some(Order::Ordered) => "strictly ordered",
        Some(Order::Natural) | None => "ordered",
    }
}

/// How far quantities may be off, where the output fence says so. Those of a console block stand
/// among its options.
fn bounds(block: &Block) -> Option<String> {
    block.output.as_ref().map(|output| output.within.text()).filter(|text| !text.is_empty())
}

/// How texts and elisions follow one another: `exact`, or `text ... text`.
fn shape_of<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut shape: Vec<&str> = Vec::new();
    for line in lines {
        let word = if line.trim() == "..." { "..." } else { "text" };
        if shape.last() != Some(&word) {
            shape.push(word);
        }
    }
    if shape.contains(&"...") { shape.join(" ") } else { "exact".to_owned() }
}

/// The command lines of a console block, and the shapes of what is printed below each; a text
/// without a `$ ` line is commands as a whole.
fn split_console(text: &str) -> (String, Option<String>) {
    if !text.lines().any(|line| is_command(line, "$")) {
        return (text.to_owned(), None);
    }
    let mut commands = String::new();
    let mut outputs: Vec<Vec<&str>> = vec![Vec::new()];
    let mut in_command = false;
    for line in text.lines() {
        let starts = is_command(line, "$");
        in_command = starts || (in_command && is_command(line, ">"));
        if starts {
            outputs.push(Vec::new());
        }
        if in_command {
            commands.push_str(line);
            commands.push('\n');
        } else if let Some(output) = outputs.last_mut() {
            output.push(line);
        }
    }
    let shapes: Vec<String> =
        outputs.iter().skip(1).map(|lines| shape_of(lines.iter().copied())).collect();
    (commands, Some(shapes.join("\n")))
}

/// Whether a line is a prompt followed by a command.
fn is_command(line: &str, prompt: &str) -> bool {
    line.strip_prefix(prompt).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::OutputFence;
    use crate::fence::parse_header;
    use crate::source::{Sources, Span};

    /// A block with its header, commands and printed output.
    fn block(header: &str, text: &str, output: Option<&str>) -> Block {
        let header = parse_header(header).expect("valid header");
        let span = Span::new(Sources::default().add("a.md", ""), 0..0);
        let kind = if header.language == "console" { BlockKind::Console } else { BlockKind::Shell };
        let output = output.map(|text| OutputFence {
            text: text.into(),
            lines: Vec::new(),
            content: span,
            open_run: span,
            close_run: span,
            prefix: String::new(),
            span,
            vary: vec!["ip".into()],
            within: crate::vary::Within::default(),
            order: crate::book::Order::Natural,
        });
        Block {
            id: "flip".into(),
            kind,
            text: text.into(),
            attributes: header.attributes.unwrap_or_default(),
            options: crate::book::BlockOptions::default(),
            span,
            lines: Vec::new(),
            output,
        }
    }

    fn check(a: &Block, b: &Block, equal: bool) {
        let (left, right) = (block_digest(a, &[]), block_digest(b, &[]));
        assert_eq!(left == right, equal, "{a:#?}\n{b:#?}");
    }

    #[test]
    fn printed_values_take_no_part_and_everything_else_does() {
        let base = block("sh {#flip timeout=60s .setup}", "echo a\n", Some("10.0.0.1 2\n"));
        check(
            &base,
            &block("sh {#flip .setup timeout=60s}", "echo a\n", Some("10.0.0.9 3\nx\n")),
            true,
        );
        check(&base, &block("bash {#flip .setup timeout=60s}", "echo a\n", Some("")), true);
        check(
            &base,
            &block("sh {#flip timeout=61s .setup}", "echo a\n", Some("10.0.0.1 2\n")),
            false,
        );
        check(&base, &block("sh {#flip timeout=60s}", "echo a\n", Some("10.0.0.1 2\n")), false);
        check(
            &base,
            &block("sh {#flip timeout=60s .setup}", "echo b\n", Some("10.0.0.1 2\n")),
            false,
        );
        check(&base, &block("sh {#flip timeout=60s .setup}", "echo a\n", Some("...\n")), false);
        check(&base, &block("sh {#flip timeout=60s .setup}", "echo a\n", None), false);
        assert_ne!(block_digest(&base, &[]), block_digest(&base, &["age".into()]));
        assert_eq!(block_digest(&base, &[]), block_digest(&base, &["ip".into()]));
    }

    #[test]
    fn a_console_block_counts_by_its_commands() {
        let base = block("console {#flip}", "$ a \\\n> b\n10\n$ c\n", None);
        check(&base, &block("console {#flip}", "$ a \\\n> b\n11\n12\n$ c\nout\n", None), true);
        check(&base, &block("console {#flip}", "$ a \\\n> d\n10\n$ c\n", None), false);
        check(&base, &block("console {#flip}", "$ a \\\n> b\n...\n$ c\n", None), false);
    }

    #[test]
    fn the_canonical_form_is_fixed() {
        let got = block_digest(&block("sh {#flip timeout=60s}", "echo a\n", Some("a\n...\n")), &[]);
        let form = r#"["labdoc.block/1","shell",["timeout=60s"],"echo a\n",[["ip"],"ordered","text ..."]]"#;
        assert_eq!(got, sha256_tagged(form.as_bytes()));
        let form = r#"["labdoc.capture/1","flip.n","n (\\d+)"]"#;
        assert_eq!(capture_digest("flip.n", r"n (\d+)"), sha256_tagged(form.as_bytes()));
    }
}
