//! `labdoc doctor`: what labdoc finds on this machine, in a form that can be pasted into an issue.

use serde_json::json;

use super::{Ended, find_root};
use crate::book::{Book, LoadOptions, Need, load};
use crate::cli::{Common, Console, DoctorArgs};
use crate::diag::Failure;
use crate::disk;
use crate::proc::{System, variable};
use crate::secrets::scan;
use crate::site::Cards;
use crate::source::Sources;
use crate::store::Store;
use crate::verify::guard::{Choice, TrustList, choose};
use crate::verify::needs::Probe;

/// What labdoc itself starts: bash for blocks; the others only where a page or a command asks.
const OWN_TOOLS: &[&str] = &["bash", "git", "kubectl"];

/// One line of the report.
struct Line {
    about: &'static str,
    says: String,
}

/// What is found, and whether something is missing without which labdoc cannot work.
#[derive(Default)]
struct Report {
    lines: Vec<Line>,
    is_broken: bool,
}

impl Report {
    /// Adds a line.
    fn add(&mut self, about: &'static str, says: impl Into<String>) {
        self.lines.push(Line { about, says: harmless(&says.into()) });
    }

    /// Adds a line about something that has to be repaired.
    fn broken(&mut self, about: &'static str, says: String) {
        self.is_broken = true;
        self.add(about, says);
    }
}

/// Looks at the machine, and at the book where there is one.
///
/// # Errors
/// The list of trusted clusters, or a folder that was named, cannot be read.
pub(crate) fn doctor(
    common: &Common,
    args: &DoctorArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    let mut report = Report::default();
    program(&mut report);
    terminal(&mut report, console);
    temporary(&mut report);
    let mut needs: Vec<Need> = Vec::new();
    match find_root(common) {
        Ok(root) => {
            let mut sources = Sources::default();
            let loaded = load(&root, &mut sources, LoadOptions { drafts: true })?;
            let findings = loaded.diagnostics.len();
            needs = needed(&loaded.value);
            report.add("book", book(&loaded.value, findings));
            let (entries, bytes) = Store::of(&root).extent();
            report.add("cache", format!("{entries} entries, {} KiB", bytes / 1024));
            let free = disk::lock(&root)?.is_some();
            let writer = if free { "nobody" } else { "another labdoc writes pages or evidence" };
            report.add("lock", writer);
        }
        Err(failure) if common.root.is_some() => return Err(failure),
        Err(_) => report.add("book", "none here"),
    }
    tools(&mut report, &needs);
    cluster(&mut report, args.cluster)?;
    let font = Cards::font().unwrap_or("no Korean font: pages get no pictures for links");
    report.add("fonts", font);
    show(&report, console);
    Ok(if report.is_broken { Ended::Findings } else { Ended::Clean })
}

/// labdoc and the system.
fn program(report: &mut Report) {
    let drawings = if cfg!(feature = "mermaid") { "with" } else { "without" };
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let version = env!("CARGO_PKG_VERSION");
    report.add("labdoc", format!("{version}, {build} build, {drawings} diagrams"));
    let System { name, release, machine } = System::here();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    report.add("system", format!("{name} {release} {machine}, {processors} processors"));
}

/// What the console would do.
fn terminal(report: &mut Report, console: &Console) {
    let is = |yes: bool| if yes { "a terminal" } else { "no terminal" };
    let value = |name: &str| match variable(name) {
        Some(value) => format!("{name}={}", value.to_string_lossy()),
        None => format!("{name} is not set"),
    };
    let colour = if console.has_colour() { "in colour" } else { "without colour" };
    report.add(
        "terminal",
        format!("{}, {colour}, {}, {}", is(console.is_terminal()), value("TERM"), value("LANG")),
    );
    // Names alone: a value may be a secret.
    let own: Vec<&str> =
        ["LABDOC_LOG", "NO_COLOR", "SOURCE_DATE_EPOCH", "KUBECONFIG", "XDG_CONFIG_HOME", "TMPDIR"]
            .into_iter()
            .filter(|name| variable(name).is_some())
            .collect();
    report.add(
        "set",
        if own.is_empty() { "none of labdoc's variables".into() } else { own.join(" ") },
    );
}

/// Whether a run would have a folder.
fn temporary(report: &mut Report) {
    match disk::temporary_folder("labdoc-doctor-") {
        Ok(_) => report.add("temporary", "can be written"),
        Err(error) => report.broken("temporary", error.to_string()),
    }
}

/// Programs with their versions: labdoc's own and those that pages need.
fn tools(report: &mut Report, needs: &[Need]) {
    let mut probe = Probe::new(None);
    for name in OWN_TOOLS {
        let says = format!("{name} {}", probe.tells(name));
        let missing = *name == "bash" && probe.tells(name) == "missing";
        if missing { report.broken("tool", says) } else { report.add("tool", says) }
    }
    for need in needs {
        match probe.lacks(need) {
            Some(why) => report.add("needed", why),
            None => report.add("needed", format!("{need}: there")),
        }
    }
}

/// What the pages of a book need, each once; clusters have a line of their own.
fn needed(book: &Book) -> Vec<Need> {
    let pages = book.pages.iter().filter_map(|page| page.front.verify.as_ref());
    let of_pages = pages.flat_map(|verify| &verify.needs).filter_map(|text| Need::parse(text).ok());
    let of_blocks = book.pages.iter().flat_map(|page| &page.blocks);
    let of_blocks = of_blocks.flat_map(|block| block.options.needs.iter().cloned());
    let mut out: Vec<Need> = of_pages.chain(of_blocks).filter(|n| *n != Need::Cluster).collect();
    out.sort_by_key(ToString::to_string);
    out.dedup();
    out
}

/// What the book holds, in numbers: names and titles are its author's.
fn book(book: &Book, findings: usize) -> String {
    let blocks: usize = book.pages.iter().map(|page| page.blocks.len()).sum();
    let claims: usize = book.pages.iter().map(|page| page.claims.len()).sum();
    format!(
        "{} pages, {blocks} runnable blocks, {claims} claims, {findings} findings when it is read",
        book.pages.len()
    )
}

/// How many clusters are trusted, and with `--cluster` whether the current one is, which asks it.
fn cluster(report: &mut Report, ask: bool) -> Result<(), Failure> {
    let trusted = TrustList::read()?.clusters.len();
    report.add("clusters", format!("{trusted} trusted"));
    if !ask {
        report.add("cluster", "not asked; --cluster asks the current one who it is");
        return Ok(());
    }
    match choose(None) {
        Ok(Choice::Cluster(cluster)) => {
            let version = cluster.version.as_deref().unwrap_or("of an unknown version");
            report.add("cluster", format!("the current one is trusted, Kubernetes {version}"));
        }
        // The reason names contexts and servers, which are nobody else's business.
        Ok(Choice::None(_)) => {
            report.add("cluster", "the current one is not trusted, or there is none")
        }
        Err(_) => report.add("cluster", "the current one is trusted and does not answer"),
    }
    Ok(())
}

/// A text without what is private: the home folder and what looks like a credential.
fn harmless(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(home) = variable("HOME").and_then(|home| home.into_string().ok())
        && home.len() > 1
    {
        text = text.replace(&home, "~");
    }
    for hit in scan(&text).into_iter().rev() {
        text.replace_range(hit.range, &format!("⟨redacted:{}⟩", hit.rule));
    }
    text
}

/// Prints the report.
fn show(report: &Report, console: &Console) {
    for Line { about, says } in &report.lines {
        if console.is_json() {
            console.object(&json!({ "about": about, "says": says }));
        } else {
            console.result(&format!("{about:<10} {says}"));
        }
    }
    let outcome = if report.is_broken { "findings" } else { "clean" };
    let sentence = "safe to paste: no names, paths below your home, addresses or values of yours";
    console.summary(sentence, &json!({ "outcome": outcome }));
}
