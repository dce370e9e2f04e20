//! `labdoc trust`: which clusters pages may touch.

use serde_json::json;

use super::Ended;
use crate::cli::{Console, TrustArgs};
use crate::diag::Failure;
use crate::verify::guard::{TrustList, Trusted, identify};

/// Remembers, lists or forgets a cluster.
///
/// # Errors
/// The cluster does not answer, or the user's list cannot be read or written.
pub(crate) fn trust(args: &TrustArgs, console: &Console) -> Result<Ended, Failure> {
    let mut known = TrustList::read()?;
    if args.list {
        list(&known, console)?;
        return Ok(Ended::Clean);
    }
    let (cluster, done) = if args.remove {
        (remove(&mut known, args.context.as_deref())?, "no longer trusted")
    } else {
        let cluster = identify(args.context.as_deref())?.entry();
        let new = known.add(cluster.clone());
        (cluster, if new { "trusted" } else { "was trusted already" })
    };
    known.write()?;
    let Trusted { uid, context, server } = &cluster;
    console.summary(
        &format!("{done}: {context}, {server}, identity {uid}"),
        &json!({ "outcome": done, "context": context, "server": server, "uid": uid }),
    );
    Ok(Ended::Clean)
}

/// Prints the list.
fn list(known: &TrustList, console: &Console) -> Result<(), Failure> {
    for Trusted { uid, context, server } in &known.clusters {
        if console.is_json() {
            console.object(&json!({ "uid": uid, "context": context, "server": server }));
        } else {
            console.result(&format!("{uid}  {context}  {server}"));
        }
    }
    let count = known.clusters.len();
    let word = if count == 1 { "cluster" } else { "clusters" };
    let path = TrustList::path()?;
    console.summary(
        &format!("{count} {word} trusted, in {}", path.display()),
        &json!({ "outcome": "clean", "trusted": count }),
    );
    Ok(())
}

/// Takes out the cluster of that identity or recorded name; where there is none, the one that
/// the context leads to now.
fn remove(known: &mut TrustList, name: Option<&str>) -> Result<Trusted, Failure> {
    if let Some(cluster) = name.and_then(|name| known.remove(name)) {
        return Ok(cluster);
    }
    let entry = identify(name)?.entry();
    known.remove(&entry.uid).ok_or_else(|| {
        Failure::new(format!("context `{}` (identity {}) is not trusted", entry.context, entry.uid))
            .hint("labdoc trust --list shows those that are")
    })
}
