//! The present state of the documents, with which recorded runs are compared.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::bundle::Bundles;
use super::digests::{block_digest, capture_digest};
use super::holds::Environment;
use super::records::Records;
use crate::book::{BlockKind, Page};
use crate::source::{Sources, Span};
use crate::vary;

/// The documents as they are now. Everything that can make a recorded run stale stands here, so
/// that a state is a function of its inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Now {
    /// The day as of which ages are judged; see [`as_of`].
    pub(crate) as_of: Option<Date>,
    /// The environment of each page, by its path.
    pub(crate) environments: BTreeMap<String, Environment>,
    /// The page behind a bundle, by the bundle's id.
    pub(crate) plans: BTreeMap<String, PlanNow>,
    /// After how many days a source must be read again, where the site says it.
    pub(crate) source_days: Option<i64>,
    /// Kit files with their digests (`sha256:…`) by kit name and path: for foreign bundles.
    pub(crate) kits: BTreeMap<String, BTreeMap<String, String>>,
}

/// A page as a run would find it now.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanNow {
    /// The page's path from the root.
    pub(crate) page: String,
    /// What the page is about.
    pub(crate) environment: Environment,
    /// The part of the kit that a run would see (`uses`), path to `sha256:…`.
    pub(crate) kit_files: BTreeMap<String, String>,
    /// The blocks in page order.
    pub(crate) blocks: Vec<PlanBlock>,
    /// The digests of the captures by name.
    pub(crate) captures: BTreeMap<String, String>,
    /// The values that the captures find in the page's own printed output.
    pub(crate) printed: BTreeMap<String, String>,
}

/// One block as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlanBlock {
    /// Its id.
    pub(crate) id: String,
    /// Its digest.
    pub(crate) digest: String,
    /// Its line and its place.
    pub(crate) place: Option<(usize, Span)>,
}

impl PlanNow {
    /// The plan of a page; `vary` are the value classes of page and book, `kit_files` the part
    /// of its kit that a run would see.
    pub(crate) fn of_page(
        page: &Page,
        sources: &Sources,
        vary: &[String],
        kit_files: BTreeMap<String, String>,
    ) -> PlanNow {
        let blocks = page.blocks.iter().map(|block| PlanBlock {
            id: block.id.clone(),
            digest: block_digest(block, vary),
            place: Some((sources.line(block.span), block.span)),
        });
        let captures = page.front.verify.iter().flat_map(|verify| &verify.capture);
        let digests = captures.clone().map(|(n, pattern)| (n.clone(), capture_digest(n, pattern)));
        let printed = captures.filter_map(|(name, pattern)| {
            let block = page.block(name.split('.').next().unwrap_or(name))?;
            let (value, _) = capture(pattern, &printed_text(block)?)?;
            Some((name.clone(), value))
        });
        PlanNow {
            page: page.path.clone(),
            environment: page.front.environment.clone(),
            kit_files,
            blocks: blocks.collect(),
            captures: digests.collect(),
            printed: printed.collect(),
        }
    }

    /// The block of that id.
    pub(crate) fn block(&self, id: &str) -> Option<&PlanBlock> {
        self.blocks.iter().find(|block| block.id == id)
    }
}

impl Now {
    /// The environment in which the claims of `page` are judged against `bundle`: the page's,
    /// else that of the bundle's own page.
    pub(crate) fn environment(&self, page: &str, bundle: &str) -> Environment {
        let own = self.environments.get(page).filter(|environment| !environment.is_empty());
        let of_bundle = self.plans.get(bundle).map(|plan| &plan.environment);
        own.or(of_bundle).cloned().unwrap_or_default()
    }
}

/// The first group of the first match, and the line of the text (from 0) on which it begins.
pub(crate) fn capture(pattern: &str, text: &str) -> Option<(String, usize)> {
    let regex = vary::compile(pattern).ok()?;
    let captures = regex.captures(text)?;
    let group = captures.get(1).or_else(|| captures.get(0))?;
    let line = text[..group.start()].matches('\n').count();
    Some((group.as_str().to_owned(), line))
}

/// What is printed for a block, without hand-written notes.
fn printed_text(block: &crate::book::Block) -> Option<String> {
    let text = match (&block.output, block.kind) {
        (Some(output), _) => output.text.clone(),
        (None, BlockKind::Console) => {
            let printed = |line: &&str| !line.starts_with("$ ") && !line.starts_with("> ");
            block.text.lines().filter(printed).collect::<Vec<_>>().join("\n")
        }
        (None, BlockKind::Shell | BlockKind::Apply | BlockKind::Assert) => return None,
    };
    Some(text.lines().map(without_note).collect::<Vec<_>>().join("\n"))
}

/// A line without the note behind two or more spaces and `<-` or `←`.
fn without_note(line: &str) -> &str {
    let starts = ["  <-", "  ←"].iter().filter_map(|mark| line.find(mark)).min();
    starts.map_or(line, |at| line[..at].trim_end())
}

/// The day as of which ages are judged: the given one, else the newest day (UTC) of any run,
/// report, source or correction. So a build is a function of its input.
pub(crate) fn as_of(given: Option<Date>, bundles: &Bundles, records: &Records) -> Option<Date> {
    let runs = bundles.values().flat_map(|b| &b.runs).map(|run| run.verdict.date());
    let reports = records.reports.values().filter_map(|report| report.date.parse().ok());
    let accessed = records.sources.values().filter_map(|source| source.accessed.as_ref());
    let sources = accessed.filter_map(|day| day.parse().ok());
    let corrections = records.corrections.0.iter().filter_map(|correction| correction.date);
    given.or_else(|| runs.chain(reports).chain(sources).chain(corrections).max())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_take_the_first_group_of_the_first_match() {
        let check = |pattern: &str, text: &str, expect: Option<(&str, usize)>| {
            let got = capture(pattern, text);
            assert_eq!(got.as_ref().map(|(v, l)| (v.as_str(), *l)), expect, "{pattern}");
        };
        check(r"lost .* = \+?(\d+)", "a\nlost all = +2\nlost x = 3", Some(("2", 1)));
        check(r"^b(\d)$", "a1\nb2", Some(("2", 1)));
        check(r"z(\d)", "a1", None);
        check(r"a(", "a1", None);
    }

    #[test]
    fn notes_are_no_printed_text() {
        assert_eq!(without_note("DNS = 10.0.0.3        <- differs"), "DNS = 10.0.0.3");
        assert_eq!(without_note("a <- b"), "a <- b");
        assert_eq!(without_note("a  \\<- b"), "a  \\<- b");
    }
}
