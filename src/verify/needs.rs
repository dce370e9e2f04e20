//! Whether what a page or a block needs is there.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use super::plan::Plan;
use crate::book::Need;
use crate::proc::{ask, find_program};

/// How long a program may take to tell its version.
const LIMIT: Duration = Duration::from_secs(5);

/// The ways in which programs are asked for their version, in turn.
const QUESTIONS: &[&[&str]] = &[
    &["--version"],
    &["version", "--client"],
    // istioctl, without asking a cluster.
    &["version", "--remote=false"],
    &["version"],
    &["-version"],
    &["-v"],
];

/// What was found out so far; each program is asked once.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    /// Why there is no cluster; `None` where there is one.
    no_cluster: Option<String>,
    tools: BTreeMap<String, Found>,
}

/// What was found out about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    /// It is not on the `PATH`.
    Nothing,
    /// It is there and does not tell its version.
    Unversioned,
    /// Its version.
    Version(String),
}

/// Marks the page, or those of its blocks, whose needs are not met.
pub(crate) fn apply(plan: &mut Plan, probe: &mut Probe) {
    plan.skip = unmet(&plan.needs, probe);
    for step in plan.steps.iter_mut().filter(|step| step.skip.is_none()) {
        step.skip = unmet(&step.needs, probe);
    }
}

/// The first need that is not met, as a reason.
fn unmet(needs: &[Need], probe: &mut Probe) -> Option<String> {
    needs.iter().find_map(|need| probe.lacks(need))
}

impl Probe {
    /// A probe that knows why there is no cluster, if there is none.
    pub(crate) fn new(no_cluster: Option<String>) -> Probe {
        Probe { no_cluster, tools: BTreeMap::new() }
    }

    /// The version of a program, or what is known instead.
    pub(crate) fn tells(&mut self, name: &str) -> String {
        match self.found(name, true) {
            Found::Nothing => "missing".to_owned(),
            Found::Unversioned => "of an unknown version".to_owned(),
            Found::Version(version) => version,
        }
    }

    /// Why a need is not met.
    pub(crate) fn lacks(&mut self, need: &Need) -> Option<String> {
        let Need::Tool { name, version } = need else {
            return self.no_cluster.as_ref().map(|why| format!("needs {need}: {why}"));
        };
        match (self.found(name, version.is_some()), version) {
            (Found::Nothing, _) => Some(format!("needs {need}, which is not on the PATH")),
            (_, None) => None,
            (Found::Version(found), Some(wanted)) if wanted.admits(&found) => None,
            (Found::Version(found), _) => Some(format!("needs {need} (found {found})")),
            (Found::Unversioned, _) => {
                Some(format!("needs {need} (its version could not be found out)"))
            }
        }
    }

    /// What is known about a program; its version is asked only where it counts.
    fn found(&mut self, name: &str, versioned: bool) -> Found {
        let key = if versioned { format!("{name} version") } else { name.to_owned() };
        let look = || match find_program(name, None) {
            None => Found::Nothing,
            Some(_) if !versioned => Found::Unversioned,
            Some(program) => version(&program).map_or(Found::Unversioned, Found::Version),
        };
        self.tools.entry(key).or_insert_with(look).clone()
    }
}

/// The version that a program tells.
fn version(program: &std::path::Path) -> Option<String> {
    QUESTIONS.iter().find_map(|question| {
        let answer = ask(program, question, LIMIT)?;
        if answer.success { first_version(&answer.text) } else { None }
    })
}

/// The first word of a text that looks like a version: two numbers with a dot between.
fn first_version(text: &str) -> Option<String> {
    static VERSION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:^|[^0-9.])(\d+(?:\.\d+)+)").ok());
    let found = VERSION.as_ref()?.captures(text)?;
    Some(found[1].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        let check = |text: &str, expect: &str| {
            assert_eq!(first_version(text).as_deref(), Some(expect), "{text}");
        };
        check("GNU bash, version 5.2.15(1)-release", "5.2.15");
        check("Client Version: v1.30.4\nKustomize Version: v5.0.4", "1.30.4");
        check("go version go1.22.3 linux/amd64", "1.22.3");
        check("envoy  version: 0f8d3b/1.38.3/Clean/RELEASE/BoringSSL", "1.38.3");
        check("nginx version: nginx/1.22.1", "1.22.1");
    }

    #[test]
    fn what_is_missing_or_too_old_is_named() {
        let mut probe = Probe::new(Some("none is trusted".to_owned()));
        let mut check = |need: &str, expect: Option<&str>| {
            let got = probe.lacks(&Need::parse(need).expect("valid"));
            let got = got.map(|why| why.split(" (found").next().unwrap_or("").to_owned());
            assert_eq!(got.as_deref(), expect, "{need}");
        };
        check("bash", None);
        check("bash>=4", None);
        check("bash>=99.1", Some("needs bash>=99.1"));
        check("labdoc-no-such", Some("needs labdoc-no-such, which is not on the PATH"));
        check("cluster", Some("needs a cluster: none is trusted"));
    }
}
