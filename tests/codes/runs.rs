//! EV1: runs, bundles and reports.

use super::support::World;
use super::{Row, Scenes, check, other, says};

const MANIFEST: &str = "evidence/T3/manifest.yaml";
const VERDICT: &str = "evidence/T3/verdict.json";

/// The proven site with a file of its own run edited.
fn own(scenes: &Scenes, file: &str, from: &str, to: &str) -> World {
    let run = scenes.proven.runs_of("T1").pop().expect("a run");
    scenes.edited(&format!("{run}/{file}"), from, to)
}

/// A site whose page was recorded with each of these as what the measured thing says.
fn recorded(said: &[&str]) -> World {
    let world = World::page(
        "---\ntitle: A\nverify: {bundle: T1, capture: {a.n: 'lost (\\d+)'}}\n---\n\n\
         [It loses few.]{#C1}\n\n```sh {#a timeout=2s}\n. ../measured\n```\n\n\
         ```output {for=a}\nlost 3\n```\n",
    );
    world.write(
        "content/claims.yaml",
        "C1: {grade: measured, evidence: [T1#a], expect: [\"a.n == 3\"]}\n",
    );
    for text in said {
        world.write("measured", text);
        world.labdoc("verify --record").end();
    }
    world
}

pub(super) const ROWS: &[Row] = &[
    check("EV101", |s| {
        let world = own(s, "result.txt", "kept 7", "kept 7");
        let run = world.runs_of("T1").pop().expect("a run");
        world.write(&format!("{run}/result.txt"), "");
        world
    }),
    check("EV102", |s| s.edited(MANIFEST, "checks:", "environment: {kubernetes: 1.30}\nchecks:")),
    check("EV103", |s| own(s, "result.txt", "kept 7", "kept 8")),
    check("EV104", |_| recorded(&["echo lost 4"])),
    check("EV105", |_| recorded(&["sleep 60"])),
    check("EV106", |s| s.edited(VERDICT, "\"exit_code\":0", "\"exit_code\":1")),
    check("EV107", |s| s.edited(MANIFEST, "[a, b]", "[a, b, c]")),
    check("EV108", |s| s.edited(VERDICT, "\"bundle\":\"T3\"", "\"bundle\":\"T6\"")),
    check("EV109", |s| {
        s.edited(MANIFEST, "checks:", "environment: {kubernetes: \"1.30\"}\nchecks:")
    }),
    check("EV110", |_| {
        let world = World::site("lab");
        let file = world.path("labkit/demo/conf/a.conf").display().to_string();
        world.edit("content/lab.md", "echo up\n", &format!("echo up; echo 3 7 more >{file}\n"));
        world.labdoc("verify --record").end();
        world
    }),
    check("EV111", |s| s.edited("evidence/T3/run.sh", "echo \"lost 3\"", "echo lost 3 | tee x")),
    check("EV112", |_| recorded(&["echo lost 3", "echo lost 4"])),
    check("EV113", |_| recorded(&["echo lost 4", "echo lost 3"])),
    other("EV119", |_| {
        let world = recorded(&[]);
        world.write("measured", "echo lost 3");
        let ahead = format!("faketime -f +3650d {} verify --record", env!("CARGO_BIN_EXE_labdoc"));
        world.bash(&ahead).any_output().success();
        says(&world, "verify --record")
    }),
    check("EV114", |s| s.edited(MANIFEST, "[a, b]", "[]")),
    check("EV115", |s| own(s, "verdict.json", "\"who\":\"author\"", "\"who\":\"ci\"")),
    check("EV116", |s| s.edited("evidence/reports/r1.md", "lost 3", "lost 2")),
    check("EV117", |s| s.edited("content/setup.md", "bundle: T2", "bundle: T1")),
    check("EV118", |s| s.edited("evidence/sources.yaml", "publisher:", "publishre:")),
];
