//! A page of kubectl blocks, its assertions, and what it records.

use crate::support::{Lab, state};

/// Apply, get, exec, rollout, delete.
const PAGE: &str = "\
---
title: Web
verify:
  needs: [cluster]
  namespaces: [lab-a]
  timeout: 120s
---
# Web

```sh {#space .setup}
kubectl create namespace lab-a
```

```output {for=space}
namespace/lab-a created
```

```yaml {#web .apply}
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: lab-a}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - {name: web, image: IMAGE, command: [sleep, infinity]}
```

```output {for=web}
deployment.apps/web created
```

```yaml {#ready .assert retry=90s}
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: lab-a}
status: {readyReplicas: 2}
```

```sh {#rollout}
kubectl -n lab-a rollout status deployment/web --timeout=60s | tail -n 1
```

```output {for=rollout}
deployment \"web\" successfully rolled out
```

```sh {#get}
kubectl -n lab-a get deployments
```

```output {for=get vary=age}
NAME   READY   UP-TO-DATE   AVAILABLE   AGE
web    2/2     2            2           5s
```

```sh {#exec}
kubectl -n lab-a exec deployment/web -- echo here
```

```output {for=exec}
here
```

```sh {#delete .teardown}
kubectl delete namespace lab-a --timeout=90s
```
";

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_page_of_kubectl_blocks_passes_five_times_of_five() {
    let lab = Lab::new(PAGE);
    let kubeconfig = lab.path("home/.kube/config");
    let before = state(&kubeconfig);
    let page = lab.text();
    for _ in 0..5 {
        lab.labdoc("verify").is(0, &["ok    get", "0 differ, 0 failed, 0 skipped"]);
    }
    assert_eq!(lab.text(), page);
    assert!(before == state(&kubeconfig), "the user's kubeconfig was written");
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_deployment_that_was_scaled_by_hand_is_named_by_row_and_column() {
    let page = PAGE.replace(
        "kubectl -n lab-a get deployments\n",
        "kubectl -n lab-a scale deployment web --replicas=3 >/dev/null\n\
         kubectl -n lab-a rollout status deployment/web --timeout=60s >/dev/null\n\
         kubectl -n lab-a get deployments\n",
    );
    let lab = Lab::new(&page);
    lab.labdoc("verify").is(1, &["DRIFT get", "row web", "READY", "3/3"]);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn an_assertion_names_the_field_that_differs() {
    let page =
        PAGE.replace("retry=90s", "retry=3s").replace("{readyReplicas: 2}", "{readyReplicas: 9}");
    let lab = Lab::new(&page);
    lab.labdoc("verify")
        .is(1, &["VR022", "Deployment web: status.readyReplicas is ", "expected 9"]);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn what_a_page_leaves_is_named_and_recorded() {
    let page = PAGE.replace(
        "kubectl -n lab-a exec deployment/web -- echo here\n",
        "kubectl create clusterrole labdoc-left --verb=get --resource=pods >/dev/null; echo here\n",
    );
    let lab = Lab::new(&page);
    let said = lab.labdoc("verify --record").is(0, &["VR023", "clusterrole/labdoc-left"]);
    lab.bash("kubectl delete clusterrole labdoc-left").is(0, &[]);
    let verdict = lab.bash("cat evidence/T1/*/verdict.json").is(0, &["clusterrole/labdoc-left"]);
    assert!(verdict.text.contains("\"kubernetes\""), "{}", verdict.text);
    assert!(!said.text.contains("namespace/lab-a"), "{}", said.text);
    let judged = "run=$(basename evidence/T1/*/); \"$0\" evidence judge T1/$run";
    let line = judged.replace("$0", env!("CARGO_BIN_EXE_labdoc"));
    lab.bash(&line).is(0, &["verdict: pass"]);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_failure_says_which_containers_are_not_ready() {
    let page = PAGE
        .replace("command: [sleep, infinity]", "command: [\"false\"]")
        .replace("retry=90s", "retry=8s");
    let lab = Lab::new(&page);
    lab.labdoc("verify --fail-fast").is(1, &["VR024", "lab-a: pod web-"]);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_command_in_a_pod_gets_the_terminal_that_it_asks_for() {
    let asked = |options: &str| {
        PAGE.replace("{#exec}", &format!("{{#exec{options}}}")).replace(
            "exec deployment/web -- echo here",
            "exec -it deployment/web -- test -t 1 && echo here",
        )
    };
    let lab = Lab::new(&asked(" tty=true"));
    let said = lab.labdoc("verify").is(0, &["ok    exec"]);
    assert!(!said.text.contains("BL024"), "{}", said.text);
    lab.page(&asked(""));
    lab.labdoc("verify").is(1, &["warning[BL024]", "Unable to use a TTY"]);
}
