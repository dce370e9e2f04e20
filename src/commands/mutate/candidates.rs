//! What of a page can be changed: the kit files that it sees, and its blocks.

use globset::Glob;

use super::super::proof::Experiment;
use crate::cli::MutateArgs;
use crate::diag::Failure;
use crate::disk;
use crate::kit::KitFile;
use crate::verify::mutants::{Mutant, Source, Target, mutants};
use crate::verify::plan::Plan;

/// Every mutant of the kit files that the page sees and of its blocks, in the seed's order.
pub(super) fn candidates(
    experiment: &Experiment<'_>,
    kit: &[KitFile],
    args: &MutateArgs,
) -> Result<Vec<Mutant>, Failure> {
    let globs: Result<Vec<_>, Failure> = args
        .file
        .iter()
        .map(|text| {
            Glob::new(text)
                .map(|glob| glob.compile_matcher())
                .map_err(|error| Failure::new(format!("--file {text}: {error}")))
        })
        .collect();
    let globs = globs?;
    let mut sources = Vec::new();
    let plan = &experiment.plan;
    let name = plan.kit.as_deref().unwrap_or_default();
    for file in kit {
        // What is no text is left alone.
        let Ok(text) = String::from_utf8(file.bytes()?) else { continue };
        let target = Target::Kit(file.path.clone());
        let file = format!("labkit/{name}/{}", file.path);
        sources.push(Source { target, file, lines_before: 0, text });
    }
    for unit in plan.steps.iter().filter(|s| s.skip.is_none()).flat_map(|step| &step.units) {
        let target = Target::Unit(unit.id.clone());
        let lines_before = experiment.lab.sources.line(unit.span).saturating_sub(1);
        let (file, text) = (plan.path.clone(), unit.text.clone());
        sources.push(Source { target, file, lines_before, text });
    }
    let chosen = |mutant: &Mutant| {
        let inside = mutant.file.splitn(3, '/').nth(2).unwrap_or(&mutant.file);
        globs.is_empty() || globs.iter().any(|g| g.is_match(&mutant.file) || g.is_match(inside))
    };
    let mut all = mutants(&sources, args.seed);
    all.retain(chosen);
    if all.is_empty() {
        return Err(Failure::new(format!("nothing that {} runs can be changed", plan.path))
            .hint("kits and blocks of YAML, shell, Python and settings can be"));
    }
    Ok(all)
}

/// The text that a mutant changes.
///
/// # Errors
/// The file cannot be read.
pub(super) fn text_of(experiment: &Experiment<'_>, target: &Target) -> Result<String, Failure> {
    let Experiment { lab, plan, .. } = experiment;
    match target {
        Target::Kit(path) => {
            let folder = lab.root.join("labkit").join(plan.kit.as_deref().unwrap_or_default());
            Ok(disk::read_text(&folder.join(path))?)
        }
        Target::Unit(id) => Ok(unit_text(plan, id)),
    }
}

/// The text of a unit.
fn unit_text(plan: &Plan, id: &str) -> String {
    let units = plan.steps.iter().flat_map(|step| &step.units);
    units.into_iter().find(|unit| unit.id == id).map(|unit| unit.text.clone()).unwrap_or_default()
}
