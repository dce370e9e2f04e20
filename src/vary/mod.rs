//! Value classes: which values of a printed output may differ from run to run, and how.
//!
//! *Names* (`ip`, `pod` …) may be renamed, one-to-one and consistently over a whole page.
//! *Quantities* (`age`, `n` …) only have to be of that form. In a class of one's own only the
//! groups of the regular expression vary.

mod builtin;
mod capture;
mod rename;
mod within;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use regex::Regex;

pub(crate) use capture::{Capture, CaptureFault, captures};
pub(crate) use rename::Renaming;
pub(crate) use within::{Bound, Within};

/// How the values of a class may differ.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// May be renamed, consistently.
    Name,
    /// Any value of that form.
    Quantity,
}

/// In which order the lines of an output may come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// Lines as printed; the rows of a table in any order.
    #[default]
    Natural,
    /// `.ordered`: lines and rows as printed.
    Ordered,
    /// `.unordered`: lines in any order.
    Unordered,
}

/// One class of values.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// `ip`, or the name given in `book.toml`.
    pub(crate) name: String,
    /// How its values may differ.
    pub(crate) kind: Kind,
    pattern: Pattern,
    guard: Guard,
}

/// The expression of a class. Most books use few of the built-in ones, so each is compiled when it
/// is first asked for.
#[derive(Clone, Debug)]
struct Pattern {
    text: &'static str,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A built-in one.
    fn lazy(text: &'static str) -> Pattern {
        Pattern { text, regex: OnceLock::new() }
    }

    /// One that is compiled already.
    fn of(regex: Regex) -> Pattern {
        Pattern { text: "", regex: OnceLock::from(Some(regex)) }
    }

    /// The expression; `None` if it is none, which a test excludes.
    fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| Regex::new(self.text).ok()).as_ref()
    }
}

/// Judges a value by itself and by what stands around it.
type Guard = fn(&Candidate) -> bool;

/// A value that an expression found, with its neighbours.
struct Candidate<'a> {
    value: &'a str,
    before: Option<char>,
    after: Option<char>,
}

impl Candidate<'_> {
    /// Whether a letter, digit or `_` stands directly before.
    fn before_word(&self) -> bool {
        self.before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    /// Whether a letter, digit or `_` follows directly.
    fn after_word(&self) -> bool {
        self.after.is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    /// The same, of ASCII only: a Korean particle may follow a number.
    fn after_ascii_word(&self) -> bool {
        self.after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// Whether one of `set` stands directly before.
    fn before_in(&self, set: &str) -> bool {
        self.before.is_some_and(|c| set.contains(c))
    }

    /// Whether one of `set` follows directly.
    fn after_in(&self, set: &str) -> bool {
        self.after.is_some_and(|c| set.contains(c))
    }

    /// Whether the value begins a line or follows a blank.
    fn before_blank(&self) -> bool {
        self.before.is_none_or(char::is_whitespace)
    }

    /// Whether the value ends a line or a blank follows.
    fn after_blank(&self) -> bool {
        self.after.is_none_or(char::is_whitespace)
    }
}

/// One value found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Index of its class in the set.
    pub(crate) class: usize,
    /// Its byte range.
    pub(crate) range: Range<usize>,
}

/// The classes in effect for one output, in the order in which they take a value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    classes: Vec<Arc<Class>>,
    within: Within,
}

/// All classes that a book knows: the built-in ones and its own.
#[derive(Clone, Debug)]
pub(crate) struct Registry {
    classes: Vec<Arc<Class>>,
}

impl Default for Registry {
    fn default() -> Registry {
        // Their expressions are compiled once, if at all.
        static BUILT_IN: LazyLock<Vec<Arc<Class>>> =
            LazyLock::new(|| builtin::classes().into_iter().map(Arc::new).collect());
        Registry { classes: BUILT_IN.clone() }
    }
}

impl Registry {
    /// Adds a class of the book's own; it takes precedence over the built-in ones.
    ///
    /// # Errors
    /// A sentence, when the expression is invalid, can match nothing, or has no group.
    pub(crate) fn add(&mut self, name: &str, pattern: &str, kind: Kind) -> Result<(), String> {
        let regex = compile(pattern)?;
        if regex.captures_len() < 2 {
            return Err(format!("pattern of class `{name}` has no group; only groups vary"));
        }
        let pattern = Pattern::of(regex);
        let class = Class { name: name.to_owned(), kind, pattern, guard: |_| true };
        self.classes.retain(|known| known.name != name);
        self.classes.insert(0, Arc::new(class));
        Ok(())
    }

    /// The names of all classes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.iter().map(|class| class.name.as_str())
    }

    /// Whether a class of that name is known.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// The named classes, most specific first; unknown names are left out (they were reported
    /// where they stand).
    pub(crate) fn select<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Classes {
        let wanted: Vec<&str> = names.into_iter().collect();
        let chosen = |class: &&Arc<Class>| wanted.contains(&class.name.as_str());
        let classes = self.classes.iter().filter(chosen).cloned().collect();
        Classes { classes, within: Within::default() }
    }
}

/// How many expressions are kept compiled.
const KEPT: usize = 4096;

/// Compiles an expression as documented: `(?m)`, bounded in size. Pages, runs and conditions name the
/// same ones, so that each is compiled once.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    static COMPILED: Mutex<BTreeMap<String, Regex>> = Mutex::new(BTreeMap::new());
    let kept = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(regex) = kept().get(pattern) {
        return Ok(regex.clone());
    }
    let regex =
        regex::RegexBuilder::new(pattern).multi_line(true).size_limit(1 << 20).build().map_err(
            |error| error.to_string().lines().last().unwrap_or("invalid").trim().to_owned(),
        )?;
    let mut kept = kept();
    if kept.len() < KEPT {
        kept.insert(pattern.to_owned(), regex.clone());
    }
    Ok(regex)
}

impl Class {
    /// Whether the guard lets the value at `range` pass.
    fn accepts(&self, line: &str, range: &Range<usize>) -> bool {
        (self.guard)(&Candidate {
            value: &line[range.clone()],
            before: line[..range.start].chars().next_back(),
            after: line[range.end..].chars().next(),
        })
    }
}

impl Classes {
    /// The class at an index of [`Found`].
    pub(crate) fn class(&self, index: usize) -> &Class {
        &self.classes[index]
    }

    /// The same classes with bounds for their quantities.
    pub(crate) fn bounded(mut self, within: Within) -> Classes {
        self.within = within;
        self
    }

    /// The bounds of the quantities.
    pub(crate) fn within(&self) -> &Within {
        &self.within
    }

    /// Whether nothing may vary.
    pub(crate) fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// What kind a class is, where it is in effect.
    pub(crate) fn kind(&self, name: &str) -> Option<Kind> {
        self.classes.iter().find(|class| class.name == name).map(|class| class.kind)
    }

    /// The names of the classes in effect.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.classes.iter().map(|class| class.name.as_str()).collect()
    }

    /// All values in a line, left to right, none overlapping; an earlier class takes precedence.
    pub(crate) fn find(&self, line: &str) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for (index, class) in self.classes.iter().enumerate() {
            let Some(regex) = class.pattern.regex() else { continue };
            for captures in regex.captures_iter(line) {
                for group in captures.iter().skip(1).flatten() {
                    let range = group.range();
                    let apart =
                        |f: &Found| f.range.end <= range.start || range.end <= f.range.start;
                    if !range.is_empty() && found.iter().all(apart) && class.accepts(line, &range) {
                        found.push(Found { class: index, range });
                    }
                }
            }
        }
        found.sort_by_key(|f| f.range.start);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(class: &str, line: &str, expect: &[&str]) {
        let classes = Registry::default().select([class]);
        let got: Vec<&str> = classes.find(line).into_iter().map(|f| &line[f.range]).collect();
        assert_eq!(got, expect, "{class} in {line:?}");
    }

    #[test]
    fn built_in_classes_find_their_values() {
        check("ip", "cluster DNS = 10.250.0.3, 10.0.0.1:80", &["10.250.0.3", "10.0.0.1"]);
        check("ip", "v1.2.3 and 1.2.3.4.5", &[]);
        check("ip", "[fd00::1]:53", &["fd00::1"]);
        check("port", "127.0.0.1:10080 localhost:8443/x", &["10080", "8443"]);
        check(
            "uid",
            "6f1c9f2e-6b4e-4c62-9d7a-0a1b2c3d4e5f x",
            &["6f1c9f2e-6b4e-4c62-9d7a-0a1b2c3d4e5f"],
        );
        check("pod", "web-7d4b9c6f5d-x2x4z   1/1", &["7d4b9c6f5d-x2x4z"]);
        check("age", "Running   0   4m13s", &["4m13s"]);
        check("duration", "took 1.25s and 30 ms", &["1.25s", "30 ms"]);
        check("time", "at 2026-11-30T01:29:51Z", &["2026-11-30T01:29:51Z"]);
        check("time", "at 01:29:51 o'clock", &["01:29:51"]);
        check("date", "on 2026-11-30", &["2026-11-30"]);
        check("n", "requests 143, 0.94 x1 v2", &["143", "0.94"]);
        check("ip", "10.0.0.1 10.0.0.2.", &["10.0.0.1", "10.0.0.2"]);
        check("restarts", "web 1/1 Running 0 1", &["0", "1"]);
        check("n", "1~3개 -5", &["1", "3", "-5"]);
        check("restarts", "web-0  1/1  Running  1 (2m ago)  5m", &["1 (2m ago)"]);
    }

    #[test]
    fn an_own_class_varies_in_its_groups_only() {
        let mut registry = Registry::default();
        registry.add("txn", "txn=([0-9a-f]{4})", Kind::Name).expect("valid");
        let classes = registry.select(["txn"]);
        let line = "txn=00ff id=00ff";
        let found = classes.find(line);
        assert_eq!(found.len(), 1);
        assert_eq!(&line[found[0].range.clone()], "00ff");
        assert!(registry.add("bad", "abc", Kind::Name).is_err());
        assert!(registry.add("bad", "a(", Kind::Name).is_err());
    }
}
