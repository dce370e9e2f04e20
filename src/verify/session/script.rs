//! The lines that labdoc sends to the shell.
//!
//! The shell reads them from its script, a named pipe called `bash`, so that its messages begin
//! with `bash: line N:` on every system and its children never see the pipe. Three rules hold for
//! every line. A block is evaluated by a command of its own, outside of any function or loop.
//! Labdoc's own commands are written so that neither aliases nor functions of the page change
//! them, and so that no option (`errexit`, `nounset`, `xtrace`) and no trap lets them end the
//! shell or print into a block. Names begin with `__labdoc_` and are gone before the next block.
//!
//! Whatever asks for an answer ends in an empty line, which the shell reads only after it has
//! answered: see `Shell::is_mute`. The shell reads its script byte by byte, each by a call of its
//! own, so that what can stand in a file does, which is read at once. A block cannot in general: in an
//! evaluation within another one its traces are deeper, and its EXIT trap prints elsewhere.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The first line of a shell: the folder to run in, aliases as typed, and for a rebuilt shell the
/// state of the one before. It answers with the version of bash.
///
/// Descriptors that labdoc inherited from whoever called it are closed, all but the script's own.
pub(super) fn setup(cwd: &Path, state: Option<&Path>, report: &Path) -> Vec<u8> {
    let script = report.with_file_name("bash");
    let mut line = [
        b"\\builtin shopt -s expand_aliases; \\builtin cd -- ".as_slice(),
        &quote(cwd),
        b"; \\builtin unset -v OLDPWD; \\builtin declare -x OLDPWD\n",
        b"for __labdoc_d in /dev/fd/*; do [[ $__labdoc_d -ef ",
        &quote(&script),
        b" ]] || case ${__labdoc_d##*/} in [012]) ;; *) \\builtin eval \"exec ${__labdoc_d##*/}>&-\";; ",
        b"esac; done; \\builtin unset -v __labdoc_d\n",
    ]
    .concat();
    if let Some(state) = state {
        line.extend(read(state));
        line.extend(b"\\builtin set +o errexit +o nounset\n");
        line.extend(b"\\builtin unset -v __labdoc_s __labdoc_q\n");
    }
    line.extend(b"\\builtin printf '%s\\0' \"$BASH_VERSION\" >|");
    line.extend(quote(report));
    line.extend(b"\n\n");
    line
}

/// Whether extended patterns are turned on for a syntax check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patterns {
    /// As the session has them.
    AsSet,
    /// On: a block may turn them on itself and use them further down.
    Extended,
}

/// Checks a block in a fork of the shell, where the session's options count and nothing runs. It
/// answers with the shell's messages and the status.
pub(super) fn check(text: &Path, patterns: Patterns, report: &Path) -> Vec<u8> {
    let extended: &[u8] =
        if patterns == Patterns::Extended { b" \\builtin shopt -s extglob;" } else { b"" };
    [
        b"{ if ( { \\builtin set +vx; \\builtin trap - DEBUG ERR RETURN;".as_slice(),
        extended,
        b" } 2>/dev/null; \\builtin eval '\\builtin set -n'$'\\n'\"$(<",
        &quote(text),
        // The added line is not counted.
        b")\" 2>&$((LINENO=0,2)) ) </dev/null 2>&9",
        b"; then \\builtin printf '\\0%s\\0' 0 >&9; else \\builtin printf '\\0%s\\0' \"$?\" >&9; fi; } 9>|",
        &quote(report),
        b"\n\n",
    ]
    .concat()
}

/// Where a block reads from and where its output goes.
pub(super) struct Places<'a> {
    /// What the block reads, where that is a terminal.
    pub(super) input: Option<&'a Path>,
    /// The pipe of the standard output.
    pub(super) out: &'a Path,
    /// The pipe of the standard error, when it is kept apart.
    pub(super) err: Option<&'a Path>,
    /// Whether the statuses of the last pipeline are taken.
    pub(super) pipestatus: Pipestatus,
}

/// Whether the statuses of a block's last pipeline are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pipestatus {
    /// By a line behind the block's text.
    Taken,
    /// Not at all: `set -v` would print that line into the block's output.
    Unknown,
}

/// The line behind a block's text.
const TAKE_PIPESTATUS: &[u8] =
    b"$'\\n\\n''{ __labdoc_s=(\"$?\" \"${PIPESTATUS[@]}\"); } >/dev/null 2>&1'";

/// Runs the block in the file `text`, whose `$?` at its begin is `status`. The statuses of its last
/// pipeline are taken on a line of their own behind its text; two line ends before it, since the text
/// may end in a backslash.
pub(super) fn block(text: &Path, places: &Places<'_>, status: i32) -> Vec<u8> {
    let before = if status == 0 { String::new() } else { format!("$( \\builtin exit {status})") };
    let after: &[u8] = match places.pipestatus {
        Pipestatus::Taken => TAKE_PIPESTATUS,
        Pipestatus::Unknown => b"",
    };
    let word = [b"\"$(<".as_slice(), &quote(text), b")", before.as_bytes(), b"\"", after].concat();
    evaluated(&word, places)
}

/// The lines that run a block which leaves the state of the shell as it is and holds no pipeline, then
/// [`tell`] its status.
pub(super) fn lone_block(text: &str, places: &Places<'_>, report: &Path) -> Vec<u8> {
    [evaluated(&quoted(text.as_bytes()), places), tell(report)].concat()
}

/// Reports the status of a [`lone_block`] as [`finish_text`] does, without a state.
pub(super) fn tell(report: &Path) -> Vec<u8> {
    [b"\\builtin printf \"$- $? $?\\0\" >|".as_slice(), &quote(report), b"\n"].concat()
}

/// Evaluates a word. `LINENO` is set while the redirections are made: too early, the shell sets it
/// back, too late, and it would be the block's own command.
fn evaluated(word: &[u8], places: &Places<'_>) -> Vec<u8> {
    let mut line = [
        b"\\builtin eval ".as_slice(),
        word,
        b" <",
        &quote(places.input.unwrap_or(Path::new("/dev/null"))),
        b" >|",
        &quote(places.out),
    ]
    .concat();
    match places.err {
        None => line.extend(b" 2>&$((LINENO=1,1))\n"),
        Some(err) => {
            line.extend(b" 1>&$((LINENO=1,1)) 2>|");
            line.extend(quote(err));
            line.push(b'\n');
        }
    }
    line
}

/// Runs the lines in a file. They are evaluated, not sourced: functions then keep `bash` as the
/// place they come from.
pub(super) fn read(file: &Path) -> Vec<u8> {
    [b"\\builtin eval \"$(<".as_slice(), &quote(file), b")\"\n"].concat()
}

/// Runs a block in a part of the shell of its own that goes on behind the lines that follow.
///
/// The pipes are opened before the fork, so that they have a writer from the begin on. The status
/// is written by a part of the shell around it: the block may turn on `errexit`, set a trap or
/// replace itself. It is no job of the shell, so that `wait` does not wait for it.
pub(super) fn background(text: &Path, places: &Places<'_>, status: &Path) -> Vec<u8> {
    let mut line = [
        b"{ { { __labdoc_e=$-; \\builtin set +e; } 2>/dev/null; ".as_slice(),
        b"( { [[ $__labdoc_e != *e* ]] || \\builtin set -e; \\builtin unset -v __labdoc_e; } 2>/dev/null; ",
        b"\\builtin eval \"$(<",
        &quote(text),
        b")\" ); { \\builtin printf %s \"$?\" >|",
        &quote(status),
        b"; } 2>/dev/null; } & \\builtin disown; } </dev/null >|",
        &quote(places.out),
    ]
    .concat();
    match places.err {
        None => line.extend(b" 2>&1\n"),
        Some(err) => {
            line.extend(b" 2>|");
            line.extend(quote(err));
            line.push(b'\n');
        }
    }
    line
}

/// What the shell's state is made of, in the order in which a new shell can take it: patterns
/// before the functions that use them, aliases after the functions that they would change, options
/// last, since `errexit` is one. Options are taken from variables: the commands that print them write
/// some ninety lines, each by a call of its own. What stands between the line of `umask` and the last
/// one is told by [`is_bare`].
const STATE: &[&str] = &[
    r#"\builtin printf '%q ' set -- "$@""#,
    r#"\builtin printf '\nbuiltin cd -- %q\n%s\n%s\n' "${PWD-}" 'for __labdoc_o in ${BASHOPTS//:/ }; do builtin shopt -u "$__labdoc_o"; done; for __labdoc_o in ${SHELLOPTS//:/ }; do builtin set +o "$__labdoc_o"; done' "${BASHOPTS:+builtin shopt -s ${BASHOPTS//:/ }}""#,
    r"\builtin declare -p",
    r"\builtin umask -p",
    r"\builtin declare -f",
    r"\builtin declare -F",
    r"\builtin alias -p",
    r"\builtin trap -p",
    r#"\builtin printf 'for __labdoc_o in %s; do builtin set -o "$__labdoc_o"; done; builtin unset -v __labdoc_o\n' "${SHELLOPTS//:/ }""#,
];

/// The commands that write the state to descriptor 9. Each has its own redirection: a DEBUG trap
/// prints to the standard output.
pub(in crate::verify) fn state_commands() -> String {
    STATE.iter().map(|command| format!(" {command} >&9;")).collect()
}

/// Whether a state holds no function, no alias, no trap that runs something and no name of another
/// variable, which may hold an expression: nothing that could stand behind a plain word. None of the
/// first three ends in a line like that of `umask`, or of a signal that is ignored (labdoc's caller
/// may have ignored it).
pub(super) fn is_bare(state: &[u8]) -> bool {
    let is_reference = |line: &[u8]| {
        let letters = line.strip_prefix(b"declare -").unwrap_or_default();
        letters.iter().take_while(|byte| **byte != b' ').any(|byte| *byte == b'n')
    };
    let is_mask = |line: &[u8]| {
        let mask = line.strip_prefix(b"umask ").unwrap_or_default();
        !mask.is_empty() && mask.iter().all(u8::is_ascii_digit)
    };
    let mut lines = state.strip_suffix(b"\n").unwrap_or(state).rsplit(|byte| *byte == b'\n');
    lines.next().is_some_and(|line| line.starts_with(b"for __labdoc_o in "))
        && lines.find(|line| !line.starts_with(b"trap -- '' ")).is_some_and(is_mask)
        && !lines.any(is_reference)
}

/// The text behind [`finish`], the same for all runs of a shell: it writes the state to a new file,
/// then tells the shell's option letters, the status and those of the last pipeline. Where the block
/// broke off (a division by zero, say) only the status is known.
pub(super) fn finish_text(report: &Path, state: &Path) -> Vec<u8> {
    [
        b"{ \\builtin : \"${__labdoc_s=$__labdoc_q}\";".as_slice(),
        state_commands().as_bytes(),
        b" \\builtin printf %b \"$-\" \"${__labdoc_s[@]/#/ }\" '\\0' >|",
        &quote(report),
        b"; \\builtin unset -v __labdoc_s __labdoc_q; } 9>|",
        &quote(state),
        b" 2>/dev/null\n",
    ]
    .concat()
}

/// Reports the end of a run by the lines in the file `text`.
pub(super) fn finish(text: &Path) -> Vec<u8> {
    let open = b"if \\builtin eval \"__labdoc_q=$?;$(<".as_slice();
    [open, &quote(text), b")\";then :;fi\n\n"].concat()
}

/// Ends the shell; what its EXIT trap prints goes to `out`.
pub(super) fn leave(out: &Path) -> Vec<u8> {
    [b"\\builtin exit </dev/null >|".as_slice(), &quote(out), b" 2>&1\n\n"].concat()
}

/// A path as one word of the shell.
fn quote(path: &Path) -> Vec<u8> {
    quoted(path.as_os_str().as_bytes())
}

/// Bytes as one word of the shell.
fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in bytes {
        match byte {
            b'\'' => word.extend(b"'\\''"),
            other => word.push(*other),
        }
    }
    word.push(b'\'');
    word
}

#[cfg(test)]
mod tests {
    use super::{is_bare, quote};
    use std::path::Path;

    #[test]
    fn a_state_with_anything_behind_a_word_is_not_bare() {
        let last = "for __labdoc_o in hashall; do :; done\n";
        let bare = |between: &str| is_bare(format!("x=1\numask 0022\n{between}{last}").as_bytes());
        assert!(bare("") && bare("trap -- '' SIGINT\ntrap -- '' SIGXFSZ\n"));
        for between in [
            "f () \n{ \n    umask 0022\n}\n",
            "alias a='\numask 0022'\n",
            "trap -- 'x' EXIT\ntrap -- '' SIGINT\n",
        ] {
            assert!(!bare(between), "{between}");
        }
        assert!(!is_bare(b"") && !is_bare(b"umask 0022\n"));
        let with = |line: &str| is_bare(format!("{line}\numask 0022\n{last}").as_bytes());
        assert!(with("declare -ix n=\"1\"") && with("declare -- x=\"declare -n\""));
        assert!(!with("declare -n r=\"x\"") && !with("declare -rnx r=\"x\"\ndeclare -- s"));
    }

    #[test]
    fn a_path_is_one_word_whatever_it_holds() {
        assert_eq!(quote(Path::new("/a b/it's $x")), b"'/a b/it'\\''s $x'");
    }
}
