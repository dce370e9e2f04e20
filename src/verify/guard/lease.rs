//! One Lease for each namespace of a page: a second verifier is kept out while it is held.
//!
//! The Leases lie in namespace `default`, which always exists, so that a page may make and delete
//! its own namespaces. They expire by themselves when nobody renews them, by the clock of the API
//! server alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::kubectl::Kubectl;
use super::trouble::{Kind, Trouble};
use crate::diag::Failure;

/// Where the Leases lie.
const NAMESPACE: &str = "default";

/// Their path at the API server: asked for as it is, no discovery comes before.
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

/// How long a Lease holds when nobody renews it, in seconds.
const SECONDS: i64 = 90;

/// How often it is renewed.
const RENEW: Duration = Duration::from_secs(30);

/// The Leases of a page; given back when the value is dropped.
#[derive(Debug)]
pub(crate) struct Leases {
    kubectl: Kubectl,
    names: Vec<String>,
    holder: String,
    lost: Arc<AtomicBool>,
    renewer: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Leases {
    /// Takes one for each namespace, in sorted order, so that two verifiers never wait for each
    /// other.
    ///
    /// # Errors
    /// Somebody else holds one, or the cluster does not allow it.
    pub(crate) fn take(
        kubectl: &Kubectl,
        namespaces: &[String],
        holder: &str,
    ) -> Result<Leases, Failure> {
        let mut sorted = namespaces.to_vec();
        sorted.sort();
        sorted.dedup();
        let mut leases = Leases {
            kubectl: kubectl.clone(),
            names: Vec::new(),
            holder: holder.to_owned(),
            lost: Arc::default(),
            renewer: None,
        };
        for namespace in sorted {
            acquire(kubectl, &namespace, holder)?;
            leases.names.push(name(&namespace));
        }
        if !leases.names.is_empty() {
            leases.renewer = Some(leases.keep_renewing());
        }
        Ok(leases)
    }

    /// Whether one of them was taken by somebody else meanwhile.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    /// Renews them on a thread of its own until the sender is gone.
    fn keep_renewing(&self) -> (Sender<()>, JoinHandle<()>) {
        let (stop, stopped) = channel();
        let (kubectl, names) = (self.kubectl.clone(), self.names.clone());
        let (holder, lost) = (self.holder.clone(), Arc::clone(&self.lost));
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(RENEW) == Err(RecvTimeoutError::Timeout) {
                for name in &names {
                    if renew(&kubectl, name, &holder).is_err_and(|t| t.kind != Kind::Unreachable) {
                        lost.store(true, Ordering::SeqCst);
                    }
                }
            }
        });
        (stop, thread)
    }
}

impl Drop for Leases {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.renewer.take() {
            drop(stop);
            let _ = thread.join();
        }
        for name in &self.names {
            // One that cannot be given back expires by itself.
            let held =
                read(&self.kubectl, name).is_ok_and(|lease| holder_of(&lease) == self.holder);
            if held {
                let _ = self.kubectl.text(&["delete", "--raw", &path(name)], None);
            }
        }
    }
}

/// The name of the Lease that stands for a namespace.
fn name(namespace: &str) -> String {
    format!("labdoc-{namespace}")
}

/// The path of a Lease.
fn path(name: &str) -> String {
    format!("{LEASES}/{name}")
}

/// Sends a Lease: as a new one, or in place of the one whose version it has.
fn send(kubectl: &Kubectl, verb: &str, lease: &Value) -> Result<(), Trouble> {
    let at = match verb {
        "create" => LEASES.to_owned(),
        _ => path(lease["metadata"]["name"].as_str().unwrap_or_default()),
    };
    let text = lease.to_string();
    kubectl.text(&[verb, "--raw", &at, "-f", "-"], Some(text.as_bytes())).map(|_| ())
}

/// Takes the Lease of one namespace.
fn acquire(kubectl: &Kubectl, namespace: &str, holder: &str) -> Result<(), Failure> {
    let doing = format!("Lease for namespace {namespace}");
    let failed = |trouble: Trouble| trouble.failure(&doing);
    let fresh = lease(namespace, holder, Timestamp::now());
    match send(kubectl, "create", &fresh) {
        Ok(()) => return Ok(()),
        Err(trouble) if trouble.kind == Kind::Conflict => {}
        Err(trouble) => return Err(failed(trouble)),
    }
    let there = read(kubectl, &name(namespace)).map_err(failed)?;
    // A shard that is run again has the name of the pod that died.
    if holder_of(&there) != holder && !is_over(&there, server_time(kubectl).map_err(failed)?) {
        return Err(taken(namespace, &there));
    }
    // With the version that was read: of two verifiers that find it expired only one succeeds.
    let mut mine = fresh;
    mine["metadata"]["resourceVersion"] = there["metadata"]["resourceVersion"].clone();
    match send(kubectl, "replace", &mine) {
        Ok(()) => Ok(()),
        Err(trouble) if trouble.kind == Kind::Conflict => Err(taken(namespace, &there)),
        Err(trouble) => Err(failed(trouble)),
    }
}

/// What the clock of the API server says, which writes it into a Lease that is tried and not kept.
/// Those of the verifiers may be wrong: one that is an hour ahead would find every Lease expired.
fn server_time(kubectl: &Kubectl) -> Result<Timestamp, Trouble> {
    let tried = json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": { "generateName": "labdoc-clock-", "namespace": NAMESPACE },
    });
    let text = tried.to_string();
    let at = format!("{LEASES}?dryRun=All");
    let answer = kubectl.text(&["create", "--raw", &at, "-f", "-"], Some(text.as_bytes()))?;
    let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    let created = answer["metadata"]["creationTimestamp"].as_str();
    created.and_then(|time| time.parse().ok()).ok_or_else(|| {
        Trouble::new(Kind::Other, "the API server does not say when it would make a Lease")
    })
}

/// Somebody else holds it.
fn taken(namespace: &str, lease: &Value) -> Failure {
    let since = lease["spec"]["acquireTime"].as_str().unwrap_or("?");
    let message = format!(
        "namespace {namespace} is in use by another verifier: {}, since {since}",
        holder_of(lease)
    );
    let name = name(namespace);
    Failure::new(message).hint(format!(
        "wait for it; a verifier that died lets go within {SECONDS} s (kubectl -n {NAMESPACE} get lease {name})"
    ))
}

/// A Lease as it is written.
fn lease(namespace: &str, holder: &str, now: Timestamp) -> Value {
    let now = micro(now);
    json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": name(namespace),
            "namespace": NAMESPACE,
            "labels": { "app.kubernetes.io/managed-by": "labdoc" },
        },
        "spec": {
            "holderIdentity": holder,
            "leaseDurationSeconds": SECONDS,
            "acquireTime": now,
            "renewTime": now,
        },
    })
}

/// A time as Kubernetes writes its `MicroTime`.
fn micro(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}

/// Writes a new time into a Lease that is still the holder's.
fn renew(kubectl: &Kubectl, name: &str, holder: &str) -> Result<(), Trouble> {
    let mut lease = read(kubectl, name)?;
    if holder_of(&lease) != holder {
        return Err(Trouble::new(Kind::Conflict, "another verifier holds it"));
    }
    lease["spec"]["renewTime"] = json!(micro(Timestamp::now()));
    send(kubectl, "replace", &lease)
}

/// Reads a Lease.
fn read(kubectl: &Kubectl, name: &str) -> Result<Value, Trouble> {
    kubectl.json(&["get", "--raw", &path(name)])
}

/// Who holds a Lease.
fn holder_of(lease: &Value) -> &str {
    lease["spec"]["holderIdentity"].as_str().unwrap_or("")
}

/// When a Lease was last written, by the clock of the API server.
fn last_written(lease: &Value) -> Option<Timestamp> {
    let fields = lease["metadata"]["managedFields"].as_array()?;
    fields.iter().filter_map(|by| by["time"].as_str()?.parse().ok()).max()
}

/// Whether nobody has renewed a Lease for as long as it holds, `now` by the clock of the API
/// server; one whose times cannot be read has not expired.
fn is_over(lease: &Value, now: Timestamp) -> bool {
    let seconds = lease["spec"]["leaseDurationSeconds"].as_i64();
    let (Some(written), Some(seconds)) = (last_written(lease), seconds) else { return false };
    written.checked_add(SignedDuration::from_secs(seconds)).is_ok_and(|end| end < now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_expires_by_itself() {
        let at = |text: &str| text.parse::<Timestamp>().expect("time");
        // Its holder's clock is a day behind, which does not count.
        let mut lease = lease("lab", "a", at("2026-11-28T10:00:00Z"));
        let written = ["2026-11-29T09:59:30Z", "2026-11-29T10:00:00Z"];
        lease["metadata"]["managedFields"] = written.iter().map(|t| json!({"time": t})).collect();
        let check = |now: &str, expect| assert_eq!(is_over(&lease, at(now)), expect, "{now}");
        check("2026-11-29T10:00:00Z", false);
        check("2026-11-29T10:01:29Z", false);
        check("2026-11-29T10:01:31Z", true);
        assert!(!is_over(&json!({"spec": {}}), at("2027-01-01T00:00:00Z")));
        assert!(!is_over(
            &super::lease("lab", "a", at("2026-11-28T10:00:00Z")),
            at("2027-01-01T00:00:00Z")
        ));
    }

    #[test]
    fn who_holds_it_is_said() {
        let lease = lease("lab", "ann@host:7", "2026-11-29T10:00:00Z".parse().expect("time"));
        let message = taken("lab", &lease).message;
        assert_eq!(
            message,
            "namespace lab is in use by another verifier: ann@host:7, since 2026-11-29T10:00:00.000000Z"
        );
    }
}
