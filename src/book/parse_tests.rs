//! Tests of parsing a page.

use super::*;
use crate::book::page::BlockKind;
use crate::diag::render;

/// Parses a text as `content/a.md`.
fn page(text: &str) -> (Sources, Checked<Page>) {
    let mut sources = Sources::default();
    let file = sources.add("content/a.md", text);
    let checked = parse(&sources, file);
    (sources, checked)
}

/// The findings of a text, one a line: `CODE line:column message`.
fn findings(text: &str) -> String {
    let (sources, checked) = page(text);
    let line = |finding: &Diagnostic| {
        let drawn = render(finding, &sources, false);
        let place = drawn.lines().find_map(|l| l.strip_prefix(" --> content/a.md:")).unwrap_or("?");
        format!("{} {place} {}\n", finding.code, finding.message)
    };
    checked.diagnostics.iter().map(line).collect()
}

#[test]
fn blocks_are_found_in_lists_and_quotes_with_their_output() {
    let text = "1. item\n\n   ```sh {#a timeout=3s}\n   echo hi\n     two\n   ```\n\n> ```output {for=a vary=ip}\n> x\n> ```\n\n~~~bash {#b .teardown}\na\nb\n~~~\n";
    let (sources, checked) = page(text);
    assert_eq!(checked.diagnostics, []);
    let [a, b] = &checked.value.blocks[..] else { panic!("two blocks") };
    assert_eq!(
        (a.text.as_str(), a.options.timeout),
        ("echo hi\n  two\n", Some(std::time::Duration::from_secs(3)))
    );
    let output = a.output.as_ref().expect("output");
    assert_eq!((output.text.as_str(), output.prefix.as_str()), ("x\n", "> "));
    assert_eq!(sources.slice(output.content), "> x\n");
    assert_eq!(output.vary, ["ip"]);
    assert_eq!((b.text.as_str(), b.options.teardown), ("a\nb\n", true));
    assert_eq!(sources.slice(b.lines[1]), "b");
}

#[test]
fn an_empty_output_has_an_empty_content() {
    let (sources, checked) = page("```sh {#a}\ntrue\n```\n\n- x\n\n  ```output {for=a}\n  ```\n");
    let output = checked.value.blocks[0].output.as_ref().expect("output");
    assert_eq!((sources.slice(output.content), output.prefix.as_str()), ("", "  "));
}

#[test]
fn the_comment_form_is_read() {
    let (_, checked) = page(
        "<!-- labdoc {#c timeout=1s} -->\n```sh\nc\n```\n\n<!-- labdoc {for=c} -->\n```\nout\n```\n",
    );
    assert_eq!(checked.diagnostics, []);
    assert_eq!(checked.value.blocks[0].output.as_ref().map(|o| o.text.as_str()), Some("out\n"));
}

#[test]
fn plain_fences_and_console_blocks() {
    let (_, checked) = page(
        "```bash\nrm -rf x\n```\n\n```console {#c vary=n}\n$ echo 1\n1\n```\n\n```rust {#x}\n```\n",
    );
    assert_eq!(checked.diagnostics, []);
    assert_eq!(checked.value.blocks.len(), 1);
    assert_eq!(checked.value.blocks[0].kind, BlockKind::Console);
}

#[test]
fn faults_of_fences_have_a_place() {
    let check = |text: &str, expect: &str| assert_eq!(findings(text), expect, "{text}");
    check("```sh {#a timout=3s}\n```\n", "BL010 1:11 `timout=` is not known here\n");
    check("x\n\n```sh {#a}\necho\n", "BL002 3:1 this fence is never closed\n");
    check("```sh {#a}\n```\n```sh {#a}\n```\n", "BL004 3:8 block id `a` is used twice\n");
    check(
        "```sh {#setup}\n```\n```output {for=setpu}\n```\n",
        "BL008 3:12 output for `setpu`, but no block has that id\n",
    );
    check("```sh {#a exit=300}\n```\n", "BL007 1:11 `300` is no exit code: 0 to 255, or any\n");
    check("```sh {#a .teardwn}\n```\n", "BL010 1:11 `.teardwn` is not known here\n");
    check("```sh {#a\n```\n", "BL001 1:7 the attributes are not closed with `}`\n");
    check("<!-- labdoc {#a .x} -->\n```sh\n```\n", "BL010 1:17 `.x` is not known here\n");
}

#[test]
fn claims_have_statements_digests_and_bare_numbers() {
    let (_, checked) = page(
        "[STRICT는 `cx`\n**[2]{=flip.lost}개**를 3번, L7 1.38-x에서 [5]{=}초 버린다.]{#C14} [C14]\n",
    );
    assert_eq!(checked.diagnostics, []);
    let claim = &checked.value.claims[0];
    assert_eq!(claim.statement, "STRICT는 cx 2개를 3번, L7 1.38-x에서 5초 버린다.");
    assert_eq!(claim.digest_text, "STRICT는 cx {=flip.lost}개를 3번, L7 1.38-x에서 5초 버린다.");
    let bare: Vec<&str> = claim.bare_numbers.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(bare, ["3"]);
    assert_eq!(claim.lives, ["flip.lost"]);
    assert_eq!(checked.value.lives[0].value, "2");
    assert_eq!(checked.value.cites[0].id, "C14");
}

#[test]
fn claims_may_not_stand_in_headings_or_claims() {
    let expect = "EV022 1:4 a claim or live number cannot stand in a heading\nPG004 3:4 claim C2 stands inside another claim\nPG003 3:19 `T1` is no claim id\n";
    assert_eq!(findings("## [x]{#C9}\n\n[a [b]{#C2}]{#C1} [c]{#T1}\n"), expect);
}

#[test]
fn headings_have_unique_anchors() {
    let (_, checked) = page("# 제목\n\n## 설치 {#setup}\n\n## 설치\n\n## 설치\n");
    let ids: Vec<&str> = checked.value.headings.iter().map(|h| h.id.as_str()).collect();
    assert_eq!(ids, ["제목", "setup", "설치", "설치-2"]);
    assert_eq!(checked.value.title, "제목");
}
