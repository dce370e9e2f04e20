//! Why a claim is in the state it is in: sentences that name the thing.

use jiff::civil::Date;

use super::state::Word;
use crate::source::Span;

/// One reason. Its sentence is complete behind "claim C7 is stale: " and on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The named bundle, report or source does not exist.
    Absent(String),
    /// A run cannot be believed, or the claim's entry cannot be read: code and sentence.
    Invalid(&'static str, String),
    /// There is no run at all, or none that counts.
    NoRun(String),
    /// The newest run broke off.
    NotFinished {
        /// `T7`.
        bundle: String,
        /// When it began.
        started: String,
        /// Why it broke off.
        why: Option<String>,
    },
    /// The deciding run did not capture a value or run a block that the claim needs.
    NoValue {
        /// `T7`.
        bundle: String,
        /// The names.
        names: Vec<String>,
    },
    /// A check of the deciding run failed.
    CheckFailed {
        /// The run.
        run: RunRef,
        /// The check.
        check: String,
        /// Its line in result.txt.
        line: Option<usize>,
    },
    /// A condition does not hold.
    Broken {
        /// The run.
        run: RunRef,
        /// The condition.
        expect: String,
        /// What was found.
        found: String,
        /// Whether it is the negative control.
        control: bool,
        /// The line of the value in result.txt.
        line: Option<usize>,
    },
    /// The output printed on the page breaks a condition.
    Printed {
        /// The page.
        page: String,
        /// The condition.
        expect: String,
        /// What is printed.
        found: String,
    },
    /// An earlier run passed; it does not count.
    OlderPass {
        /// The run that decides.
        run: RunRef,
        /// The day of the pass.
        passed: Date,
    },
    /// The wording changed.
    ClaimText(Date),
    /// Kit files changed.
    Kit(Vec<String>),
    /// Inputs of a foreign bundle changed.
    Inputs {
        /// `T7`.
        bundle: String,
        /// `run.sh`, `manifest.yaml`.
        files: Vec<String>,
    },
    /// Blocks or captures of the page changed.
    Steps {
        /// The page.
        page: String,
        /// What changed.
        changes: Vec<StepChange>,
    },
    /// The page is about another environment.
    Environment(Vec<EnvironmentChange>),
    /// The run is too old.
    Age {
        /// The run's day.
        date: Date,
        /// The limit in days.
        limit: i64,
        /// The day as of which it is judged.
        as_of: Date,
    },
    /// A source was read too long ago, or for another version.
    Source(String),
    /// A premise does not stand.
    Premise {
        /// From the premise to where it fails, `C4 ← C2`.
        path: String,
        /// Its state.
        word: Word,
    },
    /// There is nothing that it could rest on.
    Unsupported(String),
}

/// A run as a sentence names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunRef {
    /// `T7`.
    pub(crate) bundle: String,
    /// Its id.
    pub(crate) id: String,
    /// Its folder from the root.
    pub(crate) folder: String,
    /// The day on which it ended.
    pub(crate) date: Date,
}

/// A step that is no longer what was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepChange {
    /// ``block `flip` `` or ``capture `flip.n` ``.
    pub(crate) what: String,
    /// `changed`, `was added`, `is gone`.
    pub(crate) how: &'static str,
    /// Line and place on the page, where it is still there.
    pub(crate) place: Option<(usize, Span)>,
}

/// A key in which page and run differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnvironmentChange {
    /// `kubernetes`.
    pub(crate) key: String,
    /// What the page says.
    pub(crate) page: String,
    /// What was measured.
    pub(crate) run: Option<String>,
}

impl Reason {
    /// The documented code of the finding that it becomes.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Reason::Absent(_) => "EV006",
            Reason::Invalid(code, _) => code,
            Reason::NoRun(_) | Reason::NoValue { .. } => "EV023",
            Reason::NotFinished { why, .. } if changed_meanwhile(why.as_deref()).is_some() => {
                "EV110"
            }
            Reason::NotFinished { .. } => "EV105",
            Reason::CheckFailed { .. } | Reason::Broken { .. } | Reason::Printed { .. } => "EV104",
            Reason::OlderPass { .. } => "EV112",
            Reason::ClaimText(_) => "EV201",
            Reason::Kit(_) => "EV202",
            Reason::Inputs { .. } => "EV203",
            Reason::Steps { .. } => "EV204",
            Reason::Environment(_) => "EV205",
            Reason::Age { .. } => "EV206",
            Reason::Source(_) => "EV207",
            Reason::Premise { .. } => "EV012",
            Reason::Unsupported(_) => "EV005",
        }
    }

    /// Whether it makes a passed run stale.
    pub(crate) fn is_stale(&self) -> bool {
        self.code().starts_with("EV20") || matches!(self, Reason::Premise { .. })
    }

    /// The sentence, without the claim.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Reason::Absent(text)
            | Reason::Invalid(_, text)
            | Reason::NoRun(text)
            | Reason::Source(text)
            | Reason::Unsupported(text) => text.clone(),
            Reason::NoValue { bundle, names } => {
                format!("no finished run of {bundle} has {}", names.join(", "))
            }
            Reason::NotFinished { bundle, started, why } => {
                if let Some(files) = changed_meanwhile(why.as_deref()) {
                    return format!(
                        "{bundle}: {files} changed while the run was going on; run it again"
                    );
                }
                let why = why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
                format!(
                    "{bundle} was started on {started} but did not finish{why}; this is not a measurement"
                )
            }
            Reason::CheckFailed { run, check, line } => {
                format!("{}, check `{check}`{}", run.words(), at_line(*line))
            }
            Reason::Broken { run, expect, found, control, line } => {
                let role = if *control { "control" } else { "expect" };
                let line = at_line(*line);
                format!("{}, {role} `{expect}` does not hold: {found}{line}", run.words())
            }
            Reason::Printed { page, expect, found } => {
                format!("the output printed on {page} breaks `{expect}`: {found}")
            }
            Reason::OlderPass { run, passed } => format!(
                "{}: a newer run ({}) failed; the pass of {passed} does not count",
                run.bundle, run.date
            ),
            Reason::ClaimText(date) => format!("its wording changed after run {date}"),
            Reason::Kit(files) => format!("kit files changed since the run: {}", files.join(", ")),
            Reason::Inputs { bundle, files } => {
                format!("{} of {bundle} changed since the run", files.join(" and "))
            }
            Reason::Steps { page, changes } => steps(page, changes),
            Reason::Environment(changes) => environment(changes),
            Reason::Age { date, limit, as_of } => {
                format!("last run {date}, limit {limit} days, as of {as_of}")
            }
            Reason::Premise { path, word } => {
                format!("it rests on {path}, which is {}", word.text())
            }
        }
    }
}

/// The files that changed while a run was going on, from the reason that its recorder gave.
fn changed_meanwhile(why: Option<&str>) -> Option<&str> {
    why?.strip_prefix("inputs changed during the run: ")
}

impl RunRef {
    /// `T7, run 2026-11-29`.
    fn words(&self) -> String {
        format!("{}, run {}", self.bundle, self.date)
    }
}

/// ` (result.txt:40)`, where the line is known.
fn at_line(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!(" (result.txt:{line})"))
}

/// The sentence about changed steps.
fn steps(page: &str, changes: &[StepChange]) -> String {
    let name = |change: &StepChange| {
        let line = change.place.map_or(String::new(), |(line, _)| format!(":{line}"));
        format!("{} of {page}{line} {} since the run", change.what, change.how)
    };
    changes.iter().map(name).collect::<Vec<_>>().join("; ")
}

/// The sentence about another environment.
fn environment(changes: &[EnvironmentChange]) -> String {
    let name = |change: &EnvironmentChange| match &change.run {
        Some(run) => {
            format!("the document is for {} {}, the run was on {run}", change.key, change.page)
        }
        None => format!(
            "the document is for {} {}, the run did not measure {}",
            change.key, change.page, change.key
        ),
    };
    changes.iter().map(name).collect::<Vec<_>>().join("; ")
}
