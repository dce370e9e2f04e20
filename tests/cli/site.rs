//! What `labdoc build` publishes beside the pages: languages, tags, old addresses, what machines
//! read; and that it is the same whatever the machine.

use std::time::{Duration, Instant};

use crate::support::{Tree, World};

fn site() -> World {
    World::new()
        .file(
            "book.toml",
            "[book]\ntitle = \"시험\"\nlanguage = \"ko\"\nlanguages = [\"en\"]\nbase_url = \"https://example.org/docs\"\n",
        )
        .file("content/index.md", "# 첫 화면\n\n[가](a.md#둘)\n")
        .file("content/index.en.md", "# First\n\n[a](a.md) [b](b.md#절)\n")
        .file(
            "content/a.md",
            "---\ndate: 2026-11-29\ntags: [네트워크 정책, DNS]\naliases: [old/a.html, 'gone/']\n---\n# 가\n\n## 둘\n\n글\n",
        )
        .file("content/a.en.md", "---\ntags: [dns]\n---\n# A & B\n\ntext\n")
        .file("content/b.md", "---\ndescription: </script> & more\n---\n# 나\n\n## 절\n\n글\n")
}

#[test]
fn each_language_has_every_page() {
    let world = site();
    world.labdoc("build").any_output().success();
    let first = world.read("public/index.en.html");
    assert!(first.contains("<html lang=\"en\">"), "{first}");
    // A link to a page under its plain name leads to its translation.
    assert!(first.contains("<a href=\"a.en.html\">a</a>"), "{first}");
    assert!(first.contains("<a href=\"b.en.html#%EC%A0%88\">b</a>"), "{first}");
    assert!(first.contains("hreflang=\"ko\" href=\"index.html\""), "{first}");
    assert!(first.contains("Skip to the text"), "{first}");
    let korean = world.read("public/index.html");
    assert!(korean.contains("<a href=\"a.html#%EB%91%98\">가</a>"), "{korean}");
    let fallback = world.read("public/b.en.html");
    assert!(fallback.contains("not translated yet"), "{fallback}");
    assert!(fallback.contains("<div lang=\"ko\">"), "{fallback}");
    assert!(fallback.contains("rel=\"canonical\" href=\"https://example.org/docs/b.html\""));
    assert!(world.exists("public/search/ko/index.js") && world.exists("public/search/en/index.js"));
}

#[test]
fn tags_and_old_addresses_have_pages() {
    let world = site();
    world.labdoc("build").any_output().success();
    let page = world.read("public/a.html");
    assert!(page.contains("<a href=\"tags/dns.html\">DNS</a>"), "{page}");
    assert!(world.read("public/tags/dns.html").contains("../a.html"));
    assert!(world.read("public/tags/index.html").contains("dns.html"));
    assert!(world.read("public/tags/dns.en.html").contains("../a.en.html"));
    let old = world.read("public/old/a.html");
    assert!(old.contains("<meta http-equiv=\"refresh\" content=\"0; url=../a.html\">"), "{old}");
    assert!(old.contains("<a href=\"../a.html\">가</a>"), "{old}");
    assert!(world.read("public/gone/index.html").contains("../a.html"));
}

#[test]
fn an_old_address_that_is_taken_is_an_error() {
    let world = site().file("content/c.md", "---\naliases: [b.html, ../x]\n---\n# C\n");
    let ended = world.labdoc("build").any_output().code(1);
    assert!(ended.stderr.contains("error[PG021]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("error[PG020]"), "{}", ended.stderr);
    assert!(!world.exists("public"));
}

#[test]
fn machines_find_their_files() {
    let world = site();
    world.labdoc("build").any_output().success();
    let map = world.read("public/sitemap.xml");
    assert!(map.contains("<loc>https://example.org/docs/</loc>"), "{map}");
    assert!(map.contains("docs/a.html</loc><lastmod>2026-11-29</lastmod>"), "{map}");
    assert!(!map.contains("b.en.html"), "{map}");
    let feed = world.read("public/feed.xml");
    assert!(feed.contains("<updated>2026-11-29T00:00:00Z</updated>"), "{feed}");
    assert!(
        world.read("public/robots.txt").contains("Sitemap: https://example.org/docs/sitemap.xml")
    );
    assert!(
        world
            .read("public/llms.txt")
            .contains("[나](https://example.org/docs/b.md): </script> & more")
    );
    let page = world.read("public/b.html");
    assert!(page.contains("\"description\":\"\\u003c/script\\u003e \\u0026 more\""), "{page}");
    assert!(
        page.contains("<meta property=\"og:description\" content=\"&lt;/script&gt; &amp; more\">")
    );
    assert!(world.read("public/_headers").contains("frame-ancestors 'none'"));
    let types = world.read("public/s3-content-types.txt");
    assert!(types.contains("\n*.sh\ttext/plain; charset=utf-8\n"), "{types}");
    assert!(world.read("public/nginx-snippet.conf").contains("error_page 404 /404.html;"));
}

#[test]
fn without_an_address_nothing_is_absolute() {
    let world = site();
    world.edit("book.toml", "base_url = \"https://example.org/docs\"\n", "");
    world.labdoc("build").any_output().success();
    assert!(!world.exists("public/sitemap.xml") && !world.exists("public/feed.xml"));
    for name in ["index.html", "a.html", "404.html", "tags/index.html"] {
        let page = world.read(&format!("public/{name}"));
        assert!(!page.contains("http://") && !page.contains("https://"), "{name}: {page}");
    }
}

#[test]
fn a_page_does_not_grow_with_other_sections() {
    let world = site();
    world.labdoc("build").any_output().success();
    let before = world.bytes("public/a.html").len();
    for n in 0..2000 {
        world.write(&format!("content/many/p{n}.md"), format!("# Page {n}\n\ntext\n"));
    }
    world.labdoc("build").any_output().success();
    let after = world.bytes("public/a.html").len();
    // The folder itself stands in the navigation.
    assert!(after - before < 300, "{before} became {after}");
    let inside = world.bytes("public/many/p1000.html").len();
    assert!(inside < 12_000, "a page in a long folder has {inside} bytes");
}

#[test]
fn the_output_is_the_same_everywhere() {
    let world = site();
    world.labdoc("build").any_output().success();
    let plain = world.tree("public");
    let other = world.base().join("other");
    let line = format!(
        "umask 077; LC_ALL=C TZ=Asia/Seoul {} --jobs 1 build --out {}",
        env!("CARGO_BIN_EXE_labdoc"),
        other.display()
    );
    world.bash(&line).any_output().success();
    assert_eq!(plain.other_content(&Tree::read(&other)), [] as [String; 0]);
}

#[test]
fn a_build_that_is_killed_leaves_each_file_whole() {
    let world = site();
    for n in 0..40 {
        world.write(&format!("content/many/p{n}.md"), format!("# Page {n}\n\nold words\n"));
    }
    world.labdoc("build").any_output().success();
    let old = world.tree("public");
    for n in 0..40 {
        world.write(&format!("content/many/p{n}.md"), format!("# Page {n}\n\nnew words\n"));
    }
    let started = Instant::now();
    world.labdoc("build --out ../clean").any_output().success();
    let whole = started.elapsed();
    let new = Tree::read(&world.base().join("clean"));
    let whole_file = |path: &str, bytes: &[u8]| {
        let same = |tree: &Tree| tree.0.get(path).is_some_and(|other| other.bytes == bytes);
        path.starts_with(".labdoc") || path == "labdoc-files.txt" || same(&old) || same(&new)
    };
    for part in 1..=5_u32 {
        let mut child = world.labdoc("build").spawn();
        std::thread::sleep(Duration::max(whole * part / 6, Duration::from_millis(1)));
        let _ = child.kill();
        let _ = child.wait();
        for (path, entry) in &world.tree("public").0 {
            assert!(whole_file(path, &entry.bytes), "{path} is neither old nor new");
        }
    }
    world.labdoc("build").any_output().success();
    assert_eq!(new.other_content(&world.tree("public")), [] as [String; 0]);
}
