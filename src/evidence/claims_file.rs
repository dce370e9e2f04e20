//! Reading `claims.yaml`: a map from claim id to entry, every finding at line and column.

use std::collections::BTreeMap;

use serde_saphyr::{Location, Spanned};

use super::claim::{Entry, Grade, Placed};
use super::claims_raw::{RawClaims, RawEntry};
use super::expect::Expect;
use super::holds::Holds;
use super::reference::{EvidenceRef, is_claim_id};
use crate::diag::{Checked, Diagnostic, nearest};
use crate::fence::parse_duration;
use crate::source::{FileId, Sources, Span};
use crate::yaml;

/// The entries of the `claims.yaml` beside a page.
#[derive(Clone, Debug)]
pub(crate) struct ClaimsFile {
    /// The entries in order.
    pub(crate) entries: Vec<Entry>,
}

/// Reads one `claims.yaml`. An entry that is partly wrong is kept with what could be read and
/// marked; a text that is no YAML has no entries.
pub(crate) fn read_claims(sources: &Sources, file: FileId) -> Checked<ClaimsFile> {
    let text = sources.text(file);
    let mut reader = Reader { sources, file, found: Vec::new() };
    let mut entries = Vec::new();
    if !is_blank(text) {
        match yaml::parse::<RawClaims>(text) {
            Ok(raw) => entries.extend(raw.0.into_iter().filter_map(|pair| reader.entry(pair))),
            Err(fault) => reader.syntax(fault),
        }
    }
    Checked { value: ClaimsFile { entries }, diagnostics: reader.found }
}

/// Whether a text holds nothing but comments and blanks.
fn is_blank(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

/// Turns what was written into what it means, and collects what is wrong.
struct Reader<'a> {
    sources: &'a Sources,
    file: FileId,
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// EV024: the text does not have the form of a claims file.
    fn syntax(&mut self, fault: yaml::YamlFault) {
        let range = self.sources.file(self.file).line_range(fault.line);
        let line = &self.sources.text(self.file)[range.clone()];
        let skip: usize = line.chars().take(fault.column - 1).map(char::len_utf8).sum();
        let start = (range.start + skip).min(range.end);
        let end = range.start + line.trim_end().len();
        let span = Span::new(self.file, start..end.max(start));
        let mut diagnostic =
            Diagnostic::error("EV024", format!("{}: {}", self.at(span), fault.message)).at(span);
        diagnostic.hint = fault.hint;
        self.found.push(diagnostic);
    }

    /// `content/claims.yaml:12`.
    fn at(&self, span: Span) -> String {
        format!("{}:{}", self.sources.path(self.file), self.sources.line(span))
    }

    /// One entry; `None` when its id or its grade cannot be read.
    fn entry(&mut self, (key, raw): (Spanned<String>, RawEntry)) -> Option<Entry> {
        let id = self.placed(key);
        if !is_claim_id(&id.value) {
            let message = format!("`{}` is no claim id", id.value);
            let hint = "write a capital letter other than K, R, S, T and a number, such as C7";
            self.found.push(Diagnostic::error("EV024", message).at(id.span).hint(hint));
            return None;
        }
        let grade = self.grade(&id.value, raw.grade)?;
        let before = self.found.len();
        let mut entry = Entry {
            grade,
            evidence: self.each(raw.evidence, |text| parse_evidence(&id.value, text)),
            expect: self.each(raw.expect, |text| parse_expect("expect", text)),
            holds: self.holds(raw.holds),
            control: None,
            expires_after: None,
            unreadable: false,
            id,
        };
        entry.control =
            self.each(raw.control.into_iter().collect(), |t| parse_expect("control", t)).pop();
        entry.expires_after =
            self.each(raw.expires_after.into_iter().collect(), parse_days).pop().map(|p| p.value);
        entry.unreadable = self.found.len() > before;
        Some(entry)
    }

    /// EV004: the grade.
    fn grade(&mut self, id: &str, raw: Spanned<String>) -> Option<Grade> {
        let word = self.placed(raw);
        let grade = Grade::parse(&word.value);
        if grade.is_none() {
            let message = format!(
                "claim {id} has grade \"{}\"; use measured, reported, official or logical",
                word.value
            );
            let near = nearest(&word.value, Grade::ALL.iter().map(|(known, _)| *known));
            let hint = near.map_or_else(
                || "`measured` rests on a run of yours, `reported` on a report of others".into(),
                |near| format!("did you mean `{near}`?"),
            );
            let diagnostic = Diagnostic::error("EV004", message).at(word.span).hint(hint);
            self.found.push(diagnostic);
        }
        grade
    }

    /// The environments.
    fn holds(&mut self, raw: BTreeMap<String, Spanned<String>>) -> Holds {
        let mut holds = Holds::default();
        for (key, text) in raw {
            let text = self.placed(text);
            if let Err((message, hint)) = holds.add(&key, &text.value) {
                self.found.push(Diagnostic::error("EV024", message).at(text.span).hint(hint));
            }
        }
        holds
    }

    /// Reads each text; what cannot be read is reported at its place and left out.
    fn each<T>(
        &mut self,
        raw: Vec<Spanned<String>>,
        read: impl Fn(&str) -> Result<T, Box<Diagnostic>>,
    ) -> Vec<Placed<T>> {
        let mut out = Vec::new();
        for text in raw {
            let Placed { value, span } = self.placed(text);
            match read(&value) {
                Ok(value) => out.push(Placed { value, span }),
                Err(found) => self.found.push(found.at(span)),
            }
        }
        out
    }

    /// A text with its place.
    fn placed(&self, raw: Spanned<String>) -> Placed<String> {
        let span = span_of(self.sources, self.file, raw.referenced, &raw.value);
        Placed { value: raw.value, span }
    }
}

/// The place of a YAML scalar in its text.
fn span_of(sources: &Sources, file: FileId, at: Location, value: &str) -> Span {
    let text = sources.text(file);
    let range = sources.file(file).line_range(usize::try_from(at.line()).unwrap_or(1));
    let column = usize::try_from(at.column()).unwrap_or(1).saturating_sub(1);
    let skip: usize = text[range.clone()].chars().take(column).map(char::len_utf8).sum();
    let start = (range.start + skip).min(text.len());
    let quote = usize::from(text[start..].starts_with(['"', '\'']));
    let plain = text[start + quote..].starts_with(value);
    let length = if plain {
        value.len() + 2 * quote
    } else {
        text[start..range.end.max(start)].trim_end().len()
    };
    Span::new(file, start..(start + length).min(text.len()))
}

/// EV006 for an entry of `evidence` that has no known form.
fn parse_evidence(id: &str, text: &str) -> Result<EvidenceRef, Box<Diagnostic>> {
    EvidenceRef::parse(text).ok_or_else(|| {
        let message = format!("claim {id} names `{text}`, which is no evidence");
        let hint = "write T1 (a bundle), T1#block, R2 (a report), S4 (a source) or C4 (a premise)";
        Box::new(Diagnostic::error("EV006", message).hint(hint))
    })
}

/// EV021 for a condition that cannot be read.
fn parse_expect(key: &str, text: &str) -> Result<Expect, Box<Diagnostic>> {
    text.parse::<Expect>().map_err(|fault| {
        let message = format!("`{key}`: {}", fault.message);
        Box::new(Diagnostic::error("EV021", message).hint(fault.hint))
    })
}

/// EV024 for an expiry that cannot be read.
fn parse_days(text: &str) -> Result<i64, Box<Diagnostic>> {
    let day = 86_400;
    let days = parse_duration(text)
        .filter(|duration| duration.as_secs() >= day)
        .and_then(|duration| i64::try_from(duration.as_secs() / day).ok());
    days.ok_or_else(|| {
        let message = format!("`expires_after: {text}` is no number of days");
        Box::new(Diagnostic::error("EV024", message).hint("write a number of days, such as 180d"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Sources, Checked<ClaimsFile>) {
        let mut sources = Sources::default();
        let file = sources.add("content/claims.yaml", text);
        let checked = read_claims(&sources, file);
        (sources, checked)
    }

    fn check(text: &str, code: &str, marked: &str) {
        let (sources, checked) = read(text);
        let found = checked.diagnostics.first().unwrap_or_else(|| panic!("no finding: {text}"));
        let crate::diag::Place::Text(span) = found.place else { panic!("{found:?}") };
        assert_eq!((found.code, sources.slice(span)), (code, marked), "{found:?}");
        assert!(found.hint.is_some(), "{found:?}");
    }

    #[test]
    fn the_documented_entry_is_read_with_its_places() {
        let text = "# of guide.md\nC14:\n  grade: measured   # how\n  evidence: [T1#flip-strict, R2]\n  expect: [\"flip-strict.destroy_local == 2\", \"flip-strict.lost == 0\"]\n  holds: {envoy: \"<1.39\"}\n  control: \"flip-none.destroy_local == 0\"\n  expires_after: 180d\n";
        let (sources, checked) = read(text);
        assert_eq!(checked.diagnostics, []);
        let entry = &checked.value.entries[0];
        assert_eq!(sources.slice(entry.id.span), "C14");
        assert_eq!(sources.slice(entry.evidence[1].span), "R2");
        assert_eq!(sources.slice(entry.expect[1].span), "\"flip-strict.lost == 0\"");
        assert_eq!(sources.line(entry.expect[1].span), 5);
        assert_eq!(entry.holds.to_string(), "envoy <1.39");
        assert_eq!(entry.expires_after, Some(180));
        assert!(!entry.unreadable && entry.control.is_some());
    }

    #[test]
    fn findings_point_at_the_word() {
        check("C7:\n  grade: tested\n", "EV004", "tested");
        check("C7:\n  grade: mesured\n", "EV004", "mesured");
        check("K7:\n  grade: measured\n", "EV024", "K7");
        check("C7:\n  grade: measured\n  evidence: [T1, X]\n", "EV006", "X");
        check("C7:\n  grade: measured\n  expect: [\"flip.n = 2\"]\n", "EV021", "\"flip.n = 2\"");
        check("C7:\n  grade: measured\n  control: \"n == 2\"\n", "EV021", "\"n == 2\"");
        check("C7:\n  grade: measured\n  holds: {envoy: \"1.39\"}\n", "EV024", "\"1.39\"");
        check("C7:\n  grade: measured\n  expires_after: 12h\n", "EV024", "12h");
    }

    #[test]
    fn unknown_keys_and_duplicates_are_refused() {
        check("C7:\n  grade: measured\n  expct: []\n", "EV024", "expct: []");
        let (_, checked) = read("C7:\n  grade: measured\nC7:\n  grade: measured\n");
        assert_eq!(checked.diagnostics[0].code, "EV024");
        for empty in ["", "# nothing\n"] {
            assert_eq!(read(empty).1.diagnostics, []);
        }
    }

    #[test]
    fn an_entry_that_is_partly_wrong_is_marked() {
        let (_, checked) = read("C7:\n  grade: measured\n  evidence: [T1, X]\n");
        assert!(checked.value.entries[0].unreadable);
        assert_eq!(checked.value.entries[0].evidence.len(), 1);
    }
}
