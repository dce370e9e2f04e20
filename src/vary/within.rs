//! How far a quantity may be off: `within="n:1"` or `within="n:5%"`.

use std::collections::BTreeMap;
use std::fmt;

/// How far one class may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    /// By this much; seconds for durations and ages.
    Absolute(f64),
    /// By this part of the printed value.
    Percent(f64),
}

/// The bounds of an output by class.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Within {
    bounds: BTreeMap<String, Bound>,
    /// As written, without blanks.
    text: Vec<String>,
}

/// Bounds are read from text and never hold a NaN.
impl Eq for Within {}

impl Within {
    /// Reads `n:1,age:10%`.
    ///
    /// # Errors
    /// A sentence, when a part is no class with a bound.
    pub(crate) fn parse(text: &str) -> Result<Within, String> {
        let mut within = Within::default();
        for part in text.split(',').map(str::trim) {
            let (class, bound) =
                part.split_once(':').ok_or_else(|| format!("`{part}` is no class with a bound"))?;
            let (class, bound) = (class.trim(), bound.trim());
            let parsed = match bound.strip_suffix('%') {
                Some(percent) => percent.trim().parse().ok().map(Bound::Percent),
                None => number(bound).map(Bound::Absolute),
            };
            let positive = |bound: &Bound| matches!(bound, Bound::Absolute(n) | Bound::Percent(n) if n.is_finite() && *n >= 0.0);
            let parsed = parsed.filter(positive);
            let parsed = parsed.ok_or_else(|| format!("`{bound}` is no bound for `{class}`"))?;
            within.bounds.insert(class.to_owned(), parsed);
            within.text.push(format!("{class}:{bound}"));
        }
        Ok(within)
    }

    /// Whether nothing is bounded.
    pub(crate) fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// The classes that are bounded.
    pub(crate) fn classes(&self) -> impl Iterator<Item = &str> {
        self.bounds.keys().map(String::as_str)
    }

    /// As it can be read again.
    pub(crate) fn text(&self) -> String {
        self.text.join(",")
    }

    /// The bound of a class.
    pub(crate) fn bound(&self, class: &str) -> Option<Bound> {
        self.bounds.get(class).copied()
    }
}

impl Bound {
    /// Whether a measured value is near enough to the printed one.
    pub(crate) fn admits(self, printed: &str, measured: &str) -> bool {
        if printed == measured {
            return true;
        }
        let (Some(old), Some(new)) = (number(printed), number(measured)) else { return false };
        let limit = match self {
            Bound::Absolute(limit) => limit,
            Bound::Percent(percent) => old.abs() * percent / 100.0,
        };
        // Room for the last binary digit, so that 0.3 is within 0.1 of 0.2.
        (old - new).abs() <= limit + limit.abs().max(1.0) * 1e-9
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Absolute(limit) => write!(f, "{limit}"),
            Bound::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

/// A value as a number: a plain one, or a duration in seconds (`4m13s`, `30 ms`).
fn number(text: &str) -> Option<f64> {
    let plain = text.replace(',', "");
    if let Ok(number) = plain.trim().parse::<f64>() {
        return number.is_finite().then_some(number);
    }
    let mut rest = plain.trim();
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let value: f64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let (unit, seconds) = UNITS.iter().find(|(unit, _)| rest.starts_with(unit))?;
        total += value * seconds;
        rest = rest[unit.len()..].trim_start();
    }
    (!text.trim().is_empty()).then_some(total)
}

/// Units of time in seconds, longer names first.
const UNITS: [(&str, f64); 12] = [
    ("시간", 3600.0),
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ms", 1e-3),
    ("분", 60.0),
    ("초", 1.0),
    ("y", 31_536_000.0),
    ("d", 86_400.0),
    ("h", 3600.0),
    ("m", 60.0),
    ("s", 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(within: &str, class: &str, (printed, measured): (&str, &str), expect: bool) {
        let bound = Within::parse(within).expect("valid").bound(class);
        let got = bound.is_none_or(|bound| bound.admits(printed, measured));
        assert_eq!(got, expect, "{within} {printed} {measured}");
    }

    #[test]
    fn values_are_bounded_in_numbers_and_durations() {
        check("n:1", "n", ("143", "144"), true);
        check("n:1", "n", ("143", "145"), false);
        check("n:5%", "n", ("1,000", "1050"), true);
        check("n:5%", "n", ("1,000", "1051"), false);
        check("n:0.1", "n", ("0.2", "0.3"), true);
        check("age:30s", "age", ("4m13s", "4m40s"), true);
        check("age:30s", "age", ("4m13s", "5m"), false);
        check("duration:10%", "duration", ("30 ms", "32 ms"), true);
        check("n:1,age:1h", "age", ("2h", "3h"), true);
        check("n:1", "age", ("2h", "9d"), true);
    }

    #[test]
    fn bounds_without_sense_are_refused() {
        for bad in ["", "5", "n", "n:", "n:x", "n:-1", "n:5%%"] {
            assert!(Within::parse(bad).is_err(), "{bad}");
        }
    }
}
