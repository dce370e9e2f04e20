//! Options of blocks and of `labdoc verify`: what runs, when, and why something does not.

use snapbox::str;

use crate::support::World;

/// The page passes, and its output holds these texts.
#[track_caller]
fn check(page: &str, arguments: &str, code: i32, texts: &[&str]) {
    let world = World::page(page);
    let ended = world.labdoc(&format!("verify {arguments}")).any_output().code(code);
    let all = format!("{}\n{}", ended.stdout, ended.stderr);
    for text in texts {
        assert!(all.contains(text), "{text:?} is not in\n{all}");
    }
}

#[test]
fn a_page_whose_needs_are_not_met_is_skipped() {
    World::page("---\nverify: {needs: [\"bash>=99\"]}\n---\n\n```sh {#a}\ntouch ran\n```\n")
        .file("content/b.md", "```sh {#b needs=labdoc-no-such}\ntouch ran\n```\n\n```sh {#c needs=bash>=4}\ntrue\n```\n")
        .file("content/c.md", "---\nverify: {needs: [cluster]}\n---\n\n```sh {#d}\ntouch ran\n```\n")
        .labdoc("verify content/b.md content/c.md")
        .stdout(str![[r#"
content/b.md
  skip  b [TIME]  needs labdoc-no-such, which is not on the PATH
  ok    c [TIME]
content/c.md
  skipped: needs a cluster[..]
2 pages: 1 passed, 0 differ, 0 failed, 2 skipped

"#]])
        .success();
    check(
        "---\nverify: {needs: [\"bash>=99\"]}\n---\n\n```sh {#a}\ntrue\n```\n",
        "",
        0,
        &["skipped: needs bash>=99 (found "],
    );
    check(
        "---\nverify: {needs: [\"bash>=\"]}\n---\n\n```sh {#a}\ntrue\n```\n",
        "",
        1,
        &["error[PG014]", "content/a.md:2:19"],
    );
}

const TAGGED: &str = "\
```sh {#up .setup}
n=1
```

```sh {#one tags=quick}
echo $n
```

```sh {#two tags=slow,net}
echo $n
```

```sh {#down .teardown}
echo bye
```
";

#[test]
fn tags_choose_blocks_and_setup_and_teardown_always_run() {
    let words = ["ok    up", "skip  one", "not chosen", "ok    two", "ok    down"];
    check(TAGGED, "--tag net", 0, &words);
    check(
        TAGGED,
        "--tag quik",
        2,
        &["no block of a chosen page has that tag", "did you mean quick?"],
    );
}

#[test]
fn on_failure_blocks_run_after_a_failure_and_before_teardown() {
    let page = |command: &str| {
        format!(
            "```sh {{#log .on-failure}}\necho \"log\" >>\"$HOME/order\"\n```\n\n```sh {{#end .teardown}}\necho end >>\"$HOME/order\"; cat \"$HOME/order\"\n```\n\n```output {{for=end}}\n...\nend\n```\n\n```sh {{#a}}\n{command}\n```\n"
        )
    };
    check(&page("true"), "", 0, &["skip  log", "nothing failed", "ok    end"]);
    check(&page("false"), "", 1, &["FAIL  a", "ok    log", "ok    end"]);
    let strict = page("false").replace("...\nend", "log\nend");
    check(&strict, "", 1, &["FAIL  a", "ok    log", "ok    end"]);
    check(&strict, "--fail-fast", 1, &["ok    log"]);
}

#[test]
fn parameters_are_variables_and_can_be_set() {
    let page = "---\nparams: {ns: dns-lab}\n---\n\n```sh {#a}\necho $ns\n```\n\n```output {for=a}\nother\n```\n";
    check(page, "--param ns=other", 0, &["ok    a"]);
    check(page, "", 1, &["+dns-lab"]);
    check(page, "--param nz=other", 2, &["no chosen page has that parameter", "did you mean ns?"]);
    check(page, "--param ns", 2, &["write it as NAME=VALUE"]);
}

#[test]
fn variables_pass_only_where_they_are_named() {
    let page =
        "```sh {#a env=LAB_ONE}\necho \"<$LAB_ONE$LAB_TWO>\"\n```\n\n```output {for=a}\n<1>\n```\n";
    let world = World::page(page);
    world.labdoc("verify").env("LAB_ONE", "1").env("LAB_TWO", "2").any_stdout().success();
}

#[test]
fn a_standard_error_apart_is_kept_and_not_compared() {
    let page =
        "```sh {#a stderr=apart}\necho noise >&2; echo out\n```\n\n```output {for=a}\nout\n```\n";
    let world = World::page(page);
    world.labdoc("verify --record").any_output().success();
    let run = world.names("evidence/T1").remove(0);
    assert_eq!(world.read(&format!("evidence/T1/{run}/files/stderr/a.txt")), "noise\n");
    check(&page.replace("echo out", "false"), "", 1, &["on its standard error:\n | noise"]);
}

#[test]
fn a_terminal_only_where_it_is_asked_for() {
    let page = "```sh {#a tty=true}\n[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo terminal; cat; stty size; echo err >&2\n```\n\n```output {for=a}\nterminal\n40 120\nerr\n```\n\n```sh {#b}\n[ -t 0 ] || [ -t 1 ] || echo none\n```\n\n```output {for=b}\nnone\n```\n";
    check(page, "", 0, &["ok    a", "ok    b"]);
    let long = "```sh {#a tty=true}\nseq 1 20000\n```\n\n```output {for=a}\n1\n...\n20000\n```\n";
    for _ in 0..5 {
        check(long, "", 0, &["ok    a"]);
    }
}

#[test]
fn only_the_named_block_is_refreshed() {
    let page = |a: &str, b: &str| {
        format!(
            "```sh {{#a}}\necho one\n```\n\n```output {{for=a}}\n{a}\n```\n\n```sh {{#b}}\necho two\n```\n\n```output {{for=b}}\n{b}\n```\n"
        )
    };
    let world = World::page(&page("ONE", "TWO"));
    world.labdoc("verify --update=b").any_output().code(1);
    assert_eq!(world.read("content/a.md"), page("ONE", "two"));
    world.labdoc("verify --update=a content/a.md").any_output().success();
    assert_eq!(world.read("content/a.md"), page("one", "two"));
    world.labdoc("verify --update=c").any_output().code(2);
}

#[test]
fn a_new_name_that_stands_for_another_makes_all_of_its_class_as_measured() {
    let page = |one: &str, two: &str| {
        format!(
            "```sh {{#a}}\necho 'web 10.0.0.2'\n```\n\n```output {{for=a vary=ip}}\nweb {one}  <- differs\n```\n\n```sh {{#b}}\necho 'db now 10.0.0.1'; echo 'web 10.0.0.2'\n```\n\n```output {{for=b vary=ip}}\n{two}```\n"
        )
    };
    // On the page 10.0.0.1 is the web; the run has it as the address of the db.
    let world = World::page(&page("10.0.0.1", "old\nweb 10.0.0.1\n"));
    let ended = world.labdoc("verify --update").any_output().success();
    let note = "10.0.0.1 already stands for 10.0.0.2 on this page, so all values of class ip";
    assert!(ended.stdout.contains(note), "{}", ended.stdout);
    assert_eq!(world.read("content/a.md"), page("10.0.0.2", "db now 10.0.0.1\nweb 10.0.0.2\n"));
    world.labdoc("verify").any_stdout().success();
}

#[test]
fn numbers_of_another_pages_run_are_refreshed_from_the_record() {
    let world = World::new()
        .file("content/lab.md", "---\nverify:\n  capture: {flip.lost: 'lost (\\d+)'}\n---\n\n```sh {#flip}\necho lost 3\n```\n\n```output {for=flip}\nlost 3\n```\n")
        .file("content/brief.md", "# Brief\n\nIt loses [7]{=T1#flip.lost} requests of [5]{=}.\n");
    world.labdoc("verify content/lab.md --record").any_output().success();
    world.labdoc("verify content/brief.md --update").any_output().success();
    let text = world.read("content/brief.md");
    assert_eq!(text, "# Brief\n\nIt loses [3]{=T1#flip.lost} requests of [5]{=}.\n");
}

#[test]
fn a_replay_repeats_waits_and_ends_what_runs_in_the_background() {
    let page = "---\nverify: {workdir: temp}\n---\n\n```sh {#srv .background ready=text:up}\necho up; exec sleep 600\n```\n\n```sh {#wait retry=20s}\necho x >>tries; [ \"$(wc -l <tries)\" -gt 1 ]\n```\n\n```sh {#log .on-failure}\necho failed\n```\n\n```sh {#end .teardown}\necho end\n```\n";
    let world = World::page(page);
    world.labdoc("verify --record").any_output().success();
    let run = format!("evidence/T1/{}", world.names("evidence/T1").remove(0));
    let replay = world.bash(&format!("bash {run}/run.sh")).any_output().success();
    let expect = "labdoc-block: srv\nlabdoc-check: srv pass exit=0\nlabdoc-block: wait\nlabdoc-check: wait pass exit=0\n";
    assert!(replay.stdout.starts_with(expect), "{}", replay.stdout);
    assert!(replay.stdout.contains("labdoc-check: log skip"), "{}", replay.stdout);
    let id = run.trim_start_matches("evidence/");
    world.labdoc(&format!("evidence judge {id}")).any_output().success();
    let manifest = world.read(&format!("{run}/manifest.yaml"));
    for option in ["background: \"true\"", "retry: 20000ms", "on-failure: \"true\""] {
        assert!(
            manifest.contains(option)
                || manifest.contains(&option.replace('"', "'"))
                || manifest.contains(&option.replace('"', "")),
            "{option}\n{manifest}"
        );
    }
}
