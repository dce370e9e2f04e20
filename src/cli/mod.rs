//! The command line: arguments in, exit code out. The exit code is decided here and nowhere else.

mod args;
mod console;
mod laps;
mod log;
mod parts;
mod spread;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

pub(crate) use args::{
    AssessArgs, BisectArgs, BuildArgs, CheckArgs, Common, MutateArgs, NewArgs, ServeArgs,
    TrustArgs, VerifyArgs,
};
pub(crate) use console::{Console, Tally};
pub(crate) use laps::Laps;
pub(crate) use parts::{DoctorArgs, Schema};
pub(crate) use spread::{ClusterRunArgs, ClusterShardArgs};

use crate::commands::{self, Ended};
use crate::diag::Failure;
use args::{Cli, Command};
use parts::{EvidenceCommand, KitCommand};

/// Runs labdoc and says how it ended.
#[must_use]
pub fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == crate::proc::KEEPER_ARGUMENT) {
        return crate::proc::keeper_main();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let console = Console::new(&cli.common);
    if let Err(failure) = log::start(cli.common.verbose) {
        return ExitCode::from(code(Err(failure), &console));
    }
    tracing::debug!(version = env!("CARGO_PKG_VERSION"), "labdoc begins");
    if let Some(jobs) = cli.common.jobs {
        // A pool that was made already is the only failure, and nothing ran before this line.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(jobs.into()).build_global();
    }
    let ended = run(&cli, &console);
    ExitCode::from(code(ended, &console))
}

/// The command line as clap sees it.
pub(crate) fn command_line() -> clap::Command {
    Cli::command()
}

/// Help and version are no mistake; anything else is bad usage.
fn usage(error: &clap::Error) -> ExitCode {
    // Nothing can be said where neither stream can be written.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

/// Runs the command.
fn run(cli: &Cli, console: &Console) -> Result<Ended, Failure> {
    match &cli.command {
        Command::New(args) => commands::new(args, console),
        Command::Build(args) => commands::build(&cli.common, args, console),
        Command::Serve(args) => commands::serve(&cli.common, args, console),
        Command::Check(args) => commands::check(&cli.common, args, console),
        Command::Verify(args) => commands::verify(&cli.common, args, console),
        Command::ClusterRun(args) => commands::cluster_run(&cli.common, args, console),
        Command::ClusterShard(args) => commands::cluster_shard(&cli.common, args, console),
        Command::Bisect(args) => commands::bisect(&cli.common, args, console),
        Command::Mutate(args) => commands::mutate(&cli.common, args, console),
        Command::Trust(args) => commands::trust(args, console),
        Command::Evidence(command) => evidence(&cli.common, command, console),
        Command::Kit(KitCommand::List) => commands::kit_list(&cli.common, console),
        Command::Kit(KitCommand::Pack { name, out }) => {
            commands::kit_pack(&cli.common, (name.as_deref(), out), console)
        }
        Command::Kit(KitCommand::Check { folder }) => commands::kit_check(folder, console),
        Command::Doctor(args) => commands::doctor(&cli.common, args, console),
        Command::Completions { shell } => commands::completions(*shell, console),
        Command::Man { out } => commands::man(out.as_deref(), console),
        Command::Schema { file } => commands::schema(*file, console),
    }
}

/// Runs a command about evidence.
fn evidence(
    common: &Common,
    command: &EvidenceCommand,
    console: &Console,
) -> Result<Ended, Failure> {
    match command {
        EvidenceCommand::Judge { run, file } => {
            commands::judge(common, run, file.as_deref(), console)
        }
        EvidenceCommand::Show { what, markdown } => {
            commands::show(common, (what.as_deref(), *markdown), console)
        }
        EvidenceCommand::Diff { from, to } => commands::diff(common, (from, to), console),
        EvidenceCommand::Seal { as_of } => commands::seal(common, as_of.as_deref(), console),
        EvidenceCommand::Import { from } => commands::import(common, from, console),
    }
}

/// The exit code.
fn code(ended: Result<Ended, Failure>, console: &Console) -> u8 {
    match ended {
        Ok(Ended::Clean) => 0,
        Ok(Ended::Findings) => 1,
        Ok(Ended::Signal(signal)) => u8::try_from(128 + signal).unwrap_or(130),
        Err(failure) => {
            console.failure(&failure);
            2
        }
    }
}
