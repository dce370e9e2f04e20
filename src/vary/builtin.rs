//! The classes that every book knows.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{Class, Guard, Kind, Pattern};

/// One class as written down here: the first group of `pattern` is the value.
struct Row {
    name: &'static str,
    kind: Kind,
    pattern: &'static str,
    guard: Guard,
}

/// The order is that in which they take a value when several are in effect: the more specific
/// first. Context is judged by a guard and not by the expression, since an expression would
/// consume the blank between two neighbouring values. Digits are those of ASCII: all that
/// Unicode has make the expressions ten times as large.
const TABLE: &[Row] = &[
    row(
        "uid",
        Kind::Name,
        r"\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b",
        |_| true,
    ),
    row(
        "time",
        Kind::Quantity,
        r"\b([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?|[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?)",
        |found| !found.after_word(),
    ),
    row("date", Kind::Quantity, r"\b([0-9]{4}-[0-9]{2}-[0-9]{2})", |found| !found.after_word()),
    row("ip", Kind::Name, r"([0-9]+(?:\.[0-9]+){3,})", |found| {
        !found.before_in(".-_") && !found.before_word() && found.value.parse::<Ipv4Addr>().is_ok()
    }),
    row("ip", Kind::Name, r"([0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F:.]*)", |found| {
        !found.before_word() && found.value.parse::<Ipv6Addr>().is_ok()
    }),
    row("port", Kind::Name, r"[\w\]]:([0-9]{2,5})\b", |found| {
        !found.after_in(":") && found.value.parse::<u16>().is_ok()
    }),
    row(
        "pod",
        Kind::Name,
        r"\b[a-z0-9](?:[a-z0-9-]*[a-z0-9])?-([a-f0-9]{6,10}-[a-z0-9]{5})\b",
        |_| true,
    ),
    row("restarts", Kind::Quantity, r"([0-9]+ \((?:[0-9]+[ydhms])+ ago\)|[0-9]+)", |found| {
        found.before_blank() && found.after_blank()
    }),
    row("age", Kind::Quantity, r"((?:[0-9]+[ydhms]){1,3}|<invalid>)", |found| {
        found.before_blank() && found.after_blank()
    }),
    row(
        "duration",
        Kind::Quantity,
        r"([0-9]+(?:\.[0-9]+)? ?(?:ns|us|µs|ms|s|m|h|초|분|시간)(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m))*)",
        |found| !found.before_word() && !found.before_in(".-") && !found.after_ascii_word(),
    ),
    row("n", Kind::Quantity, r"([+-]?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)", |found| {
        !found.before_word() && !found.before_in(".-_") && !found.after_ascii_word()
    }),
];

/// A row of the table.
const fn row(name: &'static str, kind: Kind, pattern: &'static str, guard: Guard) -> Row {
    Row { name, kind, pattern, guard }
}

/// The classes.
pub(super) fn classes() -> Vec<Class> {
    let class = |row: &Row| Class {
        name: row.name.to_owned(),
        kind: row.kind,
        pattern: Pattern::lazy(row.pattern),
        guard: row.guard,
    };
    TABLE.iter().map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_compiles() {
        for class in classes() {
            assert!(class.pattern.regex().is_some(), "{}", class.name);
        }
    }
}
