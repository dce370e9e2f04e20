//! Numbers of a drawing without needless digits.

/// A number without needless digits.
pub(super) fn rounded(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A value with its numbers cut to three digits behind the point.
pub(super) fn shortened(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let whole = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        let decimals = tail[whole..].strip_prefix('.').map_or(0, |digits| {
            1 + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())
        });
        let (number, after) = tail.split_at(whole + decimals);
        match number.parse::<f64>() {
            Ok(value) if decimals > 0 && !after.starts_with(['e', 'E']) => {
                out.push_str(&rounded(value, 3));
            }
            _ => out.push_str(number),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut() {
        assert_eq!(shortened("M1.23456,-7.5L0.0004 10.0"), "M1.235,-7.5L0 10");
        assert_eq!(shortened("a5,5 0 0,1 0.5000,3"), "a5,5 0 0,1 0.5,3");
        assert_eq!(shortened("#f96"), "#f96");
    }
}
