//! The pinned kubeconfig: one context of the user's files, self-contained, for one run.
//!
//! kubectl itself merges and minifies the user's files (`KUBECONFIG` lists included) and puts
//! certificates in; what it leaves relative (token files, programs of exec plugins) is made absolute
//! against the file that it stands in. The user's files are only read.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::kubectl::Kubectl;
use super::trouble::Trouble;
use crate::diag::Failure;
use crate::disk;
use crate::proc::variable;

/// One context of the user's, with what is needed to use it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pinned {
    /// The context's name.
    pub(crate) context: String,
    /// The address of its API server.
    pub(crate) server: String,
    /// The kubeconfig as JSON, which is YAML too.
    config: Value,
}

/// The name of the user's current context.
pub(crate) fn current_context(kubectl: &Kubectl) -> Option<String> {
    let name = kubectl.text(&["config", "current-context"], None).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

impl Pinned {
    /// Takes a context out of the user's files.
    ///
    /// # Errors
    /// kubectl does not know the context or cannot read the files.
    pub(crate) fn take(kubectl: &Kubectl, context: &str) -> Result<Pinned, Trouble> {
        let named = format!("--context={context}");
        let view = ["config", "view", "--minify", "--flatten", "--raw", "-o", "json"];
        let mut config = kubectl.json(&[view.as_slice(), &[&named]].concat())?;
        let server = config["clusters"][0]["cluster"]["server"].as_str().unwrap_or("").to_owned();
        let user = config["users"][0]["name"].as_str().unwrap_or("").to_owned();
        let has_relative = |user: &Value| relative_paths(user).next().is_some();
        if has_relative(&config["users"][0]["user"])
            && let Some(folder) = folder_of_user(kubectl, &user)
        {
            make_absolute(&mut config["users"][0]["user"], &folder);
        }
        if let Some(home) = variable("HOME").and_then(|home| home.into_string().ok()) {
            give_home(&mut config["users"][0]["user"], &home);
        }
        Ok(Pinned { context: context.to_owned(), server, config })
    }

    /// The same cluster and context with another credential: a token.
    pub(super) fn with_token(&self, token: &str, namespace: Option<&str>) -> Pinned {
        let mut pinned = self.clone();
        pinned.config["users"][0]["user"] = json!({ "token": token });
        if let Some(namespace) = namespace {
            pinned.config["contexts"][0]["context"]["namespace"] = json!(namespace);
        }
        pinned
    }

    /// Its cluster entry: address and certificate.
    pub(super) fn cluster(&self) -> &Value {
        &self.config["clusters"][0]["cluster"]
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        format!("{:#}\n", self.config).into_bytes()
    }

    /// Writes it where only this user can read it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        disk::write(path, b"")?;
        disk::set_mode(path, 0o600)?;
        Ok(disk::write(path, &self.bytes())?)
    }
}

/// The paths of a user's entry that are relative to the file it stands in: its token file, and a
/// plugin's program when it is named with a `/`.
fn relative_paths(user: &Value) -> impl Iterator<Item = &'static str> {
    let relative = |at: &str| {
        let path = user.pointer(at).and_then(Value::as_str).unwrap_or("");
        !path.is_empty() && !path.starts_with('/') && (at == "/tokenFile" || path.contains('/'))
    };
    ["/tokenFile", "/exec/command"]
        .into_iter()
        .filter(move |at| relative(at))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Makes them absolute.
fn make_absolute(user: &mut Value, folder: &Path) {
    let found: Vec<&str> = relative_paths(user).collect();
    for at in found {
        let Some(value) = user.pointer_mut(at) else { continue };
        let path = folder.join(value.as_str().unwrap_or_default());
        *value = json!(path.to_string_lossy());
    }
}

/// Gives an exec plugin the real home, since the session has one of its own; what the kubeconfig
/// itself says comes first.
fn give_home(user: &mut Value, home: &str) {
    let Some(exec) = user.get_mut("exec").and_then(Value::as_object_mut) else { return };
    let env = exec.entry("env").or_insert(Value::Null);
    if !env.is_array() {
        *env = json!([]);
    }
    if let Some(list) = env.as_array_mut()
        && !list.iter().any(|pair| pair["name"] == "HOME")
    {
        list.push(json!({ "name": "HOME", "value": home }));
    }
}

/// The folder of the file that defines a user: the first one, as kubectl merges.
fn folder_of_user(kubectl: &Kubectl, user: &str) -> Option<PathBuf> {
    let files = match variable("KUBECONFIG").filter(|list| !list.is_empty()) {
        Some(list) => std::env::split_paths(&list).collect(),
        None => vec![PathBuf::from(variable("HOME")?).join(".kube/config")],
    };
    let holds = |file: &PathBuf| {
        let view = kubectl.on_file_of_user(file).json(&["config", "view", "--raw", "-o", "json"]);
        let users = view.ok().and_then(|config| config["users"].as_array().cloned());
        users.is_some_and(|users| users.iter().any(|entry| entry["name"] == user))
    };
    let file = files.into_iter().filter(|file| disk::is_file(file)).find(holds)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    disk::canonical(folder.unwrap_or(Path::new("."))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_files_and_programs_with_a_slash_become_absolute() {
        let check = |mut user: Value, expect: Value| {
            make_absolute(&mut user, Path::new("/home/a/.kube"));
            assert_eq!(user, expect);
        };
        check(json!({"tokenFile": "tok"}), json!({"tokenFile": "/home/a/.kube/tok"}));
        check(json!({"tokenFile": "/run/tok"}), json!({"tokenFile": "/run/tok"}));
        check(json!({"exec": {"command": "aws"}}), json!({"exec": {"command": "aws"}}));
        check(
            json!({"exec": {"command": "./bin/plug"}}),
            json!({"exec": {"command": "/home/a/.kube/./bin/plug"}}),
        );
        check(json!({"token": "x"}), json!({"token": "x"}));
    }

    #[test]
    fn a_plugin_gets_the_real_home_unless_it_has_one() {
        let check = |mut user: Value, expect: Value| {
            give_home(&mut user, "/home/a");
            assert_eq!(user, expect);
        };
        let home = json!({"name": "HOME", "value": "/home/a"});
        check(json!({"exec": {"env": null}}), json!({"exec": {"env": [home]}}));
        let own = json!({"exec": {"env": [{"name": "HOME", "value": "/else"}]}});
        check(own.clone(), own);
        check(json!({"token": "x"}), json!({"token": "x"}));
    }
}
