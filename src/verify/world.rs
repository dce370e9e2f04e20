//! The fixed world in which a page runs: folder, environment, the declared part of the kit.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::plan::Plan;
use super::redact::Redactor;
use crate::book::Workdir;
use crate::diag::Failure;
use crate::disk::{self, Scratch};
use crate::kit::{Kit, visible};
use crate::proc;

/// Variables that are passed through as they are.
const PASSED: &[&str] = &[
    "PATH",
    "USER",
    "SHELL",
    "TMPDIR",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// Variables that are the same for every run, so that output does not depend on the machine.
pub(crate) const FIXED: &[(&str, &str)] = &[
    ("COLUMNS", "120"),
    ("LANG", "C.UTF-8"),
    ("LINES", "40"),
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("TZ", "UTC"),
];

/// Where and in which environment the blocks of a page run. The folder is private and goes when
/// the value is dropped.
pub(crate) struct World {
    /// The folder in which the first block begins.
    pub(crate) cwd: PathBuf,
    /// The whole environment.
    pub(crate) env: BTreeMap<OsString, OsString>,
    /// Names of the caller's variables in it.
    pub(crate) passed: Vec<String>,
    /// Where `$LABDOC_OUT` points: files left there go to the bundle.
    pub(crate) out: PathBuf,
    /// SHA-256 in hex of each kit file that the run can see, by path in the kit.
    pub(crate) kit: BTreeMap<String, String>,
    /// What must not be seen of it.
    pub(crate) redactor: Redactor,
    folder: Scratch,
}

impl World {
    /// Makes the world of a page.
    ///
    /// # Errors
    /// The kit cannot be read, `uses` matches nothing, or the folder cannot be made.
    pub(crate) fn make(root: &Path, plan: &Plan) -> Result<World, Failure> {
        let folder = Scratch::new()?;
        let base = disk::canonical(folder.path())?;
        let (home, work, out) = (base.join("home"), base.join("work"), base.join("out"));
        for path in [&home, &work, &out] {
            disk::create_folder(path)?;
        }
        let mut kit = BTreeMap::new();
        let cwd = match plan.workdir {
            Workdir::Kit => {
                kit = copy_kit(&load_kit(root, plan)?, plan, &work)?;
                work
            }
            Workdir::Temp => work,
            Workdir::Page => disk::canonical(&root.join(crate::book::folder_of(&plan.path)))?,
        };
        let (mut env, passed) = environment(plan);
        env.insert("HOME".into(), home.into());
        env.insert("LABDOC_OUT".into(), out.clone().into());
        let redactor = Redactor::of(&env, &plan.params);
        Ok(World { cwd, env, passed, out, kit, redactor, folder })
    }

    /// The private folder of the run.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves the folder where it is, and says where.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

/// Passed-through variables, the fixed ones, and the page's parameters; and the names of the first.
fn environment(plan: &Plan) -> (BTreeMap<OsString, OsString>, Vec<String>) {
    let named = PASSED.iter().copied().chain(plan.env.iter().map(String::as_str));
    // A page reaches a cluster through the guard and in no other way.
    let own = |name: &str| {
        name == "KUBECONFIG"
            || name == "HOME"
            || FIXED.iter().any(|(fixed, _)| *fixed == name)
            || plan.params.iter().any(|(param, _)| param == name)
    };
    let mut passed = BTreeMap::new();
    for name in named.filter(|name| !own(name)) {
        passed.extend(proc::variable(name).map(|value| (name.to_owned(), value)));
    }
    let names = passed.keys().cloned().collect();
    let mut env: BTreeMap<OsString, OsString> =
        passed.into_iter().map(|(name, value)| (name.into(), value)).collect();
    let fixed = FIXED.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    env.extend(fixed);
    env.extend(plan.params.iter().map(|(name, value)| (name.into(), value.into())));
    (env, names)
}

/// Copies the declared part of the kit into a fresh folder.
fn copy_kit(kit: &Kit, plan: &Plan, to: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let mut seen = BTreeMap::new();
    for file in visible(kit, &plan.uses)? {
        let path = to.join(&file.path);
        disk::write(&path, &file.bytes()?)?;
        disk::set_mode(&path, file.mode())?;
        seen.insert(file.path.clone(), file.sha256.clone());
    }
    if seen.is_empty() {
        let message = format!("{}: `uses` matches no file of kit {}", plan.path, kit.name);
        return Err(Failure::new(message));
    }
    Ok(seen)
}

/// Reads the kit that a plan names.
///
/// # Errors
/// The kit cannot be read.
pub(crate) fn load_kit(root: &Path, plan: &Plan) -> Result<Kit, Failure> {
    let name = plan.kit.as_deref().unwrap_or_default();
    Ok(Kit::load(root, name, &plan.kit_options)?.value)
}
