//! Tests of comparing and refreshing.

use super::*;
use crate::vary::Registry;

/// A question about two texts.
fn question<'a>(
    printed: &'a str,
    measured: &'a str,
    classes: &'a Classes,
    order: Order,
) -> Question<'a> {
    Question { printed, measured, classes, order, form: Form::Plain, first_line: 1 }
}

/// Writes names as the renaming knows them.
struct Known<'a>(&'a Renaming);

impl Writer for Known<'_> {
    fn measured(&mut self, class: &str, name: &str) -> Option<String> {
        self.0.printed(class, name).map(str::to_owned)
    }

    fn printed(&mut self, _: &str, _: &str) -> Option<String> {
        None
    }
}

/// Compares under the named classes.
fn ask(printed: &str, measured: &str, vary: &[&str]) -> (Comparison, Classes, Renaming) {
    let classes = Registry::default().select(vary.iter().copied());
    let mut names = Renaming::default();
    let question = question(printed, measured, &classes, Order::Natural);
    let mut comparison = compare(&question, &mut names);
    if !comparison.equal {
        comparison = compare_drifted(&question, &mut names);
    }
    (comparison, classes, names)
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
    let text: String =
        comparison.refreshed(&classes, &mut Known(&names)).iter().map(line).collect();
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
fn a_table_whose_columns_moved_is_refreshed_with_its_header() {
    let row = |cells: [&str; 3]| format!("{:<6}{:<8}{}\n", cells[0], cells[1], cells[2]);
    let wide = |cells: [&str; 3]| format!("{:<6}{:<12}{}\n", cells[0], cells[1], cells[2]);
    let head = ["ID", "PORTS", "NAMES"];
    let (old, gone, db) = (["a1", "80/tcp", "web"], ["c2", "", "old"], ["b7", "", "db"]);
    let printed = [row(head), row(old), row(gone)].concat();
    // The row with an empty cell is read by the places of the header's columns.
    let measured = [wide(head), wide(old), wide(db)].concat();
    check(&printed, &measured, &[], &[wide(head), row(old), wide(db)].concat());
    // Rows that need no header keep the one that is printed.
    let (new, measured) = (["a1", "443/tcp", "web"], [wide(head), wide(["a1", "443/tcp", "web"])]);
    check(
        &[row(head), row(old)].concat(),
        &measured.concat(),
        &[],
        &[row(head), wide(new)].concat(),
    );
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
        let question = question(printed, measured, &classes, Order::Unordered);
        compare(&question, &mut Renaming::default()).equal
    };
    assert!(ask("a\nb\n", "b\na\n"));
    assert!(!ask("a\na\n", "a\nb\n"));
    assert!(!ask("a\n", "a\nb\n"));
    assert!(ask("...\na\n", "c\na\nb\n"));
}

/// What is said about two tables that differ; nothing when they are equal.
fn table(printed: &str, measured: &str, vary: &[&str]) -> Vec<String> {
    let (comparison, ..) = ask(printed, measured, vary);
    assert_eq!(comparison.equal, comparison.notes.is_empty(), "{:?}", comparison.notes);
    comparison.notes
}

const PODS: &str = "\
NAME                   READY   STATUS    RESTARTS     AGE
web-7d4b9c6f5d-x2x4z   1/1     Running   1 (2m ago)   5m
db-0                   1/1     Running   0            5m
";

#[test]
fn tables_are_compared_cell_by_cell() {
    let vary = ["pod", "restarts", "age"];
    let measured = "\
NAME                  READY   STATUS    RESTARTS   AGE
db-0                  1/1     Running   0          41s
web-6c8f5d9b7-q9q2p   1/1     Running   0          41s
";
    assert_eq!(table(PODS, measured, &vary), [] as [&str; 0]);
    let ready = measured.replace("web-6c8f5d9b7-q9q2p   1/1", "web-6c8f5d9b7-q9q2p   0/1");
    let expect = "row web-7d4b9c6f5d-x2x4z, column READY: 1/1 is printed, 0/1 was measured";
    assert_eq!(table(PODS, &ready, &vary), [expect]);
    let other = measured.replace("web-6c8f5d9b7-q9q2p", "api-6c8f5d9b7-q9q2p");
    assert!(table(PODS, &other, &vary)[0].contains("column NAME"));
    let wide = "NAME  READY  STATUS  RESTARTS  AGE  NODE\ndb-0  1/1  Running  0  1s  n1\n";
    assert_eq!(table(PODS, wide, &vary)[0], "column NODE was measured and is not printed");
}

#[test]
fn rows_may_be_left_out_by_an_elision() {
    let printed = "A     B\nx     1\n...\nend\n";
    assert!(equal(printed, "A   B\ny   2\nx   1\nend\n", &[]));
    assert!(!equal(printed, "A   B\ny   2\nend\n", &[]));
    check("A   B\nx   1\n", "A   B\ny   2\nx   3\n", &[], "A   B\nx   3\ny   2\n");
    let ordered = |measured| {
        let classes = Registry::default().select([]);
        let question = question("A   B\nx   1\ny   2\n", measured, &classes, Order::Ordered);
        compare(&question, &mut Renaming::default()).equal
    };
    assert!(ordered("A   B\nx   1\ny   2\n"));
    assert!(!ordered("A   B\ny   2\nx   1\n"));
}

#[test]
fn lines_in_any_order_share_one_renaming() {
    let classes = Registry::default().select(["ip"]);
    let ask = |printed, measured| {
        compare(&question(printed, measured, &classes, Order::Unordered), &mut Renaming::default())
            .equal
    };
    assert!(ask("ip 10.0.0.1\nip 10.0.0.2\nb 10.0.0.2\n", "ip 1.1.1.1\nip 2.2.2.2\nb 1.1.1.1\n"));
    assert!(!ask("ip 10.0.0.1\nb 10.0.0.1\n", "ip 1.1.1.1\nb 2.2.2.2\n"));
}

#[test]
fn quantities_within_a_bound() {
    let within = crate::vary::Within::parse("n:5%").expect("valid");
    let classes = Registry::default().select(["n"]).bounded(within);
    let ask = |measured| {
        let question = question("sent 100\n", measured, &classes, Order::Natural);
        let comparison = compare(&question, &mut Renaming::default());
        (comparison.equal, comparison.notes)
    };
    assert_eq!(ask("sent 105\n"), (true, Vec::new()));
    assert_eq!(ask("sent 106\n"), (false, vec!["106 is not within n:5% of 100".to_owned()]));
}

#[test]
fn a_name_that_stands_for_another_is_explained() {
    let (comparison, ..) = ask(
        "a 10.0.0.1\nb 10.0.0.2\nc 10.0.0.1\n",
        "a 10.9.0.5\nb 10.9.0.6\nc 10.9.0.6\n",
        &["ip"],
    );
    assert_eq!(comparison.notes, ["10.0.0.1 already stands for 10.9.0.5 (line 1)"]);
}

#[test]
fn a_text_is_equal_to_itself_whatever_could_stand_for_what() {
    let printed = "...\nip 10.0.0.2\n...\n";
    let measured = "ip 10.0.0.1\nip 10.0.0.2\n";
    let (comparison, _, names) = ask(printed, measured, &["ip"]);
    assert!(comparison.equal);
    assert_eq!(names.measured("ip", "10.0.0.2"), Some("10.0.0.2"));
}

#[test]
fn long_texts_are_aligned_without_a_table() {
    let lines = |drift: bool| -> String {
        let line =
            |at: usize| if drift && at == 2500 { "new\n".to_owned() } else { format!("{at}\n") };
        (1..5000).map(line).collect()
    };
    let printed = format!("first\n...\n{}last\n", lines(false));
    let measured = format!("one\n{}end\n", lines(true));
    let (comparison, ..) = ask(&printed, &measured, &[]);
    let changed = |op: &&Op| matches!(op, Op::Removed { .. } | Op::Added { .. });
    assert_eq!(comparison.ops.iter().filter(changed).count(), 6);
    let gap = |op: &&Op| matches!(op, Op::Gap { .. });
    assert_eq!(comparison.ops.iter().filter(gap).count(), 1);
}

#[test]
fn an_elision_below_a_table_stands_for_any_lines() {
    let measured = "NAME  IP\nweb   x\nno row\n";
    assert!(equal("NAME  IP\nweb   x\n...\n", measured, &[]));
    assert!(!equal("NAME  IP\ndb    x\n...\n", measured, &[]));
}
