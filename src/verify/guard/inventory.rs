//! What is in the cluster before a page and after it; the difference is what the page left.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::kubectl::Kubectl;
use super::trouble::{Kind, Trouble};

/// The kinds outside namespaces that pages leave behind and other pages trip over.
const CLUSTER_KINDS: &str = "namespaces,customresourcedefinitions.apiextensions.k8s.io,\
mutatingwebhookconfigurations.admissionregistration.k8s.io,\
validatingwebhookconfigurations.admissionregistration.k8s.io,\
clusterroles.rbac.authorization.k8s.io,clusterrolebindings.rbac.authorization.k8s.io";

/// Kinds that the cluster writes by itself and takes away by itself.
const OWN_KINDS: &[&str] = &[
    "events",
    "events.events.k8s.io",
    "endpoints",
    "endpointslices.discovery.k8s.io",
    "leases.coordination.k8s.io",
    "controllerrevisions.apps",
    "pods.metrics.k8s.io",
];

/// Objects that appear in every namespace by themselves.
const OWN_OBJECTS: &[&str] =
    &["configmap/kube-root-ca.crt", "configmap/istio-ca-root-cert", "serviceaccount/default"];

/// One row for each object: kind, namespace, name, UID, owners, whether it is on its way out, and
/// the run of `cluster-run` that it is of.
const ROWS: &str = "jsonpath={range .items[*]}{.kind}{\"\\t\"}{.metadata.namespace}{\"\\t\"}\
{.metadata.name}{\"\\t\"}{.metadata.uid}{\"\\t\"}{.metadata.ownerReferences[*].uid}{\"\\t\"}\
{.metadata.deletionTimestamp}{\"\\t\"}{.metadata.labels.labdoc/run}{\"\\n\"}{end}";

/// How long one listing may take; a namespace has some dozen kinds.
const LIST_LIMIT: Duration = Duration::from_secs(30);

/// One object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Object {
    /// `configmap/web`, or `namespace dns-lab: configmap/web` for people.
    name: String,
    /// Its namespace; empty outside namespaces.
    namespace: String,
    /// Whether another object owns it, so that it goes with that one.
    owned: bool,
    /// Whether it is on its way out.
    leaving: bool,
}

/// The objects in a cluster at one moment, by UID.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inventory(BTreeMap<String, Object>);

impl Inventory {
    /// Lists the kinds outside namespaces, and everything in these namespaces.
    ///
    /// # Errors
    /// The cluster does not answer. What it forbids to list is not listed.
    pub(crate) fn take(kubectl: &Kubectl, namespaces: &[String]) -> Result<Inventory, Trouble> {
        let mut rows = list(kubectl, CLUSTER_KINDS, None)?;
        if !namespaces.is_empty() {
            let kinds = namespaced_kinds(kubectl)?;
            for namespace in namespaces {
                rows.push_str(&list(kubectl, &kinds, Some(namespace))?);
            }
        }
        Ok(Inventory::parse(&rows))
    }

    /// Reads rows.
    fn parse(rows: &str) -> Inventory {
        Inventory(rows.lines().filter_map(object).collect())
    }

    /// What is here and was not there before: whole namespaces by their name only, objects that
    /// belong to another one not at all, and nothing that the cluster makes by itself.
    pub(crate) fn left_since(&self, before: &Inventory) -> Vec<String> {
        let new: Vec<&Object> = self
            .0
            .iter()
            .filter(|(uid, object)| !before.0.contains_key(*uid) && !object.owned)
            .map(|(_, object)| object)
            .filter(|object| !OWN_OBJECTS.contains(&object.name.as_str()))
            .collect();
        let whole: BTreeSet<&str> =
            new.iter().filter_map(|object| object.name.strip_prefix("namespace/")).collect();
        let mut names: Vec<String> = new
            .iter()
            .filter(|object| !whole.contains(object.namespace.as_str()))
            .map(|object| object.shown())
            .collect();
        names.sort();
        names
    }

    /// Whether something that was not there before is on its way out.
    pub(crate) fn is_leaving(&self, before: &Inventory) -> bool {
        self.0.iter().any(|(uid, object)| !before.0.contains_key(uid) && object.leaving)
    }
}

impl Object {
    /// For people: `configmap/web in dns-lab`.
    fn shown(&self) -> String {
        let leaving = if self.leaving { " (being deleted)" } else { "" };
        match self.namespace.as_str() {
            "" => format!("{}{leaving}", self.name),
            namespace => format!("{} in {namespace}{leaving}", self.name),
        }
    }
}

/// One row as an object with its UID; what a `cluster-run` has made for itself is no page's.
fn object(row: &str) -> Option<(String, Object)> {
    let mut cells = row.split('\t');
    let kind = cells.next()?.to_lowercase();
    let namespace = cells.next()?.to_owned();
    let name = cells.next()?;
    let uid = cells.next().filter(|uid| !uid.is_empty())?.to_owned();
    let owned = cells.next().is_some_and(|owners| !owners.is_empty());
    let leaving = cells.next().is_some_and(|time| !time.is_empty());
    if cells.next().is_some_and(|run| !run.is_empty()) {
        return None;
    }
    Some((uid, Object { name: format!("{kind}/{name}"), namespace, owned, leaving }))
}

/// The kinds of objects in namespaces that can be listed, joined by commas.
fn namespaced_kinds(kubectl: &Kubectl) -> Result<String, Trouble> {
    let args = ["api-resources", "--namespaced", "--verbs=list", "-o", "name"];
    // An API group whose own server is down makes kubectl fail after it has listed the others.
    let (text, trouble) = kubectl.both(&args, None, LIST_LIMIT)?;
    let kinds: Vec<&str> = text.lines().filter(|kind| !OWN_KINDS.contains(kind)).collect();
    match trouble {
        Some(trouble) if kinds.is_empty() => Err(trouble),
        _ => Ok(kinds.join(",")),
    }
}

/// The rows of all objects of some kinds.
fn list(kubectl: &Kubectl, kinds: &str, namespace: Option<&str>) -> Result<String, Trouble> {
    let mut args = vec!["get", kinds, "--ignore-not-found", "-o", ROWS];
    args.extend(namespace.iter().flat_map(|namespace| ["-n", namespace]));
    let (rows, trouble) = kubectl.both(&args, None, LIST_LIMIT)?;
    match trouble {
        Some(trouble) if matches!(trouble.kind, Kind::Unreachable | Kind::Unauthorized) => {
            Err(trouble)
        }
        // One kind that may not be listed does not hide the others.
        _ => Ok(rows),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "\
Namespace\t\tdefault\tn1\t\t
Namespace\t\tlab\tn2\t\t
ConfigMap\tlab\tsettings\tc1\t\t
";

    fn check(after: &str, expect: &[&str]) {
        let (before, after) = (Inventory::parse(BEFORE), Inventory::parse(after));
        assert_eq!(after.left_since(&before), expect, "{after:?}");
    }

    #[test]
    fn leftovers_are_named() {
        check(BEFORE, &[]);
        let more = "\
ConfigMap\tlab\tforgotten\tc2\t\t
Deployment\tlab\tweb\td1\t\t
ReplicaSet\tlab\tweb-1\tr1\td1\t
Pod\tlab\tweb-1-x\tp1\tr1\t
ConfigMap\tlab\tkube-root-ca.crt\tc3\t\t
MutatingWebhookConfiguration\t\tinject\tw1\t\t
Namespace\t\tother\tn3\t\t
Secret\tother\tkey\ts1\t\t
ClusterRole\t\tlabdoc-0a1b\tr9\t\t\t0a1b
";
        check(
            &format!("{BEFORE}{more}"),
            &[
                "configmap/forgotten in lab",
                "deployment/web in lab",
                "mutatingwebhookconfiguration/inject",
                "namespace/other",
            ],
        );
    }

    #[test]
    fn an_object_that_was_made_anew_is_new() {
        check("Namespace\t\tlab\tn9\t\t2026-11-29T10:00:00Z\n", &["namespace/lab (being deleted)"]);
    }
}
