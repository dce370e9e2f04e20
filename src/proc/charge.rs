//! What a keeper is in charge of, as it goes over its standard input: fields that end in a NUL.

use super::kept::KeptShell;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// What labdoc tells a keeper first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Charge {
    /// The shell's program.
    pub(super) program: PathBuf,
    /// The session's private folder.
    pub(super) folder: PathBuf,
    /// The run's folder; may be empty.
    pub(super) scratch: PathBuf,
    /// The whole environment of the shell.
    pub(super) env: Vec<(OsString, OsString)>,
}

impl Charge {
    /// The bytes for the pipe: three paths, the variables as `NAME=VALUE`, and an empty field.
    pub(super) fn bytes(shell: &KeptShell<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for path in [shell.program, shell.folder, shell.scratch] {
            bytes.extend_from_slice(path.as_os_str().as_bytes());
            bytes.push(0);
        }
        for (name, value) in shell.env {
            bytes.extend([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
        }
        bytes.push(0);
        bytes
    }

    /// Takes it out of what has come, once all of it has.
    pub(super) fn take(pending: &mut Vec<u8>) -> Option<Charge> {
        let mut fields = Vec::new();
        let mut rest = pending.as_slice();
        while fields.len() <= 3 || fields.last().is_some_and(|field: &&[u8]| !field.is_empty()) {
            let end = rest.iter().position(|byte| *byte == 0)?;
            fields.push(&rest[..end]);
            rest = &rest[end + 1..];
        }
        let path = |at: usize| PathBuf::from(OsStr::from_bytes(fields[at]));
        let variable = |field: &&[u8]| {
            let at = field.iter().position(|byte| *byte == b'=')?;
            let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
            Some((text(&field[..at]), text(&field[at + 1..])))
        };
        let env = fields[3..].iter().filter_map(variable).collect();
        let charge = Charge { program: path(0), folder: path(1), scratch: path(2), env };
        let taken = pending.len() - rest.len();
        pending.drain(..taken);
        Some(charge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::path::Path;

    #[test]
    fn it_comes_back_once_it_is_whole() {
        let odd = OsString::from_vec(b"a=b\n\xff".to_vec());
        for (scratch, env) in [("", BTreeMap::new()), ("/run", BTreeMap::from([("A".into(), odd)]))]
        {
            let (program, folder) = (Path::new("/bin/bash"), Path::new("/tmp/x y"));
            let shell = KeptShell { program, folder, scratch: Path::new(scratch), env: &env };
            let bytes = Charge::bytes(&shell);
            for end in 0..bytes.len() {
                assert_eq!(Charge::take(&mut bytes[..end].to_vec()), None);
            }
            let mut pending = [&bytes, b"start g1\n".as_slice()].concat();
            let charge = Charge::take(&mut pending).unwrap();
            assert_eq!((&*charge.program, &*charge.folder), (program, folder));
            assert_eq!(charge.scratch, Path::new(scratch));
            assert_eq!(charge.env, env.into_iter().collect::<Vec<_>>());
            assert_eq!(pending, b"start g1\n");
        }
    }
}
