//! The options on the header of a block or of its output, read strictly: what is not known, has
//! no sense or contradicts another option is a finding at its place.

use std::ops::Range;
use std::time::Duration;

use crate::book::needs::Need;
use crate::book::page::{BlockKind, BlockOptions, Order, Ready};
use crate::diag::{Diagnostic, nearest};
use crate::fence::{Attributes, Pair, parse_duration};
use crate::source::{FileId, Span};
use crate::vary::Within;

/// `key=` that a runnable block knows.
const BLOCK_KEYS: &[&str] = &[
    "timeout", "exit", "retry", "ready", "needs", "tags", "env", "tty", "stderr", "strict", "vary",
    "within", "title", "include", "lines", "region",
];
/// `.class` that a runnable block knows.
const BLOCK_CLASSES: &[&str] =
    &["setup", "teardown", "on-failure", "background", "skip", "numbered", "ordered", "unordered"];
/// `key=` that a manifest or an assertion knows.
const YAML_KEYS: &[&str] =
    &["timeout", "exit", "retry", "needs", "tags", "title", "include", "lines", "region"];
/// `.class` that a manifest or an assertion knows.
const YAML_CLASSES: &[&str] =
    &["apply", "assert", "setup", "teardown", "on-failure", "skip", "numbered"];
/// `key=` that an output fence knows.
const OUTPUT_KEYS: &[&str] = &["for", "vary", "within"];
/// `.class` that an output fence knows.
const OUTPUT_CLASSES: &[&str] = &["ordered", "unordered"];

/// What an output fence says about its comparison.
pub(super) struct OutputOptions {
    /// Value classes that may vary.
    pub(super) vary: Vec<String>,
    /// How far quantities may be off.
    pub(super) within: Within,
    /// In which order lines and rows may come.
    pub(super) order: Order,
}

/// Reads the options of a runnable block.
pub(super) fn block_options(
    file: FileId,
    attributes: &Attributes,
    kind: BlockKind,
) -> (BlockOptions, Vec<Diagnostic>) {
    let mut reader = Reader { file, attributes, findings: Vec::new() };
    if kind.needs_cluster() {
        reader.known(YAML_KEYS, YAML_CLASSES);
        reader.manifest(kind);
    } else {
        reader.known(BLOCK_KEYS, BLOCK_CLASSES);
    }
    let options = BlockOptions {
        timeout: reader.duration("timeout"),
        exit: reader.exit(),
        retry: reader.duration("retry"),
        ready: reader.ready(),
        setup: attributes.has_class("setup"),
        teardown: attributes.has_class("teardown"),
        on_failure: attributes.has_class("on-failure"),
        background: attributes.has_class("background"),
        skip: attributes.has_class("skip"),
        needs: reader.needs(),
        tags: reader.names("tags"),
        env: reader.env(),
        tty: reader.flag("tty", "true"),
        stderr_apart: reader.flag("stderr", "apart"),
        strict: reader.flag("strict", "true"),
        vary: reader.names("vary"),
        within: reader.within(),
        order: reader.order(),
    };
    reader.combinations(&options, kind);
    (options, reader.findings)
}

/// Reads the options of an output fence.
pub(super) fn output_options(
    file: FileId,
    attributes: &Attributes,
) -> (OutputOptions, Vec<Diagnostic>) {
    let mut reader = Reader { file, attributes, findings: Vec::new() };
    reader.known(OUTPUT_KEYS, OUTPUT_CLASSES);
    let options = OutputOptions {
        vary: reader.names("vary"),
        within: reader.within(),
        order: reader.order(),
    };
    (options, reader.findings)
}

/// One header as it is read.
struct Reader<'a> {
    file: FileId,
    attributes: &'a Attributes,
    findings: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// A duration: `timeout=60s`, `retry=30s`.
    fn duration(&mut self, key: &str) -> Option<Duration> {
        let pair = self.attributes.get(key)?;
        let duration = parse_duration(&pair.value);
        if duration.is_none() {
            let message = format!("`{}` is no duration", pair.value);
            self.bad(pair, message, "write it like 500ms, 60s, 5m or 2h");
        }
        duration
    }

    /// `exit=3` or `exit=any`.
    fn exit(&mut self) -> Option<Option<i32>> {
        let pair = self.attributes.get("exit")?;
        if pair.value == "any" {
            return Some(None);
        }
        let code = pair.value.parse().ok().filter(|code| (0..=255).contains(code));
        if code.is_none() {
            let message = format!("`{}` is no exit code: 0 to 255, or any", pair.value);
            self.bad(pair, message, "leave it out where the block ends with 0");
        }
        code.map(Some)
    }

    /// `ready=port:N`, `ready=text:…` or `ready=http:…`.
    fn ready(&mut self) -> Option<Ready> {
        let pair = self.attributes.get("ready")?;
        let ready = Ready::parse(&pair.value);
        if let Err(message) = &ready {
            let hint =
                "write ready=port:8080, ready=\"text:listening on\" or ready=http:8080/health";
            self.bad(pair, message.clone(), hint);
        }
        ready.ok()
    }

    /// `needs=kubectl>=1.30,cluster`.
    fn needs(&mut self) -> Vec<Need> {
        let mut needs = Vec::new();
        for word in self.names("needs") {
            match (Need::parse(&word), self.attributes.get("needs")) {
                (Ok(need), _) => needs.push(need),
                (Err(message), Some(pair)) => self.bad(pair, message, Need::FORMS),
                (Err(_), None) => {}
            }
        }
        needs
    }

    /// `env=NAME`.
    fn env(&mut self) -> Vec<String> {
        let names = self.names("env");
        let is_name = |name: &String| {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(word)
        };
        if let (Some(bad), Some(pair)) =
            (names.iter().find(|name| !is_name(name)), self.attributes.get("env"))
        {
            let message = format!("`{bad}` is no name of an environment variable");
            self.bad(
                pair,
                message,
                "name variables that are passed through, as in env=ENVOY,TOKEN",
            );
        }
        names
    }

    /// A key with one possible value.
    fn flag(&mut self, key: &str, value: &str) -> bool {
        let Some(pair) = self.attributes.get(key) else { return false };
        let is_off = pair.value == "false" && value == "true";
        if pair.value != value && !is_off {
            let message = format!("`{key}={}` has no meaning", pair.value);
            self.bad(pair, message, format!("write {key}={value} or leave it out"));
        }
        pair.value == value
    }

    /// `within="n:1"`, `within="n:5%"`.
    fn within(&mut self) -> Within {
        let Some(pair) = self.attributes.get("within") else { return Within::default() };
        Within::parse(&pair.value).unwrap_or_else(|message| {
            self.bad(pair, message, "write a class and a bound: within=\"n:1\" or within=\"n:5%\"");
            Within::default()
        })
    }

    /// `.ordered` and `.unordered`.
    fn order(&mut self) -> Order {
        let has = |class| self.attributes.has_class(class);
        match (has("ordered"), has("unordered")) {
            (true, true) => {
                self.contradiction("ordered", "`.ordered` and `.unordered` exclude one another");
                Order::Natural
            }
            (true, false) => Order::Ordered,
            (false, true) => Order::Unordered,
            (false, false) => Order::Natural,
        }
    }

    /// A list of names behind a key.
    fn names(&self, key: &str) -> Vec<String> {
        let pair = self.attributes.get(key);
        let words = pair.into_iter().flat_map(|pair| pair.value.split(','));
        words.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// Options that cannot stand together, or not on this kind of block.
    fn combinations(&mut self, options: &BlockOptions, kind: BlockKind) {
        let roles = [options.setup, options.teardown, options.on_failure];
        if roles.iter().filter(|is_set| **is_set).count() > 1 {
            let message = "a block is one of `.setup`, `.teardown` and `.on-failure`";
            let class = if options.on_failure { "on-failure" } else { "teardown" };
            self.contradiction(class, message);
        }
        if options.background {
            self.background(options, kind);
        } else if let Some(pair) = self.attributes.get("ready") {
            let message = "`ready=` belongs to a block that runs in the background".to_owned();
            self.clash(pair.range.clone(), message, "add .background to the block");
        }
        let one_stream = options.tty && options.stderr_apart;
        if let Some(pair) = self.attributes.get("tty").filter(|_| one_stream) {
            let message = "a terminal has one stream: `tty=true` excludes `stderr=apart`";
            self.clash(pair.range.clone(), message.to_owned(), "leave one of them out");
        }
        if kind == BlockKind::Shell {
            for key in ["vary", "within"] {
                if let Some(pair) = self.attributes.get(key) {
                    let message = format!("`{key}=` stands on the output fence of this block");
                    let at = self.span(pair.range.clone());
                    self.findings.push(Diagnostic::error("BL006", message).at(at));
                }
            }
            if options.order != Order::Natural {
                let class = if options.order == Order::Ordered { "ordered" } else { "unordered" };
                self.contradiction(
                    class,
                    &format!("`.{class}` stands on the output fence of this block"),
                );
            }
        }
    }

    /// What a manifest or an assertion cannot say.
    fn manifest(&mut self, kind: BlockKind) {
        if self.attributes.has_class("apply") && self.attributes.has_class("assert") {
            self.contradiction("assert", "a block is one of `.apply` and `.assert`");
        }
        if let (BlockKind::Assert, Some(pair)) = (kind, self.attributes.get("exit")) {
            let message = "an assertion has no exit code".to_owned();
            self.clash(pair.range.clone(), message, "leave `exit=` out");
        }
    }

    /// What a background block cannot be.
    fn background(&mut self, options: &BlockOptions, kind: BlockKind) {
        if kind == BlockKind::Console {
            let message = "a console block cannot run in the background";
            self.contradiction("background", message);
        }
        if options.teardown {
            let message = "a teardown block cannot run in the background: the page ends with it";
            self.contradiction("background", message);
        }
        for key in ["retry", "tty"] {
            if let Some(pair) = self.attributes.get(key) {
                let message = format!("`{key}=` and `.background` exclude one another");
                self.clash(pair.range.clone(), message, "leave one of them out");
            }
        }
    }

    /// Reports keys and classes that are not known here.
    fn known(&mut self, keys: &[&'static str], classes: &[&'static str]) {
        let attributes = self.attributes;
        for pair in attributes.pairs.iter().filter(|pair| !keys.contains(&pair.key.as_str())) {
            let message = format!("`{}=` is not known here", pair.key);
            let near = nearest(&pair.key, keys.iter().copied());
            self.unknown(message, near, &pair.range, keys);
        }
        let unknown = |word: &&crate::fence::Word| !classes.contains(&word.text.as_str());
        for word in attributes.classes.iter().filter(unknown) {
            let message = format!("`.{}` is not known here", word.text);
            let near = nearest(&word.text, classes.iter().copied());
            self.unknown(message, near, &word.range, classes);
        }
    }

    /// Reports one unknown attribute with the nearest known one.
    fn unknown(
        &mut self,
        message: String,
        near: Option<&str>,
        range: &Range<usize>,
        known: &[&str],
    ) {
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        let at = self.span(range.clone());
        self.findings.push(Diagnostic::error("BL010", message).at(at).hint(hint));
    }

    /// A value that has no sense.
    fn bad(&mut self, pair: &Pair, message: String, hint: impl Into<String>) {
        let at = self.span(pair.range.clone());
        self.findings.push(Diagnostic::error("BL007", message).at(at).hint(hint));
    }

    /// A class that cannot stand beside another.
    fn contradiction(&mut self, class: &str, message: &str) {
        let word = self.attributes.classes.iter().find(|word| word.text == class);
        let range = word.map_or(0..0, |word| word.range.clone());
        self.clash(range, message.to_owned(), "leave one of them out");
    }

    /// Options that cannot stand together.
    fn clash(&mut self, range: Range<usize>, message: String, hint: &str) {
        let at = self.span(range);
        self.findings.push(Diagnostic::error("BL012", message).at(at).hint(hint));
    }

    /// A span of this page.
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range)
    }
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
