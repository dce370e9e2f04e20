//! Findings about documents, and failures of the tool.
//!
//! A [`Diagnostic`] says what is wrong with the documents and where: exit code 1. A [`Failure`]
//! says why the work could not be done: exit code 2. Findings are data until the edge draws them.

mod render;

pub(crate) use render::{json_line, render};

use std::fmt;

use crate::source::Span;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// The documents are wrong.
    Error,
    /// The documents may be wrong, or will be in a release.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word that is printed and written to JSON.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Where a finding stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Place {
    /// In a text that was read.
    Text(Span),
    /// In a file that is no text of ours, with a line where one is known.
    File(String, Option<usize>),
    /// Nowhere in particular.
    #[default]
    None,
}

/// One finding: what is wrong, where, the facts behind it, and the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// Its weight, after the policy.
    pub(crate) severity: Severity,
    /// Its documented code, such as `EV006`.
    pub(crate) code: &'static str,
    /// One sentence that names the thing that is missing or wrong.
    pub(crate) message: String,
    /// Where.
    pub(crate) place: Place,
    /// Facts, one a line.
    pub(crate) notes: Vec<String>,
    /// The next step.
    pub(crate) hint: Option<String>,
}

impl Diagnostic {
    /// An error without a place yet.
    pub(crate) fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }

    /// A warning without a place yet.
    pub(crate) fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    /// A note without a place yet.
    pub(crate) fn note_of(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, code, message)
    }

    /// A finding of any weight.
    pub(crate) fn new(
        severity: Severity,
        code: &'static str,
        message: impl Into<String>,
    ) -> Diagnostic {
        let message = message.into();
        Diagnostic { severity, code, message, place: Place::None, notes: Vec::new(), hint: None }
    }

    /// Points it at a span.
    pub(crate) fn at(mut self, span: Span) -> Diagnostic {
        self.place = Place::Text(span);
        self
    }

    /// Points it at a file that is no text of ours.
    pub(crate) fn in_file(mut self, path: impl Into<String>, line: Option<usize>) -> Diagnostic {
        self.place = Place::File(path.into(), line);
        self
    }

    /// Adds a fact.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Sets the next step.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }
}

/// A value together with what was found on the way to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checked<T> {
    /// The value, as good as it could be had.
    pub(crate) value: T,
    /// The findings.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Why the work could not be done; the command ends with exit code 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// One sentence.
    pub(crate) message: String,
    /// The next step.
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// A failure with its sentence.
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), hint: None }
    }

    /// Sets the next step.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The known name that `word` was probably meant to be, if one is near.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(word, name), name))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_a_typo_and_nothing_far_away() {
        assert_eq!(nearest("timout", ["timeout", "exit"]), Some("timeout"));
        assert_eq!(nearest("colour", ["timeout", "exit"]), None);
    }
}
