//! Numbers as they are printed: compared exactly as decimals, so that no counter is rounded.

use std::cmp::Ordering;

/// A decimal number, split into what is needed to compare it exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    whole: String,
    fraction: String,
}

impl Decimal {
    /// Reads `143`, `-2`, `1,234.50`; `None` for anything else.
    pub(crate) fn parse(text: &str) -> Option<Decimal> {
        let text = text.trim();
        let negative = text.starts_with('-');
        let body = text.strip_prefix(['-', '+']).unwrap_or(text).replace(',', "");
        let (whole, fraction) = body.split_once('.').unwrap_or((&body, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || text.contains(",.") || text.ends_with(',') {
            return None;
        }
        let whole = whole.trim_start_matches('0').to_owned();
        let fraction = fraction.trim_end_matches('0').to_owned();
        let negative = negative && !(whole.is_empty() && fraction.is_empty());
        Some(Decimal { negative, whole, fraction })
    }

    /// Compares without the sign.
    fn magnitude(&self, other: &Decimal) -> Ordering {
        let whole = self.whole.len().cmp(&other.whole.len());
        whole
            .then_with(|| self.whole.cmp(&other.whole))
            .then_with(|| self.fraction.cmp(&other.fraction))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.magnitude(other),
            (true, true) => other.magnitude(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn reads_printed_numbers() {
        assert_eq!(number("1,234.50"), number("+1234.5"));
        assert_eq!(number("-0"), number("0.00"));
        for bad in ["", "-", "1.", ".5", "1e5", "0x1", "5%", "1,.2", "1 2", "1.2.3"] {
            assert_eq!(Decimal::parse(bad), None, "{bad:?}");
        }
        assert!(number("9007199254740993") > number("9007199254740992"), "no rounding");
        assert!(number("1.25") > number("1.2") && number("-1.25") < number("-1.2"));
    }

    proptest! {
        #[test]
        fn orders_like_integers(a in any::<i64>(), b in any::<i64>()) {
            prop_assert_eq!(number(&a.to_string()).cmp(&number(&b.to_string())), a.cmp(&b));
        }
    }
}
