//! Whatever a page holds, every element that is opened is closed in its turn.

use proptest::prelude::*;

use super::body;

/// Pieces that pages are put together from; they meet in ways that no one wrote on purpose.
const PIECES: &[&str] = &[
    "[",
    "]",
    "]{#C7}",
    "]{=flip.lost}",
    "]{=}",
    "[C14]",
    "[2]{=flip.lost}",
    "**",
    "*",
    "~~",
    "`",
    "](a.md)",
    "](javascript:x)",
    "![",
    "](a.png \"t\")",
    "[^1]",
    "\n[^1]: ",
    "\n",
    "\n\n",
    "\n> ",
    "\n> [!NOTE]- ",
    "\n> [!CORRECTION] ",
    "\n> [!TIP]\n> ",
    "\n- ",
    "\n- [x] ",
    "\n1. ",
    "\n    ",
    "\n# ",
    "\n## ",
    "\n### a {#b .c}\n",
    "가",
    "나다 ",
    "(x)",
    "\"",
    "<",
    "&",
    "&amp;",
    "\\",
    "  \n",
    "\n| a | b |\n|---|--:|\n| ",
    " | ",
    "\n: ",
    "\n```sh {#a}\n",
    "\n```output {for=a}\n",
    "\n```console {#k}\n$ x\n",
    "\n```yaml {.diff}\n",
    "\n```\n",
    "<!-- x -->",
    "\n<!-- labdoc {#c} -->\n",
    "\n---\n",
    "a_b_",
    "{=_q",
    "_}",
    "1~3",
    "2  <- n",
    "\n...\n",
    "\r\n",
    "\t",
];

/// The first element that is closed out of turn or never, if there is one.
fn fault(html: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    for piece in html.split('<').skip(1) {
        let Some((tag, _)) = piece.split_once('>') else { return Some(piece.to_owned()) };
        let name = tag.split([' ', '/']).next().unwrap_or("");
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Some(format!("</{name}> at {piece}"));
            }
        } else if !matches!(name, "br" | "hr" | "img" | "input") {
            open.push(name);
        }
    }
    open.pop().map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn elements_are_well_nested(picks in prop::collection::vec(0..PIECES.len(), 1..24)) {
        let text: String = picks.iter().map(|pick| PIECES[*pick]).collect();
        let html = body(&text).html;
        prop_assert_eq!(fault(&html), None, "{:?}\n{}", text, html);
        prop_assert!(!html.contains("href=\"javascript"));
    }
}
