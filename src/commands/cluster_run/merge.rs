//! One verdict out of what the pods answered.

use std::path::Path;

use serde_json::json;

use super::super::import;
use super::super::verify::{Counts, block_line, summary};
use super::super::{Ended, write_lock};
use crate::cli::{ClusterRunArgs, Console};
use crate::diag::Failure;
use crate::evidence::runs;
use crate::source::Sources;
use crate::verify::report::{self, BlockReport, PageReport, State};
use crate::verify::spread::Answer;

/// Shows what all pages came to, writes the reports, and says how the command ends: as `verify` on
/// one machine does.
///
/// # Errors
/// A page could not be run, or a report cannot be written.
pub(super) fn verdict(
    answers: &[Answer],
    args: &ClusterRunArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    let reports: Vec<PageReport> = answers.iter().map(|answer| answer.report.clone()).collect();
    let mut counts = Counts::default();
    let (mut bad, mut failure) = (false, None);
    for page in &reports {
        console.say(&page.path);
        for block in &page.blocks {
            show(page, block, console);
            if block.is_of_page() && block.state == State::Broken {
                let message = format!("{} could not be run: {}", page.path, block.why);
                failure = failure.or(Some(Failure::new(message)));
                continue;
            }
            counts.count(block.state);
            bad |= block.state.is_bad();
        }
    }
    report::write(&args.report, &reports)?;
    let outcome = if bad { "findings" } else { "clean" };
    match failure {
        Some(failure) => {
            Err(failure.hint("the log of the shard's pod says more; with --keep it stays"))
        }
        None => {
            summary(console, &counts, reports.len(), outcome);
            Ok(if bad { Ended::Findings } else { Ended::Clean })
        }
    }
}

/// One line a block, and below it what is wrong with it.
fn show(page: &PageReport, block: &BlockReport, console: &Console) {
    if console.is_json() {
        console.object(&json!({
            "page": page.path, "block": block.id, "line": block.line,
            "outcome": block.state.word(), "why": block.why,
        }));
        return;
    }
    console.say(&block_line(block.state, &block.id, block.duration, &block.why));
    if block.state.is_bad() && !block.details.is_empty() {
        console.say(&block.details);
    }
}

/// Takes the recorded runs into `evidence/`, each checked first; one that is there already, from an
/// earlier reading, stays.
///
/// # Errors
/// A run is not whole, or cannot be written.
pub(super) fn record(root: &Path, answers: &[Answer], console: &Console) -> Result<(), Failure> {
    let _lock = write_lock(root)?;
    for answer in answers {
        for run in runs(&answer.files) {
            let target = import::target(&run)?;
            if crate::disk::kind(&root.join(&target))?.is_some() {
                continue;
            }
            let found = import::check(&[(target.clone(), &run)])?;
            if console.findings(&found, &Sources::default()).errors > 0 {
                let message = format!("{target}, as a pod has sent it, is not whole");
                return Err(Failure::new(message).hint("nothing of it was written; run it again"));
            }
            import::write(root, &target, &run)?;
            console.say(&format!("  recorded {target}"));
        }
    }
    Ok(())
}
