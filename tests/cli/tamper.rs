//! A record that was edited after the run is not believed.

use snapbox::str;

use crate::support::World;

#[test]
fn an_edited_result_is_named() {
    let (world, run) = World::recorded();
    world.edit(&format!("{run}/result.txt"), "kept 7", "kept 8");
    let ended = world.labdoc("build").any_stdout().any_stderr().code(1);
    assert!(ended.stderr.contains("error[EV103]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("result.txt"), "{}", ended.stderr);
    assert!(!world.exists("public"));
}

#[test]
fn an_edited_verdict_is_named() {
    let (world, run) = World::recorded();
    world.edit(&format!("{run}/verdict.json"), "\"duration_ms\":", "\"duration_ms\":1");
    world
        .labdoc("build")
        .any_stdout()
        .stderr(str![[r#"
warning[SE505]: T1/[RUN]/result.txt:7 contains a private IP address
 --> evidence/T1/[RUN]/result.txt:7
 = help: see whether everybody may know it; run the lab where nothing is private

error[EV115]: T1: verdict.json was edited after the run
 --> evidence/T1/[RUN]/verdict.json
 = its last key does not hold the digest of what stands before it
 = help: restore it from the version control, or record the run again


"#]])
        .code(1);
}

#[test]
fn an_edited_script_or_manifest_is_named() {
    for name in ["run.sh", "manifest.yaml"] {
        let (world, run) = World::recorded();
        let path = format!("{run}/{name}");
        world.write(&path, world.read(&path) + "# more\n");
        let ended = world.labdoc("build").any_output().code(1);
        assert!(ended.stderr.contains("error[EV103]"), "{}", ended.stderr);
        assert!(ended.stderr.contains(name), "{}", ended.stderr);
    }
}

#[test]
fn an_edited_or_missing_file_of_the_run_is_named() {
    let (world, run) = World::recorded();
    world.edit(&format!("{run}/files/down.txt"), "down", "done");
    let ended = world.labdoc("build").any_output().code(1);
    assert!(ended.stderr.contains("files/down.txt"), "{}", ended.stderr);
}

#[test]
fn a_missing_or_empty_file_is_named() {
    for name in ["run.sh", "manifest.yaml", "result.txt", "verdict.json"] {
        let (world, run) = World::recorded();
        let path = world.path(&format!("{run}/{name}"));
        std::fs::write(&path, "").expect("write");
        let ended = world.labdoc("build").any_output().code(1);
        assert!(ended.stderr.contains(name), "{name}: {}", ended.stderr);
        std::fs::remove_file(&path).expect("remove");
        let ended = world.labdoc("build").any_output().code(1);
        assert!(ended.stderr.contains(name), "{name}: {}", ended.stderr);
    }
}

#[test]
fn a_run_in_another_folder_is_named() {
    let (world, run) = World::recorded();
    std::fs::rename(world.path(&run), world.path("evidence/T1/20200101T000000Z-000000"))
        .expect("mv");
    let ended = world.labdoc("build").any_output().code(1);
    assert!(ended.stderr.contains("error[EV108]"), "{}", ended.stderr);
}
