//! What a page or a block needs to run: `kubectl`, `kubectl>=1.30`, `cluster`.

use std::cmp::Ordering;
use std::fmt;

/// How a version relates to the one that a condition writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `=`
    Equal,
}

impl Relation {
    /// Whether a version that compares as `order` with the condition's own meets it.
    pub(crate) fn admits(self, order: Ordering) -> bool {
        match self {
            Relation::Less => order == Ordering::Less,
            Relation::AtMost => order != Ordering::Greater,
            Relation::Greater => order == Ordering::Greater,
            Relation::AtLeast => order != Ordering::Less,
            Relation::Equal => order == Ordering::Equal,
        }
    }
}

/// The operators, longer ones first.
const RELATIONS: [(&str, Relation); 6] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("==", Relation::Equal),
    ("<", Relation::Less),
    (">", Relation::Greater),
    ("=", Relation::Equal),
];

/// One thing that is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A cluster that the user trusts.
    Cluster,
    /// A program, of any version or of a certain one.
    Tool {
        /// The program's name.
        name: String,
        /// The condition on its version.
        version: Option<Wanted>,
    },
}

/// A condition on a version: `>=1.30`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    sign: &'static str,
    relation: Relation,
    version: String,
}

impl Need {
    /// The forms that can be written.
    pub(crate) const FORMS: &'static str =
        "write a program, a program with a version as in kubectl>=1.30, or cluster";

    /// Reads one need.
    ///
    /// # Errors
    /// A sentence, when it has none of the forms.
    pub(crate) fn parse(text: &str) -> Result<Need, String> {
        let text = text.trim();
        if text == "cluster" {
            return Ok(Need::Cluster);
        }
        let at = text.find(['<', '>', '=']).unwrap_or(text.len());
        let (name, condition) = (text[..at].trim_end(), &text[at..]);
        let is_word = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
        if name.is_empty() || name.starts_with('-') || !name.chars().all(is_word) {
            return Err(format!("`{text}` names no program"));
        }
        if condition.is_empty() {
            return Ok(Need::Tool { name: name.to_owned(), version: None });
        }
        let found = RELATIONS.iter().find(|(sign, _)| condition.starts_with(sign));
        let Some((sign, relation)) = found else {
            return Err(format!("`{text}` has no version to compare with"));
        };
        let version = condition[sign.len()..].trim();
        let numbers = version.split('.').all(|part| part.parse::<u64>().is_ok());
        if !numbers {
            return Err(format!("`{version}` is no version"));
        }
        let version = Wanted { sign, relation: *relation, version: version.to_owned() };
        Ok(Need::Tool { name: name.to_owned(), version: Some(version) })
    }
}

impl Wanted {
    /// Whether a version meets the condition; compared by as many parts as the condition has.
    pub(crate) fn admits(&self, version: &str) -> bool {
        let number = |part: Option<&str>| -> u64 {
            let part = part.unwrap_or("");
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..digits].parse().unwrap_or(0)
        };
        let mut found = version.split('.');
        let order = self
            .version
            .split('.')
            .map(|wanted| number(found.next()).cmp(&number(Some(wanted))))
            .find(|order| *order != Ordering::Equal)
            .unwrap_or(Ordering::Equal);
        self.relation.admits(order)
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Cluster => f.write_str("a cluster"),
            Need::Tool { name, version: None } => f.write_str(name),
            Need::Tool { name, version: Some(wanted) } => {
                write!(f, "{name}{}{}", wanted.sign, wanted.version)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(need: &str, version: &str, expect: bool) {
        let Ok(Need::Tool { version: Some(wanted), .. }) = Need::parse(need) else {
            panic!("{need} is a tool with a version");
        };
        assert_eq!(wanted.admits(version), expect, "{need} with {version}");
    }

    #[test]
    fn versions_compare_by_their_parts() {
        check("kubectl>=1.30", "1.30.4", true);
        check("kubectl>=1.30", "1.9", false);
        check("kubectl>=1.30", "2", true);
        check("envoy<1.39", "1.38.3", true);
        check("envoy<=1.38", "1.38.3", true);
        check("envoy>1.38", "1.38.3", false);
        check("envoy=1.38", "1.38.3-dev", true);
    }

    #[test]
    fn what_has_no_form_is_refused() {
        assert_eq!(Need::parse("cluster"), Ok(Need::Cluster));
        assert_eq!(Need::parse("jq").map(|need| need.to_string()), Ok("jq".to_owned()));
        for bad in ["", ">=1", "a b", "jq>=", "jq>=new", "-x"] {
            assert!(Need::parse(bad).is_err(), "{bad}");
        }
    }
}
