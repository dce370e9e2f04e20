//! Which cluster pages may touch: named by the user and trusted by the user, or none.

use std::sync::atomic::AtomicUsize;

use serde_json::Value;

use super::kubectl::Kubectl;
use super::pin::{Pinned, current_context};
use super::trouble::{Kind, Trouble};
use super::trust::{TrustList, Trusted};
use crate::diag::Failure;
use crate::disk::Scratch;

/// A cluster that answered and said who it is.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// The context as it was pinned.
    pub(crate) pinned: Pinned,
    /// The UID of its namespace `kube-system`.
    pub(crate) uid: String,
    /// The version of its API server, without a leading `v`.
    pub(crate) version: Option<String>,
    /// How many pages run on it now, and how many have begun.
    pub(super) running: AtomicUsize,
    pub(super) begun: AtomicUsize,
    /// labdoc's own way to ask it.
    pub(crate) kubectl: Kubectl,
    /// Holds labdoc's own pinned kubeconfig.
    _folder: Scratch,
}

/// What pages that need a cluster get.
#[derive(Debug)]
pub(crate) enum Choice {
    /// This one.
    Cluster(Box<Cluster>),
    /// None, and why.
    None(String),
}

/// Asks the cluster behind a context who it is.
///
/// # Errors
/// The context is not known, or the cluster does not answer.
pub(crate) fn identify(context: Option<&str>) -> Result<Cluster, Failure> {
    let user = Kubectl::find().ok_or_else(no_kubectl)?;
    let name = match context {
        Some(name) => name.to_owned(),
        None => current_context(&user).ok_or_else(|| {
            Failure::new("there is no current context")
                .hint("name one: kubectl config get-contexts lists them")
        })?,
    };
    let doing = format!("context `{name}`");
    let pinned = Pinned::take(&user, &name).map_err(|trouble| trouble.failure(&doing))?;
    Cluster::open(&user, pinned)?.map_err(|trouble| trouble.failure(&doing))
}

/// No kubectl.
fn no_kubectl() -> Failure {
    Failure::new("kubectl is not in PATH").hint("install kubectl; labdoc runs the real one")
}

/// Chooses the cluster for pages that need one. Without `asked` it is the current context, and
/// where that is not trusted there is none.
///
/// # Errors
/// The cluster that was asked for is not trusted or cannot be used; or one that was trusted does
/// not answer any more.
pub(crate) fn choose(asked: Option<&str>) -> Result<Choice, Failure> {
    let trusted = TrustList::read()?;
    match asked {
        Some(name) => named(name, &trusted).map(|cluster| Choice::Cluster(Box::new(cluster))),
        None => current(&trusted),
    }
}

/// The cluster that `--context` names.
fn named(name: &str, trusted: &TrustList) -> Result<Cluster, Failure> {
    let cluster = identify(Some(name))?;
    if trusted.of(&cluster.uid).is_some() {
        return Ok(cluster);
    }
    let mut message = format!(
        "context `{name}` leads to a cluster that is not trusted ({}, identity {}); nothing was run",
        cluster.pinned.server, cluster.uid
    );
    if let Some(other) = trusted.clusters.iter().find(|known| known.context == name) {
        message.push_str(&format!(
            "; a context of this name was trusted for another cluster ({}, identity {})",
            other.server, other.uid
        ));
    }
    Err(Failure::new(message)
        .hint(format!("if labdoc may touch that cluster, say so once: labdoc trust {name}")))
}

/// The cluster of the current context, where it is trusted.
fn current(trusted: &TrustList) -> Result<Choice, Failure> {
    let none = |why: String| Ok(Choice::None(why));
    let Some(user) = Kubectl::find() else { return none("kubectl is not in PATH".to_owned()) };
    let Some(name) = current_context(&user) else {
        return none("there is no current context".to_owned());
    };
    if trusted.clusters.is_empty() {
        return none(format!("no cluster is trusted; labdoc trust {name} trusts the current one"));
    }
    let doing = format!("context `{name}`");
    let pinned = Pinned::take(&user, &name).map_err(|trouble| trouble.failure(&doing))?;
    let server = pinned.server.clone();
    match Cluster::open(&user, pinned)? {
        Ok(cluster) if trusted.of(&cluster.uid).is_some() => Ok(Choice::Cluster(Box::new(cluster))),
        Ok(cluster) => none(format!(
            "the current context `{name}` is not trusted (identity {}); labdoc trust {name} trusts it",
            cluster.uid
        )),
        // Only a cluster that was trusted by this address can be meant.
        Err(trouble) if may_be(trusted, &server) => Err(trouble.failure(&doing)),
        Err(trouble) => none(format!(
            "the current context `{name}` is not known to be trusted, and {}",
            trouble.kind.words()
        )),
    }
}

/// Whether the cluster at that address may be one of the trusted ones.
fn may_be(trusted: &TrustList, server: &str) -> bool {
    trusted.clusters.iter().any(|known| known.server.is_empty() || known.server == server)
}

impl Cluster {
    /// Pins a context and asks who is there. The inner error is what the cluster answers.
    fn open(user: &Kubectl, pinned: Pinned) -> Result<Result<Cluster, Trouble>, Failure> {
        let folder = Scratch::new()?;
        let path = folder.path().join("config");
        pinned.write(&path)?;
        let kubectl = user.on(&path);
        let uid = match identity(&kubectl) {
            Ok(uid) => uid,
            Err(trouble) => return Ok(Err(trouble)),
        };
        let version = kubectl.raw("/version").ok().and_then(|text| version(&text));
        let (running, begun) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Ok(Ok(Cluster { pinned, uid, version, running, begun, kubectl, _folder: folder }))
    }

    /// As an entry of the list of trusted clusters.
    pub(crate) fn entry(&self) -> Trusted {
        let (context, server) = (self.pinned.context.clone(), self.pinned.server.clone());
        Trusted { uid: self.uid.clone(), context, server }
    }

    /// Makes sure that the same cluster still answers.
    ///
    /// # Errors
    /// Another one answers, or none.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let doing = format!("context `{}`", self.pinned.context);
        let uid = identity(&self.kubectl).map_err(|trouble| trouble.failure(&doing))?;
        if uid == self.uid {
            return Ok(());
        }
        let message =
            format!("{doing} leads to another cluster now (identity {uid}, was {})", self.uid);
        Err(Failure::new(message))
    }
}

/// The UID of namespace `kube-system`.
pub(super) fn identity(kubectl: &Kubectl) -> Result<String, Trouble> {
    let text = kubectl.raw("/api/v1/namespaces/kube-system")?;
    let object: Value = serde_json::from_str(&text).unwrap_or_default();
    let uid = object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or("");
    if uid.is_empty() {
        let sentence = "what answers is no Kubernetes API server: namespace kube-system has no UID";
        return Err(Trouble::new(Kind::Other, sentence));
    }
    Ok(uid.to_owned())
}

/// The version out of the answer to `/version`.
fn version(text: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(text).ok()?;
    let version = answer.get("gitVersion")?.as_str()?;
    Some(version.strip_prefix('v').unwrap_or(version).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_written_as_pages_write_it() {
        assert_eq!(version(r#"{"gitVersion":"v1.34.4"}"#).as_deref(), Some("1.34.4"));
        assert_eq!(version("ok"), None);
    }

    #[test]
    fn only_a_trusted_address_makes_silence_a_failure() {
        let entry =
            |server: &str| Trusted { uid: "u".into(), context: "c".into(), server: server.into() };
        let check = |server: &str, expect| {
            let list = TrustList { clusters: vec![entry(server)] };
            assert_eq!(may_be(&list, "https://lab:6443"), expect, "{server}");
        };
        check("https://lab:6443", true);
        check("https://prod:6443", false);
        check("", true);
    }
}
