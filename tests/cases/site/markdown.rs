//! Markdown, code, diagrams and formulas.

use super::{check, html, refuse};
use crate::support::World;

#[test]
fn a1_emphasis_closes_before_a_particle() {
    check(
        "**쿠버네티스(K8s)**를, **\"정책\"**은, **`kubectl`**을, *기울임(it)*은",
        &[
            "<strong>쿠버네티스(K8s)</strong>를",
            "<strong>&quot;정책&quot;</strong>은",
            "<strong><code>kubectl</code></strong>을",
            "<em>기울임(it)</em>은",
        ],
    );
}

#[test]
fn a2_ranges_are_not_struck_out() {
    let html = check(
        "값은 1~3개, 5~10분이다. ~~지움(옛)~~임",
        &["값은 1~3개, 5~10분이다. <del>지움(옛)</del>임"],
    );
    assert_eq!(html.matches("<del>").count(), 1);
}

#[test]
fn a3_korean_headings_keep_their_letters_as_ids() {
    check("## 설치 전 할 일\n\n[x](#설치-전-할-일)", &["<h2 id=\"설치-전-할-일\">"]);
}

#[test]
fn a4_every_form_of_hangul_is_one() {
    let (nfc, nfd) = ("설치", "\u{1109}\u{1165}\u{11af}\u{110e}\u{1175}");
    let world = World::page(&format!(
        "# T\n\n## {nfd}\n\n[x](#{nfc}) [y]({nfc}.md#{nfd}) ![그림]({nfc}.svg)\n"
    ))
    .file(&format!("content/{nfd}.md"), format!("# 글\n\n## {nfc}\n"))
    .file(
        &format!("content/{nfd}.svg"),
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='7'/>",
    );
    let html = html(&world);
    assert!(html.contains(&format!("<h2 id=\"{nfc}\">")), "{html}");
    assert!(
        world.exists(&format!("public/{nfc}.html")) && world.exists(&format!("public/{nfc}.svg"))
    );
    assert!(html.contains("width=\"9\" height=\"7\""), "{html}");

    let twice = world.file(&format!("content/{nfc}.md"), "# 글\n");
    let ended = twice.labdoc("build").any_output().code(1);
    assert!(ended.stderr.contains("PG005"), "{}", ended.stderr);
}

#[test]
fn a23_an_open_or_missing_region_is_an_error_with_file_and_mark() {
    let page = "# T\n\n```yaml {include=labkit/app/deploy.yaml region=web}\nb: 2\n```\n";
    let world = World::page(page).file("labkit/app/deploy.yaml", "a: 1\n# region: web\nb: 2\n");
    refuse(&world, &["labkit/app/deploy.yaml:2 never ends region `web`", "content/a.md:3:"]);

    world.write("labkit/app/deploy.yaml", "a: 1\n# region: wob\nb: 2\n# endregion: wob\n");
    refuse(&world, &["labkit/app/deploy.yaml has no region `web`", "did you mean `wob`?"]);

    world.write(
        "labkit/app/deploy.yaml",
        "a: 1\n# region: web\nb: 2\n# region: in\n# endregion: in\n# endregion: web\n",
    );
    let html = html(&world);
    let start = html.find("<div class=\"code\">").expect("the fence");
    let fence = &html[start..start + html[start..].find("</pre>").expect("its end")];
    assert!(fence.contains("app/deploy.yaml") && !fence.contains("region"), "{fence}");
}

#[test]
fn a23_a_fence_that_differs_from_its_file_is_an_error_and_is_refreshed() {
    let page =
        "# T\n\n- x\n\n  ```yaml {include=labkit/app/a.conf lines=2-4}\n  b: 2\n  c: 4\n  ```\n";
    let world = World::page(page).file("labkit/app/a.conf", "a: 1\nb: 2\nc: 3\n\nd: ```\n");
    refuse(
        &world,
        &[
            "error[KT311]",
            "shows labkit/app/a.conf, but the text differs at line 2",
            "content/a.md:7:3",
            "the file has: c: 3",
        ],
    );
    world.labdoc("verify content/a.md --update").any_output().code(0);
    assert!(
        world.read("content/a.md").contains("  b: 2\n  c: 3\n\n  ```\n"),
        "{}",
        world.read("content/a.md")
    );
    html(&world);
}

#[test]
fn a24_nothing_inline_stands_in_a_page() {
    let text = "| a |\n|:-:|\n| b |\n\n```mermaid\nflowchart LR\n  A[\"가\"]:::hot --> B\n  classDef hot fill:#f96,stroke:#333\n```\n\n$x$\n";
    let world = World::page(&format!("# T\n\n{text}"))
        .file("book.toml", "[book]\ntitle = \"x\"\n[markup]\nmath = true\n");
    let html = html(&world);
    assert!(html.contains("<svg") && html.contains("<math"), "{html}");
    assert!(!html.contains(" style=") && !html.contains("<style"), "{html}");
    assert!(!html.contains("onclick") && !html.contains("<script>"), "{html}");
}

#[test]
fn a25_wide_tables_and_code_have_boxes_that_the_keyboard_reaches() {
    check(
        &format!(
            "| a | b |\n|---|---|\n| {} | x |\n\n```sh\n{}\n```\n",
            "f".repeat(64),
            "x".repeat(400)
        ),
        &["<div class=\"table\" tabindex=\"0\" role=\"region\"", "<pre tabindex=\"0\">"],
    );
}

#[test]
fn a26_a_diagram_is_inline_with_size_role_and_title() {
    let html = check(
        "```mermaid {title=\"흐름\"}\nflowchart LR\n  A[\"이름 풀이\"] -->|다시 묻기| B[\"새 주소\"]\n```\n",
        &[
            "role=\"img\"",
            "<title id=\"mmd-",
            ">흐름</title>",
            "이름 풀이",
            "다시 묻기",
            "viewBox=\"",
        ],
    );
    let svg = &html[html.find("<svg xmlns").expect("svg")..];
    assert!(svg.contains(" width=\"") && svg.contains(" height=\""), "{svg}");
}

#[test]
fn a27_prompts_and_output_of_a_session_are_marked_for_the_copy_button() {
    check(
        "```console\n$ kubectl get \\\n    pods\nNAME\n$ ls\n```\n",
        &["<span class=\"g\">$ </span>", "<span class=\"u\">NAME\n</span>"],
    );
}

#[test]
fn a29_nothing_is_loaded_from_elsewhere() {
    let world = World::page("# T\n\n$$x^2$$\n\n```mermaid\npie\n  \"a\" : 1\n```\n")
        .file("book.toml", "[book]\ntitle = \"x\"\n[markup]\nmath = true\n");
    let html = html(&world);
    for load in
        ["src=\"http", "src=\"//", "url(http", "@import", "<link rel=\"stylesheet\" href=\"http"]
    {
        assert!(!html.contains(load) && !world.read("public/labdoc.css").contains(load), "{load}");
    }
}
