//! A41: a secret that a block prints reaches no file and no message.

use crate::support::World;

const VALUE: &str = "abcdef0123456789";

/// The first 15 bytes of the value in base64, which any longer text that begins so shares.
const ENCODED: &str = "YWJjZGVmMDEyMzQ1Njc4";

/// What kubectl prints of a Secret.
const SECRET: &str = "apiVersion: v1\ndata:\n  password: aHVudGVyMmh1bnRlcjI=\nkind: Secret\nmetadata:\n  name: s\n  resourceVersion: \"1234\"\n  uid: 0a1b\n";

#[test]
fn a41_a_token_that_a_block_prints_is_masked_everywhere() {
    let world = World::page(
        "---\nverify: {env: [API_TOKEN]}\n---\n\n```sh {#a}\nenv | grep API_\nprintf %s \"$API_TOKEN\" | base64\ncat kubectl-get-secret\n```\n\n```output {for=a}\nold\n```\n",
    );
    world.write("content/kubectl-get-secret", SECRET);
    let run = |arguments: &str, value: &str| {
        let ended = world.labdoc(arguments).env("API_TOKEN", value).any_output().success();
        format!("{}{}", ended.stdout, ended.stderr)
    };
    let mut seen =
        run("verify --update --record --report junit=r.xml,json=r.json,tap=r.tap", VALUE);
    for (path, entry) in &world.tree("").0 {
        if path != "content/kubectl-get-secret" {
            seen.push_str(&String::from_utf8_lossy(&entry.bytes));
        }
    }
    for secret in [VALUE, ENCODED, "aHVudGVyMm", "hunter2"] {
        assert!(!seen.contains(secret), "{secret}");
    }
    assert!(seen.contains("API_TOKEN=⟨redacted:API_TOKEN⟩"), "{seen}");
    // The next run passes, also with another token.
    let before = world.read("content/a.md");
    run("verify --update", VALUE);
    run("verify", "zyxwvut987654321");
    assert_eq!(world.read("content/a.md"), before);
}
