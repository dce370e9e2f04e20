//! `labdoc mutate`: small changes, one at a time, in a copy of the kit or in a block; which claims
//! notice? A claim that cannot fail is no proof.

mod candidates;
mod guarded;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::judging::digests;
use super::proof::{Care, Experiment, Lab, Run, Twist};
use super::verify::choose;
use super::{Ended, write_lock};
use crate::book::{Page, Workdir};
use crate::cli::{Common, Console, MutateArgs};
use crate::diag::Failure;
use crate::evidence::{Claim, Fate, Inputs, Mutation, Tried};
use crate::fence::parse_duration;
use crate::kit::KitFile;
use crate::proc::Interrupt;
use crate::verify::mutants::{Mutant, Target};
use crate::verify::outcome::{PageResult, Problem};
use crate::verify::record::block_digests;
use candidates::{candidates, text_of};
use guarded::guarded;

/// What a mutant may take beyond three times the unchanged run.
const SLACK: Duration = Duration::from_secs(10);

/// Changes a page's kit and blocks and asks its claims.
///
/// # Errors
/// The page cannot be run, or a claim does not hold without any change.
pub(crate) fn mutate(
    common: &Common,
    args: &MutateArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    let lab = Lab::load(common, console)?;
    let page = page(&lab, &args.page)?;
    let experiment = lab.experiment(page)?;
    let claims = chosen_claims(&experiment, &args.claim)?;
    let experiment = experiment.narrowed(&claims);
    let kit = experiment.kit_files()?;
    let all = candidates(&experiment, &kit, args)?;
    let trial = Trial { experiment: &experiment, claims, console };
    let mut log = trial.log(args, &kit, all.len())?;
    if args.list {
        return Ok(list(&all, console));
    }
    let _lock = write_lock(&lab.root)?;
    let interrupt = Interrupt::listen()
        .map_err(|error| Failure::new(format!("cannot listen for signals: {error}")))?;
    let Some(limit) = trial.unchanged(&interrupt)? else {
        return Ok(Ended::Signal(interrupt.signal().unwrap_or_default()));
    };
    let wanted = &all[..args.max.unwrap_or(all.len()).min(all.len())];
    trial.run_all(
        wanted,
        &mut log,
        &Bounds { limit, workers: workers(common, &experiment) },
        (args, &interrupt),
    )?;
    if let Some(signal) = interrupt.signal() {
        return Ok(Ended::Signal(signal));
    }
    Ok(trial.sum_up(&log, wanted.len()))
}

/// The one page that was named.
fn page<'a>(lab: &'a Lab, named: &Path) -> Result<&'a Page, Failure> {
    let found = choose(&lab.root, &lab.book, &[named.to_owned()])?;
    match found[..] {
        [at] => Ok(&lab.book.pages[at]),
        _ => Err(Failure::new(format!("{} holds more than one page", named.display()))
            .hint("name one page")),
    }
}

/// The claims that are asked: those that were named, else all that rest on the page's runs.
fn chosen_claims<'a>(
    experiment: &Experiment<'a>,
    named: &[String],
) -> Result<Vec<&'a Claim>, Failure> {
    let all = experiment.claims();
    for id in named {
        if !all.iter().any(|claim| claim.id == *id) {
            let near = crate::diag::nearest(id, all.iter().map(|claim| claim.id.as_str()));
            let message = format!("no claim {id} rests on the runs of {}", experiment.page.path);
            let hint = near.map(|near| format!("did you mean {near}?"));
            return Err(Failure { hint, ..Failure::new(message) });
        }
    }
    let asked = |claim: &&Claim| named.is_empty() || named.contains(&claim.id);
    let asked: Vec<&Claim> = all.into_iter().filter(asked).collect();
    if asked.is_empty() {
        let message = format!("no claim rests on the runs of {}", experiment.page.path);
        return Err(Failure::new(message));
    }
    Ok(asked)
}

/// Lists the mutants without running any.
fn list(all: &[Mutant], console: &Console) -> Ended {
    for mutant in all {
        if console.is_json() {
            let Mutant { id, file, line, change, .. } = mutant;
            console.object(&json!({ "id": id, "file": file, "line": line, "change": change.what }));
        } else {
            console.result(&format!(
                "{}  {}:{}  {}",
                mutant.id, mutant.file, mutant.line, mutant.change.what
            ));
        }
    }
    let count = all.len();
    console.summary(
        &format!("{count} mutants could be tried"),
        &json!({ "outcome": "clean", "possible": count }),
    );
    Ended::Clean
}

/// How many mutants may run at once. Those that run in the page's own folder would see each
/// other, and a machine that is busy with one may fail another's time limits.
fn workers(common: &Common, experiment: &Experiment<'_>) -> usize {
    if experiment.plan.workdir == Workdir::Page {
        return 1;
    }
    common.jobs.map_or(1, usize::from)
}

/// What holds for every mutant.
struct Bounds {
    limit: Duration,
    workers: usize,
}

/// The claims of a page, asked again and again.
struct Trial<'a> {
    experiment: &'a Experiment<'a>,
    claims: Vec<&'a Claim>,
    console: &'a Console,
}

impl Trial<'_> {
    /// What an earlier call tried of the same page, kit, claims and seed; else nothing yet.
    fn log(
        &self,
        args: &MutateArgs,
        kit: &[KitFile],
        possible: usize,
    ) -> Result<Mutation, Failure> {
        let Experiment { lab, page, bundle, .. } = self.experiment;
        let fresh = Mutation {
            seed: args.seed,
            claims: self.claims.iter().map(|claim| claim.id.clone()).collect(),
            inputs: self.inputs(kit),
            possible,
            ..Mutation::new(&page.path)
        };
        let earlier = Mutation::load(&lab.root, bundle)?.filter(|_| !args.fresh);
        let same = |log: &Mutation| Mutation { mutants: Vec::new(), ..log.clone() } == fresh;
        Ok(earlier.filter(same).unwrap_or(fresh))
    }

    /// Digests of what is changed and of what is asked.
    fn inputs(&self, kit: &[KitFile]) -> Inputs {
        let Experiment { lab, page, plan, .. } = self.experiment;
        let mut inputs =
            Inputs { kit: digests(&kit.iter().collect::<Vec<_>>()), ..Inputs::default() };
        let ran = |id: &String| plan.steps.iter().any(|step| step.id == *id && step.skip.is_none());
        inputs.blocks = block_digests(&lab.book, page);
        inputs.blocks.retain(|id, _| ran(id));
        inputs.claims =
            self.claims.iter().map(|claim| (claim.id.clone(), claim.digest.clone())).collect();
        inputs
    }

    /// Runs the page as it is: every claim must hold. The time that a mutant gets; `None` after
    /// a signal.
    fn unchanged(&self, interrupt: &Interrupt) -> Result<Option<Duration>, Failure> {
        self.console.progress(&[format!("{}: the unchanged run", self.experiment.page.path)]);
        let begin = Instant::now();
        let twist = Twist { compare: true, ..Twist::default() };
        let run = self.experiment.run(&twist, Care { stop: interrupt, started: &|_, _| {} })?;
        if interrupt.signal().is_some() {
            return Ok(None);
        }
        let Run { result, .. } = &run;
        let page = &self.experiment.page.path;
        let hint = format!("labdoc verify {page} shows why");
        if let Some(step) = self.experiment.broken_setup(&self.claims, &run) {
            let message = format!("{page}: block `{}` fails without any change", step.id);
            return Err(Failure::new(message).hint(hint));
        }
        for claim in &self.claims {
            if let Some(why) = self.experiment.doubts(claim, result).first() {
                let message = format!("{} does not hold without any change: {why}", claim.id);
                return Err(Failure::new(message).hint(hint));
            }
        }
        Ok(Some(begin.elapsed() * 3 + SLACK))
    }

    /// Runs the mutants that were not tried yet, until the budget is over.
    fn run_all(
        &self,
        wanted: &[Mutant],
        log: &mut Mutation,
        bounds: &Bounds,
        (args, interrupt): (&MutateArgs, &Interrupt),
    ) -> Result<(), Failure> {
        let begin = Instant::now();
        let budget = args.budget.as_deref().and_then(parse_duration);
        let known: Vec<Tried> = std::mem::take(&mut log.mutants);
        let place = |id: &str| wanted.iter().position(|mutant| mutant.id == id);
        log.mutants = known.into_iter().filter(|tried| place(&tried.id).is_some()).collect();
        let left: Vec<&Mutant> =
            wanted.iter().filter(|m| !log.mutants.iter().any(|t| t.id == m.id)).collect();
        let next = AtomicUsize::new(0);
        let shared = Mutex::new((log, None::<Failure>));
        let work = || {
            while let Some(mutant) = left.get(next.fetch_add(1, Ordering::SeqCst)) {
                let over = budget.is_some_and(|budget| begin.elapsed() >= budget);
                if over || interrupt.signal().is_some() {
                    return;
                }
                let tried = self.one(mutant, bounds.limit, interrupt);
                let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                let saved = match tried {
                    Ok(Some(tried)) => {
                        self.show(&tried, (shared.0.mutants.len() + 1, wanted.len()));
                        shared.0.mutants.push(tried);
                        shared.0.mutants.sort_by_key(|tried| place(&tried.id));
                        shared.0.save(&self.experiment.lab.root, self.experiment.bundle)
                    }
                    Ok(None) => return,
                    Err(failure) => Err(failure),
                };
                if let Err(failure) = saved {
                    shared.1 = Some(failure);
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..bounds.workers.clamp(1, left.len().max(1)) {
                scope.spawn(work);
            }
        });
        let (_, failure) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(()), Err)
    }

    /// Runs one mutant; `None` after a signal.
    fn one(
        &self,
        mutant: &Mutant,
        limit: Duration,
        interrupt: &Interrupt,
    ) -> Result<Option<Tried>, Failure> {
        let experiment = self.experiment;
        let text = text_of(experiment, &mutant.target)?;
        let changed = mutant.change.apply(&text);
        let mut twist = Twist { compare: true, ..Twist::default() };
        match &mutant.target {
            Target::Kit(path) => twist.kit = Some((path, &changed)),
            Target::Unit(id) => twist.unit = Some((id, &changed)),
        }
        let (run, ended) = guarded(limit, interrupt, &|care| experiment.run(&twist, care))?;
        if interrupt.signal().is_some() {
            return Ok(None);
        }
        let noticed: Vec<String> = self
            .claims
            .iter()
            .filter(|claim| !experiment.doubts(claim, &run.result).is_empty())
            .map(|claim| claim.id.clone())
            .collect();
        let all = || self.claims.iter().map(|claim| claim.id.clone()).collect();
        let (outcome, claims) = if ended || hung(&run.result) {
            (Fate::Ended, Vec::new())
        } else if experiment.broken_setup(&self.claims, &run).is_some() {
            (Fate::Setup, Vec::new())
        } else if noticed.is_empty() {
            (Fate::Survived, all())
        } else {
            (Fate::Noticed, noticed)
        };
        let Mutant { id, file, line, change, .. } = mutant;
        let (id, file, change) = (id.clone(), file.clone(), change.what.clone());
        Ok(Some(Tried { id, file, line: *line, change, outcome, claims }))
    }

    /// One line a mutant.
    fn show(&self, tried: &Tried, (at, of): (usize, usize)) {
        let Tried { file, line, change, outcome, claims, .. } = tried;
        let claims = claims.join(" ");
        let who = match outcome {
            Fate::Noticed => format!("  by {claims}"),
            Fate::Survived => format!("  not by {claims}"),
            Fate::Setup | Fate::Ended => String::new(),
        };
        if self.console.is_json() {
            self.console.object(&json!({ "mutant": tried }));
        }
        let word = outcome.word();
        self.console.say(&format!("{at}/{of}  {word:<8}  {file}:{line}  {change}{who}"));
    }

    /// The last lines: the figures, and what a reader can do about survivors.
    fn sum_up(&self, log: &Mutation, wanted: usize) -> Ended {
        let (noticed, survived) = (log.count(Fate::Noticed), log.count(Fate::Survived));
        let (setup, ended) = (log.count(Fate::Setup), log.count(Fate::Ended));
        let reached = noticed + survived;
        let rest = wanted - log.mutants.len();
        let rest = if rest > 0 { format!("; {rest} not tried yet") } else { String::new() };
        let bare = |claim: &&&Claim| claim.entry.expect.is_empty();
        for claim in self.claims.iter().filter(bare) {
            let id = &claim.id;
            self.console.say(&format!("{id} has no `expect`: it can notice nothing"));
        }
        let sentence = format!(
            "{noticed} of {reached} mutants noticed, {survived} survived, {setup} broke the \
             set-up, {ended} ended{rest}; evidence/{}/mutation.json",
            self.experiment.bundle
        );
        self.console.summary(
            &sentence,
            &json!({
                "outcome": if survived == 0 { "clean" } else { "findings" },
                "noticed": noticed, "survived": survived, "setup": setup, "ended": ended,
                "possible": log.possible, "tried": log.mutants.len(),
            }),
        );
        if survived == 0 { Ended::Clean } else { Ended::Findings }
    }
}

/// Whether a block reached its time limit.
fn hung(result: &PageResult) -> bool {
    let units = result.steps.iter().flat_map(|step| &step.units);
    units.flat_map(|unit| &unit.problems).any(|problem| matches!(problem, Problem::TimedOut(_)))
}
