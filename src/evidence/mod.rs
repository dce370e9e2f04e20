//! Claims, the runs behind them, and what can be said about them today.
//!
//! The way from files to words:
//! 1. [`load_bundles`] reads `evidence/T<n>/` and checks every run;
//! 2. [`read_claims`] reads the `claims.yaml` files, [`join`] joins them with the statements on
//!    the pages;
//! 3. [`judge_claims`] compares claims, runs and the present state of the documents ([`Now`]);
//! 4. [`findings`] turns the states into findings by the site's [`Policy`].
//!
//! The recorder writes a run with [`write_run`]; a transcript is judged with [`judge`].

mod bundle;
mod claim;
mod claims_file;
mod claims_raw;
mod conclude;
mod conditions;
mod digests;
mod evaluate;
mod expect;
mod expect_parse;
mod history;
mod holds;
mod join;
mod judge;
mod link;
mod manifest;
mod named;
mod now;
mod number;
mod policy;
mod reason;
mod record;
mod records;
mod reference;
mod stale;
mod state;
mod transcript;
mod validity;
mod verdict;
mod verdict_text;

#[cfg(test)]
mod tests;

pub(crate) use self::{
    bundle::{Bundle, Bundles, Run, ids_in_order, load_bundles},
    claim::Claim,
    claims_file::{ClaimsFile, read_claims},
    conclude::judge_claims,
    digests::{block_digest, capture_digest},
    join::{Site, join},
    judge::{Judged, judge},
    manifest::{Manifest, ManifestBlock, ManifestKit, ManifestRun},
    now::{Now, PlanNow, as_of},
    policy::{Policy, findings},
    reason::Reason,
    record::{Recording, new_run_id, next_bundle_id, write_run},
    records::{Records, Report, load_records},
    reference::EvidenceRef,
    state::{ClaimState, DecidingRun, Word},
    transcript::{Part, write_part},
    verdict::{
        Captured, Check, CheckOutcome, Digests, Inputs, Outcome, Output, Redaction, Runner, Verdict,
    },
};
