//! A second build: nothing is done where nothing changed, and whatever did change is seen.

use crate::support::World;

/// The parts that a build says it did.
fn parts(world: &World) -> String {
    world.labdoc("build --timings").any_output().success().stdout
}

/// A site without findings: those are told each time.
fn site() -> World {
    World::page("# A\n\n[B](b.md)\n").file("content/b.md", "# B\n")
}

/// What stands for a build that had nothing to do.
const SAME: &str = "everything is as the last build read and wrote it";

#[test]
fn a_build_that_would_change_nothing_is_not_done_again() {
    let world = site();
    let first = parts(&world);
    assert!(!first.contains(SAME), "{first}");
    let before = world.tree("public");
    let second = parts(&world);
    assert!(second.contains(SAME) && second.contains("(0 changed, 0 removed)"), "{second}");
    let count =
        |said: &str| said.lines().last().unwrap_or("").split(" (").next().map(str::to_owned);
    assert_eq!(count(&first), count(&second));
    assert_eq!(before.changes(&world.tree("public")), [] as [&str; 0]);
}

/// Changes a site.
type Change<'a> = &'a dyn Fn(&World);

#[test]
fn whatever_is_read_or_written_is_seen_when_it_changed() {
    let changes: &[(&str, Change)] = &[
        ("a page", &|world| world.write("content/new.md", "# New\n")),
        ("a setting", &|world| world.edit("book.toml", "[book]\n", "[book]\nversion = \"9\"\n")),
        ("a template", &|world| world.write("templates/404.html", "own\n")),
        ("a static file", &|world| world.write("static/x.txt", "x")),
        ("a folder", &|world| world.write("labkit/empty/x.txt", "x")),
        ("a written file", &|world| world.write("public/a.html", "damaged")),
        ("a file that is gone", &|world| {
            world.bash("rm public/a.html").success();
        }),
        ("a foreign file", &|world| world.write("public/mine.txt", "mine")),
        ("the list of files", &|world| world.write("public/labdoc-files.txt", "")),
        ("the record itself", &|world| world.write(".labdoc/last-build", "labdoc-last-build/1 x")),
    ];
    for (what, change) in changes {
        let world = site();
        parts(&world);
        assert!(parts(&world).contains(SAME), "{what}");
        change(&world);
        world.labdoc("build --out ../clean").any_output().end();
        let ended = world.labdoc("build --timings").any_output().end();
        assert!(!ended.stdout.contains(SAME), "{what}: {}", ended.stdout);
        if ended.code == Some(0) && *what != "a foreign file" {
            let other = crate::support::Tree::read(&world.base().join("clean"));
            assert_eq!(world.tree("public").other_content(&other), [] as [&str; 0], "{what}");
        }
    }
}

#[test]
fn findings_are_told_by_every_build() {
    let world = World::page("# A\n\n```nosuchlanguage\nx\n```\n");
    for _ in 0..2 {
        let ended = world.labdoc("build").any_output().success();
        assert!(ended.stderr.contains("nosuchlanguage"), "{}", ended.stderr);
    }
}

#[test]
fn a_build_with_another_option_is_done() {
    let world = site();
    parts(&world);
    for option in ["--drafts", "--release", "--as-of 2030-01-01"] {
        let said = world.labdoc(&format!("build --timings {option}")).any_output().success().stdout;
        assert!(!said.contains(SAME), "{option}: {said}");
    }
    let said = |arguments: &str| world.labdoc(arguments).any_output().success().stdout;
    assert!(!said("build --timings --as-of today").contains(SAME));
    assert!(!said("build --timings --as-of today").contains(SAME));
}

#[test]
fn what_a_page_shows_through_a_linked_folder_is_always_compared() {
    let world = World::page("# A\n\n```sh {include=static/src/script.sh}\necho one\n```\n");
    let world = world.file("src/script.sh", "echo one\n").file("static/x", "");
    std::os::unix::fs::symlink("../src", world.path("static/src")).expect("link");
    parts(&world);
    world.write("src/script.sh", "echo two\n");
    let ended = world.labdoc("build").any_output().code(1);
    assert!(ended.stderr.contains("error[KT311]"), "{}", ended.stderr);
}

#[test]
fn a_name_that_is_no_utf_8_is_seen() {
    let world = site().file("labkit/k/a.txt", "a\n");
    parts(&world);
    assert!(parts(&world).contains(SAME));
    world.bash("touch labkit/k/$'\\xff'").any_output().success();
    let ended = world.labdoc("build").any_output().code(1);
    assert!(ended.stderr.contains("error[KT303]"), "{}", ended.stderr);
    world.bash("rm labkit/k/$'\\xff'").any_output().success();
    parts(&world);
    assert!(parts(&world).contains(SAME));
    // Where it is no fault there is nothing to do as long as nothing comes or goes.
    world.write("static/x.txt", "x");
    world.bash("touch static/$'\\xff'").any_output().success();
    assert!(!parts(&world).contains(SAME));
    assert!(parts(&world).contains(SAME));
    world.bash("mv static/$'\\xff' static/$'\\xfe'").any_output().success();
    assert!(!parts(&world).contains(SAME));
}

#[test]
fn a_record_of_another_program_is_not_used() {
    let world = site();
    let dated = "touch -d @1 ../program; ../program build --timings";
    let copied = format!("cp {} ../program; {dated}", env!("CARGO_BIN_EXE_labdoc"));
    let said = |line: &str| world.bash(line).any_output().success().stdout.contains(SAME);
    assert!(!said(&copied) && said("../program build --timings"));
    // Size and time are the same.
    assert!(!said(dated));
}

#[test]
fn what_a_page_shows_of_a_file_elsewhere_is_always_compared() {
    let world = World::page("# A\n\n```sh {include=script.sh}\necho one\n```\n");
    world.write("script.sh", "echo one\n");
    parts(&world);
    world.write("script.sh", "echo two\n");
    let ended = world.labdoc("build").any_output().end();
    assert!(ended.stderr.contains("script.sh"), "{}", ended.stderr);
}
