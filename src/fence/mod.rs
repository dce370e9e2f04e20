//! The small language of a fence header: a language word and `{#id .class key=value}`.

mod duration;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;

use std::ops::Range;

pub(crate) use duration::parse_duration;

/// A word of a header with its place in the header text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// The word, quotes removed.
    pub(crate) text: String,
    /// Its byte range in the header text.
    pub(crate) range: Range<usize>,
}

/// A `key=value` with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// The key.
    pub(crate) key: String,
    /// The value, quotes removed; empty in `{=}`.
    pub(crate) value: String,
    /// The byte range of the whole pair.
    pub(crate) range: Range<usize>,
}

/// What stands between the braces of a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    /// `#id`.
    pub(crate) id: Option<Word>,
    /// `.class`, in order.
    pub(crate) classes: Vec<Word>,
    /// `key=value`, in order.
    pub(crate) pairs: Vec<Pair>,
}

impl Attributes {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Pair> {
        self.pairs.iter().find(|pair| pair.key == key)
    }

    /// Whether a class is set.
    pub(crate) fn has_class(&self, class: &str) -> bool {
        self.classes.iter().any(|word| word.text == class)
    }
}

/// A parsed header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// The language word, empty where there is none.
    pub(crate) language: String,
    /// The attributes, where braces are there.
    pub(crate) attributes: Option<Attributes>,
}

/// What is wrong with a header, and where in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderFault {
    /// One sentence.
    pub(crate) message: String,
    /// Byte range in the header text.
    pub(crate) range: Range<usize>,
}

/// Parses what follows the backticks of a fence.
pub(crate) fn parse_header(text: &str) -> Result<Header, HeaderFault> {
    let trimmed = text.trim_start();
    let start = text.len() - trimmed.len();
    let end = trimmed.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(trimmed.len());
    let language = trimmed[..end].to_owned();
    let rest_at = start + end;
    let rest = text[rest_at..].trim_start();
    if !rest.starts_with('{') {
        return Ok(Header { language, attributes: None });
    }
    let open = text.len() - rest.len();
    let attributes = parse_braces(text, open)?;
    Ok(Header { language, attributes: Some(attributes) })
}

/// Parses `{…}` that begins at `open` and must end the text.
pub(crate) fn parse_braces(text: &str, open: usize) -> Result<Attributes, HeaderFault> {
    let body = text[open..].trim_end();
    let end = open + body.len();
    if !body.ends_with('}') || body.len() < 2 {
        return Err(fault("the attributes are not closed with `}`", open..end));
    }
    let mut attributes = Attributes::default();
    let mut at = open + 1;
    let inner_end = end - 1;
    while let Some((word_start, word_end)) = next_word(text, at, inner_end)? {
        add_word(&mut attributes, text, word_start..word_end)?;
        at = word_end;
    }
    Ok(attributes)
}

/// The next word before `end`; a double-quoted part may hold blanks.
fn next_word(text: &str, from: usize, end: usize) -> Result<Option<(usize, usize)>, HeaderFault> {
    let rest = &text[from..end];
    let start = from + (rest.len() - rest.trim_start().len());
    if start >= end {
        return Ok(None);
    }
    let mut quoted = false;
    for (offset, c) in text[start..end].char_indices() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => return Ok(Some((start, start + offset))),
            _ => {}
        }
    }
    if quoted { Err(fault("a quote is not closed", start..end)) } else { Ok(Some((start, end))) }
}

/// Sorts one word into the attributes.
fn add_word(
    attributes: &mut Attributes,
    text: &str,
    range: Range<usize>,
) -> Result<(), HeaderFault> {
    let word = &text[range.clone()];
    if let Some(id) = word.strip_prefix('#') {
        if attributes.id.is_some() {
            return Err(fault("a second id; a fence has one", range));
        }
        check_id(id, &range)?;
        attributes.id = Some(Word { text: id.to_owned(), range });
    } else if let Some(class) = word.strip_prefix('.') {
        if class.is_empty() {
            return Err(fault("a class name is missing behind the dot", range));
        }
        attributes.classes.push(Word { text: class.to_owned(), range });
    } else if let Some((key, value)) = word.split_once('=') {
        if attributes.get(key).is_some() {
            return Err(fault(&format!("`{key}=` stands twice"), range));
        }
        let value = value.replace('"', "");
        attributes.pairs.push(Pair { key: key.to_owned(), value, range });
    } else {
        return Err(fault(&format!("`{word}` is neither #id, .class nor key=value"), range));
    }
    Ok(())
}

/// An id is a letter followed by letters, digits, `_` or `-`.
fn check_id(id: &str, range: &Range<usize>) -> Result<(), HeaderFault> {
    if is_id(id) {
        return Ok(());
    }
    let message = format!("`{id}` is no id: a letter, then letters, digits, `-` or `_`");
    Err(fault(&message, range.clone()))
}

/// Whether `id` has the form of a block id: `[A-Za-z][A-Za-z0-9_-]*`.
pub(crate) fn is_id(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// A fault at a range.
fn fault(message: &str, range: Range<usize>) -> HeaderFault {
    HeaderFault { message: message.to_owned(), range }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(text: &str) -> Attributes {
        parse_header(text).expect("valid header").attributes.expect("braces")
    }

    #[test]
    fn reads_language_id_classes_and_values() {
        let text = "sh {#setup .teardown timeout=5m title=\"a b\"}";
        let got = attributes(text);
        assert_eq!(got.id.expect("id").text, "setup");
        assert_eq!(got.classes[0].text, "teardown");
        assert_eq!(got.pairs[0].value, "5m");
        assert_eq!(got.pairs[1].value, "a b");
        assert_eq!(&text[got.pairs[0].range.clone()], "timeout=5m");
    }

    #[test]
    fn a_plain_fence_has_no_attributes() {
        assert_eq!(parse_header("bash").expect("ok").attributes, None);
        assert_eq!(parse_header("rust,ignore").expect("ok").language, "rust,ignore");
        assert_eq!(parse_header("").expect("ok").language, "");
    }

    #[test]
    fn faults_point_at_the_word() {
        let check = |text: &str, marked: &str| {
            let fault = parse_header(text).expect_err("fault");
            assert_eq!(&text[fault.range], marked, "{text}");
        };
        check("sh {#a #b}", "#b");
        check("sh {#1a}", "#1a");
        check("sh {#a timeout}", "timeout");
        check("sh {#a", "{#a");
        check("sh {#a t=1 t=2}", "t=2");
    }
}
