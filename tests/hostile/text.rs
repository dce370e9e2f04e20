//! Bytes, controls and markup that do something else than they show.

use super::{Case, build, check, hold, page};
use crate::support::{Tree, World};

/// What a reader's browser, or a terminal, would do something with.
const ALIVE: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>";

/// A foreign bundle with that result.
fn result(text: &str) -> World {
    let world = World::with_foreign();
    world.rewrite_result("T7", &format!("labdoc-check: a pass exit=0\nlost 3\nkept 7\n{text}\n"));
    world
}

const CASES: &[Case] = &[
    build("NUL in a page", 0, "1 page", || page("a\0b")),
    check("a page that is no UTF-8", 1, "error[PG006]", || {
        World::new().file("content/a.md", b"# A\n\n\xff\xfe\n")
    }),
    check("claims that are no UTF-8", 1, "error[PG006]", || {
        page("x").file("content/claims.yaml", b"C1: \xff\n")
    }),
    check("a book.toml that is no UTF-8", 2, "invalid utf-8", || {
        page("x").file("book.toml", b"[book]\ntitle = \"\xff\"\n")
    }),
    check("sources that are no UTF-8", 2, "invalid utf-8", || {
        page("x").file("evidence/sources.yaml", b"S1: \xff\n")
    }),
    check("a page of UTF-16", 1, "error[PG006]", || {
        World::new().file("content/a.md", b"\xff\xfe#\0 \0A\0\n\0")
    }),
    check("a terminal sequence in a key", 1, "⟨U+001B⟩", || {
        World::page("---\n\"ti\\e]0;x\\atel\": A\n---\n# A\n")
    }),
    check("a terminal sequence in an excerpt", 1, "error[PG002]", || {
        World::page("---\ntitel: \u{1b}]0;x\u{7}\u{202e}A\n---\n# A\n")
    }),
    check("a terminal sequence in an id", 0, "checked: 0 errors", || page("[x]{#C\u{1b}[2J}")),
    check("turned letters in a link", 1, "⟨U+202E⟩", || page("[x](a\u{202e}b.md)")),
    check("a terminal sequence in the settings", 1, "⟨U+001B⟩", || {
        page("x").file(
            "book.toml",
            format!("{}[verify]\ntimeout = \"\\u001b[2J\"\n", crate::support::BOOK),
        )
    }),
    check("a terminal sequence in a verdict", 1, "\\u{1b}[2J", || {
        let world = World::with_foreign();
        world.edit("evidence/T7/verdict.json", "\"run_id\":\"f1\"", "\"run_id\":\"\\u001b[2J\"");
        world
    }),
    check("turned letters in a result", 0, "warning[SE503]", || result("a\u{202e}b\u{2066}c")),
    build("markup in a result", 0, "page", || result(ALIVE)),
    build("markup in the title", 0, "1 page", || {
        World::page("---\ntitle: \"</title><script>alert(1)</script>\"\n---\n# A\n")
    }),
    check("an address that runs something", 1, "error[PG013]", || page("[x](javascript:alert(1))")),
    check("an element that runs something", 1, "error[PG010]", || {
        page(ALIVE).file("content/x", "")
    }),
    check("a picture that runs something", 1, "error[PG013]", || page("![x](data:text/html,y)")),
    build("a template word in a page", 0, "1 page", || page("{{ get_env(name=\"HOME\") }}")),
    check("an expression that is too large", 1, "error[CF002]", || {
        class("((x{1000}){1000}){1000}")
    }),
    check("an expression that repeats itself", 0, "checked: 0 errors", || class("(a*)*(a*)*b")),
    check("a capture that is too large", 1, "error[PG009]", || {
        World::page(
            "---\nverify: {capture: {a.n: '((x{1000}){1000}){1000}'}}\n---\n# A\n\n```sh {#a}\ntouch ../tmp/ran\n```\n",
        )
    }),
    check("a condition that is too large", 1, "error[EV0", || {
        page("[x]{#C1}").file(
            "content/claims.yaml",
            "C1: {grade: measured, evidence: [T1#a], expect: ['a.b ~ \"((x{1000}){1000}){1000}\"']}\n",
        )
    }),
    check("braces in braces of a pattern of files", 0, "checked: 0 errors", || {
        let many = "{a,b}".repeat(5_000);
        World::page(&format!("---\nkit: a\nverify: {{workdir: kit, uses: ['{many}']}}\n---\n# A\n\n```sh {{#a}}\ntouch ../tmp/ran\n```\n"))
            .file("labkit/a/README.md", "# A\n")
    }),
];

/// A book with a value class of that pattern, and a page that has it to compare.
fn class(pattern: &str) -> World {
    let text = format!("{}[verify.classes.c]\npattern = '{pattern}'\n", crate::support::BOOK);
    page(&format!("```output {{for=a vary=c}}\n{}\n```", "a".repeat(20_000)))
        .file("book.toml", text)
}

#[test]
fn nothing_does_more_than_it_shows() {
    hold(CASES);
}

/// Twelve credentials, none of which is one, made here so that no scanner takes this file for a leak.
fn secrets() -> Vec<(&'static str, String)> {
    let r = |text: &str, times: usize| text.repeat(times);
    vec![
        (
            "pem",
            format!(
                "-----BEGIN {0} KEY-----\nTHESECRET{1}\n-----END {0} KEY-----",
                "PRIVATE",
                r("A", 40)
            ),
        ),
        ("jwt", format!("eyJ{}.eyJ{}.THESECRET{}", r("a", 20), r("b", 20), r("c", 20))),
        ("authorization", format!("Authorization: Bearer THESECRET{}", r("a", 20))),
        ("kubeconfig", format!("  client-key-data: THESECRET{}", r("A", 30))),
        (
            "kubernetes",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  uid: 1\ndata:\n  password: VEhFU0VDUkVU\n"
                .to_owned(),
        ),
        ("cloud", format!("AKIA{}", r("ABCD", 4))),
        ("cloud", format!("AIza{}", r("aB3_-", 7))),
        ("forge", format!("ghp_{}", r("aB3dE6", 6))),
        ("forge", format!("glpat-{}", r("aB3d", 5))),
        ("chat", format!("xoxb-{}", r("1234567890", 2))),
        ("url", "https://user:THESECRET99@docs.example/".to_owned()),
        ("join", format!("kubeadm join --token {}.{}", r("ab", 3), r("0123", 4))),
    ]
}

/// Each of them stops a build wherever it stands, named by file and line, and is never repeated.
#[test]
fn twelve_kinds_of_secrets_are_named_and_never_repeated() {
    let places = ["labkit/a/x.txt", "evidence/T7/files/x.txt"];
    for (kind, secret) in secrets() {
        for place in places {
            let world = World::with_foreign().file("labkit/a/README.md", "# A\n");
            world.write(place, format!("first line\n{secret}\n"));
            let ended = world.labdoc("check").any_output().code(1);
            let named =
                format!("error[SE501]: {}", place.strip_prefix("evidence/").unwrap_or(place));
            let said = &ended.stderr;
            assert!(said.contains("SE501"), "{kind} in {place}: no {named}\n{said}");
            let value = secret.lines().max_by_key(|line| line.len()).unwrap_or("");
            for part in ["THESECRET", "VEhFU0VDUkVU", value] {
                assert!(!said.contains(part), "{kind} in {place} is repeated: {said}");
            }
            assert!(!world.exists("public"), "{kind}");
        }
    }
}

/// What of a result, a kit file and a name is alive stays text in every file that is published.
#[test]
fn markup_in_logs_kits_and_names_stays_text() {
    let world = result(ALIVE);
    world.write("labkit/a/README.md", "# A\n");
    world.write("labkit/a/run.sh", format!("#!/bin/sh\n# {ALIVE}\n"));
    world.write("labkit/a/a'b&c onclick=x.txt", ALIVE);
    world.labdoc("build").any_output().success();
    let mut pages = 0;
    for (path, entry) in &Tree::read(&world.path("public")).0 {
        let text = String::from_utf8_lossy(&entry.bytes);
        if path.ends_with(".html") {
            pages += 1;
            assert!(!text.contains("<script>alert") && !text.contains("<img src=x"), "{path}");
            assert!(!text.contains("onclick=x.txt\"") || text.contains("&#39;"), "{path}");
        }
    }
    assert!(pages > 10, "{pages} pages");
}

/// What a block prints is shown in a terminal as text.
#[test]
fn what_a_block_prints_does_nothing_in_a_terminal() {
    let world = World::page(
        "# A\n\n```sh {#a}\nprintf '\\033]0;owned\\007\\033[2J\\302\\233 \\342\\200\\256 x\\n'\n```\n\n```output {for=a}\ny\n```\n",
    );
    let ended = world.labdoc("verify --report github").any_output().code(1);
    let said = ended.stdout + &ended.stderr;
    assert!(said.contains('x'), "{said}");
    let bad = said.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
    assert_eq!(bad, None, "{}", said.escape_debug());
}
