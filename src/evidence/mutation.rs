//! `evidence/T<n>/mutation.json`: which small changes of a page's kit and blocks its claims
//! noticed. Written by `labdoc mutate`, shown on the bundle's page.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::verdict::Inputs;
use crate::diag::Failure;
use crate::disk;

/// The only schema that is written and read.
const MUTATION_SCHEMA: &str = "labdoc.mutation/1";

/// The file's name in a bundle's folder.
pub(crate) const MUTATION_FILE: &str = "mutation.json";

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Fate {
    /// A claim no longer held.
    Noticed,
    /// Every claim still held.
    Survived,
    /// A block that no claim rests on failed: the experiment was not reached.
    Setup,
    /// It hung, forked or filled the disk, and was ended.
    Ended,
}

impl Fate {
    /// The word in JSON and on the page.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Fate::Noticed => "noticed",
            Fate::Survived => "survived",
            Fate::Setup => "setup",
            Fate::Ended => "ended",
        }
    }
}

/// One change, and who noticed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tried {
    /// `M3fa2c177`; depends on file and change only.
    pub(crate) id: String,
    /// The file, from the root.
    pub(crate) file: String,
    /// The line in it, from 1.
    pub(crate) line: usize,
    /// The change, in a few words.
    pub(crate) change: String,
    /// What became of it.
    pub(crate) outcome: Fate,
    /// The claims that noticed it; of a survivor those that should have.
    pub(crate) claims: Vec<String>,
}

/// The whole file. The mutants stand in the order in which the seed puts them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mutation {
    /// `labdoc.mutation/1`.
    pub(crate) schema: String,
    /// The page, from the root.
    pub(crate) page: String,
    /// What the order depends on.
    pub(crate) seed: u64,
    /// The claims that were looked at.
    pub(crate) claims: Vec<String>,
    /// What was changed and what was asked, as it was.
    pub(crate) inputs: Inputs,
    /// How many mutants there could be.
    pub(crate) possible: usize,
    /// Those that were tried.
    pub(crate) mutants: Vec<Tried>,
}

impl Mutation {
    /// One that has tried nothing yet.
    pub(crate) fn new(page: &str) -> Mutation {
        Mutation {
            schema: MUTATION_SCHEMA.to_owned(),
            page: page.to_owned(),
            ..Mutation::default()
        }
    }

    /// How many mutants came to this.
    pub(crate) fn count(&self, fate: Fate) -> usize {
        self.mutants.iter().filter(|tried| tried.outcome == fate).count()
    }

    /// Reads that of a bundle; `None` where there is none, or where it cannot be read: it is
    /// then made again and never believed.
    ///
    /// # Errors
    /// The file is there and the system does not give it.
    pub(crate) fn load(root: &Path, bundle: &str) -> Result<Option<Mutation>, Failure> {
        let Some(bytes) = disk::read_optional(&root.join("evidence").join(path(bundle)))? else {
            return Ok(None);
        };
        let read: Option<Mutation> = serde_json::from_slice(&bytes).ok();
        Ok(read.filter(|mutation| mutation.schema == MUTATION_SCHEMA))
    }

    /// Writes it into its bundle, one line a mutant.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn save(&self, root: &Path, bundle: &str) -> Result<(), Failure> {
        let json = |error| Failure::new(format!("cannot write {MUTATION_FILE}: {error}"));
        let bare = Mutation { mutants: Vec::new(), ..self.clone() };
        let head = serde_json::to_string(&bare).map_err(json)?;
        let lines: Result<Vec<String>, Failure> =
            self.mutants.iter().map(|tried| serde_json::to_string(tried).map_err(json)).collect();
        let head = head.strip_suffix("]}").unwrap_or(&head);
        let text = format!("{head}\n{}\n]}}\n", lines?.join(",\n"));
        Ok(disk::put_below(&root.join("evidence"), &path(bundle), text.as_bytes())?)
    }
}

/// Where it lies in `evidence/`.
fn path(bundle: &str) -> String {
    format!("{bundle}/{MUTATION_FILE}")
}
