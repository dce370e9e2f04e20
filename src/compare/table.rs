//! Tables as kubectl prints them: a header of upper-case names, two or more blanks between cells.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::line::Shape;
use crate::vary::{Classes, Renaming};

/// A header: at least two names of upper-case letters.
static HEADER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let name = r"[A-Z](?:[A-Z0-9()/%_#.:-]| [A-Z0-9(])*";
    Regex::new(&format!(r"^{name}(?:(?: {{2,}}|\t+){name})+\s*$")).ok()
});
/// What stands between two cells.
static BETWEEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r" {2,}|\t+").ok());

/// One table among lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Index of its header.
    pub(super) header: usize,
    /// Indices of its rows, elisions included.
    pub(super) rows: Range<usize>,
    /// The columns: name and byte offset in the header.
    columns: Vec<(String, usize)>,
}

impl Table {
    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Whether the header's columns have a say in what the cells of a row are.
    pub(super) fn reads_by_place(&self, line: &str) -> bool {
        split(line).len() != self.columns.len()
    }

    /// The cells of a row: split at blanks, or by the header's columns where a cell is empty.
    pub(super) fn cells<'l>(&self, line: &'l str) -> Vec<&'l str> {
        let cells = split(line);
        if cells.len() == self.columns.len() {
            return cells;
        }
        let starts = self.columns.iter().map(|(_, start)| *start);
        let ends = self.columns.iter().skip(1).map(|(_, start)| *start).chain([usize::MAX]);
        let cell = |(start, end): (usize, usize)| {
            let (start, end) = (start.min(line.len()), end.min(line.len()));
            line.get(start..end).unwrap_or("").trim()
        };
        let by_place: Vec<&str> = starts.zip(ends).map(cell).collect();
        let whole: usize = by_place.iter().map(|cell| cell.len()).sum();
        // A column that does not stand below its name would cut words in two.
        let complete = whole
            == line.split_whitespace().map(str::len).sum::<usize>()
                + by_place.iter().map(|cell| inner_blanks(cell)).sum::<usize>();
        let on_edges = self.columns.iter().all(|(_, start)| {
            *start == 0 || *start >= line.len() || line.as_bytes()[start - 1] == b' '
        });
        if complete && on_edges { by_place } else { cells }
    }

    /// How many first cells name a row: a namespace comes before the name.
    fn key_width(&self) -> usize {
        if self.columns[0].0 == "NAMESPACE" && self.columns[1].0 == "NAME" { 2 } else { 1 }
    }

    /// What a row is called.
    pub(super) fn row_name(&self, line: &str) -> String {
        let cells = self.cells(line);
        cells[..self.key_width().min(cells.len())].join("/")
    }

    /// What a row is called, as it is compared.
    pub(super) fn row_key(&self, line: &str, classes: &Classes, at: usize) -> Shape {
        let cells = self.cells(line);
        Shape::of_cells(&cells[..self.key_width().min(cells.len())], classes, at)
    }
}

/// The number of bytes of blanks inside a cell.
fn inner_blanks(cell: &str) -> usize {
    cell.len() - cell.split_whitespace().map(str::len).sum::<usize>()
}

/// The cells of a line.
fn split(line: &str) -> Vec<&str> {
    match BETWEEN.as_ref() {
        Some(between) => between.split(line.trim()).collect(),
        None => vec![line],
    }
}

/// All tables among lines; an elision is `None`.
pub(super) fn tables(lines: &[Option<&str>]) -> Vec<Table> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        match lines[at].and_then(columns) {
            Some(columns) => {
                let end = end_of_rows(lines, at + 1);
                if end > at + 1 {
                    found.push(Table { header: at, rows: at + 1..end, columns });
                }
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// The columns of a header.
fn columns(line: &str) -> Option<Vec<(String, usize)>> {
    // Cheap for the many lines that are none.
    if !line.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    HEADER.as_ref()?.is_match(line).then(|| {
        let start = |name: &&str| name.as_ptr() as usize - line.as_ptr() as usize;
        split(line).iter().map(|name| ((*name).to_owned(), start(name))).collect()
    })
}

/// The rows end at an empty line, at a line of one cell and at another header.
fn end_of_rows(lines: &[Option<&str>], from: usize) -> usize {
    let is_row = |line: &Option<&str>| match line {
        None => true,
        Some(line) => split(line).len() > 1 && columns(line).is_none(),
    };
    from + lines[from..].iter().take_while(|line| is_row(line)).count()
}

/// What differs between two rows, a sentence for each cell.
pub(super) fn cell_notes(
    (printed_table, printed): (&Table, &str),
    (measured_table, measured): (&Table, &str),
    (classes, names): (&Classes, &mut Renaming),
) -> Vec<String> {
    let (old, new) = (printed_table.cells(printed), measured_table.cells(measured));
    let row = printed_table.row_name(printed);
    let columns = measured_table.names();
    let mut notes = Vec::new();
    for (name, old) in printed_table.names().iter().zip(&old) {
        let Some(new) = columns.iter().position(|other| other == name).and_then(|at| new.get(at))
        else {
            continue;
        };
        let mark = names.mark();
        let (left, right) = (Shape::of(old, classes, 0), Shape::of(new, classes, 0));
        if !left.matches(&right, names) {
            names.undo_to(mark);
            notes.push(format!("row {row}, column {name}: {old} is printed, {new} was measured"));
        }
    }
    notes
}

/// The columns that only one side has, a sentence for each.
pub(super) fn column_notes(printed: &Table, measured: &Table) -> Vec<String> {
    let (old, new) = (printed.names(), measured.names());
    let missing = old.iter().filter(|name| !new.contains(name));
    let extra = new.iter().filter(|name| !old.contains(name));
    let mut notes: Vec<String> =
        missing.map(|name| format!("column {name} is printed and was not measured")).collect();
    notes.extend(extra.map(|name| format!("column {name} was measured and is not printed")));
    if notes.is_empty() && old != new {
        notes.push(format!("the columns are in another order: {}", new.join(", ")));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_their_rows() {
        let text =
            "x\nNAME   READY   NOMINATED NODE\nweb-0  1/1     <none>\n\nEND\nNAME  AGE\nNOTE\n";
        let lines: Vec<Option<&str>> = text.lines().map(Some).collect();
        let found = tables(&lines);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].header, found[0].rows.clone()), (1, 2..3));
        assert_eq!(found[0].names(), ["NAME", "READY", "NOMINATED NODE"]);
    }

    #[test]
    fn cells_by_blanks_and_by_columns() {
        let lines = [Some("ID    PORTS     NAMES"), Some("a1b2  80/tcp    web")];
        let table = &tables(&lines)[0];
        let check = |line: &str, expect: &[&str]| assert_eq!(table.cells(line), expect, "{line}");
        check("a1b2  80/tcp    web", &["a1b2", "80/tcp", "web"]);
        check("a1b2            db", &["a1b2", "", "db"]);
        check("a1b2-long-name  80/tcp  web", &["a1b2-long-name", "80/tcp", "web"]);
    }
}
