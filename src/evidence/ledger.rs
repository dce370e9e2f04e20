//! The ledger of what was published, `evidence/ledger/`: one file a seal, never edited. It lets
//! the builder notice what no present file shows: claims that vanished, wording that changed
//! without a word, corrections that were edited.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::claim::Claim;
use super::corrections::{CorrectionKind, Corrections};
use super::digests::digest;
use super::records::{Records, Source};
use crate::diag::{Checked, Diagnostic, Failure};
use crate::digest::sha256_tagged;
use crate::disk;

/// The folder of the seals.
pub(super) const LEDGER: &str = "evidence/ledger";

/// The only schema that is written and read.
const SCHEMA: &str = "labdoc.seal/1";

/// Whether a claim is still made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Standing {
    /// It is made.
    Active,
    /// It is no longer made.
    Withdrawn,
    /// Another claim took its place.
    Superseded,
}

/// A claim as it was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sealed {
    /// The day of the first seal that had it.
    pub(crate) first_published: String,
    /// The digest of its wording, live numbers by their names.
    pub(crate) statement: String,
    /// The statement as readers saw it.
    pub(crate) text: String,
    /// How it was known.
    pub(crate) grade: String,
    /// What it rested on.
    pub(crate) evidence: Vec<String>,
    /// Whether it was still made.
    pub(crate) state: Standing,
}

/// A source as it was read when it was sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SealedSource {
    url: String,
    product_version: Option<String>,
    locator: Option<String>,
    quote: Option<String>,
    accessed: Option<String>,
    snapshot: Option<String>,
}

impl SealedSource {
    /// A source as it is now.
    fn of(source: &Source) -> SealedSource {
        SealedSource {
            url: source.url.clone(),
            product_version: source.product_version.clone(),
            locator: source.locator.clone(),
            quote: source.quote.clone(),
            accessed: source.accessed.clone(),
            snapshot: source.snapshot.clone(),
        }
    }

    /// What of it changed although it was not read again: the field, and what it was.
    fn moved(&self, source: &Source) -> Option<(&'static str, String)> {
        if source.accessed > self.accessed {
            return None;
        }
        let url = (Some(self.url.clone()), Some(source.url.clone()));
        let fields = [
            ("quote", (self.quote.clone(), source.quote.clone())),
            ("locator", (self.locator.clone(), source.locator.clone())),
            ("url", url),
            ("product_version", (self.product_version.clone(), source.product_version.clone())),
            ("snapshot", (self.snapshot.clone(), source.snapshot.clone())),
        ];
        let changed = fields.into_iter().find(|(_, (was, now))| was != now);
        changed.map(|(name, (was, _))| (name, was.unwrap_or_else(|| "nothing".to_owned())))
    }
}

/// One seal as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seal {
    /// `labdoc.seal/1`.
    schema: String,
    /// The day on which it was made.
    pub(crate) date: String,
    /// Every claim that was ever published.
    pub(crate) claims: BTreeMap<String, Sealed>,
    /// The digests of the corrections.
    corrections: BTreeMap<String, String>,
    /// The sources as they were read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    sources: BTreeMap<String, SealedSource>,
    /// The digests of the reports' files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    reports: BTreeMap<String, String>,
    /// The digests of the seals that it knew, so that branches can be merged.
    knew: Vec<String>,
}

/// A seal with the name and the digest of its file.
#[derive(Clone, Debug)]
pub(super) struct Filed {
    /// Its path from the root.
    pub(super) path: String,
    /// Its digest.
    pub(super) digest: String,
    /// What it says.
    pub(super) seal: Seal,
}

/// All seals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    seals: Vec<Filed>,
    /// Whether a seal is missing or cannot be believed; then nothing is said by what is left.
    pub(super) broken: bool,
}

/// Reads every seal. EV017 for one that is missing or was edited.
///
/// # Errors
/// When a file is there and cannot be read.
pub(super) fn load(root: &Path) -> Result<Checked<Ledger>, Failure> {
    let folder = root.join(LEDGER);
    let mut ledger = Ledger::default();
    let mut found = Vec::new();
    if disk::is_folder(&folder) {
        for entry in disk::list(&folder)? {
            let Some(name) = entry.name.filter(|name| name.ends_with(".json")) else { continue };
            let path = format!("{LEDGER}/{name}");
            let bytes = disk::read(&entry.path)?;
            let digest = sha256_tagged(&bytes);
            let seal = serde_json::from_slice::<Seal>(&bytes);
            match seal.ok().filter(|seal| name == file_name(seal, &digest) && seal.schema == SCHEMA)
            {
                Some(seal) => ledger.seals.push(Filed { path, digest, seal }),
                None => found.push(ev017(format!("{path} was edited after it was sealed"), &path)),
            }
        }
    }
    ledger.seals.sort_by(|a, b| a.path.cmp(&b.path));
    let known: BTreeSet<&str> = ledger.seals.iter().map(|filed| filed.digest.as_str()).collect();
    for filed in &ledger.seals {
        let missing = filed.seal.knew.iter().find(|digest| !known.contains(digest.as_str()));
        if let Some(missing) = missing.filter(|_| found.is_empty()) {
            let message =
                format!("{LEDGER}/ lacks the seal {}…, which {} knew", short(missing), filed.path);
            found.push(ev017(message, &filed.path));
        }
    }
    ledger.broken = !found.is_empty();
    Ok(Checked { value: ledger, diagnostics: found })
}

/// EV017.
pub(super) fn ev017(message: String, path: &str) -> Diagnostic {
    Diagnostic::error("EV017", message)
        .in_file(path, None)
        .hint("restore the ledger from the version control; seals are only ever added")
}

/// The first digits of a tagged digest.
fn short(digest: &str) -> &str {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    hex.get(..8).unwrap_or(hex)
}

/// The file's name: day and the first digits of its digest.
fn file_name(seal: &Seal, digest: &str) -> String {
    format!("{}-{}.json", seal.date, short(digest))
}

/// The digest of a wording.
pub(super) fn statement_digest(wording: &str) -> String {
    digest(&json!(["labdoc.statement/1", wording]))
}

impl Ledger {
    /// Whether there is no seal.
    pub(crate) fn is_empty(&self) -> bool {
        self.seals.is_empty()
    }

    /// The seals that no other seal knew: one, or one a branch before it is merged.
    fn heads(&self) -> Vec<&Filed> {
        let known: BTreeSet<&String> = self.seals.iter().flat_map(|f| &f.seal.knew).collect();
        self.seals.iter().filter(|filed| !known.contains(&filed.digest)).collect()
    }

    /// Each published claim with the newest seals' entries about it.
    pub(super) fn published(&self) -> BTreeMap<&str, Vec<(&Filed, &Sealed)>> {
        let mut out: BTreeMap<&str, Vec<(&Filed, &Sealed)>> = BTreeMap::new();
        for filed in self.heads() {
            for (id, sealed) in &filed.seal.claims {
                out.entry(id).or_default().push((filed, sealed));
            }
        }
        out
    }

    /// A claim as it was published last.
    pub(crate) fn claim(&self, id: &str) -> Option<&Sealed> {
        self.heads().into_iter().rev().find_map(|filed| filed.seal.claims.get(id))
    }

    /// The wordings of a claim in all seals, oldest first, each once, with their day.
    pub(crate) fn wordings(&self, id: &str) -> Vec<(&str, &str)> {
        let mut out: Vec<(&str, &str, &str)> = Vec::new();
        for filed in &self.seals {
            let Some(sealed) = filed.seal.claims.get(id) else { continue };
            if out.last().is_none_or(|(_, _, digest)| *digest != sealed.statement) {
                out.push((&filed.seal.date, &sealed.text, &sealed.statement));
            }
        }
        out.into_iter().map(|(date, text, _)| (date, text)).collect()
    }

    /// The ids of all published claims.
    pub(crate) fn ids(&self) -> BTreeSet<&str> {
        self.published().into_keys().collect()
    }

    /// The digests of corrections that were sealed.
    pub(super) fn corrections(&self) -> BTreeMap<&str, &str> {
        let all = self.heads().into_iter().flat_map(|filed| &filed.seal.corrections);
        all.map(|(id, digest)| (id.as_str(), digest.as_str())).collect()
    }

    /// What of a source changed since it was sealed although it was not read again: a sentence.
    pub(super) fn moved_source(&self, id: &str, source: &Source) -> Option<String> {
        let sealed = self.heads().into_iter();
        let sealed = sealed.filter_map(|filed| Some((filed, filed.seal.sources.get(id)?)));
        // Of two branches that sealed it, one may have read it again: then it did not move.
        let moved = sealed.map(|(filed, sealed)| {
            let (field, was) = sealed.moved(source)?;
            let date = &filed.seal.date;
            Some(format!(
                "{field} of source {id} changed since it was sealed on {date} (was: {was}), and it was not read again"
            ))
        });
        moved.collect::<Option<Vec<String>>>()?.pop()
    }

    /// The digest of a report as it was sealed, and the day, where it is none that was sealed last.
    pub(super) fn other_report(&self, id: &str, digest: &str) -> Option<(&str, &str)> {
        let heads = self.heads().into_iter();
        let of = heads.filter_map(|filed| Some((filed.seal.reports.get(id)?, &filed.seal.date)));
        let sealed: Vec<(&String, &String)> = of.collect();
        let known = sealed.iter().any(|(sealed, _)| *sealed == digest);
        sealed.last().filter(|_| !known).map(|(sealed, date)| (sealed.as_str(), date.as_str()))
    }

    /// A new seal over what is there now; `None` where nothing changed since the last.
    pub(crate) fn next(&self, claims: &[Claim], records: &Records, date: Date) -> Option<Seal> {
        let corrections = &records.corrections;
        let mut all: BTreeMap<String, Sealed> = BTreeMap::new();
        for (id, entries) in self.published() {
            if let Some((_, sealed)) = entries.last() {
                let state = standing(id, corrections);
                all.insert(id.to_owned(), Sealed { state, ..(*sealed).clone() });
            }
        }
        for claim in claims {
            let before = all.get(&claim.id).map(|sealed| sealed.first_published.clone());
            all.insert(
                claim.id.clone(),
                Sealed {
                    first_published: before.unwrap_or_else(|| date.to_string()),
                    statement: statement_digest(&claim.wording),
                    text: claim.statement.clone(),
                    grade: claim.entry.grade.word().to_owned(),
                    evidence: claim.entry.evidence.iter().map(|e| e.value.to_string()).collect(),
                    state: standing(&claim.id, corrections),
                },
            );
        }
        let sources = records.sources.iter();
        let seal = Seal {
            schema: SCHEMA.to_owned(),
            date: date.to_string(),
            claims: all,
            corrections: corrections.0.iter().map(|c| (c.id.clone(), c.digest())).collect(),
            sources: sources.map(|(id, s)| (id.clone(), SealedSource::of(s))).collect(),
            reports: records.reports.iter().map(|(id, r)| (id.clone(), r.digest())).collect(),
            knew: self.seals.iter().map(|filed| filed.digest.clone()).collect(),
        };
        let same = |filed: &&Filed| filed.seal.says_the_same(&seal);
        let heads = self.heads();
        (heads.len() != 1 || !heads.iter().any(same)).then_some(seal)
    }
}

impl Seal {
    /// Whether another one says the same of everything.
    fn says_the_same(&self, other: &Seal) -> bool {
        self.claims == other.claims
            && self.corrections == other.corrections
            && self.sources == other.sources
            && self.reports == other.reports
    }

    /// Its file: path from the root, and text.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub(crate) fn file(&self) -> Result<(String, String), Failure> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Failure::new(format!("the seal cannot be written: {error}")))?;
        let text = format!("{text}\n");
        let name = file_name(self, &sha256_tagged(text.as_bytes()));
        Ok((format!("{LEDGER}/{name}"), text))
    }
}

/// Whether a claim is still made.
fn standing(id: &str, corrections: &Corrections) -> Standing {
    match corrections.ended(id).map(|correction| correction.kind) {
        None => Standing::Active,
        Some(CorrectionKind::Superseded) => Standing::Superseded,
        Some(_) => Standing::Withdrawn,
    }
}
