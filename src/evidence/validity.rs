//! Whether a recorded run can be believed: its files are what its verdict describes, and its
//! three sources (the result's lines, the checks, the exit code) say the same.

use std::collections::BTreeMap;
use std::path::Path;

use super::bundle::{Run, RunTexts, missing, short};
use super::transcript::CheckLine;
use super::verdict::{CheckOutcome, Outcome, block_of};
use super::verdict_text::digest_holds;
use crate::diag::{Checked, Diagnostic, Failure};
use crate::digest::{sha256_hex, sha256_tagged};
use crate::disk;

/// What a run is called in a finding, and where it stands.
struct Subject<'a> {
    bundle: &'a str,
    run: &'a Run,
}

impl Subject<'_> {
    /// An error at a file of the run.
    fn error(&self, code: &'static str, message: String, file: &str) -> Diagnostic {
        self.error_at(code, message, (file, None))
    }

    /// An error at a line of a file of the run.
    fn error_at(
        &self,
        code: &'static str,
        message: String,
        at: (&str, Option<usize>),
    ) -> Diagnostic {
        let path = format!("{}/{}", self.run.folder, at.0);
        Diagnostic::error(code, format!("{}: {message}", self.bundle)).in_file(path, at.1)
    }

    /// A line of `result.txt`, as a finding names it.
    fn line(&self, line: usize) -> String {
        format!("{}/result.txt:{line}", short(&self.run.folder))
    }
}

/// Everything that the four texts of a run can show. The value names the inputs of a foreign
/// bundle that were edited since: they make it stale, not invalid.
pub(crate) fn check(
    bundle: &str,
    folder_name: Option<&str>,
    run: &Run,
    texts: &RunTexts,
) -> Checked<Vec<String>> {
    let subject = Subject { bundle, run };
    let mut out = Vec::new();
    check_identity(&subject, folder_name, &mut out);
    check_digest(&subject, &texts.verdict, &mut out);
    check_result(&subject, &texts.result, &mut out);
    check_plan(&subject, &mut out);
    check_agreement(&subject, &mut out);
    check_values(&subject, &texts.result, &mut out);
    let edited = edited_inputs(run, texts);
    if !run.manifest.is_foreign() {
        for name in &edited {
            let message = format!("{name} is not the file the verdict describes");
            out.push(
                subject
                    .error("EV103", message, name)
                    .note("it was edited after the run")
                    .hint("restore it from the version control, or record the run again"),
            );
        }
        return Checked { value: Vec::new(), diagnostics: out };
    }
    Checked { value: edited, diagnostics: out }
}

/// EV108: verdict and manifest belong to this bundle and this run.
fn check_identity(subject: &Subject, folder_name: Option<&str>, out: &mut Vec<Diagnostic>) {
    let verdict = &subject.run.verdict;
    let mut wrong = |file: &str, what: String| {
        let hint = "move the run to the folder it belongs to, or record it again";
        out.push(subject.error("EV108", format!("{file} belongs to {what}"), file).hint(hint));
    };
    if verdict.bundle != subject.bundle {
        wrong("verdict.json", format!("bundle {}", verdict.bundle));
    }
    if subject.run.manifest.id != subject.bundle {
        wrong("manifest.yaml", format!("bundle {}", subject.run.manifest.id));
    }
    if folder_name.is_some_and(|name| name != verdict.run_id) {
        wrong("verdict.json", format!("run {}", verdict.run_id));
    }
    // It names the folder under which the run is published.
    if verdict.run_id.contains('/') || disk::check_relative(&verdict.run_id).is_err() {
        let message = format!("run id {:?} cannot be the name of a folder", verdict.run_id);
        let found = subject.error("EV118", message, "verdict.json");
        out.push(found.hint("give the run an id of letters, digits and hyphens"));
    }
}

/// EV115: the digest at the end of the verdict. A page's own run must have one.
fn check_digest(subject: &Subject, text: &str, out: &mut Vec<Diagnostic>) {
    let holds = match &subject.run.verdict.digest {
        Some(digest) => digest_holds(text, digest),
        None => subject.run.manifest.is_foreign(),
    };
    if !holds {
        let message = "verdict.json was edited after the run".to_owned();
        out.push(
            subject
                .error("EV115", message, "verdict.json")
                .note("its last key does not hold the digest of what stands before it")
                .hint("restore it from the version control, or record the run again"),
        );
    }
}

/// EV101 and EV103: `result.txt` is there and is what the verdict describes.
fn check_result(subject: &Subject, result: &[u8], out: &mut Vec<Diagnostic>) {
    let verdict = &subject.run.verdict;
    if result.is_empty() && verdict.is_finished() {
        let message = format!("bundle {}: result.txt is empty (0 bytes)", subject.bundle);
        out.push(missing(message, &format!("{}/result.txt", subject.run.folder)));
        return;
    }
    match verdict.outputs.get("result.txt") {
        Some(output) => out.extend(check_output(subject, "result.txt", (&output.sha256, result))),
        None => {
            let message = "the verdict does not describe result.txt".to_owned();
            out.push(
                subject
                    .error("EV103", message, "verdict.json")
                    .hint("record the run again, so that `outputs` names result.txt"),
            );
        }
    }
}

/// EV103 for one output: stated digest against the bytes.
fn check_output(subject: &Subject, path: &str, pair: (&str, &[u8])) -> Option<Diagnostic> {
    let stated = pair.0.strip_prefix("sha256:").unwrap_or(pair.0);
    let found = sha256_hex(pair.1);
    if found == stated {
        return None;
    }
    let message = format!(
        "{path} is not the file the verdict describes (sha256 {}, verdict says {}); it was edited after the run",
        first_digits(&found),
        first_digits(stated)
    );
    let hint = "restore it from the version control, or record the run again";
    Some(subject.error("EV103", message, path).hint(hint))
}

/// The first digits of a digest, enough to tell two apart.
fn first_digits(digest: &str) -> String {
    let head: String = digest.chars().take(12).collect();
    format!("{head}…")
}

/// EV101 and EV103 for the files beside the four: each output is there and unchanged, and no
/// file was added.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn check_outputs(
    run: &Run,
    folder: &Path,
    files: &[String],
) -> Result<Vec<Diagnostic>, Failure> {
    let subject = Subject { bundle: &run.verdict.bundle, run };
    let mut out = Vec::new();
    for (path, output) in run.verdict.outputs.iter().filter(|(path, _)| *path != "result.txt") {
        if !files.contains(path) {
            let message = format!("bundle {}: {path} is missing", subject.bundle);
            out.push(missing(message, &format!("{}/{path}", run.folder)));
            continue;
        }
        let bytes = disk::read(&folder.join(path))?;
        out.extend(check_output(&subject, path, (&output.sha256, &bytes)));
    }
    for path in files.iter().filter(|path| path.starts_with("files/")) {
        if !run.verdict.outputs.contains_key(path) {
            let message =
                format!("the verdict does not describe {path}; it was added after the run");
            out.push(
                subject
                    .error("EV103", message, path)
                    .hint("move it out of the run's folder, or record the run again"),
            );
        }
    }
    Ok(out)
}

/// EV107 and EV114: there is a plan, and a finished run reports all of it.
fn check_plan(subject: &Subject, out: &mut Vec<Diagnostic>) {
    let Run { manifest, verdict, transcript, .. } = subject.run;
    if manifest.checks.is_empty() {
        let message = "has no checks; a run that checks nothing proves nothing";
        let diagnostic = Diagnostic::error("EV114", format!("{} {message}", subject.bundle))
            .in_file(format!("{}/manifest.yaml", subject.run.folder), None)
            .hint("name the checks of the plan under `checks:` and let the run report each");
        out.push(diagnostic);
    }
    if !verdict.is_finished() {
        return;
    }
    let planned = manifest.checks.len();
    for id in &manifest.checks {
        let in_verdict = verdict.check(id).is_some();
        if in_verdict && transcript.outcome(id).is_some() {
            continue;
        }
        let (place, file) = if in_verdict {
            (transcript.checks.len(), "result.txt")
        } else {
            (verdict.checks.len(), "verdict.json")
        };
        let name = if in_verdict { "result.txt" } else { "the verdict" };
        let message = format!(
            "planned check `{id}` is not in {name} ({planned} planned, {place} reported); a part is not the whole"
        );
        out.push(
            subject
                .error("EV107", message, file)
                .hint("run the whole plan again; what cannot be run is left out of the plan first"),
        );
    }
}

/// EV106: outcome, exit code, checks and result lines agree.
fn check_agreement(subject: &Subject, out: &mut Vec<Diagnostic>) {
    let hint = "record the run again; a verdict is never written by hand";
    let mut contradict = |what: String, at: (&str, Option<usize>)| {
        let message = format!("{what}; the record contradicts itself");
        out.push(subject.error_at("EV106", message, at).hint(hint));
    };
    for line in disagreeing_lines(subject.run) {
        let says =
            subject.run.verdict.check(block_of(&line.id)).map_or("nothing", CheckOutcome::word);
        let what = format!(
            "verdict says {says} of check `{}`, but {} reports {}",
            line.id,
            subject.line(line.line),
            line.outcome.word()
        );
        contradict(what, ("result.txt", Some(line.line)));
    }
    if let Some(what) = contradiction(subject) {
        contradict(what, ("verdict.json", None));
    }
}

/// EV106: what a foreign verdict captured stands in the line that it names. The values of a
/// page's own run are covered by the digest of its verdict.
fn check_values(subject: &Subject, result: &[u8], out: &mut Vec<Diagnostic>) {
    // Of a result that is another file, EV103 says more.
    if !subject.run.manifest.is_foreign() || out.iter().any(|found| found.code == "EV103") {
        return;
    }
    let text = String::from_utf8_lossy(result);
    let lines: Vec<&str> = text.lines().collect();
    for (name, captured) in &subject.run.verdict.values {
        let Some(line) = captured.line else { continue };
        let found = line.checked_sub(1).and_then(|at| lines.get(at));
        if found.is_some_and(|found| found.contains(&captured.value)) {
            continue;
        }
        let (value, place) = (&captured.value, subject.line(line));
        let what = match found {
            Some(_) => format!("verdict says {name} is {value}, but {place} does not hold it"),
            None => format!("verdict says {name} is {value} in {place}, which is no line of it"),
        };
        let message = format!("{what}; the record contradicts itself");
        let at = ("result.txt", found.map(|_| line));
        let hint = "record the run again; a verdict is never written by hand";
        out.push(subject.error_at("EV106", message, at).hint(hint));
    }
}

/// The result lines that say something else of a block than the verdict's checks do.
fn disagreeing_lines(run: &Run) -> Vec<&CheckLine> {
    let mut lines: BTreeMap<&str, &CheckLine> = BTreeMap::new();
    for line in &run.transcript.checks {
        let block = block_of(&line.id);
        let stated = run.transcript.outcome(block);
        // An unfinished run may break off between the result line and the verdict.
        let unfinished = !run.verdict.is_finished() && run.verdict.check(block).is_none();
        if !unfinished && stated != run.verdict.check(block) && Some(line.outcome) == stated {
            lines.entry(block).or_insert(line);
        }
    }
    lines.into_values().collect()
}

/// The way in which the outcome contradicts the checks or the exit code, if it does.
fn contradiction(subject: &Subject) -> Option<String> {
    let verdict = &subject.run.verdict;
    let not_met = |outcome| matches!(outcome, CheckOutcome::Fail | CheckOutcome::Error);
    let failed = verdict.checks.iter().find(|check| not_met(check.outcome));
    let code = verdict.exit_code.map_or("none".to_owned(), |code| code.to_string());
    match (verdict.outcome, failed, verdict.exit_code) {
        (Outcome::Pass, Some(check), _) => Some(format!(
            "verdict says pass, but its check `{}` says {}",
            check.id,
            check.outcome.word()
        )),
        (Outcome::Pass, None, code_found) if code_found != Some(0) => {
            Some(format!("verdict says pass, but exit code is {code}"))
        }
        (Outcome::Fail, None, _) => {
            Some(format!("verdict says fail (exit code {code}), but no check says fail"))
        }
        (Outcome::Fail, Some(check), Some(0)) => Some(format!(
            "verdict says fail and check `{}` says {}, but exit code is 0",
            check.id,
            check.outcome.word()
        )),
        _ => None,
    }
}

/// Which of `run.sh` and `manifest.yaml` are not what the verdict says was run.
fn edited_inputs(run: &Run, texts: &RunTexts) -> Vec<String> {
    let present =
        [("manifest.yaml", texts.manifest.as_bytes()), ("run.sh", texts.run_sh.as_slice())];
    let changed = |(name, bytes): &(&str, &[u8])| {
        run.verdict.inputs.bundle.get(*name).is_some_and(|stated| *stated != sha256_tagged(bytes))
    };
    present.iter().filter(|pair| changed(pair)).map(|(name, _)| (*name).to_owned()).collect()
}
