//! `holds`: in which environments a claim is made, as conditions over version parts.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use crate::book::Relation;

/// The environment of a run or a page: key to version.
pub(crate) type Environment = BTreeMap<String, String>;

/// The operators, longer ones first.
const RELATIONS: [(&str, Relation); 5] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("<", Relation::Less),
    (">", Relation::Greater),
    ("=", Relation::Equal),
];

/// One condition, `<1.39`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    relation: Relation,
    version: String,
}

/// The environments in which a claim is made. All conditions of all keys must hold; a run that
/// did not measure a key does not count. Versions compare by as many parts as the condition
/// writes, so `<=1.38` includes 1.38.3.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holds {
    keys: BTreeMap<String, Vec<Condition>>,
}

impl Holds {
    /// Adds the conditions of one key, `>=1.36 <1.39`.
    ///
    /// # Errors
    /// A sentence and the next step, when a condition cannot be read.
    pub(crate) fn add(&mut self, key: &str, text: &str) -> Result<(), (String, String)> {
        let conditions =
            text.split_whitespace().map(parse_condition).collect::<Result<Vec<_>, _>>()?;
        if conditions.is_empty() {
            let message = format!("`holds` has no condition for {key}");
            return Err((message, format!("write a version, such as `{key}: \"<1.39\"`")));
        }
        self.keys.insert(key.to_owned(), conditions);
        Ok(())
    }

    /// The environment keys that take part.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }

    /// Whether a run in `environment` counts for the claim.
    pub(crate) fn counts(&self, environment: &Environment) -> bool {
        self.keys().all(|key| environment.get(key).is_some_and(|v| self.admits(key, v)))
    }

    /// Whether the claim is made for that version of one thing; without conditions for it, it is.
    pub(crate) fn admits(&self, key: &str, version: &str) -> bool {
        self.keys.get(key).is_none_or(|all| all.iter().all(|condition| condition.admits(version)))
    }

    /// Key and conditions as written, `envoy` and `>=1.36 <1.39`, in the order of the keys.
    pub(crate) fn canonical(&self) -> BTreeMap<String, String> {
        let join = |conditions: &Vec<Condition>| {
            conditions.iter().map(Condition::to_string).collect::<Vec<_>>().join(" ")
        };
        self.keys.iter().map(|(key, conditions)| (key.clone(), join(conditions))).collect()
    }
}

impl fmt::Display for Holds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> =
            self.canonical().iter().map(|(key, text)| format!("{key} {text}")).collect();
        f.write_str(&parts.join(", "))
    }
}

impl Condition {
    /// Whether `version` satisfies it.
    fn admits(&self, version: &str) -> bool {
        self.relation.admits(compare(version, &self.version))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = RELATIONS.iter().find(|(_, r)| *r == self.relation).map_or("=", |(s, _)| s);
        write!(f, "{sign}{}", self.version)
    }
}

/// Reads one condition.
fn parse_condition(word: &str) -> Result<Condition, (String, String)> {
    let found = RELATIONS.iter().find_map(|(sign, r)| Some((word.strip_prefix(sign)?, *r)));
    match found {
        Some(("", _)) => {
            let message = format!("`{word}` in `holds` has no version");
            Err((message, "write operator and version without a blank, `<1.39`".into()))
        }
        Some((version, _)) if version.starts_with(['<', '>', '=']) => {
            let message = format!("`{word}` in `holds` has an unknown operator");
            Err((message, "known here: <, <=, >, >=, =".into()))
        }
        Some((version, relation)) => Ok(Condition { relation, version: version.to_owned() }),
        None => {
            let message = format!("`{word}` in `holds` has no operator");
            Err((message, format!("write `={word}`, or one of <, <=, >, >=")))
        }
    }
}

/// Compares `version` with `bound` by as many parts as `bound` has; a part that `version` does
/// not have counts as 0.
fn compare(version: &str, bound: &str) -> Ordering {
    let mut have = parts(version);
    for want in parts(bound) {
        let order = part_key(have.next().unwrap_or("0")).cmp(&part_key(want));
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

/// Whether `version` agrees with `asked` in every part that `asked` writes: `1.30.4` is a
/// `1.30`, but neither `1.3` nor `1.30.5`.
pub(crate) fn matches_version(version: &str, asked: &str) -> bool {
    let mut have = parts(version);
    parts(asked).all(|want| have.next().is_some_and(|part| part_key(part) == part_key(want)))
}

/// Whether a run's environment is the one that is asked for: every key that is asked for was
/// measured and matches.
pub(crate) fn matches_environment(run: &Environment, asked: &Environment) -> bool {
    mismatches(run, asked).is_empty()
}

/// The keys in which a run's environment is not the one that is asked for: key, asked, measured.
pub(crate) fn mismatches<'a>(
    run: &'a Environment,
    asked: &'a Environment,
) -> Vec<(&'a str, &'a str, Option<&'a str>)> {
    let mut out = Vec::new();
    for (key, want) in asked {
        let have = run.get(key).map(String::as_str);
        if !have.is_some_and(|version| matches_version(version, want)) {
            out.push((key.as_str(), want.as_str(), have));
        }
    }
    out
}

/// The parts of a version; a leading `v` before a digit is dropped.
fn parts(version: &str) -> impl Iterator<Item = &str> {
    let bare = version.strip_prefix('v').filter(|v| v.starts_with(|c: char| c.is_ascii_digit()));
    bare.unwrap_or(version).split('.')
}

/// The sort key of one part: its number first, then what follows the number.
fn part_key(part: &str) -> (u64, &str) {
    let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
    (part[..digits].parse().unwrap_or(0), &part[digits..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(conditions: &str, version: &str, expect: bool) {
        let mut holds = Holds::default();
        holds.add("envoy", conditions).expect("valid conditions");
        let environment = Environment::from([("envoy".into(), version.into())]);
        assert_eq!(holds.counts(&environment), expect, "{version} in {conditions}");
    }

    #[test]
    fn conditions_compare_by_the_parts_they_write() {
        check("<1.39", "1.38.3", true);
        check("<1.39", "1.39.0", false);
        check("<=1.38", "1.38.3", true);
        check("<=1.38.2", "1.38.3", false);
        check(">1.38", "1.38.3", false);
        check(">=1.38", "1.38.0", true);
        check("=1.38", "1.38.3", true);
        check("=1.38", "1.380.3", false);
        check("=1", "v1.40.0", true);
        check(">=1.9", "1.10.0", true);
        check(">=1.36 <1.39", "1.38.3", true);
        check(">=1.36 <1.39", "1.35.9", false);
        check("=linux/amd64", "linux/amd64", true);
        check("=linux/amd64", "linux/arm64", false);
    }

    #[test]
    fn a_run_without_the_key_does_not_count() {
        let mut holds = Holds::default();
        holds.add("envoy", "<1.39").expect("valid");
        assert!(!holds.counts(&Environment::from([("os".into(), "linux".into())])));
        assert!(Holds::default().counts(&Environment::new()));
    }

    #[test]
    fn unreadable_conditions_are_named() {
        for (text, word) in
            [("", "envoy"), ("1.38", "`1.38`"), (">= 1.38", "`>=`"), ("<>1", "`<>1`")]
        {
            let (message, _) = Holds::default().add("envoy", text).expect_err("fault");
            assert!(message.contains(word), "{text:?}: {message}");
        }
    }

    #[test]
    fn environments_match_by_prefix() {
        let run = Environment::from([("k".into(), "1.30.4".into()), ("os".into(), "linux".into())]);
        let asked = |v: &str| Environment::from([("k".into(), v.to_owned())]);
        assert!(matches_environment(&run, &asked("1.30")));
        assert!(!matches_environment(&run, &asked("1.3")));
        assert!(!matches_environment(&run, &asked("1.30.4.1")));
        assert!(matches_environment(&run, &Environment::new()));
        assert_eq!(mismatches(&run, &asked("1.31")), [("k", "1.31", Some("1.30.4"))]);
    }

    proptest! {
        #[test]
        fn below_and_at_least_exclude_each_other(a in 0u8..50, b in 0u8..50, c in 0u8..50) {
            let version = format!("1.{a}.{b}");
            let counts = |text: &str| {
                let mut holds = Holds::default();
                holds.add("k", text).expect("valid");
                holds.counts(&Environment::from([("k".into(), version.clone())]))
            };
            prop_assert_ne!(counts(&format!("<1.{c}")), counts(&format!(">=1.{c}")));
            prop_assert_ne!(counts(&format!(">1.{c}")), counts(&format!("<=1.{c}")));
        }
    }
}
