//! What must not be published: credentials by their form, and traces of a person's machine. One
//! table of patterns for the recorder, which takes them out, and for the build, which refuses
//! them.

mod kubernetes;
mod patterns;

use std::ops::Range;

/// A place in a text that looks like a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// The rule's short name, as in `⟨redacted:jwt⟩`.
    pub(crate) rule: &'static str,
    /// What it looks like, `a JWT`.
    pub(crate) what: &'static str,
    /// The bytes that are secret.
    pub(crate) range: Range<usize>,
}

/// Everything in a text that looks like a credential, in order, never overlapping.
pub(crate) fn scan(text: &str) -> Vec<Hit> {
    let mut hits = patterns::hits(text);
    hits.extend(kubernetes::hits(text));
    hits.sort_by_key(|hit| (hit.range.start, std::cmp::Reverse(hit.range.end)));
    let mut end = 0;
    hits.retain(|hit| {
        let apart = hit.range.start >= end;
        end = end.max(hit.range.end);
        apart
    });
    hits
}

/// The first trace of each kind that a text holds of somebody's machine: what it is, and where.
pub(crate) fn traces(text: &str) -> Vec<(&'static str, usize)> {
    patterns::TRACES
        .iter()
        .filter_map(|(what, pattern)| Some((*what, pattern.captures(text)?.get(1)?.start())))
        .collect()
}

/// The line (from 1) of a place in a text.
pub(crate) fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules that a text breaks; no hit may hold the text around the secret.
    fn check(text: &str, expect: &[&str]) {
        let rules: Vec<&str> = scan(text).iter().map(|hit| hit.rule).collect();
        assert_eq!(rules, expect, "{text}");
    }

    #[test]
    fn credentials_are_known_by_their_form() {
        let jwt = concat!("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NSJ9.", "c2lnbmF0dXJlLWhlcmU");
        check(&format!("x {jwt} y"), &["jwt"]);
        check(&format!("Authorization: Bearer {jwt}"), &["jwt"]);
        check("Authorization: Basic YWRtaW46aHVudGVyMg==", &["authorization"]);
        let key =
            concat!("-----BEGIN RSA PRIVATE", " KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----");
        check(&format!("a\n{key}\nb"), &["pem"]);
        check(concat!("AKIA", "ABCDEFGHIJKLMNOP"), &["cloud-key"]);
        check(concat!("ghp", "_abcdefghijklmnopqrstuvwxyz0123456789"), &["forge-token"]);
        check("postgres://app:hunter2secret@db:5432/x", &["url-password"]);
        check("kubeadm join 10.0.0.1 --token abcdef.0123456789abcdef", &["join-token"]);
        check(concat!("client-key-", "data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURQo="), &["kubeconfig"]);
    }

    #[test]
    fn placeholders_are_no_credentials() {
        for text in [
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer <token>",
            "postgres://app:$PASSWORD@db/x",
            "postgres://app:⟨redacted:url-password⟩@db/x",
            "https://example.org:8080/a@b",
            concat!("AKIA", "IOSFODNN7EXAMPLE"),
            "token: ${TOKEN}",
            "eyJhbGciOiJIUzI1NiJ9 is only a header",
            "sha256:3fce3b5f0c9d4a7e8b6a5d4c3b2a19080706050403020100ffeeddccbbaa9988",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn a_live_secret_is_found_and_an_example_is_not() {
        let secret = |more: &str, value: &str| {
            format!(
                "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n{more}data:\n  password: {value}\n"
            )
        };
        check(&secret("  uid: 0a1b\n", "cGFzc3dvcmQ="), &["secret-data"]);
        check(&secret("", "cGFzc3dvcmQ="), &[]);
        // As `kubectl get secret -o json` prints it, keys in order of the alphabet.
        let json = |uid: &str| {
            format!(
                "{{\n    \"apiVersion\": \"v1\",\n    \"data\": {{\n        \"password\": \"cGFzc3dvcmQ=\",\n        \"user\": \"YWRtaW4=\"\n    }},\n    \"kind\": \"Secret\",\n    \"metadata\": {{\n        \"name\": \"a\"{uid}\n    }},\n    \"type\": \"Opaque\"\n}}\n"
            )
        };
        check(&json(",\n        \"uid\": \"0a1b\""), &["secret-data", "secret-data"]);
        check(&json(""), &[]);
        // One base64 layer around a key of a known form.
        check(&secret("", concat!("QUtJQUFCQ0RFRkdISUpL", "TE1OT1A=")), &["secret-data"]);
    }

    #[test]
    fn traces_are_told_once_a_kind() {
        let text = "ok\n/home/jane/x 192.168.1.7 10.1.2.3\nmail jane@corp.example\n";
        let found: Vec<(&str, usize)> =
            traces(text).into_iter().map(|(what, at)| (what, line_at(text, at))).collect();
        assert_eq!(
            found,
            [("a home directory path", 2), ("a private IP address", 2), ("an e-mail address", 3)]
        );
        assert_eq!(traces("127.0.0.1 8.8.8.8 1.10.0.0.1 git@github.com:a/b root@host"), []);
    }
}
