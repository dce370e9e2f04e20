//! PG, LK, CF: pages, links, the settings.

use super::support::{Answer, Server, World};
use super::{Row, Scenes, check, other, says, verify};

/// A page with this header.
fn header(header: &str) -> World {
    World::page(&format!("---\n{header}\n---\n\n# A\n\n```sh {{#a}}\ntrue\n```\n"))
}

/// A page with this text.
fn text(text: &str) -> World {
    World::page(&format!("# A\n\n{text}\n"))
}

/// An empty site with these settings behind the usual ones.
fn book(more: &str) -> World {
    let world = World::page("# A\n\n```sh {#a}\ntrue\n```\n");
    world.write("book.toml", world.read("book.toml") + more);
    world
}

/// A link on the page to something that is nowhere.
fn linked(_: &Scenes) -> World {
    text("[x](nowhere.md)")
}

/// What a check of outside addresses says of one that answers so, beside one that is good.
fn outside(path: &str) -> String {
    let server = Server::answering(|path| match path {
        "/good" => Answer::ok("x"),
        "/page" => Answer { content_type: Some("text/html"), ..Answer::ok("<p>x</p>") },
        "/busy" => Answer { status: 403, ..Answer::ok("") },
        "/moved" => Answer { status: 301, location: Some("/good"), ..Answer::ok("") },
        _ => Answer::not_found(),
    });
    says(&text(&format!("[x]({}{path})", server.address)), "check --external")
}

/// What a check says of a copy of a repository with two commits; `copy` makes it.
fn from_history(copy: &str) -> String {
    let world = text("x");
    world.write("book.toml", world.read("book.toml") + "updated = \"git\"\n");
    let commit = "git -c user.name=n -c user.email=e@docs.example commit -q -m x --allow-empty";
    let script = format!("git init -q . && git add . && {commit} && {commit} && {copy}");
    world.bash(&script).any_output().success();
    let ended = world.labdoc("check").current_dir(&world.base().join("copy")).end();
    ended.stdout + &ended.stderr
}

pub(super) const ROWS: &[Row] = &[
    check("PG001", |_| World::page("---\ntitle: A\n\n# A\n")),
    check("PG002", |_| header("titel: A")),
    check("PG003", |_| text("[It works.]{#K1}")),
    check("PG004", |_| text("[It [works]{#C2} well.]{#C1}")),
    check("PG005", |_| text("x").file("content/A.md", "# B\n")),
    check("PG006", |_| World::new().file("content/a.md", b"# A\n\n\xff\n")),
    check("PG007", |_| World::page("---\nverify: {timeout: 5s}\n---\n\n# A\n")),
    check("PG008", |_| header("verify: {timeout: soon}")),
    check("PG009", |_| header("verify: {capture: {b.n: '(x)'}}")),
    check("PG010", |_| text("<script>alert(1)</script>")),
    check("PG016", |_| text(&"word ".repeat(3_400_000))),
    check("PG011", |_| header("kit: nope")),
    check("PG012", |_| header("verify: {workdir: kit}")),
    check("PG013", |_| text("[x](javascript:alert(1))")),
    check("PG014", |_| header("verify: {needs: ['a b']}")),
    check("PG015", |_| {
        let world = text("x");
        std::os::unix::fs::symlink("/etc/hostname", world.path("content/b.md")).expect("link");
        world
    }),
    check("PG020", |_| header("aliases: ['https://x.example/']")),
    check("PG021", |_| header("aliases: [b.html]").file("content/b.md", "# B\n")),
    other("PG023", |_| from_history("git clone -q --depth 1 file://$PWD ../copy")),
    other("PG024", |_| {
        from_history(
            "cp -r . ../copy; tree=$(git rev-parse HEAD:); rm -f ../copy/.git/objects/${tree:0:2}/${tree:2}",
        )
    }),
    check("PG022", |_| text("x\n\n[^1]: Nobody asks.\n")),
    verify("PG031", |_| header("verify: {after: [b.md]}")),
    verify("PG032", |_| header("verify: {after: [a.md]}")),
    check("LK001", linked),
    check("LK002", |_| text("[x](#nowhere)")),
    check("LK003", |_| text("[x](B.md)").file("content/b.md", "# B\n")),
    check("LK004", |_| text("[x](%ff.md)")),
    check("LK005", |_| text("[x](gopher://x.example/)")),
    check("LK006", |_| text("[x](/a.html)")),
    other("LK007", |_| outside("/nowhere")),
    other("LK008", |_| outside("/busy")),
    other("LK009", |_| outside("/page#nowhere")),
    other("LK010", |_| outside("/moved")),
    check("CF001", |_| book("[books]\nx = 1\n")),
    check("CF002", |_| book("[verify.vary.job]\npattern = '('\n")),
    check("CF003", |_| book("[verify]\nvary = ['nope']\n")),
    check("CF004", |_| book("[verify]\ntimeout = 'soon'\n")),
    check("CF005", |_| book("[theme]\napi = 99\n")),
    check("CF006", |_| book("[theme.light]\nacent = '#000'\n")),
    check("CF007", |_| book("[theme]\nfont = 'fonts/nowhere.woff2'\n")),
    check("CF008", |_| book("[theme.light]\nink = '#eee'\n")),
    other("LD001", |_| says(&text("x"), "check --json --as-of yesterday")),
];
