//! BL, DG, IM, MA, VA, IN, TP, OF: blocks, pictures, included files, the theme, reading from a disk.

use super::support::World;
use super::{Row, check, other, verify};

/// A page with this text.
fn text(text: &str) -> World {
    World::page(&format!("# A\n\n{text}\n"))
}

/// A page with a block of this header and an output of this one.
fn block(header: &str, output: &str) -> World {
    text(&format!("```sh {{{header}}}\ntrue\n```\n\n```output {{{output}}}\n5\n```\n"))
}

/// A page with a fence that shows a file with two lines.
fn include(attributes: &str) -> World {
    text(&format!("```text {{{attributes}}}\none\n```\n")).file("x.txt", "one\ntwo\n")
}

/// A site whose page for what is not found holds this too.
fn theme(template: &str, from: &str, to: &str) -> World {
    let path = format!("{}/templates/{template}", env!("CARGO_MANIFEST_DIR"));
    let own = std::fs::read_to_string(path).expect("template");
    assert!(own.contains(from), "{own}");
    World::site("lab").file(&format!("templates/{template}"), own.replacen(from, to, 1))
}

/// A site whose page for what is not found has this in its text.
fn lost(html: &str) -> World {
    theme("404.html", "{% endblock main %}", &format!("{html}{{% endblock main %}}"))
}

pub(super) const ROWS: &[Row] = &[
    check("BL001", |_| text("```sh {#a\ntrue\n```")),
    check("BL002", |_| text("```sh {#a}\ntrue")),
    check("BL003", |_| block("#a", "#b")),
    check("BL004", |_| text("```sh {#a}\ntrue\n```\n\n```sh {#a}\ntrue\n```")),
    check("BL005", |_| text("```sh {#a}\necho a\0b\n```")),
    check("BL006", |_| block("#a vary=ip", "for=a")),
    check("BL007", |_| block("#a exit=often", "for=a")),
    check("BL008", |_| block("#a", "for=b")),
    check("BL009", |_| block("#a", "for=a}\n5\n```\n\n```output {for=a")),
    check("BL010", |_| block("#a timout=1s", "for=a")),
    check("BL011", |_| block("#a", "for=a vary=nope")),
    check("BL012", |_| block("#a .setup .teardown", "for=a")),
    check("BL013", |_| block("#a", "for=a within=n:10%")),
    verify("BL014", |_| text("```yaml {#a .assert retry=5s}\nkind: Pod\n```")),
    check("BL020", |_| text("```rsut\nx\n```")),
    check("BL021", |_| text("> [!NOTTE]\n> x")),
    check("BL022", |_| text("> [!TAB]\n> x")),
    check("BL023", |_| text("```rust {mrak=1}\nx\n```")),
    check("BL024", |_| text("```sh {#a}\nkubectl exec -it web -- date\n```")),
    check("DG001", |_| text("```mermaid\nflowchart TD\n  A --\n```")),
    check("DG002", |_| text("```mermaid\nflowchart TD\n  A --> B\n  click A \"nope.md\"\n```")),
    check("IM001", |_| {
        text("![](x.svg)").file("content/x.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>")
    }),
    other("IM002", |_| {
        let world = text("x");
        let more = "base_url = \"https://docs.example/\"\ncards = true\n";
        world.write("book.toml", world.read("book.toml") + more);
        let ended = world.without_fonts("check").end();
        ended.stdout + &ended.stderr
    }),
    check("MA001", |_| {
        let world = text("$\\nope x$");
        world.write("book.toml", world.read("book.toml") + "[markup]\nmath = true\n");
        world
    }),
    check("VA001", |_| text("{{ nope }}")),
    check("IN001", |_| include("include=y.txt")),
    check("IN002", |_| include("include=../x.txt")),
    check("IN003", |_| include("include=x.txt lines=7-9")),
    check("IN004", |_| include("include=x.txt lines=some")),
    check("TP001", |_| text("x").file("templates/404.html", "{% for %}")),
    check("TP002", |_| text("x").file("templates/i18n/en.json", "[1]")),
    check("OF401", |_| text("![x](https://cdn.example/x.png)")),
    check("OF402", |_| text("x").file("static/labdoc.js", "fetch('x.json')")),
    check("OF403", |_| lost("<a href=\"kit/\">x</a>")),
    // The page for what is not found may say from where its links are meant; other pages may not.
    check("OF404", |_| {
        let link = "<a href=\"/index.html\">x</a>{% endblock main %}";
        theme("page.html", "{% endblock main %}", link)
    }),
    check("OF405", |_| lost("<a href=\"nope.html\">x</a>")),
    check("OF406", |_| {
        theme(
            "folder.html",
            "{% block main %}",
            "{% block main %}<meta name=\"robots\" content=\"nofollow\">",
        )
    }),
    check("OF407", |_| {
        let deep = "a-folder-with-a-long-name/".repeat(7);
        text("x").file(&format!("content/{deep}a.md"), "# Deep\n")
    }),
];
