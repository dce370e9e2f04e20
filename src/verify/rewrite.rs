//! Refreshing a page in place: byte ranges of the text that was parsed, applied last to first.
//!
//! A drifted line is written with the page's own names where the renaming knows them. A new name
//! is written as measured; where it already stands on the page for another one, all names of its
//! class in the page's outputs are written as measured, so that the same transcript always
//! verifies against the refreshed page.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::edit::{Edit, apply, physical_line, prefixed, widened};
use super::judge::rejudged;
use super::lives::{class_of, stale_lives};
use super::outcome::{PageResult, Problem, StepResult, UnitResult};
use super::plan::{Plan, Printed, Selection, Step, Unit, plan as plan_of};
use crate::book::{Block, Page, parse};
use crate::compare::{Refreshed, Writer};
use crate::config::Config;
use crate::source::Sources;
use crate::vary::Renaming;

/// What of a page is to be refreshed.
pub(crate) struct Refresh<'a> {
    /// The page.
    pub(crate) page: &'a Page,
    /// Its plan.
    pub(crate) plan: &'a Plan,
    /// Its run.
    pub(crate) result: &'a PageResult,
    /// The texts.
    pub(crate) sources: &'a Sources,
    /// The settings of the book.
    pub(crate) config: &'a Config,
    /// Only these blocks; all when empty.
    pub(crate) only: &'a [String],
}

/// The edits of a page and what is to be said about them.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    /// The edits, in no order.
    pub(crate) edits: Vec<Edit>,
    /// Sentences for the report.
    pub(crate) notes: Vec<String>,
}

impl Refresh<'_> {
    /// The edits that refresh every drifted output and live number. A block that timed out,
    /// failed or was not run is never touched.
    pub(crate) fn edits(&self) -> Edits {
        let mut fresh = Edits::default();
        let mut as_measured = BTreeSet::new();
        let mut names = self.names(&as_measured);
        let mut edits = self.output_edits(&mut names);
        for clash in std::mem::take(&mut names.clashes) {
            let Clash { class, name, other } = clash;
            if as_measured.insert(class.clone()) {
                fresh.notes.push(format!(
                    "{name} already stands for {other} on this page, so all values of class {class} in its outputs were written as measured"
                ));
            }
        }
        if !as_measured.is_empty() {
            edits = self.output_edits(&mut self.names(&as_measured));
        }
        if !edits.is_empty() && !self.holds(&edits) {
            let more: BTreeSet<String> = self.all_classes();
            if more != as_measured {
                let list = more.iter().cloned().collect::<Vec<_>>().join(", ");
                fresh.notes.push(format!(
                    "names could stand for one another in several ways, so all values of the classes {list} were written as measured"
                ));
                as_measured = more;
                edits = self.output_edits(&mut self.names(&as_measured));
            }
        }
        edits.extend(self.live_edits(&as_measured));
        if !self.keeps_commands(&edits) {
            fresh.notes = vec![
                "nothing was refreshed: the new output would change which commands the page runs"
                    .to_owned(),
            ];
            return fresh;
        }
        fresh.edits = edits;
        fresh
    }

    /// How names are written.
    fn names<'n>(&'n self, as_measured: &'n BTreeSet<String>) -> Names<'n> {
        Names { names: &self.result.names, as_measured, clashes: Vec::new() }
    }

    /// All classes whose names may be renamed somewhere on the page.
    fn all_classes(&self) -> BTreeSet<String> {
        self.plan.steps.iter().flat_map(|step| step.classes.names()).map(str::to_owned).collect()
    }

    /// Whether a block's output is to be refreshed.
    fn wants(&self, ran: &StepResult) -> bool {
        ran.only_drifted() && self.chosen(&ran.id)
    }

    /// Whether a block is among those that were named.
    fn chosen(&self, id: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == id)
    }

    /// The edits of all outputs.
    fn output_edits(&self, names: &mut Names<'_>) -> Vec<Edit> {
        let mut edits = Vec::new();
        for step in &self.plan.steps {
            let Some(ran) = self.result.step(&step.id) else { continue };
            let wanted = self.wants(ran);
            for (unit, got) in step.units.iter().zip(&ran.units) {
                let drifted = got.problems == [Problem::Drift];
                edits.extend(self.unit_edits((step, unit), got, (wanted && drifted, names)));
            }
        }
        // The commands of a console block share one fence; the widest run wins.
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end, Reverse(edit.text.len())));
        edits.dedup_by(|next, kept| next.range == kept.range);
        edits
    }

    /// The edits of one unit.
    fn unit_edits(
        &self,
        (step, unit): (&Step, &Unit),
        got: &UnitResult,
        (refresh, names): (bool, &mut Names<'_>),
    ) -> Vec<Edit> {
        let (Some(printed), Some(comparison)) = (&unit.printed, &got.comparison) else {
            return Vec::new();
        };
        let lines = if refresh && !unit.cannot_hold(&comparison.measured) {
            let mut lines = comparison.refreshed(&step.classes, names);
            if unit.is_command() {
                begin_as_output(&mut lines, printed);
            }
            lines
        } else if names.as_measured.is_empty() {
            return Vec::new();
        } else {
            comparison.as_printed(&step.classes, names)
        };
        let text = self.sources.text(printed.content.file);
        let newline = if text[..printed.content.start].ends_with("\r\n") { "\r\n" } else { "\n" };
        let content: String = lines
            .iter()
            .map(|line| match line {
                Refreshed::Kept(at) => physical_line(self.sources, printed.lines[*at]).to_owned(),
                Refreshed::New(new) => format!("{}{newline}", prefixed(&printed.prefix, new)),
            })
            .collect();
        let mut edits = vec![Edit { range: printed.content.range(), text: content }];
        edits.extend(widened(printed, &lines, self.sources));
        edits.retain(|edit| text[edit.range.clone()] != edit.text);
        edits
    }

    /// The edits of live numbers that come from blocks of this page.
    fn live_edits(&self, as_measured: &BTreeSet<String>) -> Vec<Edit> {
        let ran = self.result.steps.iter();
        let fine = ran.filter(|ran| ran.passed() || ran.only_drifted());
        let mut edits: Vec<Edit> = fine
            .filter(|ran| self.chosen(&ran.id))
            .flat_map(|ran| stale_lives(self.plan, self.page, self.result, ran))
            .map(|drift| drift.edit())
            .collect();
        for live in &self.page.lives {
            let Some(measured) = live.name.as_ref().and_then(|n| self.result.values.get(n)) else {
                continue;
            };
            let class = self.plan.steps.iter().find_map(|step| {
                let units = &self.result.step(&step.id)?.units;
                let unit = units.iter().find(|unit| unit.id == measured.unit)?;
                class_of(step, unit, measured)
            });
            let as_is = class.is_some_and(|(class, _)| as_measured.contains(&class));
            if as_is && live.value != measured.value {
                edits.retain(|edit| edit.range != live.value_span.range());
                let range = live.value_span.range();
                edits.push(Edit { range, text: measured.value.clone() });
            }
        }
        edits
    }

    /// Whether the same run finds nothing that differs in the refreshed outputs.
    fn holds(&self, edits: &[Edit]) -> bool {
        let (sources, page) = self.edited(edits);
        let plan = plan_of(&page, self.config, &sources, &Selection::default());
        let again = rejudged(&plan, self.result);
        let fine = |ran: &StepResult| {
            let now = again.step(&ran.id);
            now.is_none_or(|now| {
                now.units.iter().zip(&ran.units).all(|(now, before)| {
                    let was_equal = before.comparison.as_ref().is_some_and(|c| c.equal);
                    let could = self.wants(ran)
                        && before.comparison.as_ref().is_some_and(|c| !self.cannot_hold(before, c));
                    !(was_equal || could) || now.comparison.as_ref().is_none_or(|c| c.equal)
                })
            })
        };
        self.result.steps.iter().all(fine)
    }

    /// Whether a unit could not hold its output.
    fn cannot_hold(&self, got: &UnitResult, comparison: &crate::compare::Comparison) -> bool {
        let mut units = self.plan.steps.iter().flat_map(|step| &step.units);
        units
            .find(|unit| unit.id == got.id)
            .is_some_and(|unit| unit.cannot_hold(&comparison.measured))
    }

    /// Whether the edited page runs the same commands.
    fn keeps_commands(&self, edits: &[Edit]) -> bool {
        let (_, page) = self.edited(edits);
        let commands = |page: &Page| page.blocks.iter().map(command_lines).collect::<Vec<_>>();
        commands(&page) == commands(self.page)
    }

    /// The edited page.
    fn edited(&self, edits: &[Edit]) -> (Sources, Page) {
        let mut sources = Sources::default();
        let text = apply(self.sources.text(self.page.file), edits);
        let file = sources.add(&self.page.path, text);
        let page = parse(&sources, file).value;
        (sources, page)
    }
}

/// Puts another line first where the first one would go on with the command above it: only lines
/// whose order is free can come to stand there, as an output that begins so cannot be held.
fn begin_as_output(lines: &mut [Refreshed], printed: &Printed) {
    let goes_on = |line: &Refreshed| match line {
        Refreshed::Kept(at) => printed.text.lines().nth(*at).is_some_and(|l| l.starts_with("> ")),
        Refreshed::New(text) => text.starts_with("> "),
    };
    if let Some(end) = lines.iter().position(|line| !goes_on(line)) {
        lines[..=end].rotate_right(1);
    }
}

/// The id and the commands of a block.
pub(super) fn command_lines(block: &Block) -> (String, String) {
    if block.kind != crate::book::BlockKind::Console {
        return (block.id.clone(), block.text.clone());
    }
    let mut open = false;
    let command = |line: &&str| {
        let starts = crate::compare::command(line).is_some();
        open = starts || (open && line.starts_with("> "));
        open
    };
    (block.id.clone(), block.text.lines().filter(command).collect::<Vec<_>>().join("\n"))
}

/// A new name that stands on the page for another one.
struct Clash {
    class: String,
    name: String,
    other: String,
}

/// How names are written into a refreshed page.
struct Names<'a> {
    names: &'a Renaming,
    /// Classes whose names are written as measured everywhere.
    as_measured: &'a BTreeSet<String>,
    clashes: Vec<Clash>,
}

impl Writer for Names<'_> {
    fn measured(&mut self, class: &str, name: &str) -> Option<String> {
        if self.as_measured.contains(class) {
            return None;
        }
        if let Some(known) = self.names.printed(class, name) {
            return Some(known.to_owned());
        }
        let other = self.names.measured(class, name)?;
        let (class, name, other) = (class.to_owned(), name.to_owned(), other.to_owned());
        self.clashes.push(Clash { class, name, other });
        None
    }

    fn printed(&mut self, class: &str, name: &str) -> Option<String> {
        let known = self.names.measured(class, name).filter(|_| self.as_measured.contains(class));
        known.map(str::to_owned)
    }
}

/// Whether all that is wrong with a block is gone once its output is refreshed.
pub(crate) fn can_refresh(plan: &Plan, ran: &StepResult) -> bool {
    let step = plan.steps.iter().find(|step| step.id == ran.id);
    let holds = |(unit, got): (&Unit, &UnitResult)| {
        got.comparison.as_ref().is_none_or(|c| c.equal || !unit.cannot_hold(&c.measured))
    };
    ran.only_drifted() && step.is_some_and(|step| step.units.iter().zip(&ran.units).all(holds))
}
