//! Links and images, and which addresses they may lead to.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType};

use super::escape::{escape, escape_href};
use super::walk::Walk;
use crate::book::visible;
use crate::diag::Diagnostic;

/// What an address may begin with.
const SCHEMES: &[&str] = &["http", "https", "mailto", "tel", "ftp", "ssh", "git"];

/// Whether an address can run nothing: relative, or of a known scheme. Browsers drop blanks and
/// control characters in a scheme, so they are dropped here too.
pub(super) fn is_safe(dest: &str, image: bool) -> bool {
    let plain: String = dest.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let Some(end) = plain.find([':', '/', '?', '#']) else { return true };
    if !plain[end..].starts_with(':') {
        return true;
    }
    let scheme = plain[..end].to_ascii_lowercase();
    let picture = image && plain.to_ascii_lowercase().starts_with("data:image/");
    SCHEMES.contains(&scheme.as_str()) || picture
}

impl Walk<'_> {
    /// A link begins.
    pub(super) fn start_link(
        &mut self,
        kind: LinkType,
        dest: &str,
        title: &str,
        range: &Range<usize>,
    ) {
        if !is_safe(dest, false) && kind != LinkType::Email {
            self.refuse(dest, range);
            self.link_ends.push("");
            return;
        }
        let href = if kind == LinkType::Email {
            escape_href(&format!("mailto:{dest}"))
        } else {
            escape_href(&self.world.href(dest).unwrap_or_else(|| dest.to_owned()))
        };
        let title = title_attribute(title);
        self.push(&format!("<a href=\"{href}\"{title}>"));
        self.link_ends.push("</a>");
        self.links += 1;
    }

    /// A link ends.
    pub(super) fn end_link(&mut self) {
        let end = self.link_ends.pop().unwrap_or("");
        if !end.is_empty() {
            self.links -= 1;
        }
        self.push(end);
    }

    /// An image, with all the events that make its text.
    pub(super) fn image(&mut self, dest: &str, title: &str, range: &Range<usize>) {
        let end = self.end_of(self.at - 1);
        let alt = self.plain(self.at..end);
        self.at = end + 1;
        if !is_safe(dest, true) {
            self.refuse(dest, range);
            self.push_text(&alt);
            return;
        }
        let source = escape_href(&self.world.href(dest).unwrap_or_else(|| dest.to_owned()));
        let size = match self.world.image_size(dest) {
            Some((width, height)) => format!(" width=\"{width}\" height=\"{height}\""),
            None => String::new(),
        };
        let alt = escape(&alt);
        let shown = if self.in_figure() { String::new() } else { title_attribute(title) };
        self.push(&format!("<img src=\"{source}\" alt=\"{alt}\"{shown}{size} loading=\"lazy\">"));
        if self.in_figure() {
            self.push(&format!("<figcaption>{}</figcaption>", escape(title)));
        }
    }

    /// The plain text of some events, as a reader sees it.
    pub(super) fn plain(&self, events: Range<usize>) -> String {
        let mut out = String::new();
        for (event, range) in &self.events[events] {
            match event {
                Event::Text(text) if self.text.get(range.clone()) == Some(text) => {
                    out.push_str(visible(self.text, range, &self.page.marks));
                }
                Event::Text(text) | Event::Code(text) => out.push_str(text),
                Event::SoftBreak | Event::HardBreak => out.push(' '),
                _ => {}
            }
        }
        out
    }

    /// Reports an address that could run something.
    fn refuse(&mut self, dest: &str, range: &Range<usize>) {
        let message = format!("`{dest}` is an address that could run something");
        let hint = "a link is relative, or begins with https:, http:, mailto: or tel:";
        self.report(Diagnostic::error("PG013", message).hint(hint), range.clone());
    }
}

/// A title attribute, where there is a title.
pub(super) fn title_attribute(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(title)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_run_something_are_refused() {
        for dest in ["a.md", "../b/", "#설치", "https://x/y:z", "mailto:a@b", "a/b:c", "?q=a:b"] {
            assert!(is_safe(dest, false), "{dest}");
        }
        for dest in ["javascript:alert(1)", " JAVA\tscript:x", "vbscript:x", "data:text/html,x"] {
            assert!(!is_safe(dest, false), "{dest}");
            assert!(!is_safe(dest, true), "{dest}");
        }
        assert!(is_safe("data:image/png;base64,AA", true));
        assert!(!is_safe("data:image/png;base64,AA", false));
    }
}
