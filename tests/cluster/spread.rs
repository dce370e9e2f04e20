//! `labdoc cluster-run`: pages in pods of a Job, one of which is ended in mid-run.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Lab, Said};

/// A page that works in a namespace of its own: makes an object, reads it, takes it away. `more`
/// stands between.
fn page((name, bundle): (&str, usize), more: &str) -> String {
    format!(
        "---
title: {name}
verify: {{needs: [cluster], namespaces: [spread-{name}], bundle: T{bundle}}}
---
# {name}

```sh {{#make}}
kubectl -n spread-{name} create configmap mine --from-literal=pod=$(hostname)
```

```output {{for=make}}
configmap/mine created
```
{more}
```sh {{#take .teardown}}
kubectl -n spread-{name} delete configmap mine
```

```output {{for=take}}
configmap \"mine\" deleted from spread-{name} namespace
```
"
    )
}

/// A block with what is printed below it.
fn block(id: &str, command: &str, printed: &str) -> String {
    format!("\n```sh {{#{id}}}\n{command}\n```\n\n```output {{for={id}}}\n{printed}\n```\n")
}

/// Six pages: four that are as they should be, one of them slow, one whose output is another, one
/// with a command that fails.
fn site() -> Lab {
    let lab = Lab::new("# A\n");
    let slow = block("wait", "sleep 6; echo awake", "awake");
    let pages = [
        ("one", block("get", "kubectl -n spread-one get configmap mine -o name", "configmap/mine")),
        ("slow", slow),
        ("three", String::new()),
        ("four", block("sum", "echo $((2 + 2))", "4")),
        ("drift", block("say", "echo 5", "4")),
        ("fails", block("stop", "echo no; false", "no")),
    ];
    for (at, (name, more)) in pages.iter().enumerate() {
        lab.write(&format!("site/content/{name}.md"), &page((name, at + 1), more));
    }
    lab
}

/// The image of the pods, which the cluster has.
fn image() -> String {
    std::env::var("LABDOC_IMAGE").expect("LABDOC_IMAGE names an image with this labdoc")
}

/// A report without what a second run may do differently: how long things took.
fn verdict(lab: &Lab, path: &str) -> Value {
    let text = std::fs::read_to_string(lab.path(path)).expect("report");
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    for page in value["pages"].as_array_mut().expect("pages") {
        for block in page["blocks"].as_array_mut().expect("blocks") {
            block.as_object_mut().expect("block").remove("duration_ms");
        }
    }
    value
}

/// Waits until a line of bash prints something, and returns it.
fn until(lab: &Lab, line: &str) -> String {
    let begin = Instant::now();
    loop {
        let Said { text, code } = lab.bash(&format!("{line} 2>/dev/null"));
        if code == Some(0) && !text.trim().is_empty() {
            return text.trim().to_owned();
        }
        assert!(begin.elapsed() < Duration::from_secs(120), "nothing from: {line}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Nothing with a run's label is left in the cluster.
fn nothing_is_left(lab: &Lab) {
    let kinds = "jobs,pods,configmaps,serviceaccounts,roles,rolebindings";
    let left = format!(
        "kubectl get {kinds} -A -l labdoc/run -o name; kubectl get namespaces,clusterroles,clusterrolebindings -l labdoc/run -o name"
    );
    assert_eq!(lab.bash(&left).is(0, &[]).text.trim(), "");
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn four_pods_give_the_verdict_of_one_machine_although_one_of_them_dies() {
    let lab = site();
    let names = "spread-one spread-slow spread-three spread-four spread-drift spread-fails";
    for name in names.split(' ') {
        lab.bash(&format!("kubectl create namespace {name}")).is(0, &[]);
    }
    let counts = "6 pages: 15 passed, 1 differ, 1 failed, 0 skipped";
    lab.labdoc("verify --report json=one.json").is(1, &[counts]);
    lab.bash(&format!("kubectl delete namespace {names}")).is(0, &[]);

    let run = format!(
        "cluster-run --image {} --apply --record --report json=four.json,junit=four.xml",
        image()
    );
    let running = lab.start(&run);
    let made = "kubectl -n spread-slow get configmap mine -o jsonpath={.data.pod}";
    let host = until(&lab, made);
    // The host of a pod is called by its Job and its index, and so is that of the next one.
    let index = host.rsplit('-').next().expect("index");
    let label = format!("labdoc/run,batch.kubernetes.io/job-completion-index={index}");
    lab.bash(&format!("kubectl -n labdoc delete pod -l {label} --grace-period=1"))
        .is(0, &["deleted"]);
    let said = lab.end(running).is(1, &[counts]);
    for part in ["died; its shard is run again", "recorded evidence/T2/"] {
        assert!(said.text.contains(part), "{part}:\n{}", said.text);
    }

    let (one, four) = (verdict(&lab, "site/one.json"), verdict(&lab, "site/four.json"));
    assert_eq!(four, one);
    // The page ran again in another pod, from an empty namespace, and was recorded once.
    let slow = "grep -l slow.md evidence/*/*/manifest.yaml | wc -l";
    assert_eq!(lab.bash(slow).text.trim(), "1");
    lab.bash("ls evidence/*/*/verdict.json | wc -l").is(0, &["6"]);
    nothing_is_left(&lab);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn who_stops_waiting_goes_on_with_the_same_command() {
    let lab = site();
    let run = format!("cluster-run --image {} --shards 1 --apply content/slow.md", image());
    let first = lab.start(&run);
    until(&lab, "kubectl -n spread-slow get configmap mine -o jsonpath={.data.pod}");
    lab.bash(&format!("kill -TERM {}", first.id())).is(0, &[]);
    lab.end(first).is(143, &["goes on; the same command waits for it again"]);
    lab.labdoc(&run).is(0, &["its Job is there already", "1 page: 3 passed, 0 differ"]);
    nothing_is_left(&lab);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn what_would_be_made_is_printed_and_the_cluster_takes_it() {
    let lab = site();
    let run = format!("cluster-run --image {} --shards 3 content/one.md", image());
    let said = lab
        .labdoc(&run)
        .is(0, &["kind: Job", "completionMode: Indexed", "--shard=$(JOB_COMPLETION_INDEX)/3"]);
    lab.write("site/run.yaml", &said.text);
    lab.bash("kubectl create --dry-run=client --validate=strict -f run.yaml")
        .is(0, &["job.batch/labdoc-"]);
    assert_eq!(lab.labdoc(&run).text, said.text);
    nothing_is_left(&lab);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn pods_that_cannot_begin_are_named_and_the_run_could_not_be_done() {
    let lab = site();
    let said = lab.labdoc(
        "cluster-run --image lab.local/none:1 --shards 1 --timeout 15s --apply content/one.md",
    );
    said.is(2, &["content/one.md could not be run: shard 1/1 gave no answer", "DeadlineExceeded"]);
    nothing_is_left(&lab);
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn an_untrusted_cluster_gets_nothing() {
    let lab = site();
    lab.bash("rm ~/.config/labdoc/trust.toml").is(0, &[]);
    let context = lab.bash("kubectl config current-context").text;
    let run = format!("cluster-run --image {} --apply --context {}", image(), context.trim());
    lab.labdoc(&run).is(2, &["is not trusted", "nothing was run"]);
    nothing_is_left(&lab);
}
