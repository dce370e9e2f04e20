//! The names that the documents and the kits give to Envoy's counters and fields, against Envoy
//! itself, and the words of the documents against their glossary.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use regex::Regex;

use crate::documents::documents;
use crate::support::{World, wait_for};

/// One Envoy that knows every field the documents name: it refuses a file with one that it does
/// not know. Nothing listens on port 9, so one request is enough to eject the only host.
const ENVOY: &str = r#"
admin:
  address: {socket_address: {address: 127.0.0.1, port_value: 0}}
static_resources:
  listeners:
  - name: l7
    address: {socket_address: {address: 127.0.0.1, port_value: 0}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: lab
          route_config:
            virtual_hosts:
            - {name: gslb, domains: ["*"], routes: [{match: {prefix: "/"}, route: {cluster: gslb}}]}
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
  - name: l4
    address: {socket_address: {address: 127.0.0.1, port_value: 0}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.tcp_proxy
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy
          stat_prefix: lab
          cluster: gslb
          max_connect_attempts: 3
  clusters:
  - name: gslb
    type: STRICT_DNS
    connect_timeout: 1s
    common_lb_config: {close_connections_on_host_set_change: true}
    outlier_detection: {consecutive_5xx: 1, interval: 0.1s, base_ejection_time: 30s, max_ejection_percent: 50, always_eject_one_host: true}
    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        common_http_protocol_options: {max_requests_per_connection: 1}
        explicit_http_config: {http_protocol_options: {}}
    load_assignment:
      cluster_name: gslb
      endpoints:
      - lb_endpoints:
        - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: 9}}}
"#;

/// Words with `_` in the documents that are not Envoy's, or that Envoy shows nowhere.
const OTHERS: &[&str] = &[
    "switch_s", // what the lab's own scenes print
    "kill_to_b_s",
    "fails_minus_retries",
    "https_proxy",         // a variable
    "keepalive_timeout",   // nginx
    "reloadable_features", // a runtime feature, from the change log that S8 quotes
    "enable_new_dns_implementation",
];

/// An Envoy that ends with the value.
struct Envoy {
    child: Child,
    admin: String,
}

impl Drop for Envoy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Envoy {
    /// Starts it on ports of its own choice.
    fn start(world: &World) -> Envoy {
        world.write("envoy.yaml", ENVOY);
        let address = world.path("admin");
        let home = std::env::var("HOME").unwrap_or_default();
        let path = std::env::var("PATH").unwrap_or_default();
        let child = Command::new("envoy")
            .env("PATH", format!("{path}:{home}/.local/bin:/usr/local/bin"))
            .args(["--use-dynamic-base-id", "--concurrency", "1", "-l", "error"])
            .arg("--admin-address-path")
            .arg(&address)
            .arg("-c")
            .arg(world.path("envoy.yaml"))
            .stdout(Stdio::null())
            .spawn()
            .expect("envoy starts; tools/lab-tools installs it");
        let mut envoy = Envoy { child, admin: String::new() };
        wait_for("envoy's address", Duration::from_secs(60), || {
            assert!(envoy.child.try_wait().expect("wait").is_none(), "envoy ended: see above");
            envoy.admin = std::fs::read_to_string(&address).unwrap_or_default();
            !envoy.admin.is_empty()
        });
        envoy
    }

    /// A page of its administration.
    fn page(&self, path: &str) -> String {
        get(&self.admin, path)
    }
}

/// The answer of a server on this machine, head included; nothing where it does not answer.
fn get(address: &str, path: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(address) else { return String::new() };
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("answer");
    String::from_utf8_lossy(&answer).into_owned()
}

/// The words with `_` in the inline code of a text, part by part.
fn names(text: &str) -> BTreeSet<String> {
    let code = Regex::new(r"`([^`\n]+)`").expect("pattern");
    let word = Regex::new(r"[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?:_\*)?").expect("pattern");
    let file = Regex::new(r"\.(?:json|md|sh|txt|yaml)\b").expect("pattern");
    let inner = code.captures_iter(text).filter_map(|found| found.get(1)).map(|m| m.as_str());
    let found = inner.filter(|inner| !file.is_match(inner)).flat_map(|inner| {
        word.find_iter(inner).map(|word| word.as_str().to_owned()).collect::<Vec<_>>()
    });
    found.filter(|name| name.chars().all(|c| !c.is_ascii_uppercase())).collect()
}

/// The names that Envoy shows of its counters, its hosts and the fields of its configuration.
struct Known(BTreeSet<String>);

impl Known {
    /// Asks an Envoy that has ejected its only host.
    fn ask() -> Known {
        let world = World::new();
        let envoy = Envoy::start(&world);
        let mut l7 = String::new();
        wait_for("the listener", Duration::from_secs(60), || {
            let listed = envoy.page("/listeners");
            l7 = listed.lines().find_map(|line| line.strip_prefix("l7::")).unwrap_or("").to_owned();
            !l7.is_empty()
        });
        let mut clusters = String::new();
        wait_for("the ejection", Duration::from_secs(60), || {
            get(&l7, "/");
            clusters = envoy.page("/clusters");
            clusters.contains("failed_outlier_check")
        });
        let stats = envoy.page("/stats");
        let counters = stats.lines().filter_map(|line| line.split(':').next());
        let mut known: BTreeSet<&str> = counters.flat_map(|name| name.split('.')).collect();
        known.extend(clusters.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        known.extend(ENVOY.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        let known = Known(known.into_iter().map(str::to_owned).collect());
        let right = "upstream_cx_destroy_local";
        assert!(known.has(right) && !known.has("upstream_cx_destroyed_local"));
        known
    }

    /// Whether a name is one of them. `upstream_cx_*` is said for all that begin so,
    /// `destroy_local` for `upstream_cx_destroy_local`.
    fn has(&self, name: &str) -> bool {
        let start = name.strip_suffix('*');
        self.0.contains(name)
            || start.is_some_and(|start| self.0.iter().any(|known| known.starts_with(start)))
            || self.0.iter().any(|known| known.ends_with(&format!("_{name}")))
    }
}

#[test]
fn envoy_knows_every_counter_and_field_that_the_documents_name() {
    let known = Known::ask();
    let mut seen = 0;
    let mut faults = Vec::new();
    for (path, text) in documents() {
        for name in names(&text).into_iter().filter(|name| !OTHERS.contains(&name.as_str())) {
            seen += 1;
            if !known.has(&name) {
                faults.push(format!("{}: `{name}`", path.display()));
            }
        }
    }
    assert!(seen > 30, "only {seen} names were found");
    assert!(faults.is_empty(), "Envoy shows none of these:\n{}", faults.join("\n"));
}

/// The text of every file of the kits.
fn kit_files() -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("labkit")];
    let mut out = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                out.push((path, text));
            }
        }
    }
    out
}

/// A counter that a kit's script misspells reads 0 for ever, and "nothing changed" would hold.
#[test]
fn envoy_knows_every_counter_that_the_kits_read() {
    let known = Known::ask();
    let counter = r"\b(?:upstream|downstream)_(?:cx|rq)_\w+|\bmembership_\w+|\bejections_\w+";
    let counter = Regex::new(counter).expect("pattern");
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for (path, text) in kit_files() {
        for name in counter.find_iter(&text).map(|found| found.as_str()) {
            seen.insert(name.to_owned());
            // `upstream_cx_*` in a comment is found as `upstream_cx_`.
            let is_start = name.ends_with('_');
            if !(known.has(name) || is_start && known.has(&format!("{name}*"))) {
                faults.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(seen.contains("upstream_cx_destroy_with_active_rq"), "{seen:?}");
    assert!(seen.len() > 10, "{seen:?}");
    assert!(faults.is_empty(), "Envoy shows none of these:\n{}", faults.join("\n"));
}

#[test]
fn the_documents_keep_to_their_glossary() {
    let pages = documents();
    let glossary = pages.iter().find(|(path, _)| path.ends_with("glossary.md")).expect("glossary");
    let rows = glossary.1.lines().filter(|line| line.starts_with("| "));
    let avoided: BTreeSet<String> = rows
        .filter_map(|row| row.trim_matches('|').split('|').nth(2))
        .flat_map(|cell| cell.split(','))
        .map(|word| word.trim().to_owned())
        .filter(|word| !word.is_empty() && word != "쓰지 않는 말")
        .collect();
    assert!(avoided.len() > 20, "{avoided:?}");
    let mut faults = Vec::new();
    for (path, text) in pages.iter().filter(|(path, _)| !path.ends_with("glossary.md")) {
        for (at, line) in text.lines().enumerate() {
            faults.extend(
                avoided
                    .iter()
                    .filter(|word| line.contains(word.as_str()))
                    .map(|word| format!("{}:{}: {word}", path.display(), at + 1)),
            );
        }
    }
    assert!(faults.is_empty(), "the glossary has another word for these:\n{}", faults.join("\n"));
}
