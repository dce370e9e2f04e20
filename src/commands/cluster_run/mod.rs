//! `labdoc cluster-run`: the pages as an Indexed Job of the user's own cluster, a pod for each shard,
//! and one verdict out of what the pods report.

mod content;
mod follow;
mod merge;
mod shard;
mod submit;

use serde_json::json;

use super::verify::{Prepared, read};
use super::{Ended, find_root, plural};
use crate::cli::{ClusterRunArgs, Common, Console, VerifyArgs};
use crate::diag::Failure;
use crate::digest::sha256_hex;
use crate::fence::parse_duration;
use crate::proc::Interrupt;
use crate::verify::guard::{Choice, Cluster, choose};
use crate::verify::order::{Graph, Shard};
use crate::verify::report::Target;
use crate::verify::spread::{Account, MOST_PIECES, Order, PIECE, Spread, objects, pack};
pub(crate) use shard::cluster_shard;

/// Prints what a run would make in the cluster, or makes it and waits for the verdict.
///
/// # Errors
/// The pages cannot be read, the cluster is not trusted or does not take the objects, or pages
/// could not be run.
pub(crate) fn cluster_run(
    common: &Common,
    args: &ClusterRunArgs,
    console: &Console,
) -> Result<Ended, Failure> {
    find_root(common)?;
    if args.report.contains(&Target::Github) {
        return Err(Failure::new("--report github needs the pages at hand")
            .hint("give junit=FILE to the forge; most of them show it"));
    }
    let prepared = read(common, &wanted(args), console)?;
    if prepared.errors > 0 {
        let object = json!({ "outcome": "findings", "errors": prepared.errors });
        console.summary("nothing was submitted", &object);
        return Ok(Ended::Findings);
    }
    let paths = check(&prepared, args)?;
    let cluster = match choose(args.context.as_deref())? {
        Choice::Cluster(cluster) => cluster,
        Choice::None(why) => {
            return Err(Failure::new(format!("cluster-run needs a cluster: {why}"))
                .hint("trust one with labdoc trust CONTEXT and name it with --context CONTEXT"));
        }
    };
    let spread = plan(&prepared, &paths, args, &cluster)?;
    if !args.apply {
        print(&spread, console)?;
        return Ok(Ended::Clean);
    }
    let call = Call { console, kubectl: &cluster.kubectl, spread: &spread, paths: &paths };
    let interrupt = Interrupt::listen()
        .map_err(|error| Failure::new(format!("cannot listen for signals: {error}")))?;
    call.submit()?;
    let Some(end) = call.follow(&interrupt)? else {
        console.say(&format!(
            "the Job labdoc-{} in namespace {} goes on; the same command waits for it again",
            spread.id, spread.namespace
        ));
        return Ok(Ended::Signal(interrupt.signal().unwrap_or_default()));
    };
    let answers = call.answers(&end, &shard_of(&prepared, args))?;
    if args.record {
        merge::record(&prepared.loaded.root, &answers, console)?;
    }
    if args.keep {
        call.mark_read()?
    } else {
        call.clean_up()?
    }
    merge::verdict(&answers, args, console)
}

/// The shard of each page, from 0, as the pods work it out.
fn shard_of(prepared: &Prepared, args: &ClusterRunArgs) -> Vec<usize> {
    let graph = Graph::of(&prepared.loaded.book.value, &prepared.chosen);
    let mut shards = vec![0; prepared.chosen.len()];
    let of = usize::from(args.shards);
    for index in 1..=of {
        graph.shard(Shard { index, of }).into_iter().for_each(|page| shards[page] = index - 1);
    }
    shards
}

/// What every part of a call looks at.
struct Call<'a> {
    console: &'a Console,
    kubectl: &'a crate::verify::guard::Kubectl,
    spread: &'a Spread,
    /// The pages, as paths from the root, by their numbers.
    paths: &'a [String],
}

/// The same choice as options of `verify`.
fn wanted(args: &ClusterRunArgs) -> VerifyArgs {
    VerifyArgs {
        pages: args.pages.clone(),
        param: args.param.clone(),
        record: args.record,
        ..VerifyArgs::default()
    }
}

/// The chosen pages, if they can be run in pods.
fn check(prepared: &Prepared, args: &ClusterRunArgs) -> Result<Vec<String>, Failure> {
    let book = &prepared.loaded.book.value;
    let pages = || prepared.chosen.iter().map(|at| &book.pages[*at]);
    if prepared.chosen.is_empty() {
        return Err(Failure::new("there is no page with runnable blocks"));
    }
    let bundle = |page: &crate::book::Page| {
        page.front.verify.as_ref().is_some_and(|verify| verify.bundle.is_some())
    };
    if let Some(page) = pages().find(|page| args.record && !bundle(page)) {
        let message =
            format!("--record: {} has no bundle yet, and pods cannot agree on one", page.path);
        return Err(Failure::new(message)
            .hint("write `verify: {bundle: T9}` with a free number into its header"));
    }
    Ok(pages().map(|page| page.path.clone()).collect())
}

/// The run, with everything that goes into it.
fn plan(
    prepared: &Prepared,
    paths: &[String],
    args: &ClusterRunArgs,
    cluster: &Cluster,
) -> Result<Spread, Failure> {
    let book = &prepared.loaded.book.value;
    let order = Order {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cluster: cluster.uid.clone(),
        pages: paths.to_vec(),
        params: args.param.clone(),
        record: args.record,
    };
    let files = content::files(&prepared.loaded, &prepared.chosen)?;
    let content = pack(&prepared.loaded.root, &files, &order)?;
    if content.len() > MOST_PIECES * PIECE {
        let message = format!(
            "the pages and their kits are {} KiB when packed, and ConfigMaps hold {} KiB for a run",
            content.len() >> 10,
            (MOST_PIECES * PIECE) >> 10
        );
        return Err(
            Failure::new(message).hint("name fewer pages, or keep large files out of content/")
        );
    }
    let of_page = |at: &usize| book.pages[*at].front.verify.as_ref().map(|v| v.namespaces.clone());
    let mut page_namespaces: Vec<String> =
        prepared.chosen.iter().filter_map(of_page).flatten().collect();
    page_namespaces.sort();
    page_namespaces.dedup();
    if page_namespaces.contains(&args.namespace) {
        let message =
            format!("a page works in namespace {}, where the Job would be", args.namespace);
        return Err(Failure::new(message).hint("give the Job another one with --namespace NAME"));
    }
    let seconds = parse_duration(&args.timeout).map_or(7200, |limit| limit.as_secs().max(1));
    let asked = format!(
        "{} {} {} {} {seconds} {:?}",
        args.image, args.shards, args.namespace, args.retries, args.service_account
    );
    let id = sha256_hex(&[content.as_slice(), asked.as_bytes()].concat());
    let mut spread = Spread {
        id: id[..10].to_owned(),
        namespace: args.namespace.clone(),
        image: args.image.clone(),
        shards: args.shards.into(),
        retries: args.retries,
        seconds,
        account: args.service_account.clone().map_or(Account::Own, Account::Named),
        absent: Vec::new(),
        owned: args.apply,
        page_namespaces,
        content,
    };
    spread.absent = submit::absent(&cluster.kubectl, &spread)?;
    Ok(spread)
}

/// Prints the objects as YAML.
fn print(spread: &Spread, console: &Console) -> Result<(), Failure> {
    let all = objects(spread);
    if console.is_json() {
        all.iter().for_each(|object| console.object(object));
        return Ok(());
    }
    let mut text = format!(
        "# Made by labdoc cluster-run. {} on {}, run {}.\n# Submit it: kubectl create -f FILE. With --apply, labdoc waits for it and merges the reports.",
        plural(spread.page_namespaces.len(), "namespace"),
        plural(spread.shards, "shard"),
        spread.id
    );
    for object in &all {
        let yaml = serde_saphyr::to_string(object)
            .map_err(|error| Failure::new(format!("cannot write the objects as YAML: {error}")))?;
        text.push_str("\n---\n");
        text.push_str(yaml.trim_end());
    }
    console.result(&text);
    Ok(())
}
