//! Changes to YAML: a scalar, an entry of a list, a key with its value.

use std::ops::Range;

use granit_parser::{Event, Parser, Span, StructureStyle};

use super::{Change, numbers, other_numbers, short};

/// Every change of a YAML text; none where it cannot be read.
pub(super) fn changes(text: &str) -> Vec<Change> {
    let mut walk = Walk { text, open: Vec::new(), out: Vec::new() };
    for next in Parser::new_from_str(text) {
        let Ok((event, span)) = next else { return Vec::new() };
        walk.event(&event, &span);
    }
    walk.out.sort_by_key(|change| (change.range.start, change.range.end));
    walk.out
}

/// A collection that is open.
struct Open {
    mapping: bool,
    block: bool,
    /// In a mapping: whether a value comes next.
    value_next: bool,
    /// Where the present entry begins.
    begin: usize,
    line: usize,
    /// The key of the present entry.
    key: String,
    /// Where what was read last ends.
    end: usize,
}

struct Walk<'a> {
    text: &'a str,
    open: Vec<Open>,
    out: Vec<Change>,
}

impl Walk<'_> {
    fn event(&mut self, event: &Event<'_>, span: &Span) {
        let Some(range) = span.byte_range() else { return };
        match event {
            Event::Scalar(..) | Event::Alias(_) => {
                let key = self.begin_node(&range, span.start.line());
                if !key && matches!(event, Event::Scalar(..)) {
                    self.scalar(range.clone(), span.start.line());
                }
                self.end_node(range.end, key);
            }
            Event::MappingStart(style, ..) | Event::SequenceStart(style, ..) => {
                self.begin_node(&range, span.start.line());
                self.open.push(Open {
                    mapping: matches!(event, Event::MappingStart(..)),
                    block: *style == StructureStyle::Block,
                    value_next: false,
                    begin: range.start,
                    line: span.start.line(),
                    key: String::new(),
                    end: range.start,
                });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let Some(closed) = self.open.pop() else { return };
                // The end of a block collection is where the next thing begins.
                let end = if closed.block { closed.end } else { range.end };
                self.end_node(end, false);
            }
            _ => {}
        }
    }

    /// A key, an entry or a value begins; says whether it is a key.
    fn begin_node(&mut self, range: &Range<usize>, line: usize) -> bool {
        let text = self.text;
        let Some(open) = self.open.last_mut() else { return false };
        let key = open.mapping && !open.value_next;
        if key || !open.mapping {
            (open.begin, open.line) = (range.start, line);
            open.key = short(text.get(range.clone()).unwrap_or_default());
        }
        key
    }

    /// A node ended. The end of an entry of a block collection makes it one that can be deleted.
    fn end_node(&mut self, end: usize, key: bool) {
        let Some(open) = self.open.last_mut() else { return };
        open.end = end;
        if open.mapping {
            open.value_next = key;
        }
        if key || !open.block {
            return;
        }
        let (begin, line, mapping) = (open.begin, open.line, open.mapping);
        let name = if mapping { format!("key {}", open.key) } else { "a list entry".to_owned() };
        let start = self.text[..begin].rfind('\n').map_or(0, |at| at + 1);
        let lead = self.text[start..begin].trim();
        // A key behind the dash of its list entry cannot go without the entry.
        if lead != if mapping { "" } else { "-" } {
            return;
        }
        let stop = self.text[end..].find('\n').map_or(self.text.len(), |at| end + at + 1);
        let what = format!("deleted {name}: {}", short(&self.text[start..stop]));
        self.out.push(Change { range: start..stop, with: String::new(), line, what });
    }

    /// The other values of a scalar.
    fn scalar(&mut self, range: Range<usize>, line: usize) {
        let Some(text) = self.text.get(range.clone()) else { return };
        let bare = text.trim_matches(['"', '\'']);
        if bare.is_empty() || text.contains('\n') {
            return;
        }
        let mut shown = None;
        let others = match bare {
            "true" => vec![text.replace("true", "false")],
            "false" => vec![text.replace("false", "true")],
            _ => match numbers(text).first() {
                Some(number) if number.start <= 1 => other_numbers(&text[number.clone()])
                    .into_iter()
                    .map(|other| [&text[..number.start], &other, &text[number.end..]].concat())
                    .collect(),
                _ => {
                    shown = Some("another string");
                    vec![text.replacen(bare, &format!("{bare}-mutant"), 1)]
                }
            },
        };
        let key = self.open.last().map(|open| open.key.clone()).unwrap_or_default();
        let key = if key == short(text) { String::new() } else { format!("{key}: ") };
        for with in others {
            let what = format!("{key}{} → {}", short(text), shown.unwrap_or(&short(&with)));
            self.out.push(Change { range: range.clone(), with, line, what });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# made for a test\nspec:\n  retries: 2   # two\n  hosts:\n  - name: a\n    port: \"80\"\n  - {name: b, on: true}\n  wait: 0.5s\n";

    #[test]
    fn scalars_entries_and_keys() {
        let found: Vec<(usize, String)> =
            changes(TEXT).into_iter().map(|change| (change.line, change.what)).collect();
        let expected = [
            (2, "deleted key spec: spec: retries: 2 # two hosts: - name: a port: \"80\" - {name:…"),
            (3, "deleted key retries: retries: 2 # two"),
            (3, "retries: 2 → 1"),
            (3, "retries: 2 → 4"),
            (4, "deleted key hosts: hosts: - name: a port: \"80\" - {name: b, on: true}"),
            (5, "deleted a list entry: - name: a port: \"80\""),
            (5, "name: a → another string"),
            (6, "deleted key port: port: \"80\""),
            (6, "port: \"80\" → \"40\""),
            (6, "port: \"80\" → \"160\""),
            (7, "deleted a list entry: - {name: b, on: true}"),
            (7, "name: b → another string"),
            (7, "on: true → false"),
            (8, "deleted key wait: wait: 0.5s"),
            (8, "wait: 0.5s → 0.2s"),
            (8, "wait: 0.5s → 1.0s"),
        ];
        let expected: Vec<(usize, String)> =
            expected.iter().map(|(line, what)| (*line, (*what).to_owned())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_change_changes_the_text_and_keeps_the_rest() {
        for change in changes(TEXT) {
            let changed = change.apply(TEXT);
            assert_ne!(changed, TEXT);
            assert!(changed.starts_with("# made for a test\n"), "{}", change.what);
        }
    }

    #[test]
    fn several_documents_and_broken_ones() {
        assert_eq!(changes("a: 1\n---\nb: 2\n").len(), 6);
        assert!(changes("a: [1\nb: 2\n").is_empty());
    }
}
