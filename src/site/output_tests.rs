//! Builds into an output folder.

use super::*;

/// Builds the given files into `out`.
fn build(out: &Path, files: &[(&str, &str)]) -> Result<Committed, Failure> {
    let staging = Staging::begin(out)?;
    for (path, text) in files {
        staging.put(path, text.as_bytes())?;
    }
    staging.commit()
}

#[test]
fn a_second_build_touches_only_what_differs() {
    let dir = disk::temporary_folder("labdoc-test-").expect("temp");
    let out = dir.path().join("public");
    build(&out, &[("a.html", "1"), ("b/c.html", "2"), ("old/x.html", "3")]).expect("first");
    let second = build(&out, &[("a.html", "1"), ("b/c.html", "9"), ("old", "4")]).expect("second");
    assert_eq!((second.changed, second.removed), (2, 1));
    assert_eq!(disk::files_below(&out).expect("list"), ["a.html", "b/c.html", LIST, "old"]);
    let list = disk::read_text(&out.join(LIST)).expect("list");
    assert_eq!(list, "a.html\nb/c.html\nold\n");
}

#[test]
fn foreign_files_are_kept_and_never_written_over() {
    let dir = disk::temporary_folder("labdoc-test-").expect("temp");
    let out = dir.path().join("public");
    disk::write(&out.join("notes.txt"), b"mine").expect("write");
    let first = build(&out, &[("a.html", "1")]).expect("beside");
    assert_eq!(first.foreign, ["notes.txt"]);
    build(&out, &[("a.html", "2"), ("notes.txt", "x")]).expect_err("taken");
    assert_eq!(disk::read(&out.join("notes.txt")).expect("kept"), b"mine");
    assert_eq!(disk::read(&out.join("a.html")).expect("kept"), b"1");
}

#[test]
fn a_link_among_the_folders_leads_no_file_elsewhere() {
    let dir = disk::temporary_folder("labdoc-test-").expect("temp");
    let (out, other) = (dir.path().join("public"), dir.path().join("mine"));
    disk::create_folder(&other).expect("folder");
    build(&out, &[("a.html", "1")]).expect("first");
    std::os::unix::fs::symlink(&other, out.join("b")).expect("link");
    let staging = Staging::begin(&out).expect("begin");
    staging.put("b/c/d.html", b"2").expect("put");
    let failure = staging.commit_again().expect_err("a link");
    assert!(failure.message.contains("public/b: it is a link"), "{}", failure.message);
    assert!(disk::list(&other).expect("list").is_empty());
}

#[test]
fn a_build_that_is_given_up_changes_nothing() {
    let dir = disk::temporary_folder("labdoc-test-").expect("temp");
    let out = dir.path().join("public");
    build(&out, &[("a.html", "1")]).expect("first");
    let staging = Staging::begin(&out).expect("begin");
    staging.put("a.html", b"2").expect("put");
    staging.discard().expect("discard");
    assert_eq!(disk::read(&out.join("a.html")).expect("kept"), b"1");
    assert_eq!(disk::files_below(&out).expect("list"), ["a.html", LIST]);
}
