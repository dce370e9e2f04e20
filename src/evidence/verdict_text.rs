//! `verdict.json`: reading and writing, and the digest that makes an edit visible.

use super::verdict::{VERDICT_SCHEMA, Verdict};
use crate::diag::Failure;
use crate::digest::sha256_tagged;

/// What separates the covered text from the digest.
const DIGEST_KEY: &str = ",\"digest\":\"";

impl Verdict {
    /// Reads the text of a `verdict.json`.
    ///
    /// # Errors
    /// A sentence and the line, from 1.
    pub(crate) fn parse(text: &str) -> Result<Verdict, (String, usize)> {
        let verdict: Verdict = serde_json::from_str(text).map_err(|error| {
            let sentence = error.to_string();
            let cut = sentence.find(" at line ").unwrap_or(sentence.len());
            (sentence[..cut].to_owned(), error.line().max(1))
        })?;
        if verdict.schema != VERDICT_SCHEMA {
            let message = format!("schema `{}` is not known here", verdict.schema);
            return Err((message, 1));
        }
        for time in [&verdict.started_at, &verdict.finished_at] {
            if time.parse::<jiff::Timestamp>().is_err() {
                return Err((format!("`{time}` is no time such as 2026-11-29T10:15:00Z"), 1));
            }
        }
        Ok(verdict)
    }

    /// The text of `verdict.json`: one compact JSON object and a line end, the keys in the
    /// order of the fields. The digest is the SHA-256 of all bytes before the comma that stands
    /// before the key `digest`; the last bytes are `,"digest":"sha256:…"}` and the line end.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which would be a bug.
    pub(crate) fn to_text(&self) -> Result<String, Failure> {
        let bare = Verdict { digest: None, ..self.clone() };
        let json = serde_json::to_string(&bare)
            .map_err(|error| Failure::new(format!("cannot write verdict.json: {error}")))?;
        let covered = json.strip_suffix('}').unwrap_or(&json);
        Ok(format!("{covered}{DIGEST_KEY}{}\"}}\n", sha256_tagged(covered.as_bytes())))
    }
}

/// Whether the digest that a verdict states covers what stands before it in `text`. A digest in
/// another form than ours was not written by the recorder and holds nothing.
pub(crate) fn digest_holds(text: &str, stated: &str) -> bool {
    let Some(at) = text.rfind(DIGEST_KEY) else { return false };
    let tail = text[at + DIGEST_KEY.len()..].trim_end_matches(['\r', '\n']);
    tail.strip_suffix("\"}") == Some(stated) && stated == sha256_tagged(&text.as_bytes()[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENTED: &str = r#"{"schema":"labdoc.verdict/1","bundle":"T7","run_id":"20261129T101500Z-7f3a2c",
 "outcome":"pass","exit_code":0,"started_at":"2026-11-29T10:15:00Z","finished_at":"2026-11-29T10:19:21Z",
 "inputs":{"kit":{"manifests/pvc.yaml":"sha256:1"},"blocks":{"flip":"sha256:2"},"captures":{"flip.n":"sha256:3"},
           "claims":{"C14":"sha256:4"},"bundle":{"manifest.yaml":"sha256:5","run.sh":"sha256:6"}},
 "outputs":{"files/reports/a.md":{"sha256":"b","bytes":812},"result.txt":{"sha256":"a","bytes":10234,"truncated":false}},
 "checks":[{"id":"pod-ready","outcome":"pass","exit":0,"duration_ms":812,"attempts":1,"pipestatus":[0],"lines":[12,18],"survivors":[],"leftovers":[]}],
 "values":{"flip.destroy_local":{"value":"2","line":41}},
 "environment":{"envoy":"1.38.3","kubernetes":"1.30.4","os":"linux/amd64"},
 "runner":{"name":"labdoc","version":"0.3.0","who":"author"},
 "redactions":[{"rule":"jwt","count":2}],"rules":"labdoc.rules/1"}"#;

    /// Whether a verdict can be read and its digest covers it.
    fn holds(text: &str) -> bool {
        let digest = Verdict::parse(text).ok().and_then(|verdict| verdict.digest);
        digest.is_some_and(|digest| digest_holds(text, &digest))
    }

    #[test]
    fn keys_are_written_in_the_documented_order() {
        let verdict = Verdict::parse(DOCUMENTED).expect("documented");
        let text = verdict.to_text().expect("writes");
        let compact: String = DOCUMENTED.lines().map(str::trim_start).collect();
        let covered = compact.strip_suffix('}').expect("object");
        assert!(text.starts_with(covered), "{text}");
        assert!(holds(&text));
        assert_eq!(Verdict::parse(&text).expect("own").checks, verdict.checks);
    }

    #[test]
    fn every_changed_byte_breaks_the_digest() {
        let text = Verdict::parse(DOCUMENTED).expect("documented").to_text().expect("writes");
        for at in 0..text.len() - 3 {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            let edited = String::from_utf8(bytes).expect("ASCII");
            assert!(!holds(&edited), "byte {at}");
        }
        assert!(!holds(&text.replace(",\"digest\"", ", \"digest\"")), "written in another form");
        assert!(holds(&text.replace('\n', "\r\n")), "a checkout's line end");
    }

    #[test]
    fn faults_name_line_and_reason() {
        let check = |from: &str, to: &str, line: usize, word: &str| {
            let (message, at) = Verdict::parse(&DOCUMENTED.replace(from, to)).expect_err(to);
            assert!(message.contains(word) && at == line, "{message} at {at}");
        };
        check("verdict/1", "verdict/9", 1, "labdoc.verdict/9");
        check("\"exit_code\"", "\"exit_kode\"", 2, "exit_kode");
        check("2026-11-29T10:15:00Z", "yesterday", 1, "yesterday");
        check("\"1.30.4\"", "1.30", 8, "string");
    }
}
