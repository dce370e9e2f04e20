//! What can be typed. What it means is decided by the commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::parts::{DoctorArgs, EvidenceCommand, KitCommand, Schema};
use super::spread::{ClusterRunArgs, ClusterShardArgs};
use crate::verify::order::Shard;
use crate::verify::report::Target;

/// Static documentation sites with executable notebooks: the page is the test, the claim names
/// its proof, the kit arrives.
#[derive(Debug, Parser)]
#[command(
    name = "labdoc",
    version,
    arg_required_else_help = true,
    // As wide as a page of a site shows it without a scroll bar.
    max_term_width = 88,
    after_help = "\
Example:
  labdoc verify content/lab-local     run the page and compare its output
  labdoc build                        write the site to public/

Exit codes: 0 all well, 1 the documents are wrong, 2 the work could not be done,
130 or 143 after a signal. LABDOC_LOG=labdoc=debug says on standard error what is done."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The heading above options that every command takes, so that a command's own stand together.
const EVERYWHERE: &str = "Options of every command";

/// Options that every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// The site's folder [default: the nearest parent with a book.toml]
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// One JSON object a line on standard output, the last one a summary
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) json: bool,
    /// Only findings, no progress and no summary
    #[arg(long, short, global = true, help_heading = EVERYWHERE)]
    pub(crate) quiet: bool,
    /// Say on standard error what is done; -vv more of it, -vvv all
    #[arg(long, short, global = true, help_heading = EVERYWHERE, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Number of threads [default: one a processor]
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// A small site to start from: a page that runs, two claims, a kit
    #[command(after_help = "Example:\n  labdoc new labs --language en")]
    New(NewArgs),
    /// Build the site
    #[command(after_help = "Example:\n  labdoc build --out public --release")]
    Build(BuildArgs),
    /// Show the site in the browser while it is written
    #[command(after_help = "Example:\n  labdoc serve --open")]
    Serve(ServeArgs),
    /// All findings of a build; nothing is written
    #[command(after_help = "Example:\n  labdoc check --release --external")]
    Check(CheckArgs),
    /// Run the blocks of pages and compare their output with what is printed
    #[command(after_help = "Example:\n  labdoc verify content/lab-local --update")]
    Verify(VerifyArgs),
    /// Run pages as a Job of the cluster, a pod for each part of them, and merge what they report
    #[command(
        after_help = "Example:\n  labdoc cluster-run --image registry.example/labdoc:0.1.0 --shards 8 --apply"
    )]
    ClusterRun(ClusterRunArgs),
    /// What a pod of cluster-run does
    #[command(hide = true)]
    ClusterShard(ClusterShardArgs),
    /// The version of one thing in the environment at which a claim starts or stops holding
    #[command(after_help = "Example:\n  labdoc bisect C15 --over envoy=1.36..1.40")]
    Bisect(BisectArgs),
    /// Change one small thing in a page's kit or blocks at a time and list the claims that did not notice
    #[command(after_help = "Example:\n  labdoc mutate content/lab-local --max 40 --budget 20m")]
    Mutate(MutateArgs),
    /// Remember a cluster (by its identity) as one that verify may touch
    #[command(after_help = "Example:\n  labdoc trust kind-lab\n  labdoc trust --list")]
    Trust(TrustArgs),
    /// Claims and the runs behind them
    #[command(subcommand)]
    Evidence(EvidenceCommand),
    /// The kits alone
    #[command(subcommand)]
    Kit(KitCommand),
    /// What labdoc finds on this machine, safe to paste into an issue
    #[command(after_help = "Example:\n  labdoc doctor > doctor.txt")]
    Doctor(DoctorArgs),
    /// Print the completions of a shell
    #[command(
        after_help = "Example:\n  labdoc completions bash > ~/.local/share/bash-completion/completions/labdoc"
    )]
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write those of all commands
    #[command(after_help = "Example:\n  labdoc man --out ~/.local/share/man/man1")]
    Man {
        /// Write labdoc.1, labdoc-build.1 and so on into this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print the JSON schema of a file, for editors
    #[command(after_help = "Example:\n  labdoc schema claims > claims.schema.json")]
    Schema {
        /// The file
        #[arg(value_name = "FILE")]
        file: Schema,
    },
}

/// What build, check and serve look at.
#[derive(Clone, Debug, Args)]
pub(crate) struct AssessArgs {
    /// Raise evidence findings to errors
    #[arg(long)]
    pub(crate) release: bool,
    /// Pages with `draft: true` too
    #[arg(long)]
    pub(crate) drafts: bool,
    /// The date at which ages are judged [default: the newest date in the evidence]
    #[arg(long, value_name = "DATE|today")]
    pub(crate) as_of: Option<String>,
}

/// Options of new.
#[derive(Clone, Debug, Args)]
pub(crate) struct NewArgs {
    /// The folder that is made; one that is there must be empty
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The language of its pages
    #[arg(long, value_name = "ko|en", default_value = "ko", value_parser = ["ko", "en"])]
    pub(crate) language: String,
    /// The site's title [default: one in its language]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
}

/// Options of check.
#[derive(Clone, Debug, Args)]
pub(crate) struct CheckArgs {
    /// Ask for the addresses outside the site too; without it `check` uses no network
    #[arg(long)]
    pub(crate) external: bool,
    #[command(flatten)]
    pub(crate) check: AssessArgs,
}

/// Options of build.
#[derive(Clone, Debug, Args)]
pub(crate) struct BuildArgs {
    /// Where the site is written [default: public in the folder of the site]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print where the time went
    #[arg(long)]
    pub(crate) timings: bool,
    #[command(flatten)]
    pub(crate) check: AssessArgs,
}

/// Options of serve.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArgs {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 8000)]
    pub(crate) port: u16,
    /// Open the first page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Show the site below a folder, as a host would that does not give it the root
    #[arg(long, value_name = "PATH", default_value = "")]
    pub(crate) base: String,
    #[command(flatten)]
    pub(crate) check: AssessArgs,
}

/// Options of verify.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct VerifyArgs {
    /// Pages or folders of pages [default: every page of the book that has runnable blocks]
    #[arg(value_name = "PAGE")]
    pub(crate) pages: Vec<PathBuf>,
    /// Refresh output that differs, in place; with =ID only that of these blocks
    #[arg(
        long,
        value_name = "ID",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_delimiter = ','
    )]
    pub(crate) update: Vec<String>,
    /// Write the run under evidence/
    #[arg(long)]
    pub(crate) record: bool,
    /// Print the plan; run nothing
    #[arg(long, conflicts_with_all = ["update", "record"])]
    pub(crate) dry_run: bool,
    /// Only this block, with setup and teardown
    #[arg(long, value_name = "ID", conflicts_with = "record")]
    pub(crate) only: Vec<String>,
    /// Only blocks with this tag, with setup and teardown
    #[arg(long, value_name = "TAG", conflicts_with = "record")]
    pub(crate) tag: Vec<String>,
    /// The value of a page's parameter, instead of the one in its header
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    pub(crate) param: Vec<(String, String)>,
    /// The cluster for pages that need one, by its context; it must be trusted
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
    /// Give pages a short-lived token that is good in their own namespaces only
    #[arg(long)]
    pub(crate) confine: bool,
    /// Fail where a page needs a cluster and there is none, instead of skipping it
    #[arg(long)]
    pub(crate) require_cluster: bool,
    /// Stop a page at its first failure; teardown still runs
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Reports for other programs
    #[arg(long, value_name = "junit=F,json=F,tap=F,github", value_delimiter = ',')]
    pub(crate) report: Vec<Target>,
    /// Only a part of the pages, as one of N machines; what belongs together stays together
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Only pages whose page, claims or kit files changed since a commit
    #[arg(long, value_name = "COMMIT")]
    pub(crate) since: Option<String>,
    /// Only pages whose evidence no longer holds
    #[arg(long)]
    pub(crate) stale: bool,
    /// Leave the scene: no teardown, nothing is ended or removed
    #[arg(long)]
    pub(crate) keep: bool,
    /// Open a shell in the scene of a failure, before teardown
    #[arg(long)]
    pub(crate) shell_on_fail: bool,
    /// Run the changed blocks and those after them at each save, until Ctrl-C
    #[arg(long, conflicts_with_all = ["record", "dry_run", "keep", "shell_on_fail", "report"])]
    pub(crate) watch: bool,
    /// Who holds the Leases of namespaces; a shard of cluster-run keeps its name in every pod.
    #[arg(skip)]
    pub(crate) holder: Option<String>,
}

/// Options of bisect.
#[derive(Clone, Debug, Args)]
pub(crate) struct BisectArgs {
    /// The claim
    #[arg(value_name = "CLAIM")]
    pub(crate) claim: String,
    /// A key of [environments] in book.toml, with a range or a list of its versions
    #[arg(long, value_name = "KEY[=A..B|=A,B,C]")]
    pub(crate) over: String,
    /// Run every version, also when the claim might change more than once
    #[arg(long)]
    pub(crate) all: bool,
    /// Write what was found as `holds` of the claim, and record its own environment once more
    #[arg(long)]
    pub(crate) update: bool,
}

/// Options of mutate.
#[derive(Clone, Debug, Args)]
pub(crate) struct MutateArgs {
    /// The page
    #[arg(value_name = "PAGE")]
    pub(crate) page: PathBuf,
    /// Ask only this claim, and run only the blocks that it rests on
    #[arg(long, value_name = "ID")]
    pub(crate) claim: Vec<String>,
    /// Change only files that match, such as 'configs/**'
    #[arg(long, value_name = "GLOB")]
    pub(crate) file: Vec<String>,
    /// Begin no further mutant after this time, such as 10m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) budget: Option<String>,
    /// Try no more than so many
    #[arg(long, value_name = "N")]
    pub(crate) max: Option<usize>,
    /// What the order of the mutants depends on
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Try those again that an earlier call tried
    #[arg(long)]
    pub(crate) fresh: bool,
    /// List the mutants; run nothing
    #[arg(long)]
    pub(crate) list: bool,
}

/// A time such as `10m`.
pub(super) fn duration(text: &str) -> Result<String, String> {
    let known = crate::fence::parse_duration(text).is_some();
    if known { Ok(text.to_owned()) } else { Err("write it like 90s, 10m or 2h".to_owned()) }
}

/// `NAME=VALUE`.
pub(super) fn parameter(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

impl VerifyArgs {
    /// Whether output that differs is refreshed.
    pub(crate) fn updates(&self) -> bool {
        !self.update.is_empty()
    }

    /// The blocks that are refreshed; all when empty.
    pub(crate) fn update_ids(&self) -> Vec<String> {
        self.update.iter().filter(|id| !id.is_empty()).cloned().collect()
    }
}

/// Options of trust.
#[derive(Clone, Debug, Args)]
pub(crate) struct TrustArgs {
    /// A context of your kubeconfig [default: the current one]
    #[arg(value_name = "CONTEXT")]
    pub(crate) context: Option<String>,
    /// List the clusters that are trusted
    #[arg(long, conflicts_with_all = ["context", "remove"])]
    pub(crate) list: bool,
    /// Trust it no longer; CONTEXT may be an identity from the list
    #[arg(long)]
    pub(crate) remove: bool,
}
