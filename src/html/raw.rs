//! Raw HTML of a page: as written, less comments, with its addresses resolved; what the content
//! security policy would block is an error and is left out.

use std::ops::Range;

use pulldown_cmark::{Event, TagEnd};

use super::escape::escape_href;
use super::links::is_safe;
use super::walk::Walk;
use crate::diag::Diagnostic;

/// Elements that the policy blocks, or that change how the rest of the page is read.
const BLOCKED: &[&str] = &[
    "script",
    "style",
    "iframe",
    "frame",
    "frameset",
    "object",
    "embed",
    "applet",
    "base",
    "meta",
    "link",
    "form",
    "plaintext",
    "xmp",
    "noembed",
    "noframes",
    "noscript",
    "template",
    "portal",
];
/// Attributes that hold an address.
const ADDRESSES: &[&str] =
    &["href", "src", "action", "formaction", "xlink:href", "poster", "data", "cite"];

/// What is wrong with raw HTML, and where in it.
struct Fault {
    message: String,
    range: Range<usize>,
}

/// One attribute: its name, its value (empty where there is none), and where the value stands.
struct Attribute<'a> {
    name: &'a str,
    value: &'a str,
    range: Range<usize>,
    value_range: Range<usize>,
}

impl Walk<'_> {
    /// A block of HTML, taken whole: a tag may run over several lines.
    pub(super) fn html_block(&mut self) {
        let end = self.events[self.at..]
            .iter()
            .position(|(event, _)| matches!(event, Event::End(TagEnd::HtmlBlock)));
        let events = self.at..self.at + end.unwrap_or(0);
        let mut html = String::new();
        let mut lines = Vec::new();
        for (event, range) in &self.events[events.clone()] {
            if let Event::Html(line) = event {
                lines.push((html.len(), range.clone()));
                html.push_str(line);
            }
        }
        self.at = events.end;
        self.raw(&html, &lines);
    }

    /// One tag or comment in running text.
    pub(super) fn inline_html(&mut self, html: &str, range: &Range<usize>) {
        self.raw(html, &[(0, range.clone())]);
    }

    /// Writes raw HTML, or reports it. `lines` says where each part of it stands in the page.
    fn raw(&mut self, html: &str, lines: &[(usize, Range<usize>)]) {
        let (clean, faults) = clean(html, &|dest| self.world.href(dest));
        if faults.is_empty() {
            self.push(clean.trim_start_matches('\n'));
        }
        for fault in faults {
            let line = lines.partition_point(|(at, _)| *at <= fault.range.start).max(1) - 1;
            let Some((at, place)) = lines.get(line) else { continue };
            let start = (place.start + fault.range.start - at).min(place.end);
            let end = (place.start + fault.range.end - at).clamp(start, place.end);
            let hint = "the pages' content security policy allows no inline script or style";
            self.report(Diagnostic::error("PG010", fault.message).hint(hint), start..end);
        }
    }
}

/// The HTML without comments and with resolved addresses, and what is wrong with it.
fn clean(html: &str, resolve: &dyn Fn(&str) -> Option<String>) -> (String, Vec<Fault>) {
    let mut out = String::with_capacity(html.len());
    let mut faults = Vec::new();
    let mut at = 0;
    while let Some(open) = html[at..].find('<').map(|found| at + found) {
        out.push_str(&html[at..open]);
        let rest = &html[open..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            at = comment.find("-->").map_or(html.len(), |end| open + 4 + end + 3);
        } else if rest.starts_with(['<', '/']) && is_tag(rest) {
            at = tag(html, open, resolve, (&mut out, &mut faults));
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            let range = open..open + 2;
            faults.push(Fault { message: "this markup has no place in a page".into(), range });
            at = open + 2;
        } else {
            out.push_str("&lt;");
            at = open + 1;
        }
    }
    out.push_str(&html[at..]);
    // A line that held only a comment leaves its line end.
    let out = if out.trim().is_empty() && !html.trim().is_empty() { String::new() } else { out };
    (out, faults)
}

/// Whether a tag begins here.
fn is_tag(rest: &str) -> bool {
    let name = rest[1..].strip_prefix('/').unwrap_or(&rest[1..]);
    name.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Takes the tag at `open`; returns where it ends.
fn tag(
    html: &str,
    open: usize,
    resolve: &dyn Fn(&str) -> Option<String>,
    (out, faults): (&mut String, &mut Vec<Fault>),
) -> usize {
    let slash = usize::from(html[open + 1..].starts_with('/'));
    let from = open + 1 + slash;
    let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
    let name_end = html[from..].find(ends).map_or(html.len(), |end| from + end);
    let name = html[from..name_end].to_ascii_lowercase();
    if BLOCKED.contains(&name.as_str()) {
        let message = format!("`<{name}>` has no place in a page");
        faults.push(Fault { message, range: open..name_end });
    }
    let mut copied = open;
    let mut at = name_end;
    while let Some(attribute) = attribute(html, at) {
        at = attribute.range.end;
        if let Some(message) = forbidden(&attribute) {
            faults.push(Fault { message, range: attribute.range.clone() });
        } else if ADDRESSES.contains(&attribute.name.to_ascii_lowercase().as_str())
            && let Some(href) = resolve(attribute.value)
        {
            out.push_str(&html[copied..attribute.value_range.start]);
            out.push_str(&format!("\"{}\"", escape_href(&href)));
            copied = attribute.value_range.end;
        }
    }
    let end = html[at..].find('>').map(|found| at + found + 1);
    if end.is_none() {
        let message = format!("the tag `<{name}` is not closed in this block of HTML");
        faults.push(Fault { message, range: open..name_end });
    }
    let end = end.unwrap_or(html.len());
    out.push_str(&html[copied..end]);
    end
}

/// The next attribute of a tag; `None` before its `>`.
fn attribute(html: &str, from: usize) -> Option<Attribute<'_>> {
    let blank = |c: char| c.is_ascii_whitespace() || c == '/';
    let start = from + html[from..].find(|c: char| !blank(c))?;
    if html[start..].starts_with('>') {
        return None;
    }
    // A name may begin with `=`, as browsers read it.
    let first = html[start..].chars().next()?.len_utf8();
    let stops = |c: char| blank(c) || matches!(c, '>' | '=');
    let name_end = html[start + first..].find(stops).map_or(html.len(), |e| start + first + e);
    let name = &html[start..name_end];
    let after = html[name_end..].trim_start_matches(|c: char| c.is_ascii_whitespace());
    let Some(value) = after.strip_prefix('=') else {
        let value_range = name_end..name_end;
        return Some(Attribute { name, value: "", range: start..name_end, value_range });
    };
    let value = value.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let at = html.len() - value.len();
    let (inner, end) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let close = value[1..].find(quote).map_or(html.len(), |end| at + 1 + end);
            (at + 1..close, (close + 1).min(html.len()))
        }
        _ => {
            let stops = |c: char| c.is_ascii_whitespace() || c == '>';
            let end = value.find(stops).map_or(html.len(), |end| at + end);
            (at..end, end)
        }
    };
    Some(Attribute { name, value: &html[inner], range: start..end, value_range: at..end })
}

/// Why an attribute may not stand in a page.
fn forbidden(attribute: &Attribute<'_>) -> Option<String> {
    let name = attribute.name.to_ascii_lowercase();
    if name == "style" || name == "srcdoc" || (name.starts_with("on") && name.len() > 2) {
        return Some(format!("the attribute `{name}=` has no place in a page"));
    }
    if !ADDRESSES.contains(&name.as_str()) {
        return None;
    }
    // A reference could spell a scheme; only `&amp;` is usual in an address.
    let value = attribute.value.replace("&amp;", "");
    let hides = value.split(['/', '?', '#']).next().is_some_and(|head| head.contains('&'))
        || value.contains("&#");
    let unsafe_address = hides || !is_safe(attribute.value, name == "src");
    unsafe_address.then(|| format!("`{}` is an address that could run something", attribute.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, expect: &str, faults: usize) {
        let resolve = |dest: &str| dest.strip_suffix(".md").map(|stem| format!("{stem}.html"));
        let (clean, found) = clean(html, &resolve);
        assert_eq!(found.len(), faults, "{html}");
        if faults == 0 {
            assert_eq!(clean, expect, "{html}");
        }
    }

    #[test]
    fn harmless_html_stays_as_written() {
        check("<kbd>Ctrl</kbd> <br/>", "<kbd>Ctrl</kbd> <br/>", 0);
        check("<a href=\"x.md\" title='a > b'>", "<a href=\"x.html\" title='a > b'>", 0);
        check("<a href=x.md>", "<a href=\"x.html\">", 0);
        check("<!-- labdoc {#a} -->\n", "", 0);
        check("<b>x<!-- <script> --></b> 1 < 2", "<b>x</b> 1 &lt; 2", 0);
    }

    #[test]
    fn what_the_policy_blocks_is_found() {
        for html in [
            "<script>alert(1)</script>",
            "<SCRIPT src=x></SCRIPT>",
            "<b style=\"color:red\" onclick=x>",
        ] {
            check(html, "", 2);
        }
        for html in [
            "<b style = 'x'>",
            "<img src=x onerror=alert(1)>",
            "<img/onerror=x/src=y>",
            "<svg/onload=x>",
            "<a href=\"java&#115;cript:x\">",
            "<a href=' javascript:x'>",
            "<a href=\"javascript&colon;x\">",
            "<div title=\"",
            "<div",
            "<?php x ?>",
            "<meta charset=x>",
            "<b ==x style=y>",
        ] {
            check(html, "", 1);
        }
    }
}
