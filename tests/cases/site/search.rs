//! The index, asked by the script that readers get.

use crate::support::World;

/// What the script finds for a query, and the files of the index that it loaded for that.
fn ask(world: &World, query: &str) -> (Vec<String>, Vec<String>) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/search/ask.mjs");
    let run = world.bash(&format!("node {script} public public/search/ko '{query}'"));
    let answer: serde_json::Value =
        serde_json::from_str(&run.any_output().success().stdout).expect("JSON");
    let texts = |key: &str| {
        let list = answer[key].as_array().expect("a list").iter();
        list.map(|one| one.as_str().expect("text").to_owned()).collect()
    };
    (texts("hits"), texts("loaded"))
}

/// A Korean site with these pages.
fn site(pages: &[(&str, &str)]) -> World {
    let world = World::new().file("book.toml", "[book]\ntitle = \"x\"\nlanguage = \"ko\"\n");
    for (name, text) in pages {
        world.write(&format!("content/{name}.md"), text);
    }
    world
}

#[test]
fn a6_words_are_found_with_particles_and_inside_longer_words() {
    let world = site(&[
        ("whole", "# 하나\n\n이 정책 하나.\n"),
        ("particle", "# 둘\n\n정책은 바뀐다.\n"),
        ("inside", "# 셋\n\n네트워크정책을 쓴다.\n"),
        ("name", "# 넷\n\n레이텍 시스템.\n"),
        ("not", "# 다섯\n\n정리와 대책.\n"),
    ]);
    world.labdoc("build").any_output().success();
    let (mut hits, _) = ask(&world, "정책");
    assert_eq!(hits.first().map(String::as_str), Some("whole.html"), "{hits:?}");
    hits.sort();
    assert_eq!(hits, ["inside.html", "particle.html", "whole.html"]);
    assert_eq!(ask(&world, "레이").0, ["name.html"]);
    assert_eq!(ask(&world, "네트워크정책").0, ["inside.html"]);
    assert_eq!(ask(&world, "책정").0, [] as [&str; 0]);
}

#[test]
fn a7_an_index_is_split_and_only_what_is_needed_is_loaded() {
    let world = site(&[]);
    let syllable = |n: u32| char::from_u32(0xac00 + n % 11_172).expect("a syllable");
    for n in 0..1000_u32 {
        let words: String = (0..60)
            .map(|at| {
                let first = n.wrapping_mul(7919).wrapping_add(at * 104_729);
                format!("{}{}{} ", syllable(first), syllable(first / 3), syllable(first / 7))
            })
            .collect();
        world.write(&format!("content/p{n}.md"), format!("# 글 {n}\n\n{words}\n"));
    }
    world.write("content/one.md", "# 하나\n\n여기에만 레이텍 시스템.\n");
    world.labdoc("build").any_output().success();
    let tree = world.tree("public/search/ko");
    let sizes: Vec<usize> = tree.0.values().map(|entry| entry.bytes.len()).collect();
    assert!(sizes.iter().all(|size| *size <= 64 * 1024), "{sizes:?}");
    assert!(tree.paths().iter().all(|path| path.ends_with(".js") || path.ends_with(".html")));
    let (hits, loaded) = ask(&world, "레이텍");
    assert_eq!(hits, ["one.html"]);
    let files = sizes.len();
    assert!(files > 12 && loaded.len() < files / 2, "{} of {files} files", loaded.len());
}
