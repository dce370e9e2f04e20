//! Recording a run: what was planned, what happened, and a replay without labdoc.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::header;
use super::manifest::{files, manifest};
use super::outcome::{PageResult, Problem, StepResult, UnitResult};
use super::plan::Plan;
use super::replay;
use super::world::{World, load_kit};
use crate::book::{Book, Page, class_names};
use crate::diag::Failure;
use crate::disk;
use crate::evidence::{
    Captured, Check, CheckOutcome, Digests, Inputs, Outcome, Recording, Redaction, Runner, Verdict,
    block_digest, capture_digest, new_run_id, next_bundle_id, write_part, write_run,
};

/// The clock's word on when a run began. When it ends is told by the clock that only goes forward:
/// a run cannot end before it began, whatever happens to the other one meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Started(Timestamp, Instant);

impl Started {
    /// Now.
    pub(crate) fn now() -> Started {
        Started(Timestamp::now(), Instant::now())
    }

    /// This moment, as long after the beginning as it is.
    fn and_now(self) -> Timestamp {
        let passed = SignedDuration::try_from(self.1.elapsed()).unwrap_or_default();
        self.0.checked_add(passed).unwrap_or(self.0)
    }
}

/// A run that is to be recorded.
pub(crate) struct Ran<'a> {
    /// The book.
    pub(crate) book: &'a Book,
    /// The page, as it was refreshed where it was.
    pub(crate) page: &'a Page,
    /// Its plan.
    pub(crate) plan: &'a Plan,
    /// Where it ran.
    pub(crate) world: &'a World,
    /// What it came to.
    pub(crate) result: &'a PageResult,
    /// Digests of the claims that rest on it, by id.
    pub(crate) claims: Digests,
    /// When it began.
    pub(crate) started: Started,
}

/// What was recorded.
pub(crate) struct Made {
    /// The run's name, `T1/20261129T101500Z-7f3a2c`.
    pub(crate) run: String,
    /// Kit files that changed while it ran: it is no measurement then.
    pub(crate) changed: Vec<String>,
    /// A run of the bundle that says it ended later, and so goes on to decide: a clock was wrong.
    pub(crate) later: Option<String>,
}

/// Writes the run into its bundle.
///
/// # Errors
/// The kit cannot be read again, or the run cannot be written.
pub(crate) fn record(root: &Path, bundle: &str, ran: &Ran<'_>) -> Result<Made, Failure> {
    let changed = changed_inputs(root, ran)?;
    let transcript = transcript(ran);
    let manifest = manifest(bundle, ran);
    let (finished, later) = next_second(root, bundle, ran.started)?;
    let seed = [transcript.text.as_bytes(), finished.to_string().as_bytes()].concat();
    let run_id = new_run_id(ran.started.0, &seed);
    let run_sh = replay::script(ran, bundle, &run_id);
    let mut masked = ran.result.masked.clone();
    let files = files(ran, &mut masked)?;
    let verdict = Verdict {
        bundle: bundle.to_owned(),
        run_id: run_id.clone(),
        started_at: second(ran.started.0),
        finished_at: second(finished),
        redactions: masked.into_iter().map(|(rule, count)| Redaction { rule, count }).collect(),
        ..verdict(ran, &transcript, &changed)
    };
    let recording =
        Recording { manifest, verdict, run_sh, result_txt: transcript.text.into_bytes(), files };
    write_run(&root.join("evidence").join(bundle), &recording)?;
    Ok(Made { run: format!("{bundle}/{run_id}"), changed, later })
}

/// The bundle of a page; one that has none is given the lowest free number, which is written
/// into its header. The second value says whether it was.
///
/// # Errors
/// `evidence/` cannot be listed, or the page cannot be written.
pub(crate) fn bundle_of(root: &Path, page: &Page, path: &Path) -> Result<(String, bool), Failure> {
    if let Some(bundle) = page.front.verify.as_ref().and_then(|verify| verify.bundle.clone()) {
        return Ok((bundle, false));
    }
    let bundle = next_bundle_id(root)?;
    let text = disk::read_text(path)?;
    disk::replace(path, header::with_bundle(&text, &bundle).as_bytes())?;
    Ok((bundle, true))
}

/// Now, but not the second in which the newest run of the bundle ended: runs are ordered by the
/// second, and the later of two must be the newer. A run that says a time to come is named.
fn next_second(
    root: &Path,
    bundle: &str,
    started: Started,
) -> Result<(Timestamp, Option<String>), Failure> {
    let bundles = crate::evidence::load_bundles(root)?;
    let Some(newest) = bundles.get(bundle).and_then(|bundle| bundle.runs.last()) else {
        return Ok((started.and_now(), None));
    };
    let newest = &newest.verdict;
    let now = started.and_now();
    if second(now) == newest.finished_at {
        let rest = 1_000 - now.subsec_millisecond();
        std::thread::sleep(Duration::from_millis(u64::try_from(rest).unwrap_or(1_000)));
    }
    let now = started.and_now();
    let later = (second(now) <= newest.finished_at).then(|| newest.run_id.clone());
    Ok((now, later))
}

/// A time in whole seconds, RFC 3339, UTC.
fn second(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Kit files that are not what they were when the run began.
fn changed_inputs(root: &Path, ran: &Ran<'_>) -> Result<Vec<String>, Failure> {
    if ran.world.kit.is_empty() {
        return Ok(Vec::new());
    }
    let kit = load_kit(root, ran.plan)?;
    let now: BTreeMap<&str, &str> =
        kit.files.iter().map(|file| (file.path.as_str(), file.sha256.as_str())).collect();
    let changed = |(path, sha): &(&String, &String)| now.get(path.as_str()) != Some(&sha.as_str());
    Ok(ran.world.kit.iter().filter(changed).map(|(path, _)| path.clone()).collect())
}

/// The transcript and where its parts stand.
struct Transcript {
    text: String,
    /// First line (from 1) of each unit's output.
    first: BTreeMap<String, usize>,
    /// First and last line of each block's output.
    lines: BTreeMap<String, [usize; 2]>,
    truncated: bool,
}

/// Writes the transcript: the blocks in page order, each with its marks.
fn transcript(ran: &Ran<'_>) -> Transcript {
    let (first, lines) = (BTreeMap::new(), BTreeMap::new());
    let mut out = Transcript { text: String::new(), first, lines, truncated: false };
    for block in &ran.page.blocks {
        let Some(step) = ran.result.step(&block.id) else { continue };
        if step.units.is_empty() {
            write_part(&mut out.text, &step.id, "", (CheckOutcome::Skip, None));
        }
        for unit in &step.units {
            add_unit(&mut out, step, unit);
        }
    }
    out
}

/// Adds one unit to a transcript.
fn add_unit(out: &mut Transcript, step: &StepResult, unit: &UnitResult) {
    let begin = out.text.lines().count() + 2;
    write_part(&mut out.text, &unit.id, &unit.output, (unit_outcome(unit), unit.exit));
    let count = unit.output.lines().count();
    out.first.insert(unit.id.clone(), begin);
    out.truncated |= unit.truncated;
    if count > 0 {
        let last = begin + count - 1;
        out.lines.entry(step.id.clone()).or_insert([begin, last])[1] = last;
    }
}

/// What a unit came to as a check.
pub(super) fn unit_outcome(unit: &UnitResult) -> CheckOutcome {
    let broke = |p: &Problem| {
        matches!(p, Problem::TimedOut(_) | Problem::Interrupted | Problem::Cluster(_))
    };
    if unit.problems.iter().any(broke) {
        CheckOutcome::Error
    } else if unit.problems.is_empty() {
        CheckOutcome::Pass
    } else {
        CheckOutcome::Fail
    }
}

/// What a block came to as a check: the worst of its units.
fn step_outcome(step: &StepResult) -> CheckOutcome {
    let of = |wanted| step.units.iter().any(|unit| unit_outcome(unit) == wanted);
    if step.skipped.is_some() || step.units.is_empty() {
        CheckOutcome::Skip
    } else if of(CheckOutcome::Error) {
        CheckOutcome::Error
    } else if of(CheckOutcome::Fail) {
        CheckOutcome::Fail
    } else {
        CheckOutcome::Pass
    }
}

/// What happened.
fn verdict(ran: &Ran<'_>, transcript: &Transcript, changed: &[String]) -> Verdict {
    let mut checks: Vec<Check> = ran
        .page
        .blocks
        .iter()
        .filter_map(|block| ran.result.step(&block.id))
        .map(|step| check(step, transcript))
        .collect();
    // What is left is known at the end of the page only, and stands with the last check that ran.
    if let Some(last) = checks.iter_mut().rfind(|check| check.outcome != CheckOutcome::Skip) {
        last.leftovers.clone_from(&ran.result.leftovers);
    }
    let (outcome, reason) = outcome(ran, &checks, changed);
    let exit_code = match outcome {
        Outcome::Pass => Some(0),
        Outcome::Fail => Some(1),
        Outcome::Error => None,
    };
    let value = |(name, measured): (&String, &super::outcome::Measured)| {
        let line = transcript.first.get(&measured.unit).map(|first| first + measured.line);
        (name.clone(), Captured { value: measured.value.clone(), line })
    };
    let result_txt = crate::evidence::Output {
        truncated: Some(transcript.truncated),
        ..crate::evidence::Output::default()
    };
    Verdict {
        outcome,
        reason,
        exit_code,
        inputs: inputs(ran),
        outputs: BTreeMap::from([("result.txt".to_owned(), result_txt)]),
        checks,
        values: ran.result.values.iter().map(value).collect(),
        environment: environment(ran),
        runner: Runner {
            name: "labdoc".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..Runner::default()
        },
        ..Verdict::default()
    }
}

/// One block's check.
fn check(step: &StepResult, transcript: &Transcript) -> Check {
    let last = step.units.last();
    Check {
        id: step.id.clone(),
        outcome: step_outcome(step),
        exit: last.and_then(|unit| unit.exit),
        duration_ms: u64::try_from(step.duration.as_millis()).unwrap_or(u64::MAX),
        attempts: u32::try_from(step.attempts()).unwrap_or(u32::MAX),
        pipestatus: last.map(|unit| unit.pipestatus.clone()).unwrap_or_default(),
        lines: transcript.lines.get(&step.id).copied(),
        survivors: step.units.iter().flat_map(|unit| unit.killed.clone()).collect(),
        leftovers: Vec::new(),
    }
}

/// Pass, fail, or why it did not run to the end.
fn outcome(ran: &Ran<'_>, checks: &[Check], changed: &[String]) -> (Outcome, Option<String>) {
    if !changed.is_empty() {
        let why = format!("inputs changed during the run: {}", changed.join(", "));
        return (Outcome::Error, Some(why));
    }
    if ran.result.interrupted.is_some() {
        return (Outcome::Error, Some("interrupted".to_owned()));
    }
    if let Some(check) = checks.iter().find(|check| check.outcome == CheckOutcome::Error) {
        let limit = ran.plan.steps.iter().find(|step| step.id == check.id);
        let seconds = limit.map_or(0.0, |step| step.timeout.as_secs_f64());
        return (Outcome::Error, Some(format!("timeout after {seconds} s in block {}", check.id)));
    }
    let failed = checks.iter().any(|check| check.outcome == CheckOutcome::Fail);
    (if failed { Outcome::Fail } else { Outcome::Pass }, None)
}

/// Digests of what went in.
fn inputs(ran: &Ran<'_>) -> Inputs {
    let tagged = |(path, sha): (&String, &String)| (path.clone(), format!("sha256:{sha}"));
    let captures = ran.plan.captures.iter();
    Inputs {
        kit: ran.world.kit.iter().map(tagged).collect(),
        blocks: block_digests(ran.book, ran.page),
        captures: captures.map(|c| (c.name.clone(), capture_digest(&c.name, &c.pattern))).collect(),
        claims: ran.claims.clone(),
        ..Inputs::default()
    }
}

/// Digests of a page's blocks by id.
pub(crate) fn block_digests(book: &Book, page: &Page) -> Digests {
    let of = |block: &crate::book::Block| {
        let names = class_names(page, block, &book.config);
        let vary: Vec<String> = names.into_iter().map(str::to_owned).collect();
        (block.id.clone(), block_digest(block, &vary))
    };
    page.blocks.iter().map(of).collect()
}

/// What was measured of the environment: captured values, and the machine.
fn environment(ran: &Ran<'_>) -> BTreeMap<String, String> {
    let measure = ran.page.front.verify.iter().flat_map(|verify| &verify.measure);
    let mut environment: BTreeMap<String, String> = measure
        .filter_map(|(key, name)| Some((key.clone(), ran.result.values.get(name)?.value.clone())))
        .collect();
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let kubernetes = ran.result.kubernetes.clone();
    environment.extend(kubernetes.map(|version| ("kubernetes".to_owned(), version)));
    environment.insert("os".to_owned(), format!("{}/{arch}", std::env::consts::OS));
    environment
}
