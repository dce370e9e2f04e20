//! Findings as workflow commands: a forge shows them beside the line they are about.

use crate::diag::{Diagnostic, Place, Severity};
use crate::source::Sources;

/// One finding as `::error file=…,line=…,col=…,title=…::message`.
pub(crate) fn annotation(finding: &Diagnostic, sources: &Sources) -> String {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = match &finding.place {
        Place::Text(span) => {
            let at = sources.position(*span);
            let file = property(sources.path(span.file));
            format!("file={file},line={},col={},", at.line, at.column)
        }
        Place::File(path, line) => {
            format!("file={},line={},", property(path), line.unwrap_or(1))
        }
        Place::None => String::new(),
    };
    properties.push_str(&format!("title=labdoc {}", property(finding.code)));
    let mut message = finding.message.clone();
    for more in finding.notes.iter().chain(&finding.hint) {
        message.push('\n');
        message.push_str(more);
    }
    format!("::{level} {properties}::{}", data(&message))
}

/// A text behind the last colons.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text as the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    #[test]
    fn one_line_that_names_the_place() {
        let mut sources = Sources::default();
        let file = sources.add("content/a,b.md", "x\n가나 y\n");
        let finding = Diagnostic::error("VR001", "100% off: differs")
            .at(Span::new(file, 5..8))
            .note("-a\n+b")
            .hint("refresh");
        assert_eq!(
            annotation(&finding, &sources),
            "::error file=content/a%2Cb.md,line=2,col=2,title=labdoc VR001::100%25 off: differs%0A-a%0A+b%0Arefresh"
        );
    }
}
