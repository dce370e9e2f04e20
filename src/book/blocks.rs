//! The executable blocks of a page and the output that is printed for them.

mod options;
pub(super) mod shape;

use std::ops::Range;

use super::page::{Block, BlockKind, OutputFence};
use crate::diag::{Diagnostic, nearest};
use crate::fence::{Attributes, HeaderFault, parse_braces, parse_header};
use crate::source::{FileId, Sources, Span};
use options::{OutputOptions, block_options, output_options};
use shape::{Shape, comment_above, shift};

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

/// The runnable blocks that stand in HTML comments: they never run, but whoever reads a run should
/// know of them. Their id and their opening line.
pub(super) fn commented(
    (file, text): (FileId, &str),
    comments: &[Range<usize>],
) -> Vec<(String, Span)> {
    let lines = comments.iter().flat_map(|comment| {
        let starts = text[comment.clone()].split_inclusive('\n').scan(comment.start, |at, line| {
            *at += line.len();
            Some((*at - line.len(), line))
        });
        starts.collect::<Vec<_>>()
    });
    let found = lines.filter_map(|(at, line)| {
        let opening = line.trim_start_matches([' ', '>', '\t']);
        let start = at + line.len() - opening.len();
        let opening = opening.trim_end();
        let info = opening.trim_start_matches(['`', '~']);
        if opening.len() - info.len() < 3 {
            return None;
        }
        let header = parse_header(info).ok()?;
        let attributes = header.attributes?;
        let id = is_runnable(&header.language, &attributes).then_some(attributes.id)??;
        Some((id.text, Span::new(file, start..start + opening.len())))
    });
    found.collect()
}

/// Whether a fence of this language is run where it has an id.
fn is_runnable(language: &str, attributes: &Attributes) -> bool {
    matches!(language, "sh" | "bash" | "console")
        || (language == "yaml" && yaml_kind(attributes).is_some())
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
        let known = (is_runnable(&language, &attributes) && attributes.id.is_some())
            || (language == "output" && attributes.get("for").is_some());
        if !known {
            self.misplaced(&language, &attributes);
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
            // Other YAML is not ours, whatever stands in its braces.
            if language == "yaml" && !info.contains(".apply") && !info.contains(".assert") {
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
    fn misplaced(&mut self, language: &str, attributes: &Attributes) {
        let Some(id) = &attributes.id else { return };
        if language != "output" {
            return;
        }
        let at = self.span(id.range.clone());
        let message = "an output fence names its block with `for=`";
        let finding = Diagnostic::error("BL003", message).at(at);
        self.findings.push(finding.hint(format!("write `for={}`", id.text)));
    }

    /// A runnable block.
    fn block(&mut self, language: &str, attributes: Attributes, fence: &Fence, shape: &Shape) {
        let Some(id) = attributes.id.clone() else { return };
        if let Some(first) = self.blocks.iter().find(|block| block.id == id.text) {
            let line = self.sources.line(first.span);
            let message = format!("block id `{}` is used twice", id.text);
            let finding = Diagnostic::error("BL004", message).at(self.span(id.range));
            let finding = finding.note(format!("first used in line {line}"));
            self.findings.push(finding.hint("give one of them another id"));
            return;
        }
        let kind = match (language, yaml_kind(&attributes)) {
            ("console", _) => BlockKind::Console,
            ("yaml", Some(kind)) => kind,
            _ => BlockKind::Shell,
        };
        let (options, findings) = block_options(self.file, &attributes, kind);
        self.findings.extend(findings);
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

    /// An output fence.
    fn output(
        &mut self,
        attributes: &Attributes,
        fence: &Fence,
        shape: &Shape,
        close: Range<usize>,
    ) {
        let (options, findings) = output_options(self.file, attributes);
        self.findings.extend(findings);
        let OutputOptions { vary, within, order } = options;
        let Some(target) = attributes.get("for") else { return };
        let text = self.sources.text(self.file);
        let (content, lines) = shape.content(text, self.file, fence);
        let (first, last) = (shape.content_start(text), shape.content_end(text, &close));
        let output = OutputFence {
            text: content,
            lines,
            content: self.span(first..last),
            open_run: self.span(shape.open.clone()),
            prefix: shape.prefix(text, &close),
            close_run: self.span(close),
            span: self.span(fence.range.clone()),
            vary,
            within,
            order,
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
                Some(block) if block.kind == BlockKind::Assert => {
                    let message = format!(
                        "`{}` asserts what a live object holds and prints nothing of its own",
                        block.id
                    );
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

    /// A span of this page.
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range)
    }
}

/// Whether a fence of this language can be one of ours.
fn is_ours(language: &str) -> bool {
    matches!(language, "sh" | "bash" | "console" | "output" | "yaml")
}

/// What a YAML fence with these attributes is to the cluster, if anything.
fn yaml_kind(attributes: &Attributes) -> Option<BlockKind> {
    let applied = attributes.has_class("apply").then_some(BlockKind::Apply);
    applied.or_else(|| attributes.has_class("assert").then_some(BlockKind::Assert))
}
