//! The terms of a text: words, and pairs of neighbouring syllables for scripts that set particles
//! behind a word or no spaces at all. `static/labdoc-search.js` takes a query apart by the same
//! rules; `tests/search/vectors.json` holds both to them.

use unicode_normalization::{UnicodeNormalization as _, is_nfc};

/// Behind a pair: the run of syllables ends here.
const END: char = '$';

/// One term and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term<'a> {
    /// `policy`, `정책`, `정책$` where the run ends, `책` for its last syllable.
    pub(super) text: &'a str,
    /// Counts words and syllables.
    pub(super) position: u32,
    /// Whether a word begins here.
    pub(super) start: bool,
}

/// Calls `each` for every term of `text`, positions from `first`; the position after the last.
pub(super) fn terms(text: &str, first: u32, mut each: impl FnMut(Term<'_>)) -> u32 {
    let text = if is_nfc(text) {
        text.to_lowercase()
    } else {
        text.nfc().collect::<String>().to_lowercase()
    };
    let mut position = first;
    let mut rest = text.chars().peekable();
    let mut start = true;
    let mut text = String::new();
    while let Some(c) = rest.next() {
        text.clear();
        text.push(c);
        if is_syllable(c) {
            while let Some(next) = rest.next_if(|c| is_syllable(*c)) {
                let ends = !rest.peek().is_some_and(|c| is_syllable(*c));
                text.push(next);
                if ends {
                    text.push(END);
                }
                each(Term { text: &text, position, start });
                text.clear();
                text.push(next);
                (start, position) = (false, position + 1);
            }
            each(Term { text: &text, position, start });
        } else if c.is_alphanumeric() {
            while let Some(next) = rest.next_if(|c| c.is_alphanumeric() && !is_syllable(*c)) {
                text.push(next);
            }
            each(Term { text: &text, position, start });
        } else {
            start = true;
            continue;
        }
        (start, position) = (false, position + 1);
    }
    position
}

/// Whether pairs of `c` and its neighbour are terms: Hangul, Kana, Han.
pub(super) fn is_syllable(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{3041}'..='\u{30ff}' | '\u{3131}'..='\u{318e}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One case of the file that the script's test reads, too.
    #[derive(serde::Deserialize)]
    struct Case {
        text: String,
        terms: Vec<(String, u32, bool)>,
    }

    /// The part of the file that is about terms.
    #[derive(serde::Deserialize)]
    struct Vectors {
        terms: Vec<Case>,
    }

    #[test]
    fn texts_are_taken_apart_as_the_vectors_say() {
        let text = include_str!("../../../tests/search/vectors.json");
        let vectors: Vectors = serde_json::from_str(text).expect("vectors");
        for case in vectors.terms {
            let mut got = Vec::new();
            terms(&case.text, 0, |term| {
                got.push((term.text.to_owned(), term.position, term.start))
            });
            assert_eq!(got, case.terms, "{}", case.text);
        }
    }
}
