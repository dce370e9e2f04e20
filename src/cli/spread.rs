//! What can be typed behind `cluster-run`, and what its pods are called with.

use std::path::PathBuf;

use clap::Args;

use super::args::{duration, parameter};
use crate::verify::order::Shard;
use crate::verify::report::Target;

/// Options of cluster-run.
#[derive(Clone, Debug, Args)]
pub(crate) struct ClusterRunArgs {
    /// Pages or folders of pages [default: every page of the book that has runnable blocks]
    #[arg(value_name = "PAGE")]
    pub(crate) pages: Vec<PathBuf>,
    /// The image of the pods: labdoc of this version, bash, kubectl, and what the pages call
    #[arg(long, value_name = "IMAGE")]
    pub(crate) image: String,
    /// How many pods share the pages; what belongs together stays together
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) shards: u16,
    /// Submit the Job, wait for it, and merge what its pods report; else print it as YAML
    #[arg(long)]
    pub(crate) apply: bool,
    /// The cluster, by its context; it must be trusted [default: the current context]
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
    /// The namespace of the Job; one that is not there is made
    #[arg(long, value_name = "NAME", default_value = "labdoc")]
    pub(crate) namespace: String,
    /// A ServiceAccount there for the pods [default: one that may act in the pages' namespaces only]
    #[arg(long, value_name = "NAME")]
    pub(crate) service_account: Option<String>,
    /// Write the runs under evidence/
    #[arg(long)]
    pub(crate) record: bool,
    /// The value of a page's parameter, instead of the one in its header
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    pub(crate) param: Vec<(String, String)>,
    /// How often a shard is run again whose pod died
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) retries: u32,
    /// How long the Job may take, such as 90m
    #[arg(long, value_name = "TIME", default_value = "2h", value_parser = duration)]
    pub(crate) timeout: String,
    /// Reports for other programs
    #[arg(long, value_name = "junit=F,json=F,tap=F", value_delimiter = ',', requires = "apply")]
    pub(crate) report: Vec<Target>,
    /// Leave the Job and what belongs to it in the cluster
    #[arg(long, requires = "apply")]
    pub(crate) keep: bool,
}

/// Options of cluster-shard, which a pod calls.
#[derive(Clone, Debug, Args)]
pub(crate) struct ClusterShardArgs {
    /// Which of the pods this is, counted from 0 as a Job does
    #[arg(long, value_name = "I/N", value_parser = Shard::from_zero)]
    pub(crate) shard: Shard,
    /// The run
    #[arg(long, value_name = "ID")]
    pub(crate) run: String,
    /// The namespace of the run's Job
    #[arg(long, value_name = "NAME")]
    pub(crate) namespace: String,
    /// The folder with the parts of the content
    #[arg(long, value_name = "DIR")]
    pub(crate) content: PathBuf,
    /// The digest of the content
    #[arg(long, value_name = "sha256:HEX")]
    pub(crate) digest: String,
    /// A folder to work in
    #[arg(long, value_name = "DIR")]
    pub(crate) work: PathBuf,
}
