//! `--confine`: the page gets a short-lived token that is worth something in its own namespaces
//! only, so that the API server itself refuses the rest.
//!
//! The ServiceAccount lies in a namespace of labdoc's own, so that a page may delete its namespaces
//! and still tear down. In each of the page's namespaces a Role allows everything; since a namespace
//! counts as standing in itself, that covers reading and deleting it, but not making one: those that
//! are not there are made before the page runs.

use std::time::Duration;

use serde_json::{Value, json};

use super::kubectl::Kubectl;
use super::trouble::{Kind, Trouble};
use crate::diag::Failure;

/// The name of what is made in the page's namespaces and of the account.
const NAME: &str = "labdoc-confine";

/// How long a namespace that was made for a page may take to go.
const LEAVING: Duration = Duration::from_secs(40);

/// The shortest token that an API server gives out.
const SHORTEST: Duration = Duration::from_secs(600);

/// A confined access; what was made for it goes when the value is dropped.
#[derive(Debug)]
pub(crate) struct Confined {
    kubectl: Kubectl,
    /// The namespace of labdoc's own.
    home: String,
    /// The page's namespaces that were made for it.
    made: Vec<String>,
    namespaces: Vec<String>,
    /// The token.
    pub(crate) token: String,
}

impl Confined {
    /// Makes the account with its Roles and asks for a token that outlives the page's time limit.
    ///
    /// # Errors
    /// The user may not do that, or the page names no namespace.
    pub(crate) fn make(
        kubectl: &Kubectl,
        namespaces: &[String],
        (id, limit): (&str, Duration),
    ) -> Result<Confined, Failure> {
        if namespaces.is_empty() {
            return Err(Failure::new("--confine: the page names no namespace")
                .hint("name those that it works in: verify: {namespaces: [dns-lab]}"));
        }
        let mut confined = Confined {
            kubectl: kubectl.clone(),
            home: format!("{NAME}-{id}"),
            made: Vec::new(),
            namespaces: namespaces.to_vec(),
            token: String::new(),
        };
        confined.build(limit).map_err(|trouble| trouble.failure("--confine"))?;
        Ok(confined)
    }

    /// Makes everything; what was made before a failure goes with the value.
    fn build(&mut self, limit: Duration) -> Result<(), Trouble> {
        for namespace in self.namespaces.clone() {
            match self.create(&namespace_object(&namespace)) {
                Ok(()) => self.made.push(namespace),
                Err(trouble) if trouble.kind == Kind::Conflict => {}
                Err(trouble) => return Err(trouble),
            }
        }
        self.create(&namespace_object(&self.home))?;
        self.create(&account(&self.home))?;
        for namespace in &self.namespaces {
            for object in access(&self.home, namespace) {
                let text = object.to_string();
                self.kubectl.text(&["apply", "-f", "-"], Some(text.as_bytes()))?;
            }
        }
        let seconds = (limit + Duration::from_secs(300)).max(SHORTEST).as_secs();
        let duration = format!("--duration={seconds}s");
        let args = ["create", "token", NAME, "-n", &self.home, &duration];
        self.kubectl.text(&args, None)?.trim().clone_into(&mut self.token);
        Ok(())
    }

    /// Makes one object.
    fn create(&self, object: &Value) -> Result<(), Trouble> {
        let text = object.to_string();
        self.kubectl.text(&["create", "-f", "-"], Some(text.as_bytes())).map(|_| ())
    }

    /// The page's namespaces that were made for it.
    pub(crate) fn made(&self) -> &[String] {
        &self.made
    }
}

impl Drop for Confined {
    fn drop(&mut self) {
        let gone = |args: &[&str]| {
            // The token ends by itself; what stays is named by the next inventory.
            let _ =
                self.kubectl.text(&[args, &["--ignore-not-found", "--wait=false"]].concat(), None);
        };
        for namespace in &self.namespaces {
            if self.made.contains(namespace) {
                // The next page may need it afresh: one that is on its way out takes nothing new.
                let args = ["delete", "namespace", namespace, "--ignore-not-found"];
                let _ = self.kubectl.both(&args, None, LEAVING);
            } else {
                gone(&["delete", "rolebinding,role", &self.home, "-n", namespace]);
            }
        }
        gone(&["delete", "namespace", &self.home]);
    }
}

/// A namespace.
fn namespace_object(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "labels": labels() } })
}

/// The account.
fn account(home: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": NAME, "namespace": home, "labels": labels() } })
}

/// By what everything of labdoc's is found.
fn labels() -> Value {
    json!({ "app.kubernetes.io/managed-by": "labdoc" })
}

/// Everything in one namespace, for the account.
fn access(home: &str, namespace: &str) -> [Value; 2] {
    let meta = json!({ "name": home, "namespace": namespace, "labels": labels() });
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": meta,
        "rules": [{ "apiGroups": ["*"], "resources": ["*"], "verbs": ["*"] }],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": meta,
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": home },
        "subjects": [{ "kind": "ServiceAccount", "name": NAME, "namespace": home }],
    });
    [role, binding]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_access_stays_in_the_namespace() {
        let objects = access("labdoc-confine-1", "lab");
        for object in &objects {
            assert_eq!(object["metadata"]["namespace"], "lab");
            let kind = object["kind"].as_str().expect("kind");
            assert!(!kind.starts_with("Cluster"), "{kind}");
        }
        assert_eq!(objects[1]["roleRef"]["kind"], "Role");
        assert_eq!(objects[1]["subjects"][0]["namespace"], "labdoc-confine-1");
    }
}
