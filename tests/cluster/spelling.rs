//! The names that the documents give to Istio's fields, against the API server's own schema.

use std::collections::BTreeSet;

use regex::Regex;

use crate::documents::documents;
use crate::support::Lab;

/// Where the fields of the documents stand.
const KINDS: &[&str] = &["serviceentry", "virtualservice", "destinationrule", "pod"];

/// Words of that form that are no fields of these kinds, and whose they are.
const OTHERS: &[&str] = &[
    "proxyStatsMatcher", // the mesh configuration, in an annotation
    "dnsRefreshRate",
];

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn the_api_server_knows_every_field_that_the_documents_name() {
    let lab = Lab::new("# x\n");
    let explain = |kind: &&str| lab.bash(&format!("kubectl explain {kind} --recursive")).is(0, &[]);
    let schema: String = KINDS.iter().map(|kind| explain(kind).text).collect();
    let field = Regex::new(r"(?m)^ +([a-z][A-Za-z0-9]*)\t").expect("pattern");
    let known: BTreeSet<&str> =
        field.captures_iter(&schema).filter_map(|found| found.get(1)).map(|m| m.as_str()).collect();
    assert!(known.contains("consecutiveLocalOriginFailures"), "{schema}");
    let code = Regex::new(r"`([^`\n]+)`").expect("pattern");
    let word = Regex::new(r"\b[a-z]+(?:[A-Z][a-z0-9]+)+\b").expect("pattern");
    let (mut seen, mut faults) = (0, Vec::new());
    for (path, text) in documents() {
        let path = path.display();
        let inner = code.captures_iter(&text).filter_map(|found| found.get(1));
        let words: BTreeSet<&str> =
            inner.flat_map(|inner| word.find_iter(inner.as_str())).map(|m| m.as_str()).collect();
        for name in words.into_iter().filter(|name| !OTHERS.contains(name)) {
            seen += 1;
            if !known.contains(name) {
                faults.push(format!("{path}: `{name}`"));
            }
        }
    }
    assert!(seen > 20, "only {seen} names were found");
    assert!(faults.is_empty(), "no such field:\n{}", faults.join("\n"));
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn the_api_server_takes_the_manifests_that_are_written_on_the_pages() {
    let lab = Lab::new("# x\n");
    let fence = Regex::new(r"(?ms)^```yaml[^\n]*\n(.*?)^```$").expect("pattern");
    let mut taken = 0;
    for (path, text) in documents() {
        let path = path.display();
        let manifests = fence.captures_iter(&text).filter_map(|found| found.get(1));
        // What shows a file of a kit belongs to the kit's namespace, which need not be there.
        let whole = |text: &&str| text.contains("\nkind: ") && !text.contains("\n  namespace: ");
        for manifest in manifests.map(|m| m.as_str()).filter(whole) {
            lab.write("site/manifest.yaml", manifest);
            let command = "kubectl apply --dry-run=server --validate=strict -f manifest.yaml";
            let said = lab.bash(command);
            assert_eq!(said.code, Some(0), "{path}:\n{manifest}\n{}", said.text);
            taken += 1;
        }
    }
    assert!(taken > 0, "no manifest was found");
}
