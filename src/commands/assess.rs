//! The documents and their evidence, read and judged: what build and check have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::find_root;
use crate::book::{Book, LoadOptions, Page, Workdir, load};
use crate::check;
use crate::check::links::Map;
use crate::cli::{CheckArgs, Common};
use crate::config::{Config, Level};
use crate::diag::{Diagnostic, Failure, Severity};
use crate::disk;
use crate::evidence::{
    ClaimsFile, Now, PlanNow, Policy, Site as Joining, Word, as_of, findings, join, judge_claims,
    load_bundles, load_records, read_claims,
};
use crate::kit::{self, Kit, KitOptions, visible};
use crate::site::{Evidence, STATIC};
use crate::source::Sources;

/// Everything that was read, with every finding so far.
pub(crate) struct Assessed {
    /// The book's folder.
    pub(crate) root: PathBuf,
    /// The texts.
    pub(crate) sources: Sources,
    /// The pages.
    pub(crate) book: Book,
    /// The kits.
    pub(crate) kits: Vec<Kit>,
    /// Files of the site's own `static/`, as paths in the site.
    pub(crate) statics: BTreeSet<String>,
    /// Claims, runs and states.
    pub(crate) evidence: Evidence,
    /// The findings.
    pub(crate) findings: Vec<Diagnostic>,
}

/// Reads and judges a book.
///
/// # Errors
/// Something cannot be read, or `--as-of` is no date.
pub(crate) fn assess(common: &Common, args: &CheckArgs) -> Result<Assessed, Failure> {
    let root = find_root(common)?;
    let mut sources = Sources::default();
    let loaded = load(&root, &mut sources, LoadOptions { drafts: args.drafts })?;
    let (book, mut found) = (loaded.value, loaded.diagnostics);
    let kits = load_kits(&root, &book.config, &mut found)?;
    let statics = if disk::is_folder(&root.join(STATIC)) {
        disk::files_below(&root.join(STATIC))?.into_iter().collect()
    } else {
        BTreeSet::new()
    };
    let pages: Vec<usize> = (0..book.pages.len()).collect();
    found.extend(check::runnable(&root, &book, &pages, &sources)?);
    let map = Map { book: &book, kits: &kits, statics: &statics };
    found.extend(check::links(&map));
    found.extend(check::includes(&root, &book.pages)?);
    let judged = Judging { root: &root, book: &book, kits: &kits, sources: &sources, args };
    let evidence = judged.evidence(&mut found)?;
    Ok(Assessed { root, sources, book, kits, statics, evidence, findings: found })
}

/// Reads every kit.
fn load_kits(
    root: &Path,
    config: &Config,
    found: &mut Vec<Diagnostic>,
) -> Result<Vec<Kit>, Failure> {
    let names = kit::list(root)?;
    found.extend(names.diagnostics);
    let mut kits = Vec::new();
    for name in names.value {
        let loaded = Kit::load(root, &name, &KitOptions::of(config, &name))?;
        found.extend(loaded.diagnostics);
        kits.push(loaded.value);
    }
    Ok(kits)
}

/// What the states are reached from.
struct Judging<'a> {
    root: &'a Path,
    book: &'a Book,
    kits: &'a [Kit],
    sources: &'a Sources,
    args: &'a CheckArgs,
}

impl Judging<'_> {
    /// Claims, runs, states, and what they give to report.
    fn evidence(&self, found: &mut Vec<Diagnostic>) -> Result<Evidence, Failure> {
        let bundles = load_bundles(self.root)?;
        let records = load_records(self.root)?;
        found.extend(bundles.values().flat_map(|bundle| bundle.faults.clone()));
        found.extend(records.diagnostics);
        let policy = policy(&self.book.config, self.args.release);
        let files: Vec<ClaimsFile> = self
            .book
            .claim_files
            .iter()
            .map(|file| {
                let read = read_claims(self.sources, *file);
                found.extend(read.diagnostics);
                read.value
            })
            .collect();
        let inputs = Joining {
            sources: self.sources,
            pages: &self.book.pages,
            bundles: &bundles,
            records: &records.value,
            policy: &policy,
        };
        let joined = join(&inputs, &files);
        found.extend(joined.diagnostics);
        let day = as_of(self.given_date()?, &bundles, &records.value);
        let now = self.now(day)?;
        let states = judge_claims(&joined.value, &bundles, &records.value, &now);
        found.extend(findings(&joined.value, &states, &policy));
        found.extend(self.bundle_headers(&bundles, &policy));
        let mut evidence = Evidence {
            as_of: day.map(|day| day.to_string()),
            changed_blocks: self.changed_blocks(&bundles, &now),
            stale_bundles: self.stale_bundles(&bundles, &now),
            kit_claims: BTreeMap::new(),
            states: states.into_iter().map(|state| (state.id.clone(), state)).collect(),
            claims: joined.value,
            bundles,
            records: records.value,
        };
        evidence.kit_claims = kit_claims(&evidence);
        Ok(evidence)
    }

    /// The date of `--as-of`, else of `SOURCE_DATE_EPOCH`.
    fn given_date(&self) -> Result<Option<jiff::civil::Date>, Failure> {
        let utc = |time: jiff::Timestamp| jiff::tz::TimeZone::UTC.to_datetime(time).date();
        match self.args.as_of.as_deref() {
            Some("today") => Ok(Some(utc(jiff::Timestamp::now()))),
            Some(text) => text.parse().map(Some).map_err(|_| {
                Failure::new(format!("--as-of {text} is no date"))
                    .hint("write it like 2026-11-29, or today")
            }),
            None => {
                let epoch = crate::proc::variable("SOURCE_DATE_EPOCH");
                let seconds = epoch.and_then(|value| value.to_str()?.parse().ok());
                Ok(seconds.and_then(|s| jiff::Timestamp::from_second(s).ok()).map(utc))
            }
        }
    }

    /// The documents as a run would find them now.
    fn now(&self, as_of: Option<jiff::civil::Date>) -> Result<Now, Failure> {
        let mut now = Now { as_of, ..Now::default() };
        for page in &self.book.pages {
            now.environments.insert(page.path.clone(), page.front.environment.clone());
            let verify = page.front.verify.as_ref();
            if let Some(bundle) = verify.and_then(|verify| verify.bundle.clone()) {
                now.plans.insert(bundle, self.plan_now(page)?);
            }
        }
        for kit in self.kits {
            now.kits.insert(kit.name.clone(), digests(&kit.files.iter().collect::<Vec<_>>()));
        }
        Ok(now)
    }

    /// One page as a run would find it now.
    fn plan_now(&self, page: &Page) -> Result<PlanNow, Failure> {
        let verify = page.front.verify.clone().unwrap_or_default();
        let in_kit = verify.workdir.unwrap_or(Workdir::Kit) == Workdir::Kit;
        let kit = page.front.kit.as_ref().filter(|_| in_kit);
        let kit = kit.and_then(|name| self.kits.iter().find(|kit| kit.name == *name));
        let files = match kit {
            Some(kit) => digests(&visible(kit, &verify.uses)?),
            None => BTreeMap::new(),
        };
        let config = &self.book.config;
        let vary: Vec<String> = config.page_classes().iter().chain(&verify.vary).cloned().collect();
        Ok(PlanNow::of_page(page, self.sources, &vary, files))
    }

    /// EV006 for a page header that names a bundle which is not there.
    fn bundle_headers(
        &self,
        bundles: &crate::evidence::Bundles,
        policy: &Policy,
    ) -> Vec<Diagnostic> {
        let missing = |page: &Page| {
            let id = page.front.verify.as_ref()?.bundle.as_ref()?;
            if bundles.contains_key(id) {
                return None;
            }
            let front = page.front_span?;
            let at = self.sources.slice(front).find(id.as_str()).unwrap_or(0) + front.start;
            let message =
                format!("the page header names bundle {id}, but evidence/{id}/ does not exist");
            let span = crate::source::Span::new(page.file, at..at + id.len());
            let finding = policy.finding(Word::Absent, "EV006", message).at(span);
            Some(finding.hint(format!("record it: labdoc verify --record {}", page.path)))
        };
        self.book.pages.iter().filter_map(missing).collect()
    }

    /// Blocks that are not what the newest run of their bundle ran.
    fn changed_blocks(
        &self,
        bundles: &crate::evidence::Bundles,
        now: &Now,
    ) -> BTreeSet<(String, String)> {
        let mut changed = BTreeSet::new();
        for (id, plan) in &now.plans {
            let newest = bundles.get(id).and_then(|bundle| bundle.runs.last());
            let Some(run) = newest else { continue };
            for block in &plan.blocks {
                if run.verdict.inputs.blocks.get(&block.id) != Some(&block.digest) {
                    changed.insert((id.clone(), block.id.clone()));
                }
            }
        }
        changed
    }

    /// Bundles whose newest run saw other kit files than are there now.
    fn stale_bundles(&self, bundles: &crate::evidence::Bundles, now: &Now) -> BTreeSet<String> {
        let stale = |(id, plan): (&String, &PlanNow)| {
            let run = bundles.get(id)?.runs.last()?;
            (run.verdict.inputs.kit != plan.kit_files).then(|| id.clone())
        };
        now.plans.iter().filter_map(stale).collect()
    }
}

/// Tagged digests of kit files by path.
fn digests(files: &[&crate::kit::KitFile]) -> BTreeMap<String, String> {
    files.iter().map(|file| (file.path.clone(), format!("sha256:{}", file.sha256))).collect()
}

/// The weight of evidence rules.
fn policy(config: &Config, release: bool) -> Policy {
    let table = &config.file.evidence;
    let severity = |level: Level| match level {
        Level::Error => Severity::Error,
        Level::Warn => Severity::Warning,
        Level::Off => Severity::Note,
    };
    let word = |name: &str| {
        [Word::Failed, Word::Absent, Word::Unsupported, Word::Stale, Word::Pending]
            .into_iter()
            .find(|word| word.text() == name)
    };
    let in_release = table
        .release
        .iter()
        .filter_map(|(name, level)| Some((word(name)?, severity(*level))))
        .collect();
    Policy { default: severity(table.default), release, in_release }
}

/// For each kit, which claims rest on runs that could see a file.
fn kit_claims(evidence: &Evidence) -> BTreeMap<String, crate::kit::publish::Claims> {
    let mut out: BTreeMap<String, crate::kit::publish::Claims> = BTreeMap::new();
    for claim in &evidence.claims {
        for bundle in claim.bundles() {
            let runs = evidence.bundles.get(bundle).map(|bundle| bundle.runs.as_slice());
            let Some(run) = runs.and_then(<[_]>::last) else { continue };
            let Some(kit) = &run.manifest.kit else { continue };
            let files = out.entry(kit.name.clone()).or_default();
            for path in run.verdict.inputs.kit.keys() {
                let ids = files.entry(path.clone()).or_default();
                if !ids.contains(&claim.id) {
                    ids.push(claim.id.clone());
                }
            }
        }
    }
    out
}

/// Digests, by id, of the claims that stand on a page of `bundle` or name it.
///
/// # Errors
/// The evidence cannot be read.
pub(crate) fn claim_digests(
    root: &Path,
    book: &Book,
    sources: &Sources,
    bundle: &str,
) -> Result<BTreeMap<String, String>, Failure> {
    let bundles = load_bundles(root)?;
    let records = load_records(root)?.value;
    let policy = policy(&book.config, false);
    let files: Vec<ClaimsFile> =
        book.claim_files.iter().map(|file| read_claims(sources, *file).value).collect();
    let pages = &book.pages;
    let inputs = Joining { sources, pages, bundles: &bundles, records: &records, policy: &policy };
    let own = |page: usize| {
        pages[page].front.verify.as_ref().and_then(|verify| verify.bundle.as_deref())
            == Some(bundle)
    };
    let joined = join(&inputs, &files).value;
    let wanted = joined.into_iter().filter(|c| own(c.page) || c.bundles().contains(&bundle));
    Ok(wanted.map(|claim| (claim.id, claim.digest)).collect())
}
