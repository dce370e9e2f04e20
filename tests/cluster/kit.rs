//! A page that runs the cluster kit of this repository, and what it records.

use std::path::Path;

use crate::support::Lab;

/// Set up, be refused, take away.
const PAGE: &str = "\
---
title: Switch
kit: dns-gslb
verify:
  workdir: kit
  needs: [cluster]
  namespaces: [dns-lab]
  timeout: 200s
---
# Switch

```sh {#setup .setup}
export OVERLAY=FOLDER REPORTS=$LABDOC_OUT/reports
./setup.sh
```

```sh {#answer}
kubectl -n dns-lab exec deploy/netshoot -c netshoot -- dig +short gslb.lab.internal | wc -l
```

```output {for=answer}
1
```

```sh {#refusal}
./dns-multi-a.sh refusal 2>/dev/null
```

```output {for=refusal}
== two addresses: refusal (envoy ENVOY)
apply 51: exit 1
The ServiceEntry \"gslb-logical-2endpoints\" is invalid: spec: Invalid value: \"object\": DNS_ROUND_ROBIN mode cannot have multiple endpoints
result: ok (3 assertions)
```

```sh {#cleanup .teardown}
./cleanup.sh
```
";

/// Copies a folder with everything below it.
fn copy(from: &Path, lab: &Lab, to: &str) {
    for entry in std::fs::read_dir(from).expect("folder") {
        let path = entry.expect("entry").path();
        let to = format!("{to}/{}", path.file_name().expect("name").to_string_lossy());
        if path.is_dir() {
            copy(&path, lab, &to);
        } else {
            lab.write(&to, "");
            std::fs::copy(&path, lab.path(&to)).expect("copy");
        }
    }
}

#[test]
#[ignore = "needs the real cluster: make test-cluster"]
fn a_page_that_runs_the_kit_is_recorded_and_passes_again() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let overlay = root.join("e2e/cluster/images");
    let envoy = std::env::var("LABDOC_CLUSTER_ENVOY").unwrap_or_else(|_| "1.38.3".to_owned());
    let page =
        PAGE.replace("FOLDER", &overlay.to_string_lossy()).replace("ENVOY)", &format!("{envoy})"));
    let lab = Lab::new("# A\n");
    copy(&root.join("labkit/dns-gslb"), &lab, "site/labkit/dns-gslb");
    lab.page(&page);
    lab.labdoc("verify --record").is(0, &["ok    refusal", "0 differ, 0 failed, 0 skipped"]);
    lab.bash("cat evidence/T1/*/files/reports/*.md").is(0, &["# dns-multi-a-refusal", "UTC"]);
    lab.labdoc("verify").is(0, &["ok    refusal", "0 differ, 0 failed, 0 skipped"]);
    lab.bash("kubectl get namespace dns-lab").is(1, &["NotFound"]);
}
