//! The cluster for the pages of a call, if there is one.

use std::ffi::OsStr;

use crate::book::Book;
use crate::cli::VerifyArgs;
use crate::diag::Failure;
use crate::proc::{host_name, variable};
use crate::source::Sources;
use crate::verify::guard::{Choice, Cluster, Compare, Scene, SceneOptions, choose};
use crate::verify::outcome::PageResult;
use crate::verify::plan::{Plan, plan};
use crate::verify::world::World;

/// What the pages of a call can touch.
#[derive(Default)]
pub(super) struct Access {
    /// The cluster that the user named and trusts.
    cluster: Option<Box<Cluster>>,
    /// Why there is none.
    pub(super) none: Option<String>,
    /// The namespaces of all pages.
    namespaces: Vec<String>,
}

impl Access {
    /// Chooses the cluster where a page needs one or the user names one.
    ///
    /// # Errors
    /// The cluster that was named is not trusted or cannot be used, or one is required and there
    /// is none.
    pub(super) fn to(
        args: &VerifyArgs,
        (book, sources): &(&Book, &Sources),
        chosen: &[usize],
    ) -> Result<Access, Failure> {
        let pages = chosen.iter().map(|at| &book.pages[*at]);
        let selection = super::selection(args);
        let plans: Vec<Plan> =
            pages.map(|page| plan(page, &book.config, sources, &selection)).collect();
        let needed = plans.iter().any(Plan::needs_cluster);
        let namespaces = plans.into_iter().flat_map(|plan| plan.namespaces).collect();
        if !needed && args.context.is_none() {
            let none = Some("no page was known to need one".to_owned());
            return Ok(Access { cluster: None, none, namespaces });
        }
        match choose(args.context.as_deref())? {
            Choice::Cluster(cluster) => {
                Ok(Access { cluster: Some(cluster), none: None, namespaces })
            }
            Choice::None(why) if args.require_cluster => {
                Err(Failure::new(format!("pages need a cluster: {why}"))
                    .hint("trust one with labdoc trust CONTEXT and name it with --context CONTEXT"))
            }
            Choice::None(why) => Ok(Access { cluster: None, none: Some(why), namespaces }),
        }
    }

    /// Sets the scene of a page that needs the cluster, and gives its session the way to it.
    ///
    /// # Errors
    /// The cluster does not answer or forbids it, or another verifier holds a namespace.
    pub(super) fn scene(
        &self,
        plan: &Plan,
        args: &VerifyArgs,
        world: &mut World,
    ) -> Result<Option<Scene<'_>>, Failure> {
        let Some(cluster) = self.cluster.as_ref().filter(|_| plan.needs_cluster()) else {
            return Ok(None);
        };
        let user = variable("USER").map_or("?".to_owned(), |user| user.display().to_string());
        let own = || format!("{user}@{} pid {}", host_name(), std::process::id());
        let who = args.holder.clone().unwrap_or_else(own);
        let options = SceneOptions {
            namespaces: &plan.namespaces,
            all_namespaces: &self.namespaces,
            folder: world.folder(),
            holder: format!("{who}, {}", plan.path),
            confine: args.confine.then_some(plan.timeout),
        };
        let scene = Scene::set(cluster, options)?;
        let env = scene.env(world.env.get(OsStr::new("PATH")).map(|path| path.as_os_str()))?;
        world.env.extend(env);
        Ok(Some(scene))
    }

    /// Clears a page's scene, notes what it left, and says why the page could not be verified
    /// after all.
    pub(super) fn clear(
        &self,
        scene: Option<Scene<'_>>,
        (plan, args): (&Plan, &VerifyArgs),
        result: &mut PageResult,
    ) -> Option<Failure> {
        let scene = scene?;
        result.kubernetes = self.cluster.as_ref().and_then(|cluster| cluster.version.clone());
        let trouble = result.trouble().map(|(id, trouble)| {
            let (path, words) = (&plan.path, trouble.kind.words());
            Failure::new(format!("{path} could not be verified: block `{id}`: {words}"))
        });
        let cut_short = trouble.is_some() || result.interrupted.is_some() || args.keep;
        let compare = if cut_short { Compare::Nothing } else { Compare::All };
        let cleared = match scene.clear(compare) {
            Ok(cleared) => cleared,
            Err(failure) => return trouble.or(Some(failure)),
        };
        result.leftovers = cleared.leftovers;
        let lost = || {
            let message =
                format!("{}: another verifier took over a namespace while the page ran", plan.path);
            Failure::new(message).hint("run it again when the other one is done")
        };
        trouble.or_else(|| cleared.lease_lost.then(lost))
    }
}
