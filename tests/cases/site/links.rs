//! Where links lead, and what is said of those that lead nowhere.

use super::{addresses, html, refuse};
use crate::support::{Tree, World};

#[test]
fn a13_a_link_to_a_readme_leads_to_its_page_or_viewer() {
    let world = World::page("# T\n\n[k](../labkit/app/README.md) [r](sub/README.md)\n")
        .file("content/sub/README.md", "# Sub\n")
        .file("labkit/app/README.md", "kit\n");
    let html = html(&world);
    assert!(html.contains("href=\"sub/index.html\""), "{html}");
    assert!(html.contains("href=\"kit/app/view/README.md.html\""), "{html}");
}

#[test]
fn a15_broken_links_have_a_place_and_are_all_found_in_one_run() {
    let world = World::page(&format!("# T\n{}[x](missing.md)\n\n[y](gone.md)\n", "\n".repeat(10)));
    refuse(
        &world,
        &["content/missing.md does not exist", "content/a.md:12:1", "content/a.md:14:1"],
    );
}

#[test]
fn a16_a_wrong_anchor_on_the_same_page_is_an_error_with_the_nearest() {
    refuse(
        &World::page("# T\n\n## 있는 절\n\n[x](#있은-절)\n"),
        &["has no anchor #있은-절", "did you mean #있는-절?"],
    );
}

#[test]
fn a17_letter_case_counts_on_every_system() {
    let world = World::page("# T\n\n[x](Other.md)\n").file("content/other.md", "# O\n");
    refuse(&world, &["content/Other.md differs in letter case from content/other.md"]);
}

#[test]
fn a8_a_link_to_a_folder_leads_to_its_index() {
    let world = World::page(
        "# T\n\n[k](../labkit/) [a](../labkit/app/) [d](../labkit/app/conf/) [o](../static/own/) [p](files/)\n",
    )
    .file("labkit/app/conf/a.yaml", "a: 1\n")
    .file("labkit/app/run.sh", "#!/bin/sh\n")
    .file("static/own/index.html", "<!doctype html><title>own</title>")
    .file("content/files/x.txt", "x");
    let html = html(&world);
    for (href, shown) in [
        ("kit/index.html", "app"),
        ("kit/app/index.html", "run.sh"),
        ("kit/app/files/conf/index.html", "a.yaml"),
        ("own/index.html", "own"),
        ("files/index.html", "x.txt"),
    ] {
        assert!(html.contains(&format!("href=\"{href}\"")), "no {href} in:\n{html}");
        let index = world.read(&format!("public/{href}"));
        assert!(index.contains(shown), "no {shown} in:\n{index}");
    }
    let folder = world.read("public/kit/app/files/conf/index.html");
    assert!(folder.contains("5 B") && folder.contains(&World::sha256(b"a: 1\n")), "{folder}");
    assert_eq!(world.read("public/own/index.html"), "<!doctype html><title>own</title>");
}

#[test]
fn a9_a_file_keeps_its_name_in_a_link() {
    let world = World::page("# T\n\n[p](../static/files/보고서.pdf) [h](../static/old.html)\n")
        .file("static/files/보고서.pdf", "%PDF-1.4\n")
        .file("static/old.html", "<!doctype html><title>old</title>");
    let html = html(&world);
    assert!(html.contains("<a href=\"files/%EB%B3%B4%EA%B3%A0%EC%84%9C.pdf\">p</a>"), "{html}");
    assert!(html.contains("<a href=\"old.html\">h</a>"), "{html}");
    assert_eq!(world.bytes("public/files/보고서.pdf"), b"%PDF-1.4\n");
}

#[test]
fn a10_a_file_without_an_ending_is_a_file() {
    let text = "all:\n\techo 가\n";
    let world =
        World::page("# T\n\n[m](../labkit/app/Makefile)\n").file("labkit/app/Makefile", text);
    let html = html(&world);
    assert!(html.contains("href=\"kit/app/view/Makefile.html\""), "{html}");
    assert_eq!(world.read("public/kit/app/files/Makefile"), text);
    let viewer = world.read("public/kit/app/view/Makefile.html");
    assert!(viewer.contains("href=\"../files/Makefile\""), "{viewer}");
}

/// A site of several folders, languages and kinds of pages.
fn wide() -> World {
    let (world, _) = World::recorded();
    world.write(
        "content/가이드/둘.md",
        "---\ntags: [표]\n---\n# 둘\n\n[랩](../lab.md#C1) [폴더](.)\n",
    );
    world.write("content/가이드/하나.md", "# 하나\n\n[둘](둘.md)\n");
    world
}

/// The generated pages with their paths.
fn pages(world: &World, folder: &str) -> Vec<(String, String)> {
    let all = world.tree(folder).0;
    let html = all.into_iter().filter(|(path, _)| path.ends_with(".html"));
    html.map(|(path, entry)| (path, String::from_utf8(entry.bytes).expect("UTF-8"))).collect()
}

#[test]
fn a11_every_address_ends_in_a_file_name() {
    let world = wide();
    world.labdoc("build").any_output().success();
    let mut seen = 0;
    for (path, html) in pages(&world, "public") {
        for address in addresses(&html).iter().filter(|address| !address.contains("://")) {
            let file = address.split('#').next().unwrap_or("");
            let last = file.rsplit('/').next().unwrap_or("");
            let is_file = file.is_empty()
                || last.contains('.')
                || world.exists(&format!("public/kit/demo/files/{last}"));
            assert!(is_file && !matches!(last, "." | ".."), "{path}: {address}");
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen} addresses");
}

#[test]
fn a12_one_output_works_at_every_address() {
    let world = wide();
    world.labdoc("build --out plain").any_output().success();
    let book = world.read("book.toml");
    world.write(
        "book.toml",
        book.replacen("[book]", "[book]\nbase_url = \"https://docs.example/a/b/\"", 1),
    );
    world.labdoc("build --out based").any_output().success();
    for (path, html) in pages(&world, "based") {
        let lines = html.lines().filter(|line| line.contains("docs.example"));
        for line in lines
            .filter(|line| ["fetch.sh", "curl", "wget"].iter().all(|tool| !line.contains(tool)))
        {
            let known = ["rel=\"canonical\"", "property=\"og:", "application/ld+json"];
            assert!(known.iter().any(|part| line.contains(part)), "{path}: {line}");
        }
        // A server shows this page at other addresses than its own.
        for address in addresses(&html).iter().filter(|_| path != "404.html") {
            assert!(!address.starts_with('/'), "{path}: {address}");
        }
    }
    // Links and texts are the same with and without an address.
    let strip = |html: &str| {
        let own = |line: &&str| {
            !["docs.example", "feed.xml", "property=\"og:"].iter().any(|part| line.contains(part))
        };
        html.lines()
            .filter(own)
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let plain = Tree::read(&world.path("plain"));
    for name in ["lab.html", "가이드/둘.html", "index.html"] {
        let without = String::from_utf8(plain.0[name].bytes.clone()).expect("UTF-8");
        assert_eq!(strip(&without), strip(&world.read(&format!("based/{name}"))), "{name}");
    }
}

#[test]
fn a14_the_root_of_a_site_is_a_page_whose_links_hold() {
    let world = World::new()
        .file("content/s/a.md", "# 첫 글\n\n![그림](그림.png) [b](b.md)\n")
        .file("content/s/그림.png", include_bytes!("../../../docs/page.png"))
        .file("content/s/b.md", "# B\n");
    world.labdoc("build").any_output().success();
    let page = world.read("public/s/a.html");
    assert!(
        page.contains("src=\"%EA%B7%B8%EB%A6%BC.png\"") && page.contains("href=\"b.html\""),
        "{page}"
    );
    let root = world.read("public/index.html");
    assert!(root.contains("href=\"s/index.html\""), "{root}");
    for address in addresses(&root).iter().filter(|address| !address.starts_with('#')) {
        assert!(
            world.exists(&format!("public/{}", address.split('#').next().unwrap_or(""))),
            "{address}"
        );
    }
}
