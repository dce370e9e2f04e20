//! The run unit: command, printed output and state as one box.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::escape::{escape, escape_href};
use super::fence::code_lines;
use super::walk::Walk;
use super::world::{RunState, State};
use super::{console, output};
use crate::book::{Block, BlockKind, Page};

/// What a fence is to the run unit; the number is the block's index on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A runnable block.
    Block(usize),
    /// The output of one.
    Output(usize),
}

impl Role {
    /// The roles of a page's fences, by where they start.
    pub(super) fn all(page: &Page) -> BTreeMap<usize, Role> {
        let mut roles = BTreeMap::new();
        for (index, block) in page.blocks.iter().enumerate() {
            roles.insert(block.span.start, Role::Block(index));
            if let Some(output) = &block.output {
                roles.insert(output.span.start, Role::Output(index));
            }
        }
        roles
    }
}

impl Walk<'_> {
    /// Writes a runnable block, or an output that stands apart from its block.
    pub(super) fn role(&mut self, role: Role) {
        let page = self.page;
        let html = match role {
            Role::Block(index) => {
                let joined = self.take_output(index);
                self.run_unit(&page.blocks[index], joined)
            }
            Role::Output(index) => self.apart(&page.blocks[index]),
        };
        self.push(&html);
    }

    /// Takes the output fence of a block where it stands directly behind: between the two are
    /// only blank lines and, in the comment form, its header.
    fn take_output(&mut self, index: usize) -> bool {
        let mut at = self.at;
        if matches!(self.events.get(at), Some((Event::Start(Tag::HtmlBlock), _))) {
            let Some((Event::Html(html), _)) = self.events.get(at + 1) else { return false };
            if !html.trim_start().starts_with("<!-- labdoc {") {
                return false;
            }
            at = self.end_of(at) + 1;
        }
        let Some((Event::Start(Tag::CodeBlock(_)), range)) = self.events.get(at) else {
            return false;
        };
        if self.roles.get(&range.start) != Some(&Role::Output(index)) {
            return false;
        }
        let end = |(event, _): &(Event<'_>, _)| matches!(event, Event::End(TagEnd::CodeBlock));
        let length = self.events[at..].iter().position(end).unwrap_or(0);
        self.at = at + length + 1;
        true
    }

    /// The whole unit.
    fn run_unit(&self, block: &Block, joined: bool) -> String {
        let state = self.world.run(&block.id);
        let label = format!("{} {}", self.word("block"), escape(&block.id));
        let header = self.run_header(block, state.as_ref());
        let command = self.command(block);
        let numbered =
            if block.attributes.has_class("numbered") { " class=\"numbered\"" } else { "" };
        let output = if joined { self.output(block) } else { String::new() };
        let footer = self.run_footer(state.as_ref());
        format!(
            "<section class=\"run\" id=\"block-{}\" aria-label=\"{label}\">{header}\n\
             <pre tabindex=\"0\"><code{numbered}>{command}</code></pre>\n{output}{footer}</section>\n",
            escape(&block.id),
        )
    }

    /// The header: id, title, language and duration, badges, the copy button.
    fn run_header(&self, block: &Block, state: Option<&RunState>) -> String {
        let mut html = format!("<header><span class=\"id\">{}</span>", escape(&block.id));
        if let Some(title) = block.attributes.get("title") {
            html.push_str(&format!("<span class=\"title\">{}</span>", escape(&title.value)));
        }
        let language = match block.kind {
            BlockKind::Console => "console",
            BlockKind::Shell => "bash",
            BlockKind::Apply => "yaml · kubectl apply",
            BlockKind::Assert => "yaml · kubectl get",
        };
        let duration = state.and_then(|state| state.duration.as_deref());
        let duration = duration.map(|time| format!(" · {}", escape(time))).unwrap_or_default();
        html.push_str(&format!("<span>{language}{duration}</span>"));
        let options = &block.options;
        let badges =
            [(options.setup, "setup"), (options.teardown, "teardown"), (options.skip, "skip")];
        for (_, key) in badges.iter().filter(|(is_set, _)| *is_set) {
            html.push_str(&format!("<span class=\"badge {key}\">{}</span>", self.word(key)));
        }
        html.push_str(&self.copy());
        html.push_str("</header>");
        html
    }

    /// The commands.
    fn command(&self, block: &Block) -> String {
        let highlight = self.world.highlight();
        let code = if block.kind == BlockKind::Console {
            let classes = self.world.classes(block);
            let output = |text: &str| output::lines(text, &classes, self.world);
            console::session(&block.text, &|text| self.params.lines(highlight, text), &output)
        } else {
            let lines = if block.kind.needs_cluster() {
                highlight.lines("yaml", &block.text)
            } else {
                self.params.lines(highlight, &block.text)
            };
            code_lines(&lines, &block.attributes)
        };
        code.trim_end_matches('\n').to_owned()
    }

    /// The printed output.
    fn output(&self, block: &Block) -> String {
        let Some(fence) = &block.output else { return String::new() };
        let classes = self.world.classes(block);
        let lines = output::lines(&fence.text, &classes, self.world).join("\n");
        format!("<pre class=\"output\" tabindex=\"0\"><code>{lines}</code></pre>\n")
    }

    /// An output that stands elsewhere than behind its block.
    fn apart(&self, block: &Block) -> String {
        let (id, word) = (escape(&block.id), self.word("output-of"));
        format!(
            "<section class=\"run apart\" aria-label=\"{word} {id}\"><header><span>{word} \
             <a class=\"id\" href=\"#block-{id}\">{id}</a></span></header>\n{}</section>\n",
            self.output(block),
        )
    }

    /// The footer: state, when and where, the recorded run.
    fn run_footer(&self, state: Option<&RunState>) -> String {
        let Some(run) = state else {
            let word = self.word("not-run");
            return format!("<footer>{}</footer>", badge(State::Idle, &word));
        };
        let mut html = format!("<footer>{}", badge(run.state, &escape(&run.word)));
        if !run.detail.is_empty() {
            html.push_str(&format!("<span>{}</span>", escape(&run.detail)));
        }
        if let Some((name, href)) = &run.bundle {
            html.push_str(&format!("<a href=\"{}\">{}</a>", escape_href(href), escape(name)));
        }
        html.push_str("</footer>");
        html
    }
}

/// A state's badge; `word` is HTML.
fn badge(state: State, word: &str) -> String {
    format!("<span class=\"state {}\">{} {word}</span>", state.class(), state.shape())
}
