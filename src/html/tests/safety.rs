//! What a page tries to smuggle in is escaped or refused, in every place.

use super::{body, findings};

/// Text that would be an element or an attribute if it were not escaped.
const EVIL: &str = "\"'><script>alert(1)</script><em style=x onclick=y>";

/// Renders a text and expects nothing alive in it: no `<script`, `<em`, broken quote.
fn dead(text: &str) {
    let html = body(text).html;
    assert!(!html.contains("<script") && !html.contains("<em"), "{text}\n\n{html}");
    assert!(!html.contains("\"'>") && !html.contains("'>"), "{text}\n\n{html}");
}

#[test]
fn code_and_output_are_escaped() {
    dead(&format!("`{EVIL}`"));
    for language in ["text", "bash", "yaml", "json", "nonsense", "console", "Corefile", "html"] {
        dead(&format!("```{language}\n{EVIL}\n$ {EVIL}\n```"));
        dead(&format!("```{language} {{.diff}}\n+{EVIL}\n```"));
    }
    dead(&format!("    {EVIL}"));
    dead(&format!("```sh {{#a}}\n{EVIL}\n```\n\n```output {{for=a}}\n{EVIL}  <- {EVIL}\n```"));
    dead(&format!("```console {{#a vary=n}}\n$ {EVIL}\n{EVIL} 1  <- {EVIL}\n```"));
}

#[test]
fn attributes_are_escaped() {
    let evil = EVIL.replace('"', "");
    dead(&format!("```yaml {{title=\"{evil}\"}}\nx\n```"));
    dead(&format!("```sh {{#a title=\"{evil}\"}}\nx\n```"));
    dead(&format!("```{}\nx\n```", EVIL.replace(' ', "")));
    dead("[x](<a.html\"'onclick='> \"t'>\")");
    dead("![\\<script> \\\"'>](a.png 'x\"&#39;>')");
    dead("## \\<script>\\\"'> {#x\"'>}");
    dead("| \\<script>\\\"'> |\n|---|\n");
    dead("> [!NOTE] \\<script>\\\"'>");
    dead("[^\"'>] x\n\n[^\"'>]: y");
}

#[test]
fn raw_html_that_the_policy_blocks_is_an_error_and_left_out() {
    let check = |text: &str, expect: &[&str]| {
        assert_eq!(findings(text), expect, "{text}");
        let html = body(text).html;
        assert!(!html.contains("<script") && !html.contains("style="), "{text}\n{html}");
    };
    check("글 <b style=\"x\">굵게</b>", &["PG010 style=\"x\""]);
    check("<div>\n<p\n  onclick='x'>\n</div>", &["PG010 onclick='x'"]);
    check("> <script>\n> alert(1)\n> </script>", &["PG010 <script", "PG010 </script"]);
    check("<svg><a href='javascript:x'>", &["PG010 href='javascript:x'"]);
    check("<div title=\"\n\nx\" onclick=\"y\">", &["PG010 <div"]);
    check("<style>a{}</style>", &["PG010 <style", "PG010 </style"]);
}

#[test]
fn addresses_that_run_something_are_errors_and_no_links() {
    let check = |text: &str, expect: &str| {
        assert_eq!(findings(text), [format!("PG013 {text}")], "{text}");
        assert_eq!(body(text).html, expect);
    };
    check("[x](javascript:alert(1))", "<p>x</p>\n");
    check("[*x*](JaVaScRiPt:alert(1) \"t\")", "<p><em>x</em></p>\n");
    check("[x](<java&#10;script:alert(1)>)", "<p>x</p>\n");
    check("[x](data:text/html,y)", "<p>x</p>\n");
    check("![대체](javascript:x)", "<p>대체</p>\n");
    check("<vbscript:x>", "<p>vbscript:x</p>\n");
}

#[test]
fn an_unknown_language_is_a_warning_with_a_hint() {
    let body = body("> ```yamll {title=\"x\"}\n> a: 1\n> ```");
    assert_eq!(body.diagnostics[0].hint.as_deref(), Some("did you mean `yaml`?"));
    assert_eq!(findings("> ```yamll {title=\"x\"}\n> a\n> ```"), ["BL020 yamll"]);
    for language in ["", "text", "output", "console", "Corefile", "nginx", "YAML"] {
        assert_eq!(findings(&format!("```{language}\nx\n```")), [""; 0], "{language}");
    }
}

#[test]
fn what_a_fence_quote_or_note_says_for_nothing_is_a_warning() {
    assert_eq!(findings("```yaml {.numberd mrak=2}\na\n```"), ["BL023 mrak=2", "BL023 .numberd"]);
    assert_eq!(findings("- x\n\n  ```yaml {mark=\"2,x\"}\n  a\n  ```"), ["BL023 mark=\"2,x\""]);
    assert_eq!(findings("```yaml {title=\"x}\na\n```"), ["BL001 title=\"x"]);
    assert_eq!(findings("```rust,ignore\na\n```"), [""; 0]);
    assert_eq!(findings("> [!NOPE] x"), ["BL021 [!NOPE]"]);
    assert_eq!(findings("> [!TAB]\n> x"), ["BL022 [!TAB]"]);
    assert_eq!(findings("x\n\n[^c]: 없음"), ["PG022 [^c]"]);
    assert_eq!(findings("![](a.png)"), ["IM001 ![](a.png)"]);
}
