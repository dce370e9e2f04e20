//! The page that shows one file of the kit: what a click on a raw file does differs between
//! hosts, browsers and disks, so every file has one.

use std::io::Read as _;

use super::fetch::shell_quote;
use super::safe::{SafeText, Show, safe_text};
use super::tree::{Kit, KitFile};
use crate::address::relative;
use crate::diag::{Diagnostic, Failure};

/// A viewer shows this many bytes; the raw file is one link away.
const SHOWN: u64 = 2 << 20;

/// The data of one viewer page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Viewer {
    /// The page's path from the output's root.
    pub(crate) path: String,
    /// The file's path in the kit.
    pub(crate) title: String,
    /// Address of the raw file.
    pub(crate) raw_href: String,
    /// Address of the same bytes as `.txt`.
    pub(crate) text_href: String,
    /// The name under which the download link saves it.
    pub(crate) download: String,
    /// SHA-256 in hex.
    pub(crate) sha256: String,
    /// Bytes in the file.
    pub(crate) size: u64,
    /// Mode as four octal digits.
    pub(crate) mode: &'static str,
    /// Of a script, the command that runs it from the kit's folder whatever its mode is there:
    /// some unpackers lose the bit.
    pub(crate) run: Option<String>,
    /// The text, safe to show and not yet escaped; `None` for a binary file.
    pub(crate) text: Option<String>,
    /// Lines in `text`.
    pub(crate) lines: usize,
    /// Whether `text` is only the beginning; its last line says so as well.
    pub(crate) truncated: bool,
    /// Control characters (SE503), with their line.
    pub(crate) findings: Vec<Diagnostic>,
}

/// The viewer of the kit's file number `index`.
pub(crate) fn viewer(kit: &Kit, index: usize) -> Result<Viewer, Failure> {
    let file = &kit.files[index];
    let path = path_of(kit, &file.path);
    let to = |folder: &str, end: &str| {
        relative(&path, &format!("kit/{}/{folder}/{}{end}", kit.name, file.path))
    };
    let truncated = file.text && file.size > SHOWN;
    let shown = if file.text { Some(shown(file, truncated)?) } else { None };
    let findings = shown.iter().filter_map(|text| control_characters(kit, file, text)).collect();
    let text = shown.map(|safe| safe.text);
    Ok(Viewer {
        title: file.path.clone(),
        raw_href: to("files", ""),
        text_href: to("text", ".txt"),
        download: file.name().to_owned(),
        sha256: file.sha256.clone(),
        size: file.size,
        mode: file.mode_text(),
        run: text.as_deref().filter(|_| file.executable).and_then(|text| run(text, &file.path)),
        lines: text.as_deref().map_or(0, |text| text.lines().count()),
        text,
        truncated,
        findings,
        path,
    })
}

/// The path of the viewer of a file.
pub(crate) fn path_of(kit: &Kit, file: &str) -> String {
    format!("kit/{}/view/{file}.html", kit.name)
}

/// The interpreter that a script names in its first line, and its path.
fn run(text: &str, path: &str) -> Option<String> {
    let mut words = text.lines().next()?.strip_prefix("#!")?.split_whitespace();
    let first = words.next()?;
    let program = match first.rsplit('/').next()? {
        "env" => words.find(|word| !word.starts_with('-') && !word.contains('='))?,
        name => name,
    };
    Some(format!("{} {}", shell_quote(program), shell_quote(path)))
}

/// The part of a file that is shown.
fn shown(file: &KitFile, truncated: bool) -> Result<SafeText, Failure> {
    if !truncated {
        return Ok(safe_text(&file.bytes()?, Show::Source));
    }
    let mut bytes = Vec::new();
    file.open()?.take(SHOWN).read_to_end(&mut bytes).map_err(|error| file.failure(&error))?;
    // The whole file is UTF-8, so only a character that was cut in two can be wrong here.
    let whole = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
    bytes.truncate(whole);
    let mut safe = safe_text(&bytes, Show::Source);
    if !safe.text.ends_with('\n') {
        safe.text.push('\n');
    }
    safe.text += &format!("⟨cut here: the first {SHOWN} of {} bytes are shown⟩\n", file.size);
    Ok(safe)
}

/// The finding about a character that readers would not see.
fn control_characters(kit: &Kit, file: &KitFile, safe: &SafeText) -> Option<Diagnostic> {
    let (c, line) = safe.hidden?;
    let at = format!("{}/{}", kit.source(), file.path);
    let message = format!(
        "{at}:{line} contains terminal or bidi control characters; shown as ⟨U+{:04X}⟩",
        u32::from(c)
    );
    let finding = Diagnostic::warning("SE503", message)
        .in_file(at, Some(line))
        .hint("remove it, or write it as an escape such as `\\033`");
    Some(finding)
}
