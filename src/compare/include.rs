//! A fence that shows a file against that file.

use crate::book::Part;
use crate::diag::nearest;

/// Why a part of a file cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PartFault {
    /// One sentence, about the file.
    pub(crate) message: String,
    /// The line of the file that it is about.
    pub(crate) line: Option<usize>,
    /// What to do.
    pub(crate) hint: Option<String>,
}

/// What begins a comment in the languages of configuration and code.
const SIGNS: &[&str] = &["<!--", "/*", "(*", "//", "--", "#", ";", "%", "\"", "*"];

/// A mark of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark<'t> {
    Begin(&'t str),
    End(&'t str),
}

/// The mark on a line, behind any comment sign.
fn mark(line: &str) -> Option<Mark<'_>> {
    let line = line.trim_start();
    let rest = SIGNS.iter().find_map(|sign| line.strip_prefix(sign))?;
    let rest = rest.trim_start_matches(['#', '/', '-', '*', '!']).trim_start();
    let (begin, rest) = match rest.strip_prefix("region:") {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix("endregion:")?),
    };
    let name = rest.split_whitespace().next()?.trim_end_matches("-->").trim_end_matches("*/");
    Some(if begin { Mark::Begin(name) } else { Mark::End(name) }).filter(|_| !name.is_empty())
}

/// The lines of a part of a file; marks of regions are never among them.
///
/// # Errors
/// The file has no such lines, or no such region that is begun and ended.
pub(crate) fn part<'t>(text: &'t str, part: &Part) -> Result<Vec<&'t str>, PartFault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.lines().collect();
    let chosen = match part {
        Part::All => 0..lines.len(),
        Part::Lines(from, to) if *to <= lines.len() => from - 1..*to,
        Part::Lines(_, to) => {
            let message = format!("has {} lines, not {to}", lines.len());
            return Err(PartFault { message, line: None, hint: None });
        }
        Part::Region(name) => region(&lines, name)?,
    };
    Ok(lines[chosen].iter().copied().filter(|line| mark(line).is_none()).collect())
}

/// The lines between the two marks of a region.
fn region(lines: &[&str], name: &str) -> Result<std::ops::Range<usize>, PartFault> {
    let at = |wanted: Mark<'_>, from: usize| {
        let found = lines[from..].iter().position(|line| mark(line) == Some(wanted))?;
        Some(from + found)
    };
    let Some(begin) = at(Mark::Begin(name), 0) else {
        return Err(no_region(lines, name, at(Mark::End(name), 0)));
    };
    let again = at(Mark::Begin(name), begin + 1);
    let end = at(Mark::End(name), begin + 1);
    match (end, again) {
        (Some(end), None) => Ok(begin + 1..end),
        (Some(_), Some(again)) => {
            let message = format!("begins region `{name}` twice");
            let hint = format!("first in line {}", begin + 1);
            Err(PartFault { message, line: Some(again + 1), hint: Some(hint) })
        }
        (None, _) => {
            let message = format!("never ends region `{name}`");
            let hint = format!("end it with a comment `endregion: {name}`");
            Err(PartFault { message, line: Some(begin + 1), hint: Some(hint) })
        }
    }
}

/// The fault of a region that is never begun.
fn no_region(lines: &[&str], name: &str, end: Option<usize>) -> PartFault {
    if let Some(end) = end {
        let message = format!("ends region `{name}`, which never begins");
        let hint = format!("begin it with a comment `region: {name}`");
        return PartFault { message, line: Some(end + 1), hint: Some(hint) };
    }
    let names = lines.iter().filter_map(|line| match mark(line) {
        Some(Mark::Begin(name)) => Some(name),
        _ => None,
    });
    let hint = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("mark it with comments `region: {name}` and `endregion: {name}`"),
    };
    PartFault { message: format!("has no region `{name}`"), line: None, hint: Some(hint) }
}

/// The first line, from 1, in which a fence differs from what it is to show.
pub(crate) fn first_difference(shown: &str, wanted: &[&str]) -> Option<usize> {
    let shown: Vec<&str> = shown.lines().collect();
    let longest = shown.len().max(wanted.len());
    (0..longest).find(|at| shown.get(*at) != wanted.get(*at)).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "a: 1\n# region: web\nb: 2\n// region: in\nc: 3\n// endregion: in\n# endregion: web\nregion: us\n  <!-- region: open -->\n";

    fn check(wanted: Part, expect: &str) {
        let got = match part(FILE, &wanted) {
            Ok(lines) => lines.join("|"),
            Err(fault) => format!("{:?} {}", fault.line, fault.message),
        };
        assert_eq!(got, expect, "{wanted:?}");
    }

    #[test]
    fn parts_hold_no_marks() {
        check(Part::All, "a: 1|b: 2|c: 3|region: us");
        check(Part::Region("web".into()), "b: 2|c: 3");
        check(Part::Region("in".into()), "c: 3");
        check(Part::Lines(1, 3), "a: 1|b: 2");
    }

    #[test]
    fn missing_and_open_regions_are_faults() {
        check(Part::Region("open".into()), "Some(9) never ends region `open`");
        check(Part::Region("wb".into()), "None has no region `wb`");
        check(Part::Lines(3, 10), "None has 9 lines, not 10");
    }

    #[test]
    fn the_first_line_that_differs() {
        assert_eq!(first_difference("a\nb\n", &["a", "b"]), None);
        assert_eq!(first_difference("a\nx\n", &["a", "b"]), Some(2));
        assert_eq!(first_difference("a\n", &["a", "b"]), Some(2));
        assert_eq!(first_difference("a\nb\n", &["a"]), Some(2));
    }
}
