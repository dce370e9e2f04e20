//! Any Markdown tree: no `book.toml`, and pages of a book outside `content/`.

use crate::support::World;

/// A folder with nothing in it.
fn folder() -> World {
    let world = World::new();
    std::fs::remove_file(world.path("book.toml")).expect("remove");
    world
}

const README: &str = "\
---
layout: home
params: {deep: {a: 1}, who: world}
---

# Tool

```bash {linenos=table hl_lines=[1]}
not run
```

```sh {#attributes}
echo \"hello $who\"
```

```output {for=attributes}
hello NOBODY
```

<!-- labdoc {#comment exit=3} -->
```bash
echo two; exit 3
```

<!-- labdoc {for=comment} -->
```
TWO
```

- item

  ```console {#session}
  $ echo three
  THREE
  ```
";

#[test]
fn a_readme_is_verified_and_refreshed_where_nothing_else_is() {
    let world = folder().file("README.md", README);
    let ended = world.labdoc("verify README.md").any_output().code(1);
    assert!(
        ended.stdout.contains("1 page: 0 passed, 3 differ, 0 failed, 0 skipped\n"),
        "{}",
        ended.stdout
    );
    world.labdoc("verify README.md --update").any_output().success();
    let expect = README.replace("NOBODY", "world").replace("TWO", "two").replace("THREE", "three");
    assert_eq!(world.read("README.md"), expect);
    world.labdoc("verify README.md").any_output().success();
    assert_eq!(world.names(""), ["README.md"], "nothing else is written");
}

#[test]
fn a_folder_is_its_pages_less_what_git_ignores() {
    let world = folder();
    let page = |text: &str| format!("```sh {{#a}}\n{text}\n```\n");
    world.write("docs/one.md", page("true"));
    world.write("docs/plain.md", "# Nothing to run\n\n```sh\nfalse\n```\n");
    world.write("docs/deep/two.md", page("true"));
    world.write("docs/node_modules/x.md", page("false"));
    world.write(".gitignore", "node_modules\n");
    world.write("README.md", page("true"));
    let ended = world.labdoc("verify README.md docs/").any_stdout().success();
    let pages: Vec<&str> = ended.stdout.lines().filter(|line| line.ends_with(".md")).collect();
    assert_eq!(pages, ["README.md", "docs/deep/two.md", "docs/one.md"]);
}

#[test]
fn a_record_needs_a_book() {
    let world = folder().file("README.md", README);
    let before = world.tree("");
    let ended = world.labdoc("verify README.md --record").any_output().code(2);
    assert!(ended.stderr.starts_with("error: --record needs a book.toml"), "{}", ended.stderr);
    world.labdoc("verify").any_output().code(2);
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
}

#[test]
fn a_book_toml_of_mdbook_is_left_alone() {
    let world = folder();
    world.write("book.toml", "[book]\ntitle = \"x\"\nauthors = [\"Kim\"]\nsrc = \"src\"\n");
    world.write("src/a.md", "```sh {#a}\ntrue\n```\n");
    let ended = world.labdoc("verify src").any_stdout().success();
    assert!(ended.stdout.starts_with("src/a.md\n  ok    a"), "{}", ended.stdout);
    world.labdoc("verify src --record").any_output().code(2);
    let ended = world.labdoc("verify").any_output().code(1);
    assert!(ended.stderr.starts_with("error[CF001]"), "{}", ended.stderr);
    world.write("content/index.md", "# x\n");
    let ended = world.labdoc("verify src").any_output().code(1);
    assert!(ended.stderr.starts_with("error[CF001]"), "{}", ended.stderr);
}

#[test]
fn a_page_beside_the_book_uses_its_settings() {
    let world = World::new();
    world.write("book.toml", "[book]\ntitle = \"x\"\n[verify]\nvary = [\"n\"]\n");
    world.write("content/a.md", "```sh {#a}\nfalse\n```\n");
    world.write(
        "README.md",
        "---\nlayout: x\n---\n```sh {#r}\necho 5 files\n```\n\n```output {for=r}\n7 files\n```\n",
    );
    let ended = world.labdoc("verify README.md").any_stdout().success();
    assert!(ended.stdout.starts_with("README.md\n  ok    r"), "{}", ended.stdout);
    let ended = world.labdoc("verify").any_output().code(1);
    assert!(!ended.stdout.contains("README.md"), "{}", ended.stdout);
    let ended = world.labdoc("verify .").any_output().code(1);
    assert!(ended.stdout.contains("README.md") && ended.stdout.contains("content/a.md"));
}

#[test]
fn what_names_labdoc_is_read_strictly() {
    let world = folder().file("README.md", "```sh {#a timout=1s}\ntouch ran\n```\n");
    let ended = world.labdoc("verify README.md").any_output().code(1);
    let expect = "error[BL010]: `timout=` is not known here\n --> README.md:1:11\n";
    assert!(ended.stderr.starts_with(expect), "{}", ended.stderr);
    world.write("README.md", b"```sh {#a}\ntouch ran \xff\n```\n");
    let ended = world.labdoc("verify README.md").any_output().code(1);
    assert!(
        ended.stderr.contains("error[PG006]: the file is not UTF-8 text\n --> README.md:2:11\n"),
        "{}",
        ended.stderr
    );
    assert!(!world.exists("ran"));
}
