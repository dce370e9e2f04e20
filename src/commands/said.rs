//! Findings of the last build, to be said again by one that does not look at what they are about.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::diag::{Diagnostic, Place, Severity};
use crate::disk;
use crate::source::{FileId, Sources, Span};

/// A finding that is no error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Said<'a> {
    is_warning: bool,
    code: &'a str,
    message: &'a str,
    place: SaidPlace<'a>,
    #[serde(borrow)]
    notes: Vec<&'a str>,
    hint: Option<&'a str>,
}

/// Where a finding stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SaidPlace<'a> {
    /// In a text that was read: its path, and bytes of it.
    Text(&'a str, usize, usize),
    /// In a file, with a line where one is known.
    File(&'a str, Option<usize>),
    /// Nowhere in particular.
    None,
}

impl<'a> Said<'a> {
    /// A finding; `None` for an error.
    pub(super) fn of(finding: &'a Diagnostic, sources: &'a Sources) -> Option<Said<'a>> {
        let is_warning = match finding.severity {
            Severity::Error => return None,
            Severity::Warning => true,
            Severity::Note => false,
        };
        let place = match &finding.place {
            Place::Text(span) => SaidPlace::Text(sources.path(span.file), span.start, span.end),
            Place::File(path, line) => SaidPlace::File(path, *line),
            Place::None => SaidPlace::None,
        };
        Some(Said {
            is_warning,
            code: finding.code,
            message: &finding.message,
            place,
            notes: finding.notes.iter().map(String::as_str).collect(),
            hint: finding.hint.as_deref(),
        })
    }

    /// Whether it stands in this file.
    pub(super) fn is_in(&self, path: &str) -> bool {
        match self.place {
            SaidPlace::Text(known, ..) | SaidPlace::File(known, _) => known == path,
            SaidPlace::None => false,
        }
    }

    /// Its code.
    pub(super) fn code(&self) -> &'a str {
        self.code
    }

    /// The text that it points at, by its path from the root.
    pub(super) fn text(&self) -> Option<&'a str> {
        match self.place {
            SaidPlace::Text(path, ..) => Some(path),
            _ => None,
        }
    }
}

/// The findings as they were, and the texts that they point at; `None` where one is not there.
pub(super) fn findings(said: &[Said<'_>], root: &Path) -> Option<(Vec<Diagnostic>, Sources)> {
    let mut sources = Sources::default();
    let mut files: BTreeMap<&str, FileId> = BTreeMap::new();
    for path in said.iter().filter_map(Said::text) {
        if !files.contains_key(path) {
            let text = String::from_utf8(disk::read(&root.join(path)).ok()?).ok()?;
            files.insert(path, sources.add(path, text));
        }
    }
    let finding = |said: &Said<'_>| {
        let severity = if said.is_warning { Severity::Warning } else { Severity::Note };
        // A process says them once, and there are few.
        let code: &'static str = said.code.to_owned().leak();
        let mut finding = Diagnostic::new(severity, code, said.message);
        finding.place = match said.place {
            SaidPlace::Text(path, start, end) => {
                let file = *files.get(path)?;
                sources.text(file).get(start..end)?;
                Place::Text(Span::new(file, start..end))
            }
            SaidPlace::File(path, line) => Place::File(path.to_owned(), line),
            SaidPlace::None => Place::None,
        };
        finding.notes = said.notes.iter().map(|note| (*note).to_owned()).collect();
        finding.hint = said.hint.map(str::to_owned);
        Some(finding)
    };
    let findings = said.iter().map(finding).collect::<Option<_>>()?;
    Some((findings, sources))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::render;

    #[test]
    fn what_was_said_is_said_again_word_for_word() {
        let dir = disk::temporary_folder("labdoc-test-").expect("temp");
        disk::write(&dir.path().join("content/a.md"), "# 가\n\nodd word\n".as_bytes())
            .expect("write");
        let mut sources = Sources::default();
        let file = sources.add("content/a.md", "# 가\n\nodd word\n");
        let at = Diagnostic::warning("XX001", "odd").at(Span::new(file, 7..10)).note("why");
        let elsewhere = Diagnostic::note_of("XX002", "n").in_file("a.html", Some(3)).hint("do");
        let nowhere = Diagnostic::warning("XX003", "w");
        let all = [at, elsewhere, nowhere];
        let said: Vec<Said<'_>> =
            all.iter().map(|finding| Said::of(finding, &sources).expect("no error")).collect();
        let bytes = postcard::to_allocvec(&said).expect("bytes");
        let read: Vec<Said<'_>> = postcard::from_bytes(&bytes).expect("read");
        assert!(read[0].is_in("content/a.md") && read[1].is_in("a.html") && !read[2].is_in(""));
        let (again, texts) = findings(&read, dir.path()).expect("there");
        for (was, is) in all.iter().zip(&again) {
            assert_eq!(render(is, &texts, false), render(was, &sources, false));
        }
        let error = Diagnostic::error("XX004", "e");
        assert_eq!(Said::of(&error, &sources), None);
        disk::write(&dir.path().join("content/a.md"), b"").expect("write");
        assert!(findings(&read, dir.path()).is_none());
    }
}
