//! `labdoc serve`.

use super::build::sorted;
use super::preview::{Last, Preview};
use super::{Ended, find_root};
use crate::cli::{Common, Console, ServeArgs};
use crate::diag::{Failure, Severity, render};
use crate::proc;
use crate::serve::{Address, Files, Later, Server, Watch};

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
    let mut preview = Preview::new(common, &args.check);
    let first = shown(preview.build(), console);
    server.show(first.files, (first.findings, first.errors));
    console.result(&format!("serving {}", server.url()));
    if args.open && !proc::open_in_browser(&server.url()) {
        console.say("no browser was found to open it");
    }
    while let Some(path) = watch.next()? {
        // What an editor is still writing is built in vain, and not shown.
        let mut built = preview.build().map(drop);
        while !watch.is_quiet()? {
            built = preview.build().map(drop);
        }
        let built = shown(built.and_then(|()| preview.last()), console);
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

/// What is shown of a build. Whatever went wrong is something to show, and the next change tries
/// again.
fn shown(built: Result<&Last, Failure>, console: &Console) -> Built {
    let last = match built {
        Ok(last) => last,
        Err(failure) => {
            console.failure(&failure);
            let text = format!("error: {}", failure.message);
            return Built { files: None, findings: vec![text], errors: 1 };
        }
    };
    let files = last.site.as_ref().map(|(files, index)| {
        let index = index.clone();
        // The index is made when somebody searches.
        (files.clone(), Some(Box::new(|| index.into_files()) as Later))
    });
    let findings = sorted(&last.assessed);
    let tally = console.findings(&findings, &last.assessed.sources);
    let shown = findings.iter().filter(|finding| finding.severity != Severity::Note);
    let findings = shown.map(|finding| render(finding, &last.assessed.sources, false)).collect();
    Built { files, findings, errors: tally.errors }
}
