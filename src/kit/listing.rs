//! The kit as lists and as one text: `INDEX.txt`, `kit.json`, `all.txt`.

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use serde::Serialize;

use super::archive::SUMS;
use super::content::{failure, spool};
use super::fetch::shell_quote;
use super::tree::Kit;
use crate::diag::Failure;
use crate::digest::sha256_hex;
use crate::disk::Spool;

/// Claim ids by path in the kit: the claims whose runs used the file.
pub(crate) type Claims = BTreeMap<String, Vec<String>>;

/// One published file per line, relative to `INDEX.txt` itself, for programs.
pub(super) fn index_txt(kit: &Kit) -> String {
    let mut paths: Vec<&str> = kit.files.iter().map(|file| file.path.as_str()).collect();
    paths.push(SUMS);
    paths.sort_unstable();
    paths.iter().map(|path| format!("files/{path}\n")).collect()
}

/// The shape of `kit.json`.
#[derive(Serialize)]
struct KitJson<'a> {
    schema: &'static str,
    name: &'a str,
    version: &'a str,
    digest: String,
    files: Vec<FileJson<'a>>,
}

/// One file in `kit.json`.
#[derive(Serialize)]
struct FileJson<'a> {
    path: &'a str,
    size: u64,
    sha256: &'a str,
    mode: &'static str,
    claims: &'a [String],
}

/// The kit for programs: digests, modes, and the claims that use each file.
pub(super) fn kit_json(kit: &Kit, claims: &Claims) -> Result<Vec<u8>, Failure> {
    let files = kit.files.iter().map(|file| FileJson {
        path: &file.path,
        size: file.size,
        sha256: &file.sha256,
        mode: file.mode_text(),
        claims: claims.get(&file.path).map_or(&[], Vec::as_slice),
    });
    let json = KitJson {
        schema: "labdoc.kit/1",
        name: &kit.name,
        version: &kit.version,
        digest: format!("sha256:{}", kit.digest),
        files: files.collect(),
    };
    let text = serde_json::to_string_pretty(&json)
        .map_err(|error| Failure::new(format!("cannot write kit.json: {error}")))?;
    Ok((text + "\n").into_bytes())
}

/// All text files in one, for places where archives are blocked, with the note that unpacks it.
///
/// A file's header says how many lines follow and whether the last one ends in a line end, so
/// nothing in a body can be taken for a header and the bytes come back exactly.
pub(super) fn all_txt(kit: &Kit) -> Result<Spool, Failure> {
    let mut out = spool();
    let texts: Vec<_> = kit.files.iter().filter(|file| file.text).collect();
    let binary = kit.files.len() - texts.len();
    write(&mut out, note(kit, binary).as_bytes())?;
    let sums = Part { path: SUMS, mode: "0644", sha256: &sha256_hex(kit.sums.as_bytes()) };
    write_part(&mut out, &sums, &mut kit.sums.as_bytes(), &mut kit.sums.as_bytes())?;
    for file in texts {
        let part = Part { path: &file.path, mode: file.mode_text(), sha256: &file.sha256 };
        write_part(&mut out, &part, &mut file.open()?, &mut file.open()?)?;
    }
    Ok(out)
}

/// The head of one file in `all.txt`.
struct Part<'a> {
    path: &'a str,
    mode: &'static str,
    sha256: &'a str,
}

/// Writes header and body: one pass counts the lines, the other copies.
fn write_part(
    out: &mut Spool,
    part: &Part<'_>,
    counted: &mut dyn io::Read,
    copied: &mut dyn io::Read,
) -> Result<(), Failure> {
    let (lines, ended) = count_lines(counted).map_err(|error| failure(&error))?;
    let Part { path, mode, sha256 } = part;
    let header = format!("==> {lines} {} {mode} {sha256} {path}\n", u8::from(ended));
    write(out, header.as_bytes())?;
    io::copy(copied, out).map_err(|error| failure(&error))?;
    if ended { Ok(()) } else { write(out, b"\n") }
}

/// How many lines a text has, and whether its last one is ended (an empty text has none).
fn count_lines(reader: &mut dyn io::Read) -> io::Result<(u64, bool)> {
    let mut buffer = vec![0; 64 << 10];
    let (mut lines, mut last) = (0, b'\n');
    loop {
        let count = reader.read(&mut buffer)?;
        let Some(end) = buffer[..count].last() else { break };
        last = *end;
        lines += buffer[..count].iter().filter(|byte| **byte == b'\n').count() as u64;
    }
    let ended = last == b'\n';
    Ok((lines + u64::from(!ended), ended))
}

/// Appends bytes.
fn write(out: &mut Spool, bytes: &[u8]) -> Result<(), Failure> {
    out.write_all(bytes).map_err(|error| failure(&error))
}

/// The head of `all.txt`: what it is, and the script that unpacks it.
fn note(kit: &Kit, binary: usize) -> String {
    let missing = match binary {
        0 => "every file of the kit".to_owned(),
        n => format!("the text files of the kit ({n} binary files are not in it)"),
    };
    let script = include_str!("unpack.sh").replace("@TOP@", &shell_quote(&kit.top()));
    let script: String = script.lines().map(|line| format!("#| {line}\n")).collect();
    format!(
        "# labdoc kit {} {}: {missing} in one text. Digest sha256:{}\n\
         # To unpack it into a new folder, save it as all.txt, then:\n\
         #   sed -n '/^==> /q;s/^#| //p' all.txt > unpack.sh; less unpack.sh; sh unpack.sh\n\
         {script}",
        kit.name, kit.version, kit.digest
    )
}
