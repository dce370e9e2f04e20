//! Secrets never reach the page, a difference, a report or a bundle.

use crate::support::World;

const VALUE: &str = "abcdef0123456789";

/// A page that prints a secret in many forms.
const PAGE: &str = "\
---
title: Secrets
verify: {env: [API_TOKEN]}
---

```sh {#show}
env | grep API_
printf '%s' \"$API_TOKEN\" | base64
printf 'user:%s' \"$API_TOKEN\" | base64
printf '\\033[31m%s\\033[0m\\n' \"$API_TOKEN\"
echo \"$API_TOKEN\" > \"$LABDOC_OUT/token.txt\"
printf 'apiVersion: v1\\nkind: Secret\\nmetadata:\\n  uid: 1\\ndata:\\n  password: aHVudGVyMmh1bnRlcjI=\\n'
```

```output {for=show}
old
```

```sh {#late}
trap 'echo bye $API_TOKEN' EXIT
bash -c ': > ~/up; sleep 300; :' \"$API_TOKEN\" &
until [ -e ~/up ]; do :; done
```

```sh {#broken}
echo \"$API_TOKEN\"; exit 3
```
";

/// Nothing below the world's base holds the secret in any form.
#[track_caller]
fn check_clean(world: &World) {
    let ended = world
        .bash(&format!(
            "grep -rlaE '{VALUE}|YWJjZGVmMDEyMzQ1Njc4OQ|FiY2RlZjAxMjM0NTY3ODk|hunter2|aHVudGVyMm' \
             content evidence *.xml *.json *.tap 2>/dev/null; true"
        ))
        .any_output()
        .success();
    // The page itself prints the manifest's example.
    let mut hits: Vec<&str> = ended.stdout.lines().filter(|path| *path != "content/a.md").collect();
    hits.sort_unstable();
    assert_eq!(hits, ["evidence/T1/[RUN]/manifest.yaml", "evidence/T1/[RUN]/run.sh"]);
    assert!(!world.read("content/a.md").contains(VALUE));
}

#[test]
fn what_a_block_prints_is_masked_everywhere() {
    let world = World::page(PAGE);
    let ended = world
        .labdoc("verify --update --record --report junit=r.xml,json=r.json,tap=r.tap")
        .env("API_TOKEN", VALUE)
        .any_output()
        .code(1);
    for text in [&ended.stdout, &ended.stderr] {
        assert!(!text.contains(VALUE) && !text.contains("YWJjZGVmMDEyMzQ1Njc4OQ"), "{text}");
    }
    assert!(ended.stderr.contains("bye ⟨redacted:API_TOKEN⟩"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("bash -c : > ~/up; sleep 300; : ⟨redacted:API_TOKEN⟩"),
        "{}",
        ended.stderr
    );
    let page = world.read("content/a.md");
    let output = "\
```output {for=show}
API_TOKEN=⟨redacted:API_TOKEN⟩
⟨redacted:API_TOKEN⟩
";
    assert!(page.contains(output), "{page}");
    assert!(page.contains("  password: ⟨redacted:secret-data⟩\n"), "{page}");
    check_clean(&world);
    let run = world.names("evidence/T1").pop().expect("run");
    let verdict = world.read(&format!("evidence/T1/{run}/verdict.json"));
    let value: serde_json::Value = serde_json::from_str(&verdict).expect("JSON");
    let redactions = value["redactions"].as_array().expect("list");
    let count = |rule: &str| {
        redactions
            .iter()
            .find(|r| r["rule"] == rule)
            .map_or(0, |r| r["count"].as_u64().unwrap_or(0))
    };
    assert!(count("API_TOKEN") >= 7, "{redactions:?}");
    assert_eq!(count("secret-data"), 1, "{redactions:?}");
    let token = world.read(&format!("evidence/T1/{run}/files/token.txt"));
    assert_eq!(token, "⟨redacted:API_TOKEN⟩\n");
}

#[test]
fn the_next_run_passes_with_the_masked_output() {
    let page: String = PAGE.split("```sh {#late}").next().expect("begin").to_owned();
    let world = World::page(&page);
    world.labdoc("verify --update").env("API_TOKEN", VALUE).any_output().success();
    let before = world.tree("");
    world.labdoc("verify --update").env("API_TOKEN", VALUE).any_output().success();
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
    // Another secret gives the same page.
    world.labdoc("verify").env("API_TOKEN", "zyxwvut987654321").any_output().success();
}

#[test]
fn short_values_and_parameters_stay() {
    let world = World::page(
        "---\nparams: {db_password: visible-example}\nverify: {env: [PIN_SECRET]}\n---\n\
         ```console {#a}\n$ echo $db_password $PIN_SECRET\nvisible-example 1234\n```\n",
    );
    world.labdoc("verify").env("PIN_SECRET", "1234").any_stdout().success();
}
