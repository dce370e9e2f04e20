//! Pages that need a cluster, without one: what is skipped, what is refused, what cannot be done.
//!
//! The clusters of these tests are an answer to two questions: who are you, and which version. They
//! are asked by the kubectl of this machine; where there is none, these tests count as ignored.

use std::net::TcpListener;

use snapbox::str;

use crate::support::{Answer, Server, World};

const PAGE: &str = "\
---
verify: {needs: [cluster], namespaces: [lab]}
---
# Pods

```sh {#pods}
touch ran; kubectl get pods -n lab
```
";

/// Answers each request with a status and a body, for as long as the tests run.
fn serve(answer: impl Fn(&str) -> (u16, String) + Send + Sync + 'static) -> String {
    let server = Server::answering(move |path| {
        let (status, body) = answer(path);
        let (content_type, body) = (Some("application/json"), body.into_bytes());
        Answer { status, content_type, ..Answer::ok(body) }
    });
    server.address
}

/// A cluster with this identity.
fn cluster(uid: &'static str) -> String {
    serve(move |path| match path {
        "/api/v1/namespaces/kube-system" => (
            200,
            format!(
                r#"{{"kind":"Namespace","apiVersion":"v1","metadata":{{"name":"kube-system","uid":"{uid}"}}}}"#
            ),
        ),
        "/version" => (200, r#"{"gitVersion":"v1.34.4"}"#.to_owned()),
        _ => (404, refusal(404, "NotFound", "not found")),
    })
}

/// A cluster that answers everything so.
fn refusing(code: u16, reason: &'static str, message: &'static str) -> String {
    serve(move |_| (code, refusal(code, reason, message)))
}

/// A refusal as an API server writes it.
fn refusal(code: u16, reason: &str, message: &str) -> String {
    format!(
        r#"{{"kind":"Status","apiVersion":"v1","status":"Failure","message":"{message}","reason":"{reason}","code":{code}}}"#
    )
}

/// A world whose kubeconfig has these contexts, the first one current.
fn world(contexts: &[(&str, &str)]) -> World {
    let world = World::page(PAGE);
    write_config(&world, contexts);
    world
}

/// Writes the kubeconfig of a world.
fn write_config(world: &World, contexts: &[(&str, &str)]) {
    let mut text = format!("apiVersion: v1\nkind: Config\ncurrent-context: {}\n", contexts[0].0);
    let list = |name: &str, entry: &dyn Fn(&(&str, &str)) -> String| {
        let entries: String = contexts.iter().map(entry).collect();
        format!("{name}:\n{entries}")
    };
    text += &list("clusters", &|(name, server)| {
        format!("- {{name: {name}, cluster: {{server: \"{server}\"}}}}\n")
    });
    text += &list("contexts", &|(name, _)| {
        format!("- {{name: {name}, context: {{cluster: {name}, user: u}}}}\n")
    });
    text += "users:\n- {name: u, user: {token: abc}}\n";
    let path = world.base().join("home/.kube/config");
    std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    std::fs::write(path, text).expect("kubeconfig");
}

/// Runs labdoc; what it says on both streams.
pub(crate) fn says(world: &World, arguments: &str, code: i32) -> String {
    let ended = world.labdoc(arguments).any_output().code(code);
    format!("{}{}", ended.stdout, ended.stderr)
}

#[test]
fn without_a_kubeconfig_the_page_is_skipped_and_says_so() {
    let world = World::page(PAGE);
    let said = says(&world, "verify", 0);
    assert!(said.contains("  skipped: needs a cluster: "), "{said}");
    let said = says(&world, "verify --require-cluster", 2);
    assert!(said.starts_with("error: pages need a cluster: "), "{said}");
    assert!(!world.exists("content/ran"));
}

#[test]
fn a_page_without_that_need_never_asks_for_a_cluster() {
    let world =
        World::page("# A\n\n```sh {#a}\necho $KUBECONFIG\n```\n\n```output {for=a}\n\n```\n");
    write_config(&world, &[("dead", "https://127.0.0.1:1")]);
    says(&world, "verify --require-cluster", 0);
}

#[test]
#[ignore = "asks a real kubectl; `make test` runs it where there is one"]
fn only_the_user_can_trust_a_cluster() {
    let world = world(&[("prod", &cluster("uid-prod")), ("lab", &cluster("uid-lab"))]);
    let kubeconfig = world.base().join("home/.kube/config");
    let state = || {
        let modified = std::fs::metadata(&kubeconfig).expect("there").modified().expect("time");
        (std::fs::read(&kubeconfig).expect("there"), modified)
    };
    let before = state();
    let said = says(&world, "verify", 0);
    assert!(
        said.contains("no cluster is trusted; labdoc trust prod trusts the current one"),
        "{said}"
    );
    let said = says(&world, "trust lab", 0);
    assert!(said.starts_with("trusted: lab, http://127.0.0.1:"), "{said}");
    let said = says(&world, "verify", 0);
    assert!(
        said.contains("the current context `prod` is not trusted (identity uid-prod)"),
        "{said}"
    );
    let said = says(&world, "verify --context prod", 2);
    assert!(said.contains("leads to a cluster that is not trusted"), "{said}");
    assert!(said.contains("say so once: labdoc trust prod"), "{said}");
    assert!(says(&world, "trust --list", 0).contains("uid-lab  lab  http://127.0.0.1:"));
    // A list in the repository grants nothing.
    world.write(".config/labdoc/trust.toml", "[[cluster]]\nuid = \"uid-prod\"\n");
    says(&world, "verify --context prod", 2);
    says(&world, "trust --remove lab", 0);
    says(&world, "verify --context lab", 2);
    assert!(!world.exists("content/ran"), "something was run");
    assert!(before == state(), "the user's kubeconfig was written");
}

#[test]
#[ignore = "asks a real kubectl; `make test` runs it where there is one"]
fn a_context_that_bears_a_trusted_name_is_not_trusted_for_it() {
    let world = world(&[("lab", &cluster("uid-lab"))]);
    says(&world, "trust", 0);
    write_config(&world, &[("lab", &cluster("uid-prod"))]);
    let said = says(&world, "verify --context lab", 2);
    assert!(said.contains("a context of this name was trusted for another cluster"), "{said}");
    assert!(said.contains("identity uid-prod"), "{said}");
    assert!(!world.exists("content/ran"));
}

#[test]
#[ignore = "asks a real kubectl; `make test` runs it where there is one"]
fn no_way_no_credential_and_no_permission_are_told_apart() {
    let check = |server: &str, expect: &[&str]| {
        let world = world(&[("lab", server)]);
        let said = says(&world, "verify --context lab", 2);
        for part in expect {
            assert!(said.contains(part), "{part}:\n{said}");
        }
        assert!(said.contains(" = help: "), "{said}");
    };
    check(
        "http://127.0.0.1:1",
        &["the cluster cannot be reached", "connection to the server 127.0.0.1:1 was refused"],
    );
    check(
        &refusing(401, "Unauthorized", "Unauthorized"),
        &["the cluster does not accept the credential", "You must be logged in to the server"],
    );
    check(
        &refusing(403, "Forbidden", "namespaces is forbidden: User a cannot get it"),
        &["the cluster forbids it", "Error from server (Forbidden)"],
    );
}

#[test]
#[ignore = "asks a real kubectl; `make test` runs it where there is one"]
fn a_server_that_never_answers_is_given_up() {
    // It accepts connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("port");
    let server = format!("http://{}", silent.local_addr().expect("address"));
    let world = world(&[("lab", &server)]);
    let said = says(&world, "verify --context lab", 2);
    assert!(said.contains("the cluster cannot be reached"), "{said}");
}

#[test]
fn an_assertion_that_names_no_object_is_found_before_anything_runs() {
    let world = World::page(
        "# A\n\n```sh {#a}\ntouch ran\n```\n\n```yaml {#b .assert retry=5s}\nkind: Pod\n```\n",
    );
    world
        .labdoc("verify")
        .stderr(str![[r#"
error[BL014]: assertion `b`: document 1: it names no object: give it `metadata.name` or `metadata.labels`
 --> content/a.md:8:1
  |
8 | kind: Pod
  | ^^^^^^^^^


"#]])
        .stdout(str![[r#"
nothing was run

"#]])
        .code(1);
    assert!(!world.exists("content/ran"));
}

#[test]
fn other_yaml_is_no_business_of_verify() {
    let world = World::page(
        "# A\n\n```yaml {linenos=table hl=\"1\"}\na: 1\n```\n\n```yaml {#x}\na: [\n```\n\n```sh {#a}\ntrue\n```\n",
    );
    world.labdoc("verify").any_output().success();
}
