//! Books from files.

use super::*;

/// A book from paths and texts.
fn book(files: &[(&str, &str)]) -> Checked<Book> {
    let dir = disk::temporary_folder("labdoc-test-").expect("temp");
    disk::write(&dir.path().join(BOOK_TOML), b"[book]\ntitle = \"x\"\nlanguages = [\"en\"]\n")
        .expect("write");
    for (path, text) in files {
        disk::write(&dir.path().join(path), text.as_bytes()).expect("write");
    }
    load(dir.path(), &mut Sources::default(), LoadOptions::default()).expect("readable")
}

#[test]
fn routes_and_order() {
    let checked = book(&[
        ("content/index.md", "# Home\n"),
        ("content/b/README.md", "---\nweight: 1\n---\n# B\n"),
        ("content/a/z.md", "---\nweight: 1\n---\n# Z\n"),
        ("content/a/y.md", "# Y\n"),
        ("content/a/pic.png", "x"),
        ("content/c/draft.md", "---\ndraft: true\n---\n"),
    ]);
    assert_eq!(checked.diagnostics, []);
    let order = checked.value.reading_order();
    let outs: Vec<&str> = order.iter().map(|at| checked.value.pages[*at].out.as_str()).collect();
    assert_eq!(outs, ["index.html", "b/index.html", "a/z.html", "a/y.html"]);
    assert!(checked.value.assets.keys().eq(["a/pic.png"]));
    assert_eq!(checked.value.page_at("content/a/y.md"), Some(0));
}

#[test]
fn translations_share_a_base() {
    let checked = book(&[
        ("content/index.md", "# 첫\n"),
        ("content/index.en.md", "# First\n"),
        ("content/a.md", "# 가\n"),
        ("content/only.en.md", "# Only\n"),
        ("content/sub/README.en.md", "# Sub\n"),
    ]);
    let book = checked.value;
    let outs: Vec<&str> = book.pages.iter().map(|page| page.out.as_str()).collect();
    assert_eq!(
        outs,
        ["a.html", "index.en.html", "index.html", "only.en.html", "sub/index.en.html"]
    );
    let order: Vec<&str> =
        book.reading_order().iter().map(|at| book.pages[*at].out.as_str()).collect();
    assert_eq!(order, ["index.html", "only.en.html", "a.html", "sub/index.en.html"]);
    assert_eq!(book.translation("index.html", "en"), Some(1));
    assert_eq!(book.translation("a.html", "en"), None);
}

#[test]
fn two_pages_with_one_address_are_an_error() {
    let checked = book(&[("content/a.md", "x"), ("content/A.md", "x")]);
    assert_eq!(checked.diagnostics[0].code, "PG005");
}

#[test]
fn bytes_that_are_no_text_have_a_line() {
    let dir = disk::temporary_folder("labdoc-test-").expect("temp");
    disk::write(&dir.path().join(BOOK_TOML), b"[book]\ntitle = \"x\"\n").expect("write");
    disk::write(&dir.path().join("content/a.md"), b"ok\n\xff\n").expect("write");
    let checked = load(dir.path(), &mut Sources::default(), LoadOptions::default()).expect("ok");
    let crate::diag::Place::Text(at) = checked.diagnostics[0].place else { panic!("no place") };
    assert_eq!((at.start, at.end), (3, 6));
}
