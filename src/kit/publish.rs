//! The published files of one kit, below `kit/<name>/`.

use super::archive::{Format, SUMS, pack_checked};
use super::content::Content;
use super::fetch::{fetch_ps1, fetch_sh};
use super::listing::{all_txt, index_txt, kit_json};
use super::tree::Kit;
use crate::diag::{Checked, Failure};

pub(crate) use super::listing::Claims;

/// What publishing takes besides the kit.
#[derive(Clone, Debug)]
pub(crate) struct PublishOptions {
    /// The site's address, where it is known.
    pub(crate) base_url: Option<String>,
    /// The time in archives, in Unix seconds.
    pub(crate) mtime: u64,
    /// The claims that used a file.
    pub(crate) claims: Claims,
}

impl Default for PublishOptions {
    fn default() -> PublishOptions {
        let mtime = super::archive::DEFAULT_MTIME;
        PublishOptions { base_url: None, mtime, claims: Claims::new() }
    }
}

/// One published file.
#[derive(Debug)]
pub(crate) struct Published {
    /// Path from the output's root.
    pub(crate) path: String,
    /// Its bytes.
    pub(crate) content: Content,
    /// Their number, and their digest.
    pub(crate) weight: (u64, String),
}

/// An archive as the kit's page shows it. Its digest may change with the encoder; the kit's
/// digest is the one that names the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArchiveFacts {
    /// File name.
    pub(crate) name: String,
    /// Bytes.
    pub(crate) size: u64,
    /// SHA-256 in hex.
    pub(crate) sha256: String,
}

/// All files of a kit that are no HTML, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Publication {
    /// The files.
    pub(crate) files: Vec<Published>,
    /// `tar.gz`, `zip`, and `all.txt`.
    pub(crate) archives: Vec<ArchiveFacts>,
}

/// Makes the files of `kit`. Findings: KT312, KT313, KT314.
pub(crate) fn publish(
    kit: &Kit,
    options: &PublishOptions,
) -> Result<Checked<Publication>, Failure> {
    let mut out = Checked::<Publication>::default();
    let script = fetch_sh(kit, options.base_url.as_deref());
    out.diagnostics.extend(script.diagnostics);
    let mut add = |path: &str, mut content: Content| -> Result<(), Failure> {
        let path = format!("kit/{}/{path}", kit.name);
        let weight = content.measure(kit)?;
        out.value.files.push(Published { path, content, weight });
        Ok(())
    };
    for (index, file) in kit.files.iter().enumerate() {
        add(&format!("files/{}", file.path), Content::File(index))?;
        add(&format!("text/{}.txt", file.path), Content::File(index))?;
    }
    add(&format!("files/{SUMS}"), Content::Bytes(kit.sums.clone().into_bytes()))?;
    add("INDEX.txt", Content::Bytes(index_txt(kit).into_bytes()))?;
    add("kit.json", Content::Bytes(kit_json(kit, &options.claims)?))?;
    add("fetch.sh", Content::Bytes(script.value.clone().into_bytes()))?;
    add("fetch.sh.txt", Content::Bytes(script.value.into_bytes()))?;
    let script = fetch_ps1(kit, options.base_url.as_deref()).into_bytes();
    add("fetch.ps1", Content::Bytes(script.clone()))?;
    add("fetch.ps1.txt", Content::Bytes(script))?;
    for (name, mut content) in large_files(kit, options.mtime, &mut out.diagnostics)? {
        let weight = content.measure(kit)?;
        let (size, sha256) = weight.clone();
        let path = format!("kit/{}/{name}", kit.name);
        out.value.files.push(Published { path, content, weight });
        out.value.archives.push(ArchiveFacts { name, size, sha256 });
    }
    out.value.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(out)
}

/// The generated files that are as large as the kit.
fn large_files(
    kit: &Kit,
    mtime: u64,
    findings: &mut Vec<crate::diag::Diagnostic>,
) -> Result<Vec<(String, Content)>, Failure> {
    let mut out = Vec::new();
    let pack = |format| move || (format, pack_checked(kit, format, mtime));
    let (archives, all) =
        rayon::join(|| rayon::join(pack(Format::TarGz), pack(Format::Zip)), || all_txt(kit));
    for (format, packed) in [archives.0, archives.1] {
        let packed = packed?;
        findings.extend(packed.diagnostics);
        if findings.iter().any(|found| found.code == "KT312") {
            // The other forms of the same files would only fail in the same way.
            return Ok(out);
        }
        out.push((format.file_name(kit), Content::Spooled(packed.value)));
    }
    out.push(("all.txt".to_owned(), Content::Spooled(all?)));
    Ok(out)
}

#[cfg(test)]
#[path = "publish_tests.rs"]
mod tests;
