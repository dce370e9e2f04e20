//! `fetch.sh` and `fetch.ps1`: small scripts that fetch the kit file by file and keep nothing that
//! is not what was published. Readers are told to read them before they run them, so they stay
//! short.

use super::tree::Kit;
use crate::diag::{Checked, Diagnostic};

/// The script for `kit`. `base_url` is the site's address; without one the script asks for it.
pub(super) fn fetch_sh(kit: &Kit, base_url: Option<&str>) -> Checked<String> {
    let url = base_url.filter(|url| is_https(url)).map(|url| kit_url(kit, url));
    let diagnostics = if url.is_some() { Vec::new() } else { vec![no_address(kit, base_url)] };
    let script = include_str!("fetch.sh")
        .replace("@TITLE@", &kit.top())
        .replace("@URL@", &shell_quote(&url.unwrap_or_default()))
        .replace("@DIGEST@", &kit.digest)
        .replace("@SCRIPTS@", &script_arms(kit))
        .replace("@TOP@", &shell_quote(&kit.top()));
    Checked { value: script, diagnostics }
}

/// The same for PowerShell, from the one that Windows brings to the newest.
pub(super) fn fetch_ps1(kit: &Kit, base_url: Option<&str>) -> String {
    let url = base_url.filter(|url| is_https(url)).map(|url| kit_url(kit, url));
    let title: String = kit.top().chars().filter(char::is_ascii).collect();
    include_str!("fetch.ps1")
        .replace("@TITLE@", &title)
        .replace("@URL@", &powershell_quote(&url.unwrap_or_default()))
        .replace("@DIGEST@", &kit.digest)
        .replace("@TOP@", &powershell_quote(&kit.top()))
}

/// A word for PowerShell that means exactly `text`. Windows PowerShell reads a script in the
/// system's old encoding, so that other letters than those of ASCII are written by their numbers.
fn powershell_quote(text: &str) -> String {
    if text.is_ascii() {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
    format!("([Text.RegularExpressions.Regex]::Unescape('{}'))", units.collect::<String>())
}

/// The address of the kit's folder below the site's address.
pub(super) fn kit_url(kit: &Kit, base_url: &str) -> String {
    format!("{}/kit/{}", base_url.trim_end_matches('/'), crate::address::encode(&kit.name))
}

/// Whether an address is one that a script may be pinned to.
pub(super) fn is_https(url: &str) -> bool {
    url.strip_prefix("https://").is_some_and(|rest| !rest.is_empty())
}

/// A word for the shell that means exactly `text`.
pub(super) fn shell_quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._/:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The arms of the script's list of scripts, as in `kit.json`.
fn script_arms(kit: &Kit) -> String {
    let scripts = kit.files.iter().filter(|file| file.executable);
    scripts.map(|file| format!("    {}) return 0 ;;\n", shell_quote(&file.path))).collect()
}

/// The finding when the script cannot know its address.
fn no_address(kit: &Kit, base_url: Option<&str>) -> Diagnostic {
    let (message, next) = match base_url {
        None => ("base_url is not set".to_owned(), "set `base_url` in book.toml"),
        Some(url) => (format!("base_url {url:?} is not https"), "use an https address"),
    };
    let message = format!("{message}; fetch.sh asks for the address (`sh fetch.sh URL`)");
    Diagnostic::warning("KT314", message).in_file(kit.source(), None).hint(next)
}

#[cfg(test)]
#[path = "fetch_tests.rs"]
pub(super) mod tests;
