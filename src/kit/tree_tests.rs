use super::*;
use crate::kit::testing::{Site, codes, sh_ok};

/// The paths of a kit.
fn paths(kit: &Kit) -> Vec<&str> {
    kit.files.iter().map(|file| file.path.as_str()).collect()
}

/// Loads the kit `app` of a site with these files and gives codes and places.
fn check(files: &[(&str, &str)], expect: &[&str]) {
    let site = Site::with(files);
    let found = site.load("app").diagnostics;
    assert_eq!(codes(&found), expect, "{found:#?}");
    assert!(found.iter().all(|finding| finding.hint.is_some()), "{found:#?}");
}

#[test]
fn files_are_sorted_and_described() {
    let site = Site::with(&[
        ("app/b.sh", "#! /bin/sh\n"),
        ("app/a/z", "\0"),
        ("app/a.txt", "텍스트"),
        ("app/lib.rs", "#![allow(x)]\n"),
    ]);
    let kit = site.kit("app");
    assert_eq!(paths(&kit), ["a.txt", "a/z", "b.sh", "lib.rs"]);
    let facts: Vec<_> = kit.files.iter().map(|f| (f.mode_text(), f.text, f.size)).collect();
    let expect = [("0644", true, 9), ("0644", false, 1), ("0755", true, 11), ("0644", true, 13)];
    assert_eq!(facts, expect);
    assert!(kit.has_folder("a") && !kit.has_folder("b"));
    assert_eq!(kit.version, kit.digest[..8]);
}

#[test]
fn what_is_no_part_of_a_kit_is_left_out_and_listed() {
    let site = Site::with(&[
        ("app/.gitignore", "*.log\n!keep.log\n/dist/\n"),
        ("app/.git/config", "x"),
        ("app/target/x.o", "x"),
        ("app/sub/node_modules/m/index.js", "x"),
        ("app/dist/out", "x"),
        ("app/sub/dist/out", "x"),
        ("app/a.log", "x"),
        ("app/keep.log", "x"),
        ("app/sub/.gitignore", "!b.log\n"),
        ("app/sub/b.log", "x"),
        (".gitignore", "*\n"),
    ]);
    let kit = site.kit("app");
    assert_eq!(paths(&kit), ["keep.log", "sub/b.log", "sub/dist/out"]);
    let left: Vec<_> = kit.left_out.iter().map(|left| left.path.as_str()).collect();
    let expect =
        [".git/", ".gitignore", "a.log", "dist/", "sub/.gitignore", "sub/node_modules/", "target/"];
    assert_eq!(left, expect);
}

#[test]
fn include_names_exceptions() {
    let site = Site::with(&[
        ("app/.env.example", "A=1"),
        ("app/.github/workflows/ci.yml", "on: push\n"),
        ("app/.github/other", "x"),
        ("app/target/keep/a", "x"),
        ("app/a", "x"),
    ]);
    let include = [".env.example", ".github/workflows/", "target", ".envv"];
    let include = include.map(str::to_owned).to_vec();
    let options = KitOptions { version: Some("1.4.0".into()), include };
    let checked = Kit::load(site.root(), "app", &options).unwrap();
    let expect = [".env.example", ".github/workflows/ci.yml", "a", "target/keep/a"];
    assert_eq!(paths(&checked.value), expect);
    assert_eq!(codes(&checked.diagnostics), ["KT302 labkit/app"]);
    assert!(checked.diagnostics[0].message.contains(".envv"));
    assert_eq!(checked.value.top(), "app-1.4.0");
}

#[test]
fn kt303_names_that_cannot_exist_everywhere() {
    check(&[("app/a:b.yaml", "a: 1\n")], &["KT303 labkit/app/a:b.yaml"]);
    check(&[("app/con.txt", "x")], &["KT303 labkit/app/con.txt"]);
    let long = format!("app/{}", "가".repeat(40));
    check(&[(&long, "x")], &[&format!("KT303 labkit/{long}")]);
}

#[test]
fn a_kit_is_a_folder_directly_under_labkit() {
    let site = Site::with(&[("app/sub/a", "x")]);
    for name in ["..", "", "app/sub", "gone"] {
        let loaded = Kit::load(site.root(), name, &KitOptions::default());
        assert!(loaded.is_err(), "{name:?}");
    }
}

#[test]
fn kt303_a_version_that_cannot_name_a_file() {
    let site = Site::with(&[("app/a", "x")]);
    let options = KitOptions { version: Some("1 2".into()), include: Vec::new() };
    let checked = Kit::load(site.root(), "app", &options).unwrap();
    assert_eq!(codes(&checked.diagnostics), ["KT303 labkit/app"]);
}

#[cfg(unix)]
#[test]
fn kt304_links_and_pipes() {
    use std::os::unix::fs::symlink;
    let site = Site::with(&[("app/a", "x"), ("app/target/a", "x")]);
    symlink("/etc/hostname", site.at("app/x")).unwrap();
    symlink("/etc", site.at("app/target/etc")).unwrap();
    sh_ok(&site.at("app"), "mkfifo pipe");
    let checked = site.load("app");
    assert_eq!(codes(&checked.diagnostics), ["KT304 labkit/app/pipe", "KT304 labkit/app/x"]);
    assert!(checked.diagnostics[1].message.contains("/etc/hostname"));
    assert_eq!(paths(&checked.value), ["a"]);
    symlink(site.at("app"), site.at("other")).unwrap();
    assert_eq!(codes(&site.load("other").diagnostics), ["KT304 labkit/other"]);
    let listed = list(site.root()).unwrap();
    assert_eq!(listed.value, ["app"]);
    assert_eq!(codes(&listed.diagnostics), ["KT304 labkit/other"]);
}

#[test]
fn kt305_names_that_are_one_elsewhere() {
    check(&[("app/README.md", "x"), ("app/readme.md", "x")], &["KT305 labkit/app/readme.md"]);
    check(&[("app/A/x", "x"), ("app/a/y", "x")], &["KT305 labkit/app/a"]);
    check(&[("app/STRASSE", "x"), ("app/straße", "x")], &["KT305 labkit/app/straße"]);
    let (nfc, nfd) = ("app/설치.md", "app/\u{1109}\u{1165}\u{11af}\u{110e}\u{1175}.md");
    check(&[(nfc, "x"), (nfd, "y")], &["KT305 labkit/app/설치.md"]);
}

#[test]
fn a_decomposed_name_is_published_composed() {
    let site = Site::with(&[("app/\u{1112}\u{1161}\u{11ab}/a", "x")]);
    let kit = site.kit("app");
    assert_eq!(paths(&kit), ["한/a"]);
    assert_eq!(kit.files[0].bytes().unwrap(), b"x");
}

#[test]
fn kt306_names_that_labdoc_needs() {
    check(&[("app/m/index.html", "x")], &["KT306 labkit/app/m/index.html"]);
    check(&[("app/SHA256SUMS", "x")], &["KT306 labkit/app/SHA256SUMS"]);
    check(&[("app/m/index", "x")], &["KT306 labkit/app/m/index"]);
    check(&[("app/a", "x"), ("app/a.html/b", "x")], &["KT306 labkit/app/a.html"]);
}

#[test]
fn kt307_and_kt308_scripts_that_would_not_start() {
    check(&[("app/up.sh", "#!/bin/sh\r\necho\r\n")], &["KT307 labkit/app/up.sh:1"]);
    check(&[("app/up", "#!/bin/sh\necho\r\n")], &["KT307 labkit/app/up:2"]);
    check(&[("app/up.sh", "\u{feff}#!/bin/sh\n")], &["KT307 labkit/app/up.sh:1"]);
    check(&[("app/up.sh", "echo\n")], &["KT308 labkit/app/up.sh:1"]);
    check(&[("app/up.bat", "@echo off\r\n")], &[]);
}

#[test]
fn kt309_a_dot_file_that_may_be_missed() {
    check(&[("app/.env.example", "x"), ("app/.gitignore", "")], &["KT309 labkit/app/.env.example"]);
}

#[test]
fn kt310_yaml() {
    check(&[("app/a.yaml", "a: 1\nb: [1\nc: 2\n")], &["KT310 labkit/app/a.yaml:3"]);
    check(&[("app/a.yml", "a: 1\n---\na: 2\na: 3\n")], &["KT310 labkit/app/a.yml:4"]);
    check(&[("app/a.yaml", "a: {{ .Values.x }}: y\n")], &["KT310 labkit/app/a.yaml:1"]);
    let fine = "a: &x {k: [1, 2]}\nb: *x\nc: !vault |\n  text\n---\n- .inf\n- 2026-01-01\n---\n";
    check(&[("app/a.yaml", fine), ("app/b.yaml", ""), ("app/c.yaml", "# nothing\n")], &[]);
}

#[test]
fn kt315_a_file_outside_of_kits() {
    let site = Site::with(&[("Makefile", "x"), ("app/a", "x"), (".gitignore", "x")]);
    let listed = list(site.root()).unwrap();
    assert_eq!(listed.value, ["app"]);
    assert_eq!(codes(&listed.diagnostics), ["KT315 labkit/Makefile"]);
    assert_eq!(list(Site::new().root()).unwrap().value, Vec::<String>::new());
}

#[test]
fn a_character_cut_by_the_read_buffer_is_still_text() {
    let site = Site::new();
    let mut text = "x".repeat((4 << 20) - 1);
    text.push_str(&"가".repeat(50_000));
    site.write("app/big.txt", text.as_bytes());
    let kit = site.kit("app");
    assert!(kit.files[0].text);
    assert_eq!(kit.files[0].sha256, sha256_hex(text.as_bytes()));
}
