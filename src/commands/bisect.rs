//! `labdoc bisect`: the version of one thing in the environment at which a claim stops, or
//! starts, to hold. Every run is recorded in its own environment.

use serde_json::json;

use super::assess::assess;
use super::proof::{Care, Experiment, Lab, Twist};
use super::{Ended, write_lock};
use crate::book::Page;
use crate::cli::{AssessArgs, BisectArgs, Common, Console};
use crate::config::{Axis, BOOK_TOML};
use crate::diag::Failure;
use crate::evidence::{Claim, Holds, Word, matches_version, with_holds};
use crate::proc::{self, Interrupt};
use crate::verify::boundary::{Search, telling_part};
use crate::verify::record::Started;

/// Finds the boundary.
///
/// # Errors
/// There is no such claim or axis, or a run cannot be set up or recorded.
pub(crate) fn bisect(
    common: &Common,
    args: &BisectArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    let lab = Lab::load(common, console)?;
    let _lock = write_lock(&lab.root)?;
    let (claim, page) = claim_and_page(&lab, &args.claim)?;
    let experiment = lab.experiment(page)?;
    let (key, asked) = args.over.split_once('=').unwrap_or((&args.over, ""));
    let axis = axis(&lab, key)?;
    let versions = chosen(&listed(&lab, axis)?, (key, asked))?;
    let interrupt = Interrupt::listen()
        .map_err(|error| Failure::new(format!("cannot listen for signals: {error}")))?;
    let known = verified_in(common, &claim.id, key)?;
    let mut table = Table { key, versions, search: Search::default(), notes: Vec::new() };
    table.take_known(known.as_deref());
    let quest = Quest { experiment: &experiment, claim, axis, console, interrupt: &interrupt };
    loop {
        let next = if args.all { table.search.next_unknown() } else { table.search.next() };
        let Some(at) = next else { break };
        let Some((holds, note)) = quest.ask(&table.versions[at], key)? else {
            return Ok(Ended::Signal(interrupt.signal().unwrap_or_default()));
        };
        (table.search.0[at], table.notes[at]) = (Some(holds), note);
    }
    table.show(console);
    let found = table.conditions();
    let stated = claim.entry.holds.canonical().get(key).cloned();
    let agrees = table.agrees(&claim.entry.holds);
    let sentence = table.sentence(&claim.id, (stated.as_deref(), found.as_deref(), agrees));
    let mut done = agrees;
    if let (false, true, Some(conditions)) = (agrees, args.update, &found) {
        write_holds(&lab, claim, (key, conditions))?;
        console.say(&format!(
            "wrote holds: {{{key}: \"{conditions}\"}} into the entry of {}",
            claim.id
        ));
        // A changed `holds` is a changed claim: its own environment is measured once more.
        let lab = Lab::load(common, console)?;
        let page = lab.book.page_at(&page.path).map(|at| &lab.book.pages[at]);
        let Some(page) = page else { return Ok(Ended::Findings) };
        let again = lab.experiment(page)?;
        if !record_own(&again, &interrupt, console)? {
            return Ok(Ended::Signal(interrupt.signal().unwrap_or_default()));
        }
        done = true;
    }
    let rows: Vec<_> = table.versions.iter().zip(&table.search.0).collect();
    console.summary(
        &sentence,
        &json!({
            "outcome": if done { "clean" } else { "findings" }, "claim": claim.id, "key": key,
            "versions": rows.iter().map(|(v, holds)| json!({ "version": v, "holds": holds }))
                .collect::<Vec<_>>(),
            "stated": stated, "found": found,
        }),
    );
    Ok(if done { Ended::Clean } else { Ended::Findings })
}

/// The claim, and the page whose runs prove it.
fn claim_and_page<'a>(lab: &'a Lab, id: &str) -> Result<(&'a Claim, &'a Page), Failure> {
    let Some(claim) = lab.claims.iter().find(|claim| claim.id == id) else {
        let near = crate::diag::nearest(id, lab.claims.iter().map(|claim| claim.id.as_str()));
        let hint = near.map(|near| format!("did you mean {near}?"));
        return Err(Failure { hint, ..Failure::new(format!("there is no claim {id}")) });
    };
    if claim.entry.expect.is_empty() {
        return Err(Failure::new(format!(
            "{id} has no `expect`: nothing could show that it fails"
        ))
        .hint("give it a condition in claims.yaml"));
    }
    let page = claim.bundles().into_iter().find_map(|bundle| lab.page_of(bundle));
    let page = page.ok_or_else(|| {
        Failure::new(format!("no page of this book can run the evidence of {id}"))
            .hint("its evidence must name the bundle of a page, such as T1#flip")
    })?;
    Ok((claim, page))
}

/// `[environments.KEY]` of the book.
fn axis<'a>(lab: &'a Lab, key: &str) -> Result<&'a Axis, Failure> {
    lab.book.config.file.environments.get(key).ok_or_else(|| {
        Failure::new(format!("{BOOK_TOML} has no [environments.{key}]")).hint(format!(
            "write versions = [\"1.0\", \"2.0\"] and set = \"{}={{version}}\" there",
            key.to_uppercase()
        ))
    })
}

/// All versions of an axis, oldest first.
fn listed(lab: &Lab, axis: &Axis) -> Result<Vec<String>, Failure> {
    let Some(command) = &axis.list else { return Ok(axis.versions.clone()) };
    let failed = |why: String| Failure::new(format!("`{command}` does not list versions: {why}"));
    let answer = proc::capture("sh", &["-c", command], &lab.root)
        .map_err(|error| failed(error.to_string()))?;
    if !answer.success {
        let said = String::from_utf8_lossy(&answer.stderr);
        return Err(failed(said.lines().next().unwrap_or("it failed").to_owned()));
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// The versions that were asked for: `A..B`, `A,B,C`, or all.
fn chosen(all: &[String], (key, asked): (&str, &str)) -> Result<Vec<String>, Failure> {
    let known = all.join(", ");
    let unknown = |part: &str| {
        Failure::new(format!("--over {key}={asked}: no version {part} is listed"))
            .hint(format!("listed are {known}"))
    };
    let is = |version: &String, part: &str| matches_version(version, part);
    if let Some((from, to)) = asked.split_once("..") {
        for end in [from, to] {
            if !all.iter().any(|version| is(version, end)) {
                return Err(unknown(end));
            }
        }
        let first = all.iter().position(|version| is(version, from)).unwrap_or(0);
        let last = all.iter().rposition(|version| is(version, to)).unwrap_or(0);
        if first > last {
            return Err(Failure::new(format!("--over {key}={asked}: {from} is newer than {to}")));
        }
        return Ok(all[first..=last].to_vec());
    }
    let parts: Vec<&str> = asked.split(',').filter(|part| !part.is_empty()).collect();
    if let Some(part) = parts.iter().find(|part| !all.iter().any(|version| is(version, part))) {
        return Err(unknown(part));
    }
    let wanted = |version: &&String| parts.is_empty() || parts.iter().any(|p| is(version, p));
    let wanted: Vec<String> = all.iter().filter(wanted).cloned().collect();
    if wanted.is_empty() {
        return Err(Failure::new(format!("[environments.{key}] lists no version")));
    }
    Ok(wanted)
}

/// The version in which the claim is verified at present: nothing has to be run for it.
fn verified_in(common: &Common, id: &str, key: &str) -> Result<Option<String>, Failure> {
    let now = assess(common, &AssessArgs { release: false, drafts: true, as_of: None })?;
    let Some(state) = now.evidence.states.get(id).filter(|s| s.word == Word::Verified) else {
        return Ok(None);
    };
    let runs = state.links.iter().filter_map(|link| link.run.as_ref());
    Ok(runs.filter_map(|run| run.environment.get(key)).next().cloned())
}

/// What is asked of each version.
struct Quest<'a> {
    experiment: &'a Experiment<'a>,
    claim: &'a Claim,
    axis: &'a Axis,
    console: &'a Console,
    interrupt: &'a Interrupt,
}

impl Quest<'_> {
    /// Runs the page with one version and records the run: whether the claim holds, and a word
    /// about it; `None` after a signal.
    fn ask(&self, version: &str, key: &str) -> Result<Option<(bool, String)>, Failure> {
        let Quest { experiment, claim, .. } = self;
        self.console.progress(&[format!("{}: {key} {version}", experiment.page.path)]);
        let started = Started::now();
        let env = vec![self.axis.assignment(version, &experiment.lab.root)];
        // What is printed on the page was measured with one version; the claim says more.
        let twist = Twist { env, ..Twist::default() };
        let care = Care { stop: self.interrupt, started: &|_, _| {} };
        let run = experiment.run(&twist, care)?;
        if self.interrupt.signal().is_some() {
            return Ok(None);
        }
        if let Some(step) = experiment.broken_setup(&experiment.claims(), &run) {
            let message = format!("with {key} {version} block `{}` cannot do its work", step.id);
            let said = step.units.last().map(|unit| unit.output.trim().to_owned());
            let hint = said.filter(|said| !said.is_empty()).map(|said| format!("it says: {said}"));
            return Err(Failure { hint, ..Failure::new(message) });
        }
        let measured = experiment.measured(&run.result, key);
        match measured {
            Some(measured) if matches_version(&measured, version) => {}
            Some(measured) => {
                return Err(Failure::new(format!(
                    "asked for {key} {version}, but the page measured {measured}"
                ))
                .hint(format!("see to `set` in [environments.{key}] of {BOOK_TOML}")));
            }
            None => {
                let path = &experiment.page.path;
                return Err(Failure::new(format!("{path} does not measure {key}"))
                    .hint(format!("add {key} to verify.measure in its header")));
            }
        }
        let doubts = experiment.doubts(claim, &run.result);
        let name = experiment.record(&run, started)?;
        let why = doubts.first().map(|why| format!("  {why}")).unwrap_or_default();
        Ok(Some((doubts.is_empty(), format!("evidence/{name}{why}"))))
    }
}

/// Runs and records the page as it is, in its own environment; `false` after a signal.
fn record_own(
    experiment: &Experiment<'_>,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<bool, Failure> {
    let started = Started::now();
    let twist = Twist { compare: true, ..Twist::default() };
    let run = experiment.run(&twist, Care { stop: interrupt, started: &|_, _| {} })?;
    if interrupt.signal().is_some() {
        return Ok(false);
    }
    let name = experiment.record(&run, started)?;
    console.say(&format!("recorded evidence/{name} in the page's own environment"));
    Ok(true)
}

/// Writes the conditions of one key into the claim's entry.
fn write_holds(lab: &Lab, claim: &Claim, (key, conditions): (&str, &str)) -> Result<(), Failure> {
    let file = claim.entry.id.span.file;
    let mut all = claim.entry.holds.canonical();
    all.insert(key.to_owned(), conditions.to_owned());
    let text = lab.sources.text(file);
    let changed = with_holds(text, claim.entry.id.span.start, &all);
    Ok(crate::disk::replace(&lab.root.join(lab.sources.path(file)), changed.as_bytes())?)
}

/// The versions and what came of them.
struct Table<'a> {
    key: &'a str,
    versions: Vec<String>,
    search: Search,
    notes: Vec<String>,
}

impl Table<'_> {
    /// Takes in the version in which the claim is verified already.
    fn take_known(&mut self, known: Option<&str>) {
        self.search.0 = vec![None; self.versions.len()];
        self.notes = vec![String::new(); self.versions.len()];
        let place = |known: &str| {
            self.versions
                .iter()
                .position(|v| matches_version(known, v) || matches_version(v, known))
        };
        if let Some(at) = known.and_then(place) {
            self.search.0[at] = Some(true);
            self.notes[at] = "verified already".to_owned();
        }
    }

    /// One line a version.
    fn show(&self, console: &Console) {
        for (at, version) in self.versions.iter().enumerate() {
            let word = match self.search.0[at] {
                Some(true) => "holds",
                Some(false) => "does not hold",
                None => "not run",
            };
            let line = format!("{} {version:<10} {word:<14} {}", self.key, self.notes[at]);
            console.say(line.trim_end());
        }
    }

    /// The conditions that say what was found; `None` where the claim holds everywhere, nowhere,
    /// or now and then.
    fn conditions(&self) -> Option<String> {
        let [(before, after)] = self.search.changes()[..] else { return None };
        let (old, new) = (&self.versions[before], &self.versions[after]);
        let sign = if self.search.0[before] == Some(true) { "<" } else { ">=" };
        Some(format!("{sign}{}", telling_part(new, old)))
    }

    /// Whether the claim is made for exactly those versions in which it was found to hold.
    fn agrees(&self, holds: &Holds) -> bool {
        self.versions.iter().zip(&self.search.0).all(|(version, found)| {
            found.is_none_or(|found| holds.admits(self.key, version) == found)
        })
    }

    /// What was found, and what to do about it.
    fn sentence(
        &self,
        id: &str,
        (stated, found, agrees): (Option<&str>, Option<&str>, bool),
    ) -> String {
        let key = self.key;
        let what = match self.search.changes()[..] {
            [] if self.search.0.contains(&Some(true)) => {
                format!("{id} holds in every {key} that was tried")
            }
            [] => format!("{id} holds in no {key} that was tried"),
            [(before, after)] if self.search.0[before] == Some(true) => {
                let (old, new) = (&self.versions[before], &self.versions[after]);
                format!("{id} holds up to {key} {old} and not from {new} on")
            }
            [(before, after)] => {
                let (old, new) = (&self.versions[before], &self.versions[after]);
                format!("{id} does not hold up to {key} {old} and does from {new} on")
            }
            _ => format!("{id} holds in some {key} and not in others, with no one boundary"),
        };
        let stated =
            stated.map_or("no `holds`".to_owned(), |s| format!("holds: {{{key}: \"{s}\"}}"));
        match (agrees, found) {
            (true, _) => format!("{what}; {stated} says so"),
            (false, Some(found)) => {
                format!("{what}; it states {stated}, found is holds: {{{key}: \"{found}\"}}")
            }
            (false, None) => format!("{what}; it states {stated}"),
        }
    }
}
