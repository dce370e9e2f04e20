//! Where a claim was measured, in words: the runs that count, their environments, and how it came
//! out where it is not claimed.

use std::collections::BTreeSet;

use super::Site;
use super::record::environment_words;
use crate::evidence::{ClaimState, Environment, EnvironmentRuns, LinkState, Word};

/// The sentences about a claim's runs.
pub(super) fn sentences(site: &Site<'_>, state: &ClaimState) -> Vec<String> {
    let mut out = Vec::new();
    if state.word == Word::Verified {
        let runs = site.theme.word("n_runs").replace("{n}", &state.runs().to_string());
        let among = environments(state, |runs| runs.counts && runs.passed == Some(true));
        // The environment of the run that decides stands beside it already.
        out.push(if among.len() > 1 { format!("{runs}: {}", together(&among)) } else { runs });
    }
    for (passed, key) in [(false, "holds_not_outside"), (true, "holds_outside")] {
        let outside = environments(state, |runs| !runs.counts && runs.passed == Some(passed));
        if !outside.is_empty() {
            out.push(site.theme.word(key).replace("{x}", &together(&outside)));
        }
    }
    out.extend(state.links.iter().filter_map(|link| unfinished(site, link)));
    out.dedup();
    out
}

/// The sentence about a last attempt that did not finish.
pub(super) fn unfinished(site: &Site<'_>, link: &LinkState) -> Option<String> {
    let attempt = link.unfinished.as_ref()?;
    let words = site.theme.word("last_attempt").replace("{x}", &attempt.date.to_string());
    let why = attempt.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
    Some(format!("{words} ({}){why}", attempt.run_id))
}

/// The environments that are wanted, each once.
fn environments(
    state: &ClaimState,
    wanted: impl Fn(&EnvironmentRuns) -> bool,
) -> Vec<&Environment> {
    let runs = state.links.iter().flat_map(|link| &link.environments);
    let all: BTreeSet<&Environment> =
        runs.filter(|runs| wanted(runs)).map(|runs| &runs.environment).collect();
    all.into_iter().collect()
}

/// `Envoy 1.37.0, 1.38.3 · Kubernetes 1.34`: environments that differ in one version only are
/// said in one go, others stand between slashes.
fn together(all: &[&Environment]) -> String {
    let mut out: Vec<Environment> = Vec::new();
    for one in all {
        if !out.iter_mut().any(|before| join(before, one)) {
            out.push((*one).clone());
        }
    }
    out.iter().map(environment_words).collect::<Vec<_>>().join(" / ")
}

/// Adds the one version in which an environment differs from those before it.
fn join(before: &mut Environment, one: &Environment) -> bool {
    if !before.keys().eq(one.keys()) {
        return false;
    }
    let mut different = before.iter().filter(|(key, known)| one[*key] != **known);
    let (Some((key, known)), None) = (different.next(), different.next()) else { return false };
    let (key, known) = (key.clone(), format!("{known}, {}", one[key]));
    before.insert(key, known);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_that_differ_in_one_version_are_said_in_one_go() {
        let one = |pairs: &[(&str, &str)]| -> Environment {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let all = [
            one(&[("envoy", "1.37.0"), ("new_dns", "default")]),
            one(&[("envoy", "1.38.3"), ("new_dns", "default")]),
            one(&[("envoy", "1.38.3")]),
            one(&[("envoy", "1.40.0"), ("new_dns", "false")]),
            one(&[("envoy", "1.40.0"), ("new_dns", "default")]),
        ];
        let all: Vec<&Environment> = all.iter().collect();
        assert_eq!(
            together(&all),
            "Envoy 1.37.0, 1.38.3, 1.40.0 · new_dns default / Envoy 1.38.3 / Envoy 1.40.0 · new_dns false"
        );
    }
}
