//! Tests through the binary: given a small site in a world of its own, run `labdoc`, expect what
//! it prints, how it ends and what is on the disk afterwards.
#![expect(
    clippy::disallowed_methods,
    reason = "tests prepare a site and look at the disk themselves"
)]

mod bad_input;
mod bisect;
mod build_again;
mod build_edits;
mod build_evidence;
mod build_faults;
mod build_many;
mod build_site;
mod build_whole;
mod cluster;
mod cluster_run;
mod diagrams;
mod doctor;
mod documents;
mod evidence_commands;
mod exits;
mod external;
mod faults;
mod findings;
mod foreign;
mod guide;
mod hostile;
mod judge;
mod kill;
mod kit;
mod ledger;
mod links;
mod markdown;
mod mutate;
mod new;
mod offline;
mod options;
mod output;
mod pages;
mod record;
mod refresh;
mod reports;
mod scene;
mod secrets;
mod selection;
mod serve;
mod session;
mod site;
mod spelling;
#[allow(dead_code, unused_imports, reason = "shared with the other tests through the binary")]
mod support;
mod survivors;
mod tamper;
mod theme;
mod verify;
mod watch;
