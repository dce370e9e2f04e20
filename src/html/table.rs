//! Tables: a box that scrolls by itself, alignment by class.

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

use super::escape::escape;
use super::walk::Walk;

impl Walk<'_> {
    /// A table begins; the box is named by a number and the heads of its columns.
    pub(super) fn start_table(&mut self, alignments: &[Alignment]) {
        self.table = alignments.to_vec();
        self.numeric = self.numeric_columns();
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

    /// Whether each column holds numbers and nothing else, but for cells that are empty or a dash. A
    /// number among words is read with them.
    fn numeric_columns(&self) -> Vec<bool> {
        let mut kinds = vec![(false, true); self.table.len()];
        let (mut column, mut in_head) = (0, true);
        for index in self.at..self.end_of(self.at - 1) {
            match &self.events[index].0 {
                Event::End(TagEnd::TableHead) => in_head = false,
                Event::Start(Tag::TableRow) => column = 0,
                Event::Start(Tag::TableCell) if !in_head => {
                    let end = self.end_of(index);
                    let text = self.plain(index..end);
                    let is_code = matches!(self.events[index + 1].0, Event::Code(_));
                    if let Some((some, all)) = kinds.get_mut(column) {
                        let is_number = !is_code && is_numeric(&text);
                        *some |= is_number;
                        *all &= is_number || matches!(text.trim(), "" | "-" | "–" | "—");
                    }
                    column += 1;
                }
                _ => {}
            }
        }
        kinds.into_iter().map(|(some, all)| some && all).collect()
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
        let is_number = self.numeric.get(self.column).copied().unwrap_or_default();
        if !self.in_head && is_number && is_numeric(&text) {
            classes.push("num");
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
