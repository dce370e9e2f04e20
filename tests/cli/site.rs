//! What `labdoc build` publishes beside the pages: languages, tags, old addresses, what machines
//! read; and that it is the same whatever the machine.

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
fn a_named_output_folder_is_meant_from_where_the_user_stands() {
    let world = site();
    let labdoc = env!("CARGO_BIN_EXE_labdoc");
    let root = world.path("").display().to_string();
    let line = format!("mkdir ../else && cd ../else && {labdoc} --root {root} build --out there");
    let ended = world.bash(&line).any_output().success();
    assert!(ended.stdout.contains(" in there\n"), "{}", ended.stdout);
    assert!(world.base().join("else/there/a.html").is_file() && !world.exists("there"));
    let line = format!("cd ../else && {labdoc} --root {root} build");
    world.bash(&line).any_output().success();
    assert!(world.exists("public/a.html") && !world.base().join("else/public").exists());
}

#[test]
fn pages_have_no_pictures_for_links_where_no_font_can_draw_them() {
    let world = site();
    world.edit("book.toml", "[book]\n", "[book]\ncards = true\n");
    let ended = world.without_fonts("build").any_output().success();
    assert!(ended.stderr.contains("warning[IM002]"), "{}", ended.stderr);
    assert!(!world.read("public/a.html").contains("og:image") && !world.exists("public/cards"));
}

#[test]
fn pages_have_pictures_for_links_where_a_font_can_draw_them() {
    let world = site();
    world.edit("book.toml", "[book]\n", "[book]\ncards = true\n");
    let ended = world.labdoc("build").any_output().success();
    let lacks = "no Korean font is here; tools/dev-tools test installs two";
    assert!(!ended.stderr.contains("warning[IM002]"), "{lacks}");
    let page = world.read("public/a.html");
    let address = "<meta property=\"og:image\" content=\"https://example.org/docs/cards/a.png\">";
    assert!(page.contains(address), "{page}");
    let picture = world.bytes("public/cards/a.png");
    assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().expect("4 bytes"));
    assert_eq!((number(16), number(20)), (1200, 630));
    // Titles are drawn, so other titles are other pictures; a title of no page is none.
    assert_ne!(picture, world.bytes("public/cards/b.png"));
    assert!(!world.exists("public/cards/404.png"));
    world.edit("book.toml", "base_url = \"https://example.org/docs\"\n", "");
    world.labdoc("build").any_output().success();
    assert!(!world.exists("public/cards"));
}

/// The bytes of a font of this machine that a site may ship.
fn nanum() -> Vec<u8> {
    let mut folders = vec![std::path::PathBuf::from("/usr/share/fonts")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("fonts").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("NanumGothic.ttf") {
                return std::fs::read(path).expect("font");
            }
        }
    }
    panic!("NanumGothic.ttf is not here; tools/dev-tools test installs it");
}

#[test]
fn pictures_for_links_are_drawn_with_the_font_of_the_site() {
    let world = site();
    world.edit("book.toml", "[book]\n", "[book]\ncards = true\n");
    world.write("static/fonts/own.ttf", nanum());
    world.write("book.toml", world.read("book.toml") + "[theme]\nfont = \"fonts/own.ttf\"\n");
    let ended = world.without_fonts("build").any_output().success();
    assert!(!ended.stderr.contains("IM002"), "{}", ended.stderr);
    let alone = world.bytes("public/cards/a.png");
    // The fonts of the machine change nothing.
    world.labdoc("build --out ../other").any_output().success();
    assert_eq!(alone, world.bytes("../other/cards/a.png"));
    std::fs::remove_dir_all(world.path(".labdoc")).expect("cache");
    world.labdoc("build --out ../third").any_output().success();
    assert_eq!(alone, world.bytes("../third/cards/a.png"));
}

#[test]
fn what_an_earlier_build_kept_changes_no_byte() {
    let diagram = "```mermaid\nflowchart LR\n  A[\"가\"] --> B\n```\n";
    let world = site().file("content/c.md", format!("# C\n\n{diagram}"));
    world.labdoc("build --out cold").any_output().success();
    let kept = world.names(".labdoc/cache");
    assert!(kept.iter().any(|name| name.starts_with("diagram-")), "{kept:?}");
    assert_eq!(world.read(".labdoc/.gitignore"), "*\n");
    world.labdoc("build --out warm").any_output().success();
    assert_eq!(world.tree("cold").other_content(&world.tree("warm")), [] as [&str; 0]);
    for (at, name) in kept.iter().enumerate() {
        let path = format!(".labdoc/cache/{name}");
        let half = world.bytes(&path).len() / 2;
        let bytes =
            if at % 2 == 0 { b"junk".to_vec() } else { world.bytes(&path)[..half].to_vec() };
        world.write(&path, bytes);
    }
    world.labdoc("build --out damaged").any_output().success();
    assert_eq!(world.tree("cold").other_content(&world.tree("damaged")), [] as [&str; 0]);
    world.edit("content/c.md", "가", "나");
    world.labdoc("build --out cold").any_output().success();
    assert!(world.read("cold/c.html").contains('나'));
    let diagrams = |names: Vec<String>| names.iter().filter(|n| n.starts_with("diagram-")).count();
    assert_eq!(diagrams(world.names(".labdoc/cache")), 1, "what is not used goes");
    let before = world.tree("");
    world.edit("content/c.md", "나", "다");
    world.labdoc("check").any_output().success();
    world.edit("content/c.md", "다", "나");
    let after = world.tree("");
    let but_the_page = |path: &&String| path.as_str() != "~ content/c.md";
    assert_eq!(before.changes(&after).iter().filter(but_the_page).count(), 0, "check writes");
}
