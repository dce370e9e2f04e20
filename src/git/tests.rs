//! Histories, made with Git itself.

#![allow(clippy::disallowed_methods, reason = "the test makes a repository with Git")]

use std::process::Command;

use super::*;
use crate::disk;

/// Runs a script in a new folder, and asks for the days of paths below `root` of it.
fn check(script: &str, root: &str, paths: &[&str], expect: &str) {
    let dir = disk::temporary_folder("labdoc-git-").expect("temp");
    let script = format!(
        "set -e; umask 022; git init -q -b main .; git config user.name n; git config user.email e@example.org\n\
         at() {{ export GIT_AUTHOR_DATE=\"2026-07-$1T23:30:00+0900\" GIT_COMMITTER_DATE=\"2026-08-$1T10:00:00+0000\"; }}\n\
         commit() {{ at \"$1\"; git add .; git commit -q -m \"$1\"; }}\n{script}"
    );
    let run = Command::new("bash").args(["-c", &script]).current_dir(dir.path()).output();
    let run = run.expect("bash");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let got = match last_changes(&dir.path().join(root), paths).expect("history") {
        None => "none".to_owned(),
        Some(history) => {
            let mut words: Vec<String> =
                history.days.iter().map(|(path, day)| format!("{path}={}", &day[8..])).collect();
            words.extend(history.is_cut.then(|| "cut".to_owned()));
            words.join(" ")
        }
    };
    assert_eq!(got, expect, "{script}");
}

#[test]
fn a_file_has_the_day_of_the_commit_that_last_changed_it() {
    let script = "mkdir -p c/d; echo 1 >c/a; echo 1 >c/d/b; commit 01; echo 2 >c/a; commit 05; echo x >c/other; commit 09; echo 1 >c/new";
    check(script, "", &["c/a", "c/d/b", "c/new", "c/none"], "c/a=05 c/d/b=01");
    check(script, "c", &["a", "d/b"], "a=05 d/b=01");
}

#[test]
fn a_merge_is_no_change_of_what_it_brings() {
    let script = "echo 1 >a; echo 1 >b; commit 01; git checkout -q -b side; echo 2 >b; commit 03; git checkout -q main; echo 2 >a; commit 05; at 09; git merge -q --no-edit side";
    check(script, "", &["a", "b"], "a=05 b=03");
}

#[test]
fn a_name_that_git_has_decomposed_is_the_same() {
    let script = "echo 1 >$'\\u1109\\u1165\\u11af'; commit 01";
    check(script, "", &["설"], "설=01");
}

#[test]
fn a_shallow_clone_has_no_day_for_what_lies_before_it() {
    let script = "mkdir full; cd full; git init -q -b main .; git config user.name n; git config user.email e@example.org; echo 1 >a; echo 1 >b; commit 01; echo 2 >b; commit 05; echo 3 >c; commit 09; cd ..; git clone -q --depth 2 \"file://$PWD/full\" part";
    check(script, "part", &["a", "b", "c"], "c=09 cut");
}

#[test]
fn packed_histories_are_read_and_empty_ones_are_none() {
    let script = "echo 1 >a; commit 01; for i in 2 3 4; do echo $i >>b; commit 0$i; done; git gc -q --aggressive; git pack-refs --all";
    check(script, "", &["a", "b"], "a=01 b=04");
    check("true", "", &["a"], "none");
}
