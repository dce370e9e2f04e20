//! Which names a kit may have in it: names that exist on every system, that stay apart there,
//! and that labdoc does not need for its own files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

use super::tree::{Kit, LABKIT};
use crate::diag::Diagnostic;
use crate::disk::check_relative;

/// Names that labdoc writes into every folder (`index` would get the viewer `index.html`).
const RESERVED: [&str; 3] = ["index.html", "index", "sha256sums"];

/// A path in the form in which paths are published and compared.
pub(crate) fn nfc(text: &str) -> String {
    text.nfc().collect()
}

/// What macOS and Windows make of a path when they compare it. Upper case comes first, because
/// some small letters (`ß`, `ſ`, `ς`) only meet there.
pub(super) fn folded(path: &str) -> String {
    let upper: String = path.nfd().flat_map(char::to_uppercase).collect();
    upper.chars().flat_map(char::to_lowercase).nfc().collect()
}

/// The findings about the names in a kit, and about its own name and version.
pub(super) fn check(kit: &Kit) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let paths: BTreeSet<&str> = kit.files.iter().map(|file| file.path.as_str()).collect();
    out.extend(check_version(kit));
    out.extend(paths.iter().filter_map(|path| check_path(kit, path)));
    out.extend(twins(&kit.source(), kit.files.iter().map(|file| file.path.as_str())));
    out.extend(paths.iter().filter_map(|path| check_reserved(kit, path)));
    out.extend(viewer_clashes(kit));
    out
}

/// The findings about the names of kits.
pub(super) fn check_kit_names(names: &[String]) -> Vec<Diagnostic> {
    let mut out = twins(LABKIT, names.iter().map(String::as_str));
    for name in names {
        let at = format!("{LABKIT}/{name}");
        if let Err(fault) = check_relative(&nfc(name)) {
            let message = format!("kit name {name:?} {}", fault.reason());
            out.push(
                Diagnostic::error("KT303", message).in_file(at, None).hint("rename the folder"),
            );
        } else if RESERVED.contains(&folded(name).as_str()) {
            out.push(reserved(&at));
        }
    }
    out
}

/// The finding for a version that cannot stand in a file name and an address.
fn check_version(kit: &Kit) -> Option<Diagnostic> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-');
    let version = &kit.version;
    let fine = version.starts_with(|c: char| c.is_ascii_alphanumeric())
        && version.chars().all(plain)
        && !version.ends_with('.');
    (!fine).then(|| {
        let message = format!("version {version:?} of kit {} cannot name a file", kit.name);
        Diagnostic::error("KT303", message)
            .in_file(kit.source(), None)
            .hint("use letters, digits and `.`, `_`, `+`, `-`, beginning with a letter or digit")
    })
}

/// The finding for a path that cannot exist everywhere, or not in a tar header.
fn check_path(kit: &Kit, path: &str) -> Option<Diagnostic> {
    let reason = match check_relative(path) {
        Err(fault) => fault.reason(),
        Ok(()) if !fits_tar(&format!("{}/{path}", kit.top())) => {
            "is too long in UTF-8 for the header of an archive (100 bytes a name)".into()
        }
        Ok(()) => return None,
    };
    let finding = Diagnostic::error("KT303", format!("kit path {path:?} {reason}"))
        .in_file(format!("{}/{path}", kit.source()), None)
        .hint("rename it; the kit must unpack on Linux, macOS and Windows");
    Some(finding)
}

/// Whether a path has room in a ustar header.
fn fits_tar(path: &str) -> bool {
    tar::Header::new_ustar().set_path(path).is_ok()
}

/// Paths, or folders on the way to them, that are one on macOS and Windows.
fn twins<'a>(source: &str, paths: impl Iterator<Item = &'a str>) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let mut out = Vec::new();
    let mut last: Option<&str> = None;
    for path in paths {
        // Only NFC can make two equal paths, from two names that differed on the disk.
        if last == Some(path) {
            out.push(twin(source, path, path));
        }
        last = Some(path);
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for prefix in ends.map(|end| &path[..end]) {
            let first = seen.entry(folded(prefix)).or_insert(prefix);
            if *first != prefix {
                out.push(twin(source, first, prefix));
                break;
            }
        }
    }
    out
}

/// The finding for two names that are one.
fn twin(source: &str, first: &str, second: &str) -> Diagnostic {
    let message = format!(
        "{source}/{first} and {source}/{second} are one file on macOS and Windows (case or Unicode form)"
    );
    Diagnostic::error("KT305", message)
        .in_file(format!("{source}/{second}"), None)
        .hint("rename one of them")
}

/// The finding for a name that labdoc needs.
fn check_reserved(kit: &Kit, path: &str) -> Option<Diagnostic> {
    let taken = path.split('/').any(|part| RESERVED.contains(&folded(part).as_str()));
    taken.then(|| reserved(&format!("{}/{path}", kit.source())))
}

/// The finding for a reserved name.
fn reserved(at: &str) -> Diagnostic {
    Diagnostic::error("KT306", format!("{at} is a name labdoc generates"))
        .in_file(at, None)
        .note("every published folder gets an index.html, and the kit a SHA256SUMS")
        .hint("rename it")
}

/// A file `a` and a folder `a.html` (or `a.txt`) need one name for the viewer and the folder.
fn viewer_clashes(kit: &Kit) -> Vec<Diagnostic> {
    let viewers: BTreeSet<String> = (kit.files.iter())
        .flat_map(|file| [format!("{}.html", file.path), format!("{}.txt", file.path)])
        .map(|path| folded(&path))
        .collect();
    let folders: BTreeSet<&str> = (kit.files.iter())
        .flat_map(|file| file.path.match_indices('/').map(|(at, _)| &file.path[..at]))
        .collect();
    (folders.into_iter())
        .filter(|folder| viewers.contains(&folded(folder)))
        .map(|folder| reserved(&format!("{}/{folder}", kit.source())))
        .collect()
}

/// The finding for a link, a pipe, a socket or a device.
pub(super) fn not_published(at: &str, disk: &Path) -> Diagnostic {
    let what = match crate::disk::link_target(disk) {
        Some(target) => format!("a symbolic link to {target}; links are not published"),
        None => "neither a file nor a folder; only those are published".to_owned(),
    };
    Diagnostic::error("KT304", format!("{at} is {what}"))
        .in_file(at, None)
        .hint("put a copy of the file there, or name it in a .gitignore of the kit")
}

/// The finding for a name that is no text.
pub(super) fn not_utf8(source: &str, disk: &Path) -> Diagnostic {
    let name = disk.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let at = format!("{source}/{name}");
    Diagnostic::error("KT303", format!("kit path {name:?} is no UTF-8"))
        .in_file(at, None)
        .hint("rename it")
}
