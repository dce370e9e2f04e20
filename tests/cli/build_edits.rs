//! Builds after edits: whatever was edited, what comes out is what a build that remembers nothing
//! makes, byte for byte, with the same findings; and an edit of running text makes little anew.

use std::fs;
use std::time::Duration;

use crate::support::{Numbers, Tree, World, extent};

/// What a build says of itself that rendered the edited pages alone.
const QUICK: &str = "render the edited pages";

/// A site without findings, with something of everything: kits, runs, claims, translations, tags,
/// shown files, assets.
fn site() -> World {
    let world = World::proven();
    world.edit("book.toml", "language = \"en\"\n", "language = \"en\"\nlanguages = [\"ko\"]\n");
    for n in 0..8 {
        let next = (n + 1) % 8;
        let text = format!(
            "---\ntags: [t{}]\nweight: {n}\n---\n# Page {n}\n\nWords of page {n} 정책은 적용한다.[^a]\n\n## Part\n\nSee [next](p{next}.md#part) \
             and [the proof](../guide.md).\n\n```sh\necho {n}\n```\n\n[^a]: A note.\n",
            n % 3
        );
        world.write(&format!("content/many/p{n}.md"), text);
    }
    world.write("content/many/p3.ko.md", "# 쪽 3\n\n한국어 글.\n\n## Part\n\n[다음](p4.md#part)\n");
    world.write("labkit/k/a.conf", "one = 1\n");
    world.write(
        "content/shows.md",
        "# Shows\n\n```ini {include=labkit/k/a.conf}\none = 1\n```\n\n[kit](../labkit/k/a.conf)\n",
    );
    world.write("content/many/data.txt", "data\n");
    world
}

/// The pages that edits may touch.
fn pages(world: &World) -> Vec<String> {
    let names = world.names("content/many");
    names.iter().filter(|n| n.ends_with(".md")).map(|n| format!("content/many/{n}")).collect()
}

/// Puts text behind the last occurrence of a mark, or at the end.
fn insert(world: &World, path: &str, (mark, text): (&str, &str)) {
    let mut whole = world.read(path);
    let at = whole.rfind(mark).map_or(whole.len(), |at| at + mark.len());
    whole.insert_str(at, text);
    world.write(path, whole);
}

/// Replaces a file and gives it the time that it had.
fn back_in_time(world: &World, path: &str, from: &str, to: &str) {
    let full = world.path(path);
    let time = fs::metadata(&full).and_then(|meta| meta.modified()).expect("time");
    world.write(path, world.read(path).replace(from, to));
    let file = fs::File::options().write(true).open(full).expect("open");
    file.set_modified(time).expect("time");
}

/// Changes some bytes of a file, or cuts it, or takes it away.
fn damage(world: &World, path: &str, numbers: &mut Numbers) {
    let mut bytes = world.bytes(path);
    let at = numbers.below(bytes.len().max(1));
    match numbers.below(4) {
        0 => bytes.truncate(at),
        1 => bytes.extend(b"more"),
        2 if !bytes.is_empty() => bytes[at] ^= 0x55,
        _ => return fs::remove_file(world.path(path)).expect("remove"),
    }
    world.write(path, bytes);
}

/// Something in a header, or the header itself.
fn header(world: &World, path: &str, line: &str) {
    let text = world.read(path);
    let text = match text.strip_prefix("---\n") {
        Some(rest) => format!("---\n{line}\n{rest}"),
        None => format!("---\n{line}\n---\n{text}"),
    };
    world.write(path, text);
}

/// Makes one edit; what it was.
fn edit(world: &World, (step, numbers): (usize, &mut Numbers)) -> String {
    let all = pages(world);
    let (page, other) = (numbers.one(&all).clone(), numbers.one(&all).clone());
    let name = |path: &str| path.rsplit('/').next().expect("name").to_owned();
    let new = format!("content/many/new{step}.md");
    let word = format!("word{step}");
    let kind = numbers.below(27);
    match kind {
        0..4 => insert(world, &page, ("", &format!("\nMore of {word} 말을 더한다.\n"))),
        4 => insert(world, &page, ("\n\n", &format!("First {word}.\n\n"))),
        5 => insert(world, &page, ("", &format!("\n## New {word}\n\nText.\n"))),
        6 => insert(
            world,
            &page,
            ("", &format!("\nSee [{word}]({}#part) <a id=\"{word}\"></a>.\n", name(&other))),
        ),
        7 => world.write(&page, world.read(&page).replace("## Part", "## Other part")),
        8 => world.write(&page, world.read(&page).replace("# Page", &format!("# {word}"))),
        9 => world.write(&new, format!("# New {step}\n\n[{word}]({})\n", name(&other))),
        10 => fs::remove_file(world.path(&page)).expect("remove"),
        11 => fs::rename(world.path(&page), world.path(&new)).expect("rename"),
        12 => {
            let lines = ["aliases: [old.html]", "draft: true", "date: 2026-11-01", "category: x"];
            header(world, &page, lines[step % lines.len()]);
        }
        13 => {
            world.write("labkit/k/a.conf", format!("{word} = 1\n"));
            let shown = format!("# Shows\n\n```ini {{include=labkit/k/a.conf}}\n{word} = 1\n```\n");
            world.write("content/shows.md", shown);
        }
        14 => world.write("labkit/k/a.conf", format!("{word} = 2\n")),
        15 => insert(world, "content/guide.md", ("", &format!("\nMore {word}.\n"))),
        16 => world.write("templates/i18n/en.json", format!("{{\"home\":\"{word}\"}}")),
        17 => world.write("static/own.css", format!("/* {word} */\n")),
        18 => world.write(
            "book.toml",
            world.read("book.toml").replace("title = \"", &format!("title = \"{word} ")),
        ),
        19 => {
            let written = world.tree("public").0;
            let files: Vec<&String> = written
                .keys()
                .filter(|path| world.path(&format!("public/{path}")).is_file())
                .collect();
            damage(world, &format!("public/{}", numbers.one(&files)), numbers);
        }
        20 => {
            let kept = [".labdoc/last-build", ".labdoc/last-view"];
            let there: Vec<&str> = kept.into_iter().filter(|path| world.exists(path)).collect();
            if let Some(path) = there.get(step % 2) {
                damage(world, path, numbers);
            }
        }
        21 => back_in_time(world, &page, "Words", "Sword"),
        22 => world.write(&page, world.read(&page)),
        23 => {
            insert(world, &page, ("", &format!("\nBoth {word}.\n")));
            insert(world, &other, ("", &format!("\nBoth {word}.\n")));
        }
        24 => world
            .write(&format!("content/many/p{}.ko.md", step % 8), format!("# 쪽 {step}\n\n글\n")),
        25 => insert(world, &page, ("", "\n```nosuchlanguage\nx\n```\n")),
        _ => world.write(&format!("content/many/data{}.txt", step % 3), &word),
    }
    format!("{kind} on {page}")
}

/// The build of the site as it is, made in a copy that remembers nothing: findings, code, files.
fn from_scratch(world: &World) -> (String, Option<i32>, Tree) {
    let copy = World::new();
    let line = format!(
        "rm -rf site && mkdir site && tar -C {} --exclude=./public --exclude=./.labdoc -cf - . | tar -C site -xf -",
        world.root().display()
    );
    copy.bash(&format!("cd .. && {line}")).success();
    let ended = copy.labdoc("build").any_output().end();
    (ended.stderr, ended.code, copy.tree("public"))
}

#[test]
fn whatever_was_edited_the_site_is_that_of_a_build_that_remembers_nothing() {
    let (edits, seed) = extent("LABDOC_EDITS", 16);
    let mut numbers = Numbers(seed);
    let base = site();
    let mut world = built(&base);
    for step in 0..edits {
        let what = edit(&world, (step, &mut numbers));
        let ended = world.labdoc("build --timings").any_output().end();
        let (said, code, files) = from_scratch(&world);
        let at = format!("seed {seed}, step {step}: {what}");
        assert_eq!((ended.code, &ended.stderr), (code, &said), "{at}");
        if code == Some(0) {
            let differing = files.other_content(&world.tree("public"));
            assert_eq!(differing, [] as [String; 0], "{at}");
        } else {
            // A site with an error is no ground for more edits.
            world = built(&base);
        }
    }
}

/// A copy of a site that was built without a finding.
fn built(base: &World) -> World {
    let world = base.copy();
    let ended = world.labdoc("build").any_output().success();
    assert_eq!(ended.stderr, "");
    world
}

/// Edits a site.
type Edit<'a> = &'a dyn Fn(&World);

#[test]
fn an_edit_of_running_text_renders_that_page_alone() {
    let world = built(&site());
    let edits: &[(&str, Edit<'_>, bool)] = &[
        ("more text", &|w| insert(w, "content/many/p2.md", ("", "\nMore.\n")), true),
        (
            "text in the middle",
            &|w| insert(w, "content/many/p2.md", ("# Page 2\n", "\nIn between.\n")),
            true,
        ),
        ("a link", &|w| insert(w, "content/many/p2.md", ("", "\n[x](p4.md)\n")), true),
        (
            "two pages",
            &|w| {
                insert(w, "content/many/p4.md", ("", "\nMore.\n"));
                insert(w, "content/many/p3.ko.md", ("", "\n더.\n"));
            },
            true,
        ),
        ("the same time", &|w| back_in_time(w, "content/many/p2.md", "Words", "Sword"), true),
        ("a title", &|w| insert(w, "content/many/p2.md", ("# Page 2", " again")), false),
        (
            "a heading of a site in two languages",
            &|w| insert(w, "content/many/p2.md", ("", "\n## More\n")),
            false,
        ),
        ("a claim's page", &|w| insert(w, "content/guide.md", ("", "\nMore.\n")), false),
        (
            "a warning",
            &|w| insert(w, "content/many/p5.md", ("", "\n```nosuchlanguage\nx\n```\n")),
            false,
        ),
        (
            "text beside a warning elsewhere",
            &|w| insert(w, "content/many/p2.md", ("", "\nEnd.\n")),
            true,
        ),
        (
            "text of a page with a warning",
            &|w| insert(w, "content/many/p5.md", ("", "\nEnd.\n")),
            false,
        ),
        ("a file of the site", &|w| w.write("public/many/p1.html", "damaged"), false),
    ];
    for (what, edit, is_quick) in edits {
        edit(&world);
        let ended = world.labdoc("build --timings").any_output().success();
        assert_eq!(ended.stdout.contains(QUICK), *is_quick, "{what}: {}", ended.stdout);
        let (said, _, files) = from_scratch(&world);
        assert_eq!(files.other_content(&world.tree("public")), [] as [String; 0], "{what}");
        assert_eq!(ended.stderr, said, "{what}");
        let again = world.labdoc("build --timings").any_output().success();
        assert!(again.stdout.contains("everything is as"), "{what}: {}", again.stdout);
        assert_eq!(again.stderr, said, "{what}");
    }
}

#[test]
fn a_heading_more_in_a_site_of_one_language_renders_that_page_alone() {
    let world = World::page("# A\n\n[B](b.md#two)\n").file("content/b.md", "# B\n\n## Two\n");
    world.labdoc("build").any_output().success();
    let build = || world.labdoc("build --timings").any_output().end();
    world.write("content/b.md", "# B\n\n## Two\n\n## Three\n");
    assert!(build().stdout.contains(QUICK));
    // The new anchor is known to the next build.
    world.write("content/a.md", "# A\n\n[B](b.md#two) [B](b.md#three)\n");
    assert!(build().stdout.contains(QUICK));
    let (_, _, files) = from_scratch(&world);
    assert_eq!(files.other_content(&world.tree("public")), [] as [String; 0]);
    // What others link to cannot go unseen.
    world.write("content/b.md", "# B\n\n## Two\n");
    let (ended, (said, code, _)) = (build(), from_scratch(&world));
    assert_eq!((ended.code, ended.stderr), (code, said));
    assert_eq!(code, Some(1));
}

#[test]
fn a_build_of_one_page_that_is_killed_leaves_each_file_whole() {
    let world = built(&site());
    let (_, seed) = extent("LABDOC_EDITS", 16);
    let mut numbers = Numbers(seed);
    for n in 0..5 {
        let old = world.tree("public");
        insert(&world, "content/many/p2.md", ("", &format!("\nMore {n}.\n")));
        let (_, _, new) = from_scratch(&world);
        let mut child = world.labdoc("build").spawn();
        // Whatever the build was doing then: every moment is as good.
        std::thread::sleep(Duration::from_millis(numbers.below(250) as u64));
        let _ = child.kill();
        let _ = child.wait();
        for (path, entry) in &world.tree("public").0 {
            let same = |tree: &Tree| tree.0.get(path).is_some_and(|e| e.bytes == entry.bytes);
            let is_whole = path.starts_with(".labdoc") || same(&old) || same(&new);
            assert!(is_whole, "seed {seed}: {path} is neither old nor new");
        }
        world.labdoc("build").any_output().success();
        let differing = new.other_content(&world.tree("public"));
        assert_eq!(differing, [] as [String; 0], "seed {seed}");
    }
}
