//! What can be typed behind `evidence` and `kit`, and for editors and reports.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What can be done with evidence.
#[derive(Debug, Subcommand)]
pub(crate) enum EvidenceCommand {
    /// States of claims and why
    #[command(after_help = "Example:\n  labdoc evidence show C7")]
    Show {
        /// A claim, or a page [default: every claim]
        #[arg(value_name = "CLAIM|PAGE")]
        what: Option<String>,
        /// A Markdown table that any generator can include
        #[arg(long)]
        markdown: bool,
    },
    /// Two runs, counter by counter
    #[command(after_help = "Example:\n  labdoc evidence diff T1/20261129T1 T1")]
    Diff {
        /// A run, its beginning, or a bundle for its newest run
        #[arg(value_name = "RUN")]
        from: String,
        /// The other one
        #[arg(value_name = "RUN")]
        to: String,
    },
    /// Write down what is published now, so that it cannot vanish unseen
    #[command(after_help = "Example:\n  labdoc evidence seal")]
    Seal {
        /// The day of the seal [default: today]
        #[arg(long, value_name = "DATE|today")]
        as_of: Option<String>,
    },
    /// Take in a bundle of others: checked, never run
    #[command(after_help = "Example:\n  labdoc evidence import T7.tar.gz")]
    Import {
        /// An archive (.tar.gz, .tar, .zip) or a folder
        #[arg(value_name = "FILE|DIR")]
        from: PathBuf,
    },
    /// The verdict of a run's transcript, or of another one, under the present rules
    #[command(
        after_help = "Example:\n  sh evidence/T1/RUN/run.sh > out.txt; labdoc evidence judge T1/RUN out.txt"
    )]
    Judge {
        /// The run, as T1/20261129T101500Z-7f3a2c
        #[arg(value_name = "T1/RUN")]
        run: String,
        /// A transcript [default: the run's own result.txt]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

/// What can be done with kits.
#[derive(Debug, Subcommand)]
pub(crate) enum KitCommand {
    /// The kits with their digests
    #[command(after_help = "Example:\n  labdoc kit list")]
    List,
    /// Write the archives of kits
    #[command(after_help = "Example:\n  labdoc kit pack dns-gslb --out dist")]
    Pack {
        /// The kit [default: all]
        #[arg(value_name = "NAME")]
        name: Option<String>,
        /// Where they are written
        #[arg(long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
    },
    /// Check an unpacked kit against its SHA256SUMS
    #[command(after_help = "Example:\n  labdoc kit check dns-gslb-0.1.0")]
    Check {
        /// The folder that holds SHA256SUMS
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Files that an author writes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Schema {
    /// book.toml
    Book,
    /// The header of a page
    Page,
    /// claims.yaml
    Claims,
    /// manifest.yaml of a bundle
    Manifest,
}

/// Options of doctor.
#[derive(Clone, Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Ask the cluster of the current context who it is
    #[arg(long)]
    pub(crate) cluster: bool,
}
