//! Pages against a real cluster. They run only where `LABDOC_CLUSTER=1` says that the cluster behind
//! `KUBECONFIG` is there for tests: `make test-cluster`. Images are those that the cluster has.
#![expect(
    clippy::disallowed_methods,
    reason = "tests prepare a site, ask kubectl and look at the disk themselves"
)]

mod guard;
mod pages;
mod support;
