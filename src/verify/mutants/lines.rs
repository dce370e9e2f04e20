//! Changes to scripts and settings, line by line.

use super::{Change, numbers, other_numbers, short};

/// How the lines are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// sh and bash.
    Shell,
    /// Python.
    Python,
    /// `key value` lines with `#` comments.
    Settings,
}

/// Comparisons and what each is turned into; the longer ones first.
const WORDS: [(&str, &str); 6] = [
    ("-eq", "-ne"),
    ("-ne", "-eq"),
    ("-lt", "-ge"),
    ("-ge", "-lt"),
    ("-gt", "-le"),
    ("-le", "-gt"),
];
const SIGNS: [(&str, &str); 4] = [("==", "!="), ("!=", "=="), ("<=", ">"), (">=", "<")];

/// Every change of a text: a line deleted, a number halved or doubled, a comparison turned.
pub(super) fn changes(text: &str, language: Language) -> Vec<Change> {
    let mut out = Vec::new();
    let mut scan = Scan { language, quoted: false, open: 0 };
    let mut start = 0;
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        let line = whole.trim_end_matches(['\n', '\r']);
        let inside = scan.inside(line);
        if !inside && scan.says_something(line) {
            let place = Place { start, line, number: at + 1, length: whole.len() };
            if scan.can_go(line) {
                out.push(place.deleted());
            }
            place.numbers(&mut out);
            place.comparisons(language, &mut out);
        }
        start += whole.len();
    }
    out
}

/// What is known of the lines so far.
struct Scan {
    language: Language,
    /// Inside a string of several lines.
    quoted: bool,
    /// How many brackets are open.
    open: i64,
}

impl Scan {
    /// Takes note of a line, and says whether it stands inside a longer string.
    fn inside(&mut self, line: &str) -> bool {
        let was = self.quoted;
        if self.language == Language::Python && line.matches("\"\"\"").count() % 2 == 1 {
            self.quoted = !self.quoted;
        }
        was || self.quoted || line.contains("\"\"\"")
    }

    /// Whether a line does something.
    fn says_something(&self, line: &str) -> bool {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    }

    /// Whether a line can be taken away without breaking what is around it.
    fn can_go(&mut self, line: &str) -> bool {
        let line = line.trim();
        let before = self.open;
        let count = |signs: &[char]| i64::try_from(line.matches(signs).count()).unwrap_or(0);
        self.open = (before + count(&['(', '[', '{']) - count(&[')', ']', '}'])).max(0);
        let whole = before == 0 && self.open == 0 && !line.ends_with('\\') && !line.ends_with(',');
        whole && !self.opens_or_closes(line)
    }

    /// Whether a line begins, parts or ends a longer construct, or brings names that all the rest
    /// needs.
    fn opens_or_closes(&self, line: &str) -> bool {
        let first = line.split([' ', ';', '(']).next().unwrap_or(line);
        match self.language {
            Language::Python => {
                line.ends_with(':')
                    || ["import", "from", "try", "pass", "global", "@"].contains(&first)
                    || line.starts_with('@')
            }
            Language::Shell => {
                let words = [
                    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done",
                    "case", "esac", "function", "}", "{", ";;",
                ];
                words.contains(&first)
                    || [" do", " then", "|", "&&", "||", ";;"].iter().any(|end| line.ends_with(end))
                    || line.contains("<<")
            }
            Language::Settings => false,
        }
    }
}

/// A line and where it stands.
struct Place<'a> {
    start: usize,
    line: &'a str,
    number: usize,
    length: usize,
}

impl Place<'_> {
    fn deleted(&self) -> Change {
        Change {
            range: self.start..self.start + self.length,
            with: String::new(),
            line: self.number,
            what: format!("deleted: {}", short(self.line)),
        }
    }

    /// A change of some bytes of the line.
    fn replaced(&self, range: std::ops::Range<usize>, with: &str) -> Change {
        let changed = [&self.line[..range.start], with, &self.line[range.end..]].concat();
        Change {
            range: self.start + range.start..self.start + range.end,
            with: with.to_owned(),
            line: self.number,
            what: format!("{} → {with}: {}", &self.line[range], short(&changed)),
        }
    }

    fn numbers(&self, out: &mut Vec<Change>) {
        let code = self.code();
        for range in numbers(code) {
            for other in other_numbers(&code[range.clone()]) {
                out.push(self.replaced(range.clone(), &other));
            }
        }
    }

    fn comparisons(&self, language: Language, out: &mut Vec<Change>) {
        let code = self.code();
        let words = WORDS.iter().filter(|_| language == Language::Shell);
        let signs = SIGNS.iter().filter(|_| language != Language::Settings);
        for (sign, other) in words.chain(signs) {
            let mut from = 0;
            while let Some(at) = code[from..].find(sign).map(|found| from + found) {
                let around =
                    (code[..at].ends_with([' ', '\t']), code[at + sign.len()..].starts_with(' '));
                if around == (true, true) {
                    out.push(self.replaced(at..at + sign.len(), other));
                }
                from = at + sign.len();
            }
        }
    }

    /// The line without a comment at its end.
    fn code(&self) -> &str {
        let end = self.line.find(" #").unwrap_or(self.line.len());
        &self.line[..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(text: &str, language: Language) -> Vec<String> {
        changes(text, language).into_iter().map(|change| change.what).collect()
    }

    #[test]
    fn shell_lines() {
        let text = "#!/bin/sh\n# 3 times\nif [ $n -eq 3 ]; then\n  sleep 5  # 7\nfi\n";
        assert_eq!(
            what(text, Language::Shell),
            [
                "3 → 1: if [ $n -eq 1 ]; then",
                "3 → 6: if [ $n -eq 6 ]; then",
                "-eq → -ne: if [ $n -ne 3 ]; then",
                "deleted: sleep 5 # 7",
                "5 → 2: sleep 2 # 7",
                "5 → 10: sleep 10 # 7",
            ]
        );
    }

    #[test]
    fn python_lines() {
        let text = "\"\"\"Waits 9 s.\n\nTwice 9.\n\"\"\"\nimport time\ndef wait(a):\n    if a >= 2:\n        time.sleep(\n            4)\n    return a\n";
        assert_eq!(
            what(text, Language::Python),
            [
                "2 → 1: if a >= 1:",
                "2 → 4: if a >= 4:",
                ">= → <: if a < 2:",
                "4 → 2: 2)",
                "4 → 8: 8)",
                "deleted: return a",
            ]
        );
    }

    #[test]
    fn settings_lines() {
        let text = "worker_processes 1;\n# 5\nkeepalive_timeout 65;\n";
        let changes = changes(text, Language::Settings);
        assert_eq!(changes.len(), 6);
        assert_eq!(changes[0].apply(text), "# 5\nkeepalive_timeout 65;\n");
        assert_eq!(changes[5].apply(text), "worker_processes 1;\n# 5\nkeepalive_timeout 130;\n");
    }
}
