//! The copy that is read from a disk.

use super::built;
use crate::support::World;

/// The targets of all links and loads of a page.
fn targets(html: &str) -> Vec<String> {
    let pattern = regex::Regex::new("(?:href|src)=\"([^\"]*)\"").expect("pattern");
    pattern.captures_iter(html).map(|found| found[1].to_owned()).collect()
}

#[test]
fn case_24_every_link_ends_in_a_file() {
    let (world, _) = World::recorded();
    world.labdoc("build").any_output().success();
    let mut count = 0;
    for path in world.tree("public").paths().into_iter().filter(|path| path.ends_with(".html")) {
        let folder = world.path("public").join(path);
        let folder = folder.parent().expect("parent");
        for target in targets(&world.read(&format!("public/{path}"))) {
            let file = target.split('#').next().expect("a part");
            if file.is_empty() || file.contains(':') {
                continue;
            }
            count += 1;
            assert!(
                !file.starts_with('/') && !file.ends_with('/') && !file.ends_with(".."),
                "{path}: {target}"
            );
            assert!(folder.join(file).is_file(), "{path}: {target}");
        }
    }
    assert!(count > 200, "{count}");
}

#[test]
fn case_27_no_module_and_nothing_that_a_disk_refuses() {
    let world = built();
    world
        .bash("! grep -rlE 'type=\"?module|crossorigin|integrity=' public --include=*.html")
        .success();
    world
        .bash("! grep -rnE '\\bfetch\\(|XMLHttpRequest|new Worker|import\\(' public --include=*.js")
        .success();
}

#[test]
fn case_41_the_archive_unpacks_to_a_folder_that_is_seen() {
    let world = World::site("lab");
    world.write("book.toml", world.read("book.toml") + "\n[offline]\narchive = true\n");
    world.labdoc("build").any_output().success();
    world.bash("mkdir x && cd x && unzip -q ../public/offline/*.zip").success();
    let names = world.names("x");
    assert_eq!(names, ["labdoc-test-lab"]);
    let readme = world.read("x/labdoc-test-lab/OFFLINE-README.txt");
    for part in [
        "snap packages cannot read /tmp or folders whose names begin with a",
        "Open index.html",
        "drive letter",
    ] {
        assert!(readme.contains(part), "{part}: {readme}");
    }
}
