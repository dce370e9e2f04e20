//! Things that are large, deep, or grow when they are read.

use std::fs::File;

use super::{Case, build, check, hold, page};
use crate::support::World;

/// A file of that many bytes that takes no room on the disk; its one line is all NUL.
fn large(at: &str, bytes: u64) -> World {
    let world = page("x").file(at, "");
    File::create(world.path(at)).expect("file").set_len(bytes).expect("length");
    world
}

/// A page with a text many times over.
fn many(text: &str, times: usize) -> World {
    page(&text.repeat(times))
}

/// A header with that value of `extra`.
fn header(value: &str) -> World {
    World::page(&format!("---\ntitle: A\nextra: {value}\n---\n\n# A\n"))
}

/// Aliases of aliases: ten levels of ten.
fn bomb(head: &str) -> String {
    let level =
        |n: usize| format!("l{n}: &l{n} [{}]\n", vec![format!("*l{}", n - 1); 10].join(", "));
    let levels: String = (1..10).map(level).collect();
    format!("{head}l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n{levels}")
}

/// One gigabyte.
const GIB: u64 = 1 << 30;

const CASES: &[Case] = &[
    check("a page with a line of 1 GB", 1, "error[PG016]: the file is larger than 16 MiB", || {
        large("content/b.md", GIB)
    }),
    check("claims.yaml of 1 GB", 1, "error[PG016]", || large("content/claims.yaml", GIB)),
    check("a book.toml of 1 GB", 2, "it is larger than 64 MiB", || large("book.toml", GIB)),
    check("a result of 1 GB", 2, "it is larger than 64 MiB", || {
        large("evidence/T1/result.txt", GIB)
    }),
    check("sources of 1 GB", 2, "it is larger than 64 MiB", || large("evidence/sources.yaml", GIB)),
    check("a template of 1 GB", 2, "it is larger than 64 MiB", || {
        large("templates/page.html", GIB)
    }),
    build("an asset of 80 MB is copied as it is", 0, "1 page", || large("content/b.bin", 80 << 20)),
    build("a page at the limit in one line", 0, "1 page", || many("word ", 3_300_000)),
    check("a YAML bomb in a header", 1, "error[PG002]", || {
        World::page(&format!("{}---\n# A\n", bomb("---\ntitle: A\n")))
    }),
    check("a YAML bomb in claims.yaml", 1, "error[EV0", || {
        page("[x]{#C1}").file("content/claims.yaml", bomb(""))
    }),
    check("a YAML bomb in the evidence", 1, "error[EV118]", || {
        page("x").file("evidence/sources.yaml", bomb(""))
    }),
    check("a merge key in a header", 1, "error[PG002]", || header("&a {b: 1, <<: *a}")),
    check("a header that is a hundred thousand deep", 1, "error[PG002]", || {
        header(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)))
    }),
    check("a TOML header that is a hundred thousand deep", 1, "error[PG002]", || {
        World::page(&format!(
            "+++\nextra = {}{}\n+++\n# A\n",
            "[".repeat(100_000),
            "]".repeat(100_000)
        ))
    }),
    check("a book.toml that is a hundred thousand deep", 1, "error[CF001]", || {
        let deep = format!("[vars]\nx = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
        page("x").file("book.toml", format!("{}{deep}", crate::support::BOOK))
    }),
    check("a verdict that is a hundred thousand deep", 1, "error[EV1", || {
        let world = World::with_foreign();
        world.file("evidence/T7/verdict.json", "[".repeat(100_000))
    }),
    build("ten thousand quotes in one another", 0, "1 page", || many("> ", 10_000)),
    build("five thousand lists in one another", 0, "1 page", || many("- ", 5_000)),
    build("lists that are indented ever deeper", 0, "1 page", || {
        page(&(0..500).map(|n| format!("{}- x\n", "  ".repeat(n))).collect::<String>())
    }),
    build("fifty thousand open brackets", 0, "1 page", || many("[", 50_000)),
    build("fifty thousand open images", 0, "1 page", || many("![", 50_000)),
    build("brackets that are closed", 0, "1 page", || {
        page(&format!("{}{}", "[".repeat(20_000), "](#a)".repeat(20_000)))
    }),
    build("emphasis in emphasis", 0, "1 page", || {
        page(&format!("{}a{}", "*a **b ".repeat(10_000), "** c*".repeat(10_000)))
    }),
    build("stars and underlines", 0, "1 page", || many("*_", 50_000)),
    build("code that is never closed", 0, "1 page", || {
        page(&(1..1_000).map(|n| format!("{} ", "`".repeat(n))).collect::<String>())
    }),
    build("elements in elements", 0, "1 page", || {
        page(&format!("{}x{}", "<div>\n".repeat(20_000), "</div>\n".repeat(20_000)))
    }),
    build("a tag that is never closed", 0, "1 page", || many("<a href=\"x\" title='", 20_000)),
    build("a table of five hundred columns", 0, "1 page", || {
        let row = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(500));
        page(&format!("{}{}{}", row("a"), row("-"), row("b").repeat(200)))
    }),
    build("a table whose rows have no cells", 0, "1 page", || {
        page(&format!("|{}\n|{}\n{}", "a|".repeat(1_000), "-|".repeat(1_000), "|\n".repeat(1_000)))
    }),
    build("ten thousand footnotes", 0, "1 page", || {
        page(&(0..10_000).map(|n| format!("[^{n}] x\n\n[^{n}]: y\n\n")).collect::<String>())
    }),
    build("ten thousand headings of one name", 0, "1 page", || many("## A\n\n", 10_000)),
    build("references to one another", 0, "1 page", || {
        page(&(0..5_000).map(|n| format!("[a{n}]: <#a>\n\n[a{n}]\n\n")).collect::<String>())
    }),
    build("entities", 0, "1 page", || many("&amp;&#x41;&notanentity", 20_000)),
    build("a fence of one long line", 0, "1 page", || {
        page(&format!("```bash\n{}\n```", "$(( ${a[$((".repeat(20_000)))
    }),
    build("a table in a fence of YAML", 0, "1 page", || {
        page(&format!("```yaml\n{}\n```", "{a: [".repeat(20_000)))
    }),
    build("three hundred folders", 0, "301 pages", || {
        let world = page("x");
        (0..300).for_each(|n| world.write(&format!("content/d{n}/e/f/g.md"), "# X\n"));
        world
    }),
];

#[test]
fn what_is_large_or_deep_is_read_or_refused() {
    hold(CASES);
}
