//! Tests of comparing and refreshing.

use super::*;
use crate::vary::Registry;

/// Compares under the named classes.
fn ask(printed: &str, measured: &str, vary: &[&str]) -> (Comparison, Classes, Renaming) {
    let classes = Registry::default().select(vary.iter().copied());
    let mut names = Renaming::default();
    let question = Question { printed, measured, classes: &classes, unordered: false };
    (compare(&question, &mut names), classes, names)
}

/// Whether the two are equal under the named classes.
fn equal(printed: &str, measured: &str, vary: &[&str]) -> bool {
    ask(printed, measured, vary).0.equal
}

/// Checks what refresh writes, and that it is equal afterwards and stays as it is.
fn check(printed: &str, measured: &str, vary: &[&str], expect: &str) {
    let (comparison, classes, names) = ask(printed, measured, vary);
    let raw: Vec<&str> = printed.lines().collect();
    let line = |line: &Refreshed| match line {
        Refreshed::Kept(at) => format!("{}\n", raw[*at]),
        Refreshed::New(text) => format!("{text}\n"),
    };
    let text: String = comparison.refreshed(&classes, &names).iter().map(line).collect();
    assert_eq!(text, expect, "refresh of {printed:?}");
    let (again, ..) = ask(&text, measured, vary);
    assert!(again.equal, "equal after refresh: {text:?}");
}

#[test]
fn elisions_stand_for_any_lines() {
    assert!(equal("A\n...\n > D\n...\n", "A\n > B\n > C\n > D\nE\n", &[]));
    assert!(equal("...\n", "", &[]));
    assert!(!equal("A\n...\nB\n", "B\nA\n", &[]));
    assert!(!equal("a\n", "a\nb\n", &[]));
    assert!(equal("...\nb\n", "b\na\nb\n", &[]));
}

#[test]
fn names_are_renamed_consistently() {
    assert!(equal(
        "a 10.0.0.1\nb 10.0.0.2\nc 10.0.0.1\n",
        "a 10.9.0.5\nb 10.9.0.6\nc 10.9.0.5\n",
        &["ip"]
    ));
    assert!(!equal(
        "a 10.0.0.1\nb 10.0.0.2\nc 10.0.0.1\n",
        "a 10.9.0.5\nb 10.9.0.6\nc 10.9.0.6\n",
        &["ip"]
    ));
    assert!(!equal("a 10.0.0.1\nb 10.0.0.2\n", "a 10.9.0.5\nb 10.9.0.5\n", &["ip"]));
    assert!(!equal("a 10.0.0.1\n", "a 10.0.0.2\n", &[]));
}

#[test]
fn names_can_move_the_end_of_an_elision() {
    let printed = "x 10.0.0.1\n...\ny 10.0.0.1\n...\n";
    assert!(equal(printed, "x 10.9.9.9\ny 10.8.8.8\ny 10.9.9.9\nz\n", &["ip"]));
}

#[test]
fn quantities_have_to_be_of_their_form() {
    assert!(equal("up 5m13s  x\n", "up 41s   x\n", &["age"]));
    assert!(!equal("up 5m13s\n", "up never\n", &["age"]));
}

#[test]
fn only_the_drifted_line_is_refreshed() {
    check(
        "id 7 up\n...\nstate OLD  <- watch this\n",
        "id 123 up\nx\nstate NEW\n",
        &["n"],
        "id 7 up\n...\nstate NEW  <- watch this\n",
    );
    check("a\nb\nc\n", "a\nc\n", &[], "a\nc\n");
    check("a\nc\n", "a\n...\nc\n", &[], "a\n\\...\nc\n");
    check("", "x  <- y\n", &[], "x  \\<- y\n");
    check("old\n", "", &[], "");
}

#[test]
fn a_drifted_line_keeps_the_names_of_the_page() {
    let printed = "a is 10.0.0.1\nold 10.0.0.1\n";
    check(printed, "a is 10.9.0.7\nnew 10.9.0.7\n", &["ip"], "a is 10.0.0.1\nnew 10.0.0.1\n");
}

#[test]
fn lines_in_any_order() {
    let classes = Registry::default().select([]);
    let ask = |printed, measured| {
        let question = Question { printed, measured, classes: &classes, unordered: true };
        compare(&question, &mut Renaming::default()).equal
    };
    assert!(ask("a\nb\n", "b\na\n"));
    assert!(!ask("a\na\n", "a\nb\n"));
    assert!(!ask("a\n", "a\nb\n"));
    assert!(ask("...\na\n", "c\na\nb\n"));
}
