//! Links that a repository holds: nothing that labdoc writes or removes is behind one.

use std::os::unix::fs::symlink;

use crate::support::World;

/// A site with code to colour and a drawing to keep, and a folder of the user's beside it.
fn site() -> World {
    let page = "# A\n\nwords\n\n```sh\necho 1\n```\n\n```mermaid\nflowchart LR\n  a --> b\n```\n";
    World::page(page).file("../mine/.bashrc", "mine\n").file("../mine/diagram-x", "mine\n")
}

/// Where what is kept goes, and where a link in its place leads.
const KEPT: &[(&str, &str)] = &[
    (".labdoc", "../mine"),
    (".labdoc/cache", "../../mine"),
    (".labdoc/last-build", "../../mine/.bashrc"),
    (".labdoc/last-view", "../../mine/.bashrc"),
    (".labdoc/last-code", "../../mine/.bashrc"),
    (".labdoc/.gitignore", "../../mine/new"),
];

#[test]
fn what_is_kept_for_the_next_build_is_not_written_behind_a_link() {
    for (path, target) in KEPT {
        let world = site();
        let full = world.path(path);
        std::fs::create_dir_all(full.parent().expect("parent")).expect("folder");
        symlink(target, &full).expect("link");
        let before = world.tree("../mine");
        for words in ["one", "two", "three"] {
            // Of running text, and of code that is coloured.
            world.write("content/a.md", world.read("content/a.md") + "\n" + words + "\n");
            world.edit("content/a.md", "echo", "echo 2; echo");
            let said = world.labdoc("build").any_output().success().stdout;
            assert_eq!(before.changes(&world.tree("../mine")), [] as [&str; 0], "{path}");
            let is_whole = [".labdoc", ".labdoc/cache"].contains(path);
            assert_eq!(said.contains("kept nothing for the next build"), is_whole, "{path}");
        }
        assert_eq!(full.is_symlink(), KEPT[..2].iter().any(|(whole, _)| whole == path), "{path}");
        assert!(world.read("public/a.html").contains("three"), "{path}");
    }
}

#[test]
fn a_link_in_the_output_folder_leads_nothing_elsewhere() {
    let world = site().file("content/b/c.md", "# C\n\nwords\n");
    world.labdoc("build").any_output().success();
    let wanted = world.tree("public");
    // Each holds the same as what labdoc wrote there.
    world.bash("cp public/a.html ../mine/; cp -r public/b ../mine/").any_output().success();
    for (path, target) in [
        ("labdoc-files.txt", "../../mine/.bashrc"),
        ("a.html", "../../mine/a.html"),
        (".labdoc-new", "../../mine"),
    ] {
        let before = world.tree("../mine");
        let _ = std::fs::remove_file(world.path("public").join(path));
        symlink(target, world.path("public").join(path)).expect("link");
        world.bash("rm -rf .labdoc").any_output().success();
        if path == "labdoc-files.txt" {
            // Without its list labdoc knows none of the files.
            world.labdoc("build").any_output().code(2);
            world.bash("rm -r public").any_output().success();
        }
        world.labdoc("build").any_output().success();
        assert_eq!(wanted.other_content(&world.tree("public")), [] as [&str; 0], "{path}");
        assert_eq!(before.changes(&world.tree("../mine")), [] as [&str; 0], "{path}");
    }
    let before = world.tree("../mine");
    world.bash("rm -r public/b; ln -s ../../mine/b public/b").any_output().success();
    world.edit("content/b/c.md", "words", "other words");
    let said = world.labdoc("build").any_output().code(2).stderr;
    assert!(said.contains("was not written by labdoc"), "{said}");
    // Where the list says that labdoc wrote the link, it is replaced by the folder.
    world.write("public/labdoc-files.txt", world.read("public/labdoc-files.txt") + "b\n");
    world.labdoc("build").any_output().success();
    assert!(!world.path("public/b").is_symlink());
    assert!(world.read("public/b/c.html").contains("other words"));
    assert_eq!(before.changes(&world.tree("../mine")), [] as [&str; 0]);
}

#[test]
fn what_git_and_labdoc_keep_is_not_published() {
    let world = World::page("# A\n").file(".labdoc/x", "x\n").file(".github/c.md", "# C\n");
    world.bash("git init -q .").any_output().success();
    for (path, target) in
        [("b.md", "../.git/config"), ("b.txt", "../.labdoc/x"), ("c.md", "../.github/c.md")]
    {
        symlink(target, world.path("content").join(path)).expect("link");
    }
    let said = world.labdoc("build").any_output().success().stderr;
    for path in ["b.md", "b.txt"] {
        assert!(said.contains(&format!("warning[PG015]: content/{path} is no file")), "{said}");
        assert!(!world.path("public").join(path).exists(), "{path}");
    }
    assert!(world.exists("public/c.html") && !said.contains("content/c.md"), "{said}");
}

#[test]
fn evidence_is_not_written_behind_a_link() {
    let world = World::site("lab").file("../mine/x", "mine\n");
    world.labdoc("verify --record").any_stdout().success();
    world.bash("mv evidence/T1 ../mine/; ln -s ../../mine/T1 evidence/T1").any_output().success();
    let before = world.tree("../mine");
    let said = world.labdoc("verify --record").any_output().code(2).stderr;
    assert!(said.contains("evidence/T1 is no folder"), "{said}");
    assert_eq!(before.changes(&world.tree("../mine")), [] as [&str; 0]);

    world.bash("mv ../mine/T1/* ../given").any_output().success();
    let before = world.tree("../mine");
    let said = world.labdoc("evidence import ../given").any_output().code(2).stderr;
    assert!(said.contains("cannot write below") && said.contains("evidence/T1"), "{said}");
    assert_eq!(before.changes(&world.tree("../mine")), [] as [&str; 0]);

    let world = World::site("proof").file("../mine/x", "mine\n");
    world.labdoc("verify --record").any_stdout().success();
    symlink("../../mine", world.path("evidence/ledger")).expect("link");
    let before = world.tree("../mine");
    let said = world.labdoc("evidence seal").any_output().code(2).stderr;
    assert!(said.contains("cannot write below") && said.contains("evidence/ledger"), "{said}");
    assert_eq!(before.changes(&world.tree("../mine")), [] as [&str; 0]);
}

#[test]
fn the_usual_output_folder_is_no_link_unless_the_user_says_so() {
    let world = site().file("content/authorized_keys", "mine no longer\n");
    symlink("../mine", world.path("public")).expect("link");
    let before = world.tree("../mine");
    let said = world.labdoc("build").any_output().code(2).stderr;
    assert!(said.starts_with("error: public is a link to ../mine\n"), "{said}");
    assert!(said.contains("labdoc build --out public"), "{said}");
    assert_eq!(before.changes(&world.tree("../mine")), [] as [&str; 0]);
    world.labdoc("build --out public").any_output().success();
    assert!(world.exists("../mine/a.html"));
}
