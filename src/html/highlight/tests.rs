//! Golden classes of each language, and the bounds.

use super::*;

fn check(language: &str, text: &str, expect: &str) {
    let lines = Highlight::default().lines(language, text);
    assert_eq!(lines.join("\n"), expect, "{language}");
}
