//! Whether a live object holds a part of one: maps by their keys, lists of maps by the keys by
//! which Kubernetes merges them, other lists as a whole.

use serde_json::{Map, Value};

/// The keys by which lists of maps are matched, the first that every entry has. A port is known
/// by its number and its protocol.
const MERGE_KEYS: &[&[&str]] = &[
    &["containerPort", "protocol"],
    &["containerPort"],
    &["port", "protocol"],
    &["mountPath"],
    &["devicePath"],
    &["topologyKey"],
    &["name"],
    &["key"],
    &["type"],
    &["ip"],
    &["uid"],
    &["host"],
    &["number"],
    &["port"],
];

/// Where a live object does not hold the part, the first place first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// `spec.template.spec.containers[name=web].image`.
    pub(crate) path: String,
    /// What the part says.
    pub(crate) expected: String,
    /// What the object has there; `None` where it has nothing.
    pub(crate) found: Option<String>,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Missing { path, expected, found } = self;
        match found {
            Some(found) => write!(f, "{path} is {found}, expected {expected}"),
            None => write!(f, "{path} is not there, expected {expected}"),
        }
    }
}

/// The places where `object` does not hold `part`; none when it does.
pub(crate) fn missing(part: &Value, object: &Value) -> Vec<Missing> {
    let mut out = Vec::new();
    value(part, Some(object), "", &mut out);
    out
}

/// Compares one value.
fn value(part: &Value, object: Option<&Value>, path: &str, out: &mut Vec<Missing>) {
    match (part, object) {
        (Value::Object(part), Some(Value::Object(object))) => map(part, object, path, out),
        (Value::Array(part), Some(Value::Array(object))) if keys_of(part, object).is_some() => {
            list(part, object, path, out);
        }
        // An object without the key and one where it is null are the same to the API server.
        (Value::Null, None) => {}
        (part, Some(object)) if same(part, object) => {}
        (part, object) => out.push(Missing {
            path: path.trim_start_matches('.').to_owned(),
            expected: shown(part),
            found: object.map(shown),
        }),
    }
}

/// Compares maps key by key.
fn map(part: &Map<String, Value>, object: &Map<String, Value>, path: &str, out: &mut Vec<Missing>) {
    for (key, wanted) in part {
        let plain = !key.is_empty() && !key.contains(['.', '/', '[', ' ']);
        let below = if plain { format!("{path}.{key}") } else { format!("{path}[\"{key}\"]") };
        value(wanted, object.get(key), &below, out);
    }
}

/// Compares lists of maps entry by entry, matched by their merge keys.
fn list(part: &[Value], object: &[Value], path: &str, out: &mut Vec<Missing>) {
    let Some(keys) = keys_of(part, object) else { return };
    for wanted in part {
        let named: Vec<String> =
            keys.iter().map(|key| format!("{key}={}", plain(&wanted[*key]))).collect();
        let of_name = |entry: &&Value| keys.iter().all(|key| same(&wanted[*key], &entry[*key]));
        let holds = |entry: &&Value| missing(wanted, entry).is_empty();
        // Several may go by that name where the part names less than the object does.
        let named_so: Vec<&Value> = object.iter().filter(of_name).collect();
        let entry = named_so.iter().copied().find(holds).or(named_so.first().copied());
        value(wanted, entry, &format!("{path}[{}]", named.join(",")), out);
    }
}

/// The merge keys of two lists of maps: those that every entry of the part has, without two equal
/// entries in it.
fn keys_of(part: &[Value], object: &[Value]) -> Option<&'static [&'static str]> {
    let maps = |list: &[Value]| list.iter().all(Value::is_object);
    if part.is_empty() || !maps(part) || !maps(object) {
        return None;
    }
    let has = |keys: &&&[&str]| {
        let all = |entry: &Value| keys.iter().all(|key| is_plain(&entry[*key]));
        let unlike = |at: usize, entry: &Value| {
            part[..at].iter().all(|other| keys.iter().any(|key| other[*key] != entry[*key]))
        };
        part.iter().all(all)
            && object.iter().all(all)
            && part.iter().enumerate().all(|(at, entry)| unlike(at, entry))
    };
    MERGE_KEYS.iter().find(has).copied()
}

/// Whether a value can name an entry.
fn is_plain(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_boolean()
}

/// Whether two values are the same; numbers by their value, so that 1 and 1.0 are.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// A value without quotes, for the name of an entry.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A value for people; long ones are cut.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(part: Value, object: Value, expect: &[&str]) {
        let got: Vec<String> = missing(&part, &object).iter().map(ToString::to_string).collect();
        assert_eq!(got, expect, "{part} in {object}");
    }

    #[test]
    fn a_part_of_an_object_is_held() {
        let object = json!({"kind": "Pod", "spec": {"containers": [
            {"name": "side", "image": "b"}, {"name": "web", "image": "a", "ports": [{"containerPort": 80, "protocol": "TCP"}]},
        ]}, "status": {"n": 2}});
        check(json!({"kind": "Pod"}), object.clone(), &[]);
        check(
            json!({"spec": {"containers": [{"name": "web", "image": "a"}]}}),
            object.clone(),
            &[],
        );
        check(
            json!({"spec": {"containers": [{"name": "web", "ports": [{"containerPort": 80}]}]}}),
            object.clone(),
            &[],
        );
        check(
            json!({"spec": {"containers": [{"name": "web", "image": "c"}]}, "status": {"n": 3}}),
            object.clone(),
            &[
                "spec.containers[name=web].image is \"a\", expected \"c\"",
                "status.n is 2, expected 3",
            ],
        );
        check(
            json!({"spec": {"containers": [{"name": "db"}]}}),
            object,
            &["spec.containers[name=db] is not there, expected {\"name\":\"db\"}"],
        );
    }

    #[test]
    fn a_port_is_known_by_number_and_protocol() {
        let live = json!([{"containerPort": 53, "protocol": "UDP", "name": "u"}, {"containerPort": 53, "protocol": "TCP", "name": "t"}]);
        check(json!([{"containerPort": 53, "protocol": "TCP", "name": "t"}]), live.clone(), &[]);
        check(
            json!([{"containerPort": 53, "protocol": "SCTP"}]),
            live,
            &[
                "[containerPort=53,protocol=SCTP] is not there, expected {\"containerPort\":53,\"protocol\":\"SCTP\"}",
            ],
        );
    }

    #[test]
    fn conditions_are_matched_by_type() {
        let live = json!({"conditions": [{"type": "A", "status": "False"}, {"type": "Ready", "status": "True"}]});
        check(json!({"conditions": [{"type": "Ready", "status": "True"}]}), live.clone(), &[]);
        check(
            json!({"conditions": [{"type": "Ready", "status": "False"}]}),
            live,
            &["conditions[type=Ready].status is \"True\", expected \"False\""],
        );
    }

    #[test]
    fn other_lists_are_whole_and_in_order() {
        check(json!({"args": ["a", "b"]}), json!({"args": ["a", "b"]}), &[]);
        check(
            json!({"args": ["a"]}),
            json!({"args": ["a", "b"]}),
            &["args is [\"a\",\"b\"], expected [\"a\"]"],
        );
        check(
            json!({"l": []}),
            json!({"l": [{"name": "x"}]}),
            &["l is [{\"name\":\"x\"}], expected []"],
        );
        check(
            json!({"l": [{"match": {"a": 1}}]}),
            json!({"l": [{"match": {"a": 1, "b": 2}}]}),
            &["l is [{\"match\":{\"a\":1,\"b\":2}}], expected [{\"match\":{\"a\":1}}]"],
        );
    }

    #[test]
    fn kinds_of_values_are_told_apart() {
        check(json!({"n": 1}), json!({"n": 1.0}), &[]);
        check(json!({"n": "1"}), json!({"n": 1}), &["n is 1, expected \"1\""]);
        check(json!({"n": null}), json!({}), &[]);
        check(json!({"n": {}}), json!({}), &["n is not there, expected {}"]);
        check(
            json!({"metadata": {"labels": {"app.kubernetes.io/name": "x"}}}),
            json!({"metadata": {"labels": {}}}),
            &["metadata.labels[\"app.kubernetes.io/name\"] is not there, expected \"x\""],
        );
    }
}
