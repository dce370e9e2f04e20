//! Many pages: at the same time, in order, as a part of all, as a part of what changed.

use crate::support::World;

/// A page in a folder of its own whose block appends its name to a log in the home folder's stead:
/// the site.
fn page(name: &str, header: &str, text: &str) -> String {
    format!(
        "---\ntitle: {name}\nverify:\n  workdir: temp\n{header}---\n\n```sh {{#{name}}}\n{text}\n```\n"
    )
}

/// Two pages of which each waits for the other's file, which only two that run at once can.
fn meeting(header: &str) -> World {
    let world = World::new();
    for (name, other) in [("a", "b"), ("b", "a")] {
        let own = world.path(name).display().to_string();
        let other = world.path(other).display().to_string();
        let text = format!(
            "touch {own}; for i in $(seq 400); do [ -e {other} ] && exit 0; sleep 0.01; done; exit 1"
        );
        world.write(&format!("content/{name}.md"), page(name, header, &text));
    }
    world
}

#[test]
fn pages_that_share_nothing_run_at_the_same_time() {
    let world = meeting("");
    let ended = world.labdoc("verify --jobs 2").any_stderr().any_stdout().success();
    let order: Vec<&str> = ended.stdout.lines().filter(|l| l.starts_with("content/")).collect();
    assert_eq!(order, ["content/a.md", "content/b.md"], "{}", ended.stdout);
}

#[test]
fn pages_that_share_a_namespace_do_not() {
    let text = "mkdir LOCK || exit 1; sleep 0.2; rmdir LOCK";
    let world = World::new();
    let lock = world.path("lock").display().to_string();
    for name in ["a", "b", "c"] {
        let text = text.replace("LOCK", &lock);
        world.write(&format!("content/{name}.md"), page(name, "  namespaces: [lab]\n", &text));
    }
    world.labdoc("verify --jobs 3").any_output().success();
}

#[test]
fn after_is_an_order() {
    let world = World::new();
    let log = world.path("log").display().to_string();
    for (name, header) in [("a", "  after: [c.md]\n"), ("b", "  after: [a.md]\n"), ("c", "")] {
        let text = format!("sleep 0.05; echo {name} >> {log}");
        world.write(&format!("content/{name}.md"), page(name, header, &text));
    }
    let ended = world.labdoc("verify --jobs 3").any_stdout().success();
    assert_eq!(world.read("log"), "c\na\nb\n");
    let order: Vec<&str> = ended.stdout.lines().filter(|l| l.starts_with("content/")).collect();
    assert_eq!(order, ["content/c.md", "content/a.md", "content/b.md"]);
}

#[test]
fn a_cycle_and_a_missing_page_are_errors_with_places() {
    let world = World::new();
    world.write("content/a.md", page("a", "  after: [x/b.md]\n", "touch ran"));
    world.write("content/x/b.md", page("b", "  after: [../a.md, ../aa.md]\n", "touch ran"));
    let ended = world.labdoc("verify").any_output().code(1);
    let expect = "\
error[PG032]: these pages wait for each other under `after:`
 --> content/a.md:5:11
  |
5 |   after: [x/b.md]
  |           ^^^^^^
 = content/a.md:5:11: runs after content/x/b.md
 = content/x/b.md:5:11: runs after content/a.md
 = help: take one of these lines out

error[PG031]: `after:` names ../aa.md, which is no page
 --> content/x/b.md:5:20
  |
5 |   after: [../a.md, ../aa.md]
  |                    ^^^^^^^^
 = help: did you mean `../a.md`?

";
    assert_eq!(ended.stderr.trim_end(), expect.trim_end());
    assert_eq!(ended.stdout, "nothing was run\n");
}

#[test]
fn shards_are_the_whole_and_share_nothing() {
    let world = World::new();
    for (name, header) in [
        ("a", ""),
        ("b", "  namespaces: [lab]\n"),
        ("c", "  after: [d.md]\n"),
        ("d", "  namespaces: [lab]\n"),
        ("e", ""),
    ] {
        world.write(&format!("content/{name}.md"), page(name, header, "true"));
    }
    let shard = |index: usize| {
        let ended = world.labdoc(&format!("verify --shard {index}/3")).any_output().success();
        let pages = ended.stdout.lines().filter(|l| l.starts_with("content/"));
        pages.map(str::to_owned).collect::<Vec<String>>()
    };
    let shards = [shard(1), shard(2), shard(3)];
    assert_eq!(shards[0], ["content/b.md", "content/d.md", "content/c.md"]);
    let mut all: Vec<&String> = shards.iter().flatten().collect();
    all.sort();
    assert_eq!(
        all,
        ["content/a.md", "content/b.md", "content/c.md", "content/d.md", "content/e.md"]
    );
    world.labdoc("verify --shard 4/3").any_stderr().code(2);
}

#[test]
fn since_a_commit_only_what_changed() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        world.write(&format!("content/{name}.md"), page(name, "", "true"));
    }
    let kit = "---\ntitle: k\nkit: k\nverify: {uses: [used]}\n---\n\n```sh {#k}\ncat used\n```\n";
    world.write("content/k/k.md", kit);
    world.write("labkit/k/used", "1\n");
    world.write("labkit/k/other", "1\n");
    let git = "git -c user.name=t -c user.email=t@example.org";
    world
        .bash(&format!("git init -q . && git add . && {git} commit -qm one"))
        .any_output()
        .success();
    let since = || {
        let ended = world.labdoc("verify --since HEAD").any_output().success();
        let pages = ended.stdout.lines().filter(|l| l.starts_with("content/"));
        pages.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(since(), [] as [&str; 0]);
    world.edit("content/b.md", "true", "echo changed");
    world.write("content/d.md", page("d", "", "true"));
    world.write("labkit/k/other", "2\n");
    assert_eq!(since(), ["content/b.md", "content/d.md"]);
    world.write("labkit/k/used", "2\n");
    assert_eq!(since(), ["content/b.md", "content/d.md", "content/k/k.md"]);
    let ended = world.labdoc("verify --since nowhere").any_output().code(2);
    assert!(ended.stderr.starts_with("error: --since nowhere: git says: "), "{}", ended.stderr);
}

#[test]
fn stale_runs_only_what_no_longer_holds() {
    let world = World::new();
    for name in ["a", "b"] {
        world.write(&format!("content/{name}.md"), page(name, "", "true"));
    }
    world.labdoc("verify --record").any_output().success();
    let stale = || {
        let ended = world.labdoc("verify --stale").any_output().success();
        let pages = ended.stdout.lines().filter(|l| l.starts_with("content/"));
        pages.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(stale(), [] as [&str; 0]);
    world.edit("content/b.md", "\ntrue\n", "\ntrue # other\n");
    assert_eq!(stale(), ["content/b.md"]);
}

#[test]
fn one_page_that_cannot_run_does_not_stop_the_others() {
    let world = World::new();
    world.write(
        "content/a.md",
        page("a", "", "true").replace("workdir: temp", "workdir: temp\n  uses: [x]"),
    );
    world.write("content/b.md", page("b", "", "true"));
    world.write(
        "content/k.md",
        "---\nkit: k\nverify: {uses: [nothing]}\n---\n```sh {#k}\ntrue\n```\n",
    );
    world.write("labkit/k/file", "1\n");
    let ended = world.labdoc("verify --jobs 1").any_output().code(2);
    assert!(ended.stdout.contains("content/b.md\n  ok    b"), "{}", ended.stdout);
    assert!(ended.stderr.contains("`uses` matches no file of kit k"), "{}", ended.stderr);
}
