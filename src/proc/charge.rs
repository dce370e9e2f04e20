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
    /// The bytes for the pipe: how many follow, three paths, and the variables as `NAME=VALUE`.
    pub(super) fn bytes(shell: &KeptShell<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for path in [shell.program, shell.folder, shell.scratch] {
            bytes.extend_from_slice(path.as_os_str().as_bytes());
            bytes.push(0);
        }
        for (name, value) in shell.env {
            bytes.extend([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
        }
        [bytes.len().to_string().as_bytes(), b"\0", &bytes].concat()
    }

    /// Takes it out of what has come, once all of it has.
    pub(super) fn take(pending: &mut Vec<u8>) -> Option<Charge> {
        let begin = pending.iter().position(|byte| *byte == 0)? + 1;
        let length: usize = str::from_utf8(&pending[..begin - 1]).ok()?.parse().ok()?;
        let end = begin + length;
        let fields: Vec<&[u8]> = pending.get(begin..end)?.split(|byte| *byte == 0).collect();
        let path = |at: usize| fields.get(at).map(|field| PathBuf::from(OsStr::from_bytes(field)));
        let variable = |field: &&[u8]| {
            let at = field.iter().position(|byte| *byte == b'=')?;
            let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
            Some((text(&field[..at]), text(&field[at + 1..])))
        };
        let env = fields.iter().skip(3).filter_map(variable).collect();
        let charge = Charge { program: path(0)?, folder: path(1)?, scratch: path(2)?, env };
        pending.drain(..end);
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
            // How much there is to come is known from the begin on.
            assert_eq!(Charge::take(&mut [b"9", &*bytes].concat()), None);
            let mut pending = [&bytes, b"start g1\n".as_slice()].concat();
            let charge = Charge::take(&mut pending).unwrap();
            assert_eq!((&*charge.program, &*charge.folder), (program, folder));
            assert_eq!(charge.scratch, Path::new(scratch));
            assert_eq!(charge.env, env.into_iter().collect::<Vec<_>>());
            assert_eq!(pending, b"start g1\n");
        }
    }
}
