//! What will be run, with every option resolved: defaults, then `book.toml`, page, block, flags.

use std::time::Duration;

use super::parts::{self, Part};
use super::session::Streams;
use crate::book::{Block, BlockKind, Need, Order, Page, Ready, Workdir, class_names};
use crate::compare::{Form, reads_as_command};
use crate::config::Config;
use crate::fence::parse_duration;
use crate::kit::KitOptions;
use crate::source::{Sources, Span};
use crate::vary::{Capture, Classes, Registry, captures};

/// Why a block in an HTML comment is not run.
const IN_COMMENT: &str = "in an HTML comment";

/// When a block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// In page order; always, also under `--only`.
    Setup,
    /// In page order.
    Normal,
    /// After those, and only when one of them failed.
    OnFailure,
    /// After all others; always, also after a failure, a time limit or Ctrl-C.
    Teardown,
}

/// The printed output of a unit and where it stands, so that it can be compared and replaced.
#[derive(Clone, Debug)]
pub(crate) struct Printed {
    /// The text without prefixes.
    pub(crate) text: String,
    /// The line of the page where it begins.
    pub(crate) first_line: usize,
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
    /// Whether it is a command of a console block.
    pub(crate) fn is_command(&self) -> bool {
        self.id.contains('/')
    }

    /// Whether it is a command of a console block that could not hold this output.
    pub(crate) fn cannot_hold(&self, measured: &[String]) -> bool {
        self.is_command() && reads_as_command(measured)
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
    pub(crate) skip: Option<String>,
    /// What it needs.
    pub(crate) needs: Vec<Need>,
    /// Its time limit; with `retry` that of one try.
    pub(crate) timeout: Duration,
    /// How long it is repeated until it matches.
    pub(crate) retry: Option<Duration>,
    /// Whether it runs on while later blocks run.
    pub(crate) background: bool,
    /// When a background block is ready.
    pub(crate) ready: Option<Ready>,
    /// The exit code that is expected; `None` where any will do.
    pub(crate) exit: Option<i32>,
    /// The value classes that may vary in its output.
    pub(crate) classes: Classes,
    /// In which order lines and rows may come.
    pub(crate) order: Order,
    /// Whether trailing blanks and the last newline count.
    pub(crate) form: Form,
    /// The parts that live objects must hold; none in a block that is run by the shell.
    pub(crate) parts: Vec<Part>,
    /// Where it prints; a standard error kept apart is not compared.
    pub(crate) streams: Streams,
    /// What is run.
    pub(crate) units: Vec<Unit>,
}

/// One page to run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The page's path from the root.
    pub(crate) path: String,
    /// What the page needs.
    pub(crate) needs: Vec<Need>,
    /// Why it is not run, where it is not.
    pub(crate) skip: Option<String>,
    /// All value classes that the book knows.
    pub(crate) registry: Registry,
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
    /// The namespaces that it works in.
    pub(crate) namespaces: Vec<String>,
    /// Time limit of the page.
    pub(crate) timeout: Duration,
}

impl Plan {
    /// Whether something that is run needs a cluster.
    pub(crate) fn needs_cluster(&self) -> bool {
        let needs = |needs: &[Need]| needs.contains(&Need::Cluster);
        let runs = |step: &&Step| step.skip.is_none() && needs(&step.needs);
        needs(&self.needs) || self.steps.iter().filter(runs).count() > 0
    }
}

/// What of a page is run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Only these blocks, with setup and teardown; all when empty.
    pub(crate) only: Vec<String>,
    /// Only blocks with one of these tags, with setup and teardown; all when empty.
    pub(crate) tags: Vec<String>,
    /// Values of parameters that replace those in the header.
    pub(crate) params: Vec<(String, String)>,
}

impl Selection {
    /// Whether a block is among what is run.
    fn chooses(&self, block: &Block) -> bool {
        let tagged = block.options.tags.iter().any(|tag| self.tags.contains(tag));
        (self.only.is_empty() || self.only.contains(&block.id)) && (self.tags.is_empty() || tagged)
    }
}

/// Resolves a page.
pub(crate) fn plan(page: &Page, config: &Config, sources: &Sources, selection: &Selection) -> Plan {
    let verify = page.front.verify.clone().unwrap_or_default();
    let mut steps: Vec<Step> =
        page.blocks.iter().map(|block| step(page, block, config, sources)).collect();
    for (step, block) in steps.iter_mut().zip(&page.blocks) {
        if !selection.chooses(block) && step.role == Role::Normal {
            step.skip = Some("not chosen".to_owned());
        }
    }
    steps.extend(page.commented.iter().map(|found| commented(found, sources)));
    steps.sort_by_key(|step| step.units.first().map(|unit| unit.span.start));
    // Setup and normal blocks stay as they stand on the page.
    steps.sort_by_key(|step| step.role.max(Role::Normal));
    let mut params = page.front.params.clone();
    let overridden =
        selection.params.iter().filter(|(name, _)| page.front.params.contains_key(name));
    params.extend(overridden.cloned());
    let env = verify.env.into_iter().chain(page.blocks.iter().flat_map(|b| b.options.env.clone()));
    let default = if page.front.kit.is_some() { Workdir::Kit } else { Workdir::Page };
    let limit = verify.page_timeout.as_deref().and_then(parse_duration);
    Plan {
        path: page.path.clone(),
        needs: verify.needs.iter().filter_map(|need| Need::parse(need).ok()).collect(),
        skip: None,
        registry: config.classes.clone(),
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
        env: env.collect::<std::collections::BTreeSet<String>>().into_iter().collect(),
        params: params.into_iter().collect(),
        namespaces: verify.namespaces,
        timeout: limit.unwrap_or_else(|| config.page_timeout()),
    }
}

/// Resolves one block.
fn step(page: &Page, block: &Block, config: &Config, sources: &Sources) -> Step {
    let page_limit = page.front.verify.as_ref().and_then(|verify| verify.timeout.as_deref());
    let timeout = block.options.timeout.or_else(|| page_limit.and_then(parse_duration));
    let options = &block.options;
    let role = match (options.setup, options.teardown, options.on_failure) {
        (_, true, _) => Role::Teardown,
        (_, _, true) => Role::OnFailure,
        (true, ..) => Role::Setup,
        _ => Role::Normal,
    };
    let (order, within) = block.order_and_bounds();
    let classes = config.classes.select(class_names(page, block, config));
    let cluster = block.kind.needs_cluster() && !options.needs.contains(&Need::Cluster);
    let needs = options.needs.iter().cloned().chain(cluster.then_some(Need::Cluster));
    let parts = match block.kind {
        // What is wrong with them is a finding before anything runs.
        BlockKind::Assert => parts::parts(&block.text).unwrap_or_default(),
        _ => Vec::new(),
    };
    Step {
        id: block.id.clone(),
        role,
        skip: options.skip.then(|| "marked .skip".to_owned()),
        needs: needs.collect(),
        timeout: timeout.unwrap_or_else(|| config.block_timeout()),
        retry: options.retry,
        background: options.background,
        ready: options.ready.clone(),
        exit: options.exit.unwrap_or(Some(0)),
        classes: classes.bounded(within.clone()),
        order,
        form: if options.strict { Form::Strict } else { Form::Plain },
        streams: match (options.tty, options.stderr_apart) {
            (true, _) => Streams::Terminal,
            (false, true) => Streams::Apart,
            (false, false) => Streams::Joined,
        },
        units: units(block, &parts, sources),
        parts,
    }
}

/// A block in an HTML comment: listed by its id and line, and never run.
fn commented((id, span): &(String, Span), sources: &Sources) -> Step {
    let (text, printed, span) = (String::new(), None, *span);
    // No id of a block: the same one may stand outside of comments.
    let id = format!("{id}@{}", sources.line(span));
    Step {
        id: id.clone(),
        role: Role::Normal,
        skip: Some(IN_COMMENT.to_owned()),
        needs: Vec::new(),
        timeout: Duration::ZERO,
        retry: None,
        background: false,
        ready: None,
        exit: None,
        classes: Classes::default(),
        order: Order::default(),
        form: Form::default(),
        parts: Vec::new(),
        streams: Streams::default(),
        units: vec![Unit { id, text, span, printed }],
    }
}

/// What a block runs.
fn units(block: &Block, parts: &[Part], sources: &Sources) -> Vec<Unit> {
    if block.kind == BlockKind::Console {
        return super::console::units(block, sources);
    }
    let printed = block.output.as_ref().map(|output| Printed {
        text: output.text.clone(),
        first_line: first_line(&output.lines, output.content, sources),
        lines: output.lines.clone(),
        content: output.content,
        prefix: output.prefix.clone(),
        runs: (output.open_run, output.close_run),
    });
    let span = block.lines.first().copied().unwrap_or(block.span);
    let text = match block.kind {
        BlockKind::Shell | BlockKind::Console => block.text.clone(),
        BlockKind::Apply => apply(&block.text),
        BlockKind::Assert => parts::commands(parts),
    };
    vec![Unit { id: block.id.clone(), text, span, printed }]
}

/// The command that applies a manifest as it stands on the page.
fn apply(text: &str) -> String {
    let mut mark = "LABDOC_MANIFEST".to_owned();
    while text.lines().any(|line| line == mark) {
        mark.push('_');
    }
    format!("kubectl apply -f - <<'{mark}'\n{text}{mark}\n")
}

/// The line of the page where an output begins.
pub(super) fn first_line(lines: &[Span], content: Span, sources: &Sources) -> usize {
    sources.line(lines.first().copied().unwrap_or(content))
}
