//! The guard: no other cluster, no more than is allowed, one verifier at a time.

use std::time::{Duration, Instant};

use crate::support::{Lab, state};

/// A page with one block.
fn page(block: &str) -> String {
    format!(
        "---\nverify: {{needs: [cluster], namespaces: [lab-a]}}\n---\n# A\n\n```sh {{#a}}\n{block}\n```\n\n```sh {{#b}}\ntrue\n```\n"
    )
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_block_that_means_another_cluster_fails_and_touches_none() {
    let lab = Lab::new("# A\n");
    lab.bash("cp ~/.kube/config ~/other && kubectl --kubeconfig ~/other config rename-context $(kubectl config current-context) other").is(0, &[]);
    let other = lab.path("home/other");
    let before = state(&other);
    let check = |block: &str, expect: &str| {
        lab.page(&page(&block.replace("OTHER", &other.to_string_lossy())));
        lab.labdoc("verify").is(1, &["VR020", expect, "FAIL  a", "ok    b"]);
        lab.bash("kubectl get configmap labdoc-touched").is(1, &["NotFound"]);
    };
    let touch = "kubectl create configmap labdoc-touched";
    check(&format!("export KUBECONFIG=OTHER; {touch}"), "sets KUBECONFIG");
    check(&format!("kc=KUBECONFIG; declare -x $kc=OTHER; {touch}"), "KUBECONFIG was set to");
    check(&format!("{touch} --kubeconfig OTHER"), "names another file");
    check(&format!("{touch} --context other"), "names another context");
    check("kubectl config use-context other", "switches the context");
    check("kubectl config set clusters.lab.server https://127.0.0.1:1", "changes which cluster");
    assert!(before == state(&other));
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_block_may_choose_its_namespace() {
    let lab = Lab::new(&page(
        "kubectl config set-context --current --namespace=kube-system && kubectl get configmap coredns -o name || true",
    ));
    lab.labdoc("verify").is(0, &["ok    a"]);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_verb_that_rbac_forbids_is_no_drift() {
    let lab = Lab::new("# A\n");
    lab.bash(
        "set -e; kubectl create serviceaccount labdoc-poor -n default\n\
         kubectl create clusterrole labdoc-poor --verb=get,list,create,update,delete --resource=leases.coordination.k8s.io,namespaces\n\
         kubectl create clusterrolebinding labdoc-poor --clusterrole=labdoc-poor --serviceaccount=default:labdoc-poor\n\
         kubectl config set-credentials poor --token=$(kubectl create token labdoc-poor -n default)\n\
         kubectl config set-context --current --user=poor",
    )
    .is(0, &[]);
    lab.page(&page("kubectl get pods -n default"));
    let said = lab.labdoc("verify");
    let admin = "kubectl config set-context --current --user=$(kubectl config view -o jsonpath='{.users[0].name}')";
    lab.bash(admin);
    lab.bash("kubectl delete clusterrolebinding,clusterrole labdoc-poor; kubectl delete serviceaccount labdoc-poor -n default");
    said.is(2, &["VR021", "Error from server (Forbidden): pods is forbidden", "auth can-i"]);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_confined_page_cannot_read_secrets_of_kube_system() {
    let lab = Lab::new(&page("kubectl get secrets -n kube-system"));
    lab.labdoc("verify --confine").is(2, &["VR021", "secrets is forbidden"]);
    lab.page(&page(
        "kubectl create configmap mine -n lab-a && kubectl get configmap mine -n lab-a -o name",
    ));
    lab.labdoc("verify --confine").is(0, &["ok    a"]);
    // What was made for it is deleted, and is gone soon.
    let made = "kubectl get namespaces -l app.kubernetes.io/managed-by=labdoc -o name";
    lab.bash(&format!("{made} | xargs -r kubectl wait --for=delete --timeout=60s"));
    assert_eq!(lab.bash(made).is(0, &[]).text.trim(), "");
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_second_verifier_is_kept_out() {
    let lab = Lab::new(&page("touch ../started; sleep 8"));
    let first = lab.start("verify");
    let begin = Instant::now();
    while !lab.path("site/started").exists() && begin.elapsed() < Duration::from_secs(60) {
        std::thread::yield_now();
    }
    let in_use = "namespace lab-a is in use by another verifier: ";
    lab.labdoc("verify").is(2, &[in_use]);
    // Nor does one whose clock is days ahead find it expired.
    let ahead = format!("faketime -f +3d {} verify", env!("CARGO_BIN_EXE_labdoc"));
    lab.bash(&ahead).is(2, &[in_use]);
    lab.end(first).is(0, &[]);
    lab.page(&page("true"));
    lab.labdoc("verify").is(0, &["ok    a"]);
    lab.bash("kubectl -n default get lease labdoc-lab-a").is(1, &["NotFound"]);
    // One that died lets go: its Lease holds a second here, and says a time to come.
    lab.bash(
        "kubectl create -f - <<'END' && sleep 3\n\
         apiVersion: coordination.k8s.io/v1\n\
         kind: Lease\n\
         metadata: { name: labdoc-lab-a, namespace: default }\n\
         spec: { holderIdentity: gone, leaseDurationSeconds: 1, renewTime: '2099-01-01T00:00:00.000000Z' }\n\
         END",
    )
    .is(0, &[]);
    lab.labdoc("verify").is(0, &["ok    a"]);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_server_that_stopped_is_no_drift() {
    let lab = Lab::new(&page("kubectl get nodes"));
    lab.bash("kubectl config set-cluster $(kubectl config view --minify -o jsonpath='{.clusters[0].name}') --server=https://127.0.0.1:1").is(0, &[]);
    let context = lab.bash("kubectl config current-context").text;
    lab.labdoc(&format!("verify --context {}", context.trim())).is(2, &["cannot be reached"]);
}
