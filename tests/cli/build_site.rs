//! `labdoc build`: findings with their places, and nothing written while there are errors.

use std::os::unix::fs::PermissionsExt as _;

use snapbox::str;

use crate::support::World;

#[test]
fn broken_links_are_named_with_file_line_and_column() {
    let world = World::page(
        "# 제목\n\n글 [x](missing.md) 와 [y](#없는-절).\n\n- [z](Other.md), [k](/a.md), ![p](no.png), [s](javascript:x), [u](../../x.md)\n",
    )
    .file("content/other.md", "# 다른 절\n");
    world
        .labdoc("build")
        .stdout(str![[r#"
nothing was written: 7 errors, 0 warnings

"#]])
        .stderr(str![[r#"
error[LK001]: content/missing.md does not exist
 --> content/a.md:3:3
  |
3 | 글 [x](missing.md) 와 [y](#없는-절).
  |    ^^^^^^^^^^^^^^^

error[LK002]: content/a.md has no anchor #없는-절
 --> content/a.md:3:21
  |
3 | 글 [x](missing.md) 와 [y](#없는-절).
  |                       ^^^^^^^^^^^^^

error[LK003]: content/Other.md differs in letter case from content/other.md
 --> content/a.md:5:3
  |
5 | - [z](Other.md), [k](/a.md), ![p](no.png), [s](javascript:x), [u](../../x.md)
  |   ^^^^^^^^^^^^^
 = help: write content/other.md; other systems tell the two apart

error[LK006]: /a.md begins with a slash and works under one path only
 --> content/a.md:5:18
  |
5 | - [z](Other.md), [k](/a.md), ![p](no.png), [s](javascript:x), [u](../../x.md)
  |                  ^^^^^^^^^^
 = help: write it relative to this page

error[LK001]: content/no.png does not exist
 --> content/a.md:5:30
  |
5 | - [z](Other.md), [k](/a.md), ![p](no.png), [s](javascript:x), [u](../../x.md)
  |                              ^^^^^^^^^^^^

error[PG013]: `javascript:x` is an address that could run something
 --> content/a.md:5:44
  |
5 | - [z](Other.md), [k](/a.md), ![p](no.png), [s](javascript:x), [u](../../x.md)
  |                                            ^^^^^^^^^^^^^^^^^
 = help: a link is relative, or begins with https:, http:, mailto: or tel:

error[LK001]: ../../x.md leads out of the site
 --> content/a.md:5:63
  |
5 | - [z](Other.md), [k](/a.md), ![p](no.png), [s](javascript:x), [u](../../x.md)
  |                                                               ^^^^^^^^^^^^^^^
 = help: publish the file, or write its whole address


"#]])
        .code(1);
    assert!(!world.exists("public"));
}

#[test]
fn links_and_anchors_of_raw_html_are_those_of_the_page() {
    let world = World::page(
        "# A\n\n<a href=\"b.md#절\">b</a> <a id=\"raw\"></a> [r](#raw)\n\n<figure>\n<img src=\"no.png\"\n  alt=\"x\"></figure>\n\n<a href=\"B.md\">x</a>\n",
    )
    .file("content/b.md", "# B\n\n## 절\n\n[r](a.md#raw)\n");
    world
        .labdoc("check")
        .stdout("checked: 2 errors, 0 warnings\n")
        .stderr(str![[r#"
error[LK001]: content/no.png does not exist
 --> content/a.md:6:11
  |
6 | <img src="no.png"
  |           ^^^^^^

error[LK003]: content/B.md differs in letter case from content/b.md
 --> content/a.md:9:10
  |
9 | <a href="B.md">x</a>
  |          ^^^^
 = help: write content/b.md; other systems tell the two apart


"#]])
        .code(1);
    world.edit("content/a.md", "no.png", "y.png");
    world.edit("content/a.md", "B.md", "b.md");
    world.write("content/y.png", b"x");
    world.labdoc("build").any_output().success();
    let html = world.read("public/a.html");
    assert!(html.contains("<a href=\"b.html#%EC%A0%88\">b</a>"), "{html}");
    assert!(world.read("public/b.html").contains("href=\"a.html#raw\""));
}

#[test]
fn a_link_into_the_kit_is_checked_too() {
    let world = World::site("lab");
    world.edit("content/index.md", "../labkit/demo/run.sh", "../labkit/demo/rum.sh");
    let ended = world.labdoc("build").any_output().code(1);
    assert!(
        ended.stderr.contains("error[KT302]") && ended.stderr.contains("content/index.md:5:"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_build_with_an_error_changes_nothing_on_disk() {
    let world = World::site("lab");
    world.labdoc("build").any_output().success();
    let before = world.tree("");
    for (path, text) in [
        ("content/bad.md", "[x](missing.md)\n"),
        ("content/bad.md", "```sh {#a timout=1s}\n```\n"),
        ("templates/page.html", "{% if %}\n"),
        ("templates/page.html", "{{ nothing.of.the.kind | nofilter }}\n"),
        ("labkit/demo/up.sh", "#!/bin/sh\r\necho\r\n"),
    ] {
        world.write(path, text);
        let with = world.tree("");
        world.labdoc("build").any_output().code(1);
        assert_eq!(with.changes(&world.tree("")), [] as [&str; 0], "{path}: {text}");
        std::fs::remove_file(world.path(path)).expect("remove");
        let _ = std::fs::remove_dir(world.path("templates"));
    }
    assert_eq!(before.other_content(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn check_writes_nothing_and_says_the_same() {
    let world = World::page("[x](missing.md)\n");
    let before = world.tree("");
    let checked = world.labdoc("check").any_output().code(1);
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
    let built = world.labdoc("build").any_output().code(1);
    assert_eq!(checked.stderr, built.stderr);
    let world = World::site("lab");
    let before = world.tree("");
    world.labdoc("check").any_output().success();
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn foreign_files_are_kept_and_pages_that_are_gone_disappear() {
    let world = World::page("# A\n").file("content/old/b.md", "# B\n");
    world.labdoc("build").any_stdout().success();
    assert!(world.exists("public/old/b.html") && world.exists("public/old/b.md"));
    world.write("public/mine.txt", "mine");
    world.write("public/.git/config", "mine");
    std::fs::remove_dir_all(world.path("content/old")).expect("remove");
    let ended = world.labdoc("build").any_stdout().success();
    assert!(ended.stdout.contains("kept mine.txt"), "{}", ended.stdout);
    assert!(!world.exists("public/old"), "the folder is gone with its page");
    assert_eq!(world.read("public/mine.txt"), "mine");
    assert_eq!(world.read("public/.git/config"), "mine");
}

#[test]
fn a_foreign_file_in_the_way_is_not_overwritten() {
    let world = World::page("# A\n").file("public/a.html", "mine");
    let before = world.tree("public");
    world
        .labdoc("build")
        .any_stdout()
        .stderr(str![[r#"
error: [SITE]/public/a.html was not written by labdoc
 = help: move it away, or build into another folder with --out

"#]])
        .code(2);
    assert_eq!(before.other_content(&world.tree("public")), [] as [&str; 0]);
}

#[test]
fn a_second_build_touches_nothing() {
    let world = World::site("lab");
    world.labdoc("build").any_output().success();
    let before = world.tree("public");
    let ended = world.labdoc("build").any_output().success();
    assert!(ended.stdout.contains("(0 changed, 0 removed)"), "{}", ended.stdout);
    let files: Vec<String> = before
        .changes(&world.tree("public"))
        .into_iter()
        .filter(|change| !change.ends_with("labdoc-files.txt"))
        .collect();
    assert_eq!(files, [] as [&str; 0]);
}

#[test]
fn own_templates_override_the_theme_and_a_broken_one_is_an_error() {
    let world = World::page("# A\n").file("templates/404.html", "own {{ site.title }}\n");
    world.labdoc("build").any_stdout().success();
    assert_eq!(world.read("public/404.html"), "own Test site\n");
    world.write("templates/404.html", "line one\n{% for %}\n");
    world
        .labdoc("build")
        .any_stdout()
        .stderr(str![[r#"
error[TP001]: Found `%}` but expected identifier.
 |  --> 404.html:2:8
 |   |
 | 2 | {% for %}
 |   |        ^^
 = help: the site's own templates/ override the default theme; see templates/README.md


"#]])
        .code(1);
    assert_eq!(world.read("public/404.html"), "own Test site\n");
}

#[test]
fn own_static_files_override_the_theme() {
    let world = World::page("# A\n").file("static/labdoc.css", "p{}").file("static/x/y.txt", "y");
    world.labdoc("build").any_stdout().success();
    assert_eq!(world.read("public/labdoc.css"), "p{}");
    assert_eq!(world.read("public/x/y.txt"), "y");
}

#[test]
fn an_output_folder_that_may_not_be_written_is_exit_code_2_with_its_path() {
    let world = World::page("# A\n");
    std::fs::create_dir(world.path("public")).expect("folder");
    world.mode("public", 0o555);
    let nobody = "exec setpriv --reuid=65534 --regid=65534 --clear-groups";
    let root = rustix::process::getuid().is_root();
    for path in [world.base().to_owned(), world.root(), world.path("content")] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("chmod");
    }
    let copy = world.base().join("labdoc");
    std::fs::copy(env!("CARGO_BIN_EXE_labdoc"), &copy).expect("copy");
    let line = format!("{} {} build", if root { nobody } else { "exec" }, copy.display());
    let ended = world.bash(&line).any_output().code(2);
    assert!(ended.stderr.contains("[SITE]/public"), "{}", ended.stderr);
    world.mode("public", 0o755);
}

#[test]
fn drafts_are_left_out_until_asked_for() {
    let world = World::page("---\ntitle: A\ndraft: true\n---\n").file("content/index.md", "# I\n");
    world.labdoc("build").any_stdout().success();
    assert!(!world.exists("public/a.html"));
    world.labdoc("build --drafts").any_stdout().success();
    assert!(world.exists("public/a.html"));
}
