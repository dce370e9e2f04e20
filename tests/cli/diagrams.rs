//! Diagrams: every kind is drawn, and what is wrong is named at its line of the Markdown.

use crate::support::World;

/// Builds a page whose fence holds this; the finding is at `line` of the fence, from 1.
#[track_caller]
fn wrong(source: &str, line: usize, part: &str) {
    let world =
        World::page(&format!("# T\n\n1. 항목\n\n   ```mermaid\n{}   ```\n", indented(source)));
    let ended = world.labdoc("build").any_output().code(1);
    let place = format!(" --> content/a.md:{}:", line + 5);
    assert!(ended.stderr.contains("error[DG001]: diagram: "), "{}", ended.stderr);
    assert!(ended.stderr.contains(&place), "not at {place}\n{}", ended.stderr);
    assert!(ended.stderr.contains(part), "no {part:?}\n{}", ended.stderr);
    assert!(!world.exists("public"));
}

/// The lines inside a list item.
fn indented(source: &str) -> String {
    source.lines().map(|line| format!("   {line}\n")).collect()
}

/// The text of a drawing without tags and blanks: a word may stand on two lines.
fn words_of(svg: &str) -> String {
    let mut inside = true;
    let text = svg.chars().filter(|c| {
        let shown = !inside && !c.is_whitespace() && *c != '<';
        inside = *c == '<' || (inside && *c != '>');
        shown
    });
    text.collect()
}

/// The Hangul words that a source draws.
fn labels(source: &str) -> Vec<String> {
    let lines = source.lines().skip(1).filter(|line| {
        let line = line.trim_start();
        !line.starts_with("acc") && !line.starts_with("%%") && !line.starts_with("click")
    });
    let is_hangul = |c: char| ('가'..='힣').contains(&c);
    let lines = lines.map(|line| line.split(" %%").next().unwrap_or(""));
    let words = lines.flat_map(|line| line.split(move |c: char| !is_hangul(c)));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The site of all kinds, without the address that the browser's tests give it.
fn diagrams() -> World {
    let world = World::site("diagrams");
    world.edit("book.toml", "base_url = \"https://docs.example/a/b/\"\n", "");
    world
}

#[test]
fn x01_a_label_that_is_not_closed() {
    wrong(
        "flowchart TD\n    A[\"정상\"] --> B[\"정상\"]\n    B --> C[\"닫히지 않은 라벨\n    C --> D\n",
        3,
        "",
    );
}

#[test]
fn x02_a_message_without_a_colon() {
    wrong(
        "sequenceDiagram\n    A->>B: 정상\n    alt 닫히지 않은 alt\n        B->>A 콜론 없음\n",
        4,
        "",
    );
}

#[test]
fn x03_a_kind_that_there_is_not() {
    wrong(
        "flowchrt TD\n    A --> B\n    }{][ <script>alert(1)</script>\n",
        1,
        "`flowchrt` is no kind of diagram (did you mean `flowchart`?)",
    );
}

#[test]
fn x04_a_branch_name_that_needs_quotes() {
    wrong(
        "gitGraph\n    commit id: \"초기\"\n    branch develop\n    checkout develop\n    commit id: \"기능 A\"\n    commit\n    branch feature/검색\n    commit id: \"검색 추가\" tag: \"v0.1\"\n",
        7,
        "",
    );
}

#[test]
fn x05_a_colon_in_a_period() {
    wrong(
        "timeline\n    title 장애 대응 타임라인\n    section 감지\n        10:00 : 알람 발생\n        10:03 : 당직자 확인 : 채널 개설\n",
        4,
        "",
    );
}

#[test]
fn every_kind_is_drawn_with_all_its_words() {
    let world = diagrams();
    world.labdoc("build").any_stdout().success();
    for page in ["index", "kinds"] {
        let source = world.read(&format!("content/{page}.md"));
        let html = world.read(&format!("public/{page}.html"));
        assert_eq!(html.matches("<svg xmlns").count(), source.matches("```mermaid").count());
        assert!(
            !html.contains(" style=")
                && !html.contains("<style")
                && !html.contains("foreignObject")
        );
        assert!(!html.contains("=\"javascript:") && !html.contains("\u{e000}"), "{page}");
        for (fence, svg) in source.split("```mermaid").skip(1).zip(html.split("<svg xmlns").skip(1))
        {
            let drawn = words_of(svg.split("</svg></div>").next().expect("its end"));
            for word in labels(fence.split("```").next().expect("its end")) {
                assert!(drawn.contains(&word), "{page}: {word} is not drawn of{fence}");
            }
        }
        let ids: Vec<&str> =
            html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        for id in &ids {
            assert_eq!(ids.iter().filter(|other| *other == id).count(), 1, "{page}: id {id} twice");
        }
        for reference in html.split("url(#").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(ids.contains(&reference), "{page}: nothing has id {reference}");
        }
    }
}

#[test]
fn a_build_on_a_machine_without_fonts_gives_the_same_bytes() {
    let world = diagrams();
    world.labdoc("build").any_stdout().success();
    let before = world.read("public/kinds.html");
    world.write("none.conf", "<?xml version=\"1.0\"?><fontconfig></fontconfig>");
    let none = world.path("none.conf").display().to_string();
    world.labdoc("build --out other").env("FONTCONFIG_FILE", &none).any_stdout().success();
    assert_eq!(before, world.read("other/kinds.html"));
}

#[test]
fn equal_diagrams_on_one_page_have_ids_of_their_own() {
    let fence = "```mermaid\nflowchart LR\n  A --> B\n```\n\n";
    let world = World::page(&format!("# T\n\n{fence}{fence}"));
    world.labdoc("build").any_stdout().success();
    let html = world.read("public/a.html");
    let titles: Vec<&str> =
        html.split("<title id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(titles.len(), 2);
    assert_ne!(titles[0], titles[1]);
}

#[test]
fn the_source_is_shown_when_asked() {
    let world = World::page("# T\n\n```mermaid {.source}\nflowchart LR\n  A --> B\n```\n");
    world.labdoc("build").any_stdout().success();
    let html = world.read("public/a.html");
    assert!(!html.contains("<svg xmlns"), "{html}");
    assert!(html.contains("<span class=\"k\">flowchart</span> LR"), "{html}");
}
