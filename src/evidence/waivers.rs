//! `evidence/waivers.yaml`: a finding that is known and allowed until a day. It is shown on the
//! page and ends by itself.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Deserialize;

use super::ordered::Ordered;
use crate::diag::Diagnostic;

/// Where waivers stand.
pub(super) const WAIVERS: &str = "evidence/waivers.yaml";

/// A waiver, by the id of its claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Waiver {
    /// The state that is allowed, such as `stale`.
    pub(crate) state: String,
    /// The last day.
    pub(crate) until: String,
    /// Why.
    pub(crate) reason: String,
    /// Who allows it.
    pub(crate) by: String,
    /// Its line in the file.
    #[serde(skip)]
    pub(crate) line: usize,
    /// The last day, read.
    #[serde(skip)]
    pub(crate) last_day: Option<Date>,
}

/// The waivers by claim.
pub(crate) type Waivers = BTreeMap<String, Waiver>;

/// The states that can be waived.
const STATES: &[&str] = &["failed", "absent", "unsupported", "stale", "pending"];

/// Understands the file's entries.
pub(super) fn understand(raw: Ordered<Waiver>, found: &mut Vec<Diagnostic>) -> Waivers {
    let mut out = Waivers::new();
    for (key, mut waiver) in raw.0 {
        waiver.line = usize::try_from(key.referenced.line()).unwrap_or(0);
        waiver.last_day = waiver.until.parse().ok();
        let fault = if !STATES.contains(&waiver.state.as_str()) {
            Some((format!("state \"{}\" cannot be waived", waiver.state), STATES.join(", ")))
        } else if waiver.last_day.is_none() {
            Some((format!("`until: {}` is no date", waiver.until), "write 2026-11-29".to_owned()))
        } else {
            None
        };
        if let Some((what, hint)) = fault {
            let message = format!("waiver for {}: {what}", key.value);
            let at = Some(waiver.line);
            found.push(Diagnostic::error("EV118", message).in_file(WAIVERS, at).hint(hint));
        }
        out.insert(key.value, waiver);
    }
    out
}

impl Waiver {
    /// Whether it still holds on a day.
    pub(crate) fn holds(&self, as_of: Option<Date>) -> bool {
        match (self.last_day, as_of) {
            (Some(last), Some(as_of)) => as_of <= last,
            (last, _) => last.is_some(),
        }
    }
}

/// EV209: a waiver that has ended.
pub(super) fn ended(waivers: &Waivers, as_of: Option<Date>) -> Vec<Diagnostic> {
    let over = waivers.iter().filter(|(_, w)| w.last_day.is_some() && !w.holds(as_of));
    over.map(|(claim, waiver)| {
        Diagnostic::error("EV209", format!("waiver for {claim} ended on {}", waiver.until))
            .in_file(WAIVERS, Some(waiver.line))
            .note(format!("given by {}: {}", waiver.by, waiver.reason))
            .hint("see to the claim and take the waiver out, or give a new one with a new day")
    })
    .collect()
}
