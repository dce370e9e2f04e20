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
use super::policy::Policy;
use super::state::Word;
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
    /// The digests of the seals that it knew, so that branches can be merged.
    knew: Vec<String>,
}

/// A seal with the name and the digest of its file.
#[derive(Clone, Debug)]
struct Filed {
    path: String,
    digest: String,
    seal: Seal,
}

/// All seals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    seals: Vec<Filed>,
    /// Whether a seal is missing or cannot be believed; then nothing is said by what is left.
    broken: bool,
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
fn ev017(message: String, path: &str) -> Diagnostic {
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
fn statement_digest(wording: &str) -> String {
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
    fn published(&self) -> BTreeMap<&str, Vec<(&Filed, &Sealed)>> {
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
    fn corrections(&self) -> BTreeMap<&str, &str> {
        let all = self.heads().into_iter().flat_map(|filed| &filed.seal.corrections);
        all.map(|(id, digest)| (id.as_str(), digest.as_str())).collect()
    }

    /// A new seal over what is there now; `None` where nothing changed since the last.
    pub(crate) fn next(
        &self,
        claims: &[Claim],
        corrections: &Corrections,
        date: Date,
    ) -> Option<Seal> {
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
        let corrections = corrections.0.iter().map(|c| (c.id.clone(), c.digest())).collect();
        let knew = self.seals.iter().map(|filed| filed.digest.clone()).collect();
        let date = date.to_string();
        let seal = Seal { schema: SCHEMA.to_owned(), date, claims: all, corrections, knew };
        let same = |filed: &&Filed| {
            filed.seal.claims == seal.claims && filed.seal.corrections == seal.corrections
        };
        let heads = self.heads();
        (heads.len() != 1 || !heads.iter().any(same)).then_some(seal)
    }
}

impl Seal {
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

/// What the ledger is compared with.
pub(super) struct Present<'a> {
    /// Whether a seal was ever made here (`[evidence] sealed`).
    pub(super) sealed: bool,
    /// The claims.
    pub(super) claims: &'a [Claim],
    /// The ids of all statements on pages, described or not.
    pub(super) stated: BTreeSet<&'a str>,
    /// The corrections.
    pub(super) corrections: &'a Corrections,
    /// How much findings weigh.
    pub(super) policy: &'a Policy,
}

/// Everything that the ledger shows: EV002, EV013 to EV017.
pub(super) fn check(ledger: &Ledger, present: &Present) -> Vec<Diagnostic> {
    if present.sealed && ledger.is_empty() && !ledger.broken {
        let message = format!("{LEDGER}/ is missing although the evidence was sealed");
        return vec![ev017(message, LEDGER)];
    }
    if ledger.broken {
        return Vec::new();
    }
    let mut out = vanished(ledger, present);
    let published = ledger.published();
    for claim in present.claims {
        let Some(entries) = published.get(claim.id.as_str()) else { continue };
        let sealed: Vec<&Sealed> = entries.iter().map(|(_, sealed)| *sealed).collect();
        let compared = Compared { claim, sealed, ledger, present };
        out.extend(compared.wording());
        out.extend(compared.grade());
    }
    out.extend(edited(ledger, present.corrections));
    out
}

/// EV013: published claims that are gone and were not withdrawn.
fn vanished(ledger: &Ledger, present: &Present) -> Vec<Diagnostic> {
    let published = ledger.published();
    let gone: Vec<(&str, &Filed, &Sealed)> = published
        .iter()
        .filter(|(id, _)| !present.stated.contains(**id))
        .filter(|(id, _)| present.corrections.ended(id).is_none())
        .filter_map(|(id, entries)| entries.last().map(|(filed, sealed)| (*id, *filed, *sealed)))
        .collect();
    // A fifth of everything at once is no edit: a folder was moved, or a file did not load.
    if gone.len() >= 3 && gone.len() * 5 > published.len() {
        let ids: Vec<&str> = gone.iter().map(|(id, ..)| *id).collect();
        let message = format!(
            "{} of {} published claims are gone at once; this is probably one load error",
            gone.len(),
            published.len()
        );
        let found = Diagnostic::error("EV013", message)
            .in_file(gone[0].1.path.clone(), None)
            .note(format!("gone: {}", ids.join(", ")))
            .hint("look for a page or a folder that is missing, misnamed or a draft");
        return vec![found];
    }
    gone.into_iter()
        .map(|(id, filed, sealed)| {
            let message = format!(
                "claim {id} was published on {} and is gone; restore it or withdraw it in corrections.yaml",
                sealed.first_published
            );
            Diagnostic::error("EV013", message)
                .in_file(filed.path.clone(), None)
                .note(format!("it said: {}", sealed.text))
                .hint(format!("put the sentence back with `{{#{id}}}`, or add a correction of kind `withdrawn`"))
        })
        .collect()
}

/// EV015: sealed corrections that were edited or are gone.
fn edited(ledger: &Ledger, corrections: &Corrections) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (id, sealed) in ledger.corrections() {
        let (what, line) = match corrections.get(id) {
            Some(correction) if correction.digest() == *sealed => continue,
            Some(correction) => ("entry edited after it was sealed", correction.line),
            None => ("entry was sealed and is gone", 0),
        };
        let found = super::corrections::at("EV015", format!("correction {id}: {what}"), line);
        out.push(found.hint("restore the entry; what was wrong in it is a new correction"));
    }
    out
}

/// A claim and what was published of it.
struct Compared<'a> {
    claim: &'a Claim,
    sealed: Vec<&'a Sealed>,
    ledger: &'a Ledger,
    present: &'a Present<'a>,
}

impl Compared<'_> {
    /// EV014 and EV002: the wording is the published one, or a correction says so.
    fn wording(&self) -> Option<Diagnostic> {
        let (claim, corrections) = (self.claim, self.present.corrections);
        let wording = statement_digest(&claim.wording);
        let last = self.sealed.last()?;
        if self.sealed.iter().any(|sealed| sealed.statement == wording) {
            return None;
        }
        if let Some(ended) = corrections.ended(&claim.id) {
            let word = ended.kind.word();
            let day = ended.dated();
            let id = &claim.id;
            let free = self.free_id();
            let message = format!(
                "claim id {id} was {word} on {day} and cannot be used again; next free id is {free}"
            );
            let found = Diagnostic::error("EV002", message).at(claim.span);
            return Some(
                found
                    .note(format!("it said: {}", last.text))
                    .hint(format!("give the new claim the id {free}")),
            );
        }
        let known = self.ledger.corrections();
        let new = corrections.of(&claim.id).filter(|c| !known.contains_key(c.id.as_str()));
        let mut said = new.filter(|c| c.kind.changes_wording()).peekable();
        let other = said.peek().map(|c| (c.id.clone(), c.now.clone()));
        if said.any(|correction| fits(&claim.wording, &correction.now)) {
            return None;
        }
        let message = format!(
            "wording of {} changed since it was published and no correction says so (was: \"{}\", now: \"{}\")",
            claim.id, last.text, claim.statement
        );
        let found = Diagnostic::error("EV014", message).at(claim.span);
        let found = match other {
            Some((id, now)) => found.note(format!("{id} says: \"{now}\"")),
            None => found,
        };
        Some(found.hint("restore the wording, or add a correction with `was` and `now` to evidence/corrections.yaml"))
    }

    /// EV016: the grade rose, and the evidence is the same.
    fn grade(&self) -> Option<Diagnostic> {
        let claim = self.claim;
        let last = self.sealed.last()?;
        let now = claim.entry.grade.word();
        let fresh = claim.entry.evidence.iter().map(|placed| placed.value.to_string());
        let fresh = fresh.filter(|e| !last.evidence.contains(e)).count() > 0;
        if fresh || rank(now) <= self.sealed.iter().map(|s| rank(&s.grade)).max()? {
            return None;
        }
        let message =
            format!("grade of {} rose from {} to {now} without new evidence", claim.id, last.grade);
        let found = self.present.policy.finding(Word::Unsupported, "EV016", message);
        Some(
            found
                .at(claim.entry.id.span)
                .note(format!("it rests on {}, as before", last.evidence.join(", ")))
                .hint("name the new evidence, or keep the grade"),
        )
    }

    /// The next id that was never used.
    fn free_id(&self) -> String {
        let letter = self.claim.id.chars().next().unwrap_or('C');
        let corrected = super::corrections::named(self.present.corrections);
        let ids = self.ledger.ids();
        let all = ids.iter().chain(&self.present.stated).chain(corrected.keys()).copied();
        let numbers = all.filter_map(|id| id.strip_prefix(letter)?.parse::<u64>().ok());
        format!("{letter}{}", numbers.max().unwrap_or(0) + 1)
    }
}

/// How much a grade claims.
fn rank(grade: &str) -> u8 {
    match grade {
        "measured" => 3,
        "reported" => 2,
        "official" => 1,
        _ => 0,
    }
}

/// Whether a text is a wording with its live numbers filled in.
fn fits(wording: &str, text: &str) -> bool {
    let text = super::claim::collapsed(text);
    let mut pattern = String::from("^");
    let mut rest = wording;
    while let Some((before, after)) = rest.split_once("{=") {
        pattern.push_str(&regex::escape(before));
        pattern.push_str(r"\S+?");
        rest = after.split_once('}').map_or("", |(_, behind)| behind);
    }
    pattern.push_str(&regex::escape(rest));
    pattern.push('$');
    regex::Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(&text))
}
