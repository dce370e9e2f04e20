//! The cluster guard: pages touch the cluster that the user named and trusts, and no other.
//!
//! `trust` is the user's own list, `pin` the private kubeconfig with one context, `cluster` the choice
//! and the identity, `shim` what stands before kubectl in a session, `scene` a page on a cluster with
//! its `inventory`, `lease` and, where asked for, `confine`. All questions go through the real
//! `kubectl` with a time limit, and `trouble` tells what it complains about apart from drift.

mod cluster;
mod collect;
mod confine;
mod inventory;
mod kubectl;
mod lease;
mod pin;
mod scene;
mod shim;
mod trouble;
mod trust;

pub(crate) use cluster::{Choice, Cluster, choose, identify};
pub(crate) use kubectl::Kubectl;
pub(crate) use scene::{Compare, Scene, SceneOptions};
pub(crate) use trouble::{Kind, Trouble};
pub(crate) use trust::{TrustList, Trusted};
