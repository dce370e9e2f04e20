//! EV0, EV2, SE: claims, corrections, the ledger, what is stale, what must not be published.

use super::support::World;
use super::{Row, Scenes, check};

const PAGE: &str = "content/guide.md";
const CLAIMS: &str = "content/claims.yaml";
const CORRECTIONS: &str = "evidence/corrections.yaml";

/// The proven site with one more sentence on its first page.
fn said(scenes: &Scenes, text: &str) -> World {
    scenes.edited("content/index.md", "See the", &format!("{text}\n\nSee the"))
}

/// Three parts that no text may hold together.
fn token() -> String {
    ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NSJ9", "c2lnbmF0dXJlLWhlcmU"].join(".")
}

/// The proven site with a foreign bundle T8 with this in its result.
fn result(scenes: &Scenes, line: &str) -> World {
    let world = scenes.edited(CLAIMS, "[T3]", "[T3, T8]");
    world.foreign("T8", &["C7"]);
    world.rewrite_result("T8", &format!("labdoc-check: a pass exit=0\n{line}\n"));
    world
}

pub(super) const ROWS: &[Row] = &[
    check("EV001", |s| said(s, "[It is so.]{#C2}")),
    check("EV002", |s| s.edited("content/setup.md", "It is free.", "It is quick.")),
    check("EV003", |s| said(s, "As [C99] says.")),
    check("EV004", |s| s.edited(CLAIMS, "grade: official", "grade: tested")),
    check("EV005", |s| s.edited(CLAIMS, "  evidence: [S1]\n", "")),
    check("EV006", |s| s.edited(CLAIMS, "[T1#calm]", "[T70]")),
    check("EV007", |s| s.edited("evidence/T3/manifest.yaml", "[C7]", "[C7, C2]")),
    check("EV008", |s| {
        let world = s.edited(PAGE, "# Failover", "# Failover");
        world.foreign("T8", &[]);
        world
    }),
    check("EV009", |s| s.edited(CLAIMS, "[T1#calm]", "[R1]")),
    check("EV010", |s| s.edited("evidence/sources.yaml", "  locator: Chapter 3\n", "")),
    check("EV011", |s| s.edited(CLAIMS, "[C1, C2]", "[C1, C3]")),
    check("EV012", |s| s.edited("labkit/probe/run.sh", "# Prints", "# prints")),
    check("EV013", |s| {
        let world = s.edited(PAGE, "[The vendor says that it has none.]{#C4}\n", "");
        world.edit(CLAIMS, "C4:\n  grade: official\n  evidence: [S1]\n", "");
        world
    }),
    check("EV014", |s| s.edited(PAGE, "none is lost", "few are lost")),
    check("EV015", |s| s.edited(CORRECTIONS, "nobody asked", "it is not")),
    check("EV016", |s| s.edited(CLAIMS, "grade: reported", "grade: measured")),
    check("EV017", |s| {
        let world = s.edited(PAGE, "# Failover", "# Failover");
        std::fs::remove_dir_all(world.path("evidence/ledger")).expect("remove");
        world
    }),
    check("EV018", |s| s.edited(CLAIMS, "  expect: [\"calm.lost == 0\"]\n", "")),
    check("EV019", |s| s.edited(PAGE, "[10]{=}", "10")),
    check("EV020", |s| said(s, "[It is so.]{#C20}")),
    check("EV021", |s| s.edited(CLAIMS, "calm.lost == 0\"]", "calm.lots == 0\"]")),
    check("EV022", |s| s.edited(PAGE, "# Failover", "# [Failover]{#C20}")),
    check("EV023", |s| s.edited(CLAIMS, "probe: \"<2\"", "probe: \">=2\"")),
    check("EV024", |s| s.edited(CLAIMS, "expires_after: 36500d", "expires_after: soon")),
    check("EV201", |s| s.edited(PAGE, "none is lost", "few are lost")),
    check("EV202", |s| s.edited("labkit/probe/run.sh", "# Prints", "# prints")),
    check("EV203", |s| s.edited("evidence/T3/run.sh", "lost 3", "lost 4")),
    check("EV204", |s| s.edited(PAGE, "echo probe", "echo  probe")),
    check("EV205", |s| s.edited(PAGE, "{probe: \"1.2\"}", "{probe: \"1.3\"}")),
    check("EV206", |s| {
        let world = s.edited(CLAIMS, "expires_after: 36500d", "expires_after: 30d");
        world.edit("evidence/reports.yaml", "2026-01-04", "2099-01-04");
        world
    }),
    check("EV207", |s| s.edited("evidence/sources.yaml", "2026-01-10", "1901-01-10")),
    check("EV208", |s| s.edited(PAGE, "kept 10\n", "kept 11\n")),
    check("EV209", |s| {
        let waiver = "C2: {state: stale, until: \"2026-01-01\", reason: r, by: jane}\n";
        s.edited(PAGE, "# Failover", "# Failover").file("evidence/waivers.yaml", waiver)
    }),
    check("EV210", |s| s.edited(PAGE, "[3]{=flip.lost}", "[2]{=flip.lost}")),
    check("SE501", |_| World::site("lab").file("labkit/demo/token", token())),
    check("SE502", |s| {
        let world = s.edited("evidence/reports.yaml", "r1.md", "r1.html");
        std::fs::rename(
            world.path("evidence/reports/r1.md"),
            world.path("evidence/reports/r1.html"),
        )
        .expect("rename");
        world
    }),
    check("SE503", |s| result(s, "a\u{202e}b")),
    check("SE504", |s| s.edited("evidence/sources.yaml", "https:", "ftp:")),
    check("SE505", |s| result(s, "/home/jane/lab")),
];
