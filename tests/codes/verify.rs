//! VR without a cluster: what a run of a page finds.

use std::time::Duration;

use super::support::{World, mark, wait_for};
use super::{Row, other, verify};

/// A page with one block.
fn block(header: &str, commands: &str) -> World {
    World::page(&format!("# A\n\n```sh {{{header}}}\n{commands}\n```\n"))
}

/// A page with a capture of its one block.
fn captured(pattern: &str, live: &str) -> World {
    World::page(&format!(
        "---\nverify: {{capture: {{a.n: '{pattern}'}}}}\n---\n\n{live}\n\n```sh {{#a}}\necho lost 3\n```\n"
    ))
}

/// What is said when a run is interrupted.
fn interrupted() -> String {
    let world = block("#a", "touch started; sleep 60");
    let child = world.labdoc("verify").spawn();
    wait_for("the block", Duration::from_secs(30), || world.exists("content/started"));
    world.bash(&format!("kill -s INT {}", child.id())).success();
    let ended = child.wait_with_output().expect("wait");
    String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned()
}

pub(super) const ROWS: &[Row] = &[
    verify("VR001", |_| World::page("```sh {#a}\necho 1\n```\n\n```output {for=a}\n2\n```\n")),
    verify("VR002", |_| block("#a", "false")),
    verify("VR003", |_| block("#a timeout=200ms", "sleep 60")),
    verify("VR004", |_| block("#a", "if true; fi")),
    verify("VR005", |_| captured("won (\\d+)", "x")),
    verify("VR006", |_| captured("lost (\\d+)", "It lost [4]{=a.n}.")),
    other("VR007", |_| interrupted()),
    verify("VR009", |_| block("#a", &format!("setsid sleep {} >/dev/null 2>&1 &", mark(9)))),
    verify("VR010", |_| block("#a", "false | true")),
    verify("VR011", |_| block("#a .background ready=port:1 timeout=1s", "exit 1")),
    verify("VR012", |_| block("#a retry=10s", "[ -e tried ] || { touch tried; exit 1; }")),
    verify("VR019", |_| block("#a", "trap 'echo the end' EXIT")),
];
