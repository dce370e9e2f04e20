//! Where a document's link into `labkit/` leads: a file to its viewer, a folder to its index, a
//! kit to its page.

use super::pages::files_index;
use super::tree::{Kit, LABKIT, is_below};
use super::viewer;
use crate::address::{Written, join, parse};
use crate::diag::{Diagnostic, nearest};

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// The published page, from the output's root.
    pub(crate) path: String,
    /// The decoded fragment, without `#`.
    pub(crate) fragment: Option<String>,
}

/// Resolves `link` as written in the page with the source path `page` (from the site's root).
/// `None` where it does not lead into `labkit/`; a finding (KT301, KT302) has no place yet.
pub(crate) fn resolve(kits: &[Kit], page: &str, link: &str) -> Option<Result<Route, Diagnostic>> {
    let Written::Inside { path: address, fragment } = parse(link) else { return None };
    if address.is_empty() {
        return None;
    }
    let target = join(page, &address)?;
    let rest = target.strip_prefix(LABKIT)?;
    let path = match rest.strip_prefix('/') {
        None if rest.is_empty() => Ok("kit/index.html".to_owned()),
        None => return None,
        Some(inside) => in_labkit(kits, inside, address.ends_with('/')),
    };
    Some(path.map(|path| Route { path, fragment }).map_err(|finding| *finding))
}

/// The page for a path below `labkit/`.
fn in_labkit(kits: &[Kit], inside: &str, as_folder: bool) -> Result<String, Box<Diagnostic>> {
    let (name, path) = inside.split_once('/').unwrap_or((inside, ""));
    let Some(kit) = kits.iter().find(|kit| kit.name == name) else {
        let near = nearest(name, kits.iter().map(|kit| kit.name.as_str()));
        return Err(Box::new(missing(
            &format!("{LABKIT}/{inside}"),
            near,
            "no kit of that name is there",
        )));
    };
    if path.is_empty() {
        return Ok(format!("kit/{}/index.html", kit.name));
    }
    if kit.find(path).is_some() && !as_folder {
        return Ok(viewer::path_of(kit, path));
    }
    if kit.has_folder(path) {
        return Ok(files_index(kit, path));
    }
    Err(Box::new(unknown(kit, path, as_folder)))
}

/// The finding for a path that the kit does not publish.
fn unknown(kit: &Kit, path: &str, as_folder: bool) -> Diagnostic {
    let at = format!("{}/{path}", kit.source());
    let left_out = kit.left_out.iter().find(|left| {
        let folder = left.path.trim_end_matches('/');
        folder == path || is_below(path, folder)
    });
    if let Some(left) = left_out {
        let fact =
            format!("{}/{} {} and is left out", kit.source(), left.path, left.reason.words());
        let hint = format!("name it in `[kit.{}] include`, or drop the link", kit.name);
        return if as_folder || left.path.trim_end_matches('/') == path && left.path.ends_with('/') {
            not_part(&at).note(fact).hint(hint)
        } else {
            Diagnostic::error("KT302", format!("link to {at}, which is not published"))
                .note(fact)
                .hint(hint)
        };
    }
    if as_folder && kit.find(path).is_none() {
        return not_part(&at).hint("a folder is published when it has a file in it");
    }
    let near = near_path(kit, path);
    missing(&at, near, "the kit has no file and no folder with this path")
}

/// The path of the kit that was probably meant: one near as a whole, or the only one with that
/// name in another folder.
fn near_path<'a>(kit: &'a Kit, path: &str) -> Option<&'a str> {
    let paths = || kit.files.iter().map(|file| file.path.as_str());
    let name = path.rsplit('/').next().unwrap_or(path);
    let same_name = || kit.files.iter().find(|file| file.name() == name).map(|f| f.path.as_str());
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let in_folder = || {
        let here = kit
            .files
            .iter()
            .filter(|file| file.path.rsplit_once('/').map_or("", |(above, _)| above) == folder);
        let found = nearest(name, here.clone().map(|file| file.name()))?;
        here.into_iter().find(|file| file.name() == found).map(|file| file.path.as_str())
    };
    in_folder().or_else(|| nearest(path, paths())).or_else(same_name)
}

/// The finding for a folder that is no part of the kit.
fn not_part(at: &str) -> Diagnostic {
    Diagnostic::error(
        "KT301",
        format!("link to folder {at}, which would be 404: not part of the kit"),
    )
}

/// The finding for something that does not exist.
fn missing(at: &str, near: Option<&str>, fact: &str) -> Diagnostic {
    let finding =
        Diagnostic::error("KT302", format!("link to {at}, which does not exist")).note(fact);
    match near {
        Some(near) => finding.hint(format!("did you mean {near}?")),
        None => finding.hint("correct the path; letter case counts"),
    }
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
