//! Pages that another generator renders: no `book.toml`, or outside `content/`. Their headers hold
//! what that generator wants, and most of their fences are none of labdoc's business.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::blocks::Fence;
use super::front::{self, Header};
use super::page::{FrontMatter, Page, VerifyHeader};
use super::parse;
use super::tree::{Book, read_source};
use crate::diag::{Checked, Diagnostic, Failure};
use crate::source::{FileId, Sources, Span};
use crate::yaml;

/// The keys of a foreign header that are read; whatever stands beside them is not looked at.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
struct ForeignHeader {
    params: Value,
    environment: Value,
    kit: Value,
    verify: Option<VerifyHeader>,
}

/// Adds pages outside `content/` to a book, by their paths from the root; those that cannot be run
/// are left out unless they were named.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn add_foreign(
    root: &Path,
    sources: &mut Sources,
    book: &mut Checked<Book>,
    paths: &BTreeMap<String, Named>,
) -> Result<(), Failure> {
    for (path, named) in paths {
        let mut findings = Vec::new();
        let file = read_source(root, path, sources, &mut findings)?;
        let page = file.map(|file| parse_foreign(sources, file));
        let wanted = *named == Named::Yes
            || page.as_ref().is_some_and(|p| p.value.is_runnable() || !p.diagnostics.is_empty());
        if !wanted {
            continue;
        }
        book.diagnostics.append(&mut findings);
        if let Some(page) = page {
            book.diagnostics.extend(page.diagnostics);
            book.value.pages.push(page.value);
        }
    }
    book.value.pages.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(())
}

/// Whether a page was named itself, or only a folder above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Named {
    /// Only a folder above it.
    No,
    /// Itself.
    Yes,
}

/// Parses a foreign page.
fn parse_foreign(sources: &Sources, file: FileId) -> Checked<Page> {
    let mut findings = Vec::new();
    let header = header(sources, file, &mut findings);
    let text = sources.text(file);
    let setting = parse::Setting::default();
    let mut page = parse::page(
        sources,
        (file, header),
        (&|fence| names_labdoc(text, fence), &setting),
        findings,
    );
    // Claims and live numbers belong to books.
    page.diagnostics
        .retain(|finding| finding.code.starts_with("BL") || finding.code.starts_with("PG"));
    page
}

/// Whether a fence, or the comment directly above it, holds an id or names a block.
fn names_labdoc(text: &str, fence: &Fence) -> bool {
    let first = text[fence.range.clone()].lines().next().unwrap_or("");
    let braces = first.find('{').map_or("", |at| &first[at..]);
    let above = text[..fence.range.start].trim_end_matches([' ', '\t', '>']);
    let above = above.strip_suffix('\n').unwrap_or("").trim_end_matches('\r');
    let above = above.rsplit('\n').next().unwrap_or("");
    braces.contains('#') || braces.contains("for=") || above.contains("<!-- labdoc {")
}

/// Reads a foreign header. A line `---` at the top that nothing closes is a rule and no header,
/// and a header that cannot be read matters only where it speaks of labdoc.
fn header(sources: &Sources, file: FileId, findings: &mut Vec<Diagnostic>) -> Header {
    let text = sources.text(file);
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let Ok(Some(split)) = front::split(text) else {
        return (FrontMatter::default(), None, bom);
    };
    let span = Span::new(file, split.header.clone());
    let read = if split.toml { read_toml(sources, span) } else { read_yaml(sources, span) };
    let front = read.map(known).unwrap_or_else(|finding| {
        let words = sources
            .slice(span)
            .lines()
            .any(|line| line.starts_with("verify:") || line.trim_start().starts_with("[verify"));
        findings.extend(words.then_some(*finding));
        FrontMatter::default()
    });
    (front, Some(span), split.body)
}

/// Reads a YAML header.
fn read_yaml(sources: &Sources, span: Span) -> Result<ForeignHeader, Box<Diagnostic>> {
    let text = sources.slice(span);
    if text.trim().is_empty() {
        return Ok(ForeignHeader::default());
    }
    yaml::parse(text).map_err(|fault| {
        let at = front::place(sources, span, fault.line, fault.column);
        Box::new(front::unreadable(fault.message, fault.hint, at))
    })
}

/// Reads a TOML header.
fn read_toml(sources: &Sources, span: Span) -> Result<ForeignHeader, Box<Diagnostic>> {
    toml::from_str(sources.slice(span)).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        let at = Span::new(span.file, span.start + range.start..span.start + range.end);
        let (message, hint) = crate::config::explain_toml(&error);
        Box::new(front::unreadable(message, hint, at))
    })
}

/// The header as far as it is labdoc's: `params` and the like mean other things elsewhere, and
/// only their plain values are taken.
fn known(header: ForeignHeader) -> FrontMatter {
    FrontMatter {
        params: plain(&header.params),
        environment: plain(&header.environment),
        kit: header.kit.as_str().map(str::to_owned),
        verify: header.verify,
        ..FrontMatter::default()
    }
}

/// The texts, numbers and truth values of a map.
fn plain(value: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    let entries = value.as_object().into_iter().flatten();
    entries.filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Block ids and finding codes of a foreign page.
    #[track_caller]
    fn check(text: &str, blocks: &[&str], codes: &[&str]) -> Page {
        let mut sources = Sources::default();
        let file = sources.add("README.md", text);
        let page = parse_foreign(&sources, file);
        let ids: Vec<&str> = page.value.blocks.iter().map(|block| block.id.as_str()).collect();
        let found: Vec<&str> = page.diagnostics.iter().map(|finding| finding.code).collect();
        assert_eq!((ids.as_slice(), found.as_slice()), (blocks, codes), "{text}");
        page.value
    }

    #[test]
    fn foreign_fences_are_left_alone() {
        check("```bash {linenos=table hl_lines=[1,2]}\nx\n```\n", &[], &[]);
        check("```sh {.line-numbers data-x='a b}\nx\n```\n", &[], &[]);
        check("```bash {#a tiemout=1s}\nx\n```\n", &["a"], &["BL010"]);
        check("<!-- labdoc {#a} -->\n```bash\nx\n```\n", &["a"], &[]);
        check("> <!-- labdoc {#a} -->\n> ```bash\n> x\n> ```\n", &["a"], &[]);
    }

    #[test]
    fn foreign_headers_keep_their_keys() {
        let page = check(
            "---\nlayout: post\nparams: {a: 1, deep: {x: 1}}\nverify: {timeout: 5s}\n---\n",
            &[],
            &[],
        );
        assert_eq!(page.front.params, BTreeMap::from([("a".to_owned(), "1".to_owned())]));
        assert_eq!(page.front.verify.unwrap().timeout.as_deref(), Some("5s"));
        let page = check("+++\ntitle = 'x'\n[params]\nb = 'y'\n+++\n", &[], &[]);
        assert_eq!(page.front.params["b"], "y");
    }

    #[test]
    fn a_rule_is_no_header_and_a_broken_one_matters_only_to_labdoc() {
        check("---\n\n# Title\n", &[], &[]);
        check("---\na: [\n---\n", &[], &[]);
        check("---\nverify: {timout: 5s}\n---\n", &[], &["PG002"]);
        check("---\nverify: [\n---\n", &[], &["PG002"]);
        check("# [C7] in a heading\n\n[x]{#C8} [y]{=z.w}\n", &[], &[]);
    }
}
