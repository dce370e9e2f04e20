//! Whether a site whose pages were checked still works from a disk when some of them are others.

use std::collections::BTreeMap;

use super::offline::{Facts, Read, Wanted, facts, has_anchor, is_generated};
use super::places::IsThere;
use crate::diag::Failure;

/// Checks some files of a site whose others stand as they were checked, `wanted` anchors included,
/// and adds the anchors that they ask for. Whether there is nothing to find.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn is_offline_still(
    is_there: &IsThere<'_>,
    changed: &BTreeMap<String, Vec<u8>>,
    wanted: &mut Wanted,
    read: &Read<'_>,
) -> Result<bool, Failure> {
    let mut known: BTreeMap<String, Facts> = BTreeMap::new();
    let look = |name: &str, bytes: &[u8]| facts(name, &String::from_utf8_lossy(bytes), is_there);
    for (name, bytes) in changed.iter().filter(|(name, _)| is_generated(name)) {
        known.insert(name.clone(), look(name, bytes));
    }
    let mut asked: Vec<(String, String)> = Vec::new();
    for (name, facts) in &known {
        let here = wanted.get(name).into_iter().flatten();
        if !facts.found.is_empty()
            || !facts.broken.is_empty()
            || !here.into_iter().all(|fragment| has_anchor(facts, name, fragment))
        {
            return Ok(false);
        }
        asked.extend(facts.links.iter().map(|(path, id, _)| (path.clone(), id.clone())));
    }
    for (path, fragment) in asked {
        if wanted.get(&path).is_some_and(|known| known.contains(&fragment)) {
            continue;
        }
        if !known.contains_key(&path)
            && is_generated(&path)
            && let Some(bytes) = read(&path)?
        {
            known.insert(path.clone(), look(&path, &bytes));
        }
        if known.get(&path).is_some_and(|facts| !has_anchor(facts, &path, &fragment)) {
            return Ok(false);
        }
        wanted.entry(path).or_default().insert(fragment);
    }
    Ok(true)
}

#[cfg(test)]
#[path = "still_tests.rs"]
mod tests;
