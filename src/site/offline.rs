//! The whole site in one archive, to be opened from a disk. It is the site as it is online but
//! for canonical links, the site map and the way to the archive itself.

use std::fmt::Write as _;
use std::io::{self, Cursor, Seek as _};
use std::sync::LazyLock;

use rayon::prelude::*;
use regex::Regex;

use super::output::Staging;
use super::{Extent, Site};
use crate::diag::Failure;
use crate::digest::sha256_hex;
use crate::kit::pack::{DEFAULT_MTIME, Member, tar_gz, zip};

/// Files that only a server reads.
const ONLINE_ONLY: &[&str] = &[
    "404.html",
    "sitemap.xml",
    "robots.txt",
    "_headers",
    "nginx-snippet.conf",
    "s3-content-types.txt",
];

/// What stands in an unpacked copy for those who open it.
const README: &str = "\
This folder is a whole site that works without a network.

  1. Unpack the archive first; a page opened inside of it finds nothing.
  2. Open index.html in a browser.

Browsers that are installed as snap packages cannot read /tmp or folders whose names begin with a
dot: put the folder into your home. On Windows prefer a drive letter to \\\\server\\share, and a
short path to a deep one.

SHA256SUMS lists every file; in this folder: sha256sum -c SHA256SUMS
";

/// The parts of a page that only make sense online.
static ONLINE_PARTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:[ \t]*<link rel="canonical"[^>]*>\n?)|(?:\n?<p class="offline">.*?</p>)"#).ok()
});

/// Where the archives are published.
const FOLDER: &str = "offline";

/// The name of the folder in the archives: short, visible, in letters that every system and
/// every unpacker knows.
pub(super) fn top(site: &Site<'_>) -> String {
    let book = &site.book.config.file.book;
    let host = book.base_url.as_deref().and_then(|url| url.split("://").nth(1));
    let host = host.and_then(|rest| rest.split(['/', ':']).next()).unwrap_or("site");
    let of_title = plain(&book.title);
    let name = if of_title.len() > 2 { of_title } else { plain(host) };
    let version = book.version.as_deref().map(plain).filter(|version| !version.is_empty());
    version.map_or_else(|| format!("labdoc-{name}"), |version| format!("labdoc-{name}-{version}"))
}

/// A text in ASCII letters, digits and dots, with single hyphens between them.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.to_ascii_lowercase().chars().filter(char::is_ascii) {
        let c = if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        if c != '-' || (!out.is_empty() && !out.ends_with('-')) {
            out.push(c);
        }
    }
    out.truncate(24);
    out.trim_matches(['-', '.']).to_owned()
}

/// Whether the site has an offline copy.
pub(super) fn wanted(site: &Site<'_>) -> bool {
    site.book.config.file.offline.archive
}

/// Packs everything that is staged.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn archive(site: &Site<'_>, staging: &Staging) -> Result<(), Failure> {
    let names = staging.names();
    let top = top(site);
    if site.extent == Extent::Named {
        for name in [format!("{top}.tar.gz"), format!("{top}.zip"), "SHA256SUMS".to_owned()] {
            staging.claim(&format!("{FOLDER}/{name}"))?;
        }
        return Ok(());
    }
    let files: Result<Vec<File>, Failure> =
        names.par_iter().filter(|name| belongs(name)).map(|name| File::of(staging, name)).collect();
    let mut files = files?;
    files.push(File::made("OFFLINE-README.txt", README.to_owned()));
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let mut sums = String::new();
    for file in &files {
        // Writing to a string cannot fail.
        let _ = writeln!(sums, "{}  {}", file.digest, file.name);
    }
    files.push(File::made("SHA256SUMS", sums));
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let members = || files.iter().map(|file| file.member(staging, &top)).collect::<Vec<_>>();
    let packed =
        rayon::join(|| tar_gz(&members(), DEFAULT_MTIME), || zip(&members(), DEFAULT_MTIME));
    let mut list = String::new();
    for (ending, packed) in [("tar.gz", packed.0), ("zip", packed.1)] {
        let name = format!("{top}.{ending}");
        let failed = |error: &io::Error| {
            Failure::new(format!("the offline copy {name} cannot be packed: {error}"))
        };
        let mut archive = packed.map_err(|error| failed(&error))?;
        archive.rewind().map_err(|error| failed(&error))?;
        let path = format!("{FOLDER}/{name}");
        staging.put_from(&path, &mut archive)?;
        let _ = writeln!(list, "{}  {name}", staging.weigh(&path)?.1);
    }
    staging.put(&format!("{FOLDER}/SHA256SUMS"), list.as_bytes())
}

/// A file of the copy. What is in it is read when it is packed: a large site is no memory full.
struct File {
    name: String,
    size: u64,
    digest: String,
    /// Whether a reader starts it.
    starts: bool,
    /// What stands in it, where it is no file of the site.
    text: Option<String>,
}

impl File {
    /// A file of the site.
    fn of(staging: &Staging, name: &str) -> Result<File, Failure> {
        let bytes = offline_bytes(name, staging.read(name)?);
        let (size, digest) = (bytes.len() as u64, sha256_hex(&bytes));
        let starts = is_script(name, &bytes);
        Ok(File { name: name.to_owned(), size, digest, starts, text: None })
    }

    /// One that only the copy has.
    fn made(name: &str, text: String) -> File {
        let (name, size, digest) =
            (name.to_owned(), text.len() as u64, sha256_hex(text.as_bytes()));
        File { name, size, digest, starts: false, text: Some(text) }
    }

    /// It as a member of an archive.
    fn member<'a>(&'a self, staging: &'a Staging, top: &str) -> Member<'a> {
        Member {
            path: format!("{top}/{}", self.name),
            size: self.size,
            mode: if self.starts { 0o755 } else { 0o644 },
            open: Box::new(move || match &self.text {
                Some(text) => Ok(Box::new(text.as_bytes())),
                None => {
                    let bytes = staging.read(&self.name);
                    let bytes = bytes.map_err(|failure| io::Error::other(failure.message))?;
                    Ok(Box::new(Cursor::new(offline_bytes(&self.name, bytes))))
                }
            }),
        }
    }
}

/// Whether a file of the site is in the copy.
fn belongs(name: &str) -> bool {
    !name.starts_with("offline/") && !ONLINE_ONLY.contains(&name)
}

/// The bytes of a file in the copy.
fn offline_bytes(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    if !name.ends_with(".html") {
        return bytes;
    }
    match (std::str::from_utf8(&bytes), ONLINE_PARTS.as_ref()) {
        (Ok(text), Some(parts)) => parts.replace_all(text, "").into_owned().into_bytes(),
        _ => bytes,
    }
}

/// Whether it is a script of a kit or a run, which a reader starts.
fn is_script(name: &str, bytes: &[u8]) -> bool {
    let kept = name.starts_with("kit/") || name.starts_with("evidence/");
    kept && !name.ends_with(".txt") && bytes.starts_with(b"#!")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        let check = |text: &str, expect: &str| assert_eq!(plain(text), expect);
        check("Home lab: DNS & GSLB", "home-lab-dns-gslb");
        check("홈랩 기술 문서", "");
        check("홈랩 DNS 문서", "dns");
        check("0.3.0-rc.1", "0.3.0-rc.1");
        check("../../x", "x");
    }

    #[test]
    fn only_what_is_online_differs() {
        let page = "<head>\n<link rel=\"canonical\" href=\"https://x.org/\">\n</head>\n<footer>\n<p>a</p>\n<p class=\"offline\"><a href=\"offline/index.html\">b</a></p>\n</footer>";
        let copy = offline_bytes("index.html", page.as_bytes().to_vec());
        assert_eq!(
            String::from_utf8_lossy(&copy),
            "<head>\n</head>\n<footer>\n<p>a</p>\n</footer>"
        );
        assert_eq!(offline_bytes("x.txt", page.as_bytes().to_vec()), page.as_bytes());
        let kept = ["index.html", "kit/a/files/x"].map(belongs);
        assert_eq!(
            (kept, belongs("offline/a.zip"), belongs("sitemap.xml")),
            ([true; 2], false, false)
        );
    }
}
