//! `labdoc check --external` against servers of this machine: what answers, what does not, through
//! which proxy, and that nothing else asks.

use std::sync::{Arc, Mutex};

use crate::support::{Answer, Server, World};

/// A server whose paths say how they answer.
fn server() -> Server {
    Server::answering(|path| match path {
        "/good" | "/new" => Answer::ok("good"),
        "/page" => Answer {
            content_type: Some("text/html; charset=utf-8"),
            ..Answer::ok("<h2 id=\"user-content-설치\">x</h2><a name=\"old\">y</a>")
        },
        "/busy" => Answer { status: 503, ..Answer::ok("later") },
        "/login" => Answer { status: 403, ..Answer::ok("no") },
        "/moved" => Answer { status: 301, location: Some("/new"), ..Answer::ok("") },
        "/for-now" => Answer { status: 302, location: Some("new"), ..Answer::ok("") },
        "/round" => Answer { status: 302, location: Some("/round"), ..Answer::ok("") },
        _ => Answer::not_found(),
    })
}

/// The findings without their drawings, with the server's address as `S`.
fn findings(world: &World, server: &Server, code: i32) -> Vec<String> {
    let ended = world.labdoc("check --external").any_output().code(code);
    let lines = ended.stderr.lines();
    let lines = lines.filter(|line| {
        line.contains("[LK") || line.starts_with(" --> ") || line.starts_with(" = help")
    });
    lines.map(|line| line.replace(&server.address, "S")).collect()
}

#[test]
fn each_outside_address_is_asked_for_and_judged() {
    let server = server();
    let s = &server.address;
    let world = World::page(&format!(
        "# A\n\n[g]({s}/good) <{s}/for-now> ![i]({s}/good)\n\n[n]({s}/nothing#x)\n[b]({s}/busy)\n[l]({s}/login)\n[m]({s}/moved)\n[r]({s}/round)\n\n\
         [a]({s}/page#설치) [o]({s}/page#old) [w]({s}/page#new) [t]({s}/page#:~:text=x)\n\n<a href=\"{s}/raw\">raw</a>\n\n\
         [e](https://docs.example/x) [i]({s}/intranet/x/y)\n",
    ));
    world.write(
        "book.toml",
        world.read("book.toml") + &format!("[links]\nignore = [\"{s}/intranet/**\"]\n"),
    );
    let found = findings(&world, &server, 1);
    let expect = [
        "error[LK007]: S/nothing cannot be read: it answers 404",
        " --> content/a.md:5:1",
        " = help: correct the address, or link to a copy that is kept",
        "warning[LK008]: S/busy could not be checked: it answers 503",
        " --> content/a.md:6:1",
        " = help: look at it in a browser; `ignore` under [links] in book.toml leaves it out",
        "warning[LK008]: S/login could not be checked: it answers 403",
        " --> content/a.md:7:1",
        " = help: look at it in a browser; `ignore` under [links] in book.toml leaves it out",
        "note[LK010]: S/moved has moved for good",
        " --> content/a.md:8:1",
        " = help: write S/new",
        "error[LK007]: S/round cannot be read: it leads on and on",
        " --> content/a.md:9:1",
        " = help: correct the address, or link to a copy that is kept",
        "warning[LK009]: S/page has no anchor #new",
        " --> content/a.md:11:",
        " = help: correct it, or leave it out; anchors that a script makes are not seen",
        "error[LK007]: S/raw cannot be read: it answers 404",
        " --> content/a.md:13:1",
        " = help: correct the address, or link to a copy that is kept",
    ];
    assert_eq!(found.len(), expect.len(), "{found:#?}");
    for (found, expect) in found.iter().zip(expect) {
        assert!(found.starts_with(expect), "{found:?} is not {expect:?}");
    }
}

#[test]
fn only_this_option_asks() {
    let server = server();
    let world = World::page(&format!("# A\n\n[g]({}/good)\n", server.address));
    for command in ["check", "check --release", "build", "build --release"] {
        world.labdoc(command).any_output().success();
    }
    assert_eq!(server.requests(), 0);
    world.labdoc("check --external").any_output().success();
    assert_eq!(server.requests(), 1);
    assert!(!world.exists("public/.labdoc-new"));
}

#[test]
fn a_server_that_is_busy_is_asked_once_more() {
    let first = Mutex::new(true);
    let server = Server::answering(move |_| {
        let was_first = std::mem::replace(&mut *first.lock().expect("lock"), false);
        // HEAD and the GET behind it are one question.
        if was_first {
            Answer { status: 429, retry_after: Some("0"), ..Answer::ok("") }
        } else {
            Answer::ok("x")
        }
    });
    let world = World::page(&format!("# A\n\n[g]({}/good)\n", server.address));
    assert_eq!(findings(&world, &server, 0), [] as [&str; 0]);
}

#[test]
fn where_nothing_can_be_reached_the_check_could_not_be_done() {
    let world = World::page("# A\n\n[g](http://127.0.0.1:1/x) [h](http://127.0.0.1:1/y)\n");
    let ended = world.labdoc("check --external").any_output().code(2);
    assert!(
        ended.stderr.contains("no outside address could be reached; http://127.0.0.1:1/x: "),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("HTTPS_PROXY=http://HOST:PORT"), "{}", ended.stderr);
    // One that answers is enough to say that the others do not.
    let server = server();
    world.write("content/b.md", format!("# B\n\n[g]({}/good)\n", server.address));
    let ended = world.labdoc("check --external").any_output().code(1);
    assert_eq!(
        ended.stderr.matches("error[LK007]: http://127.0.0.1:1/").count(),
        2,
        "{}",
        ended.stderr
    );
}

#[test]
fn an_address_is_asked_for_through_the_proxy() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let server = server();
    let target = server.address.trim_start_matches("http://").to_owned();
    let proxy =
        Server::tunnel(&target, move |line| seen.lock().expect("lock").push(line.to_owned()));
    let world = World::page(
        "# A\n\n[g](http://docs.internal.corp/good) [n](http://docs.internal.corp/nothing)\n",
    );
    let ended =
        world.labdoc("check --external").env("HTTP_PROXY", &proxy.address).any_output().code(1);
    assert!(
        ended.stderr.contains(
            "error[LK007]: http://docs.internal.corp/nothing cannot be read: it answers 404"
        ),
        "{}",
        ended.stderr
    );
    assert!(!ended.stderr.contains("corp/good cannot"), "{}", ended.stderr);
    let lines = asked.lock().expect("lock").clone();
    assert!(!lines.is_empty(), "the proxy was asked");
    assert!(lines.iter().all(|line| line == "CONNECT docs.internal.corp:80 HTTP/1.1"), "{lines:?}");
    // NO_PROXY: this machine is asked directly, and the proxy hears nothing.
    asked.lock().expect("lock").clear();
    world.write("content/a.md", format!("# A\n\n[g]({}/good)\n", server.address));
    world
        .labdoc("check --external")
        .env("HTTP_PROXY", &proxy.address)
        .env("NO_PROXY", "127.0.0.1,localhost")
        .any_output()
        .success();
    assert_eq!(*asked.lock().expect("lock"), [] as [&str; 0]);
}

#[test]
fn a_proxy_that_refuses_is_no_fault_of_the_address() {
    let server = server();
    let proxy = Server::answering(|_| Answer { status: 403, ..Answer::ok("policy") });
    let world =
        World::page(&format!("# A\n\n[g]({}/good) [x](http://blocked.corp/x)\n", server.address));
    let ended = world
        .labdoc("check --external")
        .env("http_proxy", &proxy.address)
        .env("no_proxy", "127.0.0.1")
        .any_output()
        .success();
    assert!(
        ended.stderr.contains(
            "warning[LK008]: http://blocked.corp/x could not be checked: the proxy does not connect"
        ),
        "{}",
        ended.stderr
    );
}

#[test]
fn addresses_of_sources_are_asked_for_too() {
    let server = server();
    let world = World::page("# A\n\n[It is so.]{#C1}\n");
    world.write("content/claims.yaml", "C1:\n  grade: official\n  evidence: [S1]\n");
    world.write(
        "evidence/sources.yaml",
        format!("S1:\n  url: {0}/gone\n  publisher: P\n  product_version: \"1\"\n  locator: l\n  quote: q\n  accessed: 2026-11-01\n  snapshot: {0}/good\n", server.address),
    );
    let ended = world.labdoc("check --external").any_output().code(1);
    assert!(
        ended.stderr.contains("/gone cannot be read: it answers 404\n --> evidence/sources.yaml"),
        "{}",
        ended.stderr
    );
}
