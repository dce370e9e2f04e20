//! What a run makes in the cluster, and takes away again.

use std::time::Duration;

use super::Call;
use crate::diag::Failure;
use crate::verify::guard::{Kind, Kubectl, Trouble};
use crate::verify::spread::{RUN, Spread, name_of, objects};

/// The annotation of a Job whose answers were read and that was kept.
const READ: &str = "labdoc/read";

/// How long objects may take to go.
const LEAVING: Duration = Duration::from_secs(180);

/// The namespaces of a run that are not there yet.
///
/// # Errors
/// The cluster cannot be asked.
pub(super) fn absent(kubectl: &Kubectl, spread: &Spread) -> Result<Vec<String>, Failure> {
    let names = kubectl
        .text(&["get", "namespaces", "-o", "name"], None)
        .map_err(|trouble| trouble.failure("the cluster's namespaces"))?;
    let there: Vec<&str> =
        names.lines().filter_map(|n| n.trim().strip_prefix("namespace/")).collect();
    let all = std::iter::once(&spread.namespace).chain(&spread.page_namespaces);
    Ok(all.filter(|name| !there.contains(&name.as_str())).cloned().collect())
}

impl Call<'_> {
    /// Makes everything of the run, unless its Job is there and nobody has read its answers yet: an
    /// earlier call was broken off then, and this one goes on with it.
    ///
    /// # Errors
    /// The cluster does not take an object.
    pub(super) fn submit(&self) -> Result<(), Failure> {
        let (kubectl, spread) = (self.kubectl, self.spread);
        let name = name_of(&spread.id);
        match kubectl.json(&["get", "job", &name, "-n", &spread.namespace, "-o", "json"]) {
            Ok(job) if job["metadata"]["annotations"][READ] == "true" => self.clean_up()?,
            Ok(_) => {
                self.console.say(&format!("run {}: its Job is there already", spread.id));
                return Ok(());
            }
            Err(trouble) if trouble.kind == Kind::NotFound => {}
            Err(trouble) => return Err(trouble.failure(&format!("the Job {name}"))),
        }
        for object in objects(spread) {
            let text = object.to_string();
            match kubectl.text(&["create", "-f", "-"], Some(text.as_bytes())) {
                Ok(_) => {}
                // Made by a call that was broken off, or a namespace that somebody else made just now.
                Err(trouble) if trouble.kind == Kind::Conflict => {}
                Err(trouble) => {
                    let (kind, meta) = (&object["kind"], &object["metadata"]);
                    let name = meta["name"].as_str().unwrap_or_default();
                    let doing = format!("{} {name}", kind.as_str().unwrap_or_default());
                    return Err(trouble.failure(&doing));
                }
            }
        }
        let pages = super::plural(self.paths.len(), "page");
        let shards = super::plural(spread.shards, "shard");
        self.console.say(&format!(
            "run {}: {pages} in {shards}, Job {name} in namespace {}",
            spread.id, spread.namespace
        ));
        Ok(())
    }

    /// Notes on a Job that is kept that its answers were read, so that the same call runs anew.
    ///
    /// # Errors
    /// The cluster does not take it.
    pub(super) fn mark_read(&self) -> Result<(), Failure> {
        let name = name_of(&self.spread.id);
        let note = format!("{READ}=true");
        let args = ["annotate", "job", &name, "-n", &self.spread.namespace, "--overwrite", &note];
        self.kubectl
            .text(&args, None)
            .map(|_| ())
            .map_err(|trouble| trouble.failure(&format!("the Job {name}")))
    }

    /// Takes away everything of the run, its own namespaces included.
    ///
    /// # Errors
    /// The cluster does not let go of something.
    pub(super) fn clean_up(&self) -> Result<(), Failure> {
        self.console.progress(&["taking away what was made for the run".to_owned()]);
        let selector = format!("{RUN}={}", self.spread.id);
        let delete = |kinds: &str, namespace: Option<&str>| {
            let mut args = vec!["delete", kinds, "-l", &selector, "--ignore-not-found"];
            args.extend(namespace.iter().flat_map(|namespace| ["-n", namespace]));
            match self.kubectl.both(&args, None, LEAVING) {
                Ok((_, None)) => Ok(()),
                Ok((_, Some(trouble))) | Err(trouble) => Err(failed(&trouble)),
            }
        };
        delete("jobs,configmaps,serviceaccounts", Some(&self.spread.namespace))?;
        let places = [self.spread.namespace.as_str(), "default"];
        for place in
            places.into_iter().chain(self.spread.page_namespaces.iter().map(String::as_str))
        {
            delete("rolebindings,roles", Some(place))?;
        }
        delete("clusterrolebindings,clusterroles", None)?;
        delete("namespaces", None)
    }
}

/// What could not be taken away.
fn failed(trouble: &Trouble) -> Failure {
    trouble.failure("taking away what was made for the run")
}
