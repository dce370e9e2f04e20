//! What a run makes in the cluster: an account with no more than the pages need, the content, the
//! Job.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{PART, PIECE, RUN, name_of};
use crate::digest::sha256_tagged;

/// Most ConfigMaps that the content may fill.
pub(crate) const MOST_PIECES: usize = 12;

/// Where the pods find the content.
const CONTENT: &str = "/labdoc/content";

/// Where a pod may write.
const WORK: &str = "/labdoc/work";

/// The account that the pods run as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Account {
    /// One of the run's own, that may do everything in the pages' namespaces and nothing elsewhere.
    Own,
    /// One that is there already, with whatever it may do.
    Named(String),
}

/// A run as it is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// What tells it from other runs.
    pub(crate) id: String,
    /// The namespace of its Job.
    pub(crate) namespace: String,
    /// The image of its pods: labdoc, bash, kubectl, and what the pages call.
    pub(crate) image: String,
    /// How many pods share the pages.
    pub(crate) shards: usize,
    /// How often a shard is run again whose pod died.
    pub(crate) retries: u32,
    /// How long all may take, in seconds.
    pub(crate) seconds: u64,
    /// Who the pods are.
    pub(crate) account: Account,
    /// The namespaces of the pages.
    pub(crate) page_namespaces: Vec<String>,
    /// Those of them, and of the Job, that are not there yet.
    pub(crate) absent: Vec<String>,
    /// Whether labdoc itself makes them, and so may empty them and take them away again.
    pub(crate) owned: bool,
    /// The packed content.
    pub(crate) content: Vec<u8>,
}

impl Spread {
    /// What everything of the run is called, or begins with.
    fn name(&self) -> String {
        name_of(&self.id)
    }

    /// The account's name.
    fn account(&self) -> String {
        match &self.account {
            Account::Own => self.name(),
            Account::Named(name) => name.clone(),
        }
    }

    /// Name and labels of an object of the run; `namespace` is empty for those outside of them.
    fn meta(&self, namespace: &str, name: &str) -> Value {
        let mut meta = json!({ "name": name, "labels": self.labels() });
        if !namespace.is_empty() {
            meta["namespace"] = json!(namespace);
        }
        meta
    }

    /// By what everything of the run is found.
    fn labels(&self) -> Value {
        json!({ "app.kubernetes.io/managed-by": "labdoc", RUN: self.id })
    }
}

/// Everything that a run makes, in the order in which it is made: the Job comes last.
pub(crate) fn objects(run: &Spread) -> Vec<Value> {
    let namespace = |name: &String| {
        let mut meta = run.meta("", name);
        if !run.owned {
            meta["labels"] = json!({});
        }
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": meta })
    };
    let mut all: Vec<Value> = run.absent.iter().map(namespace).collect();
    if run.account == Account::Own {
        all.extend(account(run));
    }
    all.extend(pieces(run));
    all.push(job(run));
    all
}

/// The account and what it may do.
fn account(run: &Spread) -> Vec<Value> {
    let name = run.name();
    let mut all = vec![json!({
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": run.meta(&run.namespace, &name),
    })];
    // What labdoc itself asks the cluster: who it is, and what a page leaves outside namespaces.
    all.extend(granted(run, "", &[
        json!({ "apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list"] }),
        json!({ "apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["list"] }),
        json!({ "apiGroups": ["admissionregistration.k8s.io"], "resources": ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"], "verbs": ["list"] }),
        json!({ "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles", "clusterrolebindings"], "verbs": ["list"] }),
    ]));
    // The Leases that keep other verifiers out of the pages' namespaces.
    all.extend(granted(
        run,
        "default",
        &[json!({
            "apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
            "verbs": ["get", "create", "update", "delete"],
        })],
    ));
    // The answers.
    all.extend(granted(run, &run.namespace, &[json!({
        "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "create", "update"],
    })]));
    for namespace in &run.page_namespaces {
        let everything = json!({ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"] });
        all.extend(granted(run, namespace, &[everything]));
    }
    all
}

/// A role with these rules, in a namespace or (where that is empty) for the whole cluster, and its
/// binding to the account.
fn granted(run: &Spread, namespace: &str, rules: &[Value]) -> [Value; 2] {
    let kind = if namespace.is_empty() { "ClusterRole" } else { "Role" };
    let (api, name) = ("rbac.authorization.k8s.io", run.name());
    let version = format!("{api}/v1");
    let role = json!({
        "apiVersion": version, "kind": kind, "metadata": run.meta(namespace, &name), "rules": rules,
    });
    let binding = json!({
        "apiVersion": version, "kind": format!("{kind}Binding"),
        "metadata": run.meta(namespace, &name),
        "roleRef": { "apiGroup": api, "kind": kind, "name": name },
        "subjects": [{ "kind": "ServiceAccount", "name": name, "namespace": run.namespace }],
    });
    [role, binding]
}

/// The name of a piece of the content.
fn piece_name(run: &Spread, number: usize) -> String {
    format!("{}-content-{number}", run.name())
}

/// The content in ConfigMaps that nobody can change.
fn pieces(run: &Spread) -> Vec<Value> {
    let piece = |(number, bytes): (usize, &[u8])| {
        let mut meta = run.meta(&run.namespace, &piece_name(run, number));
        meta["labels"][PART] = json!("content");
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "immutable": true,
            "binaryData": { "content": STANDARD.encode(bytes) },
        })
    };
    run.content.chunks(PIECE).enumerate().map(piece).collect()
}

/// The Job: one pod a shard, run again where it died, none before the one before it has ended.
fn job(run: &Spread) -> Value {
    let name = run.name();
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": run.meta(&run.namespace, &name),
        "spec": {
            "completionMode": "Indexed",
            "completions": run.shards,
            "parallelism": run.shards,
            "backoffLimitPerIndex": run.retries,
            "podReplacementPolicy": "Failed",
            "activeDeadlineSeconds": run.seconds,
            "template": {
                "metadata": {
                    "labels": run.labels(),
                    // A proxy beside it would keep the pod from ending.
                    "annotations": { "sidecar.istio.io/inject": "false" },
                },
                "spec": pod(run),
            },
        },
    })
}

/// A pod of the Job.
fn pod(run: &Spread) -> Value {
    let pieces = run.content.chunks(PIECE).enumerate().map(|(number, _)| {
        let items = [json!({ "key": "content", "path": number.to_string() })];
        json!({ "configMap": { "name": piece_name(run, number), "items": items } })
    });
    let sources: Vec<Value> = pieces.collect();
    json!({
        "serviceAccountName": run.account(),
        "restartPolicy": "Never",
        "securityContext": {
            "runAsNonRoot": true, "runAsUser": 65532, "runAsGroup": 65532, "fsGroup": 65532,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "containers": [{
            "name": "labdoc",
            "image": run.image,
            "command": ["labdoc", "cluster-shard"],
            "args": [
                format!("--shard=$(JOB_COMPLETION_INDEX)/{}", run.shards),
                format!("--run={}", run.id),
                format!("--namespace={}", run.namespace),
                format!("--content={CONTENT}"),
                format!("--digest={}", sha256_tagged(&run.content)),
                format!("--work={WORK}"),
            ],
            "env": [
                { "name": "HOME", "value": format!("{WORK}/home") },
                { "name": "TMPDIR", "value": "/tmp" },
                { "name": "NO_COLOR", "value": "1" },
            ],
            "securityContext": {
                "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
                "capabilities": { "drop": ["ALL"] },
            },
            "resources": { "requests": { "cpu": "100m", "memory": "128Mi" } },
            "volumeMounts": [
                { "name": "content", "mountPath": CONTENT, "readOnly": true },
                { "name": "work", "mountPath": WORK },
                { "name": "tmp", "mountPath": "/tmp" },
            ],
        }],
        "volumes": [
            { "name": "content", "projected": { "sources": sources } },
            { "name": "work", "emptyDir": {} },
            { "name": "tmp", "emptyDir": {} },
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Spread {
        Spread {
            id: "0a1b".into(),
            namespace: "labdoc".into(),
            image: "lab/labdoc:1".into(),
            shards: 4,
            retries: 2,
            seconds: 60,
            account: Account::Own,
            page_namespaces: vec!["lab-a".into(), "lab-b".into()],
            absent: vec!["lab-b".into()],
            owned: true,
            content: vec![7; PIECE + 1],
        }
    }

    /// The objects of a kind.
    fn of_kind<'a>(all: &'a [Value], kind: &str) -> Vec<&'a Value> {
        all.iter().filter(|object| object["kind"] == kind).collect()
    }

    #[test]
    fn all_rights_are_in_the_pages_namespaces_only() {
        let all = objects(&run());
        for role in of_kind(&all, "ClusterRole") {
            for rule in role["rules"].as_array().expect("rules") {
                let verbs = rule["verbs"].as_array().expect("verbs");
                assert!(verbs.iter().all(|verb| verb == "get" || verb == "list"), "{rule}");
                assert_ne!(rule["resources"][0], "*");
                assert!(!rule.to_string().contains("secrets"), "{rule}");
            }
        }
        let whole = |role: &&&Value| role["rules"][0]["verbs"][0] == "*";
        let roles = of_kind(&all, "Role");
        let in_namespaces: Vec<&Value> =
            roles.iter().filter(whole).map(|role| &role["metadata"]["namespace"]).collect();
        assert_eq!(in_namespaces, ["lab-a", "lab-b"]);
    }

    #[test]
    fn an_account_of_the_users_own_gets_nothing_from_us() {
        let all = objects(&Spread { account: Account::Named("poor".into()), ..run() });
        let kinds: Vec<&Value> = all.iter().map(|object| &object["kind"]).collect();
        assert_eq!(kinds, ["Namespace", "ConfigMap", "ConfigMap", "Job"]);
        let pod = &all[3]["spec"]["template"]["spec"];
        assert_eq!(pod["serviceAccountName"], "poor");
    }

    #[test]
    fn only_absent_namespaces_are_made_and_the_content_comes_in_pieces() {
        let all = objects(&run());
        let names: Vec<&Value> =
            of_kind(&all, "Namespace").iter().map(|n| &n["metadata"]["name"]).collect();
        assert_eq!(names, ["lab-b"]);
        let pieces = of_kind(&all, "ConfigMap");
        let size = |piece: &&Value| {
            STANDARD
                .decode(piece["binaryData"]["content"].as_str().expect("text"))
                .expect("64")
                .len()
        };
        assert_eq!(pieces.iter().map(size).collect::<Vec<_>>(), [PIECE, 1]);
        assert_eq!(all.last().map(|last| &last["kind"]), Some(&json!("Job")));
    }

    #[test]
    fn the_job_has_an_index_a_shard() {
        let all = objects(&run());
        let spec = &all.last().expect("job")["spec"];
        assert_eq!((&spec["completionMode"], &spec["completions"]), (&json!("Indexed"), &json!(4)));
        let args = spec["template"]["spec"]["containers"][0]["args"].to_string();
        assert!(args.contains("--shard=$(JOB_COMPLETION_INDEX)/4"), "{args}");
    }
}
