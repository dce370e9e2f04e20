//! Waiting for a Job, and reading what its pods answered.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Call;
use crate::diag::Failure;
use crate::proc::{Interrupt, wait_readable};
use crate::verify::guard::{Kind, Trouble};
use crate::verify::report::PageReport;
use crate::verify::spread::{Answer, RUN, heads, name_of, read};

/// How often the cluster is asked.
const AGAIN: Duration = Duration::from_secs(2);

/// How long it may not answer before that is the end of waiting.
const SILENCE: Duration = Duration::from_secs(90);

/// How a Job ended.
pub(super) struct End {
    /// Why it failed as a whole, in the cluster's words; empty where it did not.
    why: String,
    /// What is known of the last pod of each shard, by its index.
    pods: BTreeMap<usize, String>,
}

/// What a Job looks like at one moment.
struct Look {
    job: Value,
    pods: Vec<Pod>,
    done: usize,
}

/// What was said already.
#[derive(Default)]
struct Said {
    /// Of which pod, and what.
    pods: BTreeSet<(String, String)>,
    /// How many pods the Job has lost.
    died: u64,
}

/// One pod of a Job.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pod {
    name: String,
    shard: usize,
    /// Why it ended without an answer, or why it cannot begin.
    trouble: Option<String>,
}

impl Call<'_> {
    /// Waits until the Job has ended; `None` where the user does not want to wait any longer.
    ///
    /// # Errors
    /// The cluster does not answer any more, or the Job is gone.
    pub(super) fn follow(&self, interrupt: &Interrupt) -> Result<Option<End>, Failure> {
        let mut said = Said::default();
        let mut pods = BTreeMap::new();
        let mut heard = Instant::now();
        loop {
            match self.look() {
                Ok(look) => {
                    heard = Instant::now();
                    self.tell(&look, &mut said);
                    pods.extend(
                        look.pods.iter().filter_map(|pod| Some((pod.shard, pod.trouble.clone()?))),
                    );
                    if let Some(why) = ended(&look.job) {
                        return Ok(Some(End { why, pods }));
                    }
                }
                Err(trouble) if trouble.kind == Kind::Unreachable && heard.elapsed() < SILENCE => {}
                Err(trouble) => {
                    let doing = format!("waiting for the Job {}", name_of(&self.spread.id));
                    let failure = trouble.failure(&doing);
                    return Err(
                        failure.hint("the Job goes on; the same command waits for it again")
                    );
                }
            }
            let until = Some(Instant::now() + AGAIN);
            let ready = wait_readable(&[interrupt.descriptor()], until);
            if ready.is_ok_and(|ready| ready.first() == Some(&true)) {
                return Ok(None);
            }
        }
    }

    /// Asks for the Job, its pods and the answers.
    fn look(&self) -> Result<Look, Trouble> {
        let (name, namespace) = (name_of(&self.spread.id), &self.spread.namespace);
        let job = self.kubectl.json(&["get", "job", &name, "-n", namespace, "-o", "json"])?;
        let selector = format!("{RUN}={}", self.spread.id);
        let list =
            self.kubectl.json(&["get", "pods", "-n", namespace, "-l", &selector, "-o", "json"])?;
        let pods = list["items"].as_array().into_iter().flatten().filter_map(pod).collect();
        let heads = heads(self.kubectl, (&self.spread.id, namespace))?;
        Ok(Look { job, pods, done: heads.values().filter(|head| head.done).count() })
    }

    /// Shows how far the Job is, and once of each pod what is wrong with it.
    fn tell(&self, look: &Look, said: &mut Said) {
        let of = self.spread.shards;
        for pod in &look.pods {
            let Some(trouble) = &pod.trouble else { continue };
            if said.pods.insert((pod.name.clone(), trouble.clone())) {
                let shard = pod.shard + 1;
                self.console.say(&format!("  shard {shard}/{of}: pod {} {trouble}", pod.name));
            }
        }
        let count = |key: &str| look.job["status"][key].as_u64().unwrap_or(0);
        // A pod that was deleted says nothing any more; the Job has counted it.
        for _ in said.died..count("failed") {
            self.console.say("  a pod died; its shard is run again");
        }
        said.died = said.died.max(count("failed"));
        self.console.progress(&[format!(
            "{} of {of} shards done, {} running; {} of {} pages",
            count("succeeded"),
            count("active"),
            look.done,
            self.paths.len()
        )]);
    }

    /// The answers for all pages, in their order; a page without one says why there is none.
    ///
    /// # Errors
    /// The cluster cannot be asked, or what is there is no answer.
    pub(super) fn answers(&self, end: &End, shard_of: &[usize]) -> Result<Vec<Answer>, Failure> {
        let own = (self.spread.id.as_str(), self.spread.namespace.as_str());
        let heads = heads(self.kubectl, own).map_err(|trouble| trouble.failure("the answers"))?;
        let mut answers = Vec::new();
        for (page, path) in self.paths.iter().enumerate() {
            let answer = match heads.get(&page) {
                Some(head) => read(self.kubectl, own, (page, head))?,
                None => None,
            };
            // A pod may say of one page what another one did.
            let answer = answer.filter(|answer| answer.report.path == *path);
            answers.push(answer.unwrap_or_else(|| {
                let shard = shard_of.get(page).copied().unwrap_or_default();
                let pod = end.pods.get(&shard).map(|pod| format!("; its last pod {pod}"));
                let why = if end.why.is_empty() { String::new() } else { format!("; {}", end.why) };
                let message = format!(
                    "shard {}/{} gave no answer{}{why}",
                    shard + 1,
                    self.spread.shards,
                    pod.unwrap_or_default()
                );
                let failure = Failure::new(message);
                Answer { report: PageReport::failed(path, &failure), ..Answer::default() }
            }));
        }
        Ok(answers)
    }
}

/// Why a Job failed, once it has ended; empty where it did not fail.
fn ended(job: &Value) -> Option<String> {
    let conditions = job["status"]["conditions"].as_array()?;
    let is = |kind: &str| conditions.iter().find(|c| c["type"] == kind && c["status"] == "True");
    if is("Complete").is_some() {
        return Some(String::new());
    }
    let failed = is("Failed")?;
    let text = |key: &str| failed[key].as_str().unwrap_or_default();
    Some(format!("the Job says: {}: {}", text("reason"), text("message")))
}

/// What there is to know of a pod; `None` of one that is of no shard.
fn pod(object: &Value) -> Option<Pod> {
    let meta = &object["metadata"];
    let index = meta["annotations"]["batch.kubernetes.io/job-completion-index"].as_str()?;
    let status = &object["status"];
    let state = &status["containerStatuses"][0]["state"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let trouble = if let Some(code) = state["terminated"]["exitCode"].as_i64().filter(|c| *c != 0) {
        let reason = text(&state["terminated"]["reason"]);
        let reason = if reason.is_empty() || reason == "Error" {
            String::new()
        } else {
            format!(" ({reason})")
        };
        Some(format!("ended with exit code {code}{reason}"))
    } else if status["phase"] == "Failed" {
        let reason = [text(&status["reason"]), text(&status["message"])].join(" ");
        Some(format!("failed: {}", reason.trim()))
    } else {
        let waiting = text(&state["waiting"]["reason"]);
        let starts = ["", "ContainerCreating", "PodInitializing"].contains(&waiting.as_str());
        (!starts)
            .then(|| format!("cannot begin: {waiting}: {}", text(&state["waiting"]["message"])))
    };
    Some(Pod { name: text(&meta["name"]), shard: index.parse().ok()?, trouble })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_job_has_ended_when_it_says_so() {
        let job = |kind: &str, status: &str| {
            json!({ "status": { "conditions": [
                { "type": "Suspended", "status": "False" },
                { "type": kind, "status": status, "reason": "DeadlineExceeded", "message": "too late" },
            ] } })
        };
        assert_eq!(ended(&json!({ "status": {} })), None);
        assert_eq!(ended(&job("Complete", "False")), None);
        assert_eq!(ended(&job("Complete", "True")), Some(String::new()));
        let why = ended(&job("Failed", "True")).expect("ended");
        assert_eq!(why, "the Job says: DeadlineExceeded: too late");
    }

    #[test]
    fn a_pod_says_why_it_ended() {
        let object = |status: Value| {
            json!({ "metadata": { "name": "p", "annotations": {
                "batch.kubernetes.io/job-completion-index": "2" } }, "status": status })
        };
        let trouble = |status: Value| pod(&object(status)).expect("pod").trouble;
        let container = |state: Value| json!([{ "state": state }]);
        assert_eq!(trouble(json!({ "phase": "Running" })), None);
        let killed = json!({ "terminated": { "exitCode": 137, "reason": "OOMKilled" } });
        assert_eq!(
            trouble(json!({ "phase": "Failed", "containerStatuses": container(killed) })),
            Some("ended with exit code 137 (OOMKilled)".into())
        );
        let pull = json!({ "waiting": { "reason": "ErrImagePull", "message": "no such image" } });
        assert_eq!(
            trouble(json!({ "phase": "Pending", "containerStatuses": container(pull) })),
            Some("cannot begin: ErrImagePull: no such image".into())
        );
        let creating = json!({ "waiting": { "reason": "ContainerCreating" } });
        assert_eq!(
            trouble(json!({ "phase": "Pending", "containerStatuses": container(creating) })),
            None
        );
        assert_eq!(
            trouble(json!({ "phase": "Failed", "reason": "Evicted", "message": "no room" })),
            Some("failed: Evicted no room".into())
        );
    }
}
