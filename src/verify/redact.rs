//! Secrets out of what a run printed, before anything else sees it: the exact values of
//! secret-like variables of the run, in the forms in which programs print them, and credentials
//! that are known by their form.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

use crate::disk;
use crate::secrets;

/// Parts of a variable's name, between underscores, that make its value a secret.
const SECRET_PARTS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "KEY",
    "KEYS",
    "APIKEY",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
    "PAT",
    "COOKIE",
];

/// Last parts that say that a value names a place and is none itself.
const PLACE_PARTS: &[&str] = &["FILE", "PATH", "DIR", "FOLDER", "URL", "HOST", "NAME", "ID"];

/// Values that stand in too many outputs to be masked.
const COMMON: &[&str] = &[
    "password",
    "passw0rd",
    "changeme",
    "changeit",
    "undefined",
    "localhost",
    "kubernetes",
    "disabled",
    "required",
    "12345678",
    "123456789",
    "1234567890",
];

/// Shortest value that is masked, in bytes.
const SHORTEST: usize = 8;

/// What every text that the patterns could match holds, in lower case. The patterns cost far more
/// than this look, and most outputs hold none of it.
const SIGNS: &[&str] = &[
    "-----begin",
    "eyj",
    "authorization",
    "key-data:",
    "token",
    "akia",
    "asia",
    "aiza",
    "dop_v1_",
    "hvs.",
    "accountkey=",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "npm_",
    "xox",
    "sk_live_",
    "://",
    "k10",
    "swmtkn-",
    "kind: secret",
];

/// How often each rule masked something.
pub(crate) type Masked = BTreeMap<String, u64>;

/// What is masked in the outputs of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Redactor {
    /// The forms of each secret value with the name of its variable, the longest first.
    exact: Vec<(String, String)>,
}

impl Redactor {
    /// The secrets of a run's environment. A page's parameters are printed on the page and are no
    /// secrets, whatever their names.
    pub(crate) fn of(env: &BTreeMap<OsString, OsString>, params: &[(String, String)]) -> Redactor {
        let mut forms: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in env {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
            let published = params.iter().any(|(param, _)| param == name);
            if published || !is_secret_name(name) || !is_secret_value(value) {
                continue;
            }
            for form in forms_of(value) {
                forms.entry(form).or_insert_with(|| name.to_owned());
            }
        }
        let mut exact: Vec<(String, String)> = forms.into_iter().collect();
        exact.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.0.cmp(&b.0)));
        Redactor { exact }
    }

    /// The text without secrets; what was masked is counted.
    pub(crate) fn redact(&self, text: String, masked: &mut Masked) -> String {
        let mut text = text;
        for (form, name) in &self.exact {
            let found = u64::try_from(text.matches(form.as_str()).count()).unwrap_or(u64::MAX);
            if found > 0 {
                text = text.replace(form.as_str(), &mark(name));
                *masked.entry(name.clone()).or_default() += found;
            }
        }
        if !may_hold_credentials(&text) {
            return text;
        }
        for hit in secrets::scan(&text).into_iter().rev() {
            if text[hit.range.clone()].contains("⟨redacted:") {
                continue;
            }
            let mark = mark(hit.rule) + trailing_newline(&text[hit.range.clone()]);
            text.replace_range(hit.range, &mark);
            *masked.entry(hit.rule.to_owned()).or_default() += 1;
        }
        text
    }

    /// Bytes without secrets; what is no text among them stays as it is.
    pub(crate) fn redact_bytes(&self, bytes: &[u8], masked: &mut Masked) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            out.extend(self.redact(chunk.valid().to_owned(), masked).bytes());
            out.extend(chunk.invalid());
        }
        out
    }
}

/// What stands in the place of a secret.
fn mark(rule: &str) -> String {
    format!("⟨redacted:{rule}⟩")
}

/// The line end of a secret that ends in one, so that the next line keeps its place.
fn trailing_newline(secret: &str) -> &'static str {
    if secret.ends_with('\n') { "\n" } else { "" }
}

/// Whether a look with the patterns is worth its time.
fn may_hold_credentials(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    SIGNS.iter().any(|sign| lower.contains(sign))
}

/// Whether the value of a variable of that name is a secret.
fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let parts: BTreeSet<&str> = upper.split('_').collect();
    let place = upper.rsplit('_').next().is_some_and(|last| PLACE_PARTS.contains(&last));
    // The working folder of a shell is no password.
    let folder = matches!(upper.as_str(), "PWD" | "OLDPWD");
    !place && !folder && SECRET_PARTS.iter().any(|part| parts.contains(part))
}

/// Whether a value is long and rare enough, and no name of a file.
fn is_secret_value(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let same = value.chars().all(|c| value.starts_with(c));
    let file = value.starts_with('/') && {
        let path = Path::new(value);
        disk::is_file(path) || disk::is_folder(path)
    };
    value.trim().len() >= SHORTEST && !COMMON.contains(&lower.as_str()) && !same && !file
}

/// A value as programs print it: as it is, line by line, and inside base64 at each of the three
/// places in which it can begin there.
fn forms_of(value: &str) -> BTreeSet<String> {
    let mut forms: BTreeSet<String> = BTreeSet::new();
    forms.insert(value.trim().to_owned());
    forms.extend(value.lines().map(str::trim).filter(|l| is_secret_value(l)).map(str::to_owned));
    for form in forms.clone() {
        forms.insert(encode(form.as_bytes()));
        forms.extend((0..3).map(|at| inner_base64(form.as_bytes(), at)));
    }
    forms.retain(|form| form.len() >= SHORTEST);
    let url_safe: Vec<String> =
        forms.iter().map(|form| form.replace('+', "-").replace('/', "_")).collect();
    forms.extend(url_safe);
    forms
}

/// The characters of base64 that depend on nothing but `bytes` where `before` other bytes stand in
/// front of them.
fn inner_base64(bytes: &[u8], before: usize) -> String {
    let padded: Vec<u8> = std::iter::repeat_n(0, before).chain(bytes.iter().copied()).collect();
    let first = (before * 8).div_ceil(6);
    let last = padded.len() * 8 / 6;
    encode(&padded).get(first..last).unwrap_or_default().to_owned()
}

/// Base64 with padding.
fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place) & 63) as usize;
            out.push(if place <= chunk.len() { char::from(DIGITS[digit]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value that a world's `API_TOKEN` has.
    const VALUE: &str = "abcdef0123456789";

    fn redactor() -> Redactor {
        let env = [("API_TOKEN", VALUE), ("PIN_SECRET", "1234"), ("DB_PASSWORD", "changeme")];
        let env = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Redactor::of(&env, &[])
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let mut masked = Masked::new();
        let redacted = redactor().redact(text.to_owned(), &mut masked);
        assert_eq!(redacted, expect);
        let again = redactor().redact(redacted, &mut Masked::new());
        assert_eq!(again, expect, "a second time changes nothing");
        let marks = u64::try_from(expect.matches("⟨redacted:").count()).unwrap();
        assert_eq!(masked.values().sum::<u64>(), marks, "each is counted");
    }

    #[test]
    fn base64_is_that_of_everybody_else() {
        for (plain, expect) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v")] {
            assert_eq!(encode(plain.as_bytes()), expect);
        }
    }

    #[test]
    fn a_value_is_masked_in_every_form() {
        check("API_TOKEN=abcdef0123456789\n", "API_TOKEN=⟨redacted:API_TOKEN⟩\n");
        check("YWJjZGVmMDEyMzQ1Njc4OQ==", "⟨redacted:API_TOKEN⟩");
        let mut masked = Masked::new();
        for before in ["", "u", "us", "user:", "  "] {
            for after in ["", "\n", ":x"] {
                let whole = encode(format!("{before}{VALUE}{after}").as_bytes());
                let redacted = redactor().redact(whole.clone(), &mut masked);
                assert!(redacted.contains("⟨redacted:API_TOKEN⟩"), "{before:?} {after:?} {whole}");
            }
        }
    }

    #[test]
    fn short_and_common_values_stay() {
        check("1234 changeme", "1234 changeme");
    }

    #[test]
    fn names_that_are_secret() {
        for name in ["API_TOKEN", "GITHUB_PAT", "aws_secret_access_key", "PGPASSWORD_PASSWORD"] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["PWD", "KEYBOARD", "SSH_KEY_PATH", "TOKENIZER", "AWS_ACCESS_KEY_ID", "HOME"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn credentials_of_a_known_form_are_masked() {
        check(concat!("AKIA", "ABCDEFGHIJKLMNOP x"), "⟨redacted:cloud-key⟩ x");
        check(
            concat!("-----BEGIN PRIVATE", " KEY-----\nMIIE\n-----END PRIVATE KEY-----\nrest\n"),
            "⟨redacted:pem⟩\nrest\n",
        );
        check(
            "postgres://app:hunter2secret@db:5432/x",
            "postgres://app:⟨redacted:url-password⟩@db:5432/x",
        );
        check("--token abcdef.0123456789abcdef", "--token ⟨redacted:join-token⟩");
        check(
            "kind: Secret\nmetadata:\n  uid: 1\ndata:\n  a: cGFzc3dvcmQ=\n",
            "kind: Secret\nmetadata:\n  uid: 1\ndata:\n  a: ⟨redacted:secret-data⟩\n",
        );
    }

    #[test]
    fn every_credential_shows_a_sign() {
        let jwt = concat!("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NSJ9.", "c2lnbmF0dXJlLWhlcmU");
        let texts = [
            jwt.to_owned(),
            format!("AUTHORIZATION: Bearer {jwt}"),
            concat!("client-key-", "data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURQo=").to_owned(),
            concat!("ghp", "_abcdefghijklmnopqrstuvwxyz0123456789").to_owned(),
            concat!("xox", "b-123456789012-abc").to_owned(),
            format!("{}::server:x", concat!("K1", "0").to_owned() + &"0a".repeat(32)),
        ];
        for text in texts {
            assert!(!secrets::scan(&text).is_empty() && may_hold_credentials(&text), "{text}");
        }
    }
}
