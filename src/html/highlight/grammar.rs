//! The grammars of syntect and two-face, read through an own renderer.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use syntect::parsing::{ClearAmount, ParseState, ScopeStackOp, SyntaxReference, SyntaxSet};

use super::scopes::{Class, class_of};
use super::{Highlighter, LineWriter, corefile, mermaid};

/// All grammars, loaded at the first block that needs one.
static GRAMMARS: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// Colours by TextMate grammars.
pub(super) struct Grammars;

impl Highlighter for Grammars {
    fn lines(&self, language: &str, text: &str) -> Option<Vec<String>> {
        match language {
            "corefile" => return Some(corefile::lines(text)),
            "mermaid" => return Some(mermaid::lines(text)),
            _ => {}
        }
        colour(grammar(language)?, text)
    }

    fn knows(&self, language: &str) -> bool {
        matches!(language, "corefile" | "mermaid") || grammar(language).is_some()
    }

    fn names(&self) -> Vec<String> {
        let plain = |word: &&String| {
            word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        let syntaxes = GRAMMARS.syntaxes().iter();
        let mut names: Vec<String> = syntaxes
            .flat_map(|syntax| {
                let name = syntax.name.to_lowercase();
                [name]
                    .iter()
                    .chain(&syntax.file_extensions)
                    .filter(plain)
                    .cloned()
                    .collect::<Vec<_>>()
            })
            .chain(["corefile", "console", "text", "output", "mermaid"].map(str::to_owned))
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The grammar of a language. In a Dockerfile the commands are coloured too.
fn grammar(language: &str) -> Option<&'static SyntaxReference> {
    match language {
        "dockerfile" => GRAMMARS.find_syntax_by_name("Dockerfile (with bash)"),
        _ => GRAMMARS.find_syntax_by_token(language),
    }
}

/// The coloured lines; `None` when the grammar itself fails.
fn colour(syntax: &SyntaxReference, text: &str) -> Option<Vec<String>> {
    MEMO.with_borrow_mut(|memo| {
        let mut reader = memo.shared(Reader {
            state: ParseState::new(syntax),
            classes: ClassStack::default(),
            is_shell: syntax.scope.to_string().starts_with("source.shell"),
        });
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            // Grammars want a line end; a last line without one gets it.
            let owned;
            let line = if line.ends_with('\n') {
                line
            } else {
                owned = format!("{line}\n");
                &owned
            };
            let (html, after) = memo.line(&reader, line)?;
            lines.push(html);
            reader = after;
        }
        Some(lines)
    })
}

thread_local! {
    /// The lines that this thread has coloured: documents repeat lines far more than blocks.
    static MEMO: RefCell<Memo> = RefCell::default();
}

/// Longest line that is remembered, in bytes.
const LINE: usize = 160;
/// Most lines that are remembered.
const LINES: usize = 20_000;
/// Most places between lines that are remembered.
const READERS: usize = 400;

/// Lines with what they became, each behind the same reader.
#[derive(Default)]
struct Memo {
    lines: HashMap<String, Vec<Known>>,
    readers: Vec<Rc<Reader>>,
    count: usize,
}

/// A line that was coloured before.
struct Known {
    before: Rc<Reader>,
    html: String,
    after: Rc<Reader>,
}

impl Memo {
    /// A line as HTML, and the reader behind it.
    fn line(&mut self, reader: &Rc<Reader>, line: &str) -> Option<(String, Rc<Reader>)> {
        let known = self.lines.get(line).map_or(&[][..], Vec::as_slice);
        let same = |known: &&Known| Rc::ptr_eq(&known.before, reader) || known.before == *reader;
        if let Some(known) = known.iter().find(same) {
            return Some((known.html.clone(), Rc::clone(&known.after)));
        }
        let (html, after) = reader.line(line)?;
        let after = self.shared(after);
        if line.len() <= LINE && self.count < LINES {
            let (before, after) = (Rc::clone(reader), Rc::clone(&after));
            let known = Known { before, html: html.clone(), after };
            self.lines.entry(line.to_owned()).or_default().push(known);
            self.count += 1;
        }
        Some((html, after))
    }

    /// The reader, shared with every equal one.
    fn shared(&mut self, reader: Reader) -> Rc<Reader> {
        if let Some(known) = self.readers.iter().find(|known| ***known == reader) {
            return Rc::clone(known);
        }
        let reader = Rc::new(reader);
        if self.readers.len() < READERS {
            self.readers.push(Rc::clone(&reader));
        }
        reader
    }
}

/// A place between two lines: all that the next line's colours depend on.
#[derive(Clone, PartialEq, Eq)]
struct Reader {
    state: ParseState,
    classes: ClassStack,
    is_shell: bool,
}

impl Reader {
    /// A line as HTML, and the reader behind it.
    fn line(&self, line: &str) -> Option<(String, Reader)> {
        let mut after = self.clone();
        let mut writer = LineWriter::default();
        let comment = self.is_shell.then(|| trailing_comment(&self.state, line)).flatten();
        let (code, comment) = match comment {
            Some(at) => (format!("{}\n", &line[..at]), &line[at..]),
            None => (line.to_owned(), ""),
        };
        let mut at = 0;
        for (end, op) in after.state.parse_line(&code, &GRAMMARS).ok()? {
            if let Some(piece) = code.get(at..end) {
                writer.push(after.classes.top(), piece);
                at = end;
            }
            after.classes.apply(&op);
        }
        writer.push(after.classes.top(), code.get(at..).unwrap_or(""));
        writer.push("c", comment);
        Some((writer.finish(), after))
    }
}

/// Where the comment behind a command begins. The shell's grammar ends a command at its line end
/// and not at its comment, and takes the next line for arguments; so a line is parsed without it.
fn trailing_comment(state: &ParseState, line: &str) -> Option<usize> {
    if !line.contains(" #") && !line.contains("\t#") {
        return None;
    }
    let ops = state.clone().parse_line(line, &GRAMMARS).ok()?;
    let begins = |op: &ScopeStackOp| match op {
        ScopeStackOp::Push(scope) => scope.to_string().starts_with("comment.line"),
        _ => false,
    };
    let (at, _) = ops.iter().find(|(_, op)| begins(op))?;
    let rest = line.get(*at..)?;
    let code = line[..*at].trim();
    (rest.starts_with('#') && !code.is_empty()).then_some(*at)
}

/// The classes of the scopes that are open. Only this is kept of the scope stack, so each scope
/// is looked up once, when it is opened.
#[derive(Clone, Default, PartialEq, Eq)]
struct ClassStack {
    classes: Vec<Option<Class>>,
    cleared: Vec<Vec<Option<Class>>>,
}

impl ClassStack {
    /// The class of the innermost scope that has one.
    fn top(&self) -> Class {
        self.classes.iter().rev().flatten().next().copied().unwrap_or("")
    }

    /// Takes one operation of the parser.
    fn apply(&mut self, op: &ScopeStackOp) {
        match op {
            ScopeStackOp::Push(scope) => {
                let class = class_of(*scope);
                // The string of a mapping's key is a key.
                let is_key = class == Some("s") && self.top() == "a";
                self.classes.push(if is_key { None } else { class });
            }
            ScopeStackOp::Pop(count) => {
                self.classes.truncate(self.classes.len().saturating_sub(*count));
            }
            ScopeStackOp::Clear(amount) => {
                let keep = match amount {
                    ClearAmount::TopN(count) => self.classes.len().saturating_sub(*count),
                    ClearAmount::All => 0,
                };
                let cleared = self.classes.split_off(keep);
                self.cleared.push(cleared);
            }
            ScopeStackOp::Restore => self.classes.extend(self.cleared.pop().unwrap_or_default()),
            ScopeStackOp::Noop => {}
        }
    }
}
