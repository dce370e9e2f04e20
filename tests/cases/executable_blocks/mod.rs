//! Executable blocks: cases A1 to A42, each with a test that bears its number.

mod cluster;
mod compare;
mod exit_status;
mod processes;
mod refresh;
mod secrets;
mod session;

use crate::support::World;

/// A page of shell blocks `b1`, `b2` … with what is printed for each.
fn page(blocks: &[(&str, Option<&str>)]) -> World {
    let mut text = String::new();
    for (at, (commands, output)) in blocks.iter().enumerate() {
        let id = format!("b{}", at + 1);
        text.push_str(&format!("```sh {{#{id}}}\n{commands}\n```\n\n"));
        if let Some(output) = output {
            text.push_str(&format!("```output {{for={id}}}\n{output}```\n\n"));
        }
    }
    World::page(&text)
}

/// The page passes, whole and without a finding.
#[track_caller]
fn passes(blocks: &[(&str, Option<&str>)]) {
    page(blocks).labdoc("verify").any_stdout().success();
}

/// The sources of the cases.
const SOURCES: [&str; 7] = [
    include_str!("cluster.rs"),
    include_str!("compare.rs"),
    include_str!("exit_status.rs"),
    include_str!("processes.rs"),
    include_str!("refresh.rs"),
    include_str!("secrets.rs"),
    include_str!("session.rs"),
];

#[test]
fn every_case_has_a_test() {
    let has = |number: &u32| {
        // Those that ask a real kubectl are run apart, where there is one.
        let test = format!(r#"#\[test\]\n(?:#\[ignore = "asks [^\n]*\n)?fn a{number}_"#);
        let test = regex::Regex::new(&test).expect("pattern");
        SOURCES.iter().any(|source| test.is_match(source))
    };
    let missing: Vec<u32> = (1..=42).filter(|number| !has(number)).collect();
    assert_eq!(missing, [] as [u32; 0]);
}

/// The page fails; its findings and its block lines hold each of these texts.
#[track_caller]
fn fails(world: &World, texts: &[&str]) {
    let ended = world.labdoc("verify").any_output().code(1);
    let all = format!("{}\n{}", ended.stdout, ended.stderr);
    for text in texts {
        assert!(all.contains(text), "{text:?} is not in\n{all}");
    }
}

/// Refreshing `from` gives `to`; a second refresh writes nothing, and the page then passes.
#[track_caller]
fn refreshes(from: &str, to: &str) {
    let world = World::page(from);
    world.labdoc("verify --update").any_output().success();
    assert_eq!(world.read("content/a.md"), to);
    let before = world.tree("");
    world.labdoc("verify --update").any_output().success();
    assert_eq!(before.changes(&world.tree("")), [] as [&str; 0]);
    world.labdoc("verify").any_output().success();
}
