//! `labdoc cluster-shard`: what a pod of a run does. It answers for each of its pages as soon as that
//! has ended. A pod that comes after one that died runs only what the other one has not finished:
//! whole groups of pages, in namespaces that are empty again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::super::Ended;
use super::super::verify::{Prepared, read, verify_once};
use crate::cli::{ClusterShardArgs, Common, Console, VerifyArgs};
use crate::diag::Failure;
use crate::disk;
use crate::evidence::Files;
use crate::proc::variable;
use crate::verify::guard::Kubectl;
use crate::verify::order::Graph;
use crate::verify::report::PageReport;
use crate::verify::spread::{
    Answer, Order, began, clear_namespaces, enter_cluster, heads, send, unpack_parts,
};

/// A pod at work.
struct Pod<'a> {
    kubectl: &'a Kubectl,
    /// The run and the namespace of its Job.
    run: (&'a str, &'a str),
    site: &'a Path,
    order: &'a Order,
}

/// Runs the pages of one shard and sends what each came to.
///
/// # Errors
/// This is no pod of a run, or something of the shard could not be run: another pod may try again.
pub(crate) fn cluster_shard(
    common: &Common,
    args: &ClusterShardArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    let site = args.work.join("site");
    let order = unpack_parts(&args.content, &args.digest, &site)?;
    let own = env!("CARGO_PKG_VERSION");
    if order.version != own {
        let message =
            format!("the image holds labdoc {own}, and the run was made by {}", order.version);
        return Err(Failure::new(message).hint("give --image with the same version"));
    }
    let home = variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let home = home.ok_or_else(|| Failure::new("HOME is not set"))?;
    let kubectl = enter_cluster(&home, &order.cluster)?;
    let run = (args.run.as_str(), args.namespace.as_str());
    let again = began(&kubectl, run, args.shard.index)?;
    let common = Common { root: Some(site.clone()), ..common.clone() };
    let wanted = VerifyArgs {
        pages: order.pages.iter().map(|page| site.join(page)).collect(),
        param: order.params.clone(),
        record: order.record,
        require_cluster: true,
        holder: Some(format!(
            "labdoc cluster-run {} shard {}/{}",
            args.run, args.shard.index, args.shard.of
        )),
        ..VerifyArgs::default()
    };
    let prepared = read(&common, &wanted, console)?;
    let pod = Pod { kubectl: &kubectl, run, site: &site, order: &order };
    let open = pod.open(&prepared, args, again)?;
    if open.is_empty() {
        console.say("nothing is left to do");
        return Ok(Ended::Clean);
    }
    let wanted = VerifyArgs { pages: open.iter().map(|path| site.join(path)).collect(), ..wanted };
    let bundles = bundles(&prepared);
    let ended = verify_once(&common, &wanted, console, &|report, done| {
        pod.answer(report, bundles.get(&report.path), done)
    })?;
    // What the pages came to is in the answers: only a pod that was stopped is to be tried again.
    Ok(match ended {
        Ended::Signal(signal) => Ended::Signal(signal),
        Ended::Clean | Ended::Findings => Ended::Clean,
    })
}

/// The bundles of pages that have one.
fn bundles(prepared: &Prepared) -> BTreeMap<String, String> {
    let pages = &prepared.loaded.book.value.pages;
    let bundle = |page: &crate::book::Page| {
        Some((page.path.clone(), page.front.verify.as_ref()?.bundle.clone()?))
    };
    pages.iter().filter_map(bundle).collect()
}

impl Pod<'_> {
    /// The pages of this shard that are still to be run. Where another pod has been at it, what it
    /// left in their namespaces goes first.
    fn open(
        &self,
        prepared: &Prepared,
        args: &ClusterShardArgs,
        again: bool,
    ) -> Result<Vec<String>, Failure> {
        let book = &prepared.loaded.book.value;
        let graph = Graph::of(book, &prepared.chosen);
        let own: BTreeSet<usize> = graph.shard(args.shard).into_iter().collect();
        let mut done = BTreeSet::new();
        if again {
            let heads = heads(self.kubectl, self.run)
                .map_err(|trouble| trouble.failure("the answers of an earlier pod"))?;
            done.extend(heads.into_iter().filter(|(_, head)| head.done).map(|(page, _)| page));
        }
        let page_of = |at: &usize| &book.pages[prepared.chosen[*at]];
        let is_done = |at: &usize| {
            self.number(&page_of(at).path).is_some_and(|number| done.contains(&number))
        };
        let mut open: Vec<usize> = Vec::new();
        for group in graph.components() {
            // Pages of a group may rest on each other: one that is to be run again takes all along.
            if group.iter().any(|at| own.contains(at)) && !group.iter().all(is_done) {
                open.extend(group);
            }
        }
        if again {
            let of_page =
                |at: &usize| page_of(at).front.verify.as_ref().map(|v| v.namespaces.clone());
            let namespaces: Vec<String> = open.iter().filter_map(of_page).flatten().collect();
            clear_namespaces(self.kubectl, self.run.0, &namespaces)?;
        }
        open.sort_unstable();
        Ok(open.iter().map(|at| page_of(at).path.clone()).collect())
    }

    /// The number of a page in the order.
    fn number(&self, path: &str) -> Option<usize> {
        self.order.pages.iter().position(|page| page == path)
    }

    /// Sends what a page came to, with its run where one was recorded.
    fn answer(
        &self,
        report: &PageReport,
        bundle: Option<&String>,
        done: bool,
    ) -> Result<(), Failure> {
        let Some(number) = self.number(&report.path) else { return Ok(()) };
        let mut files = Files::new();
        if let Some(bundle) = bundle.filter(|_| self.order.record) {
            let folder = self.site.join("evidence").join(bundle);
            if disk::is_folder(&folder) {
                for path in disk::files_below(&folder)? {
                    let bytes = disk::read(&folder.join(&path))?;
                    files.insert(format!("evidence/{bundle}/{path}"), bytes);
                }
            }
        }
        let answer = Answer { report: report.clone(), files };
        send(self.kubectl, self.run, number, (&answer, done))
    }
}
