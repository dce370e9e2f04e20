//! `console` blocks: `$ ` lines are commands, `> ` lines go on with one, the rest is output.

use crate::book::{Block, line_prefix};
use crate::compare::command;
use crate::source::{Sources, Span};

use super::plan::{Printed, Unit};

/// The commands of a console block with their printed outputs.
pub(super) fn units(block: &Block, sources: &Sources) -> Vec<Unit> {
    let lines: Vec<&str> = block.text.lines().collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|at| command(lines[*at]).is_some()).collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts
        .iter()
        .zip(ends)
        .enumerate()
        .map(|(number, (start, end))| {
            let id = format!("{}/{}", block.id, number + 1);
            unit(block, sources, id, &lines[..end], *start)
        })
        .collect()
}

/// One command, whose lines begin at `start` and end with `lines`.
fn unit(block: &Block, sources: &Sources, id: String, lines: &[&str], start: usize) -> Unit {
    let mut text = format!("{}\n", command(lines[start]).unwrap_or(""));
    let mut at = start + 1;
    while let Some(more) = lines.get(at).and_then(|line| line.strip_prefix("> ")) {
        text.push_str(more);
        text.push('\n');
        at += 1;
    }
    let printed: String = lines[at..].iter().flat_map(|line| [line, "\n"]).collect();
    let spans = block.lines[at..lines.len()].to_vec();
    let span = block.lines[start];
    let source = sources.file(span.file);
    let last_command = source.position(block.lines[at - 1].start).line;
    let content_start = source.line_range(last_command).end;
    let content_end = match spans.last() {
        Some(last) => source.line_range(source.position(last.start).line).end,
        None => content_start,
    };
    let content = Span::new(span.file, content_start..content_end);
    let line_start = source.line_range(last_command).start;
    let header = source.line_range(source.position(block.span.start).line);
    let runs = fence_runs(&source.text, block, header.end);
    let other = &source.text[line_start..block.lines[at - 1].start];
    let prefix = line_prefix(&source.text, runs.0.start, other);
    Unit {
        id,
        text,
        span,
        printed: Some(Printed {
            text: printed,
            first_line: super::plan::first_line(&spans, content, sources),
            lines: spans,
            content,
            prefix,
            runs,
        }),
    }
}

/// The opening and the closing run of a block's fence.
fn fence_runs(text: &str, block: &Block, header_end: usize) -> (Span, Span) {
    let file = block.span.file;
    let header = &text[block.span.start..header_end];
    let indent = header.len() - header.trim_start().len();
    let mark = header.trim_start().chars().next().unwrap_or('`');
    let len = header.trim_start().chars().take_while(|c| *c == mark).count();
    let open = block.span.start + indent;
    let body = text[block.span.range()].trim_end();
    let close_len = body.chars().rev().take_while(|c| *c == mark).count();
    let end = block.span.start + body.len();
    (Span::new(file, open..open + len), Span::new(file, end - close_len..end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::parse;

    #[test]
    fn commands_have_their_output() {
        let text = "- x\n\n  ```console {#c}\n  $ for i in 1 2\n  > do echo $i; done\n  1\n  2\n  $ true\n  $ echo x\n  x\n  ```\n";
        let mut sources = Sources::default();
        let file = sources.add("a.md", text);
        let page = parse(&sources, file).value;
        let units = units(&page.blocks[0], &sources);
        let shown: Vec<(&str, &str, &str, &str)> = units
            .iter()
            .map(|unit| {
                let printed = unit.printed.as_ref().expect("printed");
                let content = sources.slice(printed.content);
                (unit.id.as_str(), unit.text.as_str(), printed.text.as_str(), content)
            })
            .collect();
        let expect = [
            ("c/1", "for i in 1 2\ndo echo $i; done\n", "1\n2\n", "  1\n  2\n"),
            ("c/2", "true\n", "", ""),
            ("c/3", "echo x\n", "x\n", "  x\n"),
        ];
        assert_eq!(shown, expect);
        let printed = units[0].printed.as_ref().expect("printed");
        assert_eq!((printed.prefix.as_str(), sources.slice(printed.runs.1)), ("  ", "```"));
    }

    #[test]
    fn new_lines_are_indented_as_the_fence_is() {
        let check = |text: &str, expect: &str| {
            let mut sources = Sources::default();
            let file = sources.add("a.md", text);
            let units = units(&parse(&sources, file).value.blocks[0], &sources);
            assert_eq!(units[0].printed.as_ref().expect("printed").prefix, expect, "{text}");
        };
        check("  ```console {#c}\n$ true\n  ```\n", "  ");
        check("1. ```console {#c}\n   $ true\n   ```\n", "   ");
        check("> ```console {#c}\n>$ true\n> ```\n", "> ");
    }
}
