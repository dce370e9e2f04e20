//! VR of pages that need a cluster. The cluster is a script in the place of kubectl that answers
//! what labdoc asks: what is found on a real one stands in `tests/cluster`.

use super::support::World;
use super::{Row, other};

/// Answers as kubectl would. A file `left` beside it is an object that was left behind.
const KUBECTL: &str = r#"#!/bin/sh
case "$*" in
*"config current-context"*) echo lab ;;
*"config view"*) echo '{"apiVersion":"v1","kind":"Config","current-context":"lab","clusters":[{"name":"lab","cluster":{"server":"http://127.0.0.1:1"}}],"contexts":[{"name":"lab","context":{"cluster":"lab","user":"u"}}],"users":[{"name":"u","user":{"token":"abc"}}]}' ;;
*namespaces/kube-system*) echo '{"kind":"Namespace","metadata":{"name":"kube-system","uid":"uid-lab"}}' ;;
*"/version"*) echo '{"gitVersion":"v1.34.4"}' ;;
*leases*) [ "$1" != create ] || cat >"${0%/*}/lease"; cat "${0%/*}/lease" ;;
*api-resources*) echo configmaps ;;
*"get configmaps"*) [ ! -e "${0%/*}/left" ] || printf 'ConfigMap\tlab\tforgotten\tuid-1\t\t\n' ;;
*"get secrets"*) echo 'Error from server (Forbidden): secrets is forbidden: User "u" cannot list it' >&2; exit 1 ;;
*"get Deployment"*json*) echo '{"kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":2}}' ;;
*"get pods"*json*) echo '{"items":[{"metadata":{"name":"web-1"},"status":{"phase":"Pending","containerStatuses":[{"name":"web","ready":false,"state":{"waiting":{"reason":"ImagePullBackOff"}}}]}}]}' ;;
esac
"#;

/// What is said of a page with this block on a cluster that the user trusts.
fn on_cluster(block: &str) -> String {
    let world = World::page(&format!(
        "---\nverify: {{needs: [cluster], namespaces: [lab]}}\n---\n# A\n\n{block}\n"
    ));
    let bin = world.base().join("bin");
    std::fs::create_dir(&bin).expect("folder");
    std::fs::write(bin.join("kubectl"), KUBECTL).expect("kubectl");
    world.bash(&format!("chmod +x {}/kubectl", bin.display())).success();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
    let kubeconfig = world.base().join("home/.kube/config");
    std::fs::create_dir_all(kubeconfig.parent().expect("parent")).expect("folder");
    std::fs::write(&kubeconfig, "apiVersion: v1\nkind: Config\n").expect("kubeconfig");
    let mut said = String::new();
    for arguments in ["trust", "verify"] {
        let ended = world.labdoc(arguments).env("PATH", &path).end();
        said += &format!("{}{}", ended.stdout, ended.stderr);
    }
    said
}

/// A block of shell commands.
fn sh(commands: &str) -> String {
    on_cluster(&format!("```sh {{#a}}\n{commands}\n```"))
}

pub(super) const ROWS: &[Row] = &[
    other("VR020", |_| sh("kubectl --context other get pods")),
    other("VR021", |_| sh("kubectl get secrets")),
    other("VR022", |_| {
        on_cluster(
            "```yaml {#a .assert}\nkind: Deployment\nmetadata: {name: web, namespace: lab}\nspec: {replicas: 3}\n```",
        )
    }),
    other("VR023", |_| {
        sh("touch \"$(dirname \"$(readlink -f \"$HOME\")\")/x\"; touch ../../bin/left")
    }),
    other("VR024", |_| sh("false")),
];
