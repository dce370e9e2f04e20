//! Conditions over captured values: `flip.lost == 0`, `T1#flip.cx >= 2`, `ok(flip)`.

use std::fmt;

use regex::Regex;

use super::number::Decimal;
use super::reference::is_bundle_id;
use crate::fence::is_id;

/// The name of a captured value or of a block, with the bundle where one is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    /// `T1` of `T1#flip.lost`; a bare name is looked up in the bundles that the claim names.
    pub(crate) bundle: Option<String>,
    /// `flip.lost`, or `flip` inside `ok(…)`.
    pub(crate) path: String,
}

impl Name {
    /// Reads `flip.lost` or `T1#flip.lost`.
    pub(crate) fn parse(text: &str) -> Option<Name> {
        let (bundle, path) = match text.split_once('#') {
            Some((bundle, path)) if is_bundle_id(bundle) => (Some(bundle.to_owned()), path),
            Some(_) => return None,
            None => (None, text),
        };
        path.split('.').all(is_word).then(|| Name { bundle, path: path.to_owned() })
    }

    /// The block whose output holds the value: what stands before the first dot.
    pub(crate) fn block(&self) -> &str {
        self.path.split('.').next().unwrap_or(&self.path)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.bundle {
            Some(bundle) => write!(f, "{bundle}#{}", self.path),
            None => f.write_str(&self.path),
        }
    }
}

/// Whether a part of a name is well formed; behind the first dot an underscore may begin it.
fn is_word(part: &str) -> bool {
    is_id(part.strip_prefix('_').unwrap_or(part))
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `==`
    Equal,
    /// `!=`
    Differs,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `~`, a regular expression
    Matches,
}

/// The operators as written, longer ones first.
pub(super) const OPERATORS: [(&str, Operator); 7] = [
    ("==", Operator::Equal),
    ("!=", Operator::Differs),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("~", Operator::Matches),
];

/// The right side of a condition.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A number as written.
    Number(String),
    /// A string, quotes removed; the only escape is `\"`.
    Text(String),
    /// The value of another name.
    Name(Name),
    /// The regular expression behind `~`, with its text.
    Pattern(String, Regex),
}

/// One condition of a claim. It holds, or breaks, or its values are missing; which of the three
/// is found by [`Expect::evaluate`] over the values of one run.
#[derive(Clone, Debug)]
pub(crate) enum Expect {
    /// `NAME OP VALUE`.
    Compare(Name, Operator, Value),
    /// `ok(BLOCK)`: the block passed.
    Ok(Name),
}

/// Where the values of a condition come from.
pub(crate) trait Scope {
    /// The captured value of that name.
    fn value(&self, name: &Name) -> Option<String>;
    /// Whether the block passed; `None` where it did not run.
    fn passed(&self, block: &Name) -> Option<bool>;
}

/// What a condition came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// It holds.
    Holds,
    /// It does not; the sentence says what was found instead.
    Breaks(String),
    /// These values are not there.
    Missing(Vec<Name>),
}

impl Expect {
    /// Every name that the condition mentions, `ok(…)` included.
    pub(crate) fn names(&self) -> Vec<&Name> {
        match self {
            Expect::Compare(left, _, Value::Name(right)) => vec![left, right],
            Expect::Compare(left, ..) => vec![left],
            Expect::Ok(block) => vec![block],
        }
    }

    /// The names of captured values that the condition mentions.
    pub(crate) fn values(&self) -> Vec<&Name> {
        match self {
            Expect::Ok(_) => Vec::new(),
            Expect::Compare(..) => self.names(),
        }
    }

    /// Looks its names up and compares.
    pub(crate) fn evaluate(&self, scope: &dyn Scope) -> Met {
        match self {
            Expect::Ok(block) => match scope.passed(block) {
                Some(true) => Met::Holds,
                Some(false) => Met::Breaks(format!("block `{block}` did not pass")),
                None => Met::Missing(vec![block.clone()]),
            },
            Expect::Compare(left, operator, right) => compare_names(left, *operator, right, scope),
        }
    }
}

/// Looks up both sides and compares them.
fn compare_names(left: &Name, operator: Operator, right: &Value, scope: &dyn Scope) -> Met {
    let have = scope.value(left);
    let want = match right {
        Value::Name(name) => scope.value(name),
        Value::Number(text) | Value::Text(text) | Value::Pattern(text, _) => Some(text.clone()),
    };
    let (Some(have), Some(want)) = (&have, &want) else {
        let mut missing = Vec::new();
        missing.extend(have.is_none().then(|| left.clone()));
        if let (Value::Name(name), None) = (right, &want) {
            missing.push(name.clone());
        }
        return Met::Missing(missing);
    };
    if holds(have, operator, right, want) {
        return Met::Holds;
    }
    let other = match right {
        Value::Name(name) => format!(", {name} is {want}"),
        _ => String::new(),
    };
    Met::Breaks(format!("{left} is {have}{other}"))
}

/// Whether the comparison holds: two numbers compare as numbers, otherwise only `==`, `!=` and
/// `~` can hold.
fn holds(have: &str, operator: Operator, right: &Value, want: &str) -> bool {
    if let Value::Pattern(_, regex) = right {
        return regex.is_match(have);
    }
    let numbers = match right {
        Value::Text(_) => None,
        _ => Decimal::parse(have).zip(Decimal::parse(want)),
    };
    let order = numbers.map(|(a, b)| a.cmp(&b));
    match operator {
        Operator::Equal => order.map_or(have == want, |o| o.is_eq()),
        Operator::Differs => order.map_or(have != want, |o| o.is_ne()),
        Operator::Less => order.is_some_and(|o| o.is_lt()),
        Operator::AtMost => order.is_some_and(|o| o.is_le()),
        Operator::Greater => order.is_some_and(|o| o.is_gt()),
        Operator::AtLeast => order.is_some_and(|o| o.is_ge()),
        Operator::Matches => false,
    }
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, operator, right) = match self {
            Expect::Ok(block) => return write!(f, "ok({block})"),
            Expect::Compare(left, operator, right) => (left, operator, right),
        };
        let sign = OPERATORS.iter().find(|(_, o)| o == operator).map_or("==", |(sign, _)| sign);
        write!(f, "{left} {sign} {right}")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(text) => f.write_str(text),
            Value::Name(name) => name.fmt(f),
            Value::Text(text) | Value::Pattern(text, _) => {
                write!(f, "\"{}\"", text.replace('"', "\\\""))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run in which `flip.lost` is 0, `flip.cx` is 1,234, `flip.who` is `alpha`.
    struct Sample;

    impl Scope for Sample {
        fn value(&self, name: &Name) -> Option<String> {
            let value = match name.to_string().as_str() {
                "flip.lost" => "0",
                "T1#flip.cx" | "flip.cx" => "1,234",
                "flip.who" => "alpha",
                "flip.zero" => "0.0",
                "flip.version" => "1.30",
                _ => return None,
            };
            Some(value.to_owned())
        }

        fn passed(&self, block: &Name) -> Option<bool> {
            match block.path.as_str() {
                "flip" => Some(true),
                "down" => Some(false),
                _ => None,
            }
        }
    }

    fn check(text: &str, expect: &str) {
        let parsed: Expect = text.parse().unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        let got = match parsed.evaluate(&Sample) {
            Met::Holds => "holds".to_owned(),
            Met::Breaks(sentence) => sentence,
            Met::Missing(names) => {
                let names: Vec<String> = names.iter().map(Name::to_string).collect();
                format!("missing {}", names.join(" "))
            }
        };
        assert_eq!(got, expect, "{text}");
        let again: Expect = parsed.to_string().parse().expect("prints what it reads");
        assert_eq!(again.to_string(), parsed.to_string());
    }

    #[test]
    fn numbers_compare_as_numbers_and_strings_as_strings() {
        check("flip.lost == 0", "holds");
        check("flip.lost==0.0", "holds");
        check("flip.lost != 0", "flip.lost is 0");
        check("flip.cx >= 1234", "holds");
        check("flip.cx > 1,233", "holds");
        check("T1#flip.cx < 1000", "T1#flip.cx is 1,234");
        check("flip.zero == flip.lost", "holds");
        check("flip.lost >= flip.cx", "flip.lost is 0, flip.cx is 1,234");
        check("flip.version == \"1.30\"", "holds");
        check("flip.version == \"1.3\"", "flip.version is 1.30");
        check("flip.version == 1.3", "holds");
        check("flip.who == \"alpha\"", "holds");
        check("flip.who != \"beta\"", "holds");
        check("flip.who > 3", "flip.who is alpha");
        check("flip.who ~ \"^al\"", "holds");
        check("flip.who ~ \"\\d\"", "flip.who is alpha");
        check("ok(flip)", "holds");
        check("ok( down )", "block `down` did not pass");
    }

    #[test]
    fn missing_values_are_named() {
        check("flip.nope == 0", "missing flip.nope");
        check("flip.lost == flip.nope", "missing flip.nope");
        check("flip.a == flip.b", "missing flip.a flip.b");
        check("ok(other)", "missing other");
    }
}
