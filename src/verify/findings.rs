//! What a run came to as findings: each with page, line and, for drift, a unified diff.

use super::diff::{diff, first_difference, varied};
use super::hints;
use super::lives::stale_lives;
use super::outcome::{PageResult, Problem, StepResult, UnitResult};
use super::plan::{Plan, Step, Unit};
use crate::book::Page;
use crate::diag::{Diagnostic, Place};
use crate::source::{Sources, Span};
use crate::vary::Renaming;

/// All findings of a page's run, in page order.
pub(crate) fn findings(
    plan: &Plan,
    page: &Page,
    result: &PageResult,
    sources: &Sources,
) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for step in &plan.steps {
        let Some(ran) = result.step(&step.id) else { continue };
        for (unit, got) in step.units.iter().zip(&ran.units) {
            for problem in &got.problems {
                let of = Of { plan, step, unit, got, sources, names: &result.names };
                out.push(of.finding(problem));
            }
            out.extend(tries_note(ran, unit));
            out.extend(got.remarks.iter().map(|text| {
                Diagnostic::note_of("VR010", format!("block `{}`: {text}", unit.id)).at(unit.span)
            }));
        }
        out.extend(stale_lives(plan, page, result, ran).into_iter().map(|drift| drift.finding()));
    }
    if !result.survivors.is_empty() {
        let message = "processes outlived the page and were ended";
        let place = Place::File(page.path.clone(), None);
        let mut finding = Diagnostic::warning("VR009", message);
        finding.place = place;
        finding.notes.clone_from(&result.survivors);
        out.push(finding);
    }
    let on_page = |mut finding: Diagnostic, notes: &[String]| {
        finding.notes.extend_from_slice(notes);
        finding.in_file(&page.path, None)
    };
    if !result.leftovers.is_empty() {
        let message = "the page left objects in the cluster";
        let finding = Diagnostic::warning("VR023", message);
        let finding = finding.hint("delete them in a block marked .teardown");
        out.push(on_page(finding, &result.leftovers));
    }
    if !result.facts.is_empty() {
        let message = "the cluster when a block had failed";
        out.push(on_page(Diagnostic::note_of("VR024", message), &result.facts));
    }
    if !result.trap_output.trim().is_empty() {
        let message = format!("the page's EXIT trap printed:\n{}", result.trap_output.trim_end());
        out.push(Diagnostic::note_of("VR019", message).in_file(&page.path, None));
    }
    out.sort_by_key(|finding| finding.place.clone());
    out
}

/// How often a block with `retry=` was tried, where that was more than once.
fn tries_note(ran: &StepResult, unit: &Unit) -> Option<Diagnostic> {
    let is_first = unit.id == ran.id || unit.id.ends_with("/1");
    let passed = if ran.passed() { "passed at" } else { "did not pass in" };
    let note = || {
        let tries = ran.attempts();
        let words = if ran.passed() { format!("try {tries}") } else { format!("{tries} tries") };
        let seconds = ran.duration.as_secs_f64();
        let message = format!("block `{}` {passed} {words}, {seconds:.1} s", ran.id);
        Diagnostic::note_of("VR012", message).at(unit.span)
    };
    (is_first && ran.attempts() > 1).then(note)
}

/// What a finding is about.
struct Of<'a> {
    plan: &'a Plan,
    step: &'a Step,
    unit: &'a Unit,
    got: &'a UnitResult,
    sources: &'a Sources,
    names: &'a Renaming,
}

impl Of<'_> {
    /// One problem as a finding.
    fn finding(&self, problem: &Problem) -> Diagnostic {
        let Of { step, unit, got, .. } = self;
        let id = &unit.id;
        match problem {
            Problem::Drift => self.drift(),
            Problem::Exit { expected, got: code } => {
                let message =
                    format!("block `{id}` ended with exit code {code}, expected {expected}");
                with_output(Diagnostic::error("VR002", message).at(unit.span), got)
            }
            Problem::TimedOut(limit) => {
                let message = format!("block `{id}` was ended after its time limit of {limit:?}");
                let finding = Diagnostic::error("VR003", message).at(unit.span);
                let finding = with_output(finding, got);
                let finding =
                    got.killed.iter().fold(finding, |f, line| f.note(format!("ended: {line}")));
                let limit = step.timeout;
                finding.hint(format!("raise it with timeout= on the block (now {limit:?})"))
            }
            Problem::Syntax { message, line } => {
                let at = syntax_place(unit, *line, self.sources);
                let mut words = message.lines();
                let first = words.next().unwrap_or("syntax error");
                let finding = Diagnostic::error("VR004", format!("block `{id}`: {first}")).at(at);
                words.fold(finding, |f, line| f.note(line)).note("nothing of the block was run")
            }
            Problem::Interrupted => {
                Diagnostic::error("VR007", format!("block `{id}` was interrupted")).at(unit.span)
            }
            Problem::Capture(name) => {
                let message =
                    format!("capture `{name}` found nothing in the output of block `{id}`");
                with_output(Diagnostic::error("VR005", message).at(unit.span), got)
            }
            Problem::Guard(why) => Diagnostic::error("VR020", format!("block `{id}`: {why}"))
                .at(unit.span)
                .hint("a page runs on the one cluster that --context or the current context names"),
            Problem::Cluster(trouble) => {
                let message = format!("block `{id}`: {}", trouble.kind.words());
                let finding = Diagnostic::error("VR021", message).at(unit.span);
                let finding = finding.note(trouble.sentence.clone());
                finding.hint(trouble.kind.hint().unwrap_or("kubectl says what is wrong"))
            }
            Problem::Lacks(places) => {
                let message = format!("assertion `{id}` is not met");
                let finding = Diagnostic::error("VR022", message).at(unit.span);
                places.iter().fold(finding, |finding, place| finding.note(place.clone()))
            }
            Problem::Background(why) => {
                let message = format!("background block `{id}`: {why}");
                with_output(Diagnostic::error("VR011", message).at(unit.span), got)
            }
        }
    }

    /// The finding for an output that differs, with a unified diff in lines of the page.
    fn drift(&self) -> Diagnostic {
        let Of { unit, got, sources, .. } = self;
        let message = format!("the output of block `{}` differs from the page", unit.id);
        let mut finding = Diagnostic::error("VR001", message).at(unit.span);
        let (Some(comparison), Some(printed)) = (&got.comparison, &unit.printed) else {
            return finding;
        };
        let source = sources.file(printed.content.file);
        let first_line = source.position(printed.content.start).line;
        if let Some(at) = first_difference(comparison) {
            let span = printed.lines.get(at).copied();
            let start = printed.content.start;
            finding.place = Place::Text(span.unwrap_or(Span::new(unit.span.file, start..start)));
        }
        finding.notes.push(diff(comparison, &source.path, first_line));
        finding.notes.extend(comparison.notes.iter().cloned());
        finding.notes.extend(varied(comparison, first_line));
        if let Some(stderr) = got.stderr.as_ref().filter(|text| !text.is_empty()) {
            finding.notes.push(format!("its standard error, kept apart:\n{}", tail(stderr)));
        }
        finding.hint(hints::hint(self.plan, (self.step, unit), got, self.names))
    }
}

/// Adds the last lines of the output, and of the standard error that was kept apart.
fn with_output(finding: Diagnostic, got: &UnitResult) -> Diagnostic {
    let finding = if got.output.is_empty() {
        finding.note("it printed nothing")
    } else {
        finding.note(format!("it printed:\n{}", tail(&got.output)))
    };
    match &got.stderr {
        Some(stderr) if !stderr.is_empty() => {
            finding.note(format!("on its standard error:\n{}", tail(stderr)))
        }
        _ => finding,
    }
}

/// The last lines of a text.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

/// The line of the page where bash found a syntax error.
fn syntax_place(unit: &Unit, line: usize, sources: &Sources) -> Span {
    let source = sources.file(unit.span.file);
    let first = source.position(unit.span.start).line;
    let lines = unit.text.lines().count().max(1);
    let range = source.line_range(first + line.clamp(1, lines) - 1);
    let text = source.text[range.clone()].trim_end();
    let indent = text.len() - text.trim_start().len();
    Span::new(unit.span.file, range.start + indent..range.start + text.len())
}
