//! What comes back from the pods: for each page its report and, where it was recorded, its run, in
//! ConfigMaps of the run's namespace.
//!
//! The bytes lie in pieces; a head without bytes is written last and names their number and
//! digest, so that an answer is there as a whole or not at all. A second answer for the same page
//! takes the place of the first.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::content::pack_files;
use super::{PART, PIECE, RUN, name_of};
use crate::diag::Failure;
use crate::digest::sha256_tagged;
use crate::evidence::{Files, archive};
use crate::verify::guard::{Kind, Kubectl, Trouble};
use crate::verify::report::{PageReport, document, parse};

/// The report's name in an answer.
const REPORT: &str = "report.json";

/// What a pod has to say of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// What the page came to.
    pub(crate) report: PageReport,
    /// The files of its recorded run, by their paths from the site's root.
    pub(crate) files: Files,
}

/// That there is an answer, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// In how many pieces it lies.
    pieces: usize,
    /// The digest of its bytes.
    digest: String,
    /// Whether the page was run to its end; where not, a second pod may do better.
    pub(crate) done: bool,
}

/// The name of the head of the page with this number in the order; its pieces have a number behind.
fn head_name(id: &str, page: usize) -> String {
    format!("{}-page-{page}", name_of(id))
}

/// Sends the answer for a page.
///
/// # Errors
/// The cluster does not take it.
pub(crate) fn send(
    kubectl: &Kubectl,
    (id, namespace): (&str, &str),
    page: usize,
    (answer, done): (&Answer, bool),
) -> Result<(), Failure> {
    let mut files = answer.files.clone();
    let report = document(std::slice::from_ref(&answer.report));
    files.insert(REPORT.to_owned(), report.into_bytes());
    let bytes = pack_files(&files)?;
    let name = head_name(id, page);
    let meta = |name: &str, part: &str| {
        json!({
            "name": name, "namespace": namespace,
            "labels": { "app.kubernetes.io/managed-by": "labdoc", RUN: id, PART: part },
        })
    };
    let pieces = bytes.chunks(PIECE).enumerate().map(|(number, piece)| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": meta(&format!("{name}-{number}"), "answer"),
            "binaryData": { "answer": STANDARD.encode(piece) },
        })
    });
    let head = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta(&name, "head"),
        "data": {
            "page": page.to_string(),
            "pieces": bytes.chunks(PIECE).len().to_string(),
            "digest": sha256_tagged(&bytes),
            "done": done.to_string(),
        },
    });
    let all = pieces.chain([head]);
    for object in all {
        put(kubectl, &object).map_err(|trouble| {
            trouble.failure(&format!("the answer for {}", answer.report.path))
        })?;
    }
    Ok(())
}

/// Makes an object, or puts it in the place of the one that is there.
fn put(kubectl: &Kubectl, object: &Value) -> Result<(), Trouble> {
    let text = object.to_string();
    match kubectl.text(&["create", "-f", "-"], Some(text.as_bytes())) {
        Err(trouble) if trouble.kind == Kind::Conflict => {
            kubectl.text(&["replace", "-f", "-"], Some(text.as_bytes())).map(|_| ())
        }
        other => other.map(|_| ()),
    }
}

/// The answers that are there, by the number of their page.
///
/// # Errors
/// The cluster cannot be asked.
pub(crate) fn heads(
    kubectl: &Kubectl,
    (id, namespace): (&str, &str),
) -> Result<BTreeMap<usize, Head>, Trouble> {
    let selector = format!("{RUN}={id},{PART}=head");
    let list =
        kubectl.json(&["get", "configmaps", "-n", namespace, "-l", &selector, "-o", "json"])?;
    let items = list["items"].as_array().cloned().unwrap_or_default();
    Ok(items.iter().filter_map(|item| head(&item["data"])).collect())
}

/// A head with the number of its page; what is no head is none.
fn head(data: &Value) -> Option<(usize, Head)> {
    let text = |key: &str| data[key].as_str();
    let pieces = text("pieces")?.parse().ok()?;
    let head = Head { pieces, digest: text("digest")?.to_owned(), done: text("done")? == "true" };
    Some((text("page")?.parse().ok()?, head))
}

/// Reads the answer for a page; `None` where its pieces are just being written over.
///
/// # Errors
/// The cluster cannot be asked, or what is there is no answer.
pub(crate) fn read(
    kubectl: &Kubectl,
    (id, namespace): (&str, &str),
    (page, head): (usize, &Head),
) -> Result<Option<Answer>, Failure> {
    let doing = format!("the answer for page {page} of run {id}");
    let wrong = |what: &str| Failure::new(format!("{doing}: {what}"));
    let mut bytes = Vec::new();
    for number in 0..head.pieces {
        let name = format!("{}-{number}", head_name(id, page));
        let map = kubectl.json(&["get", "configmap", &name, "-n", namespace, "-o", "json"]);
        let map = match map {
            Err(trouble) if trouble.kind == Kind::NotFound => return Ok(None),
            other => other.map_err(|trouble| trouble.failure(&doing))?,
        };
        let text = map["binaryData"]["answer"].as_str().unwrap_or_default();
        bytes.extend(STANDARD.decode(text).map_err(|_| wrong("it is no base 64"))?);
    }
    if sha256_tagged(&bytes) != head.digest {
        return Ok(None);
    }
    let mut files = archive(&bytes)?;
    let report = files.remove(REPORT).unwrap_or_default();
    let report = String::from_utf8_lossy(&report);
    let pages = parse(&report).map_err(|what| wrong(&what))?;
    let report = pages.into_iter().next().ok_or_else(|| wrong("it holds no page"))?;
    Ok(Some(Answer { report, files }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_head_is_none() {
        let whole = json!({ "page": "3", "pieces": "2", "digest": "sha256:ab", "done": "false" });
        let expect = Head { pieces: 2, digest: "sha256:ab".into(), done: false };
        assert_eq!(head(&whole), Some((3, expect)));
        for key in ["page", "pieces", "digest", "done"] {
            let mut data = whole.clone();
            data[key] = json!(null);
            assert_eq!(head(&data), None, "{key}");
        }
    }
}
