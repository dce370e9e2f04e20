//! The whole output: the same bytes everywhere, and pages that work from a disk.

use regex::Regex;

use crate::support::{Tree, World};

/// A site with evidence, a kit, a folder and Korean names.
fn site() -> World {
    let (world, _) = World::recorded();
    world.write("content/가이드/둘.md", "# 둘\n\n[절](#둘) [랩](../lab.md#C1)\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```\n\n> [!NOTE]\n> x\n");
    world.write(
        "content/가이드/하나.md",
        "---\ntitle: 하나\nweight: 2\n---\n\n[둘](둘.md), <https://example.org/>\n",
    );
    world.write("static/x.txt", "x");
    world
}

#[test]
fn two_builds_of_copies_are_byte_identical() {
    let world = site();
    let line = format!(
        "set -e; mkdir ../copy; for f in $(ls | tac); do cp -r $f ../copy/; done; \
         find ../copy -exec touch -d 2001-01-01 {{}} +; chmod -R go-rwx ../copy; cd ../copy; \
         umask 077; export TZ=Asia/Seoul LANG=ko_KR.UTF-8 LC_ALL=C; {} build --jobs 1 --out ../other",
        env!("CARGO_BIN_EXE_labdoc")
    );
    world.bash(&line).any_output().success();
    world.labdoc("build --jobs 7").env("TZ", "America/New_York").any_output().success();
    let one = world.tree("public");
    let two = Tree::read(&world.base().join("other"));
    assert!(one.paths().len() > 60, "{:?}", one.paths());
    assert_eq!(one.other_content(&two), [] as [&str; 0]);
}

/// Every page of the output with its path.
fn pages(world: &World) -> Vec<(String, String)> {
    let tree = world.tree("public");
    let html = tree.0.iter().filter(|(path, _)| path.ends_with(".html"));
    html.map(|(path, entry)| (path.clone(), String::from_utf8(entry.bytes.clone()).expect("UTF-8")))
        .collect()
}

#[test]
fn no_page_has_inline_style_or_script_or_loads_from_outside() {
    let world = site();
    world.labdoc("build").any_output().success();
    let banned = [
        r#"<[^>]*\sstyle\s*="#,
        r"<style",
        r#"<[^>]*\son[a-z]+\s*="#,
        r"<script(?:\s+defer|\s+async)*\s*>",
        r#"type="?module"#,
        r#"\b(?:href|src|action|poster|srcset)="/"#,
        r#"<(?:script|link|img|iframe|source|video|audio)\b[^>]*(?:src|href)="(?:https?:)?//"#,
    ];
    for (path, html) in pages(&world) {
        for pattern in banned {
            let found = Regex::new(pattern).expect("pattern").find(&html);
            assert!(found.is_none(), "{path}: {found:?}");
        }
    }
    let css = world.read("public/labdoc.css");
    assert!(!css.contains("url(http") && !css.contains("url(//") && !css.contains("@import"));
}

#[test]
fn every_relative_link_leads_to_a_file_and_an_anchor_of_the_output() {
    let world = site();
    world.labdoc("build").any_output().success();
    let link = Regex::new(r#"\b(?:href|src)="([^"]*)""#).expect("pattern");
    let pages = pages(&world);
    let mut seen = 0;
    for (path, html) in pages.iter().filter(|(path, _)| path != "404.html") {
        for found in link.captures_iter(html) {
            let target = decode(&found[1].replace("&amp;", "&"));
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = if file.is_empty() { path.clone() } else { join(path, file) };
            let full = world.path(&format!("public/{file}"));
            assert!(full.is_file(), "{path}: {target} is no file");
            if !anchor.is_empty() && file.ends_with(".html") {
                let text = &pages.iter().find(|(p, _)| *p == file).expect("page").1;
                assert!(
                    text.contains(&format!("id=\"{anchor}\"")),
                    "{path}: {target} has no anchor"
                );
            }
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen} links");
}

#[test]
fn every_folder_has_an_index_page() {
    let world = site();
    world.labdoc("build").any_output().success();
    let tree = world.tree("public");
    let folders =
        tree.paths().into_iter().filter(|path| world.path(&format!("public/{path}")).is_dir());
    for folder in folders {
        assert!(world.exists(&format!("public/{folder}/index.html")), "{folder}");
    }
}

/// A path from the folder of another.
fn join(from: &str, to: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in to.split('/') {
        match part {
            ".." => assert!(parts.pop().is_some(), "{to} leads out of the site"),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Percent-decoding.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).expect("UTF-8")
}
