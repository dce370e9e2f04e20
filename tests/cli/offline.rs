//! The offline copy, and what would not work from a disk.

use crate::support::World;

/// The lab with an offline copy.
fn lab() -> World {
    let world = World::site("lab");
    let book = world.read("book.toml");
    world.write("book.toml", book + "\n[offline]\narchive = true\n");
    world
}

#[test]
fn the_copy_is_the_site_without_the_way_to_itself() {
    let world = lab();
    world.labdoc("build").any_output().success();
    let names = world.names("public/offline");
    assert_eq!(names.len(), 4, "{names:?}");
    let zip = names.iter().find(|name| name.ends_with(".zip")).expect("a zip");
    let top = zip.trim_end_matches(".zip").to_owned();
    world.bash("cd public/offline && sha256sum -c SHA256SUMS >&2").any_output().success();
    world.bash(&format!("mkdir x y && tar xzf public/offline/{top}.tar.gz -C x && cd y && python3 -m zipfile -e ../public/offline/{zip} .")).success();
    for folder in ["x", "y"] {
        let base = format!("{folder}/{top}");
        world.bash(&format!("cd {base} && sha256sum -c --quiet SHA256SUMS")).success();
        assert!(world.exists(&format!("{base}/OFFLINE-README.txt")));
        assert!(world.exists(&format!("{base}/kit/demo/files/run.sh")));
        assert!(!world.exists(&format!("{base}/offline")));
        assert!(!world.read(&format!("{base}/lab.html")).contains("offline/"), "no way to itself");
    }
    assert!(world.read("public/lab.html").contains("offline/index.html"));
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(world.path(&format!("x/{top}/kit/demo/files/run.sh")))
            .expect("file")
            .permissions(),
    );
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn two_builds_in_different_worlds_are_equal() {
    let (world, _) = World::recorded();
    let book = world.read("book.toml");
    world.write("book.toml", book + "\n[offline]\narchive = true\n");
    world.labdoc("build --out a").any_output().success();
    world.bash("find content labkit evidence -type f -exec touch -d 2001-01-01 {} +").success();
    let labdoc = env!("CARGO_BIN_EXE_labdoc");
    world
        .bash(&format!("umask 077; TZ=Asia/Seoul LC_ALL=ko_KR.UTF-8 {labdoc} build --out b"))
        .any_output()
        .success();
    assert_eq!(world.tree("a").other_content(&world.tree("b")), [] as [&str; 0]);
}

#[test]
fn what_a_disk_cannot_load_is_an_error() {
    let check = |text: &str, code: &str| {
        let world = lab();
        world.edit("content/index.md", "See the", &format!("{text} See the"));
        let ended = world.labdoc("build").any_output().code(1);
        assert!(ended.stderr.contains(&format!("error[{code}]")), "{code}: {}", ended.stderr);
        assert!(!world.exists("public/index.html"));
    };
    check("![x](https://cdn.example/x.png)", "OF401");
}

#[test]
fn a_theme_that_does_not_work_from_a_disk_is_an_error() {
    let check = |script: &str, code: &str| {
        let world = lab();
        world.write("static/labdoc.js", script);
        let ended = world.labdoc("build").any_output().code(1);
        assert!(ended.stderr.contains(&format!("error[{code}]")), "{code}: {}", ended.stderr);
    };
    check("fetch('x.json')", "OF402");
    check("new Worker('x.js')", "OF402");
}
