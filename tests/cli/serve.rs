//! `labdoc serve`, asked over real sockets.

use std::time::Duration;

use crate::support::{Preview, World};

fn world() -> World {
    World::new()
        .file("content/index.md", "# Home\n\n[other](가%20나/b.md)\n")
        .file("content/가 나/b.md", "# Other\n\ntext\n")
}

#[test]
fn pages_are_served_and_nothing_else() {
    let world = world();
    let preview = Preview::of(&world, "");
    let home = preview.get("");
    assert_eq!(home.status, "HTTP/1.1 200 OK");
    assert!(home.head.contains("content-type: text/html; charset=utf-8"), "{}", home.head);
    assert!(home.body.contains("connect-src 'self'"), "{}", home.body);
    assert!(home.body.contains(".labdoc/live.js"));
    let other = preview.get("%EA%B0%80%20%EB%82%98/b.html");
    assert!(other.body.contains("<h1 id=\"other\">Other</h1>"), "{}", other.body);
    assert!(preview.get("%EA%B0%80%20%EB%82%98").head.contains("location: /%ea%b0%80"));
    assert_eq!(preview.get("none.html").status, "HTTP/1.1 404 Not Found");
    assert_eq!(preview.get("..%2f..%2fbook.toml").status, "HTTP/1.1 400 Bad Request");
    assert_eq!(preview.get("book.toml").status, "HTTP/1.1 404 Not Found");
    let port = preview.port;
    let foreign = preview.raw(&format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n"));
    assert_eq!(foreign.status, "HTTP/1.1 421 Misdirected Request");
    let post = preview.raw(&format!("POST / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"));
    assert_eq!(post.status, "HTTP/1.1 405 Method Not Allowed");
    let head = preview.raw(&format!("HEAD / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"));
    assert_eq!((head.status.as_str(), head.body.as_str()), ("HTTP/1.1 200 OK", ""));
    assert!(!world.exists("public"), "a preview writes nothing");
}

#[test]
fn the_site_may_stand_below_a_folder() {
    let world = world();
    let preview = Preview::of(&world, "--base a/b");
    assert_eq!(preview.base, "/a/b/");
    assert_eq!(preview.get("index.html").status, "HTTP/1.1 200 OK");
    let port = preview.port;
    let root = preview.raw(&format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"));
    assert!(root.head.contains("location: /a/b/"), "{}", root.head);
}

#[test]
fn a_save_is_one_event_with_the_pages_that_changed() {
    let world = world();
    let preview = Preview::of(&world, "");
    let mut events = preview.events();
    world.edit("content/가 나/b.md", "text", "new words");
    let data = events.next();
    assert!(data.contains("\"가 나/b.html\"") && !data.contains("\"index.html\""), "{data}");
    assert!(preview.get("%EA%B0%80%20%EB%82%98/b.html").body.contains("new words"));
    // Files of editors and of builds are no reason; the next event is that of the next save.
    world.write("content/.a.md.swp", "x");
    world.write("content/4913", "x");
    world.write("public/index.html", "x");
    world.write(".labdoc/cache", "x");
    assert_eq!(events.within(Duration::from_secs(3)), None);
}

#[test]
fn the_search_index_is_that_of_the_newest_good_build() {
    let world = World::page("# A\n\nnarwhal\n");
    let preview = Preview::of(&world, "");
    let mut events = preview.events();
    let index = || {
        assert_eq!(preview.get("search/en/index.js").status, "HTTP/1.1 200 OK");
        preview.get("search/en/t0.js").body
    };
    assert!(index().contains("narwhal"));
    for (save, word) in [("# A\n\nwalrus\n", "walrus"), ("# A\n\norca\n", "orca")] {
        world.write("content/a.md", save);
        events.next();
        assert!(index().contains(word), "after {word}");
        assert!(!index().contains("narwhal"));
    }
    // Saved and not yet searched when an error comes: the last good build's is there.
    world.write("content/a.md", "# A\n\nbeluga\n");
    events.next();
    world.write("content/a.md", "# A\n\n[x](missing.md)\n");
    events.next();
    assert!(index().contains("beluga"));
}

#[test]
fn errors_are_shown_and_the_last_good_site_stays() {
    let world = world();
    let preview = Preview::of(&world, "");
    let mut events = preview.events();
    world.edit("content/index.md", "b.md", "c.md");
    let data = events.next();
    assert!(data.contains("error[LK001]") && data.contains("content/index.md:3"), "{data}");
    assert!(preview.get("").body.contains("b.html"));
    world.edit("content/index.md", "c.md", "b.md");
    assert!(events.next().contains("\"errors\":0"));
    world.write("templates/page.html", "{% extends \"base.html\" %}{% block main %}{{ nope");
    assert!(events.next().contains("error[TP001]"));
    assert!(preview.get("").body.contains("Home"));
    std::fs::remove_file(world.path("templates/page.html")).expect("remove");
    assert!(events.next().contains("\"errors\":0"));
    world.write("book.toml", "[book\n");
    assert!(events.next().contains("error"));
}

#[test]
fn a_taken_port_is_a_failure_with_a_hint() {
    let world = world();
    let preview = Preview::of(&world, "");
    let ended = world.labdoc(&format!("serve --port {}", preview.port)).any_output().code(2);
    assert!(ended.stderr.contains("--port"), "{}", ended.stderr);
}

#[test]
fn what_a_link_leads_to_is_seen_when_it_changes() {
    let world = World::page("# A\n\nwords\n").file("content/b.md", "# B\n\nold words\n");
    std::os::unix::fs::symlink("b.md", world.path("content/l.md")).expect("link");
    let preview = Preview::of(&world, "");
    let mut events = preview.events();
    // A file that was just written is read in any case.
    for words in ["one", "two", "three", "four", "five"] {
        world.write("content/b.md", format!("# B\n\n{words}\n"));
        events.next();
        for page in ["b.html", "l.html"] {
            assert!(preview.get(page).body.contains(words), "{page}: {words}");
        }
    }
}

#[test]
fn what_is_shown_from_elsewhere_is_compared_after_any_edit() {
    let world = World::page("# A\n\nwords\n").file("script.sh", "echo one\n");
    world.write("content/b.md", "# B\n\n```sh {include=script.sh}\necho one\n```\n");
    let preview = Preview::of(&world, "");
    let mut events = preview.events();
    for _ in 0..4 {
        world.edit("content/a.md", "words", "more words");
        assert!(events.next().contains("\"errors\":0"));
    }
    world.write("script.sh", "echo two\n");
    world.edit("content/a.md", "words", "other words");
    assert!(events.next().contains("error[KT311]"));
}

/// Everything that a preview shows, but for the lists of folders.
fn shown(preview: &Preview) -> Vec<(String, String)> {
    let paths = ["index.html", "p0.html", "p1.html", "p2.html", "new.html", "p1.md", "llms.txt"];
    let search = ["index", "t0", "p0"].map(|name| format!("search/en/{name}.js"));
    let paths = paths.map(str::to_owned).into_iter().chain(search);
    let get = |path: String| {
        let answer = preview.get(&path);
        let text = format!("{}\n{}", answer.status, answer.body);
        // Each preview has a port of its own.
        (path, text.replace(&preview.port.to_string(), "PORT"))
    };
    paths.map(get).collect()
}

#[test]
fn after_any_edit_a_preview_shows_what_one_that_just_began_shows() {
    let world = World::new().file("content/index.md", "# Home\n\n[p0](p0.md#part)\n");
    for n in 0..3 {
        let next = (n + 1) % 3;
        let text = format!("# P{n}\n\nWords.\n\n## Part\n\n[p](p{next}.md#part)\n");
        world.write(&format!("content/p{n}.md"), text);
    }
    let preview = Preview::of(&world, "");
    let mut events = preview.events();
    let edits: &[(&str, &str, &str)] = &[
        ("content/p1.md", "Words.", "Other words."),
        ("content/p1.md", "Other words.", "Other words, and more.\n\n- a list"),
        ("content/p1.md", "## Part", "## New\n\nText.\n\n## Part"),
        ("content/p2.md", "Words.", "See [new](p1.md#new)."),
        ("content/p1.md", "## New", "## Newer"),
        ("content/p1.md", "## Newer", "## New"),
        ("content/p0.md", "# P0", "# Another title"),
        ("content/p2.md", "See", "```nosuchlanguage\nx\n```\n\nSee"),
        ("content/p0.md", "Words.", "Words beside a warning elsewhere."),
        ("content/p2.md", "See", "And see"),
        ("book.toml", "title = \"", "title = \"New "),
        ("content/p1.md", "Text.", "Text, at last."),
    ];
    let mut is_good = true;
    for (path, from, to) in edits {
        world.edit(path, from, to);
        let event = events.next();
        let was_good = std::mem::replace(&mut is_good, event.contains("\"errors\":0"));
        if is_good {
            let fresh = Preview::of(&world, "");
            for (had, has) in shown(&fresh).into_iter().zip(shown(&preview)) {
                assert_eq!(has, had, "{path}: {from} became {to}");
            }
        } else {
            assert!(was_good, "one edit breaks a link and the next mends it: {event}");
        }
    }
    assert!(is_good);
}
