//! A32 to A36: nothing runs longer than it may, and nothing is left behind.

use std::time::Duration;

use super::{fails, page};
use crate::support::{Run, World, processes, wait_for};

/// A word that only the processes of one test carry.
fn mark(name: &str) -> String {
    format!("labdoc-case-{name}-{}", std::process::id())
}

/// A command that sleeps and can be found by its mark.
fn sleeper(mark: &str) -> String {
    format!("bash -c 'exec -a {mark} sleep 600'")
}

#[test]
fn a32_the_time_limit_ends_grandchildren_too() {
    let mark = mark("a32");
    let (one, two) = (sleeper(&mark), sleeper(&mark));
    let world = World::page(&format!(
        "```sh {{#a timeout=700ms}}\nsh -c \"{one} & setsid {two} & wait\"\n```\n\n```sh {{#b}}\necho after\n```\n"
    ));
    fails(&world, &["time limit of 700ms", "ended: ", "ok    b"]);
    assert_eq!(processes(&mark), [] as [&str; 0]);
}

#[test]
fn a33_a_background_child_does_not_hold_up_its_block() {
    let mark = mark("a33");
    // The page ends when the child is what it is going to be.
    let after = format!("until grep -qa {mark} /proc/$!/cmdline; do :; done; echo after");
    let world = page(&[(&format!("{} &", sleeper(&mark)), Some("")), (&after, Some("after\n"))]);
    let ended = world.labdoc("verify").any_output().success();
    assert!(ended.stderr.contains(&mark), "it is listed:\n{}", ended.stderr);
    assert_eq!(processes(&mark), [] as [&str; 0]);
}

/// A server that answers `pong` and says when it listens.
fn server(port: u16, mark: &str) -> String {
    format!(
        "exec -a {mark} python3 -c 'import http.server,sys\nclass H(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200); self.end_headers(); self.wfile.write(b\"pong\")\n    def log_message(self, *a): pass\nsys.stdout.write(\"listening\\n\"); sys.stdout.flush()\nhttp.server.HTTPServer((\"127.0.0.1\", {port}), H).serve_forever()'"
    )
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bind");
    listener.local_addr().expect("address").port()
}

#[test]
fn a34_a_background_block_is_waited_for_and_ended_with_the_page() {
    for ready in ["port:PORT", "http:PORT/x", "text:listening"] {
        let (mark, port) = (mark("a34"), free_port());
        let ready = ready.replace("PORT", &port.to_string());
        let client = format!(
            "exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; tail -n1 <&3; echo"
        );
        // Ready by text comes a moment before the port: the client asks until it is there.
        let client =
            format!("until (: </dev/tcp/127.0.0.1/{port}) 2>/dev/null; do :; done; {client}");
        let world = World::page(&format!(
            "```sh {{#srv .background ready={ready}}}\n{}\n```\n\n```sh {{#ask}}\n{client}\n```\n\n```output {{for=ask}}\npong\n```\n",
            server(port, &mark)
        ));
        for _ in 0..2 {
            world.labdoc("verify").any_output().success();
            assert_eq!(processes(&mark), [] as [&str; 0]);
        }
    }
}

#[test]
fn a34_a_background_block_that_dies_is_told_with_its_output() {
    let dead = World::page(
        "```sh {#fwd .background}\necho 'lost connection to pod'; exit 1\n```\n\n```sh {#b}\nsleep 0.3\n```\n",
    );
    fails(&dead, &["error[VR011]", "ended by itself with exit code 1", "lost connection to pod"]);
    let early =
        World::page("```sh {#fwd .background ready=text:up}\necho 'no route'; exit 2\n```\n");
    fails(&early, &["ended with exit code 2 before it was ready", "no route"]);
    let never = World::page(
        "```sh {#fwd .background ready=text:up timeout=300ms}\necho starting; sleep 60\n```\n",
    );
    fails(&never, &["the text `up` was not there after 300ms", "starting"]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bind");
    let port = listener.local_addr().expect("address").port();
    let taken =
        World::page(&format!("```sh {{#fwd .background ready=port:{port}}}\nsleep 60\n```\n"));
    fails(&taken, &["was taken before it began"]);
}

#[test]
fn a35_ctrl_c_runs_the_teardown_and_leaves_nothing() {
    let mark = mark("a35");
    let page = format!(
        "```sh {{#one}}\necho one\n```\n\n```output {{for=one}}\nOLD\n```\n\n```sh {{#two}}\necho two\n```\n\n```sh {{#three}}\ntouch started; {}\n```\n\n```sh {{#four}}\ntouch four\n```\n\n```sh {{#clean .teardown}}\ntouch cleaned\n```\n",
        sleeper(&mark)
    );
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let world = World::page(&page);
        let child = world.labdoc("verify --update").spawn();
        let limit = Duration::from_secs(60);
        wait_for("the third block", limit, || !processes(&mark).is_empty());
        let kill =
            |pid: u32| std::process::Command::new("kill").args([signal, &pid.to_string()]).status();
        assert!(kill(child.id()).expect("kill").success());
        Run::wait(&world, child, code);
        assert_eq!(processes(&mark), [] as [&str; 0]);
        assert!(world.exists("content/cleaned") && !world.exists("content/four"));
        assert_eq!(world.read("content/a.md"), page.replace("OLD", "one"));
    }
}

#[test]
fn a35_after_a_kill_nothing_lives_on_and_the_page_is_whole() {
    let mark = mark("a35k");
    let page = format!(
        "```sh {{#one}}\necho one\n```\n\n```output {{for=one}}\nOLD\n```\n\n```sh {{#two}}\nsetsid {0} & {0}\n```\n",
        sleeper(&mark)
    );
    let world = World::page(&page);
    let mut child = world.labdoc("verify --update").spawn();
    wait_for("the second block", Duration::from_secs(60), || processes(&mark).len() >= 2);
    child.kill().expect("kill");
    child.wait().expect("wait");
    wait_for("the end of all", Duration::from_secs(20), || processes(&mark).is_empty());
    assert_eq!(world.read("content/a.md"), page);
}

#[test]
fn a36_every_block_and_page_has_a_limit_and_a_hanging_block_is_named() {
    let world = World::new()
        .file("content/a.md", "```sh {#fine}\necho a\n```\n")
        .file("content/b.md", "---\nverify: {timeout: 400ms}\n---\n\n```sh {#hangs}\nsleep 600\n```\n")
        .file("content/c.md", "---\nverify: {page_timeout: 400ms}\n---\n\n```sh {#long}\nsleep 600\n```\n\n```sh {#never}\ntouch never\n```\n")
        .file("content/d.md", "```sh {#also}\necho d\n```\n");
    fails(
        &world,
        &[
            "content/b.md:6",
            "FAIL  hangs",
            "content/c.md:6",
            "FAIL  long",
            "skip  never",
            "ok    also",
        ],
    );
    let plan = world.labdoc("verify --dry-run").any_output().success();
    assert!(plan.stdout.contains("limit 60s"), "a limit by default:\n{}", plan.stdout);
}
