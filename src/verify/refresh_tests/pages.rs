//! Random pages: fences in lists and quotes, outputs as authors write them, and what their blocks
//! print now.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::sample::select;

use crate::compare::escape;

/// What stands before the lines of a block: the first line's prefix and that of the others.
const CONTAINERS: &[(&str, &str)] =
    &[("", ""), ("1. ", "   "), ("10. ", "    "), ("> ", "> "), ("> - ", ">   "), ("- > ", "  > ")];

/// Lines as programs print them.
const LINES: &[&str] = &[
    "state OK",
    "state BAD",
    "",
    "ip 10.0.0.1",
    "ip 10.0.0.2",
    "ip 10.0.0.3",
    "from 10.0.0.1 to 10.0.0.2",
    "from 10.0.0.2 to 10.0.0.1",
    "pod web-7d4b9c6f5d-x2x4z up",
    "pod web-6c8f5d9b7-q9q2p up",
    "sent 12",
    "sent 13",
    "```",
    "````",
    "~~~",
    "...",
    "a  <- b",
    "\ttab",
    "  indented",
    "# heading",
    "> quote",
    "- item",
    "<!-- comment",
    "NAME   READY   IP",
    "web-7d4b9c6f5d-x2x4z   1/1   10.0.0.1",
    "web-6c8f5d9b7-q9q2p   1/1   10.0.0.2",
    "db-0   0/1   10.0.0.3",
    "끝 ✓",
];

/// A line that an author wrote into an output.
#[derive(Clone, Debug)]
enum Written {
    Line(&'static str),
    Noted(&'static str),
    Gap,
}

/// One block of a page.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    container: (&'static str, &'static str),
    fence: char,
    console: bool,
    options: &'static str,
    printed: Vec<Written>,
    measured: Vec<&'static str>,
}

/// A page.
#[derive(Clone, Debug)]
pub(super) struct PageSpec {
    pub(super) blocks: Vec<Spec>,
    windows: bool,
    mark: bool,
}

fn written() -> impl Strategy<Value = Written> {
    prop_oneof![
        8 => select(LINES).prop_map(Written::Line),
        1 => select(LINES).prop_map(Written::Noted),
        1 => Just(Written::Gap),
    ]
}

/// An output that is often like what is printed.
fn measured(printed: &[Written]) -> impl Strategy<Value = Vec<&'static str>> + use<> {
    let base: Vec<&'static str> = printed
        .iter()
        .filter_map(|line| match line {
            Written::Line(text) | Written::Noted(text) => Some(*text),
            Written::Gap => None,
        })
        .collect();
    let changes = prop::collection::vec((any::<prop::sample::Index>(), select(LINES)), 0..3);
    let change = move |changes: Vec<(prop::sample::Index, &'static str)>| {
        let mut lines = base.clone();
        for (at, text) in changes {
            match (lines.is_empty(), at.index(3)) {
                (true, _) | (_, 0) => lines.insert(at.index(lines.len() + 1), text),
                (_, 1) => {
                    lines.remove(at.index(lines.len()));
                }
                _ => {
                    let at = at.index(lines.len());
                    lines[at] = text;
                }
            }
        }
        lines
    };
    prop_oneof![4 => changes.prop_map(change), 1 => prop::collection::vec(select(LINES), 0..6)]
}

fn block() -> impl Strategy<Value = Spec> {
    let options = select(
        &[
            "",
            "vary=ip",
            "vary=ip,pod,n",
            "vary=ip,pod .unordered",
            "vary=ip .ordered",
            "vary=n within=\"n:1\"",
        ][..],
    );
    let printed = prop::collection::vec(written(), 0..6);
    let shape = (select(CONTAINERS), select(&['`', '~'][..]), any::<bool>(), options, printed);
    shape.prop_flat_map(|(container, fence, console, options, printed)| {
        let written = printed.clone();
        measured(&printed).prop_map(move |measured| Spec {
            container,
            fence,
            console,
            options,
            printed: written.clone(),
            measured,
        })
    })
}

pub(super) fn page() -> impl Strategy<Value = PageSpec> {
    (prop::collection::vec(block(), 1..5), any::<bool>(), any::<bool>())
        .prop_map(|(blocks, windows, mark)| PageSpec { blocks, windows, mark })
}

impl PageSpec {
    /// The page's text.
    pub(super) fn text(&self) -> String {
        let mut text = "# Page\n\n".to_owned();
        for (at, block) in self.blocks.iter().enumerate() {
            block.write(&mut text, at);
        }
        text.push_str("end\n");
        if self.windows {
            text = text.replace('\n', "\r\n");
        }
        if self.mark { format!("\u{feff}{text}") } else { text }
    }

    /// What each unit printed.
    pub(super) fn transcript(&self) -> BTreeMap<String, String> {
        let text = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect();
        let unit = |(at, block): (usize, &Spec)| {
            let id = if block.console { format!("b{at}/1") } else { format!("b{at}") };
            (id, text(&block.measured))
        };
        self.blocks.iter().enumerate().map(unit).collect()
    }
}

impl Spec {
    /// Writes the block with its output.
    fn write(&self, text: &mut String, at: usize) {
        let (first, rest) = self.container;
        let fence: String = std::iter::repeat_n(self.fence, 5).collect();
        let mut lines = Vec::new();
        let printed: Vec<String> =
            self.printed.iter().map(|line| self.printed_line(line)).collect();
        if self.console {
            lines.push(format!("{fence}console {{#b{at} {}}}", self.options));
            lines.push(format!("$ run {at}"));
            lines.extend(printed.into_iter().filter(|line| !line.starts_with("> ")));
            lines.push("$ true".to_owned());
        } else {
            lines.push(format!("{fence}sh {{#b{at}}}"));
            lines.push(format!("run {at}"));
            lines.extend([fence.clone(), String::new()]);
            lines.push(format!("{fence}output {{for=b{at} {}}}", self.options));
            lines.extend(printed);
        }
        lines.push(fence);
        for (at, line) in lines.iter().enumerate() {
            let prefix = if at == 0 { first } else { rest };
            let prefix = if line.is_empty() { prefix.trim_end() } else { prefix };
            let _ = writeln!(text, "{prefix}{line}");
        }
        text.push_str("\ntext between\n\n");
    }

    /// A line as it stands in the page.
    fn printed_line(&self, line: &Written) -> String {
        match line {
            Written::Gap => "...".to_owned(),
            Written::Line(text) => escape(text),
            Written::Noted(text) => format!("{}  <- note", escape(text)),
        }
    }
}
