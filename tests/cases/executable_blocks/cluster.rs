//! A37 to A40: which cluster is touched, what is left in it, output that is not there yet, and a
//! terminal that is not there. tests/cluster shows the same on a real one.

use serde_json::json;

use super::fails;
use crate::api::Api;
use crate::support::World;

/// A page that works in namespace `lab` of a cluster, with blocks `b1`, `b2` ….
fn on_cluster(blocks: &[&str]) -> World {
    let head = "---\nverify: {needs: [cluster], namespaces: [lab]}\n---\n".to_owned();
    let block = |(at, text): (usize, &&str)| format!("\n```sh {{#b{}}}\n{text}\n```\n", at + 1);
    World::page(&(head + &blocks.iter().enumerate().map(block).collect::<String>()))
}

/// Gives a world a kubeconfig with these contexts, the first one current.
fn contexts(world: &World, contexts: &[(&str, &Api)]) {
    let entry = |(name, api): &(&str, &Api)| {
        let cluster = json!({"name": name, "cluster": {"server": api.server}});
        let context =
            json!({"name": name, "context": {"cluster": name, "user": "u", "namespace": "lab"}});
        (cluster, context)
    };
    let (clusters, named): (Vec<_>, Vec<_>) = contexts.iter().map(entry).unzip();
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": contexts[0].0,
        "clusters": clusters, "contexts": named, "users": [{"name": "u", "user": {"token": "abc"}}],
    });
    let folder = world.base().join("home/.kube");
    std::fs::create_dir_all(&folder).expect("folder");
    std::fs::write(folder.join("config"), config.to_string()).expect("kubeconfig");
}

/// A cluster with one pod in `lab`.
fn cluster(uid: &str) -> Api {
    let api = Api::start(uid);
    api.add(
        "/api/v1/namespaces/lab/pods",
        json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web"}}),
    );
    api
}

#[test]
#[ignore = "asks a real kubectl; `make test` runs it where there is one"]
fn a37_no_other_cluster_than_the_trusted_one_is_touched() {
    let (prod, lab) = (cluster("uid-prod"), cluster("uid-lab"));
    let world = on_cluster(&["kubectl delete pod --all"]);
    contexts(&world, &[("prod-eu", &prod), ("kind-lab", &lab)]);
    world.labdoc("trust kind-lab").any_output().success();
    // The current context is another one: nothing runs.
    let said = world.labdoc("verify").any_output().success();
    assert!(said.stdout.contains("skipped: needs a cluster"), "{}", said.stdout);
    let said = world.labdoc("verify --context prod-eu").any_output().code(2);
    assert!(said.stderr.contains("is not trusted"), "{}", said.stderr);
    world.labdoc("verify --require-cluster").any_output().code(2);
    assert_eq!(lab.changes(), [] as [&str; 0]);
    // Chosen by name, only that one is touched, whatever is current.
    let ended = world.labdoc("verify --context kind-lab").any_output().success();
    assert!(ended.stdout.contains("ok    b1"), "{}", ended.stdout);
    assert_eq!(lab.objects("/api/v1/namespaces/lab/pods"), [] as [&str; 0]);
    // A block that means the other one fails.
    let config = world.base().join("home/.kube/config").display().to_string();
    let other = on_cluster(&[
        "kubectl --context prod-eu delete pod --all",
        &format!("KUBECONFIG={config} kubectl delete pod --all"),
        &format!("kubectl --kubeconfig {config} delete pod --all"),
        &format!("kubectl -s {} delete pod --all", prod.server),
        "kubectl config use-context prod-eu && kubectl delete pod --all",
    ]);
    world.write("content/a.md", other.read("content/a.md"));
    let ended = world.labdoc("verify --context kind-lab").any_output().code(1);
    assert!(ended.stdout.contains("0 passed, 0 differ, 5 failed"), "{}", ended.stdout);
    assert_eq!(prod.changes(), [] as [&str; 0]);
    assert_eq!(prod.objects("/api/v1/namespaces/lab/pods").len(), 1);
}

#[test]
#[ignore = "asks a real kubectl; `make test` runs it where there is one"]
fn a38_what_a_page_leaves_is_named() {
    let lab = cluster("uid-lab");
    // JSON, which the server of the test understands; shorter commands speak another form.
    let create = |object: serde_json::Value| {
        format!("kubectl create --validate=false -f - <<'EOF'\n{object}\nEOF\n")
    };
    let map = |name: &str| {
        create(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}))
    };
    let rbac = "rbac.authorization.k8s.io/v1";
    let left = map("mine")
        + &create(json!({"apiVersion": rbac, "kind": "ClusterRole", "metadata": {"name": "mine"}}))
        + &create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}}));
    let world = on_cluster(&[&left]);
    contexts(&world, &[("kind-lab", &lab)]);
    world.labdoc("trust").any_output().success();
    let ended = world.labdoc("verify --record").any_output().success();
    let names = ["clusterrole/mine", "configmap/mine in lab", "namespace/other"];
    assert!(ended.stderr.contains("warning[VR023]"), "{}", ended.stderr);
    for name in names {
        assert!(ended.stderr.contains(name), "{name}\n{}", ended.stderr);
    }
    let verdict = world.read(&format!("{}/verdict.json", world.runs()[0]));
    let verdict: serde_json::Value = serde_json::from_str(&verdict).expect("JSON");
    assert_eq!(verdict["checks"][0]["leftovers"], json!(names));
    // What was there before is nobody's leftover, and what is taken away again is none.
    let clean = map("brief") + "kubectl delete configmap brief";
    world.write("content/a.md", on_cluster(&[&clean]).read("content/a.md"));
    let ended = world.labdoc("verify").any_output().success();
    assert!(!ended.stderr.contains("VR023"), "{}", ended.stderr);
}

#[test]
fn a40_a_terminal_that_is_not_there_is_told_before_the_run() {
    // Like kubectl, and like every tool that looks: no terminal, another output.
    let kubectl = "kubectl() { if [ -t 0 ] && [ -t 1 ]; then echo 'at a terminal'; else echo 'Unable to use a TTY'; fi; }";
    let page = |options: &str, flag: &str, output: &str| {
        World::page(&format!(
            "```sh {{#a{options}}}\n{kubectl}\nkubectl exec {flag} web -- date\n```\n\n```output {{for=a}}\n{output}\n```\n"
        ))
    };
    let bare = page("", "-it", "Unable to use a TTY");
    for command in ["verify", "check"] {
        let ended = bare.labdoc(command).any_output().success();
        let told = "warning[BL024]: `kubectl … -it` asks for a terminal, and block `a` has none";
        assert!(ended.stderr.contains(told), "{command}\n{}", ended.stderr);
        assert!(ended.stderr.contains("content/a.md:3"), "{}", ended.stderr);
        assert!(ended.stderr.contains("write -i, or give the block a terminal with tty=true"));
    }
    for (options, flag, output) in
        [("", "-i", "Unable to use a TTY"), (" tty=true", "-it", "at a terminal")]
    {
        let ended = page(options, flag, output).labdoc("verify").any_output().success();
        assert!(!ended.stderr.contains("BL024"), "{}", ended.stderr);
    }
}

/// A page whose block counts its tries in a file and prints 2 from the third one on.
fn page(options: &str) -> World {
    World::page(&format!(
        "---\nverify:\n  workdir: temp\n  capture: {{wait.ready: '^(\\d)$'}}\n---\n\n```sh {{#wait {options}}}\necho x >>tries; n=$(wc -l <tries); echo $((n > 2 ? 2 : 1))\n```\n\n```output {{for=wait}}\n2\n```\n\n```sh {{#count}}\nwc -l <tries\n```\n\n```output {{for=count}}\n3\n```\n"
    ))
}

#[test]
fn a39_a_block_is_repeated_until_it_matches() {
    let world = page("retry=30s");
    let ended = world.labdoc("verify --record").any_output().success();
    assert!(ended.stderr.contains("block `wait` passed at try 3"), "{}", ended.stderr);
    let run = format!("evidence/T1/{}", world.names("evidence/T1").remove(0));
    assert_eq!(world.names(&format!("{run}/files/tries/wait")), ["1.txt", "2.txt"]);
    let first = world.read(&format!("{run}/files/tries/wait/1.txt"));
    assert_eq!(first, "labdoc-block: wait\n1\nlabdoc-check: wait fail exit=0\n");
    assert!(world.read(&format!("{run}/result.txt")).starts_with("labdoc-block: wait\n2\n"));
    let verdict: serde_json::Value =
        serde_json::from_str(&world.read(&format!("{run}/verdict.json"))).expect("JSON");
    assert_eq!(verdict["checks"][0]["attempts"], 3);
    assert_eq!(verdict["checks"][1]["attempts"], 1);
}

#[test]
fn a39_without_the_mark_nothing_is_repeated() {
    fails(&page(""), &["DRIFT wait", "-2", "+1"]);
}

#[test]
fn a39_a_block_that_never_matches_ends_with_its_last_output() {
    let world = World::page(
        "```sh {#a retry=600ms}\necho never; false\n```\n\n```output {for=a}\nready\n```\n",
    );
    fails(&world, &["exit 1, expected 0", "+never", "block `a` did not pass in"]);
}
