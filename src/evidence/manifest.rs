//! `manifest.yaml`: the plan of a run as it was.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::holds::Environment;
use crate::diag::Failure;
use crate::yaml::{self, YamlFault};

/// The only schema that is written and read.
pub(crate) const MANIFEST_SCHEMA: &str = "labdoc.bundle/1";

/// The plan of a run: what was to be run, on what, and which checks a result must name. In a
/// page's bundle it is written by the recorder; in a foreign one by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// `labdoc.bundle/1`.
    pub(crate) schema: String,
    /// `T7`.
    pub(crate) id: String,
    /// One line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) title: String,
    /// The page's path from the root; none in a foreign bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<String>,
    /// The claims it backs (foreign bundles only).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) claims: Vec<String>,
    /// The page's blocks in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) blocks: Vec<ManifestBlock>,
    /// Captured values: name to regular expression.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) captures: BTreeMap<String, String>,
    /// The part of a kit that the run could see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kit: Option<ManifestKit>,
    /// How it is run without labdoc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<ManifestRun>,
    /// The plan: a result must name each of these.
    #[serde(default)]
    pub(crate) checks: Vec<String>,
    /// The environment that is asked for; versions match by their parts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) environment: Environment,
    /// Where the kit came from: information only, never part of a digest or a state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<ManifestSource>,
}

/// One block as it was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ManifestBlock {
    /// Its id.
    pub(crate) id: String,
    /// `console`; a shell block where it is not written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    /// The options that were in effect; a class such as `.teardown` is `teardown: "true"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) options: BTreeMap<String, String>,
    /// The commands, byte for byte.
    pub(crate) text: String,
    /// The printed output, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expected: Option<String>,
    /// The value classes that could vary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) vary: Vec<String>,
}

/// The part of a kit that the run could see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ManifestKit {
    /// A folder under `labkit/`.
    pub(crate) name: String,
    /// Paths in it.
    #[serde(default)]
    pub(crate) files: Vec<String>,
}

/// How a bundle is run without labdoc.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ManifestRun {
    /// Program and arguments.
    pub(crate) command: Vec<String>,
    /// Limit in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_s: Option<u64>,
    /// Variables that were set for the run, parameters of the page among them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env: BTreeMap<String, String>,
    /// What `HOME` was: `temporary`, a new and empty folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) home: Option<String>,
    /// Names of the caller's variables that the run could see. Their values are not recorded:
    /// they may be secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) passed: Vec<String>,
}

/// The repository's state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ManifestSource {
    /// Commit id; quoted where it looks like a number.
    pub(crate) commit: String,
    /// Whether there were changes beside it.
    #[serde(default)]
    pub(crate) dirty: bool,
}

impl Manifest {
    /// An empty plan of a bundle.
    pub(crate) fn new(id: impl Into<String>) -> Manifest {
        Manifest { schema: MANIFEST_SCHEMA.into(), id: id.into(), ..Manifest::default() }
    }

    /// Reads the text of a `manifest.yaml`.
    pub(crate) fn parse(text: &str) -> Result<Manifest, YamlFault> {
        let manifest: Manifest = yaml::parse(text)?;
        if manifest.schema == MANIFEST_SCHEMA {
            return Ok(manifest);
        }
        let line = text.lines().position(|line| line.starts_with("schema:")).unwrap_or(0) + 1;
        let message = format!("schema `{}` is not known here", manifest.schema);
        Err(YamlFault { message, hint: Some(format!("use {MANIFEST_SCHEMA}")), line, column: 1 })
    }

    /// The text of `manifest.yaml`. Block texts are kept exactly: what the reader would not give
    /// back equal in readable form is written quoted.
    ///
    /// # Errors
    /// When neither form reads back equal, which would be a bug of the writer.
    pub(crate) fn to_text(&self) -> Result<String, Failure> {
        for quote_all in [false, true] {
            let text = serde_saphyr::to_string_with_options(self, style(quote_all))
                .map_err(|error| Failure::new(format!("cannot write manifest.yaml: {error}")))?;
            if Manifest::parse(&text).as_ref() == Ok(self) {
                return Ok(text);
            }
        }
        Err(Failure::new(format!("manifest.yaml of {} does not read back as written", self.id)))
    }

    /// The block of that id.
    pub(crate) fn block(&self, id: &str) -> Option<&ManifestBlock> {
        self.blocks.iter().find(|block| block.id == id)
    }

    /// Whether the bundle was recorded without a page.
    pub(crate) fn is_foreign(&self) -> bool {
        self.page.is_none()
    }
}

/// The writer's options: block texts as literal blocks, no folding.
fn style(quote_all: bool) -> serde_saphyr::SerializerOptions {
    let mut options = serde_saphyr::SerializerOptions::default();
    options.folded_wrap_chars = usize::MAX;
    options.quote_all = quote_all;
    options
}

/// A scalar that YAML reads as a number where a string is needed: key, text as written, and what
/// it reads as. Versions are where it happens: `1.30` is 1.3.
pub(crate) fn number_for_string(line: &str) -> Option<(&str, &str, String)> {
    let entry = line.trim().trim_start_matches("- ").trim_start_matches('{');
    let (key, rest) = entry.rsplit_once(": ")?;
    let key = key.rsplit([',', '{']).next().unwrap_or(key).trim();
    let value = rest.split(" #").next().unwrap_or(rest).trim().trim_end_matches('}').trim();
    let number: f64 = value.parse().ok().filter(|number: &f64| number.is_finite())?;
    Some((key, value, number.to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(text: &str) -> Manifest {
        let block = ManifestBlock {
            id: "flip".into(),
            options: BTreeMap::from([("timeout".into(), "60s".into())]),
            text: text.into(),
            expected: Some(text.into()),
            vary: vec!["ip".into()],
            ..ManifestBlock::default()
        };
        let source = ManifestSource { commit: "3fce3b5".into(), dirty: false };
        Manifest {
            page: Some("content/guide.md".into()),
            blocks: vec![block],
            captures: BTreeMap::from([("flip.n".into(), r"n .* = \+?(\d+)".into())]),
            checks: vec!["flip".into()],
            environment: Environment::from([("kubernetes".into(), "1.30".into())]),
            source: Some(source),
            ..Manifest::new("T7")
        }
    }

    fn check(text: &str) {
        let manifest = sample(text);
        let written = manifest.to_text().unwrap_or_else(|failure| panic!("{text:?}: {failure}"));
        assert_eq!(Manifest::parse(&written).as_ref(), Ok(&manifest), "{written}");
    }

    #[test]
    fn block_texts_survive_exactly() {
        for text in [
            "",
            "\n",
            "echo a\n",
            "echo a",
            "  indented\nless\n",
            "a\n\n\n",
            "\n\na",
            "tab\there\n\ttab\n",
            "trailing  \n",
            "cr\r\nlf\n",
            "# no comment\n",
            "--- \n...\n",
            "한글 '따옴표' \"둘\" \\n\n",
            "\u{feff}bom\u{85}nel\u{2028}\u{7}bell",
            "true",
            "1.30",
            "null",
            "~",
            "- a: b",
            "&anchor *alias !tag",
            "%dir",
        ] {
            check(text);
        }
    }

    #[test]
    fn a_block_is_written_readably() {
        let text = sample("set -e\nkubectl get pods\n").to_text().expect("writes");
        assert!(text.contains("\n    set -e\n") || text.contains("\n      set -e\n"), "{text}");
        assert!(text.contains("\"1.30\"") || text.contains("'1.30'"), "{text}");
    }

    #[test]
    fn the_documented_example_is_read() {
        let text = r#"schema: labdoc.bundle/1
id: T7
title: Pod restart keeps the volume
page: guide.md                         # none in a foreign bundle
claims: [C3, C12]
blocks: [{id: flip, options: {timeout: 60s}, text: "…", expected: "…", vary: [ip]}]
captures: {flip.destroy_local: 'destroy_local .* = \+?(\d+)'}
kit: {name: dns-gslb, files: ["manifests/pvc.yaml", "scripts/up.sh"]}
run: {command: ["bash", "run.sh"], timeout_s: 900}
checks: [pod-ready, data-kept]
environment: {kubernetes: "1.30"}
source: {commit: 3fce3b5, dirty: false}
"#;
        let manifest = Manifest::parse(text).expect("documented");
        assert_eq!(manifest.checks, ["pod-ready", "data-kept"]);
        assert_eq!(manifest.captures["flip.destroy_local"], r"destroy_local .* = \+?(\d+)");
    }

    #[test]
    fn a_version_that_reads_as_a_number_is_found() {
        let found = |line| number_for_string(line);
        assert_eq!(found("  kubernetes: 1.30"), Some(("kubernetes", "1.30", "1.3".into())));
        assert_eq!(
            found("environment: {kubernetes: 1.30}"),
            Some(("kubernetes", "1.30", "1.3".into()))
        );
        assert_eq!(found("  kubernetes: \"1.30\""), None);
    }

    proptest! {
        #[test]
        fn any_text_survives(text in "(?s)[ -~\\n\\t한\\r]{0,60}") {
            check(&text);
        }
    }
}
