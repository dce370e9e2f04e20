//! A small API server for the real kubectl: it keeps objects, answers discovery, and remembers
//! what was asked of it. No cluster is needed to see which cluster a page touches and what it
//! leaves there.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

/// Group and version, plural, kind, whether it lives in namespaces.
const KINDS: &[(&str, &str, &str, bool)] = &[
    ("v1", "namespaces", "Namespace", false),
    ("v1", "configmaps", "ConfigMap", true),
    ("v1", "pods", "Pod", true),
    ("coordination.k8s.io/v1", "leases", "Lease", true),
    ("rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", false),
    ("rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding", false),
    ("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", false),
    (
        "admissionregistration.k8s.io/v1",
        "mutatingwebhookconfigurations",
        "MutatingWebhookConfiguration",
        false,
    ),
    (
        "admissionregistration.k8s.io/v1",
        "validatingwebhookconfigurations",
        "ValidatingWebhookConfiguration",
        false,
    ),
];

/// The objects by their path, and the requests in order.
#[derive(Default)]
struct State {
    objects: BTreeMap<String, Value>,
    asked: Vec<String>,
    made: u32,
}

/// A running server; it ends with the tests.
pub(crate) struct Api {
    /// Its address.
    pub(crate) server: String,
    state: Arc<Mutex<State>>,
}

impl Api {
    /// Starts one whose `kube-system` has this UID; it holds the usual namespaces and `lab`.
    pub(crate) fn start(uid: &str) -> Api {
        let listener = TcpListener::bind("127.0.0.1:0").expect("port");
        let server = format!("http://{}", listener.local_addr().expect("address"));
        let state = Arc::new(Mutex::new(State::default()));
        for name in ["default", "kube-system", "lab"] {
            let object = json!({"kind": "Namespace", "metadata": {"name": name}});
            lock(&state).put("/api/v1/namespaces", object);
        }
        let path = "/api/v1/namespaces/kube-system";
        lock(&state).objects.get_mut(path).expect("it is there")["metadata"]["uid"] = json!(uid);
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // A client that goes away is no fault of the server.
                std::thread::spawn(move || answer(&stream, &shared));
            }
        });
        Api { server, state }
    }

    /// Adds an object to a collection such as `/api/v1/namespaces/lab/pods`.
    pub(crate) fn add(&self, collection: &str, object: Value) {
        lock(&self.state).put(collection, object);
    }

    /// The paths of the objects below a path.
    pub(crate) fn objects(&self, below: &str) -> Vec<String> {
        let state = lock(&self.state);
        state.objects.keys().filter(|path| path.starts_with(below)).cloned().collect()
    }

    /// The requests that changed something, Leases aside.
    pub(crate) fn changes(&self) -> Vec<String> {
        let changes = |line: &&String| !line.starts_with("GET ") && !line.contains("/leases");
        lock(&self.state).asked.iter().filter(changes).cloned().collect()
    }
}

/// The state, also after a test that failed.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers one request.
fn answer(stream: &TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? <= 2 {
            break;
        }
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
    }
    let body = if chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
    let mut words = first.split(' ');
    let (verb, path) = (words.next().unwrap_or(""), words.next().unwrap_or("/"));
    let path = path.split('?').next().unwrap_or("/");
    let (status, value) = lock(state).serve(verb, path, serde_json::from_slice(&body).ok());
    let text = value.to_string();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    )
}

/// The next bytes of a request.
fn exactly(reader: &mut impl std::io::Read, length: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A body that comes in chunks.
fn chunks(reader: &mut impl std::io::BufRead) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        body.extend(exactly(reader, size)?);
        let mut end = String::new();
        reader.read_line(&mut end)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

impl State {
    /// Status and body of one request.
    fn serve(&mut self, verb: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        self.asked.push(format!("{verb} {path}"));
        if let Some(answer) = discovery(path) {
            return (200, answer);
        }
        let collection = kind_of(path);
        match (verb, collection, body) {
            ("GET", Some(kind), _) => (200, self.list(path, kind)),
            ("POST", Some(_), Some(object)) => (201, self.put(path, object)),
            ("PUT", None, Some(object)) if self.objects.contains_key(path) => {
                let (collection, _) = path.rsplit_once('/').unwrap_or((path, ""));
                (200, self.put(collection, object))
            }
            ("DELETE", None, _) if self.objects.contains_key(path) => {
                self.objects.remove(path);
                (200, json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}))
            }
            ("GET", None, _) if self.objects.contains_key(path) => {
                (200, self.objects[path].clone())
            }
            _ => (404, not_found(path)),
        }
    }

    /// Keeps an object, with a UID of its own.
    fn put(&mut self, collection: &str, mut object: Value) -> Value {
        self.made += 1;
        object["metadata"]["uid"] = json!(format!("uid-{}", self.made));
        if let Some(rest) = collection.split("/namespaces/").nth(1) {
            object["metadata"]["namespace"] = json!(rest.split('/').next());
        }
        let name = object["metadata"]["name"].as_str().expect("a name");
        self.objects.insert(format!("{collection}/{name}"), object.clone());
        object
    }

    /// The objects of a collection; of all namespaces where it names none.
    fn list(&self, path: &str, kind: &str) -> Value {
        let (root, plural) = path.rsplit_once('/').expect("a collection");
        let inside = |at: &str| {
            at.strip_prefix(path).is_some_and(|rest| rest.matches('/').count() == 1)
                || (at.starts_with(&format!("{root}/namespaces/"))
                    && at.rsplit('/').nth(1) == Some(plural))
        };
        let items: Vec<&Value> =
            self.objects.iter().filter(|(at, _)| inside(at)).map(|(_, object)| object).collect();
        json!({"kind": format!("{kind}List"), "apiVersion": version(root), "metadata": {"resourceVersion": "1"}, "items": items})
    }
}

/// `v1` or `group/v1` of a path.
fn version(path: &str) -> String {
    let mut words = path.split('/').skip(1);
    match words.next() {
        Some("api") => "v1".to_owned(),
        _ => words.take(2).collect::<Vec<_>>().join("/"),
    }
}

/// The kind that a path lists, where it is the path of a collection.
fn kind_of(path: &str) -> Option<&'static str> {
    let (version, last) = (version(path), path.rsplit('/').next()?);
    let found = KINDS.iter().find(|(group, plural, ..)| *group == version && *plural == last);
    found.map(|(_, _, kind, _)| *kind)
}

/// What the server says of itself.
fn discovery(path: &str) -> Option<Value> {
    let groups = || KINDS.iter().map(|(group, ..)| *group).filter(|group| group.contains('/'));
    let mut all: Vec<&str> = groups().collect();
    all.dedup();
    Some(match path {
        "/version" => json!({"gitVersion": "v1.34.4", "major": "1", "minor": "34"}),
        "/api" => json!({"kind": "APIVersions", "versions": ["v1"]}),
        "/apis" => {
            let group = |name: &&str| {
                let version = json!({"groupVersion": name, "version": "v1"});
                json!({"name": name.trim_end_matches("/v1"), "versions": [version], "preferredVersion": version})
            };
            json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": all.iter().map(group).collect::<Vec<_>>()})
        }
        _ => {
            let wanted = path.strip_prefix("/apis/").or_else(|| path.strip_prefix("/api/"))?;
            let of = |(group, plural, kind, namespaced): &(&str, &str, &str, bool)| {
                (*group == wanted).then(|| {
                    json!({"name": plural, "singularName": kind.to_lowercase(), "namespaced": namespaced, "kind": kind, "verbs": ["create", "delete", "get", "list"]})
                })
            };
            let resources: Vec<Value> = KINDS.iter().filter_map(of).collect();
            if resources.is_empty() {
                return None;
            }
            json!({"kind": "APIResourceList", "groupVersion": wanted, "resources": resources})
        }
    })
}

/// An object that is not there.
fn not_found(path: &str) -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": format!("{path} not found")})
}
