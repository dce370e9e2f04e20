//! The published kit, checked with the tools that a reader has.

use std::os::unix::fs::PermissionsExt as _;

use crate::support::World;

/// A built site with its kit.
fn built() -> World {
    let world = World::site("lab").file("labkit/demo/빈 칸.txt", "x\n");
    world.labdoc("build").any_output().success();
    world
}

#[test]
fn the_sums_are_accepted() {
    let world = built();
    let folder = world.path("public/kit/demo/files");
    let line = "sha256sum -c --strict SHA256SUMS && ! grep -q $'\\r' SHA256SUMS";
    let ended = world.bash(line).current_dir(&folder).any_stdout().success();
    assert_eq!(ended.stdout.lines().count(), 4, "{}", ended.stdout);
    assert!(ended.stdout.lines().all(|line| line.ends_with(": OK")), "{}", ended.stdout);
}

#[test]
fn published_files_are_the_files_of_the_kit() {
    let world = built();
    for path in ["README.md", "run.sh", "conf/a.conf", "빈 칸.txt"] {
        let source = world.bytes(&format!("labkit/demo/{path}"));
        assert_eq!(world.bytes(&format!("public/kit/demo/files/{path}")), source, "{path}");
        assert_eq!(world.bytes(&format!("public/kit/demo/text/{path}.txt")), source, "{path}");
    }
}

#[test]
fn the_archives_unpack_with_modes_and_hold_the_sums() {
    for unpack in
        ["tar xzf ../site/public/kit/demo/*.tar.gz", "unzip -q ../site/public/kit/demo/*.zip"]
    {
        let world = built();
        let to = world.base().join("unpacked");
        std::fs::create_dir(&to).expect("folder");
        world.bash(unpack).current_dir(&to).success();
        let top =
            std::fs::read_dir(&to).expect("folder").next().expect("one folder").expect("entry");
        world.bash("sha256sum -c --quiet SHA256SUMS").current_dir(&top.path()).success();
        let mode = |name: &str| {
            let data = std::fs::metadata(top.path().join(name)).expect(name);
            data.permissions().mode() & 0o777
        };
        assert_eq!((mode("run.sh"), mode("conf/a.conf")), (0o755, 0o644), "{unpack}");
        world
            .bash("./run.sh conf/a.conf")
            .current_dir(&top.path())
            .stdout("lost 3\nkept 7\n")
            .success();
    }
}

#[test]
fn every_folder_lists_its_files_with_size_and_sum() {
    let world = built();
    let sums = world.read("public/kit/demo/files/SHA256SUMS");
    for folder in ["", "conf/"] {
        let html = world.read(&format!("public/kit/demo/files/{folder}index.html"));
        for line in sums.lines() {
            let (sum, path) = line.split_once("  ").expect("a sum");
            if let Some(name) = path.strip_prefix(folder).filter(|name| !name.contains('/')) {
                assert!(html.contains(sum), "{folder}: {name}");
            }
        }
    }
}

#[test]
fn links_out_of_the_kit_and_dot_files_are_not_published() {
    let world = built();
    world.write("labkit/demo/.env", "SECRET=1\n");
    let ended = world.labdoc("build").any_output().success();
    assert!(ended.stderr.contains("warning[KT309]"), "{}", ended.stderr);
    assert!(!world.exists("public/kit/demo/files/.env"));
    std::os::unix::fs::symlink("/etc/hostname", world.path("labkit/demo/x")).expect("link");
    let ended = world.labdoc("build").any_output().code(1);
    assert!(ended.stderr.contains("error[KT304]"), "{}", ended.stderr);
    assert!(!world.exists("public/kit/demo/files/x"));
}

#[test]
fn a_checkout_that_turns_prose_to_crlf_keeps_the_kit() {
    let world = World::site("lab");
    let attributes = concat!(env!("CARGO_MANIFEST_DIR"), "/.gitattributes");
    world.write(".gitattributes", std::fs::read(attributes).expect("attributes"));
    world.labdoc("build").any_output().success();
    let sums = world.read("public/kit/demo/files/SHA256SUMS");
    let git = "git -c user.name=jane -c user.email=jane@example.org";
    world
        .bash(&format!(
            "git init -q && git add .gitattributes book.toml content labkit && {git} commit -qm all && \
             git clone -q -c core.autocrlf=true . ../clone"
        ))
        .any_output()
        .success();
    let clone = world.base().join("clone");
    let prose = std::fs::read_to_string(clone.join("content/index.md")).expect("prose");
    assert!(prose.contains("\r\n"), "this checkout turns prose to CRLF: {prose:?}");
    world.labdoc("build").current_dir(&clone).any_output().success();
    let cloned = std::fs::read_to_string(clone.join("public/kit/demo/files/SHA256SUMS"));
    assert_eq!(cloned.expect("sums"), sums);
}
