//! What the header of a page may say. Unknown keys are refused.

use std::collections::BTreeMap;

/// What kind of document a page is.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Deserialize,
    schemars::JsonSchema,
    serde::Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PageKind {
    /// A guide whose commands anyone can run.
    LabGuide,
    /// A decision that rests on measurements.
    DecisionBrief,
    /// How to act.
    OperationsGuide,
    /// Questions and answers.
    Qna,
    /// A raw report.
    Report,
    /// Anything else.
    #[default]
    Page,
}

/// The header of a page. Unknown keys are refused.
#[derive(Clone, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FrontMatter {
    /// Title.
    pub(crate) title: Option<String>,
    /// One sentence below the title, and for search engines.
    pub(crate) description: Option<String>,
    /// Kind of document.
    pub(crate) kind: PageKind,
    /// Date of writing, `2026-11-29`.
    pub(crate) date: Option<String>,
    /// Date of the last change.
    pub(crate) updated: Option<String>,
    /// Tags.
    pub(crate) tags: Vec<String>,
    /// Category.
    pub(crate) category: Option<String>,
    /// What the page is about; compared with the runs.
    pub(crate) environment: BTreeMap<String, String>,
    /// For whom.
    pub(crate) audience: Option<String>,
    /// What a reader needs.
    pub(crate) prerequisites: Vec<String>,
    /// A folder under `labkit/`.
    pub(crate) kit: Option<String>,
    /// Parameters: environment variables of the blocks.
    pub(crate) params: BTreeMap<String, String>,
    /// How the page is run.
    pub(crate) verify: Option<VerifyHeader>,
    /// Old addresses.
    pub(crate) aliases: Vec<String>,
    /// Left out of a build without `--drafts`.
    pub(crate) draft: bool,
    /// Order in its folder.
    pub(crate) weight: Option<i64>,
    /// Anything; templates see it.
    pub(crate) extra: BTreeMap<String, serde_json::Value>,
}

/// The header's `verify:`.
#[derive(Clone, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct VerifyHeader {
    /// The page's bundle, `T1`.
    pub(crate) bundle: Option<String>,
    /// Where the blocks run.
    pub(crate) workdir: Option<Workdir>,
    /// The part of the kit that the run sees; all of it when empty.
    pub(crate) uses: Vec<String>,
    /// Time limit of a block.
    pub(crate) timeout: Option<String>,
    /// Time limit of the page.
    pub(crate) page_timeout: Option<String>,
    /// Value classes that may vary in every output of the page.
    pub(crate) vary: Vec<String>,
    /// What the page needs.
    pub(crate) needs: Vec<String>,
    /// Namespaces that the page touches.
    pub(crate) namespaces: Vec<String>,
    /// Environment variables that are passed through.
    pub(crate) env: Vec<String>,
    /// Captured values: `block.name` to regular expression.
    pub(crate) capture: BTreeMap<String, String>,
    /// Environment keys from captured values.
    pub(crate) measure: BTreeMap<String, String>,
    /// Pages to run before this one.
    pub(crate) after: Vec<String>,
    /// `empty: ok` allows a page without runnable blocks.
    pub(crate) empty: Option<String>,
}

/// Where the blocks of a page run.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema, serde::Serialize,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Workdir {
    /// A fresh copy of the declared part of the kit.
    Kit,
    /// A fresh, empty folder.
    Temp,
    /// The page's own folder.
    Page,
}
