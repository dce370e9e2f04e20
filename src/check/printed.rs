//! What a page prints against what its runs recorded: output fences (EV208) and live numbers in
//! the prose (EV210). Both are only compared with runs of the blocks as they are now: of an
//! edited block nothing can be said.

use crate::book::{Block, BlockKind, Book, Page, class_names};
use crate::compare::{Form, Question, compare, console_outputs, normalise};
use crate::diag::Diagnostic;
use crate::evidence::{Bundles, CheckOutcome, Now, Part, Policy, Run, Word, capture};
use crate::source::Sources;
use crate::vary::Renaming;

/// What both checks look at.
pub(crate) struct Printed<'a> {
    /// The pages and value classes.
    pub(crate) book: &'a Book,
    /// Their texts.
    pub(crate) sources: &'a Sources,
    /// The recorded runs.
    pub(crate) bundles: &'a Bundles,
    /// The documents as they are now.
    pub(crate) now: &'a Now,
    /// How much findings weigh.
    pub(crate) policy: &'a Policy,
}

impl Printed<'_> {
    /// All findings.
    pub(crate) fn check(&self) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        for page in &self.book.pages {
            if let Some(run) = self.run_of(page) {
                out.extend(self.outputs(page, run));
            }
            out.extend(self.lives(page));
        }
        out
    }

    /// The newest finished run of the page's own bundle, in the page's environment where there
    /// is one.
    fn run_of(&self, page: &Page) -> Option<&Run> {
        let bundle = page.front.verify.as_ref()?.bundle.as_deref()?;
        self.bundles.get(bundle)?.newest_in(&page.front.environment)
    }

    /// EV208 for the blocks of a page.
    fn outputs(&self, page: &Page, run: &Run) -> Vec<Diagnostic> {
        let mut names = Renaming::default();
        let mut out = Vec::new();
        for block in page.blocks.iter().filter(|block| self.unchanged(page, run, block)) {
            let parts: Vec<&Part> = run.transcript.parts_of(&block.id).collect();
            if !parts.is_empty() && !self.equal(page, (block, &parts), &mut names) {
                out.push(self.ev208(page, run, block));
            }
        }
        out
    }

    /// Whether a block is what the run ran.
    fn unchanged(&self, page: &Page, run: &Run, block: &Block) -> bool {
        let bundle = page.front.verify.as_ref().and_then(|verify| verify.bundle.as_ref());
        let plan = bundle.and_then(|bundle| self.now.plans.get(bundle));
        let digest = plan.and_then(|plan| plan.block(&block.id)).map(|block| &block.digest);
        let passed = run.verdict.check(&block.id) == Some(CheckOutcome::Pass);
        passed && digest.is_some() && run.verdict.inputs.blocks.get(&block.id) == digest
    }

    /// Whether what is printed for a block is what was recorded, varying values aside.
    fn equal(&self, page: &Page, of: (&Block, &[&Part]), names: &mut Renaming) -> bool {
        let (block, parts) = of;
        let config = &self.book.config;
        let options = &block.options;
        let (order, within) = match &block.output {
            Some(output) => (output.order, &output.within),
            None => (options.order, &options.within),
        };
        let classes = config.classes.select(class_names(page, block, config));
        let classes = &classes.bounded(within.clone());
        let form = if options.strict { Form::Strict } else { Form::Plain };
        let mut one = |printed: &str, measured: &str| {
            let measured = &normalise(measured.as_bytes(), form);
            let question = Question { printed, measured, classes, order, form, first_line: 0 };
            compare(&question, names).equal
        };
        match (&block.output, block.kind) {
            (_, BlockKind::Console) => {
                let printed = console_outputs(&block.text);
                printed.len() != parts.len()
                    || printed.iter().zip(parts).all(|(printed, part)| one(printed, &part.output))
            }
            (Some(output), _) => {
                let measured: String = parts.iter().map(|part| part.output.as_str()).collect();
                one(&output.text, &measured)
            }
            (None, _) => true,
        }
    }

    /// EV208.
    fn ev208(&self, page: &Page, run: &Run, block: &Block) -> Diagnostic {
        let span = block.output.as_ref().map_or(block.span, |output| output.open_run);
        let line = self.sources.line(span);
        let recorded = run.verdict.checks.iter().find(|check| check.id == block.id);
        let at = recorded.and_then(|check| check.lines).map(|[first, _]| first);
        let place = at.map_or(String::new(), |first| format!(" (result.txt:{first})"));
        let message = format!(
            "{}:{line}: the output printed for block `{}` is not what run {} recorded{place}, values that may vary aside",
            page.path,
            block.id,
            run.verdict.date()
        );
        let found = self.policy.finding(Word::Stale, "EV208", message).at(span);
        found
            .note(format!("run: {}", run.folder))
            .hint(format!("run `labdoc verify {} --update --record`", page.path))
    }

    /// EV210 for the live numbers of a page.
    fn lives(&self, page: &Page) -> Vec<Diagnostic> {
        let own = page.front.verify.as_ref().and_then(|verify| verify.bundle.as_deref());
        let mut out = Vec::new();
        for live in &page.lives {
            let Some(full) = live.name.as_deref() else { continue };
            let (bundle, name) = match full.split_once('#') {
                Some((bundle, name)) => (Some(bundle), name),
                None => (own, full),
            };
            let runs = bundle.and_then(|bundle| self.bundles.get(bundle));
            let Some(run) = runs.and_then(|bundle| bundle.newest_in(&page.front.environment))
            else {
                continue;
            };
            let Some(value) = run.verdict.values.get(name).map(|captured| &captured.value) else {
                continue;
            };
            if same_number(&live.value, value) || is_printed(page, full, &live.value) {
                continue;
            }
            let line = self.sources.line(live.value_span);
            let message = format!(
                "{}:{line}: the live number {} for {} is in no current run of the page's environment (run {}: {value})",
                page.path,
                live.value,
                full,
                run.verdict.date()
            );
            let found = self.policy.finding(Word::Stale, "EV210", message).at(live.value_span);
            out.push(found.note(format!("run: {}", run.folder)).hint(format!(
                "write {value}, or run `labdoc verify {} --update --record`",
                page.path
            )));
        }
        out
    }
}

/// Whether a page's own printed output holds a value of that name: then prose and output say the
/// same, and whether the output is what was recorded, values that may vary aside, is asked of it.
fn is_printed(page: &Page, name: &str, value: &str) -> bool {
    let verify = page.front.verify.as_ref();
    let pattern = verify.and_then(|verify| verify.capture.get(name));
    let block = page.blocks.iter().find(|block| name.split('.').next() == Some(block.id.as_str()));
    let printed = block.and_then(|block| block.output.as_ref());
    let Some((pattern, printed)) = pattern.zip(printed) else { return false };
    capture(pattern, &printed.text).is_some_and(|(found, _)| same_number(&found, value))
}

/// Whether two texts are one value; commas between digits do not count.
fn same_number(shown: &str, measured: &str) -> bool {
    let plain = |text: &str| text.trim().replace(',', "");
    plain(shown) == plain(measured)
}
