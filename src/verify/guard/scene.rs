//! A page on a cluster: what is set up before its first block, watched while it runs, and cleared
//! after its last one.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::cluster::Cluster;
use super::confine::Confined;
use super::inventory::Inventory;
use super::kubectl::Kubectl;
use super::lease::Leases;
use super::pin::Pinned;
use super::shim::{Shims, sets_kubeconfig};
use super::trouble::{Kind, Trouble, found};
use super::{cluster, collect};
use crate::diag::Failure;
use crate::disk;

/// How long objects that are being deleted may take before they count as left.
const LEAVING: Duration = Duration::from_secs(15);

/// How long to wait before looking again.
const AGAIN: Duration = Duration::from_secs(1);

/// What a page asks of its scene.
pub(crate) struct SceneOptions<'a> {
    /// Its namespaces.
    pub(crate) namespaces: &'a [String],
    /// The private folder of its run.
    pub(crate) folder: &'a Path,
    /// The namespaces of all pages that this labdoc runs.
    pub(crate) all_namespaces: &'a [String],
    /// Who runs it, for the Leases.
    pub(crate) holder: String,
    /// Its time limit, with `--confine`.
    pub(crate) confine: Option<Duration>,
}

/// A page on a cluster.
pub(crate) struct Scene<'a> {
    cluster: &'a Cluster,
    namespaces: Vec<String>,
    /// The kubeconfig of the session.
    config: PathBuf,
    /// Where the shims stand and note what they refused.
    bin: PathBuf,
    refused: PathBuf,
    /// What the session's kubeconfig should hold.
    pinned: Pinned,
    /// What it held after the last block.
    known: RefCell<Vec<u8>>,
    before: Inventory,
    company: Company<'a>,
    confined: Option<Confined>,
    leases: Leases,
}

/// Whether other pages of this labdoc ran on the cluster at the same time.
struct Company<'a> {
    cluster: &'a Cluster,
    /// How many had begun when this one did; `None` where another one ran already.
    alone_since: Option<usize>,
    /// Namespaces that only other pages work in.
    foreign: Vec<String>,
}

impl<'a> Company<'a> {
    /// A page begins.
    fn enter(cluster: &'a Cluster, options: &SceneOptions<'_>) -> Company<'a> {
        let begun = cluster.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let others = cluster.running.fetch_add(1, Ordering::SeqCst);
        let foreign = |name: &&String| !options.namespaces.contains(name);
        Company {
            cluster,
            alone_since: (others == 0).then_some(begun),
            foreign: options.all_namespaces.iter().filter(foreign).cloned().collect(),
        }
    }

    /// Leaves out what belongs to other pages, and says where that cannot be known.
    fn attribute(&self, names: Vec<String>) -> Vec<String> {
        if self.alone_since == Some(self.cluster.begun.load(Ordering::SeqCst)) {
            return names;
        }
        let of_others = |name: &String| {
            name.strip_prefix("namespace/")
                .is_some_and(|rest| self.foreign.iter().any(|f| rest.split(' ').next() == Some(f)))
        };
        let shared = |name: String| {
            let is_own = name.contains(" in ") || name.starts_with("namespace/");
            if is_own { name } else { format!("{name} (or of a page that ran at the same time)") }
        };
        names.into_iter().filter(|name| !of_others(name)).map(shared).collect()
    }
}

impl Drop for Company<'_> {
    fn drop(&mut self) {
        self.cluster.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<'a> Scene<'a> {
    /// Makes sure that the cluster is the one that was chosen, takes the Leases, confines the
    /// access, and looks at what is there.
    ///
    /// # Errors
    /// The cluster does not answer or forbids it, or another verifier holds a namespace.
    pub(crate) fn set(
        cluster: &'a Cluster,
        options: SceneOptions<'_>,
    ) -> Result<Scene<'a>, Failure> {
        cluster.check()?;
        let kubectl = &cluster.kubectl;
        let company = Company::enter(cluster, &options);
        let leases = Leases::take(kubectl, options.namespaces, &options.holder)?;
        let before = Inventory::take(kubectl, options.namespaces)
            .map_err(|trouble| trouble.failure("inventory"))?;
        let confined = match options.confine {
            None => None,
            Some(limit) => {
                let id = crate::digest::sha256_hex(options.holder.as_bytes());
                Some(Confined::make(kubectl, options.namespaces, (&id[..10], limit))?)
            }
        };
        let pinned = match &confined {
            Some(confined) => cluster
                .pinned
                .with_token(&confined.token, options.namespaces.first().map(String::as_str)),
            None => cluster.pinned.clone(),
        };
        let folder = options.folder.join("cluster");
        let (config, bin) = (folder.join("kubeconfig"), folder.join("bin"));
        pinned.write(&config)?;
        let known = RefCell::new(pinned.bytes());
        let refused = folder.join("refused");
        let namespaces = options.namespaces.to_vec();
        Ok(Scene {
            cluster,
            namespaces,
            config,
            bin,
            refused,
            pinned,
            known,
            before,
            company,
            confined,
            leases,
        })
    }

    /// The variables of the session: the pinned kubeconfig, and the guards in front of `PATH`.
    ///
    /// # Errors
    /// The guards cannot be written.
    pub(crate) fn env(&self, path: Option<&OsStr>) -> Result<[(OsString, OsString); 2], Failure> {
        let shims = Shims {
            folder: &self.bin,
            config: &self.config,
            context: &self.pinned.context,
            refused: &self.refused,
        };
        shims.write(path)?;
        let mut all = self.bin.clone().into_os_string();
        if let Some(path) = path {
            all.push(":");
            all.push(path);
        }
        Ok([("KUBECONFIG".into(), self.config.clone().into()), ("PATH".into(), all)])
    }

    /// The kubeconfig of the session.
    pub(crate) fn config(&self) -> &Path {
        &self.config
    }

    /// The cluster's way to be asked as the session asks it.
    pub(crate) fn kubectl(&self) -> Kubectl {
        self.cluster.kubectl.on(&self.config)
    }

    /// Why a block must not run at all.
    pub(crate) fn refuses(text: &str) -> Option<String> {
        let line = sets_kubeconfig(text)?;
        Some(format!(
            "line {line} of the block sets KUBECONFIG; the page's cluster is chosen by --context, and nothing of the block was run"
        ))
    }

    /// Why a block that ran must not count: a guard refused something, or it changed which cluster
    /// is meant. `kept` is whether the session still has its `KUBECONFIG`.
    ///
    /// # Errors
    /// The session's kubeconfig cannot be read or put back.
    pub(crate) fn tampered(&self, kept: bool) -> Result<Option<String>, Failure> {
        if let Some(refusals) = disk::read_optional(&self.refused)? {
            disk::remove_file(&self.refused)?;
            let text = String::from_utf8_lossy(&refusals);
            return Ok(Some(text.lines().next().unwrap_or("a guard refused it").to_owned()));
        }
        if !kept {
            return Ok(Some("it changed KUBECONFIG in the page's shell".to_owned()));
        }
        let now = disk::read_optional(&self.config)?.unwrap_or_default();
        if now == *self.known.borrow() {
            return Ok(None);
        }
        if self.same_cluster()? {
            *self.known.borrow_mut() = now;
            return Ok(None);
        }
        self.pinned.write(&self.config)?;
        *self.known.borrow_mut() = self.pinned.bytes();
        Ok(Some(
            "it changed which cluster the page's kubeconfig leads to; that was put back".to_owned(),
        ))
    }

    /// Whether the session's kubeconfig, which a block has changed, still leads to the same cluster.
    fn same_cluster(&self) -> Result<bool, Failure> {
        let kubectl = self.kubectl();
        let view = ["config", "view", "--minify", "--raw", "-o", "json"];
        let Ok(config) = kubectl.json(&view) else { return Ok(false) };
        if config["clusters"][0]["cluster"] != *self.pinned.cluster() {
            return Ok(false);
        }
        if self.confined.is_some() {
            // A confined token may not ask; address and certificate are those of the cluster.
            return Ok(true);
        }
        match cluster::identity(&kubectl) {
            Ok(uid) => Ok(uid == self.cluster.uid),
            Err(trouble) => Err(trouble.failure("the cluster's identity after the block")),
        }
    }

    /// The trouble with the cluster that a failed block tells of, if that is why it failed. What a
    /// page prints on purpose is no trouble.
    pub(crate) fn trouble(&self, output: &str, printed: &str) -> Option<Trouble> {
        let told = found(output);
        match told.as_ref().map(|trouble| trouble.kind) {
            Some(kind @ (Kind::Forbidden | Kind::Unauthorized))
                if found(printed).is_none_or(|printed| printed.kind != kind) =>
            {
                told
            }
            _ => cluster::identity(&self.cluster.kubectl)
                .err()
                .filter(|trouble| matches!(trouble.kind, Kind::Unreachable | Kind::Unauthorized)),
        }
    }

    /// Collects what explains a failure into `out`, and returns the facts that say most.
    pub(crate) fn collect(&self, out: &Path) -> Vec<String> {
        collect::collect(&self.cluster.kubectl, &self.namespaces, out)
    }

    /// Clears up, and names what the page left, where that is asked for.
    ///
    /// # Errors
    /// The cluster does not answer.
    pub(crate) fn clear(self, compare: Compare) -> Result<Cleared, Failure> {
        let Scene { cluster, namespaces, before, company, confined, leases, .. } = self;
        let made: Vec<String> =
            confined.iter().flat_map(|confined| confined.made().to_vec()).collect();
        drop(confined);
        let lease_lost = leases.is_lost();
        let leftovers = match compare {
            Compare::Nothing => Vec::new(),
            Compare::All => {
                let names = leftovers(&cluster.kubectl, &namespaces, &before)?;
                // What labdoc made for the page and has just deleted is not the page's.
                let own = |name: &String| {
                    let name = name.trim_end_matches(" (being deleted)");
                    let namespace = name.strip_prefix("namespace/").unwrap_or("");
                    made.iter().any(|made| made == namespace)
                        || namespace.starts_with("labdoc-confine-")
                };
                company.attribute(names.into_iter().filter(|name| !own(name)).collect())
            }
        };
        drop(leases);
        Ok(Cleared { leftovers, lease_lost })
    }
}

/// Whether the cluster is compared with what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    /// Yes.
    All,
    /// No: the run was cut short, or the scene is kept on purpose.
    Nothing,
}

/// What is known once a scene is cleared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cleared {
    /// What the page left in the cluster.
    pub(crate) leftovers: Vec<String>,
    /// Whether another verifier took over a namespace while the page ran.
    pub(crate) lease_lost: bool,
}

/// What is left; objects that are on their way out get some time.
fn leftovers(
    kubectl: &Kubectl,
    namespaces: &[String],
    before: &Inventory,
) -> Result<Vec<String>, Failure> {
    let until = Instant::now() + LEAVING;
    loop {
        let now = Inventory::take(kubectl, namespaces)
            .map_err(|trouble| trouble.failure("inventory after the page"))?;
        if !now.is_leaving(before) || Instant::now() >= until {
            return Ok(now.left_since(before));
        }
        std::thread::sleep(AGAIN);
    }
}
