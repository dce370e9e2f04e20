//! The table of patterns. Each is narrow: a false alarm stops a build.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::Hit;

/// Rule, what it looks like, a pattern, and what a text has, in small letters, that has a match: one
/// of these. The secret is the first group, or the whole match.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// Credentials.
const ROWS: &[Row] = &[
    (
        "pem",
        "a private key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----(?s:.*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|.{0,4000})",
        &["private key-----"],
    ),
    ("jwt", "a JWT", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", &["eyj"]),
    (
        "authorization",
        "an Authorization header",
        r#"(?i)\bauthorization["']?[ \t]*[:=][ \t]*["']?(?:bearer|basic|token)[ \t]+([A-Za-z0-9][A-Za-z0-9._~+/=-]{11,})"#,
        &["authorization"],
    ),
    (
        "kubeconfig",
        "a kubeconfig credential",
        r#"(?m)^[ \t-]*(?:client-key-data|token|id-token|refresh-token):[ \t]*"?([A-Za-z0-9][A-Za-z0-9+/=._-]{19,})"#,
        &["client-key-data:", "token:"],
    ),
    ("cloud-key", "a cloud key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", &["akia", "asia"]),
    ("cloud-key", "a cloud key", r"\bAIza[0-9A-Za-z_-]{35}", &["aiza"]),
    (
        "cloud-key",
        "a cloud key",
        r"\b(?:dop_v1_[a-f0-9]{64}|hvs\.[A-Za-z0-9_-]{24,})",
        &["dop_v1_", "hvs."],
    ),
    ("cloud-key", "a cloud key", r"\bAccountKey=([A-Za-z0-9+/]{40,}={0,2})", &["accountkey="]),
    (
        "forge-token",
        "a forge token",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}|glpat-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{36})",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "npm_"],
    ),
    (
        "chat-token",
        "a chat or payment token",
        r"\b(?:xox[abprs]-[A-Za-z0-9-]{10,}|sk_live_[A-Za-z0-9]{16,})",
        &["xox", "sk_live_"],
    ),
    (
        "url-password",
        "a password in an address",
        r"\b[a-z][a-z0-9+.-]*://[A-Za-z0-9._%-]+:([A-Za-z0-9][^ \t\r\n/@:$<>{}⟨*]{3,})@[A-Za-z0-9]",
        &["://"],
    ),
    ("join-token", "a join token", r"--token[ =]([a-z0-9]{6}\.[a-z0-9]{16})\b", &["--token"]),
    ("join-token", "a join token", r"\bK10[0-9a-f]{64}::[^ \t\r\n]+", &["k10"]),
    ("join-token", "a join token", r"\bSWMTKN-1-[0-9a-z]{40,}-[0-9a-z]{20,}", &["swmtkn-1-"]),
];

/// The patterns of the rows, compiled when a text may hold a match: most texts hold none.
static COMPILED: [OnceLock<Option<Regex>>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];

/// The pattern of a row for a text, in small letters, in which it may match.
fn pattern(at: usize, lower: &str) -> Option<&'static Regex> {
    let (rule, _, text, needed) = ROWS.get(at)?;
    let may_match = if *rule == "url-password" {
        lower
            .split("://")
            .skip(1)
            .any(|rest| rest.split([' ', '\t', '\r', '\n', '/']).next().unwrap_or("").contains('@'))
    } else {
        needed.iter().any(|needed| lower.contains(needed))
    };
    COMPILED.get(at).filter(|_| may_match)?.get_or_init(|| Regex::new(text).ok()).as_ref()
}

/// Traces of a machine or a person: what it is, and its pattern.
pub(super) static TRACES: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let rows = [
        ("a home directory path", r"((?:/home/|/Users/|\b[A-Z]:\\Users\\)[A-Za-z0-9._-]+)"),
        (
            "a private IP address",
            r"(?:^|[^0-9.])((?:10(?:\.[0-9]{1,3}){3}|192\.168(?:\.[0-9]{1,3}){2}|172\.(?:1[6-9]|2[0-9]|3[01])(?:\.[0-9]{1,3}){2}))(?:[^0-9.]|$)",
        ),
        (
            "an e-mail address",
            r"\b([A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[a-z]{2,12})\b(?:[^:]|$)",
        ),
    ];
    rows.into_iter().filter_map(|(what, text)| Some((what, Regex::new(text).ok()?))).collect()
});

/// Every hit of the table.
pub(super) fn hits(text: &str) -> Vec<Hit> {
    let mut out = Vec::new();
    let lower = text.to_ascii_lowercase();
    for (at, (rule, what, ..)) in ROWS.iter().enumerate() {
        let Some(pattern) = pattern(at, &lower) else { continue };
        for captures in pattern.captures_iter(text) {
            let Some(secret) = captures.get(1).or_else(|| captures.get(0)) else { continue };
            // The example key of the vendor's own documents.
            if secret.as_str().ends_with("EXAMPLE") {
                continue;
            }
            out.push(Hit { rule, what, range: secret.range() });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for (at, (rule, _, text, needed)) in ROWS.iter().enumerate() {
            assert!(pattern(at, &needed.concat().replace("://", "://a:b@")).is_some(), "{rule}");
            assert!(pattern(at, "").is_none(), "{rule}");
            let small = |needed: &&str| **needed == needed.to_ascii_lowercase();
            assert!(needed.iter().all(small), "{rule}: {text}");
        }
        assert_eq!(TRACES.len(), 3);
    }
}
