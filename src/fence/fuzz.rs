//! What must hold for any header of a fence.

use super::{parse_braces, parse_duration, parse_header};

/// Reads bytes as a header. What is found, and what is wrong, lies in the text.
pub(crate) fn fence(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let holds = |range: &std::ops::Range<usize>| text.get(range.clone()).is_some();
    match parse_header(&text) {
        Ok(header) => {
            assert!(text.contains(&header.language), "the language is a word of the text");
            let Some(attributes) = header.attributes else { return };
            for word in attributes.id.iter().chain(&attributes.classes) {
                assert!(holds(&word.range), "{word:?}");
            }
            for pair in &attributes.pairs {
                assert!(holds(&pair.range), "{pair:?}");
                assert_eq!(
                    attributes.get(&pair.key).map(|first| &first.key),
                    Some(&pair.key),
                    "a pair is found by its key"
                );
            }
        }
        Err(fault) => assert!(holds(&fault.range), "{fault:?}"),
    }
    if text.starts_with('{')
        && let Err(fault) = parse_braces(&text, 0)
    {
        assert!(holds(&fault.range), "{fault:?}");
    }
    if let Some(duration) = parse_duration(&text) {
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
        assert!(["ms", "s", "m", "h", "d"].contains(&unit), "{text:?} is {duration:?}");
        assert!(!duration.is_zero(), "{text:?}");
    }
}
