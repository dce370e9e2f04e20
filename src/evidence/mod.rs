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
mod claims_edit;
mod claims_file;
mod claims_raw;
mod conclude;
mod conditions;
mod corrections;
mod digests;
mod evaluate;
mod expect;
mod expect_parse;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod history;
mod holds;
mod join;
mod judge;
mod ledger;
mod link;
mod manifest;
mod mutation;
mod named;
mod now;
mod number;
mod ordered;
mod policy;
mod published;
mod reason;
mod record;
mod records;
mod reference;
mod stale;
mod standing;
mod state;
mod transcript;
mod unpack;
mod upkeep;
mod validity;
mod verdict;
mod verdict_text;
mod waivers;

#[cfg(test)]
mod tests;

pub(crate) use self::{
    bundle::{Bundle, Bundles, Run, ids_in_order, load_bundles},
    claim::Claim,
    claims_edit::with_holds,
    claims_file::{ClaimsFile, read_claims},
    claims_raw::claims_schema,
    conclude::judge_claims,
    corrections::Correction,
    digests::{block_digest, capture_digest},
    expect::{Met, Name, Scope},
    holds::{Environment, Holds, matches_version},
    join::{Site, join},
    judge::{Judged, Judgement, judge},
    manifest::{Manifest, ManifestBlock, ManifestKit, ManifestRun},
    mutation::{Fate, Mutation, Tried},
    now::{Now, PlanNow, as_of, capture},
    policy::{Policy, findings},
    reason::Reason,
    record::{Recording, is_run_id, new_run_id, next_bundle_id, write_run},
    records::{Records, Report, Role, Source, load_records},
    reference::{EvidenceRef, id_order, is_bundle_id},
    standing::{Gone, check as standing, gone},
    state::{ClaimState, DecidingRun, EnvironmentRuns, LinkState, Word},
    transcript::{Part, write_part},
    unpack::{Files, archive, runs, unpack},
    verdict::{
        Captured, Check, CheckOutcome, Digests, Inputs, Outcome, Output, RULES, Redaction, Runner,
        Verdict,
    },
};
