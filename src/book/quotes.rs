//! Curly quotes, where a book asks for them. The parser's own are made for languages that set a
//! blank or a full stop behind a quote: in `"정책"은` it takes the second one for an opening one.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::events::Spanned;

/// The events with curly quotes in running text. Each is an event of its own, so that all other
/// text stays a piece of the page.
pub(super) fn curl<'a>(text: &'a str, events: Vec<Spanned<'a>>) -> Vec<Spanned<'a>> {
    let mut out = Vec::with_capacity(events.len());
    let mut open = Open::default();
    let mut code = false;
    for (event, range) in events {
        match &event {
            Event::Start(Tag::CodeBlock(_)) => code = true,
            Event::End(TagEnd::CodeBlock) => code = false,
            Event::Start(tag) if is_container(tag) => open = Open::default(),
            Event::Text(words)
                if !code
                    && words.contains(['"', '\''])
                    && text.get(range.clone()) == Some(words) =>
            {
                split(text, &range, &mut open, &mut out);
                continue;
            }
            _ => {}
        }
        out.push((event, range));
    }
    out
}

/// Which quotes are open.
#[derive(Default)]
struct Open {
    double: bool,
    single: bool,
}

/// Tags inside which quotes are paired.
fn is_container(tag: &Tag<'_>) -> bool {
    !matches!(
        tag,
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
    )
}

/// One event of text, taken apart at its quotes.
fn split<'a>(text: &'a str, range: &Range<usize>, open: &mut Open, out: &mut Vec<Spanned<'a>>) {
    let mut from = range.start;
    for (offset, typed) in text[range.clone()].match_indices(['"', '\'']) {
        let at = range.start + offset;
        let escaped = text[..at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
        if escaped {
            continue;
        }
        if from < at {
            out.push((Event::Text(text[from..at].into()), from..at));
        }
        out.push((Event::Text(curly(text, at, typed, open).into()), at..at + 1));
        from = at + 1;
    }
    if from < range.end {
        out.push((Event::Text(text[from..range.end].into()), from..range.end));
    }
}

/// The quote for the one that was typed at a place.
fn curly(text: &str, at: usize, typed: &str, open: &mut Open) -> &'static str {
    let before = text[..at].chars().next_back();
    let after = text[at + 1..].chars().next();
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
    if typed == "'" && (letter(before) && letter(after)) {
        return "’";
    }
    let begins = before.is_none_or(|c| c.is_whitespace() || "([{<*_~\"'“‘「『".contains(c));
    let ends = after.is_none_or(|c| c.is_whitespace() || ".,;:!?)]}".contains(c));
    let (is_open, pair) = match typed {
        "\"" => (&mut open.double, ["“", "”"]),
        _ => (&mut open.single, ["‘", "’"]),
    };
    let opens = if begins == ends { !*is_open } else { begins };
    *is_open = opens;
    pair[usize::from(!opens)]
}

#[cfg(test)]
mod tests {
    use super::super::events::{Markup, events};

    fn check(text: &str, expect: &str) {
        let markup = Markup { smart_quotes: true, ..Markup::default() };
        let mut html = String::new();
        let events = events(text, 0, markup);
        for (event, range) in &events {
            if let super::Event::Text(words) = event {
                let typed = &text[range.clone()];
                assert!(typed == words.as_ref() || matches!(typed, "\"" | "'" | "&quot;"));
            }
        }
        pulldown_cmark::html::push_html(&mut html, events.into_iter().map(|(event, _)| event));
        let html = html.trim().trim_start_matches("<p>").trim_end_matches("</p>");
        assert_eq!(html, expect, "{text}");
    }

    #[test]
    fn quotes_close_before_a_particle() {
        check("\"하나\"와 '둘'이다", "“하나”와 ‘둘’이다");
        check("**\"정책\"**은 *'값'*을", "<strong>“정책”</strong>은 <em>‘값’</em>을");
        check("그는 \"'안'과 밖\"이라", "그는 “‘안’과 밖”이라");
        check("(\"x\"), \"y\".", "(“x”), “y”.");
    }

    #[test]
    fn apostrophes() {
        check("it's \"don't\" 'isn't it'", "it’s “don’t” ‘isn’t it’");
    }

    #[test]
    fn code_escapes_and_references_stay_straight() {
        check("`\"x\"` \\\"y\\\" &quot;z&quot;", "<code>\"x\"</code> \"y\" \"z\"");
        check("--out 3... 1---2", "--out 3... 1---2");
    }
}
