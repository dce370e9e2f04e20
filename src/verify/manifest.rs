//! A run's plan as it was, and the files that belong to the run.

use std::collections::BTreeMap;

use super::outcome::UnitResult;
use super::plan::{Role, Step};
use super::record::{Ran, unit_outcome};
use super::redact::Masked;
use super::session::Streams;
use super::world::FIXED;
use crate::book::{BlockKind, Need, Order, Workdir, class_names};
use crate::compare::Form;
use crate::diag::Failure;
use crate::disk;
use crate::evidence::{Manifest, ManifestBlock, ManifestKit, ManifestRun, write_part};

/// The plan as it was.
pub(super) fn manifest(bundle: &str, ran: &Ran<'_>) -> Manifest {
    let verify = ran.page.front.verify.clone().unwrap_or_default();
    let kit = (ran.plan.workdir == Workdir::Kit).then(|| ManifestKit {
        name: ran.plan.kit.clone().unwrap_or_default(),
        files: ran.world.kit.keys().cloned().collect(),
    });
    Manifest {
        title: ran.page.title.clone(),
        page: Some(ran.page.path.clone()),
        blocks: blocks(ran),
        captures: verify.capture,
        kit,
        run: Some(run(ran)),
        checks: ran.page.blocks.iter().map(|block| block.id.clone()).collect(),
        environment: ran.page.front.environment.clone(),
        ..Manifest::new(bundle)
    }
}

/// How it is replayed, and the world in which it ran.
fn run(ran: &Ran<'_>) -> ManifestRun {
    let fixed = FIXED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let params = ran.plan.params.iter().map(|(name, value)| (name.clone(), value.clone()));
    ManifestRun {
        command: vec!["bash".into(), "run.sh".into()],
        timeout_s: Some(ran.plan.timeout.as_secs()),
        env: fixed.chain(params).collect(),
        home: Some("temporary".into()),
        passed: ran.world.passed.clone(),
    }
}

/// The blocks of the plan, in page order.
fn blocks(ran: &Ran<'_>) -> Vec<ManifestBlock> {
    let block = |block: &crate::book::Block| {
        let step = ran.plan.steps.iter().find(|step| step.id == block.id)?;
        Some(ManifestBlock {
            id: block.id.clone(),
            kind: (block.kind != BlockKind::Shell).then(|| block.kind.word().to_owned()),
            options: options(step),
            text: block.text.clone(),
            // A run that was not compared expects nothing.
            expected: block.output.as_ref().filter(|_| compared(step)).map(|o| o.text.clone()),
            vary: class_names(ran.page, block, &ran.book.config)
                .iter()
                .map(|n| (*n).to_owned())
                .collect(),
        })
    };
    ran.page.blocks.iter().filter_map(block).collect()
}

/// Whether a block's output was compared with what is printed.
fn compared(step: &Step) -> bool {
    step.units.iter().any(|unit| unit.printed.is_some())
}

/// The options that were in effect, as written in a manifest.
fn options(step: &Step) -> BTreeMap<String, String> {
    let exit = step.exit.map_or("any".to_owned(), |code| code.to_string());
    let timeout = format!("{}ms", step.timeout.as_millis());
    let mut options = BTreeMap::from([("exit".to_owned(), exit), ("timeout".to_owned(), timeout)]);
    let role = match step.role {
        Role::Setup => Some("setup"),
        Role::Teardown => Some("teardown"),
        Role::OnFailure => Some("on-failure"),
        Role::Normal => None,
    };
    let order = match step.order {
        Order::Natural => None,
        Order::Ordered => Some("ordered"),
        Order::Unordered => Some("unordered"),
    };
    let flags = [
        role,
        order,
        step.background.then_some("background"),
        (step.form == Form::Strict).then_some("strict"),
        (step.streams == Streams::Terminal).then_some("tty"),
        step.skip.as_ref().map(|_| "skip"),
    ];
    options.extend(flags.into_iter().flatten().map(|name| (name.to_owned(), "true".to_owned())));
    let within = step.classes.within();
    let values = [
        ("retry", step.retry.map(|retry| format!("{}ms", retry.as_millis()))),
        ("ready", step.ready.as_ref().map(ToString::to_string)),
        ("stderr", (step.streams == Streams::Apart).then(|| "apart".to_owned())),
        ("within", (!within.is_empty()).then(|| within.text())),
        ("needs", joined(&step.needs)),
    ];
    let given = values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    options.extend(given);
    options
}

/// Needs as one text.
fn joined(needs: &[Need]) -> Option<String> {
    let words: Vec<String> = needs.iter().map(ToString::to_string).collect();
    (!words.is_empty()).then(|| words.join(","))
}

/// The files of a run: what the blocks left in `$LABDOC_OUT`, earlier tries, and standard error
/// that was kept apart.
pub(super) fn files(
    ran: &Ran<'_>,
    masked: &mut Masked,
) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let mut files = BTreeMap::new();
    for path in disk::files_below(&ran.world.out)? {
        let bytes = disk::read(&ran.world.out.join(&path))?;
        files.insert(path, ran.world.redactor.redact_bytes(&bytes, masked));
    }
    for step in &ran.result.steps {
        for (at, units) in step.tries.iter().enumerate() {
            let path = format!("tries/{}/{}.txt", step.id, at + 1);
            files.insert(path, try_text(units).into_bytes());
        }
        let stderr: String = step.units.iter().filter_map(|unit| unit.stderr.clone()).collect();
        if !stderr.is_empty() {
            files.insert(format!("stderr/{}.txt", step.id), stderr.into_bytes());
        }
    }
    Ok(files)
}

/// An earlier try in the form of a transcript.
fn try_text(units: &[UnitResult]) -> String {
    let mut text = String::new();
    for unit in units {
        write_part(&mut text, &unit.id, &unit.output, (unit_outcome(unit), unit.exit));
    }
    text
}
