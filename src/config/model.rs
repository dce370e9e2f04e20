//! The shape of `book.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::vary::Kind;

/// The whole file.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BookToml {
    /// `[book]`.
    pub(crate) book: BookTable,
    /// `[kit.NAME]`.
    #[serde(default)]
    pub(crate) kit: BTreeMap<String, KitTable>,
    /// `[verify]`.
    #[serde(default)]
    pub(crate) verify: VerifyTable,
    /// `[evidence]`.
    #[serde(default)]
    pub(crate) evidence: EvidenceTable,
    /// `[markup]`.
    #[serde(default)]
    pub(crate) markup: MarkupTable,
    /// `[links]`.
    #[serde(default)]
    pub(crate) links: LinksTable,
    /// `[theme]`.
    #[serde(default)]
    pub(crate) theme: ThemeTable,
    /// `[vars]`: what `{{ name }}` stands for on every page.
    #[serde(default)]
    pub(crate) vars: BTreeMap<String, serde_json::Value>,
    /// `[offline]`.
    #[serde(default)]
    pub(crate) offline: OfflineTable,
    /// `[environments.KEY]`: the versions that `labdoc bisect` may run a page with.
    #[serde(default)]
    pub(crate) environments: BTreeMap<String, Axis>,
}

/// `[environments.KEY]`: one thing of the environment, and how to run with a version of it.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Axis {
    /// The versions, oldest first.
    #[serde(default)]
    pub(crate) versions: Vec<String>,
    /// A command that lists them instead, oldest first.
    #[serde(default)]
    pub(crate) list: Option<String>,
    /// The variable that chooses one: `ENVOY=/opt/envoy-{version}/envoy`. `{root}` is the book's
    /// folder.
    pub(crate) set: String,
}

impl Axis {
    /// The variable and its value for a version.
    pub(crate) fn assignment(&self, version: &str, root: &std::path::Path) -> (String, String) {
        let (name, value) = self.set.split_once('=').unwrap_or((&self.set, "{version}"));
        let root = root.to_string_lossy();
        (name.to_owned(), value.replace("{version}", version).replace("{root}", &root))
    }
}

/// `[markup]`: what of Markdown is switched on beside the usual.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MarkupTable {
    /// `$x$` and `$$x$$` are formulas.
    pub(crate) math: bool,
    /// Straight quotes become curly ones; dashes and dots stay as typed.
    pub(crate) smart_quotes: bool,
}

/// `[links]`: the check of addresses outside the site.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LinksTable {
    /// Addresses that are not asked for, as patterns: `https://intranet.corp/**`.
    pub(crate) ignore: Vec<String>,
}

/// `[theme]`: the looks of the site.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ThemeTable {
    /// The version of the theme's interface that the site's own templates are written for.
    pub(crate) api: Option<u32>,
    /// A font file below `static/` for running text.
    pub(crate) font: Option<String>,
    /// Its bold face, where the font file does not hold all weights.
    pub(crate) font_bold: Option<String>,
    /// Custom properties of the light theme, without the two dashes.
    pub(crate) light: BTreeMap<String, String>,
    /// Those of the dark theme that differ.
    pub(crate) dark: BTreeMap<String, String>,
}

/// `[book]`; only the title has to be there.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BookTable {
    /// The site's title.
    pub(crate) title: String,
    /// Language of plain file names.
    #[serde(default = "korean")]
    pub(crate) language: String,
    /// Further languages: `a.en.md` is the English version of `a.md`.
    #[serde(default)]
    pub(crate) languages: Vec<String>,
    /// Version of the documents.
    #[serde(default)]
    pub(crate) version: Option<String>,
    /// One sentence about the site.
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// Address of the editor, with `{path}` for the page's path.
    #[serde(default)]
    pub(crate) edit_url: Option<String>,
    /// Where the site will stand; only for absolute addresses.
    #[serde(default)]
    pub(crate) base_url: Option<String>,
    /// Whether each page has a picture for links to it; only with `base_url`.
    #[serde(default)]
    pub(crate) cards: bool,
    /// Where the date of a page's last change comes from when its header has none.
    #[serde(default)]
    pub(crate) updated: Option<Updated>,
}

/// Sources of a page's last change beside its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Updated {
    /// The history of the Git repository that the book lies in.
    Git,
}

/// The default of `language`.
fn korean() -> String {
    "ko".to_owned()
}

/// `[kit.NAME]`.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct KitTable {
    /// Version shown and used in the archives' names.
    pub(crate) version: Option<String>,
    /// Files to publish although their names begin with a dot, or although they are ignored.
    pub(crate) include: Vec<String>,
}

/// `[verify]`.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct VerifyTable {
    /// Time limit of a block.
    pub(crate) timeout: Option<String>,
    /// Time limit of a page.
    pub(crate) page_timeout: Option<String>,
    /// Value classes for all pages, or a table of own classes.
    pub(crate) vary: VaryTable,
    /// Own classes, where `vary` names those for all pages.
    pub(crate) classes: BTreeMap<String, ClassTable>,
}

/// `vary = ["ip"]`, or `[verify.vary.NAME]`. TOML allows only one of the two in one file, so own
/// classes may also stand in `[verify.classes.NAME]`.
#[derive(Clone, Debug, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub(crate) enum VaryTable {
    /// Names of classes.
    Names(Vec<String>),
    /// Own classes.
    Classes(BTreeMap<String, ClassTable>),
}

impl Default for VaryTable {
    fn default() -> VaryTable {
        VaryTable::Names(Vec::new())
    }
}

/// A class of one's own.
#[derive(Clone, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClassTable {
    /// A regular expression; its groups are the values.
    pub(crate) pattern: String,
    /// Names are renamed consistently, quantities only have to have that form.
    #[serde(default = "name_kind")]
    pub(crate) kind: Kind,
}

/// The default of `kind`.
fn name_kind() -> Kind {
    Kind::Name
}

/// Level of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// An error.
    Error,
    /// A warning.
    #[default]
    Warn,
    /// Not reported; states are shown all the same.
    Off,
}

/// `[evidence]`.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EvidenceTable {
    /// Level of evidence rules in a draft build.
    pub(crate) default: Level,
    /// Written by the first seal.
    pub(crate) sealed: bool,
    /// After which time a source must be read again, such as `365d`.
    pub(crate) source_expires_after: Option<String>,
    /// Files under `evidence/` that are published as they are although a browser runs them.
    pub(crate) allow_active: Vec<String>,
    /// Levels of `--release` that differ from `error`, by state.
    pub(crate) release: BTreeMap<String, Level>,
}

/// `[offline]`.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OfflineTable {
    /// Whether the whole site is also packed into archives under `offline/`.
    pub(crate) archive: bool,
}
