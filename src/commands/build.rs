//! `labdoc build` and `labdoc check`.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::assess::{Assessed, assess};
use super::external::external;
use super::unchanged::{Counts, LastBuild};
use super::{Ended, find_root, plural};
use crate::check::links::Map;
use crate::cli::{BuildArgs, CheckArgs, Common, Console, Laps, Tally};
use crate::diag::{Diagnostic, Failure, Severity};
use crate::disk;
use crate::html::{Diagrams, Highlight};
use crate::site::{Cards, Extent, PageCache, Site, Staging, Theme, render};
use crate::store::Store;

/// Builds the site.
///
/// # Errors
/// Something cannot be read or written.
pub(crate) fn build(
    common: &Common,
    args: &BuildArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    let laps = Laps::start();
    let root = find_root(common)?;
    // A folder that was named is meant from where the user stands, as in every other command.
    let here = disk::current_folder()?;
    let out = match &args.out {
        Some(named) => here.join(named),
        None => root.join("public"),
    };
    let shown = args.out.as_deref().unwrap_or(out.strip_prefix(&here).unwrap_or(&out));
    let last = LastBuild::of(&root, &out, args)?;
    if let Some(counts) = last.as_ref().and_then(LastBuild::still_stands) {
        laps.lap("everything is as the last build read and wrote it");
        laps.show(args.timings, console);
        return Ok(built(&counts, (0, 0, 0), shown, console));
    }
    let mut assessed = assess(common, &args.check)?;
    laps.lap("read and judge");
    let theme = load_theme(&mut assessed)?;
    let before = has_errors(&assessed.findings);
    if before {
        let tally = show(&assessed, console);
        return Ok(finish(tally, "nothing was written", console));
    }
    let staging = Staging::begin(&out)?;
    let rendered = render_into(
        &assessed,
        &theme,
        &staging,
        (Extent::Whole, None, &|name| laps.lap(name)),
        Store::of(&assessed.root),
    );
    let found = match rendered {
        Ok(found) => found,
        Err(failure) => {
            staging.discard()?;
            return Err(failure);
        }
    };
    assessed.findings.extend(found);
    let tally = show(&assessed, console);
    if tally.errors > 0 {
        staging.discard()?;
        return Ok(finish(tally, "nothing was written", console));
    }
    let committed = staging.commit()?;
    laps.lap("move into place");
    laps.show(args.timings, console);
    for kit in assessed.kits.iter().filter(|kit| !kit.left_out.is_empty()) {
        let paths: Vec<&str> = kit.left_out.iter().map(|left| left.path.as_str()).collect();
        console.say(&format!("left out of kit {}: {}", kit.name, paths.join(", ")));
    }
    for path in &committed.foreign {
        console.say(&format!("kept {path}, which labdoc did not write"));
    }
    // What a build says besides, it says each time; pictures depend on the fonts of the machine.
    let is_quiet = assessed.findings.is_empty() && committed.foreign.is_empty();
    let is_plain = assessed.kits.iter().all(|kit| kit.left_out.is_empty())
        && !assessed.book.config.file.book.cards;
    if let Some(last) = last.filter(|_| is_quiet && is_plain) {
        last.keep(&assessed.book.pages, &committed.written);
    }
    let counts = Counts { pages: assessed.book.pages.len(), files: committed.files };
    let (changed, removed) = (committed.changed, committed.removed);
    Ok(built(&counts, (changed, removed, tally.warnings), shown, console))
}

/// The last line of a build that went well.
fn built(
    Counts { pages, files }: &Counts,
    (changed, removed, warnings): (usize, usize, usize),
    shown: &Path,
    console: &Console,
) -> Ended {
    let sentence = format!(
        "{}, {} ({changed} changed, {removed} removed) in {}",
        plural(*pages, "page"),
        plural(*files, "file"),
        shown.display()
    );
    console.summary(
        &sentence,
        &json!({
            "outcome": "clean", "pages": pages, "files": files, "changed": changed,
            "removed": removed, "errors": 0, "warnings": warnings,
        }),
    );
    Ended::Clean
}

/// All findings of a build; nothing is written that stays.
///
/// # Errors
/// Something cannot be read.
pub(crate) fn check(
    common: &Common,
    args: &CheckArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    let mut assessed = assess(common, &args.check)?;
    let theme = load_theme(&mut assessed)?;
    if args.external {
        let found = external(&assessed, console)?;
        assessed.findings.extend(found);
    }
    if !has_errors(&assessed.findings) {
        let scratch = disk::temporary_folder("labdoc-check-")?;
        let staging = Staging::in_memory(&scratch.path().join("site"));
        let extent = if theme.is_default { Extent::Named } else { Extent::Whole };
        let store = Store::fixed(&assessed.root);
        let found = render_into(&assessed, &theme, &staging, (extent, None, &|_| ()), store)?;
        assessed.findings.extend(found);
    } else {
        // The pages would have said it, but with an error they are not made.
        for kit in &assessed.kits {
            for at in 0..kit.files.len() {
                assessed.findings.extend(crate::kit::viewer(kit, at)?.findings);
            }
        }
    }
    let tally = show(&assessed, console);
    Ok(finish(tally, "checked", console))
}

/// The theme of the book, with its findings among the others.
pub(super) fn load_theme(assessed: &mut Assessed) -> Result<Theme, Failure> {
    let names = &assessed.book.config.file.book;
    let mut loaded = Theme::load(&assessed.root, &names.language, &names.languages)?;
    assessed.findings.extend(loaded.diagnostics);
    assessed.findings.extend(loaded.value.dress(&assessed.book.config, &assessed.sources));
    Ok(loaded.value)
}

/// Is told the name of each part of the work when it is done.
type Lap<'a> = dyn Fn(&str) + Sync + 'a;

/// Renders the site, or the part of it that can hold a fault; with a cache it is a preview.
/// `store` holds what earlier builds made.
pub(super) fn render_into(
    assessed: &Assessed,
    theme: &Theme,
    staging: &Staging,
    (extent, cache, lap): (Extent, Option<&PageCache>, &Lap<'_>),
    store: Store,
) -> Result<Vec<Diagnostic>, Failure> {
    let map = Map { book: &assessed.book, kits: &assessed.kits, statics: &assessed.statics };
    let store = Arc::new(store);
    let (highlight, diagrams) =
        (Highlight::default(), Diagrams::kept(Arc::clone(&store), theme.face()));
    // Pictures stand at whole addresses, which a preview does not have.
    let names = &assessed.book.config.file.book;
    let wanted = cache.is_none() && names.cards && names.base_url.is_some();
    let cards = wanted.then(|| Cards::find(Arc::clone(&store), &theme.fonts())).flatten();
    let site = Site {
        root: &assessed.root,
        book: &assessed.book,
        sources: &assessed.sources,
        kits: &assessed.kits,
        map: &map,
        theme,
        language: &assessed.book.config.file.book.language,
        evidence: &assessed.evidence,
        highlight: &highlight,
        extent,
        serve: cache.is_some(),
        cache,
        lap,
        diagrams: &diagrams,
        cards: cards.as_ref(),
    };
    let mut findings = render(&site, staging)?;
    if wanted && cards.is_none() {
        let message = "no Korean font is installed; pages get no pictures for links (og:image)";
        let finding = Diagnostic::warning("IM002", message).in_file("book.toml", None);
        let hint = "install one, such as fonts-noto-cjk or fonts-nanum, or name a .ttf or .otf as \
                    `font` under [theme]";
        findings.push(finding.hint(hint));
    }
    if !has_errors(&findings) {
        store.tidy();
    }
    Ok(findings)
}

/// Whether something stands against a build.
pub(super) fn has_errors(findings: &[Diagnostic]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// Shows the findings in the order of their places; one that was found twice is shown once.
fn show(assessed: &Assessed, console: &Console) -> Tally {
    console.findings(&sorted(assessed), &assessed.sources)
}

/// The findings in the order of their places, each once.
pub(super) fn sorted(assessed: &Assessed) -> Vec<Diagnostic> {
    let mut findings = assessed.findings.clone();
    findings.sort_by(|a, b| {
        let key = |f: &Diagnostic| (f.place.clone(), f.severity, f.code, f.message.clone());
        key(a).cmp(&key(b))
    });
    findings.dedup();
    findings
}

/// The last line of a build that wrote nothing, and of a check.
fn finish(tally: Tally, what: &str, console: &Console) -> Ended {
    let Tally { errors, warnings } = tally;
    let sentence = format!("{what}: {}, {}", plural(errors, "error"), plural(warnings, "warning"));
    let outcome = if errors > 0 { "findings" } else { "clean" };
    console.summary(
        &sentence,
        &json!({
            "outcome": outcome, "errors": errors, "warnings": warnings,
        }),
    );
    if errors > 0 { Ended::Findings } else { Ended::Clean }
}
