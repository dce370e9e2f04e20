//! What is collected in the page's namespaces when something failed, while the scene still stands.

use std::path::Path;

use serde_json::Value;

use super::kubectl::Kubectl;
use crate::disk;

/// How many log lines of a container are kept.
const LINES: &str = "--tail=50";

/// How many containers are asked for their logs.
const CONTAINERS: usize = 20;

/// Writes events, pods and the last log lines of containers that are not ready into
/// `cluster/NAMESPACE/` below `out`, and returns the facts that say most, one sentence each.
///
/// What the cluster does not give is left out: this runs only when something is wrong already.
pub(crate) fn collect(kubectl: &Kubectl, namespaces: &[String], out: &Path) -> Vec<String> {
    let mut facts = Vec::new();
    for namespace in namespaces {
        let folder = out.join("cluster").join(namespace);
        let write = |name: &str, text: &str| {
            if !text.trim().is_empty() {
                let _ = disk::write(&folder.join(name), text.as_bytes());
            }
        };
        let ask = |args: &[&str]| {
            let args = [args, &["-n", namespace]].concat();
            kubectl.text(&args, None).unwrap_or_default()
        };
        write("events.txt", &ask(&["get", "events", "--sort-by=.lastTimestamp"]));
        write("pods.txt", &ask(&["get", "pods", "-o", "wide"]));
        let pods: Value =
            serde_json::from_str(&ask(&["get", "pods", "-o", "json"])).unwrap_or_default();
        for container in not_ready(&pods).into_iter().take(CONTAINERS) {
            let NotReady { pod, name, why } = &container;
            facts.push(format!("{namespace}: pod {pod}, container {name}: {why}"));
            let logs = ask(&["logs", pod, "-c", name, LINES]);
            write(&format!("logs-{pod}-{name}.txt"), &logs);
        }
    }
    facts
}

/// A container that is not ready.
#[derive(Debug, PartialEq, Eq)]
struct NotReady {
    pod: String,
    name: String,
    why: String,
}

/// The containers that are not ready, of pods that are not done.
fn not_ready(pods: &Value) -> Vec<NotReady> {
    let none = Vec::new();
    let mut found = Vec::new();
    for pod in pods["items"].as_array().unwrap_or(&none) {
        let statuses = pod["status"]["containerStatuses"].as_array().unwrap_or(&none);
        if pod["status"]["phase"] == "Succeeded" {
            continue;
        }
        for status in statuses.iter().filter(|status| status["ready"] != true) {
            found.push(NotReady {
                pod: pod["metadata"]["name"].as_str().unwrap_or("").to_owned(),
                name: status["name"].as_str().unwrap_or("").to_owned(),
                why: why(status),
            });
        }
    }
    found
}

/// Why a container is not ready, as the cluster says it.
fn why(status: &Value) -> String {
    for state in ["waiting", "terminated"] {
        let state = &status["state"][state];
        if let Some(reason) = state["reason"].as_str() {
            let message = state["message"].as_str().map_or(String::new(), |m| format!(": {m}"));
            return format!("{reason}{message}");
        }
    }
    "running, not ready".to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn containers_that_are_not_ready_say_why() {
        let pods = json!({"items": [
            {"metadata": {"name": "a"}, "status": {"phase": "Running", "containerStatuses": [
                {"name": "ok", "ready": true, "state": {"running": {}}},
                {"name": "bad", "ready": false, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}},
                {"name": "slow", "ready": false, "state": {"running": {}}},
            ]}},
            {"metadata": {"name": "job"}, "status": {"phase": "Succeeded", "containerStatuses": [
                {"name": "done", "ready": false, "state": {"terminated": {"reason": "Completed"}}},
            ]}},
        ]});
        let found = not_ready(&pods);
        let shown: Vec<String> =
            found.iter().map(|c| format!("{}/{}: {}", c.pod, c.name, c.why)).collect();
        assert_eq!(shown, ["a/bad: CrashLoopBackOff: back-off", "a/slow: running, not ready"]);
    }
}
