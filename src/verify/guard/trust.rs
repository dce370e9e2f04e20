//! The clusters that the user trusts, by identity. The list lies in the user's own configuration:
//! nothing in a repository can add to it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::diag::Failure;
use crate::disk;
use crate::proc::variable;

/// What stands above the entries.
const HEAD: &str = "\
# Clusters that labdoc verify may touch, by identity: the UID of their namespace kube-system.
# Written by labdoc trust; context and server are what they were called then.
";

/// One trusted cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trusted {
    /// The UID of its namespace `kube-system`.
    pub(crate) uid: String,
    /// The context by which it was named.
    #[serde(default)]
    pub(crate) context: String,
    /// The address of its API server at that time.
    #[serde(default)]
    pub(crate) server: String,
}

/// The whole list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustList {
    /// The clusters, in the order in which they were trusted.
    #[serde(default, rename = "cluster")]
    pub(crate) clusters: Vec<Trusted>,
}

impl TrustList {
    /// Where it lies: `$XDG_CONFIG_HOME/labdoc/trust.toml`, else below `~/.config`.
    ///
    /// # Errors
    /// There is neither a configuration folder nor a home.
    pub(crate) fn path() -> Result<PathBuf, Failure> {
        // The base directory rules say that a relative path there is to be ignored.
        let given = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
        let home = || variable("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let folder = given.or_else(|| home().map(|home| home.join(".config")));
        let none = || Failure::new("no HOME and no XDG_CONFIG_HOME: no place for trust.toml");
        Ok(folder.ok_or_else(none)?.join("labdoc").join("trust.toml"))
    }

    /// Reads it; no file is an empty list.
    ///
    /// # Errors
    /// It cannot be read or is no such list.
    pub(crate) fn read() -> Result<TrustList, Failure> {
        let path = TrustList::path()?;
        let Some(bytes) = disk::read_optional(&path)? else { return Ok(TrustList::default()) };
        let wrong = |what: String| {
            Failure::new(format!("{}: {what}", path.display()))
                .hint("correct the file, or remove it and run labdoc trust again")
        };
        let text = String::from_utf8(bytes).map_err(|_| wrong("it is no UTF-8".to_owned()))?;
        TrustList::parse(&text).map_err(wrong)
    }

    /// Reads its text.
    fn parse(text: &str) -> Result<TrustList, String> {
        toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = text[..at.min(text.len())].matches('\n').count() + 1;
            format!("line {line}: {}", error.message())
        })
    }

    /// Writes it, readable by the user alone.
    ///
    /// # Errors
    /// The file or its folder cannot be written.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        let path = TrustList::path()?;
        if let Some(folder) = path.parent() {
            disk::create_folder(folder)?;
        }
        let text = toml::to_string(self)
            .map_err(|error| Failure::new(format!("cannot write trust.toml: {error}")))?;
        let new = !disk::is_file(&path);
        disk::replace(&path, format!("{HEAD}\n{text}").as_bytes())?;
        if new {
            disk::set_mode(&path, 0o600)?;
        }
        Ok(())
    }

    /// The entry of that identity.
    pub(crate) fn of(&self, uid: &str) -> Option<&Trusted> {
        self.clusters.iter().find(|cluster| cluster.uid == uid)
    }

    /// Adds a cluster, or renews what it was called; says whether it is new.
    pub(crate) fn add(&mut self, cluster: Trusted) -> bool {
        match self.clusters.iter_mut().find(|known| known.uid == cluster.uid) {
            Some(known) => {
                *known = cluster;
                false
            }
            None => {
                self.clusters.push(cluster);
                true
            }
        }
    }

    /// Takes out the cluster of that identity or, where none has it, of that context's name.
    pub(crate) fn remove(&mut self, name: &str) -> Option<Trusted> {
        let by = |test: &dyn Fn(&Trusted) -> bool| self.clusters.iter().position(test);
        let at = by(&|c| c.uid == name).or_else(|| by(&|c| c.context == name))?;
        Some(self.clusters.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(uid: &str, context: &str) -> Trusted {
        Trusted { uid: uid.into(), context: context.into(), server: "https://lab:6443".into() }
    }

    #[test]
    fn the_list_comes_back_as_written() {
        let list = TrustList { clusters: vec![entry("u1", "kind-lab"), entry("u2", "it's \"x\"")] };
        let text = format!("{HEAD}\n{}", toml::to_string(&list).expect("writes"));
        assert_eq!(TrustList::parse(&text), Ok(list));
        assert_eq!(TrustList::parse(""), Ok(TrustList::default()));
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        let fault = TrustList::parse("[[cluster]]\nuid = \"a\"\nuidd = \"b\"\n").expect_err("key");
        assert!(fault.starts_with("line 3: "), "{fault}");
    }

    #[test]
    fn a_cluster_is_known_by_its_identity_and_not_by_its_name() {
        let mut list = TrustList::default();
        assert!(list.add(entry("u1", "lab")));
        assert!(!list.add(entry("u1", "lab-renamed")));
        assert!(list.add(entry("u2", "lab")));
        assert_eq!(list.of("u1").map(|c| c.context.as_str()), Some("lab-renamed"));
        assert!(list.of("lab").is_none());
        assert_eq!(list.remove("u2").map(|c| c.uid), Some("u2".into()));
        assert_eq!(list.remove("lab-renamed").map(|c| c.uid), Some("u1".into()));
        assert_eq!(list.remove("lab"), None);
    }
}
