//! What the ledger shows against the present documents: EV002 and EV013 to EV017.

use std::collections::{BTreeMap, BTreeSet};

use super::claim::Claim;
use super::corrections::Corrections;
use super::ledger::{Filed, LEDGER, Ledger, Sealed, ev017, statement_digest};
use super::policy::Policy;
use super::records::Report;
use super::state::Word;
use crate::diag::Diagnostic;

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
    /// The reports of others.
    pub(super) reports: &'a BTreeMap<String, Report>,
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
    out.extend(present.reports.iter().filter_map(|(id, report)| replaced(ledger, id, report)));
    out
}

/// EV116: a sealed report that is another file now.
fn replaced(ledger: &Ledger, id: &str, report: &Report) -> Option<Diagnostic> {
    let (sealed, date) = ledger.other_report(id, &report.digest())?;
    let message = format!(
        "report {id}: reports.yaml says sha256 {}, but {sealed} was sealed on {date}",
        report.digest()
    );
    let found = Diagnostic::error("EV116", message).in_file("evidence/reports.yaml", None);
    Some(found.hint("restore the file and its entry; a new version of a report is a new entry"))
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
