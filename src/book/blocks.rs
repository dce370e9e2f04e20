//! The executable blocks of a page and the output that is printed for them.

use std::ops::Range;
use std::time::Duration;

use super::page::{Block, BlockKind, BlockOptions, OutputFence};
use crate::diag::{Diagnostic, nearest};
use crate::fence::{Attributes, HeaderFault, parse_braces, parse_duration, parse_header};
use crate::source::{FileId, Sources, Span};

/// `key=` that a runnable block knows.
const BLOCK_KEYS: &[&str] = &["timeout", "exit", "vary", "title", "include", "lines", "region"];
/// `.class` that a runnable block knows.
const BLOCK_CLASSES: &[&str] = &["setup", "teardown", "skip", "numbered"];
/// `key=` that an output fence knows.
const OUTPUT_KEYS: &[&str] = &["for", "vary"];
/// `.class` that an output fence knows.
const OUTPUT_CLASSES: &[&str] = &["unordered"];

/// A fenced code block as the parser found it.
#[derive(Clone, Debug)]
pub(crate) struct Fence {
    /// The whole fence: from its opening run to the end of its closing line.
    pub(crate) range: Range<usize>,
    /// Byte ranges of the content, prefixes excluded, as the parser handed them out.
    pub(crate) pieces: Vec<Range<usize>>,
}

/// Sorts the fences of a page into blocks with their outputs.
pub(crate) fn collect(
    sources: &Sources,
    file: FileId,
    fences: &[Fence],
    findings: &mut Vec<Diagnostic>,
) -> Vec<Block> {
    let mut collector =
        Collector { sources, file, blocks: Vec::new(), outputs: Vec::new(), findings };
    for fence in fences {
        collector.fence(fence);
    }
    collector.attach();
    collector.blocks
}

/// An output fence that waits for its block.
struct Pending {
    target: String,
    target_span: Span,
    fence: OutputFence,
}

/// The state of the walk over the fences.
struct Collector<'s> {
    sources: &'s Sources,
    file: FileId,
    blocks: Vec<Block>,
    outputs: Vec<Pending>,
    findings: &'s mut Vec<Diagnostic>,
}

impl Collector<'_> {
    /// Takes one fence.
    fn fence(&mut self, fence: &Fence) {
        let shape = Shape::of(self.sources.text(self.file), fence);
        let (language, attributes) = match self.header(fence, &shape) {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err((fault, base)) => {
                let at = self.span(base + fault.range.start..base + fault.range.end);
                self.findings.push(Diagnostic::error("BL001", fault.message).at(at));
                return;
            }
        };
        let runnable = matches!(language.as_str(), "sh" | "bash" | "console");
        let known = (runnable && attributes.id.is_some())
            || (language == "output" && attributes.get("for").is_some());
        if !known {
            self.misplaced(&language, &attributes, fence);
            return;
        }
        let Some(close) = shape.close.clone() else {
            let open = self.span(shape.open.clone());
            let finding = Diagnostic::error("BL002", "this fence is never closed").at(open);
            self.findings.push(finding.hint(format!("end it with a line `{}`", &shape.run)));
            return;
        };
        if language == "output" {
            self.output(&attributes, fence, &shape, close);
        } else {
            self.block(&language, attributes, fence, &shape);
        }
    }

    /// Language and attributes of a fence, with what offset their ranges count from.
    fn header(
        &self,
        fence: &Fence,
        shape: &Shape,
    ) -> Result<Option<(String, Attributes)>, (HeaderFault, usize)> {
        let text = self.sources.text(self.file);
        let info_at = shape.open.end;
        let line_end = text[info_at..].find('\n').map_or(text.len(), |at| info_at + at);
        let info = &text[info_at..line_end];
        if info.contains('{') {
            let language = info.trim_start().split([' ', '{', '\t']).next().unwrap_or("");
            if !is_ours(language) {
                return Ok(None);
            }
            let header = parse_header(info).map_err(|fault| (fault, info_at))?;
            let attributes = header.attributes.map(|a| shift(a, info_at));
            return Ok(attributes.map(|attributes| (header.language, attributes)));
        }
        let Some((open, end)) = comment_above(text, fence.range.start) else { return Ok(None) };
        let language = info.trim().to_owned();
        if !is_ours(&language) && !language.is_empty() {
            return Ok(None);
        }
        let attributes = parse_braces(&text[..end], open).map_err(|fault| (fault, 0))?;
        let language = if attributes.get("for").is_some() { "output".to_owned() } else { language };
        Ok(Some((language, attributes)))
    }

    /// A fence that almost is one of ours: `for=` on a block, an id on an output.
    fn misplaced(&mut self, language: &str, attributes: &Attributes, fence: &Fence) {
        let Some(id) = &attributes.id else { return };
        if language != "output" {
            return;
        }
        let at = self.span(id.range.clone());
        let message = "an output fence names its block with `for=`";
        let finding = Diagnostic::error("BL003", message).at(at);
        self.findings.push(finding.hint(format!("write `for={}`", id.text)));
        let _ = fence;
    }

    /// A runnable block.
    fn block(&mut self, language: &str, attributes: Attributes, fence: &Fence, shape: &Shape) {
        let Some(id) = attributes.id.clone() else { return };
        self.known(&attributes, BLOCK_KEYS, BLOCK_CLASSES);
        if let Some(first) = self.blocks.iter().find(|block| block.id == id.text) {
            let line = self.sources.line(first.span);
            let message = format!("block id `{}` is used twice", id.text);
            let finding = Diagnostic::error("BL004", message).at(self.span(id.range));
            self.findings.push(finding.note(format!("first used in line {line}")));
            return;
        }
        let kind = if language == "console" { BlockKind::Console } else { BlockKind::Shell };
        let options = self.options(&attributes, kind);
        let (text, lines) = shape.content(self.sources.text(self.file), self.file, fence);
        if text.contains('\0') {
            let finding = Diagnostic::error("BL005", "a command cannot hold a NUL byte");
            self.findings.push(finding.at(self.span(fence.range.clone())));
            return;
        }
        let span = self.span(fence.range.clone());
        self.blocks.push(Block {
            id: id.text,
            kind,
            text,
            attributes,
            options,
            span,
            lines,
            output: None,
        });
    }

    /// The options of a runnable block.
    fn options(&mut self, attributes: &Attributes, kind: BlockKind) -> BlockOptions {
        let vary = attributes.get("vary");
        if let (Some(pair), BlockKind::Shell) = (vary, kind) {
            let message = "`vary=` stands on the output fence of this block";
            self.findings
                .push(Diagnostic::error("BL006", message).at(self.span(pair.range.clone())));
        }
        BlockOptions {
            timeout: self.timeout(attributes),
            exit: self.exit(attributes),
            setup: attributes.has_class("setup"),
            teardown: attributes.has_class("teardown"),
            skip: attributes.has_class("skip"),
            vary: vary.map(|pair| names(&pair.value)).unwrap_or_default(),
        }
    }

    /// `timeout=60s`.
    fn timeout(&mut self, attributes: &Attributes) -> Option<Duration> {
        let pair = attributes.get("timeout")?;
        let duration = parse_duration(&pair.value);
        if duration.is_none() {
            let message = format!("`{}` is no duration", pair.value);
            let finding = Diagnostic::error("BL007", message).at(self.span(pair.range.clone()));
            self.findings.push(finding.hint("write it like 500ms, 60s, 5m or 2h"));
        }
        duration
    }

    /// `exit=3` or `exit=any`.
    fn exit(&mut self, attributes: &Attributes) -> Option<Option<i32>> {
        let pair = attributes.get("exit")?;
        if pair.value == "any" {
            return Some(None);
        }
        let code = pair.value.parse().ok().filter(|code| (0..=255).contains(code));
        if code.is_none() {
            let message = format!("`{}` is no exit code: 0 to 255, or any", pair.value);
            self.findings
                .push(Diagnostic::error("BL007", message).at(self.span(pair.range.clone())));
        }
        code.map(Some)
    }

    /// An output fence.
    fn output(
        &mut self,
        attributes: &Attributes,
        fence: &Fence,
        shape: &Shape,
        close: Range<usize>,
    ) {
        self.known(attributes, OUTPUT_KEYS, OUTPUT_CLASSES);
        let Some(target) = attributes.get("for") else { return };
        let text = self.sources.text(self.file);
        let (content, lines) = shape.content(text, self.file, fence);
        let first = shape.content_start(text);
        let last = text[..close.start].rfind('\n').map_or(first, |at| at + 1).max(first);
        let output = OutputFence {
            text: content,
            lines,
            content: self.span(first..last),
            open_run: self.span(shape.open.clone()),
            prefix: text[last..close.start].to_owned(),
            close_run: self.span(close),
            span: self.span(fence.range.clone()),
            vary: attributes.get("vary").map(|pair| names(&pair.value)).unwrap_or_default(),
            unordered: attributes.has_class("unordered"),
        };
        let target_span = self.span(target.range.clone());
        self.outputs.push(Pending { target: target.value.clone(), target_span, fence: output });
    }

    /// Gives each output to the block it names.
    fn attach(&mut self) {
        for pending in std::mem::take(&mut self.outputs) {
            let ids: Vec<String> = self.blocks.iter().map(|block| block.id.clone()).collect();
            let block = self.blocks.iter_mut().find(|block| block.id == pending.target);
            let finding = match block {
                None => {
                    let message =
                        format!("output for `{}`, but no block has that id", pending.target);
                    let mut finding = Diagnostic::error("BL008", message);
                    finding.hint = nearest(&pending.target, ids.iter().map(String::as_str))
                        .map(|near| format!("did you mean `{near}`?"));
                    finding
                }
                Some(block) if block.kind == BlockKind::Console => {
                    let message =
                        format!("`{}` is a console block and holds its own output", block.id);
                    Diagnostic::error("BL009", message)
                }
                Some(block) if block.output.is_some() => {
                    Diagnostic::error("BL009", format!("a second output for `{}`", block.id))
                }
                Some(block) => {
                    block.output = Some(pending.fence);
                    continue;
                }
            };
            self.findings.push(finding.at(pending.target_span));
        }
    }

    /// Reports keys and classes that are not known here.
    fn known(&mut self, attributes: &Attributes, keys: &[&'static str], classes: &[&'static str]) {
        for pair in attributes.pairs.iter().filter(|pair| !keys.contains(&pair.key.as_str())) {
            let message = format!("`{}=` is not known here", pair.key);
            self.unknown(message, nearest(&pair.key, keys.iter().copied()), &pair.range, keys);
        }
        for word in attributes.classes.iter().filter(|word| !classes.contains(&word.text.as_str()))
        {
            let message = format!("`.{}` is not known here", word.text);
            self.unknown(
                message,
                nearest(&word.text, classes.iter().copied()),
                &word.range,
                classes,
            );
        }
    }

    /// Reports one unknown attribute with the nearest known one.
    fn unknown(
        &mut self,
        message: String,
        near: Option<&str>,
        range: &Range<usize>,
        known: &[&str],
    ) {
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        let at = self.span(range.clone());
        self.findings.push(Diagnostic::error("BL010", message).at(at).hint(hint));
    }

    /// A span of this page.
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range)
    }
}

/// Whether a fence of this language can be one of ours.
fn is_ours(language: &str) -> bool {
    matches!(language, "sh" | "bash" | "console" | "output")
}

/// The value of `vary=ip,age` as names.
fn names(value: &str) -> Vec<String> {
    value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Moves the ranges of attributes from the header's text to the page's.
fn shift(mut attributes: Attributes, by: usize) -> Attributes {
    let moved = |range: &Range<usize>| range.start + by..range.end + by;
    if let Some(id) = &mut attributes.id {
        id.range = moved(&id.range);
    }
    for word in &mut attributes.classes {
        word.range = moved(&word.range);
    }
    for pair in &mut attributes.pairs {
        pair.range = moved(&pair.range);
    }
    attributes
}

/// The braces of `<!-- labdoc {…} -->` on the line directly above a fence.
fn comment_above(text: &str, fence_start: usize) -> Option<(usize, usize)> {
    let line_start = text[..fence_start].rfind('\n')? + 1;
    let above_start = text[..line_start - 1].rfind('\n').map_or(0, |at| at + 1);
    let above = text[above_start..line_start - 1].trim_end();
    let body = above.find("<!-- labdoc {")?;
    let inner = above[body..].strip_suffix("-->")?.trim_end();
    let open = above_start + body + "<!-- labdoc ".len();
    Some((open, above_start + body + inner.len()))
}

/// Where the parts of a fence stand.
pub(super) struct Shape {
    /// The opening run.
    pub(super) open: Range<usize>,
    run: String,
    /// The closing run, where there is one.
    pub(super) close: Option<Range<usize>>,
}

impl Shape {
    /// Finds the runs of a fence.
    pub(super) fn of(text: &str, fence: &Fence) -> Shape {
        let whole = &text[fence.range.clone()];
        let indent = whole.len() - whole.trim_start_matches([' ', '\t']).len();
        let start = fence.range.start + indent;
        let mark = text[start..].chars().next().unwrap_or('`');
        let len = text[start..].chars().take_while(|c| *c == mark).count();
        let run: String = std::iter::repeat_n(mark, len).collect();
        Shape { open: start..start + len, close: closing(text, fence, mark, len), run }
    }

    /// Where the content begins: behind the header's line.
    pub(super) fn content_start(&self, text: &str) -> usize {
        text[self.open.end..].find('\n').map_or(text.len(), |at| self.open.end + at + 1)
    }

    /// The content without prefixes, and the place of each of its lines.
    pub(super) fn content(&self, text: &str, file: FileId, fence: &Fence) -> (String, Vec<Span>) {
        let mut content = String::new();
        let mut lines = Vec::new();
        for piece in whole_lines(text, &fence.pieces) {
            let mut at = piece.start;
            for line in text[piece.clone()].split_inclusive('\n') {
                let body = line.trim_end_matches(['\n', '\r']);
                lines.push(Span::new(file, at..at + body.len()));
                content.push_str(body);
                content.push('\n');
                at += line.len();
            }
        }
        (content, lines)
    }
}

/// The pieces of a fence with what belongs to one line in one piece: the parser cuts a line that
/// ends in CRLF before its line end.
fn whole_lines(text: &str, pieces: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(last) if !text[last.start..piece.start].contains('\n') => last.end = piece.end,
            _ => lines.push(piece.clone()),
        }
    }
    lines
}

/// The closing run of a fence: its last line holds nothing but a run at least as long.
fn closing(text: &str, fence: &Fence, mark: char, len: usize) -> Option<Range<usize>> {
    let whole = text[fence.range.clone()].trim_end();
    let last = whole.rfind('\n')? + 1;
    let line = &whole[last..];
    let run_len = line.chars().rev().take_while(|c| *c == mark).count();
    let before = &line[..line.len() - run_len];
    let only_prefix = before.chars().all(|c| matches!(c, ' ' | '\t' | '>'));
    let end = fence.range.start + whole.len();
    (run_len >= len && only_prefix).then(|| end - run_len..end)
}
