//! The runs of the small lab, as a recorder would write them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Lab, Measured, PAGE, environment};
use crate::evidence::now::PlanBlock;
use crate::evidence::{
    Captured, Check, CheckOutcome, Inputs, Manifest, ManifestBlock, Outcome, Policy, Recording,
    Records, Runner, Site, Verdict, join, new_run_id, read_claims, write_part, write_run,
};
use crate::source::Sources;

impl Lab {
    /// What a recorder would hand over for the page as it is.
    pub(super) fn recording(&self, measured: &Measured) -> Recording {
        let mut sources = Sources::default();
        let pages = vec![self.page(&mut sources)];
        let file = sources.add("content/claims.yaml", self.claims_yaml.clone());
        let plan = self.now(&pages[0], &sources).plans.remove("T1").expect("plan");
        let (bundles, records, policy) = (BTreeMap::new(), Records::default(), Policy::default());
        let site = Site {
            sources: &sources,
            pages: &pages,
            bundles: &bundles,
            records: &records,
            policy: &policy,
        };
        let claims = join(&site, &[read_claims(&sources, file).value]).value;
        let digests = |block: &PlanBlock| (block.id.clone(), block.digest.clone());
        let inputs = Inputs {
            kit: self.kit.clone(),
            blocks: plan.blocks.iter().map(digests).collect(),
            captures: plan.captures.clone(),
            claims: claims.iter().map(|c| (c.id.clone(), c.digest.clone())).collect(),
            ..Inputs::default()
        };
        let (result, checks, values) = self.transcript(measured);
        let failed = checks.iter().any(|check| check.outcome == CheckOutcome::Fail);
        let started: jiff::Timestamp = measured.at.parse().expect("time");
        let verdict = Verdict {
            bundle: "T1".into(),
            run_id: new_run_id(started, result.as_bytes()),
            outcome: if failed { Outcome::Fail } else { Outcome::Pass },
            exit_code: Some(i32::from(failed)),
            started_at: measured.at.into(),
            finished_at: measured.at.into(),
            inputs,
            checks,
            values,
            environment: environment(measured.environment),
            runner: Runner { name: "labdoc".into(), ..Runner::default() },
            ..Verdict::default()
        };
        Recording {
            manifest: self.manifest(),
            verdict,
            run_sh: "#!/bin/bash\nexit 0\n".into(),
            result_txt: result.into_bytes(),
            files: BTreeMap::from([("reports/a.md".to_owned(), b"# a\n".to_vec())]),
        }
    }

    /// The plan as it is.
    fn manifest(&self) -> Manifest {
        let block = |(id, text, output): &(&str, &str, &str)| ManifestBlock {
            id: (*id).into(),
            text: (*text).into(),
            expected: (!output.is_empty()).then(|| (*output).into()),
            ..ManifestBlock::default()
        };
        Manifest {
            page: Some(PAGE.into()),
            blocks: self.blocks.iter().map(block).collect(),
            captures: BTreeMap::from([("flip.lost".into(), self.capture.into())]),
            checks: self.blocks.iter().map(|(id, ..)| (*id).to_owned()).collect(),
            ..Manifest::new("T1")
        }
    }

    /// The transcript of a run, its checks and its values.
    fn transcript(&self, measured: &Measured) -> (String, Vec<Check>, BTreeMap<String, Captured>) {
        let (mut text, mut checks, mut values) = (String::new(), Vec::new(), BTreeMap::new());
        for (id, _, printed) in &self.blocks {
            let flip = *id == "flip";
            let outcome = if flip { measured.flip } else { CheckOutcome::Pass };
            let exit = Some(i32::from(outcome == CheckOutcome::Fail));
            if flip && !measured.lost.is_empty() {
                let line = Some(text.lines().count() + 2);
                let value = measured.lost.to_owned();
                values.insert("flip.lost".to_owned(), Captured { value, line });
            }
            let output = if flip { format!("lost {}\n", measured.lost) } else { (*printed).into() };
            write_part(&mut text, id, &output, (outcome, exit));
            checks.push(Check { id: (*id).into(), outcome, exit, ..Check::default() });
        }
        (text, checks, values)
    }

    /// Records a run of the page as it is; the run's folder.
    pub(super) fn record(&self, measured: Measured) -> PathBuf {
        self.write(&self.recording(&measured))
    }

    /// Records a run that broke off.
    pub(super) fn break_off(&self, at: &'static str) -> PathBuf {
        let mut recording = self.recording(&Measured { at, ..Measured::default() });
        recording.verdict.outcome = Outcome::Error;
        recording.verdict.reason = Some("timeout after 900 s".into());
        recording.verdict.exit_code = None;
        self.write(&recording)
    }

    /// Writes a recording into T1.
    pub(super) fn write(&self, recording: &Recording) -> PathBuf {
        write_run(&self.dir.path().join("evidence/T1"), recording).expect("writes")
    }
}
