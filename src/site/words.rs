//! States, grades and reasons in the site's language.

use super::Site;
use crate::evidence::{Reason, Word};
use crate::html::State;

/// How a claim's word is shown.
pub(super) fn shown(word: Word) -> State {
    match word {
        Word::Verified => State::Ok,
        // It stands, but no run of ours confirmed it: it does not look as if one had.
        Word::Reported | Word::Sourced | Word::Derived => State::Idle,
        Word::Stale => State::Stale,
        Word::Pending | Word::Unsupported | Word::Withdrawn | Word::Superseded => State::Idle,
        Word::Absent | Word::Failed | Word::Invalid => State::Bad,
    }
}

/// A claim's word in the site's language.
pub(super) fn state_word(site: &Site<'_>, word: Word) -> String {
    site.theme.word(&format!("state_{}", word.text())).to_owned()
}

/// A grade in the site's language.
pub(super) fn grade_word(site: &Site<'_>, grade: &str) -> String {
    site.theme.word(&format!("grade_{grade}")).to_owned()
}

/// A reason in the site's language, with the thing that it names. Rare ones are told in the
/// words of the findings.
pub(super) fn reason(site: &Site<'_>, reason: &Reason) -> String {
    let say = |key: &str, what: &str| site.theme.word(key).replace("{x}", what);
    match reason {
        Reason::Kit(files) => say("reason_kit", &files.join(", ")),
        Reason::Steps { changes, .. } => {
            let names: Vec<String> =
                changes.iter().map(|change| change.what.replace('`', "")).collect();
            say("reason_steps", &names.join(", "))
        }
        Reason::ClaimText(_) => say("reason_claim_text", ""),
        Reason::Age { date, .. } => say("reason_age", &date.to_string()),
        Reason::CheckFailed { check, .. } => say("reason_check", check),
        Reason::Broken { expect, found, .. } | Reason::Printed { expect, found, .. } => {
            say("reason_broken", &format!("{expect} ({found})"))
        }
        Reason::NoValue { names, .. } => say("reason_no_value", &names.join(", ")),
        Reason::Absent(what) => say("reason_absent", what),
        other => other.sentence(),
    }
}
