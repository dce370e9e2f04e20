//! `labdoc build` and `labdoc check`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::assess::{Assessed, assess};
use super::external::external;
use super::known::{Counts, Inputs, Record, known};
use super::quick::{Done, View, quick};
use super::said::{self, Said};
use super::unchanged::{LastBuild, shows_only_what_is_read};
use super::{Ended, find_root, plural};
use crate::check::{Wanted, links::Map};
use crate::cli::{BuildArgs, CheckArgs, Common, Console, Laps, Tally};
use crate::config::Config;
use crate::diag::{Diagnostic, Failure, Severity};
use crate::disk::{self, Listing};
use crate::html::{Diagrams, Highlight};
use crate::site::{Cards, Extent, PageCache, Site, Staging, Theme, Written, render};
use crate::source::Sources;
use crate::store::{self, Store};

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
        None => default_out(&root)?,
    };
    let shown = args.out.as_deref().unwrap_or(out.strip_prefix(&here).unwrap_or(&out));
    let last = LastBuild::of(&root, &out, args);
    let record = last.as_ref().and_then(LastBuild::record);
    let found = last.as_ref().map(|last| last.find(record.as_ref())).transpose()?;
    let inputs = last.as_ref().zip(found.as_ref());
    let inputs = inputs.map(|(last, found)| last.inputs(found, record.as_ref())).transpose()?;
    laps.lap("look at what the last build read");
    let left = last.as_ref().zip(record.as_ref()).zip(inputs.as_ref());
    if let Some(((last, record), inputs)) = left
        && let Some((findings, sources)) = said::findings(&record.said, &root)
        && let Some((counts, changed)) = since(last, (record, inputs), &laps)?
    {
        let tally = console.findings(&findings, &sources);
        laps.show(args.timings, console);
        return Ok(built(&counts, (changed, 0, tally.warnings), shown, console));
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
    let (found, wanted) = match rendered {
        Ok(rendered) => rendered,
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
    for kit in assessed.kits.iter().filter(|kit| !kit.left_out.is_empty()) {
        let paths: Vec<&str> = kit.left_out.iter().map(|left| left.path.as_str()).collect();
        console.say(&format!("left out of kit {}: {}", kit.name, paths.join(", ")));
    }
    for path in &committed.foreign {
        console.say(&format!("kept {path}, which labdoc did not write"));
    }
    if !store::is_own(&root) {
        console.say("kept nothing for the next build: .labdoc is not a folder of its own");
    }
    // What a build says besides, it says each time; pictures depend on the fonts of the machine.
    let is_plain = committed.foreign.is_empty()
        && assessed.kits.iter().all(|kit| kit.left_out.is_empty())
        && !assessed.book.config.file.book.cards;
    let is_kept = is_plain && shows_only_what_is_read(&root, &assessed.book.pages);
    let inputs = inputs.as_ref().filter(|inputs| is_kept && inputs.were_left(&root, None));
    let findings = sorted(&assessed);
    let said = inputs.and_then(|inputs| said(&findings, (&assessed.sources, inputs)));
    if let Some(((last, inputs), said)) = last.as_ref().zip(inputs).zip(said) {
        let folders = disk::stamps_below(&out, "", &Listing::default())?;
        let view = View::of(&assessed, wanted).map(|view| view.keep(&root)).unwrap_or_default();
        let outputs = known(&committed.written, &folders);
        last.keep(inputs, outputs, (assessed.book.pages.len(), view, said));
        laps.lap("note what was read and written");
    }
    laps.show(args.timings, console);
    let counts = Counts { pages: assessed.book.pages.len(), files: committed.files };
    let (changed, removed) = (committed.changed, committed.removed);
    Ok(built(&counts, (changed, removed, tally.warnings), shown, console))
}

/// Where the site is written when nobody says where. A link there may have come with the repository,
/// and lead to any folder of the user's.
fn default_out(root: &Path) -> Result<PathBuf, Failure> {
    let out = root.join("public");
    let Some(target) = disk::link_target(&out) else { return Ok(out) };
    Err(Failure::new(format!("public is a link to {target}"))
        .hint("if the site is to be written there, say so: labdoc build --out public"))
}

/// What can be said again without looking at more than files that are read; `None` where it is about
/// something else, such as a repository.
fn said<'a>(
    findings: &'a [Diagnostic],
    (sources, inputs): (&'a Sources, &Inputs<'_>),
) -> Option<Vec<Said<'a>>> {
    let said: Vec<Said<'a>> =
        findings.iter().map(|finding| Said::of(finding, sources)).collect::<Option<_>>()?;
    let is_of_files = |said: &Said<'_>| {
        said.text().is_none_or(|path| inputs.holds(path)) && !OUTSIDE.contains(&said.code())
    };
    said.iter().all(is_of_files).then_some(said)
}

/// Findings about a repository, or about what a link leads to: both may change unseen.
const OUTSIDE: &[&str] = &["PG015", "PG023", "PG024"];

/// What there is to do since the last build, done, if it is nothing or little: the counts of the
/// site, and how many files changed.
fn since(
    last: &LastBuild,
    (record, inputs): (&Record<'_>, &Inputs<'_>),
    laps: &Laps,
) -> Result<Option<Done>, Failure> {
    if inputs.changed.as_ref().is_none_or(|changed| !changed.is_empty()) {
        return quick(last, (record, inputs), laps);
    }
    let Some(outputs) = last.outputs(record) else { return Ok(None) };
    laps.lap("everything is as the last build read and wrote it");
    if !inputs.is_recorded || !outputs.is_recorded {
        last.keep(
            inputs,
            outputs.with(&last.out, &Written::new()),
            (record.pages, record.view, record.said.clone()),
        );
    }
    Ok(Some((record.counts(), 0)))
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
        let (found, _) = render_into(&assessed, &theme, &staging, (extent, None, &|_| ()), store)?;
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
    let settings = (&assessed.book.config, &assessed.sources);
    theme(&assessed.root, settings, None, &mut assessed.findings)
}

/// The theme of a site with these settings; `only` some templates of the default one, if that is
/// enough.
pub(super) fn theme(
    root: &Path,
    (config, sources): (&Config, &Sources),
    only: Option<&[&str]>,
    found: &mut Vec<Diagnostic>,
) -> Result<Theme, Failure> {
    let names = &config.file.book;
    let mut loaded = Theme::load(root, (&names.language, &names.languages), only)?;
    found.extend(loaded.diagnostics);
    found.extend(loaded.value.dress(config, sources));
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
) -> Result<(Vec<Diagnostic>, Wanted), Failure> {
    let map = Map { book: &assessed.book, kits: &assessed.kits, statics: &assessed.statics };
    let store = Arc::new(store);
    let (highlight, diagrams) =
        (Highlight::default(), Diagrams::kept(Arc::clone(&store), theme.face()));
    // Pictures stand at whole addresses, which a preview does not have.
    let names = &assessed.book.config.file.book;
    let wanted = cache.is_none() && names.cards && names.base_url.is_some();
    let cards = wanted.then(|| Cards::find(Arc::clone(&store), &theme.fonts())).flatten();
    let look = (theme, &highlight, &diagrams);
    let site = Site {
        extent,
        serve: cache.is_some(),
        cache,
        lap,
        cards: cards.as_ref(),
        ..Site::plain(&assessed.root, &map, &assessed.sources, &assessed.evidence, look)
    };
    let (mut findings, wanted_anchors) = render(&site, staging)?;
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
    Ok((findings, wanted_anchors))
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
