//! Ten thousand pages: built whole, every page of its usual size, nothing that all pages load grows
//! with their number.

use crate::support::World;

/// How many pages there are, and how many in a folder.
const PAGES: usize = 10_000;
const IN_FOLDER: usize = 100;

/// The path of a page without its ending.
fn path(n: usize) -> String {
    format!("s{:03}/p{n}", n / IN_FOLDER)
}

#[test]
fn ten_thousand_pages_are_built_and_each_stays_small() {
    let world = World::new();
    for n in 0..PAGES {
        let next = path((n + 1) % PAGES);
        let text = format!(
            "---\ntags: [t{}]\n---\n# 쪽 {n}\n\n정책 {n}은 [다음](../{next}.md)을 본다.\n",
            n % 50
        );
        world.write(&format!("content/{}.md", path(n)), text);
    }
    world.write("content/index.md", "# 처음\n");
    let ended = world.labdoc("build").any_output().success();
    assert!(ended.stdout.contains("10001 pages, "), "{}", ended.stdout);
    let tree = world.tree("public");
    for n in 0..PAGES {
        let html = &tree.0[&format!("{}.html", path(n))].bytes;
        assert!(html.len() < 12_000, "page {n} has {} bytes", html.len());
        let next = format!("../{}.html", path((n + 1) % PAGES));
        let next = next.strip_prefix(&format!("../s{:03}/", n / IN_FOLDER)).unwrap_or(&next);
        let html = String::from_utf8_lossy(html);
        assert!(html.contains(&format!("<a href=\"{next}\">다음</a>")), "page {n}: {html}");
    }
    let shards: Vec<usize> = tree
        .0
        .iter()
        .filter(|(path, _)| path.starts_with("search/") && path.ends_with(".js"))
        .map(|(_, entry)| entry.bytes.len())
        .collect();
    assert!(shards.len() > 20, "{} files", shards.len());
    assert!(shards.iter().all(|size| *size <= 64 * 1024), "{shards:?}");
    // One page changes: it and what knows its words, and nothing else.
    world.edit("content/s050/p5000.md", "정책 5000은", "규칙 5000은");
    let ended = world.labdoc("build").any_output().success();
    let changed = regex::Regex::new(r"\((\d+) changed, 0 removed\)").expect("pattern");
    let changed = changed.captures(&ended.stdout).expect("counts")[1].parse::<usize>();
    assert!(changed.as_ref().is_ok_and(|n| (3..200).contains(n)), "{}", ended.stdout);
}
