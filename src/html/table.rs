//! Tables: a box that scrolls by itself, alignment by class.

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

use super::escape::escape;
use super::walk::Walk;

/// How many letters a cell of a short column has at most: a level, a yes or no.
const SHORT: usize = 3;

/// How many cells a column has at least that is called short.
const MANY: usize = 3;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// Numbers, and cells that are empty or a dash.
    Numbers,
    /// A few letters in each cell, which need no room.
    Short,
    /// Text.
    Text,
}

/// The cells of a column, counted.
#[derive(Clone)]
struct Cells {
    numbers: usize,
    /// Those that are neither a number nor empty nor a dash.
    others: usize,
    /// The letters of the longest.
    longest: usize,
}

impl Cells {
    /// Counts one more.
    fn count(&mut self, text: &str, is_code: bool) {
        let is_number = !is_code && is_numeric(text);
        self.numbers += usize::from(is_number);
        self.others += usize::from(!is_number && !matches!(text, "" | "-" | "–" | "—"));
        self.longest = self.longest.max(text.chars().count());
    }

    /// What they make the column.
    fn kind(&self) -> Column {
        match (self.numbers, self.others) {
            (1.., 0) => Column::Numbers,
            (_, MANY..) if self.longest <= SHORT => Column::Short,
            _ => Column::Text,
        }
    }
}

impl Walk<'_> {
    /// A table begins; the box is named by a number and the heads of its columns.
    pub(super) fn start_table(&mut self, alignments: &[Alignment]) {
        self.table = alignments.to_vec();
        self.columns = self.kinds_of_columns();
        self.tables += 1;
        let heads = self.heads().join(", ");
        let label = format!("{} {}: {}", self.word("table"), self.tables, escape(&heads));
        self.push(&format!(
            "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table>\n"
        ));
    }

    /// The plain texts of the first row.
    fn heads(&self) -> Vec<String> {
        let mut heads = Vec::new();
        let mut index = self.at + 1;
        while let Some((Event::Start(_), _)) = self.events.get(index) {
            let end = self.end_of(index);
            heads.push(self.plain(index..end).trim().to_owned());
            index = end + 1;
        }
        heads.retain(|head| !head.is_empty());
        heads
    }

    /// What each column holds. A number among words is read with them.
    fn kinds_of_columns(&self) -> Vec<Column> {
        let mut cells = vec![Cells { numbers: 0, others: 0, longest: 0 }; self.table.len()];
        let (mut column, mut in_head) = (0, true);
        for index in self.at..self.end_of(self.at - 1) {
            match &self.events[index].0 {
                Event::End(TagEnd::TableHead) => in_head = false,
                Event::Start(Tag::TableRow) => column = 0,
                Event::Start(Tag::TableCell) if !in_head => {
                    let end = self.end_of(index);
                    let text = self.plain(index..end);
                    let is_code = matches!(self.events[index + 1].0, Event::Code(_));
                    if let Some(cells) = cells.get_mut(column) {
                        cells.count(text.trim(), is_code);
                    }
                    column += 1;
                }
                _ => {}
            }
        }
        cells.iter().map(Cells::kind).collect()
    }

    /// The head begins.
    pub(super) fn start_head(&mut self) {
        self.in_head = true;
        self.column = 0;
        self.push("<thead><tr>");
    }

    /// A row begins.
    pub(super) fn start_row(&mut self) {
        self.in_head = false;
        self.column = 0;
        self.push("<tr>");
    }

    /// A cell begins. An empty head is a plain cell: it heads nothing.
    pub(super) fn start_cell(&mut self) {
        let end = self.end_of(self.at - 1);
        let text = self.plain(self.at..end);
        let mut classes = match self.table.get(self.column) {
            Some(Alignment::Left) => vec!["left"],
            Some(Alignment::Right) => vec!["right"],
            Some(Alignment::Center) => vec!["center"],
            _ => Vec::new(),
        };
        match self.columns.get(self.column) {
            Some(Column::Numbers) if !self.in_head && is_numeric(&text) => classes.push("num"),
            Some(Column::Short) if !self.in_head => classes.push("short"),
            _ => {}
        }
        let class = if classes.is_empty() {
            String::new()
        } else {
            format!(" class=\"{}\"", classes.join(" "))
        };
        let head = self.in_head && !text.trim().is_empty();
        let open = if head { "<th scope=\"col\"" } else { "<td" };
        self.push(&format!("{open}{class}>"));
        let closes = if head { "</th>" } else { "</td>" };
        self.closers.push(closes);
    }

    /// A cell ends.
    pub(super) fn end_cell(&mut self) {
        self.column += 1;
        let close = self.closers.pop().unwrap_or("</td>");
        self.push(close);
    }

    /// The table ends.
    pub(super) fn end_table(&mut self) {
        let empty =
            matches!(self.events.get(self.at - 2), Some((Event::End(TagEnd::TableHead), _)));
        self.push(if empty { "</tbody></table></div>\n" } else { "</tbody>\n</table></div>\n" });
    }
}

/// Whether a cell reads as a number: digits with signs, separators and a short unit behind.
fn is_numeric(text: &str) -> bool {
    let text = text.trim();
    let body = text.trim_start_matches(['+', '-', '−', '±', '~', '≈', '<', '>', '≤', '≥', ' ']);
    if !body.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let end =
        body.find(|c: char| !(c.is_ascii_digit() || ".,:/×~–-".contains(c))).unwrap_or(body.len());
    // An address is a name and is read from its left.
    if body[..end].matches('.').count() > 2 {
        return false;
    }
    let unit = body[end..].trim_start();
    !unit.contains(|c: char| c.is_ascii_digit() || c.is_whitespace()) && unit.chars().count() <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_by_their_form() {
        for text in ["2", "+2", "1,234.5", "40 %", "1.25s", "3개", "30~75 %", "−1"] {
            assert!(is_numeric(text), "{text}");
        }
        for text in [
            "",
            "-",
            "v2",
            "두 개",
            "2개가 남는다",
            "1 2",
            "127.0.0.1:80, 관리 포트",
            "127.0.0.1:80",
        ] {
            assert!(!is_numeric(text), "{text}");
        }
    }
}
