//! Durations as written in a header: `500ms`, `60s`, `5m`, `2h`, `180d`.

use std::time::Duration;

/// Reads a duration; `None` when it has not that form or is zero.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let millis = match &text[digits..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    let total = number.checked_mul(millis)?;
    (total > 0).then(|| Duration::from_millis(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_units_and_refuses_bare_numbers() {
        assert_eq!(parse_duration("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(parse_duration("5m"), Some(Duration::from_secs(300)));
        assert_eq!(parse_duration("180d"), Some(Duration::from_secs(180 * 86_400)));
        for bad in ["60", "s", "0s", "1.5s", "5 m", ""] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
    }
}
