//! `yaml {.assert}`: parts that live objects of the cluster must hold.

use serde_json::{Map, Value};

use super::guard::{Kind, Kubectl, Trouble};
use crate::book::{Block, BlockKind, Page};
use crate::compare::missing;
use crate::diag::Diagnostic;
use crate::yaml;

/// How many places that differ are named.
const SHOWN: usize = 12;

/// A part of a live object, and how to ask for that object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    /// The document as it stands on the page.
    document: Value,
    /// The arguments behind `kubectl get`.
    pub(crate) query: Vec<String>,
}

/// Where a text of parts is wrong: its line from 1, and a sentence.
pub(crate) type PartFault = (usize, String);

/// Reads the parts out of a block's text.
///
/// # Errors
/// It is no YAML, or a document does not say which object it is a part of.
pub(crate) fn parts(text: &str) -> Result<Vec<Part>, PartFault> {
    let documents = yaml::documents(text).map_err(|fault| (fault.line, fault.message))?;
    if documents.is_empty() {
        return Err((1, "it holds no document".to_owned()));
    }
    let numbered = documents.into_iter().enumerate();
    numbered
        .map(|(at, document)| {
            let query = query(&document);
            query.map(|query| Part { document, query }).map_err(|why| (1, document_fault(at, &why)))
        })
        .collect()
}

/// What is wrong with the assertions of a page, before anything runs.
pub(crate) fn findings(page: &Page) -> Vec<Diagnostic> {
    let asserted = page.blocks.iter().filter(|block| block.kind == BlockKind::Assert);
    let finding = |block: &Block| {
        let (line, why) = parts(&block.text).err()?;
        let at = block.lines.get(line - 1).copied().unwrap_or(block.span);
        let message = format!("assertion `{}`: {why}", block.id);
        Some(Diagnostic::error("BL014", message).at(at))
    };
    asserted.filter_map(finding).collect()
}

/// What is wrong with one document.
fn document_fault(at: usize, why: &str) -> String {
    format!("document {}: {why}", at + 1)
}

/// How to ask for the object that a document is a part of.
fn query(document: &Value) -> Result<Vec<String>, String> {
    let text = |at: &str| document.pointer(at).and_then(Value::as_str).filter(|t| !t.is_empty());
    let kind = text("/kind").ok_or("it has no `kind`")?;
    let api = text("/apiVersion").unwrap_or("");
    let kind = match api.split_once('/') {
        Some((group, version)) => format!("{kind}.{version}.{group}"),
        None => kind.to_owned(),
    };
    let mut query = vec![kind];
    match (text("/metadata/name"), document.pointer("/metadata/labels").and_then(Value::as_object))
    {
        (Some(name), _) => query.push(name.to_owned()),
        (None, Some(labels)) if !labels.is_empty() => {
            query.extend(["-l".to_owned(), selector(labels)]);
        }
        _ => {
            return Err(
                "it names no object: give it `metadata.name` or `metadata.labels`".to_owned()
            );
        }
    }
    if let Some(namespace) = text("/metadata/namespace") {
        query.extend(["-n".to_owned(), namespace.to_owned()]);
    }
    query.extend(["-o".to_owned(), "json".to_owned()]);
    Ok(query)
}

/// Labels as a selector.
fn selector(labels: &Map<String, Value>) -> String {
    let pair = |(key, value): (&String, &Value)| {
        format!("{key}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    labels.iter().map(pair).collect::<Vec<_>>().join(",")
}

/// The commands that print the live objects without labdoc.
pub(crate) fn commands(parts: &[Part]) -> String {
    let quoted = |word: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,".contains(c);
        if word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let line = |part: &Part| {
        format!("kubectl get {}\n", part.query.iter().map(quoted).collect::<Vec<_>>().join(" "))
    };
    parts.iter().map(line).collect()
}

/// What came of one look at the cluster.
#[derive(Debug, Default)]
pub(crate) struct Look {
    /// The live objects as JSON, managed fields out.
    pub(crate) output: String,
    /// What the objects lack, one sentence each.
    pub(crate) lacks: Vec<String>,
    /// What stood against looking.
    pub(crate) trouble: Option<Trouble>,
}

/// Looks at the live objects once.
pub(crate) fn look(parts: &[Part], kubectl: &Kubectl) -> Look {
    let mut look = Look::default();
    for part in parts {
        let args: Vec<&str> =
            ["get"].into_iter().chain(part.query.iter().map(String::as_str)).collect();
        match kubectl.json(&args) {
            Ok(live) => add(&mut look, part, live),
            Err(trouble) if trouble.kind == Kind::NotFound => {
                look.lacks.push(format!("{}: {}", part.name(), trouble.sentence));
            }
            Err(trouble) => look.trouble = Some(trouble),
        }
    }
    look
}

/// Adds one live object, or the one of a list that comes nearest.
fn add(look: &mut Look, part: &Part, live: Value) {
    let Some((object, places)) = nearest(&part.document, live) else {
        look.lacks.push(format!("{}: there is no such object", part.name()));
        return;
    };
    let more = places.len().saturating_sub(SHOWN);
    look.lacks
        .extend(places.into_iter().take(SHOWN).map(|place| format!("{}: {place}", part.name())));
    if more > 0 {
        look.lacks.push(format!("{}: {more} more fields differ", part.name()));
    }
    look.output.push_str(&format!("{object:#}\n"));
}

/// The object that lacks least, without its managed fields, and what it lacks. A list holds a
/// part when one of its objects does.
fn nearest(document: &Value, live: Value) -> Option<(Value, Vec<String>)> {
    let objects = match live {
        Value::Object(mut map) if map.get("kind").is_some_and(|kind| kind == "List") => {
            match map.remove("items") {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            }
        }
        other => vec![other],
    };
    let lacking = |mut object: Value| {
        if let Some(meta) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            meta.remove("managedFields");
        }
        let places = missing(&wanted(document), &object).iter().map(ToString::to_string).collect();
        (object, places)
    };
    objects.into_iter().map(lacking).min_by_key(|(_, places): &(Value, Vec<String>)| places.len())
}

/// The part that is compared. The version of the API is that of the question, and an object may
/// be stored in another one.
fn wanted(document: &Value) -> Value {
    let mut wanted = document.clone();
    if let Some(map) = wanted.as_object_mut() {
        map.remove("apiVersion");
    }
    wanted
}

/// Whether a transcript of live objects holds the parts, in their order.
pub(crate) fn transcript_holds(text: &str, transcript: &str) -> bool {
    let Ok(parts) = parts(text) else { return false };
    let live: Result<Vec<Value>, _> =
        serde_json::Deserializer::from_str(transcript).into_iter::<Value>().collect();
    let Ok(live) = live else { return false };
    live.len() == parts.len()
        && parts.iter().zip(live).all(|(part, live)| {
            nearest(&part.document, live).is_some_and(|(_, places)| places.is_empty())
        })
}

impl Part {
    /// The object for people: `Deployment web`.
    fn name(&self) -> String {
        let text = |at: &str| self.document.pointer(at).and_then(Value::as_str).unwrap_or("");
        let name = text("/metadata/name");
        let kind = text("/kind");
        if name.is_empty() { format!("{kind} {}", self.query[2]) } else { format!("{kind} {name}") }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, expect: Result<&[&str], &str>) {
        let got = parts(text);
        let queries = got
            .as_ref()
            .map(|parts| parts.iter().map(|part| part.query.join(" ")).collect::<Vec<_>>());
        match expect {
            Ok(expect) => assert_eq!(queries.expect("valid"), expect, "{text}"),
            Err(why) => assert_eq!(queries.expect_err("invalid").1, why, "{text}"),
        }
    }

    #[test]
    fn each_document_says_which_object_it_is_a_part_of() {
        check(
            "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: web, namespace: lab}\n",
            Ok(&["Deployment.v1.apps web -n lab -o json"]),
        );
        check(
            "kind: Pod\napiVersion: v1\nmetadata: {labels: {app: web, n: 1}}\n---\nkind: Service\nmetadata: {name: web}\n",
            Ok(&["Pod -l app=web,n=1 -o json", "Service web -o json"]),
        );
        check("metadata: {name: web}\n", Err("document 1: it has no `kind`"));
        check(
            "kind: Pod\n",
            Err("document 1: it names no object: give it `metadata.name` or `metadata.labels`"),
        );
        check("# nothing\n", Err("it holds no document"));
    }

    #[test]
    fn the_replay_asks_for_the_same_objects() {
        let parts = parts("kind: Pod\nmetadata: {labels: {app: \"a b\"}}\n").expect("valid");
        assert_eq!(commands(&parts), "kubectl get Pod -l 'app=a b' -o json\n");
    }

    #[test]
    fn of_a_list_the_nearest_object_counts() {
        let document =
            json!({"kind": "Pod", "apiVersion": "v1", "status": {"phase": "Running", "n": 1}});
        let pod = |phase: &str, n: u8| json!({"kind": "Pod", "metadata": {"managedFields": []}, "status": {"phase": phase, "n": n}});
        let list = json!({"kind": "List", "items": [pod("Pending", 2), pod("Running", 2)]});
        let (object, places) = nearest(&document, list).expect("one");
        assert_eq!(object["status"]["phase"], "Running");
        assert_eq!(object["metadata"], json!({}));
        assert_eq!(places, ["status.n is 2, expected 1"]);
        assert_eq!(nearest(&document, json!({"kind": "List", "items": []})), None);
    }

    #[test]
    fn a_transcript_is_judged_as_the_cluster_was() {
        let text = "kind: Pod\nmetadata: {name: a}\nstatus: {phase: Running}\n";
        let check = |transcript: &str, expect| {
            assert_eq!(transcript_holds(text, transcript), expect, "{transcript}");
        };
        let live = r#"{"kind":"Pod","metadata":{"name":"a"},"status":{"phase":"Running"}}"#;
        check(live, true);
        check(&live.replace("Running", "Pending"), false);
        check(&format!("{live}\n{live}"), false);
        check("", false);
        check("Error from server", false);
    }
}
