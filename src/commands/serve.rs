//! `labdoc serve`.

use super::assess::assess;
use super::build::{has_errors, load_theme, render_into, sorted};
use super::{Ended, find_root};
use crate::cli::{Common, Console, ServeArgs};
use crate::diag::{Failure, Severity, render};
use crate::serve::{Address, Files, Later, Server, Watch};
use crate::site::{Extent, PageCache, Staging};
use crate::store::Store;
use crate::{disk, proc};

/// Shows the site while it is written, until a signal ends it.
///
/// # Errors
/// There is no site, the port is taken, or the system does not let us watch.
pub(crate) fn serve(
    common: &Common,
    args: &ServeArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    let root = find_root(common)?;
    let mut base = args.base.trim_matches('/').to_owned();
    if !base.is_empty() {
        base.push('/');
    }
    let mut watch = Watch::start(&root)?;
    let server = Server::start(&Address { port: args.port, base })?;
    let cache = PageCache::default();
    let first = build(common, args, (console, &cache));
    server.show(first.files, (first.findings, first.errors));
    console.result(&format!("serving {}", server.url()));
    if args.open && !proc::open_in_browser(&server.url()) {
        console.say("no browser was found to open it");
    }
    while let Some(path) = watch.next()? {
        let built = build(common, args, (console, &cache));
        let errors = built.errors;
        let changed = server.show(built.files, (built.findings, errors));
        console.say(&match errors {
            0 => format!("{path} changed: {changed} files are new"),
            _ => format!("{path} changed: errors; the last good site stays"),
        });
    }
    Ok(Ended::Clean)
}

/// A build in memory.
struct Built {
    files: Option<(Files, Option<Later>)>,
    findings: Vec<String>,
    errors: usize,
}

/// Builds; whatever goes wrong is something to show, and the next change tries again.
fn build(common: &Common, args: &ServeArgs, (console, cache): (&Console, &PageCache)) -> Built {
    match try_build(common, args, (console, cache)) {
        Ok(built) => built,
        Err(failure) => {
            console.failure(&failure);
            let text = format!("error: {}", failure.message);
            Built { files: None, findings: vec![text], errors: 1 }
        }
    }
}

/// Builds, or says why it cannot be done.
fn try_build(
    common: &Common,
    args: &ServeArgs,
    (console, cache): (&Console, &PageCache),
) -> Result<Built, Failure> {
    let mut assessed = assess(common, &args.check)?;
    let theme = load_theme(&mut assessed)?;
    let mut files = None;
    if !has_errors(&assessed.findings) {
        let scratch = disk::temporary_folder("labdoc-serve-")?;
        let staging = Staging::in_memory(scratch.path());
        let found = render_into(
            &assessed,
            &theme,
            &staging,
            (Extent::Whole, Some(cache), &|_| ()),
            Store::of(&assessed.root),
        )?;
        assessed.findings.extend(found);
        if !has_errors(&assessed.findings) {
            let (made, search) = staging.into_files()?;
            // The index is made when somebody searches.
            let later = search.map(|index| Box::new(|| index.into_files()) as Later);
            files = Some((made, later));
        }
    }
    let findings = sorted(&assessed);
    let tally = console.findings(&findings, &assessed.sources);
    let shown = findings.iter().filter(|finding| finding.severity != Severity::Note);
    let findings = shown.map(|finding| render(finding, &assessed.sources, false)).collect();
    Ok(Built { files, findings, errors: tally.errors })
}
