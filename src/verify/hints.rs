//! What helps with an output that differs: which value classes would have let it pass, and
//! differences that cannot be seen made visible.

use unicode_normalization::UnicodeNormalization as _;

use super::judge::question;
use super::outcome::UnitResult;
use super::plan::{Plan, Step, Unit};
use crate::compare::{Question, compare};
use crate::vary::Renaming;

/// Longest output for which classes are tried out, in bytes.
const MAX_TRIED: usize = 256 * 1024;

/// The next step for an output that differs.
pub(super) fn hint(
    plan: &Plan,
    (step, unit): (&Step, &Unit),
    got: &UnitResult,
    names: &Renaming,
) -> String {
    let measured = got.comparison.as_ref().map(|comparison| comparison.measured.as_slice());
    if measured.is_some_and(|measured| unit.cannot_hold(measured)) {
        return "a console block would read that output as a command: write it as sh with an \
                output fence"
            .to_owned();
    }
    let refresh = "refresh the page with labdoc verify --update";
    match missing_classes(plan, (step, unit), &got.output, names) {
        Some(classes) => {
            let place = if unit.id.contains('/') { "block" } else { "output fence" };
            format!(
                "it would pass with vary={} on the {place}, if that may differ; else {refresh}",
                classes.join(",")
            )
        }
        None => format!("{refresh}, or mark what may vary with vary="),
    }
}

/// The fewest more value classes with which an output would be equal to what is printed.
fn missing_classes(
    plan: &Plan,
    (step, unit): (&Step, &Unit),
    output: &str,
    names: &Renaming,
) -> Option<Vec<String>> {
    let asked = question(step, unit, output).filter(|_| output.len() <= MAX_TRIED)?;
    let known = step.classes.names();
    let more: Vec<String> = {
        let names = plan.registry.names().filter(|name| !known.contains(name));
        let set: std::collections::BTreeSet<String> = names.map(str::to_owned).collect();
        // A restart count looks like any number, so the plain number is offered.
        set.into_iter().filter(|name| name != "restarts").collect()
    };
    let passes = |extra: &[&String]| {
        let wanted = known.iter().copied().chain(extra.iter().map(|name| name.as_str()));
        let classes = plan.registry.select(wanted).bounded(step.classes.within().clone());
        compare(&Question { classes: &classes, ..asked }, &mut names.clone()).equal
    };
    if let Some(one) = more.iter().find(|name| passes(&[name])) {
        return Some(vec![one.clone()]);
    }
    let mut all: Vec<&String> = more.iter().collect();
    if !passes(&all) {
        return None;
    }
    for name in &more {
        let fewer: Vec<&String> = all.iter().copied().filter(|other| *other != name).collect();
        if passes(&fewer) {
            all = fewer;
        }
    }
    Some(all.into_iter().cloned().collect())
}

/// A line of a diff with what cannot be seen made visible. Where it differs from its partner in
/// nothing that can be seen, blanks and compositions of letters are shown too.
pub(super) fn shown(line: &str, partner: Option<&str>) -> String {
    let alike = partner.is_some_and(|other| other != line && look(other) == look(line));
    let mut out = String::new();
    for c in line.chars() {
        match c {
            '\t' => out.push_str("→\t"),
            ' ' if alike => out.push('·'),
            c if is_invisible(c) || (alike && is_combining(c)) => {
                out.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    let blanks = line.len() - line.trim_end_matches(' ').len();
    if !alike && blanks > 0 {
        out.truncate(out.len() - blanks);
        out.push_str(&"·".repeat(blanks));
    }
    out
}

/// What is left of a line for the eye.
fn look(line: &str) -> String {
    let seen = line.chars().filter(|c| !c.is_whitespace() && !is_invisible(*c));
    seen.collect::<String>().nfkc().collect()
}

/// A character that takes no room, or looks like a plain blank.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{a0}' | '\u{ad}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
        | '\u{205f}'..='\u{2064}' | '\u{3000}' | '\u{feff}')
}

/// A mark that joins the letter before it, or a letter of full or half width.
fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1100}'..='\u{11ff}' | '\u{ff01}'..='\u{ffee}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown() {
        let check = |line: &str, partner: &str, expect: &str| {
            assert_eq!(shown(line, Some(partner)), expect, "{line:?} beside {partner:?}");
        };
        check("a b", "a  b", "a·b");
        check("a b", "a c", "a b");
        check("a\tb", "a b", "a→\tb");
        check("a ", "b", "a·");
        check("a\u{200b}b", "ab", "a⟨U+200B⟩b");
        check("e\u{301}", "é", "e⟨U+0301⟩");
        check("１", "1", "⟨U+FF11⟩");
    }
}
