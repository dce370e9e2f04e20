//! The evidence of a book, read and judged.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::book::{Book, Page, Workdir};
use crate::check::Printed;
use crate::cli::AssessArgs;
use crate::config::{Config, Level};
use crate::diag::{Diagnostic, Failure, Severity};
use crate::evidence::{
    ClaimsFile, Now, PlanNow, Policy, Site as Joining, Word, as_of, findings, gone, join,
    judge_claims, load_bundles, load_records, read_claims, standing,
};
use crate::fence::parse_duration;
use crate::kit::{Kit, visible};
use crate::site::Evidence;
use crate::source::Sources;

/// What the states are reached from.
pub(super) struct Judging<'a> {
    pub(super) root: &'a Path,
    pub(super) book: &'a Book,
    pub(super) kits: &'a [Kit],
    pub(super) sources: &'a Sources,
    pub(super) args: &'a AssessArgs,
}

impl Judging<'_> {
    /// Claims, runs, states, and what they give to report.
    pub(super) fn evidence(&self, found: &mut Vec<Diagnostic>) -> Result<Evidence, Failure> {
        let bundles = load_bundles(self.root)?;
        let read = load_records(self.root)?;
        let records = read.value;
        found.extend(bundles.values().flat_map(|bundle| bundle.faults.clone()));
        found.extend(read.diagnostics);
        let policy = policy(&self.book.config, self.args.release);
        let inputs = Joining {
            sources: self.sources,
            pages: &self.book.pages,
            bundles: &bundles,
            records: &records,
            policy: &policy,
        };
        let joined = join(&inputs, &self.claim_files(found));
        found.extend(joined.diagnostics);
        let claims = joined.value;
        let day = as_of(self.given_date()?, &bundles, &records);
        let now = self.now(day)?;
        let states = judge_claims(&claims, &bundles, &records, &now);
        let sealed = self.book.config.file.evidence.sealed;
        found.extend(standing(&inputs, &claims, (sealed, day)));
        found.extend(findings(&claims, &states, (&records, day, &policy)));
        let (book, sources) = (self.book, self.sources);
        let printed = Printed { book, sources, bundles: &bundles, now: &now, policy: &policy };
        found.extend(printed.check());
        let mut evidence = Evidence {
            as_of: day.map(|day| day.to_string()),
            changed_blocks: self.changed_blocks(&bundles, &now),
            stale_bundles: self.stale_bundles(&bundles, &now),
            kit_claims: BTreeMap::new(),
            states: states.into_iter().map(|state| (state.id.clone(), state)).collect(),
            gone: gone(&claims, &records),
            has_claims: !claims.is_empty(),
            claims,
            bundles,
            records,
        };
        evidence.kit_claims = kit_claims(&evidence);
        Ok(evidence)
    }

    /// The `claims.yaml` files, read.
    fn claim_files(&self, found: &mut Vec<Diagnostic>) -> Vec<ClaimsFile> {
        let read = |file: &crate::source::FileId| {
            let read = read_claims(self.sources, *file);
            found.extend(read.diagnostics);
            read.value
        };
        self.book.claim_files.iter().map(read).collect()
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
        let mut now = Now { as_of, source_days: self.source_days()?, ..Now::default() };
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

    /// After how many days a source must be read again.
    fn source_days(&self) -> Result<Option<i64>, Failure> {
        let Some(text) = &self.book.config.file.evidence.source_expires_after else {
            return Ok(None);
        };
        let days = parse_duration(text).map(|time| time.as_secs() / 86_400);
        let days = days.filter(|days| *days > 0).and_then(|days| i64::try_from(days).ok());
        days.map(Some).ok_or_else(|| {
            Failure::new(format!("[evidence] source_expires_after: `{text}` is no number of days"))
                .hint("write it like 365d")
        })
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
pub(super) fn digests(files: &[&crate::kit::KitFile]) -> BTreeMap<String, String> {
    files.iter().map(|file| (file.path.clone(), format!("sha256:{}", file.sha256))).collect()
}

/// The weight of evidence rules.
pub(super) fn policy(config: &Config, release: bool) -> Policy {
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
