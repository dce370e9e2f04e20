//! Pages against a real cluster: the one behind `KUBECONFIG`, by `make test-cluster`; other runs
//! leave them out and count them as ignored. Images are those that the cluster has.
#![expect(
    clippy::disallowed_methods,
    reason = "tests prepare a site, ask kubectl and look at the disk themselves"
)]

#[path = "../cli/documents.rs"]
mod documents;
mod guard;
mod kit;
mod pages;
mod spelling;
mod spread;
mod support;
