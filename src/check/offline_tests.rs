//! Sites that work from a disk, and sites that do not.

use super::*;

/// The codes of a site of these files.
fn check(files: &[(&str, &str)], expect: &[&str]) {
    let names: BTreeSet<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
    let read = |name: &str| {
        let text = files.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
        Ok(Some(text.as_bytes().to_vec()))
    };
    let (found, _) = offline(&names, &read).expect("readable");
    let codes: Vec<&str> = found.iter().map(|found| found.code).collect();
    assert_eq!(codes, expect, "{found:#?}");
}

#[test]
fn a_page_that_works_from_the_disk() {
    check(
        &[
            (
                "index.html",
                "<a href='a/b.html#x'>b</a><a href='https://x.org/'>x</a><a href='mailto:a@b.c'>m</a><link rel=canonical href='https://x.org/'><a href='#'>top</a>",
            ),
            (
                "a/b.html",
                "<p id=x><a href='../index.html'>up</a><a href='%ED%95%9C.html#%EA%B0%80'>k</a><script src='../s.js'></script>",
            ),
            ("a/한.html", "<p id=가>"),
            ("s.js", "prefetch(1); o.fetch();"),
        ],
        &[],
    );
}

#[test]
fn what_does_not() {
    check(&[("a.html", "<script src=https://cdn.example/x.js></script>")], &["OF401"]);
    check(&[("a.html", "<img srcset='//cdn.example/x.png 2x'>")], &["OF401"]);
    check(&[("a.css", "a{background:url(https://x.org/a.png)}")], &["OF401"]);
    check(&[("a.html", "<script type=module></script>")], &["OF402"]);
    check(&[("a.html", "<p crossorigin integrity=x>")], &["OF402", "OF402"]);
    check(&[("a.html", "<svg><use href='s.svg#i'></svg>")], &["OF402"]);
    check(&[("a.js", "fetch('x')")], &["OF402"]);
    check(&[("a.css", "a{mask-image:url(x.svg)}")], &["OF402"]);
    check(&[("a.html", "<a href='kit/'>"), ("kit/index.html", "")], &["OF403"]);
    check(&[("a.html", "<a href='kit'>"), ("kit/index.html", "")], &["OF403"]);
    check(&[("a.html", "<a href='/b.html'>"), ("b.html", "")], &["OF404"]);
    check(&[("a.html", "<a href='b.html#C7'>"), ("b.html", "")], &["OF405"]);
    check(&[("a.html", "<a href='gone.html'>")], &["OF405"]);
    check(&[("kit/a/index.html", "<meta name=robots content=nofollow>")], &["OF406"]);
    let long = format!("{}.txt", "x".repeat(170));
    check(&[(&long, "")], &["OF407"]);
}

#[test]
fn files_of_kits_and_runs_are_not_ours() {
    let evil = "<script type=module src=https://x.org></script>";
    check(&[("kit/a/files/x.html", evil), ("evidence/T1/r/raw/x.js", "fetch(1)")], &[]);
}
