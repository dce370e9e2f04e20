//! YAML into types, with the place of what is wrong: duplicate and unknown keys and aliases are
//! errors, and the size is bounded.

use serde::de::DeserializeOwned;

use crate::diag::nearest;

/// Largest YAML text that is read, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// What is wrong with a YAML text, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlFault {
    /// One sentence.
    pub(crate) message: String,
    /// The next step, where a known name is near.
    pub(crate) hint: Option<String>,
    /// Line in the text, from 1.
    pub(crate) line: usize,
    /// Column in characters, from 1.
    pub(crate) column: usize,
}

/// Reads one YAML document into `T`.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, YamlFault> {
    if text.len() > MAX_BYTES {
        let message = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
        return Err(YamlFault { message, hint: None, line: 1, column: 1 });
    }
    serde_saphyr::from_str_with_options(text, strict()).map_err(|error| fault(&error))
}

/// Reads every document of a YAML text; empty ones are left out.
pub(crate) fn documents(text: &str) -> Result<Vec<serde_json::Value>, YamlFault> {
    if text.len() > MAX_BYTES {
        let message = format!("the text is larger than {} MiB", MAX_BYTES >> 20);
        return Err(YamlFault { message, hint: None, line: 1, column: 1 });
    }
    let mut options = strict();
    // No type says what is a string: a key such as `n` is one, whatever older YAML took it for.
    options.no_schema = false;
    serde_saphyr::from_multiple_with_options(text, options).map_err(|error| fault(&error))
}

/// The options for our own files: no aliases, no duplicate keys, bounded.
fn strict() -> serde_saphyr::Options {
    let mut options = serde_saphyr::Options::default();
    options.duplicate_keys = serde_saphyr::DuplicateKeyPolicy::Error;
    options.no_schema = true;
    options.with_snippet = false;
    if let Some(budget) = options.budget.as_mut() {
        budget.max_aliases = 0;
        budget.max_anchors = 0;
        budget.max_depth = 64;
    }
    options
}

/// The library's error as sentence, place and hint.
fn fault(error: &serde_saphyr::Error) -> YamlFault {
    let (line, column) =
        error.location().map_or((1, 1), |at| (at.line() as usize, at.column() as usize));
    let (message, hint) = match error.without_snippet() {
        serde_saphyr::Error::SerdeUnknownField { field, expected, .. } => {
            unknown_name(field, expected.iter().copied())
        }
        serde_saphyr::Error::SerdeUnknownVariant { variant, expected, .. } => {
            unknown_name(variant, expected.iter().copied())
        }
        other => (first_line(&other.to_string()), None),
    };
    YamlFault { message, hint, line: line.max(1), column: column.max(1) }
}

/// The first line of an error text, without a trailing "at line …".
fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or(text).trim();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let cut = line.find(" at line ").unwrap_or(line.len());
    line[..cut].to_owned()
}

/// Sentence and hint for a name that is not known where it stands.
pub(crate) fn unknown_name<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> (String, Option<String>) {
    let known: Vec<&str> = known.into_iter().collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", known.join(", ")),
    };
    (format!("`{name}` is not known here"), Some(hint))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[serde(default)]
        _timeout: Option<String>,
        #[serde(default)]
        _title: Option<String>,
    }

    #[test]
    fn an_unknown_key_has_a_place_and_a_hint() {
        let fault = parse::<Sample>("_title: x\n_timout: 3s\n").expect_err("unknown key");
        assert_eq!((fault.line, fault.column), (2, 1));
        assert_eq!(fault.hint.as_deref(), Some("did you mean `_timeout`?"));
    }

    #[test]
    fn aliases_and_duplicates_are_refused() {
        assert!(parse::<BTreeMap<String, String>>("a: &x 1\nb: *x\n").is_err());
        assert!(parse::<BTreeMap<String, String>>("a: 1\na: 2\n").is_err());
    }

    #[test]
    fn documents_are_read_one_by_one() {
        let text = "---\nkind: A\nn: 2\nv: \"2\"\n---\n# nothing\n---\nkind: B\nok: true\n";
        let found = documents(text).expect("valid");
        let expect = [
            serde_json::json!({"kind": "A", "n": 2, "v": "2"}),
            serde_json::json!({"kind": "B", "ok": true}),
        ];
        assert_eq!(found, expect);
        assert_eq!(documents("a: 1\n---\nb: [\n").expect_err("open list").line, 3);
    }

    #[test]
    fn a_number_is_no_string() {
        let fault = parse::<BTreeMap<String, String>>("kubernetes: 1.30\n");
        assert!(fault.is_err(), "{fault:?}");
    }
}
