//! What will be run, with every option resolved: defaults, then `book.toml`, page, block, flags.

use std::time::Duration;

use crate::book::{Block, BlockKind, Page, Workdir, class_names};
use crate::compare::reads_as_command;
use crate::config::Config;
use crate::fence::parse_duration;
use crate::kit::KitOptions;
use crate::source::{Sources, Span};
use crate::vary::{Capture, Classes, captures};

/// When a block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// In page order; always, also under `--only`.
    Setup,
    /// In page order.
    Normal,
    /// After all others; always, also after a failure, a time limit or Ctrl-C.
    Teardown,
}

/// The printed output of a unit and where it stands, so that it can be compared and replaced.
#[derive(Clone, Debug)]
pub(crate) struct Printed {
    /// The text without prefixes.
    pub(crate) text: String,
    /// The place of each line, prefix excluded.
    pub(crate) lines: Vec<Span>,
    /// The bytes that hold it, prefixes and line ends included.
    pub(crate) content: Span,
    /// What stands before each line.
    pub(crate) prefix: String,
    /// The runs of the fence around it, which widen when the output holds one.
    pub(crate) runs: (Span, Span),
}

/// What is run at once: a shell block, or one command of a console block.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// The block's id, with `/1`, `/2` … for the commands of a console block.
    pub(crate) id: String,
    /// The commands.
    pub(crate) text: String,
    /// The place of its first line.
    pub(crate) span: Span,
    /// Its printed output, where there is one.
    pub(crate) printed: Option<Printed>,
}

impl Unit {
    /// Whether it is a command of a console block that could not hold this output.
    pub(crate) fn cannot_hold(&self, measured: &[String]) -> bool {
        self.id.contains('/') && reads_as_command(measured)
    }
}

/// One block to run.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Its id.
    pub(crate) id: String,
    /// When it runs.
    pub(crate) role: Role,
    /// Why it is not run, where it is not.
    pub(crate) skip: Option<&'static str>,
    /// Its time limit.
    pub(crate) timeout: Duration,
    /// The exit code that is expected; `None` where any will do.
    pub(crate) exit: Option<i32>,
    /// The value classes that may vary in its output.
    pub(crate) classes: Classes,
    /// Whether lines may come in any order.
    pub(crate) unordered: bool,
    /// What is run.
    pub(crate) units: Vec<Unit>,
}

/// One page to run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The page's path from the root.
    pub(crate) path: String,
    /// The blocks, in the order in which they run: teardown last.
    pub(crate) steps: Vec<Step>,
    /// The values to capture.
    pub(crate) captures: Vec<Capture>,
    /// Where the blocks run.
    pub(crate) workdir: Workdir,
    /// The kit, where the page names one.
    pub(crate) kit: Option<String>,
    /// What the book says of that kit.
    pub(crate) kit_options: KitOptions,
    /// The part of the kit that is copied; all of it when empty.
    pub(crate) uses: Vec<String>,
    /// Environment variables that are passed through.
    pub(crate) env: Vec<String>,
    /// Environment variables that the page's parameters set.
    pub(crate) params: Vec<(String, String)>,
    /// Time limit of the page.
    pub(crate) timeout: Duration,
}

/// What of a page is run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Only these blocks, with setup and teardown; all when empty.
    pub(crate) only: Vec<String>,
}

/// Resolves a page.
pub(crate) fn plan(page: &Page, config: &Config, sources: &Sources, selection: &Selection) -> Plan {
    let verify = page.front.verify.clone().unwrap_or_default();
    let mut steps: Vec<Step> =
        page.blocks.iter().map(|block| step(page, block, config, sources)).collect();
    for step in &mut steps {
        let chosen = selection.only.is_empty() || selection.only.contains(&step.id);
        if !chosen && step.role == Role::Normal {
            step.skip = Some("not chosen");
        }
    }
    steps.sort_by_key(|step| step.role == Role::Teardown);
    let default = if page.front.kit.is_some() { Workdir::Kit } else { Workdir::Page };
    let limit = verify.page_timeout.as_deref().and_then(parse_duration);
    Plan {
        path: page.path.clone(),
        steps,
        captures: captures(&verify.capture).0,
        workdir: verify.workdir.unwrap_or(default),
        kit: page.front.kit.clone(),
        kit_options: page
            .front
            .kit
            .as_deref()
            .map(|name| KitOptions::of(config, name))
            .unwrap_or_default(),
        uses: verify.uses,
        env: verify.env,
        params: page.front.params.clone().into_iter().collect(),
        timeout: limit.unwrap_or_else(|| config.page_timeout()),
    }
}

/// Resolves one block.
fn step(page: &Page, block: &Block, config: &Config, sources: &Sources) -> Step {
    let page_limit = page.front.verify.as_ref().and_then(|verify| verify.timeout.as_deref());
    let timeout = block.options.timeout.or_else(|| page_limit.and_then(parse_duration));
    let role = match (block.options.setup, block.options.teardown) {
        (_, true) => Role::Teardown,
        (true, false) => Role::Setup,
        (false, false) => Role::Normal,
    };
    Step {
        id: block.id.clone(),
        role,
        skip: block.options.skip.then_some("marked .skip"),
        timeout: timeout.unwrap_or_else(|| config.block_timeout()),
        exit: block.options.exit.unwrap_or(Some(0)),
        classes: config.classes.select(class_names(page, block, config)),
        unordered: block.output.as_ref().is_some_and(|output| output.unordered),
        units: units(block, sources),
    }
}

/// What a block runs.
fn units(block: &Block, sources: &Sources) -> Vec<Unit> {
    if block.kind == BlockKind::Console {
        return super::console::units(block, sources);
    }
    let printed = block.output.as_ref().map(|output| Printed {
        text: output.text.clone(),
        lines: output.lines.clone(),
        content: output.content,
        prefix: output.prefix.clone(),
        runs: (output.open_run, output.close_run),
    });
    let span = block.lines.first().copied().unwrap_or(block.span);
    vec![Unit { id: block.id.clone(), text: block.text.clone(), span, printed }]
}
