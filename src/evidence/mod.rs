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
mod expect;
mod expect_parse;
mod holds;
mod manifest;
mod number;
mod record;
mod reference;
mod transcript;
mod validity;
mod verdict;
