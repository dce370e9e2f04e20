//! JUnit XML: a page is a suite, a block is a case. Drift is a `failure`; a command that failed or
//! did not end is an `error`.

use std::fmt::Write as _;

use super::{BlockReport, PageReport, State};

/// The whole document.
pub(super) fn document(pages: &[PageReport]) -> String {
    let all: Vec<&BlockReport> = pages.iter().flat_map(|page| &page.blocks).collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"labdoc verify\" {}>", totals(&all));
    for page in pages {
        let blocks: Vec<&BlockReport> = page.blocks.iter().collect();
        let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", escape(&page.path), totals(&blocks));
        page.blocks.iter().for_each(|block| case(&mut out, &page.path, block));
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// The counts of a suite.
fn totals(blocks: &[&BlockReport]) -> String {
    let count = |states: &[State]| blocks.iter().filter(|b| states.contains(&b.state)).count();
    let seconds: f64 = blocks.iter().map(|block| block.duration.as_secs_f64()).sum();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\"",
        blocks.len(),
        count(&[State::Drifted]),
        count(&[State::Failed, State::Broken]),
        count(&[State::Skipped]),
    )
}

/// One block.
fn case(out: &mut String, path: &str, block: &BlockReport) {
    let name = if block.id.is_empty() { "page" } else { &block.id };
    let _ = writeln!(
        out,
        "    <testcase classname=\"{path}\" name=\"{}\" file=\"{path}\" line=\"{}\" time=\"{:.3}\">",
        escape(name),
        block.line,
        block.duration.as_secs_f64(),
        path = escape(path),
    );
    let _ = writeln!(
        out,
        "      <properties><property name=\"attempts\" value=\"{}\"/></properties>",
        block.attempts
    );
    let (why, details) = (escape(&block.why), escape(&block.details));
    let word = block.state.word();
    match block.state {
        State::Passed => {}
        State::Skipped => {
            let _ = writeln!(out, "      <skipped message=\"{why}\"/>");
        }
        State::Drifted => {
            let open = format!("<failure type=\"{word}\" message=\"{why}\">");
            let _ = writeln!(out, "      {open}{details}</failure>");
        }
        State::Failed | State::Broken => {
            let open = format!("<error type=\"{word}\" message=\"{why}\">");
            let _ = writeln!(out, "      {open}{details}</error>");
        }
    }
    if block.state.is_bad() && !block.output.is_empty() {
        let _ = writeln!(out, "      <system-out>{}</system-out>", escape(&block.output));
    }
    out.push_str("    </testcase>\n");
}

/// A text as XML; characters that XML 1.0 cannot hold are shown by their number.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            '\r' => out.push_str("&#13;"),
            '\u{fffe}' | '\u{ffff}' => out.push_str("⟨U+FFFE⟩"),
            c if c < ' ' => {
                let _ = write!(out, "⟨U+{:04X}⟩", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::document;

    #[test]
    fn drift_is_a_failure_and_a_failed_command_an_error() {
        let text = document(&sample());
        assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"labdoc verify\" tests=\"5\" failures=\"1\" errors=\"2\" skipped=\"1\" time=\"6.250\">\n"));
        assert!(text.contains("<testcase classname=\"content/가.md\" name=\"a\" file=\"content/가.md\" line=\"7\" time=\"1.250\">\n      <properties><property name=\"attempts\" value=\"1\"/></properties>\n    </testcase>\n"));
        assert!(text.contains("<failure type=\"drifted\" message=\"output differs\">a &lt;diff&gt;\n-⟨U+001B⟩[1m&amp; &quot;x&quot;]]&gt;</failure>"));
        assert!(text.contains("<error type=\"failed\" message=\"exit 3, expected 0\">"));
        assert!(text.contains("<error type=\"broken\" message=\"time limit of 2s\">"));
        assert!(text.contains("<skipped message=\"marked .skip # 1\"/>"));
        assert_eq!(text.matches("<testcase").count(), text.matches("</testcase>").count());
    }
}
