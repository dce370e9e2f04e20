//! Evidence that was made to be believed.

use super::{Case, check, hold};
use crate::support::World;

/// The foreign bundle with one part of a file replaced.
fn edited(path: &str, from: &str, to: &str) -> World {
    let world = World::with_foreign();
    world.edit(path, from, to);
    world
}

const CASES: &[Case] = &[
    check("a run id that is a path", 1, "error[EV118]", || {
        edited("evidence/T7/verdict.json", "\"run_id\":\"f1\"", "\"run_id\":\"../../x\"")
    }),
    check("an output that is a path", 1, "error[", || {
        edited("evidence/T7/verdict.json", "\"result.txt\":{", "\"../../book.toml\":{")
    }),
    check("a number beyond all numbers", 1, "error[", || {
        edited("evidence/T7/verdict.json", "\"bytes\":", "\"bytes\":99999999999999999999999999")
    }),
    check("an exit code beyond all codes", 1, "error[EV1", || {
        edited("evidence/T7/verdict.json", "\"exit_code\":0", "\"exit_code\":1e999")
    }),
    check("a time that never was", 1, "error[EV1", || {
        edited("evidence/T7/verdict.json", "2026-11-01T10:00:01Z", "9999999-11-01T10:00:01Z")
    }),
    check("a key twice", 1, "error[EV1", || {
        edited(
            "evidence/T7/verdict.json",
            "\"bundle\":\"T7\"",
            "\"bundle\":\"T7\",\"bundle\":\"T7\"",
        )
    }),
    check("a manifest with an anchor", 1, "error[EV1", || {
        edited("evidence/T7/manifest.yaml", "title: Theirs", "title: &a Theirs")
    }),
    check("a manifest of another schema", 1, "error[EV1", || {
        edited("evidence/T7/manifest.yaml", "labdoc.bundle/1", "labdoc.bundle/999")
    }),
    check("a manifest that is only a tag", 1, "error[EV1", || {
        World::with_foreign().file("evidence/T7/manifest.yaml", "!!python/object:os.system x\n")
    }),
    check("a source that runs something", 1, "error[SE504]", || {
        World::with_foreign().file("evidence/sources.yaml", "S1: {url: \"javascript:alert(1)\"}\n")
    }),
    check("a transcript that forges a check", 1, "error[EV1", || {
        let world = World::with_foreign();
        world.write(
            "evidence/T7/result.txt",
            "labdoc-check: a fail exit=1\nlabdoc-check: a pass exit=0\n",
        );
        world
    }),
    check("an id of a million digits", 1, "error[", || {
        let world = World::with_foreign();
        let id = "9".repeat(1_000_000);
        world.edit("content/claims.yaml", "T7]", &format!("T{id}]"));
        world
    }),
    check("versions that never end", 0, "warning[EV023]", || {
        let version = "1.".repeat(100_000);
        edited(
            "content/claims.yaml",
            "C1:\n",
            &format!("C1:\n  holds: {{envoy: \"<{version}\"}}\n"),
        )
    }),
];

#[test]
fn records_are_data() {
    hold(CASES);
}
