//! `labdoc evidence show`, `diff` and `import`; `labdoc kit list`, `pack` and `check`.

use crate::support::World;

#[test]
fn show_names_states_and_reasons() {
    let (world, _) = World::recorded();
    let ended = world.labdoc("evidence show").any_output().success();
    assert!(ended.stdout.contains("C1    verified    measured  T1#flip"), "{}", ended.stdout);
    world.edit("labkit/demo/run.sh", "# Prints", "# prints");
    let ended = world.labdoc("evidence show C1").any_output().success();
    assert!(ended.stdout.contains("C1 stale"), "{}", ended.stdout);
    assert!(ended.stdout.contains("kit files changed since the run: run.sh"), "{}", ended.stdout);
    assert!(ended.stdout.contains("flip.lost = 3 (result.txt:"), "{}", ended.stdout);
    let ended = world.labdoc("evidence show content/lab.md --markdown").any_output().success();
    assert!(
        ended.stdout.contains("| C2 | Setup works. | measured | stale | T1#up |"),
        "{}",
        ended.stdout
    );
    let ended = world.labdoc("evidence show C9").any_output().code(2);
    assert!(
        ended.stderr.contains("there is no claim and no page with claims `C9`"),
        "{}",
        ended.stderr
    );
}

#[test]
fn diff_goes_counter_by_counter() {
    let (world, first) = World::recorded();
    world.edit("labkit/demo/conf/a.conf", "3 7", "4 7");
    world.labdoc("verify --record").any_output().code(1);
    let runs = world.runs();
    assert_eq!(runs.len(), 2, "{runs:?}");
    let names: Vec<&str> = runs.iter().filter_map(|run| run.strip_prefix("evidence/")).collect();
    let other = names.iter().find(|name| !first.ends_with(*name)).expect("a second run");
    let before = first.strip_prefix("evidence/").expect("a run");
    let ended = world.labdoc(&format!("evidence diff {before} {other}")).any_output().success();
    assert!(ended.stdout.contains("value flip.lost"), "{}", ended.stdout);
    assert!(ended.stdout.contains("3 → 4 (+1)"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("flip.kept"), "{}", ended.stdout);
    let ended = world.labdoc("evidence diff T9 T1").any_output().code(2);
    assert!(ended.stderr.contains("evidence/T9/ does not exist"), "{}", ended.stderr);
}

#[test]
fn a_bundle_of_others_is_checked_and_never_run() {
    let (world, _) = World::recorded();
    let folder = world.base().join("theirs");
    world.foreign("T7", &["C1"]);
    std::fs::rename(world.path("evidence/T7"), &folder).expect("move");
    std::fs::write(folder.join("run.sh"), "touch /tmp/labdoc-must-not-run\n").expect("write");
    let import = |path: &str| world.labdoc(&format!("evidence import {path}"));
    let path = folder.to_string_lossy().into_owned();
    let ended = import(&path).any_output().success();
    assert!(
        ended.stdout.contains("imported evidence/T7; it was checked, and not run"),
        "{}",
        ended.stdout
    );
    assert!(world.exists("evidence/T7/result.txt"));
    assert!(!std::path::Path::new("/tmp/labdoc-must-not-run").exists());
    let ended = import(&path).any_output().code(2);
    assert!(ended.stderr.contains("evidence/T7 is there already"), "{}", ended.stderr);
    std::fs::remove_dir_all(world.path("evidence/T7")).expect("remove");
    std::fs::write(folder.join("result.txt"), "labdoc-check: a pass exit=0\nmore\n")
        .expect("write");
    let ended = import(&path).any_output().code(1);
    assert!(ended.stderr.contains("error[EV103]"), "{}", ended.stderr);
    assert!(!world.exists("evidence/T7"), "nothing was imported");
    std::os::unix::fs::symlink("/etc/passwd", folder.join("x")).expect("link");
    let ended = import(&path).any_output().code(2);
    assert!(ended.stderr.contains("`x` is a link or a special file"), "{}", ended.stderr);
}

#[test]
fn a_kit_is_listed_packed_and_checked() {
    let world = World::site("lab");
    let ended = world.labdoc("kit list").any_stderr().any_stdout().success();
    assert!(ended.stdout.contains("3 files"), "{}", ended.stdout);
    world.labdoc("kit pack demo --out dist").any_output().success();
    let names = world.names("dist");
    assert!(
        names.len() == 2 && names[0].ends_with(".tar.gz") && names[1].ends_with(".zip"),
        "{names:?}"
    );
    world.bash(&format!("cd dist && tar xzf {}", names[0])).success();
    let folder = format!("dist/{}", names[0].trim_end_matches(".tar.gz"));
    let ended = world.labdoc(&format!("kit check {folder}")).any_output().success();
    assert!(ended.stdout.contains("3 files as listed; kit digest"), "{}", ended.stdout);
    world.edit(&format!("{folder}/run.sh"), "# Prints", "# prints");
    world.write(&format!("{folder}/more"), "x");
    let ended = world.labdoc(&format!("kit check {folder}")).any_output().code(1);
    let said = ended.stderr;
    assert!(said.contains("error[KT313]: run.sh is not the file that is listed"), "{said}");
    assert!(said.contains("error[KT313]: more is not in the list"), "{said}");
    let ended = world.labdoc("kit pack dmo").any_output().code(2);
    assert!(ended.stderr.contains("did you mean demo?"), "{}", ended.stderr);
}
