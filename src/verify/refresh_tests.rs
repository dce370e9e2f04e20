//! Properties of refresh: for any page and any output, only outputs change, twice is once, and
//! the same run verifies afterwards.
//!
//! `PROPTEST_CASES` sets the number of cases (1,000; `make test-long` 10,000).

mod pages;

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::fuzz::{check, drifted, parsed};
use pages::{PageSpec, page};

/// Checks all properties for a page and a subset of its blocks.
fn holds(spec: &PageSpec, only: &[String]) -> Result<(), TestCaseError> {
    let text = spec.text();
    let found = parsed(&text).page.blocks.len();
    prop_assert_eq!(found, spec.blocks.len(), "every block is found\n{}", text);
    let refused = check(&text, &spec.transcript(), only).map_err(TestCaseError::fail)?;
    prop_assert!(!refused, "nothing of such a page is refused\n{}", text);
    Ok(())
}

#[test]
fn lines_in_any_order_never_go_on_with_the_command_above_them() {
    let text = "```console {#b .unordered}\n$ run 0\nold\n\nstate\n\\...\n\n$ true\n```\n";
    let before = parsed(text);
    for measured in ["state\n> quote\n", "state\n> quote\n> more\n", "new\n> quote\nstate\n"] {
        let transcript = BTreeMap::from([("b/1".to_owned(), measured.to_owned())]);
        let (now, _) = before.refreshed(&before.run(&transcript), &[]);
        assert!(now.contains("> quote"), "{now}");
        let after = parsed(&now);
        assert_eq!(after.commands(), before.commands(), "{now}");
        assert_eq!(drifted(&after.run(&transcript)), [] as [&str; 0], "{now}");
    }
}

/// The number of cases.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_refreshed_page_verifies_and_nothing_else_of_it_changes(spec in page()) {
        holds(&spec, &[])?;
    }

    #[test]
    fn any_subset_may_be_refreshed(spec in page(), chosen in any::<u8>()) {
        let ids = (0..spec.blocks.len()).filter(|at| chosen >> at & 1 == 1);
        let only: Vec<String> = ids.map(|at| format!("b{at}")).collect();
        if !only.is_empty() {
            holds(&spec, &only)?;
        }
    }
}
