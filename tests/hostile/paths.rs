//! Names and links that lead out, or mean another file elsewhere.

use std::fs::{create_dir, create_dir_all, write};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use super::{Case, build, check, hold, page};
use crate::support::World;

/// A site with a kit of one file of that name.
fn kit(name: &str) -> World {
    page("x").file("labkit/a/README.md", "# A\n").file(&format!("labkit/a/{name}"), "x\n")
}

/// A site, and beside it a folder with a file that must stay as it is.
fn beside(at: &str) -> World {
    let world = page("x").file(at, "");
    create_dir(world.base().join("outside")).expect("folder");
    write(world.base().join("outside/secret.md"), "# Secret\n").expect("file");
    world
}

/// The same with a link to that folder, or to something in it.
fn link(at: &str, to: &str) -> World {
    let world = beside("book.toml").file("book.toml", crate::support::BOOK);
    let path = world.path(at);
    create_dir_all(path.parent().expect("parent")).expect("folder");
    symlink(world.base().join(to), path).expect("link");
    world
}

/// A pipe that nobody writes to.
fn pipe(world: World, at: &str) -> World {
    let made = world.bash(&format!("mkdir -p $(dirname {at}); mkfifo {at}")).end();
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    world
}

/// A folder so deep that its path has 4 KB.
fn deep(top: &str) -> World {
    let world = page("x").file("labkit/a/README.md", "# A\n");
    let down = "d".repeat(200);
    let line =
        format!("cd {top}; for i in $(seq 20); do mkdir {down}; cd {down}; done; echo x > f");
    let made = world.bash(&line).end();
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    world
}

const CASES: &[Case] = &[
    check("a kit file that leads out", 1, "error[KT304]", || {
        link("labkit/a/x.md", "outside/secret.md")
    }),
    check("a kit folder that leads out", 1, "error[KT304]", || link("labkit/a/sub", "outside")),
    check("a whole kit that leads out", 1, "error[KT304]", || link("labkit/b", "outside")),
    check("a page that leads out", 0, "warning[PG015]", || {
        link("content/b.md", "outside/secret.md")
    }),
    check("content that leads out", 0, "warning[PG015]", || link("content/b", "outside")),
    check("content that leads into itself", 0, "warning[PG015]", || {
        link("content/b", "site/content")
    }),
    check("evidence that leads out", 1, "error[EV118]", || link("evidence/T1", "outside")),
    build("an output folder that leads out", 2, "was not written by labdoc", || {
        link("public/kit", "outside").file("labkit/a/README.md", "# A\n")
    }),
    build("a list of written files that leads out", 0, "1 page", || {
        let world = beside("public/labdoc-files.txt");
        world
            .file("public/labdoc-files.txt", "../../outside/secret.md\n/etc/hostname\n")
            .file("book.toml", crate::support::BOOK)
    }),
    build("a written folder that became a link", 2, "was not written by labdoc", || {
        let world = link("public/kit", "outside");
        world.file("public/labdoc-files.txt", "kit/secret.md\n").file("labkit/a/README.md", "# A\n")
    }),
    check("an include that leads out", 1, "error[IN00", || {
        page("```sh {include=\"../outside/secret.md\"}\n# Secret\n```")
    }),
    check("an include that is absolute", 1, "error[IN00", || {
        page("```sh {include=\"/etc/hostname\"}\nx\n```")
    }),
    check("a link that leads out", 1, "error[LK", || page("[x](../../../etc/hostname)")),
    check("a report that leads out", 1, "error[EV118]", || {
        page("x").file(
            "evidence/reports.yaml",
            "R1: {file: ../../book.toml, sha256: x, title: t, date: \"2026-11-01\"}\n",
        )
    }),
    check("twins in case", 1, "error[KT305]", || kit("Ab").file("labkit/a/aB", "y\n")),
    check("twins in their letters", 1, "error[KT305]", || {
        kit("\u{ac00}").file("labkit/a/\u{1100}\u{1161}", "y\n")
    }),
    check("pages that are twins", 1, "error[PG005]", || page("x").file("content/A.md", "# B\n")),
    check("a device of Windows", 1, "error[KT303]", || kit("con.txt")),
    check("a folder that is a device", 1, "error[KT303]", || kit("aux/x")),
    check("a drive of Windows", 1, "error[KT303]", || kit("c:x")),
    check("a name with a backslash", 1, "error[KT303]", || kit("a\\..\\b")),
    check("a name with a line end", 1, "error[KT303]", || kit("a\nb")),
    check("a name that ends in a dot", 1, "error[KT303]", || kit("a.")),
    check("a name with a terminal sequence", 1, "error[KT303]", || kit("\u{1b}]0;x\u{7}")),
    build("a name with HTML", 1, "error[KT303]", || kit("<img src=x onerror=alert(1)>.sh")),
    build("a name with quotes that every system takes", 0, "1 page", || kit("a'&b onclick=x.sh")),
    check("a name that is no UTF-8", 1, "UTF-8", || {
        let world = kit("b");
        let name = std::ffi::OsStr::from_bytes(b"\xff\xfe");
        write(world.path("labkit/a").join(name), "x").expect("file");
        world
    }),
    check("a path of 4 KB in a kit", 1, "error[KT303]", || deep("labkit/a")),
    check("a path of 4 KB in the evidence", 1, "error[KT303]", || {
        deep("$(mkdir -p evidence; echo evidence)")
    }),
    check("a pipe in a kit", 1, "error[KT304]", || pipe(kit("b"), "labkit/a/pipe")),
    check("a pipe as a page", 0, "", || pipe(page("x"), "content/b.md")),
    check("a pipe in the evidence", 1, "error[EV118]", || pipe(page("x"), "evidence/T1/pipe")),
    check("a pipe as a template", 0, "", || pipe(page("x"), "templates/page.html")),
    check("a name that labdoc needs", 1, "error[KT306]", || kit("INDEX.html")),
];

#[test]
fn names_and_links_stay_inside() {
    hold(CASES);
}
