//! What a build leaves on the disk, and what a preview does with a save.

use std::time::Duration;

use crate::support::{Preview, World};

#[test]
fn a20_a_removed_page_goes_and_a_foreign_file_stays() {
    let world =
        World::page("# A\n").file("content/old.md", "# Old\n").file("content/x/y.md", "# Y\n");
    world.labdoc("build").any_output().success();
    world.write("public/mine.txt", "mine");
    assert!(world.exists("public/old.html") && world.exists("public/x/y.html"));
    std::fs::remove_file(world.path("content/old.md")).expect("remove");
    std::fs::rename(world.path("content/x"), world.path("content/z")).expect("rename");
    let ended = world.labdoc("build").any_output().success();
    for gone in ["public/old.html", "public/old.md", "public/x"] {
        assert!(!world.exists(gone), "{gone}");
    }
    assert!(world.exists("public/z/y.html"));
    assert!(ended.stdout.contains("kept mine.txt, which labdoc did not write"), "{}", ended.stdout);
    assert_eq!(world.read("public/mine.txt"), "mine");
}

#[test]
fn a21_an_error_in_a_template_changes_no_byte() {
    let world = World::page("# A\n");
    for n in 1..=50 {
        world.write(&format!("content/p{n}.md"), format!("# Page {n}\n\ntext\n"));
    }
    world.labdoc("build").any_output().success();
    let before = world.tree("public");
    world.write("content/a.md", "# Changed\n");
    world.write(
        "templates/page.html",
        "{% extends \"base.html\" %}{% block main %}{% block body %}\
         {% if page.title == \"Page 37\" %}{{ page.nothing.at_all }}{% endif %}\
         {% endblock body %}{% block after %}{% endblock after %}{% endblock main %}",
    );
    let ended = world.labdoc("build").any_output().code(1);
    assert!(
        ended.stderr.contains("error[TP001]") && ended.stderr.contains("page.html"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("content/p37.md"), "{}", ended.stderr);
    assert_eq!(before.changes(&world.tree("public")), [] as [&str; 0]);
    assert!(!world.exists("public/.labdoc-new"));
}

#[test]
fn a22_one_save_is_one_build_and_other_files_are_none() {
    let diagram = "# A\n\n```mermaid\nflowchart LR\n  A --> B\n```\n";
    let world = World::page(diagram).file("content/b.md", "# B\n");
    let preview = Preview::of(&world, "");
    let mut events = preview.events();
    world.write("content/a.md", format!("{diagram}\nnew words\n"));
    assert!(events.next().contains("\"a.html\""));
    // What editors, builds and the cache write; the next event would be that of a build.
    for path in ["content/.a.md.swp", "content/4913", "content/a.md~", "public/a.html", ".labdoc/x"]
    {
        world.write(path, "x");
    }
    assert_eq!(events.within(Duration::from_secs(2)), None);
    assert!(preview.get("a.html").body.contains("new words"));
}

#[test]
fn a30_dot_files_and_build_folders_stay_at_home() {
    let world = World::page("---\nkit: app\n---\n# A\n")
        .file("labkit/app/a.yaml", "a: 1\n")
        .file("labkit/app/.env", "TOKEN=1\n")
        .file("labkit/app/.git/config", "[core]\n")
        .file("labkit/app/target/x.o", "o")
        .file("labkit/app/node_modules/m/index.js", "x");
    let ended = world.labdoc("build").any_output().success();
    let published = world.tree("public");
    for name in [".env", ".git", "x.o", "node_modules"] {
        assert!(!published.paths().iter().any(|path| path.contains(name)), "{name}");
    }
    assert!(
        ended.stdout.contains("left out of kit app: .env, .git/, node_modules/, target/"),
        "{}",
        ended.stdout
    );
    let book = world.read("book.toml");
    world.write("book.toml", book + "\n[kit.app]\ninclude = [\".env\"]\n");
    world.labdoc("build").any_output().success();
    assert_eq!(world.read("public/kit/app/files/.env"), "TOKEN=1\n");
}
