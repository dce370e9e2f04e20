//! Changes that leave every proof as it was: no state changes, and a release has no finding.

use super::run_of;
use super::support::{World, try_all};

/// One change that must not matter.
struct Harmless {
    /// What is changed.
    name: &'static str,
    /// Changes it.
    change: fn(&World),
}

const PAGE: &str = "content/guide.md";
const CLAIMS: &str = "content/claims.yaml";

/// The table.
const CHANGES: &[Harmless] = &[
    Harmless {
        name: "the paragraph of the claims wrapped otherwise",
        change: |w| {
            w.edit(PAGE, "connections\nand keeps", "connections and\n  keeps");
            w.edit(PAGE, "{#C1}\n[Without a failover", "{#C1} [Without\na failover");
        },
    },
    Harmless {
        name: "a word of a claim emphasised",
        change: |w| w.edit(PAGE, "Without a failover", "Without a *failover*"),
    },
    Harmless {
        name: "a claim in another Unicode form",
        change: |w| w.edit(PAGE, "café", "cafe\u{301}"),
    },
    Harmless {
        name: "the prose around the claims",
        change: |w| {
            w.edit(PAGE, "# Failover\n", "# Failover\n\nNothing here is a claim; 4 lines.\n")
        },
    },
    Harmless {
        name: "the theme",
        change: |w| {
            w.write("static/labdoc.css", "body { margin: 0; color: green }\n");
            let words = concat!(env!("CARGO_MANIFEST_DIR"), "/templates/i18n/en.json");
            let words = std::fs::read_to_string(words).expect("words");
            w.write("templates/i18n/en.json", words.replace("On this page", "What is here"));
        },
    },
    Harmless {
        name: "the times of all files",
        change: |w| {
            let line = "find . -type f -exec touch -d 2001-01-01 {} +";
            w.bash(line).success();
        },
    },
    Harmless {
        name: "mode bits lost, and gained",
        change: |w| {
            w.bash("chmod -R a-x,go-r,u+rwX labkit evidence content").success();
            w.mode("labkit/probe/conf/flip.conf", 0o777);
        },
    },
    Harmless {
        name: "another page, with a claim of its own",
        change: |w| {
            w.edit("content/index.md", "See the", "[The vendor says more.]{#C9} See the");
            w.write(CLAIMS, w.read(CLAIMS) + "C9: {grade: official, evidence: [S1]}\n");
        },
    },
    Harmless {
        name: "archives of the kit packed again",
        change: |w| {
            w.labdoc("kit pack --out dist").any_output().success();
            w.labdoc("build").any_output().success();
        },
    },
    Harmless {
        name: "a block that nobody rests on",
        change: |w| w.edit(PAGE, "echo nobody rests on this", "echo nobody at all"),
    },
    Harmless {
        name: "a block behind the ones that count",
        change: |w| w.write(PAGE, w.read(PAGE) + "\n```sh {#more}\necho more\n```\n"),
    },
    Harmless {
        name: "the order of entries, and of the keys in them",
        change: |w| {
            let text = w.read(CLAIMS);
            let at = text.find("C6:").expect("C6");
            w.write(CLAIMS, format!("# In another order.\n{}{}", &text[at..], &text[..at]));
            w.edit(
                CLAIMS,
                "  grade: official\n  evidence: [S1]\n",
                "  evidence: [S1]\n  grade: official\n",
            );
            w.edit(CLAIMS, "flip.lost == 3", "flip.lost==3");
        },
    },
    Harmless {
        name: "prose, header and YAML checked out with Windows line ends",
        change: |w| {
            for path in [
                PAGE,
                CLAIMS,
                "content/setup.md",
                "book.toml",
                "evidence/sources.yaml",
                "evidence/corrections.yaml",
                "evidence/reports.yaml",
            ] {
                w.write(path, w.read(path).replace('\n', "\r\n"));
            }
        },
    },
    Harmless {
        name: "values that may vary, renamed in a refresh",
        change: |w| w.edit(PAGE, "at 203.0.113.1\n", "at 203.0.113.77\n"),
    },
    Harmless {
        name: "a kit file that no run could see",
        change: |w| w.edit("labkit/probe/README.md", "nobody", "anybody"),
    },
    Harmless {
        name: "another run with the same inputs, which passes",
        change: |w| {
            w.labdoc("verify --record").any_stdout().success();
            assert_eq!(w.runs_of("T1").len(), 2);
        },
    },
    Harmless {
        name: "the title, the tags and the place of the claim's paragraph",
        change: |w| {
            w.edit(PAGE, "title: Failover", "title: Failing over\ntags: [price]");
            let moved = "[Without a failover none is lost.]{#C2}\n";
            w.edit(PAGE, moved, "");
            w.write(PAGE, w.read(PAGE) + "\n" + moved);
        },
    },
    Harmless {
        name: "a seal made again, and its file under another folder order",
        change: |w| {
            w.labdoc("evidence seal").any_stdout().success();
            let run = run_of(w, "T1");
            let all = w.bytes(&format!("{run}/result.txt"));
            std::fs::remove_file(w.path(&format!("{run}/result.txt"))).expect("remove");
            w.write(&format!("{run}/result.txt"), all);
        },
    },
    Harmless {
        name: "where the folder lies, and a repository around it",
        change: |w| {
            w.bash("git init -q . && git add -A").any_output().success();
        },
    },
];

/// The state of each claim of the green site, as the export says it.
fn states(world: &World) -> Vec<String> {
    world.labdoc("build --out record").end();
    let text = match world.exists("record/evidence/record.json") {
        true => world.read("record/evidence/record.json"),
        false => return vec!["nothing was built".to_owned()],
    };
    std::fs::remove_dir_all(world.path("record")).expect("remove");
    let record: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let claims = record["claims"].as_array().expect("claims").iter();
    let mut out: Vec<String> = claims
        .filter(|claim| claim["id"] != "C9")
        .map(|claim| format!("{} {} {}", claim["id"], claim["state"], claim["reasons"]))
        .collect();
    out.sort();
    out
}

#[test]
fn no_harmless_change_changes_a_state() {
    let green = World::proven();
    let before = states(&green);
    assert!(CHANGES.len() >= 15 && before.len() == 8, "{before:?}");
    try_all(CHANGES, |harmless| {
        let world = green.copy();
        (harmless.change)(&world);
        let ended = world.labdoc("check --release").end();
        let after = states(&world);
        if ended.code == Some(0) && ended.stderr.is_empty() && after == before {
            return Ok(());
        }
        Err(format!("{}: exit {:?}\n{}{after:#?}", harmless.name, ended.code, ended.stderr))
    });
}
