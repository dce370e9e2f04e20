//! Colours for CoreDNS's `Corefile`, which no grammar knows.

use super::LineWriter;

/// The lines of a Corefile as HTML.
pub(super) fn lines(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    text.lines().map(|text| line(text, &mut depth)).collect()
}

/// One line: outside braces the zones, inside the plugin or option first and its arguments.
fn line(text: &str, depth: &mut usize) -> String {
    let mut out = LineWriter::default();
    let (code, comment) = match text.find('#') {
        Some(at) if text[..at].ends_with([' ', '\t']) || at == 0 => text.split_at(at),
        _ => (text, ""),
    };
    let outside = *depth == 0;
    let mut index = 0;
    for piece in code.split_inclusive([' ', '\t']) {
        let word = piece.trim();
        if word.is_empty() {
            out.push("", piece);
            continue;
        }
        let class = match word {
            "{" | "}" => "",
            word if word.contains("{$") => "v",
            _ if outside => "t",
            _ if index == 0 => "n",
            word if word.trim_end_matches(['s', 'm', 'h']).parse::<u64>().is_ok() => "d",
            _ => "",
        };
        out.push(class, word);
        out.push("", &piece[word.len()..]);
        index += 1;
        match word {
            "{" => *depth += 1,
            "}" => *depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    out.push("c", comment);
    out.finish()
}
