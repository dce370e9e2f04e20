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
//! answered: see `Shell::is_mute`.

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
        // Evaluated, not sourced: functions then keep `bash` as the place they come from.
        let text = [b"\\builtin eval \"$(<".as_slice(), &quote(state), b")\"\n"].concat();
        line.extend(text);
        line.extend(b"\\builtin set +o errexit +o nounset\n");
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

/// Where a block's text lies and where its output goes.
pub(super) struct Places<'a> {
    /// The file with the text.
    pub(super) text: &'a Path,
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

/// Runs a block whose `$?` at its begin is `status`. The statuses of its last pipeline are taken
/// on a line of their own behind its text; two line ends before it, since the text may end in a
/// backslash. `LINENO` is set while the redirections are made: too early, the shell sets it back,
/// too late, and it would be the block's own command.
pub(super) fn block(places: &Places<'_>, status: i32) -> Vec<u8> {
    let before = if status == 0 { String::new() } else { format!("$( \\builtin exit {status})") };
    let after: &[u8] = match places.pipestatus {
        Pipestatus::Taken => TAKE_PIPESTATUS,
        Pipestatus::Unknown => b"",
    };
    let mut line = [
        b"\\builtin eval \"$(<".as_slice(),
        &quote(places.text),
        b")",
        before.as_bytes(),
        b"\"",
        after,
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

/// Runs a block in a part of the shell of its own that goes on behind the lines that follow.
///
/// The pipes are opened before the fork, so that they have a writer from the begin on. The status
/// is written by a part of the shell around it: the block may turn on `errexit`, set a trap or
/// replace itself. It is no job of the shell, so that `wait` does not wait for it.
pub(super) fn background(places: &Places<'_>, status: &Path) -> Vec<u8> {
    let mut line = [
        b"{ { { __labdoc_e=$-; \\builtin set +e; } 2>/dev/null; ".as_slice(),
        b"( { [[ $__labdoc_e != *e* ]] || \\builtin set -e; \\builtin unset -v __labdoc_e; } 2>/dev/null; ",
        b"\\builtin eval \"$(<",
        &quote(places.text),
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
/// before the functions that use them, aliases after the functions that they would change.
const STATE: &[&str] = &[
    r#"\builtin printf 'builtin cd -- %q\n' "${PWD-}""#,
    r"\builtin umask -p",
    r"\builtin shopt -p",
    r"\builtin declare -p",
    r"\builtin declare -f",
    r"\builtin declare -F",
    r"\builtin alias -p",
    r"\builtin trap -p",
    r"\builtin printf 'set --'",
    r#"\builtin printf ' %q' "$@""#,
    r"\builtin printf '\n'",
    r"\builtin set +o",
];

/// The commands that write the state to descriptor 9. Each has its own redirection: a DEBUG trap
/// prints to the standard output.
pub(in crate::verify) fn state_commands() -> String {
    STATE.iter().map(|command| format!(" {command} >&9;")).collect()
}

/// The text behind [`finish`], the same for all runs of a shell: it tells the shell's option
/// letters, the status and those of the last pipeline, then writes the state to a new file, then
/// says that it is there. Where the block broke off (a division by zero, say) only the status is
/// known.
pub(super) fn finish_text(report: &Path, state: &Path) -> Vec<u8> {
    [
        b"{ \\builtin printf '%s ' \"$-\" \"${__labdoc_s[@]-$__labdoc_q}\" >&9; \\builtin printf '\\0' >&9; "
            .as_slice(),
        b"\\builtin unset -v __labdoc_s __labdoc_q; } 9>|",
        &quote(report),
        b" 2>/dev/null\n{",
        state_commands().as_bytes(),
        b" } 9>|",
        &quote(state),
        b" 2>/dev/null\n\\builtin printf '\\0' >|",
        &quote(report),
        b" 2>/dev/null\n",
    ]
    .concat()
}

/// Reports the end of a run. The shell reads its script byte by byte, so that the line is short and
/// what it does stands in the file `text`, which is read at once.
pub(super) fn finish(text: &Path) -> Vec<u8> {
    let open = b"__labdoc_q=$?; if \\builtin eval \"$(<".as_slice();
    [open, &quote(text), b")\"; then :; fi\n\n"].concat()
}

/// Ends the shell; what its EXIT trap prints goes to `out`.
pub(super) fn leave(out: &Path) -> Vec<u8> {
    [b"\\builtin exit </dev/null >|".as_slice(), &quote(out), b" 2>&1\n\n"].concat()
}

/// A path as one word of the shell.
fn quote(path: &Path) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in path.as_os_str().as_bytes() {
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
    use super::quote;
    use std::path::Path;

    #[test]
    fn a_path_is_one_word_whatever_it_holds() {
        assert_eq!(quote(Path::new("/a b/it's $x")), b"'/a b/it'\\''s $x'");
    }
}
