//! KT: kits.

use std::sync::atomic::{AtomicBool, Ordering};

use super::support::World;
use super::{Row, check, other, says};

/// The lab with one more file in its kit.
fn with(path: &str, content: &str) -> World {
    World::site("lab").file(&format!("labkit/demo/{path}"), content)
}

/// The lab with a sentence more on its first page.
fn said(text: &str) -> World {
    let world = World::site("lab");
    world.edit("content/index.md", "See the", &format!("{text}\n\nSee the"));
    world
}

/// Packs a kit while something writes to it, until the two packings are seen to differ.
fn packed_while_written() -> String {
    let world = with("big.bin", &"0123456789abcdef".repeat(1 << 17));
    let path = world.path("labkit/demo/big.bin");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use std::os::unix::fs::FileExt as _;
            let file = std::fs::File::options().write(true).open(&path).expect("open");
            let mut round = 0_u64;
            while !over.load(Ordering::Relaxed) {
                round += 1;
                file.write_all_at(&round.to_le_bytes(), 0).expect("write");
            }
        });
        let mut all = String::new();
        for _ in 0..20 {
            let out = says(&world, "kit pack demo --out dist");
            all.push_str(&out);
            if out.contains("KT312") {
                break;
            }
        }
        over.store(true, Ordering::Relaxed);
        all
    })
}

/// Checks an unpacked kit in which a file was changed.
fn changed_after_unpacking() -> String {
    let world = World::site("lab");
    world.labdoc("kit pack demo --out dist").any_output().success();
    world.bash("cd dist && tar xzf *.tar.gz && mv */ kit && echo >> kit/run.sh").success();
    says(&world, "kit check dist/kit")
}

pub(super) const ROWS: &[Row] = &[
    check("KT301", |_| {
        let world = said("[x](../labkit/demo/node_modules/)");
        world.write("labkit/demo/node_modules/x.js", "x");
        world
    }),
    check("KT302", |_| said("[x](../labkit/demo/rnu.sh)")),
    check("KT303", |_| with("a:b", "x")),
    check("KT304", |_| {
        let world = World::site("lab");
        std::os::unix::fs::symlink("/etc", world.path("labkit/demo/x")).expect("link");
        world
    }),
    check("KT305", |_| with("readme.md", "x")),
    check("KT306", |_| with("conf/index.html", "x")),
    check("KT307", |_| with("up.sh", "#!/bin/sh\r\ntrue\r\n")),
    check("KT308", |_| with("up.sh", "true\n")),
    check("KT309", |_| with(".env.example", "A=1\n")),
    check("KT310", |_| with("a.yaml", "a: 1\na: 2\n")),
    check("KT311", |_| said("```sh {include=labkit/demo/run.sh}\nother\n```")),
    other("KT312", |_| packed_while_written()),
    other("KT313", |_| changed_after_unpacking()),
    check("KT314", |_| World::site("lab")),
    check("KT315", |_| World::site("lab").file("labkit/Makefile", "all:\n")),
];
