//! What GFM adds to CommonMark gives the HTML that pulldown-cmark itself gives, but where labdoc
//! asks for something else; each such example says why. The examples are our own.

use super::body;
use super::commonmark::{plain, shape, without_title};

/// Why labdoc's HTML differs.
const ALIGN: &str = "alignment is a class: an inline style would break the content security policy";
const EMPTY: &str = "an empty cell of a head is no heading for screen readers";
const NUMBER: &str = "a cell that holds a number is set flush right";
const TASK: &str = "a list item with a check box has a class, the box a label";
const ALERT: &str = "an alert has a title and a role, may fold, and has more kinds";
const NOTE: &str = "footnotes stand in a list at the end, with links back";
const TITLE: &str = "a heading of its own class keeps its id";

/// Examples by feature; those with a reason differ on purpose.
const EXAMPLES: &[(&str, Option<&str>)] = &[
    // Tables.
    ("| 이름 | 값 |\n|---|---|\n| 가 | 나 |\n", None),
    ("이름 | 값\n--- | ---\n가 | 나\n", None),
    ("| a |\n|---|\n", None),
    ("| a | b |\n|---|---|\n| 하나 |\n| 하나 | 둘 | 셋 |\n", None),
    ("| a |\n|---|\n| x \\| y |\n| `x \\| y` |\n", None),
    ("| a |\n|---|\n| **굵게**는 *x* ~~y~~ [z](z.html) `c` |\n", None),
    ("| a |\n|---|\n| x |\n뒤 글\n", None),
    ("| a |\n|---|\n| x |\n\n뒤 글\n", None),
    ("> | a |\n> |---|\n> | x |\n", None),
    ("- | a |\n  |---|\n  | x |\n", None),
    ("| a | b |\n|---|\n| x | y |\n", None),
    ("앞 글\n| a |\n|---|\n| x |\n", None),
    ("| a | b | c |\n|:--|:-:|--:|\n| x | y | z |\n", Some(ALIGN)),
    ("| a |  |\n|---|---|\n| x | y |\n", Some(EMPTY)),
    ("| a |\n|---|\n| 12 |\n", Some(NUMBER)),
    // Strike-out: two tildes only.
    ("~~지움~~ x", None),
    ("~~지움\n이어짐~~", None),
    ("~하나~ 1~3개, 5~10분", None),
    ("~~~~넷~~~~ ~~ x ~~", None),
    ("~~열리기만\n\n닫히지 않음~~", None),
    ("**~~둘 다~~** ~~**둘 다**~~", None),
    ("\\~~아님~~ `~~코드~~`", None),
    // Task lists.
    ("- [y] x\n- [ ]x\n", None),
    ("- x [ ] y\n", None),
    ("- [ ] 할 일\n- [x] 한 일\n", Some(TASK)),
    ("1. [X] 한 일\n   - [ ] 안쪽\n", Some(TASK)),
    // Addresses in angle brackets; a bare one stays as typed.
    ("<https://docs.example/a?b=c&d=e> <me@docs.example>", None),
    ("https://docs.example www.docs.example me@docs.example", None),
    // Hard and soft line ends, entities, nested emphasis.
    ("끝  \n줄\\\n줄\n줄", None),
    ("&amp; &copy; &#44032; &nope;", None),
    ("***둘*** **하나*둘*셋** _x_y_ __x__", None),
    // Lists and code.
    ("1. 하나\n\n   이어짐\n2. 둘\n", None),
    ("* 하나\n+ 둘\n- 셋\n", None),
    ("- 하나\n    - 둘\n        - 셋\n", None),
    // Headings with attributes.
    ("## 제목 {#a}\n\n### 제목 {.b}\n", None),
    ("# 첫 제목 {.b}\n", Some(TITLE)),
    // Definition lists.
    ("용어\n: 뜻\n", None),
    ("용어\n: 뜻 하나\n\n: 뜻 둘\n  이어짐\n\n둘째\n: 뜻\n", None),
    // Alerts.
    ("> [!NOTE] x\n", Some(ALERT)),
    ("> [!NOTE]\n> x\n", Some(ALERT)),
    ("> [!TIP]\n> x\n", Some(ALERT)),
    ("> [!IMPORTANT]\n> x\n", Some(ALERT)),
    ("> [!WARNING]\n> x\n", Some(ALERT)),
    ("> [!CAUTION]\n> x\n", Some(ALERT)),
    ("> [NOTE]\n> x\n", None),
    ("> x\n> [!NOTE]\n", None),
    // Footnotes.
    ("x[^1]\n\n[^1]: 뜻\n", Some(NOTE)),
    ("x[^없음]\n", None),
    // Raw HTML that says nothing of scripts and styles.
    ("<kbd>Ctrl</kbd> <b>x</b>\n\n<details><summary>s</summary>\n\nx\n\n</details>\n", None),
];

#[test]
fn examples_of_gfm_are_as_the_parser_has_them() {
    let mut wrong = Vec::new();
    for (markdown, reason) in EXAMPLES {
        let (ours, theirs) = (shape(&body(markdown).html), shape(&plain(markdown)));
        let equal = ours == theirs || ours == without_title(&theirs);
        if equal != reason.is_none() {
            wrong.push(format!("{reason:?}\n{markdown}\n ours   {ours:?}\n theirs {theirs:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), EXAMPLES.len(), wrong.join("\n"));
}
