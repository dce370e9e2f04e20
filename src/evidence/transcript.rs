//! `result.txt`: the lines that mark blocks and checks, and what stands between them.

use super::verdict::{CheckOutcome, block_of, fold};

/// Begins the output of a block.
const BLOCK_MARK: &str = "labdoc-block:";
/// Ends it, with what the block came to.
const CHECK_MARK: &str = "labdoc-check:";

/// A transcript, read. Foreign ones have check lines only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transcript {
    /// The blocks that begin with a mark, in order; each command of a console block is one.
    pub(crate) parts: Vec<Part>,
    /// All check lines, in order.
    pub(crate) checks: Vec<CheckLine>,
}

/// The output of one block, or of one command of a console block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// `flip`, or `flip/2`.
    pub(crate) id: String,
    /// The output, escapes undone; every line ends with a newline.
    pub(crate) output: String,
    /// The line (from 1) on which the output begins.
    pub(crate) first_line: usize,
    /// How many lines it has.
    pub(crate) line_count: usize,
    /// The check line that ends it.
    pub(crate) check: Option<CheckLine>,
}

/// A line `labdoc-check: flip pass exit=0`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CheckLine {
    /// `flip`, or `flip/2`.
    pub(crate) id: String,
    /// What it says.
    pub(crate) outcome: CheckOutcome,
    /// The exit code it states.
    pub(crate) exit: Option<i32>,
    /// Its line, from 1.
    pub(crate) line: usize,
}

impl Part {
    /// First and last line of the output in the transcript; none where it is empty.
    pub(crate) fn lines(&self) -> Option<[usize; 2]> {
        let last = (self.first_line + self.line_count).saturating_sub(1);
        (self.line_count > 0).then_some([self.first_line, last])
    }
}

impl Transcript {
    /// Reads the text of a transcript.
    pub(crate) fn parse(text: &str) -> Transcript {
        let mut out = Transcript::default();
        let mut open: Option<Part> = None;
        for (index, raw) in text.split_inclusive('\n').enumerate() {
            let line = raw.trim_end_matches(['\n', '\r']);
            if let Some(id) = line.strip_prefix(BLOCK_MARK) {
                out.parts.extend(open.take());
                let id = id.trim().to_owned();
                open = Some(Part { id, first_line: index + 2, ..Part::default() });
            } else if let Some(check) = read_check(line, index + 1) {
                out.checks.push(check.clone());
                if let Some(mut part) = open.take_if(|part| part.id == check.id) {
                    part.check = Some(check);
                    out.parts.push(part);
                }
            } else if let Some(part) = &mut open {
                part.output.push_str(unescape(raw));
                part.line_count += 1;
            }
        }
        out.parts.extend(open);
        out
    }

    /// The parts of a block: itself, or its commands.
    pub(crate) fn parts_of<'a>(&'a self, block: &'a str) -> impl Iterator<Item = &'a Part> {
        self.parts.iter().filter(move |part| block_of(&part.id) == block)
    }

    /// What the check lines say of a block.
    pub(crate) fn outcome(&self, block: &str) -> Option<CheckOutcome> {
        fold(self.checks.iter().map(|check| (check.id.as_str(), check.outcome)), block)
    }
}

/// Reads a check line.
fn read_check(line: &str, number: usize) -> Option<CheckLine> {
    let mut words = line.strip_prefix(CHECK_MARK)?.split_whitespace();
    let id = words.next()?.to_owned();
    let outcome = match words.next()? {
        "pass" => CheckOutcome::Pass,
        "fail" => CheckOutcome::Fail,
        "error" => CheckOutcome::Error,
        "skip" => CheckOutcome::Skip,
        _ => return None,
    };
    let exit = words.find_map(|word| word.strip_prefix("exit="));
    Some(CheckLine { id, outcome, exit: exit.and_then(|code| code.parse().ok()), line: number })
}

/// Undoes the escape of an output line that looked like a mark.
fn unescape(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if is_mark(rest.trim_start_matches('\\')) => rest,
        _ => line,
    }
}

/// Whether a line begins like a mark.
fn is_mark(line: &str) -> bool {
    line.starts_with(BLOCK_MARK) || line.starts_with(CHECK_MARK)
}

/// The writer's side: one part of a transcript. A line of the output that looks like a mark, or
/// like an escaped one, gets a `\` in front; a newline is added where the last line lacks one.
pub(crate) fn write_part(
    out: &mut String,
    id: &str,
    output: &str,
    check: (CheckOutcome, Option<i32>),
) {
    out.push_str(&format!("{BLOCK_MARK} {id}\n"));
    for line in output.split_inclusive('\n') {
        if is_mark(line.trim_start_matches('\\')) {
            out.push('\\');
        }
        out.push_str(line);
    }
    if !output.is_empty() && !output.ends_with('\n') {
        out.push('\n');
    }
    let exit = check.1.map_or(String::new(), |code| format!(" exit={code}"));
    out.push_str(&format!("{CHECK_MARK} {id} {}{exit}\n", check.0.word()));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(id: &str, output: &str) {
        let mut text = String::new();
        write_part(&mut text, "first", "", (CheckOutcome::Skip, None));
        write_part(&mut text, id, output, (CheckOutcome::Fail, Some(3)));
        let read = Transcript::parse(&text);
        let part = &read.parts[1];
        let newline = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
        assert_eq!(part.output, format!("{output}{newline}"), "{text}");
        assert_eq!(
            part.check.as_ref().map(|c| (c.outcome, c.exit)),
            Some((CheckOutcome::Fail, Some(3)))
        );
        assert_eq!(read.checks.len(), 2, "{text}");
        if let Some([first, last]) = part.lines() {
            assert_eq!(first, 4);
            assert_eq!(text.lines().nth(last).map(|l| l.starts_with(CHECK_MARK)), Some(true));
        }
    }

    #[test]
    fn outputs_survive_with_their_marks() {
        check("flip", "");
        check("flip", "a\nb");
        check("flip/2", "labdoc-check: flip pass exit=0\n\\labdoc-block: x\n\\\\labdoc-block:\n");
        check("flip", "\\ plain\r\n");
    }

    #[test]
    fn foreign_transcripts_need_only_check_lines() {
        let text = "anything\nlabdoc-check: data-kept fail exit=1\nlabdoc-check: pod-ready pass\n";
        let read = Transcript::parse(text);
        assert!(read.parts.is_empty());
        assert_eq!(read.outcome("pod-ready"), Some(CheckOutcome::Pass));
        assert_eq!(read.outcome("other"), None);
        assert!(Transcript::parse("labdoc-check: x maybe\n").checks.is_empty());
    }

    proptest! {
        #[test]
        fn any_output_survives(output in "(?s)(labdoc-block:|labdoc-check:|\\\\|[a-z \\n]){0,12}") {
            check("flip", &output);
        }
    }
}
