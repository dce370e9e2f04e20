//! A pod's side: its way to the cluster, and a clean scene where it is not the first to try.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::{PART, RUN, name_of};
use crate::diag::Failure;
use crate::disk;
use crate::proc::variable;
use crate::verify::guard::{Kind, Kubectl, Trouble, TrustList, Trusted};

/// Where the account's credential lies in every pod.
const CREDENTIAL: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The name of the pod's only context.
const CONTEXT: &str = "in-cluster";

/// How long the objects of an earlier attempt may take to go.
const LEAVING: Duration = Duration::from_secs(120);

/// Writes the pod's kubeconfig and its list of trusted clusters into its home: the cluster that
/// the order names and no other. Returns the kubectl that labdoc asks with.
///
/// # Errors
/// This is no pod, there is no kubectl, or a file cannot be written.
pub(crate) fn enter_cluster(home: &Path, uid: &str) -> Result<Kubectl, Failure> {
    let text = |name: &str| variable(name).and_then(|value| value.into_string().ok());
    let (host, port) = (text("KUBERNETES_SERVICE_HOST"), text("KUBERNETES_SERVICE_PORT"));
    let (Some(host), Some(port)) = (host, port) else {
        return Err(Failure::new(
            "cluster-shard is what a pod of cluster-run calls; this is no pod",
        )
        .hint("labdoc cluster-run --help"));
    };
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    let server = format!("https://{host}:{port}");
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": CONTEXT,
        "clusters": [{ "name": CONTEXT, "cluster": { "server": server, "certificate-authority": format!("{CREDENTIAL}/ca.crt") } }],
        "users": [{ "name": CONTEXT, "user": { "tokenFile": format!("{CREDENTIAL}/token") } }],
        "contexts": [{ "name": CONTEXT, "context": { "cluster": CONTEXT, "user": CONTEXT } }],
    });
    disk::write(&home.join(".kube/config"), format!("{config:#}\n").as_bytes())?;
    let mut list = TrustList::read()?;
    list.add(Trusted { uid: uid.to_owned(), context: CONTEXT.to_owned(), server });
    list.write()?;
    Kubectl::find().ok_or_else(|| {
        Failure::new("the image has no kubectl").hint("give one to --image that has it in its PATH")
    })
}

/// Notes that a shard was begun; says whether it was already, so that this pod is not the first.
///
/// # Errors
/// The cluster does not take the note.
pub(crate) fn began(
    kubectl: &Kubectl,
    (id, namespace): (&str, &str),
    shard: usize,
) -> Result<bool, Failure> {
    let note = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": format!("{}-begun-{shard}", name_of(id)), "namespace": namespace,
            "labels": { "app.kubernetes.io/managed-by": "labdoc", RUN: id, PART: "begun" },
        },
    });
    match kubectl.text(&["create", "-f", "-"], Some(note.to_string().as_bytes())) {
        Ok(_) => Ok(false),
        Err(trouble) if trouble.kind == Kind::Conflict => Ok(true),
        Err(trouble) => Err(trouble.failure("the note that the shard was begun")),
    }
}

/// Empties those of the namespaces that were made for this run. A namespace that was there before
/// is left as it is.
///
/// # Errors
/// The cluster cannot be asked, or objects do not go.
pub(crate) fn clear_namespaces(
    kubectl: &Kubectl,
    id: &str,
    namespaces: &[String],
) -> Result<(), Failure> {
    let failed = |trouble: Trouble| trouble.failure("clearing what a dead pod has left");
    let selector = format!("{RUN}={id}");
    let made = ["get", "namespaces", "-l", &selector, "-o", "name"];
    let made = kubectl.text(&made, None).map_err(failed)?;
    let made: Vec<&str> =
        made.lines().filter_map(|line| line.trim().strip_prefix("namespace/")).collect();
    let kinds = ["api-resources", "--namespaced", "--verbs=delete,list", "-o", "name"];
    let (listed, _) = kubectl.both(&kinds, None, LEAVING).map_err(failed)?;
    // What lets this pod act in the namespace is of the run, and stays.
    let access = "roles.rbac.authorization.k8s.io,rolebindings.rbac.authorization.k8s.io";
    let others: Vec<&str> =
        listed.lines().filter(|kind| !access.split(',').any(|a| a == *kind)).collect();
    let others = others.join(",");
    for namespace in namespaces.iter().filter(|name| made.contains(&name.as_str())) {
        let delete = |what: &[&str]| {
            let args = [&["delete"], what, &["-n", namespace, "--ignore-not-found"]].concat();
            match kubectl.both(&args, None, LEAVING) {
                Ok((_, None)) => Ok(()),
                Ok((_, Some(trouble))) | Err(trouble) => Err(failed(trouble)),
            }
        };
        let not_ours = format!("{RUN}!={id}");
        delete(&[&others, "--all"])?;
        delete(&[access, "-l", &not_ours])?;
    }
    Ok(())
}
