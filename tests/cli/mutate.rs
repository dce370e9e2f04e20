//! `labdoc mutate`: a claim that cannot fail is no proof.

use serde_json::Value;
use snapbox::str;

use crate::support::{World, mark, processes};

const PAGE: &str = "\
---
kit: k
verify:
  capture: {show.limit: 'limit: (\\d+)'}
---

# T

[It holds [3]{=show.limit} at once.]{#C1}

```sh {#up .setup}
sh up.sh
```

```sh {#show}
grep limit conf.yaml
```
";

const CLAIMS: &str =
    "C1:\n  grade: measured\n  evidence: [T1#show]\n  expect: [\"show.limit == 3\"]\n";

#[test]
fn what_mutants_came_to_is_not_written_behind_a_link() {
    let world = recorded(PAGE).file("../mine", "mine\n");
    std::os::unix::fs::symlink("../../../mine", world.path("evidence/T1/mutation.json"))
        .expect("link");
    world.labdoc("mutate content/a.md").any_output().end();
    assert_eq!(world.read("../mine"), "mine\n");
    assert!(!world.path("evidence/T1/mutation.json").is_symlink());
}

/// A recorded page with a kit.
fn recorded(page: &str) -> World {
    let world = World::page(page)
        .file("content/claims.yaml", CLAIMS)
        .file("labkit/k/conf.yaml", "limit: 3\nspare: 5\n")
        .file("labkit/k/up.sh", "#!/bin/sh\ntest -s conf.yaml\n");
    world.labdoc("verify --record").any_stdout().success();
    world
}

/// Outcome and claims of every mutant whose change holds a word.
fn fates(world: &World, word: &str) -> Vec<(String, Vec<String>)> {
    let log: Value = serde_json::from_str(&world.read("evidence/T1/mutation.json")).expect("JSON");
    assert_eq!(log["schema"], "labdoc.mutation/1");
    let mutants = log["mutants"].as_array().expect("mutants").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    mutants
        .filter(|mutant| text(&mutant["change"]).contains(word))
        .map(|mutant| {
            let claims = mutant["claims"].as_array().expect("claims").iter().map(text).collect();
            (text(&mutant["outcome"]), claims)
        })
        .collect()
}

fn all(outcome: &str, claims: &[&str], count: usize) -> Vec<(String, Vec<String>)> {
    let claims = claims.iter().map(|claim| (*claim).to_owned()).collect();
    vec![(outcome.to_owned(), claims); count]
}

#[test]
fn what_a_claim_notices_and_what_it_does_not() {
    let world = recorded(PAGE);
    let ended = world.labdoc("mutate content/a.md --file *.yaml").any_stdout().code(1);
    let last = ended.stdout.lines().last().expect("a line");
    assert_eq!(
        last,
        "3 of 6 mutants noticed, 3 survived, 0 broke the set-up, 0 ended; evidence/T1/mutation.json"
    );
    assert_eq!(fates(&world, "limit"), all("noticed", &["C1"], 3));
    assert_eq!(fates(&world, "spare"), all("survived", &["C1"], 3));
    assert!(ended.stdout.contains("labkit/k/conf.yaml:2  spare: 5 → 10  not by C1"));
    assert_eq!(world.read("labkit/k/conf.yaml"), "limit: 3\nspare: 5\n");
}

#[test]
fn a_broken_set_up_counts_apart() {
    let world = recorded(PAGE);
    world.labdoc("mutate content/a.md --file up.sh").any_stdout().code(1);
    // Without its line the script still ends well.
    assert_eq!(fates(&world, "deleted"), all("survived", &["C1"], 1));
    world.edit("labkit/k/up.sh", "test -s conf.yaml", "test 1 -eq 1");
    world.labdoc("verify --record").any_stdout().success();
    world.labdoc("mutate content/a.md --file up.sh").any_stdout().any_stderr().code(1);
    assert_eq!(fates(&world, "-ne"), all("setup", &[], 1));
}

#[test]
fn a_claim_without_a_condition_notices_nothing() {
    let world = recorded(PAGE);
    world.edit("content/claims.yaml", "expect: [\"show.limit == 3\"]", "expect: []");
    let ended = world.labdoc("mutate content/a.md --file *.yaml").any_stdout().code(1);
    assert!(ended.stdout.contains("C1 has no `expect`: it can notice nothing"), "{}", ended.stdout);
    assert_eq!(fates(&world, ""), all("survived", &["C1"], 6));
}

#[test]
fn a_mutant_that_hangs_forks_or_fills_the_disk_is_ended() {
    let mark = &mark(3001);
    let blocks = "\
[[ a == a ]] || cat /dev/zero >big
[[ b == b ]] || { for i in $(seq 400); do sleep MARK & done; wait; }
[[ c == c ]] || sleep MARK
grep limit conf.yaml"
        .replace("MARK", mark);
    let world = recorded(
        &PAGE.replace("{#show}", "{#show timeout=5s}").replace("grep limit conf.yaml", &blocks),
    );
    world.labdoc("mutate content/a.md --file content/a.md").any_stdout().code(1);
    assert_eq!(fates(&world, "== → !="), all("ended", &[], 3));
    assert_eq!(processes(mark), Vec::<String>::new());
}

#[test]
fn an_interrupted_search_goes_on_where_it_was_and_a_seed_gives_one_order() {
    let world = recorded(PAGE);
    let run = |more: &str| {
        let _ = world
            .bash(&format!(
                "{} mutate content/a.md {more}; [ $? -le 1 ]",
                env!("CARGO_BIN_EXE_labdoc")
            ))
            .any_output()
            .success();
        world.read("evidence/T1/mutation.json")
    };
    let part = run("--max 2");
    assert_eq!(part.matches("\"id\"").count(), 2, "{part}");
    let resumed = run("");
    assert_ne!(resumed, part);
    assert_eq!(run("--fresh"), resumed);
    assert_eq!(run("--fresh --jobs 4"), resumed);
    // Other claims are other questions: nothing of the old answers is kept.
    world.edit("content/claims.yaml", "show.limit == 3", "show.limit >= 3");
    world.labdoc("verify --record").any_stdout().success();
    assert_eq!(run("--max 1").matches("\"id\"").count(), 1);
}

#[test]
fn what_cannot_be_asked_is_said() {
    let world = recorded(PAGE);
    world
        .labdoc("mutate content/a.md --claim C9")
        .stderr(str![[r#"
error: no claim C9 rests on the runs of content/a.md
 = help: did you mean C1?

"#]])
        .code(2);
    world.edit("labkit/k/conf.yaml", "limit: 3", "limit: 4");
    world
        .labdoc("mutate content/a.md")
        .stderr(str![[r#"
error: C1 does not hold without any change: show.limit is 4
 = help: labdoc verify content/a.md shows why

"#]])
        .code(2);
    assert!(!world.exists("evidence/T1/mutation.json"));
}

#[test]
fn the_page_of_the_runs_shows_the_survivors() {
    let world = recorded(PAGE);
    world.labdoc("mutate content/a.md --file *.yaml").any_stdout().code(1);
    world.labdoc("build").any_output().success();
    let page = world.read("public/evidence/T1/index.html");
    assert!(page.contains("The claims noticed 3 of 6 changes."), "{page}");
    assert!(page.contains("labkit/k/conf.yaml:2"), "{page}");
    assert!(!page.contains("have changed since"), "{page}");
    world.edit("labkit/k/conf.yaml", "spare: 5", "spare: 6");
    world.labdoc("build").any_output().success();
    assert!(world.read("public/evidence/T1/index.html").contains("have changed since"));
}
