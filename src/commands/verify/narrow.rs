//! Fewer pages: `--since`, `--stale`, `--shard`.

use std::collections::BTreeSet;

use super::super::assess::assess;
use super::choose::Loaded;
use crate::book::{Page, folder_of};
use crate::cli::{AssessArgs, Common, VerifyArgs};
use crate::diag::Failure;
use crate::evidence::Environment;
use crate::kit::{Kit, KitOptions, visible};
use crate::proc;
use crate::verify::order::Graph;

/// What is left of the chosen pages.
///
/// # Errors
/// git or the evidence cannot be asked.
pub(super) fn narrow(
    common: &Common,
    args: &VerifyArgs,
    loaded: &Loaded,
    mut chosen: Vec<usize>,
) -> Result<Vec<usize>, Failure> {
    let book = &loaded.book.value;
    if let Some(commit) = &args.since {
        let changed = changed_since(loaded, commit)?;
        let mut left = Vec::new();
        for at in chosen {
            if is_changed(loaded, &book.pages[at], &changed)? {
                left.push(at);
            }
        }
        chosen = left;
    }
    if args.stale {
        let bundles = stale_bundles(common)?;
        let bundle = |page: &Page| page.front.verify.as_ref().and_then(|v| v.bundle.clone());
        chosen.retain(|at| bundle(&book.pages[*at]).is_some_and(|id| bundles.contains(&id)));
    }
    if let Some(shard) = args.shard {
        let own = Graph::of(book, &chosen).shard(shard);
        chosen = own.into_iter().map(|at| chosen[at]).collect();
    }
    Ok(chosen)
}

/// Paths from the root that differ from a commit, files that git does not know among them.
fn changed_since(loaded: &Loaded, commit: &str) -> Result<BTreeSet<String>, Failure> {
    let diff = ["diff", "--name-only", "--relative", "-z", "--end-of-options", commit, "--", "."];
    let new = ["ls-files", "--others", "--exclude-standard", "-z", "--", "."];
    let mut paths = BTreeSet::new();
    for args in [diff.as_slice(), new.as_slice()] {
        let answer = proc::capture("git", args, &loaded.root).map_err(|error| {
            Failure::new(format!("--since asks git, which cannot be run: {error}"))
        })?;
        if !answer.success {
            let said = String::from_utf8_lossy(&answer.stderr);
            let said = said.lines().next().unwrap_or("it failed").to_owned();
            return Err(Failure::new(format!("--since {commit}: git says: {said}")));
        }
        let names = String::from_utf8_lossy(&answer.stdout).into_owned();
        paths.extend(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned));
    }
    Ok(paths)
}

/// Whether one of a page's inputs is among the changed paths: the page, the claims beside it, the
/// files that its fences show, the kit files that its run sees.
fn is_changed(loaded: &Loaded, page: &Page, changed: &BTreeSet<String>) -> Result<bool, Failure> {
    let folder = folder_of(&page.path);
    let claims =
        if folder.is_empty() { "claims.yaml".into() } else { format!("{folder}/claims.yaml") };
    let shown = page.blocks.iter().filter_map(|block| block.attributes.get("include"));
    let own = [page.path.clone(), claims];
    if own.into_iter().chain(shown.map(|pair| pair.value.clone())).any(|p| changed.contains(&p)) {
        return Ok(true);
    }
    let Some(name) = &page.front.kit else { return Ok(false) };
    let prefix = format!("labkit/{name}/");
    let in_kit: Vec<&str> = changed.iter().filter_map(|path| path.strip_prefix(&prefix)).collect();
    if in_kit.is_empty() {
        return Ok(false);
    }
    let kit =
        Kit::load(&loaded.root, name, &KitOptions::of(&loaded.book.value.config, name))?.value;
    let uses = page.front.verify.as_ref().map(|verify| verify.uses.clone()).unwrap_or_default();
    let seen: BTreeSet<String> =
        visible(&kit, &uses)?.into_iter().map(|file| file.path.clone()).collect();
    // A file that is gone is no longer in the kit, and whether the run saw it nobody can tell.
    let gone = |path: &str| !kit.files.iter().any(|file| file.path == path);
    Ok(in_kit.into_iter().any(|path| seen.contains(path) || gone(path)))
}

/// The bundles that no longer show what they were recorded for: those that rest on other blocks
/// or kit files than there are now, that are missing, that did not pass, or that a claim rests on
/// which does not stand.
fn stale_bundles(common: &Common) -> Result<BTreeSet<String>, Failure> {
    let args = AssessArgs { release: false, drafts: true, as_of: None };
    let assessed = assess(common, &args)?;
    let evidence = &assessed.evidence;
    let mut stale = evidence.stale_bundles.clone();
    stale.extend(evidence.changed_blocks.iter().map(|(bundle, _)| bundle.clone()));
    for claim in &evidence.claims {
        let stands = evidence.states.get(&claim.id).is_none_or(|state| state.word.stands());
        if !stands {
            stale.extend(claim.bundles().into_iter().map(str::to_owned));
        }
    }
    let named = assessed
        .book
        .pages
        .iter()
        .filter_map(|page| page.front.verify.as_ref().and_then(|verify| verify.bundle.clone()));
    for id in named {
        let newest = evidence.bundles.get(&id).and_then(|b| b.newest_in(&Environment::new()));
        let passed =
            newest.is_some_and(|run| run.verdict.outcome == crate::evidence::Outcome::Pass);
        if !passed {
            stale.insert(id);
        }
    }
    Ok(stale)
}
