//! What must hold for any record of evidence and any archive that is imported.

use std::path::{Component, Path};
use std::str::FromStr as _;

use super::corrections::{self, Fields};
use super::expect::Expect;
use super::ordered::Ordered;
use super::transcript::Transcript;
use super::verdict_text::digest_holds;
use super::waivers::{self, Waiver};
use super::{CheckOutcome, Holds, Manifest, Verdict, read_claims, runs, write_part};
use crate::book::fuzz::draw;
use crate::disk;
use crate::source::Sources;
use crate::yaml;

/// Reads bytes as each of the records. What is read and written again is the same.
pub(crate) fn records(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut sources = Sources::default();
    let file = sources.add("content/claims.yaml", text.as_ref());
    draw(&read_claims(&sources, file).diagnostics, &sources);
    if let Ok(manifest) = Manifest::parse(&text) {
        let written = manifest.to_text().expect("a manifest that was read can be written");
        let again = Manifest::parse(&written).expect("what was written can be read");
        assert_eq!(again, manifest, "{written}");
    }
    if let Ok(verdict) = Verdict::parse(&text) {
        let written = verdict.to_text().expect("a verdict that was read can be written");
        let again = Verdict::parse(&written).expect("what was written can be read");
        let digest = again.digest.expect("a digest is written");
        assert!(digest_holds(&written, &digest), "{written}");
    }
    let mut found = Vec::new();
    if let Ok(raw) = yaml::parse::<Ordered<Fields>>(&text) {
        corrections::understand(raw, &mut found);
    }
    if let Ok(raw) = yaml::parse::<Ordered<Waiver>>(&text) {
        waivers::understand(raw, &mut found);
    }
    draw(&found, &sources);
    expectations(&text);
    transcript(&text);
}

/// A condition reads back from how it is shown.
fn expectations(text: &str) {
    if let Ok(expect) = Expect::from_str(text) {
        let shown = expect.to_string();
        let again = Expect::from_str(&shown).expect("what is shown can be read");
        assert_eq!(again.to_string(), shown, "{text:?}");
    }
    let mut holds = Holds::default();
    if holds.add("envoy", text).is_ok() {
        let shown = holds.canonical().remove("envoy").unwrap_or_default();
        let mut again = Holds::default();
        again.add("envoy", &shown).expect("what is shown can be read");
        assert_eq!(again.canonical().get("envoy"), Some(&shown), "{text:?}");
    }
}

/// Whatever a block prints stands between its marks and cannot forge one.
fn transcript(output: &str) {
    let mut text = String::new();
    write_part(&mut text, "a", output, (CheckOutcome::Pass, Some(0)));
    write_part(&mut text, "b", "end\n", (CheckOutcome::Fail, None));
    let read = Transcript::parse(&text);
    let parts: Vec<(&str, &str)> =
        read.parts.iter().map(|part| (part.id.as_str(), part.output.as_str())).collect();
    let end = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
    assert_eq!(parts, [("a", format!("{output}{end}").as_str()), ("b", "end\n")]);
    assert_eq!(read.outcome("a"), Some(CheckOutcome::Pass));
    Transcript::parse(output);
}

/// Reads bytes as an archive. All that is taken has a path that stays in its folder.
pub(crate) fn archive(data: &[u8]) {
    let Ok(files) = super::unpack::archive(data) else { return };
    for path in files.keys() {
        assert_eq!(disk::check_relative(path), Ok(()), "{path:?}");
        let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        assert!(inside, "{path:?}");
    }
    for run in runs(&files) {
        for (path, bytes) in &run {
            assert_eq!(disk::check_relative(path), Ok(()), "{path:?}");
            if path == "manifest.yaml" {
                records(bytes);
            }
        }
    }
}
