//! Where a shell script expands a variable, as far as that can be seen without running it: single
//! quotes, escapes, comments and here-documents are understood.

use std::ops::Range;

/// What stands around an expansion, and so how a value must be written in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// Nothing: the value is a word or a part of one.
    Word,
    /// Double quotes.
    Quotes,
    /// A here-document whose text is expanded.
    Document,
}

/// `$name` or `${name}` in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expansion {
    /// From the dollar sign behind the name or brace.
    pub(super) range: Range<usize>,
    /// The name.
    pub(super) name: String,
    /// What stands around it.
    pub(super) around: Around,
}

/// All plain expansions of a script, in order.
pub(super) fn expansions(script: &str) -> Vec<Expansion> {
    let mut scan =
        Scan { text: script, at: 0, open: Vec::new(), documents: Vec::new(), found: Vec::new() };
    while scan.at < script.len() {
        scan.step();
    }
    scan.found
}

/// Whether a script gives a variable a value of its own.
pub(super) fn assigns(script: &str, name: &str) -> bool {
    const SETS: &[&str] =
        &["for", "select", "read", "local", "declare", "typeset", "readonly", "unset", "mapfile"];
    let boundary = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    script.match_indices(name).any(|(at, _)| {
        let (before, after) = (&script[..at], &script[at + name.len()..]);
        let whole = before.chars().next_back().is_none_or(boundary)
            && after.chars().next().is_none_or(boundary);
        let operator = after.starts_with('=') && !after.starts_with("==");
        let sets = operator || after.starts_with("+=");
        let words = before.split([';', '\n', '|', '&', '(']).next_back().unwrap_or("");
        let word = words.split_whitespace().next().unwrap_or("");
        whole && !before.ends_with(['$', '{', '-']) && (sets || SETS.contains(&word))
    })
}

/// What a closing character ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// `"…"`
    Quotes,
    /// `$(…)` or `(…)`
    Parenthesis,
}

/// A here-document that begins with the next line.
struct Document {
    end: String,
    tabs: bool,
    expands: bool,
}

/// The state of the scan.
struct Scan<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open>,
    documents: Vec<Document>,
    found: Vec<Expansion>,
}

impl Scan<'_> {
    /// The text from here.
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Takes one piece of the script.
    fn step(&mut self) {
        let Some(c) = self.rest().chars().next() else { return };
        let quoted = self.open.last() == Some(&Open::Quotes);
        match c {
            '\\' => self.skip(2),
            '$' => self.dollar(if quoted { Around::Quotes } else { Around::Word }),
            '"' if quoted => {
                self.open.pop();
                self.at += 1;
            }
            '"' => self.enter(Open::Quotes, 1),
            _ if quoted => self.at += c.len_utf8(),
            '\'' => {
                self.at =
                    self.text[self.at + 1..].find('\'').map_or(self.text.len(), |n| self.at + n + 2)
            }
            '#' if self.begins_word() => {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len())
            }
            '(' => self.enter(Open::Parenthesis, 1),
            ')' => {
                self.open.pop();
                self.at += 1;
            }
            '<' if self.rest().starts_with("<<<") => self.at += 3,
            '<' if self.rest().starts_with("<<") => self.document_begins(),
            '\n' => {
                self.at += 1;
                self.take_documents();
            }
            _ => self.at += c.len_utf8(),
        }
    }

    /// Goes into something that ends later.
    fn enter(&mut self, what: Open, length: usize) {
        self.open.push(what);
        self.at += length;
    }

    /// Goes on behind some characters.
    fn skip(&mut self, characters: usize) {
        let length: usize = self.rest().chars().take(characters).map(char::len_utf8).sum();
        self.at += length;
    }

    /// Whether a word begins here.
    fn begins_word(&self) -> bool {
        self.text[..self.at]
            .chars()
            .next_back()
            .is_none_or(|c| c.is_whitespace() || ";(&|".contains(c))
    }

    /// What a dollar sign begins.
    fn dollar(&mut self, around: Around) {
        let rest = self.rest();
        if let Some((length, name)) = plain_expansion(rest) {
            let (range, name) = (self.at..self.at + length, name.to_owned());
            self.at = range.end;
            self.found.push(Expansion { range, name, around });
        } else if rest.starts_with("$(") {
            self.enter(Open::Parenthesis, 2);
        } else if rest.starts_with("$'") && around == Around::Word {
            let end = rest[2..].char_indices().scan(false, |escaped, (at, c)| {
                let is_end = c == '\'' && !*escaped;
                *escaped = c == '\\' && !*escaped;
                Some((at, is_end))
            });
            let end = end.filter(|(_, is_end)| *is_end).map(|(at, _)| at + 3).next();
            self.at += end.unwrap_or(rest.len());
        } else if rest.starts_with("${") {
            // An expansion with an operator: what it gives is no plain value.
            self.at += rest.find('}').map_or(2, |end| end + 1);
        } else {
            self.at += 1;
        }
    }

    /// `<<END`, `<<-END`, `<<'END'`.
    fn document_begins(&mut self) {
        self.at += 2;
        let tabs = self.rest().starts_with('-');
        self.at += usize::from(tabs);
        let line = self.rest().lines().next().unwrap_or("");
        let blanks = line.len() - line.trim_start().len();
        let word: String = line[blanks..]
            .chars()
            .take_while(|c| !c.is_whitespace() && !";|&)<>".contains(*c))
            .collect();
        self.at += blanks + word.len();
        let end: String = word.chars().filter(|c| !"'\"\\".contains(*c)).collect();
        if !end.is_empty() {
            self.documents.push(Document { expands: end == word, end, tabs });
        }
    }

    /// The here-documents whose text begins here.
    fn take_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            while self.at < self.text.len() {
                let line = self.rest().split_inclusive('\n').next().unwrap_or("");
                let (start, length) = (self.at, line.len());
                let bare = line.trim_end_matches('\n');
                let bare = if document.tabs { bare.trim_start_matches('\t') } else { bare };
                if bare == document.end {
                    self.at = start + length - usize::from(line.ends_with('\n'));
                    break;
                }
                if document.expands {
                    self.document_line(start + length);
                }
                self.at = start + length;
            }
        }
    }

    /// One line of a here-document that is expanded, up to `end`.
    fn document_line(&mut self, end: usize) {
        while self.at < end {
            let Some(c) = self.rest().chars().next() else { return };
            match c {
                '\\' => self.skip(2),
                '$' => match plain_expansion(self.rest()) {
                    Some((length, name)) => {
                        let (range, name) = (self.at..self.at + length, name.to_owned());
                        self.at = range.end;
                        self.found.push(Expansion { range, name, around: Around::Document });
                    }
                    None => self.at += 1,
                },
                _ => self.at += c.len_utf8(),
            }
        }
    }
}

/// `$name` or `${name}` at the start of a text: its length and the name.
fn plain_expansion(text: &str) -> Option<(usize, &str)> {
    let rest = text.strip_prefix('$')?;
    let (open, rest) = match rest.strip_prefix('{') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = rest.find(|c| !fits(c)).unwrap_or(rest.len());
    let name = &rest[..length];
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    match open {
        false => Some((1 + length, name)),
        true => rest[length..].starts_with('}').then_some((3 + length, name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a script expands `ns`: `w` in a word, `q` in quotes, `d` in a document.
    fn check(script: &str, expect: &str) {
        let found: String = expansions(script)
            .iter()
            .filter(|found| found.name == "ns")
            .map(|found| {
                let text = &script[found.range.clone()];
                assert!(text == "$ns" || text == "${ns}", "{script}: {text}");
                match found.around {
                    Around::Word => 'w',
                    Around::Quotes => 'q',
                    Around::Document => 'd',
                }
            })
            .collect();
        assert_eq!(found, expect, "{script}");
    }

    #[test]
    fn plain_expansions_are_found_with_what_stands_around_them() {
        check("kubectl -n $ns get \"pods/${ns}\"", "wq");
        check("echo $ns_x $nsx ${ns:-x} ${#ns} $1ns", "");
        check("echo \"$(kubectl -n $ns get \"$ns\")\" $ns", "wqw");
        check("정책 $ns, \"한글 $ns\"", "wq");
        check("(cd $ns; echo \")\" $ns)", "ww");
    }

    #[test]
    fn what_the_shell_does_not_expand_is_left_alone() {
        check("echo '$ns' \\$ns \"\\$ns\" $'\\'$ns' # $ns", "");
        check("echo a#$ns", "w");
        check("echo \"it's $ns\" '\"' $ns", "qw");
        check("echo '$ns", "");
    }

    #[test]
    fn here_documents() {
        check("cat <<END $ns\n\"$ns\" '$ns' \\$ns\nEND\necho $ns", "wddw");
        check("cat <<'END'\n$ns\nEND\necho $ns", "w");
        check("cat <<-\\END\n\t$ns\n\tEND\necho \"$ns\"", "q");
        check("cat <<A <<'B'\n$ns\nA\n$ns\nB\n$ns", "dw");
        check("cat <<< $ns", "w");
    }

    #[test]
    fn a_script_that_sets_the_variable() {
        for sets in
            ["ns=x", "export ns=x; a", "for ns in a b; do", "a; read -r ns", "local ns", "ns+=x"]
        {
            assert!(assigns(sets, "ns"), "{sets}");
        }
        for uses in ["echo $ns=x", "x --ns=a", "ans=1", "ns_x=1", "[ $ns == a ]", "get ns"] {
            assert!(!assigns(uses, "ns"), "{uses}");
        }
    }
}
