//! Writing into `claims.yaml` without touching what stands around it.

use std::collections::BTreeMap;

/// The text with `holds` of one entry set to these conditions: its line replaced, or a new one
/// after the entry's last other line. `start` is where the entry's id stands.
pub(crate) fn with_holds(text: &str, start: usize, holds: &BTreeMap<String, String>) -> String {
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let entry_indent = indent(&text[line_start..]);
    let end_of_line = |from: usize| text[from..].find('\n').map_or(text.len(), |at| from + at + 1);
    let mut at = end_of_line(start);
    let mut inner = None;
    let (mut last, mut old) = (at, None::<(usize, usize)>);
    while at < text.len() {
        let next = end_of_line(at);
        let line = &text[at..next];
        let blank = line.trim().is_empty() || line.trim_start().starts_with('#');
        if !blank && indent(line) <= entry_indent {
            break;
        }
        if !blank {
            let own = *inner.get_or_insert(indent(line));
            match old {
                _ if indent(line) == own && line.trim_start().starts_with("holds:") => {
                    old = Some((at, next));
                }
                // The lines of a `holds` in block form.
                Some((from, to)) if to == at && indent(line) > own => old = Some((from, next)),
                _ => {}
            }
            last = next;
        }
        at = next;
    }
    let pairs: Vec<String> =
        holds.iter().map(|(key, conditions)| format!("{key}: \"{conditions}\"")).collect();
    let inner = inner.unwrap_or(entry_indent + 2);
    let line = format!("{}holds: {{{}}}\n", " ".repeat(inner), pairs.join(", "));
    let (from, to) = old.unwrap_or((last, last));
    let before = &text[..from];
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    [before, gap, &line, &text[to..]].concat()
}

/// How many blanks a line begins with.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let holds = BTreeMap::from([("envoy".to_owned(), "<1.39".to_owned())]);
        let start = text.find("C9").expect("entry");
        assert_eq!(with_holds(text, start, &holds), expect);
    }

    #[test]
    fn a_line_is_added_at_the_end_of_the_entry() {
        check(
            "C8:\n  grade: measured\nC9:\n  grade: measured\n  expect: [\"a.b == 1\"]\n\n# next\nC10:\n  grade: logical\n",
            "C8:\n  grade: measured\nC9:\n  grade: measured\n  expect: [\"a.b == 1\"]\n  holds: {envoy: \"<1.39\"}\n\n# next\nC10:\n  grade: logical\n",
        );
        check(
            "C9:\n    grade: measured",
            "C9:\n    grade: measured\n    holds: {envoy: \"<1.39\"}\n",
        );
    }

    #[test]
    fn a_line_is_replaced_in_either_form() {
        check(
            "C9:\n  holds: {envoy: \"<1.40\"}  # old\n  control: \"a.b == 2\"\n",
            "C9:\n  holds: {envoy: \"<1.39\"}\n  control: \"a.b == 2\"\n",
        );
        check(
            "C9:\n  holds:\n    envoy: \"<1.40\"\n  grade: measured\n",
            "C9:\n  holds: {envoy: \"<1.39\"}\n  grade: measured\n",
        );
    }
}
