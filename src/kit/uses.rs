//! The part of a kit that a page declares: `uses: ["lab", "configs/**"]`.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::tree::{Kit, KitFile};
use crate::diag::Failure;

/// The files of `kit` that `uses` names; all of them when it names none. `*` stops at a slash.
///
/// # Errors
/// A pattern that cannot be read.
pub(crate) fn visible<'k>(kit: &'k Kit, uses: &[String]) -> Result<Vec<&'k KitFile>, Failure> {
    let set = glob_set(uses)?;
    Ok(kit.files.iter().filter(|file| uses.is_empty() || set.is_match(&file.path)).collect())
}

/// The patterns as one set.
fn glob_set(patterns: &[String]) -> Result<GlobSet, Failure> {
    let fault = |error: globset::Error| Failure::new(format!("`uses`: {error}"));
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(GlobBuilder::new(pattern).literal_separator(true).build().map_err(fault)?);
    }
    set.build().map_err(fault)
}
