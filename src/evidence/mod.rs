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
mod digests;
mod evaluate;
mod expect;
mod expect_parse;
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

pub(crate) use bundle::{Bundle, Bundles, Run, load_bundles};
pub(crate) use claim::Claim;
pub(crate) use claims_file::{ClaimsFile, read_claims};
pub(crate) use digests::{block_digest, capture_digest};
pub(crate) use join::{Site as JoinInputs, join};
pub(crate) use judge::{Judged, judge};
pub(crate) use manifest::{Manifest, ManifestBlock, ManifestKit, ManifestRun};
pub(crate) use now::{Now, PlanNow, as_of};
pub(crate) use policy::{Policy, findings};
pub(crate) use reason::Reason;
pub(crate) use record::{Recording, new_run_id, next_bundle_id, write_run};
pub(crate) use records::{Records, load_records};
pub(crate) use reference::EvidenceRef;
pub(crate) use state::{ClaimState, DecidingRun, Word, judge_claims};
pub(crate) use transcript::{Part, write_part};
pub(crate) use verdict::{Captured, Check, CheckOutcome, Digests, Inputs, Outcome, Output, Runner, Verdict};
