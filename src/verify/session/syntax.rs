//! What bash says about a text that it cannot read.

use regex::Regex;
use std::sync::LazyLock;

/// A message about a line: bash's own name, at times the word `eval:`, the line.
static MESSAGE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^bash: (?:eval: )?line (\d+): (.*)$").ok());

/// The line on which a here-document begins that never ends.
static HERE_DOCUMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"here-document at line (\d+) ").ok());

/// A text that bash cannot read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SyntaxFault {
    /// What bash says, without its name and the line.
    pub(super) message: String,
    /// The line within the text, from 1.
    pub(super) line: usize,
}

/// Words that bash may take for a part of its grammar.
const RESERVED: [&str; 17] = [
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while",
];

/// Whether a text is nothing but plain words and variables, which bash can read whatever its
/// options are: the fork for the check is most of what such a block costs.
pub(super) fn is_plain(text: &str) -> bool {
    text.split([' ', '\t', '\n']).all(|word| !RESERVED.contains(&word) && is_plain_word(word))
}

/// Whether a word holds neither quotes nor operators nor expansions other than `$name`.
fn is_plain_word(word: &str) -> bool {
    let mut rest = word.chars().peekable();
    while let Some(letter) = rest.next() {
        let plain = match letter {
            '$' => rest.peek().is_some_and(|next| next.is_ascii_alphabetic() || *next == '_'),
            other => other.is_ascii_alphanumeric() || "_-./:=,@%+".contains(other),
        };
        if !plain {
            return false;
        }
    }
    true
}

/// The builtins of bash that may change the shell: all but `echo`, `false`, `pwd`, `test`, `true`
/// and those that are no plain word.
const CHANGING: [&str; 54] = [
    ".",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "times",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Whether a text runs something and cannot change the shell, as long as its words mean what they
/// say: plain words, and the first of each line is no assignment, no job, no variable and no builtin
/// that may change anything. `test` may where a variable is put in: `-v` evaluates an index. `RANDOM`
/// is another one after each look.
pub(super) fn changes_nothing(text: &str) -> bool {
    let mut commands = text.lines().filter_map(|line| {
        let word = line.split([' ', '\t']).find(|word| !word.is_empty())?;
        Some((word, line))
    });
    let is_harmless = |(word, line): (&str, &str)| {
        let is_changing = CHANGING.contains(&word) || word.contains(['=', '%', '$']);
        !is_changing && (word != "test" || !line.contains('$'))
    };
    is_plain(text)
        && !text.contains("RANDOM")
        && commands.clone().next().is_some()
        && commands.all(is_harmless)
}

/// Whether a text may load a builtin from a file: the word `enable` is somewhere in it.
pub(super) fn loads_builtins(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-./=".contains(letter);
    text.split(|letter| !is_part(letter)).any(|word| word == "enable")
}

/// Judges the syntax check of a text of so many lines. A status of 0 with a message is a fault too: only an unfinished
/// here-document is told that way, and bash would run the block with what it has.
pub(super) fn judge(messages: &str, status: &str, lines: usize) -> Option<SyntaxFault> {
    if status == "0" && messages.is_empty() {
        return None;
    }
    let mut line = None;
    let mut texts = Vec::new();
    for message in messages.lines() {
        let (at, text) = split(message);
        line = line.or(here_document(text)).or(at);
        texts.push(text.strip_prefix("warning: ").unwrap_or(text));
    }
    // Bash puts the end of a text on the line behind it.
    let line = line.unwrap_or(1).min(lines.max(1));
    Some(SyntaxFault { message: texts.join("\n"), line })
}

/// The line that a message names, and its text.
fn split(message: &str) -> (Option<usize>, &str) {
    let found = MESSAGE.as_ref().and_then(|pattern| pattern.captures(message));
    let Some((_, [line, text])) = found.map(|captures| captures.extract()) else {
        return (None, message);
    };
    (line.parse().ok(), text)
}

/// The line on which an unfinished here-document begins.
fn here_document(text: &str) -> Option<usize> {
    let captures = HERE_DOCUMENT.as_ref()?.captures(text)?;
    captures[1].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{changes_nothing, is_plain, judge};

    /// The line and message of a fault.
    fn check(messages: &str, status: &str) -> Option<(usize, String)> {
        judge(messages, status, 3).map(|fault| (fault.line, fault.message))
    }

    #[test]
    fn only_commands_that_are_no_builtins_are_known_to_change_nothing() {
        for text in [
            "echo one\n",
            "kubectl get pods -n $NS\n\n  ./run.sh --a=b\ntrue",
            "test -e file\necho $NS",
        ] {
            assert!(changes_nothing(text), "{text}");
        }
        for text in [
            "",
            "\n",
            "cd /",
            "echo one\n\texport A=1",
            "A=1",
            "A=1 env",
            "%1",
            "$CMD x",
            "echo $(cd /)",
            "echo 'one'",
            ". file",
            "echo one; cd /",
            "read line",
            "printf -v x 1",
            "test -v $x",
            "test -v RANDOM",
            "echo $RANDOM",
            "echo $SRANDOM",
        ] {
            assert!(!changes_nothing(text), "{text}");
        }
    }

    #[test]
    fn only_plain_words_need_no_check() {
        for text in ["", "echo hi\n\ncd ..", "kubectl get pods -n $ns --context=a@b:1", "v=1"] {
            assert!(is_plain(text), "{text}");
        }
        for text in
            ["if", "echo 'a", "a\\", "f()", "a |", "$", "a; b", "{", "echo a\r", "é", "x <<E"]
        {
            assert!(!is_plain(text), "{text}");
        }
    }

    #[test]
    fn silence_is_no_fault() {
        assert_eq!(check("", "0"), None);
    }

    #[test]
    fn the_line_is_that_of_the_block() {
        let said = "bash: eval: line 2: syntax error near unexpected token `done'\n\
                    bash: eval: line 2: `if true; done'\n";
        let told = "syntax error near unexpected token `done'\n`if true; done'";
        assert_eq!(check(said, "2"), Some((2, told.to_owned())));
    }

    #[test]
    fn an_unfinished_here_document_is_a_fault_where_it_begins() {
        let said = "bash: line 3: warning: here-document at line 2 delimited by end-of-file \
                    (wanted `EOF')\n";
        let told = "here-document at line 2 delimited by end-of-file (wanted `EOF')";
        assert_eq!(check(said, "0"), Some((2, told.to_owned())));
    }

    #[test]
    fn a_message_in_another_language_is_kept() {
        assert_eq!(check("bash: Zeile 1: so\n", "2"), Some((1, "bash: Zeile 1: so".to_owned())));
    }
}
