//! Single changes that break a proof: each is found by its code, naming what was changed.

use super::run_of;
use super::support::{World, try_all};

/// One change and the findings that it must lead to.
struct Mutation {
    /// What is changed.
    name: &'static str,
    /// Changes it.
    change: fn(&World),
    /// The findings: a code, and words that stand in its sentence or below it.
    found: &'static [(&'static str, &'static [&'static str])],
}

const PAGE: &str = "content/guide.md";
const CLAIMS: &str = "content/claims.yaml";

/// The table.
const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "the wording of a claim",
        change: |w| w.edit(PAGE, "none is lost", "few are lost"),
        found: &[
            ("EV201", &["claim C2 is stale: its wording changed after run"]),
            ("EV014", &["wording of C2", "none is lost", "few are lost"]),
        ],
    },
    Mutation {
        name: "a number in the wording of a claim",
        change: |w| w.edit(PAGE, "[10]{=}", "[11]{=}"),
        found: &[("EV201", &["claim C1"]), ("EV014", &["wording of C1", "10", "11"])],
    },
    Mutation {
        name: "a grade raised",
        change: |w| w.edit(CLAIMS, "grade: reported", "grade: measured"),
        found: &[
            ("EV016", &["grade of C5 rose from reported to measured"]),
            ("EV009", &["claim C5 is graded measured", "report R1", "add a run"]),
        ],
    },
    Mutation {
        name: "a grade that the evidence is not of",
        change: |w| w.edit(CLAIMS, "grade: reported", "grade: official"),
        found: &[("EV009", &["claim C5 is graded official", "report R1", "name a source"])],
    },
    Mutation {
        name: "the evidence of a claim",
        change: |w| w.edit(CLAIMS, "[T1#calm]", "[T7#calm]"),
        found: &[("EV006", &["claim C2 names bundle T7"])],
    },
    Mutation {
        name: "the evidence names another block",
        change: |w| w.edit(CLAIMS, "[T1#calm]", "[T1#clam]"),
        found: &[("EV006", &["claim C2 names block `clam` of T1", "did you mean calm?"])],
    },
    Mutation {
        name: "an expectation loosened",
        change: |w| w.edit(CLAIMS, "flip.lost == 3", "flip.lost <= 5"),
        found: &[("EV201", &["claim C1 is stale"])],
    },
    Mutation {
        name: "an expectation that the run does not meet",
        change: |w| w.edit(CLAIMS, "flip.kept == 7", "flip.kept == 8"),
        found: &[("EV104", &["claim C1", "`flip.kept == 8` does not hold", "7"])],
    },
    Mutation {
        name: "the expectations emptied",
        change: |w| w.edit(CLAIMS, "expect: [\"calm.lost == 0\"]", "expect: []"),
        found: &[("EV018", &["claim C2 is measured but has no `expect`"])],
    },
    Mutation {
        name: "the environments of a claim widened",
        change: |w| w.edit(CLAIMS, "probe: \"<2\"", "probe: \"<3\""),
        found: &[("EV201", &["claim C1 is stale"])],
    },
    Mutation {
        name: "the environments of a claim, so that no run counts",
        change: |w| w.edit(CLAIMS, "probe: \"<2\"", "probe: \">=2\""),
        found: &[("EV023", &["claim C1 is pending", "(probe >=2)"])],
    },
    Mutation {
        name: "the control dropped",
        change: |w| w.edit(CLAIMS, "  control: \"calm.lost == 0\"\n", ""),
        found: &[("EV201", &["claim C1 is stale"])],
    },
    Mutation {
        name: "a live number edited by hand",
        change: |w| w.edit(PAGE, "[3]{=flip.lost}", "[2]{=flip.lost}"),
        found: &[("EV210", &["content/guide.md:18", "live number 2", "flip.lost", ": 3)"])],
    },
    Mutation {
        name: "printed output edited by hand",
        change: |w| w.edit(PAGE, "lost 0\nkept 10\n", "lost 0\nkept 11\n"),
        found: &[("EV208", &["block `calm`", "result.txt"])],
    },
    Mutation {
        name: "printed output that breaks an expectation",
        change: |w| w.edit(PAGE, "lost 3\nkept 7\n", "lost 2\nkept 7\n"),
        found: &[("EV208", &["block `flip`"]), ("EV104", &["claim C1", "flip.lost == 3", "2"])],
    },
    Mutation {
        name: "a command",
        change: |w| w.edit(PAGE, "sh run.sh conf/calm.conf\n", "sh ./run.sh conf/calm.conf\n"),
        found: &[("EV204", &["claim C2", "block `calm`", "content/guide.md"])],
    },
    Mutation {
        name: "a block before the one that is named",
        change: |w| w.edit(PAGE, "echo probe 1.2.3\n", "true; echo probe 1.2.3\n"),
        found: &[("EV204", &["claim C2", "block `version`"])],
    },
    Mutation {
        name: "an option of a block",
        change: |w| w.edit(PAGE, "{#flip}", "{#flip exit=any}"),
        found: &[("EV204", &["claim C1", "block `flip`"])],
    },
    Mutation {
        name: "an elision in the printed output",
        change: |w| w.edit(PAGE, "lost 3\nkept 7\n", "lost 3\n...\n"),
        found: &[("EV204", &["claim C1", "block `flip`"])],
    },
    Mutation {
        name: "a capture",
        change: |w| w.edit(PAGE, "flip.kept: 'kept (\\d+)'", "flip.kept: '(\\d+)'"),
        found: &[("EV204", &["claim C1", "capture `flip.kept`"])],
    },
    Mutation {
        name: "a block taken out",
        change: |w| {
            w.edit(PAGE, "```sh {#version}\necho probe 1.2.3\n```\n\n```output {for=version}\nprobe 1.2.3\n```\n\n", "")
        },
        found: &[("PG009", &["version.probe"])],
    },
    Mutation {
        name: "a byte of a kit file",
        change: |w| w.edit("labkit/probe/run.sh", "# Prints", "# prints"),
        found: &[
            ("EV202", &["claim C1 is stale: kit files changed since the run: run.sh"]),
            ("EV202", &["claim C2 is stale: kit files changed since the run: run.sh"]),
        ],
    },
    Mutation {
        name: "a kit file added that a run would see",
        change: |w| w.write("labkit/probe/conf/more.conf", "1 1\n"),
        found: &[("EV202", &["claim C1", "conf/more.conf (new)"])],
    },
    Mutation {
        name: "a kit file taken away",
        change: |w| std::fs::remove_file(w.path("labkit/probe/conf/flip.conf")).expect("remove"),
        found: &[("EV202", &["claim C1", "conf/flip.conf (gone)"])],
    },
    Mutation {
        name: "the script of a run",
        change: |w| append(w, &format!("{}/run.sh", run_of(w, "T1")), "# more\n"),
        found: &[("EV103", &["T1: run.sh is not the file the verdict describes"])],
    },
    Mutation {
        name: "the manifest of a run",
        change: |w| w.edit(&format!("{}/manifest.yaml", run_of(w, "T1")), "Failover", "Failures"),
        found: &[("EV103", &["T1: manifest.yaml is not the file the verdict describes"])],
    },
    Mutation {
        name: "the script of a foreign run",
        change: |w| append(w, "evidence/T3/run.sh", "# more\n"),
        found: &[("EV203", &["claim C7 is stale: run.sh of T3 changed since the run"])],
    },
    Mutation {
        name: "the manifest of a foreign run",
        change: |w| w.edit("evidence/T3/manifest.yaml", "by others", "by us"),
        found: &[("EV203", &["claim C7 is stale: manifest.yaml of T3 changed since the run"])],
    },
    Mutation {
        name: "a line of a result",
        change: |w| w.edit(&format!("{}/result.txt", run_of(w, "T1")), "kept 7", "kept 8"),
        found: &[("EV103", &["T1: result.txt is not the file the verdict describes"])],
    },
    Mutation {
        name: "a check line of a foreign result, with the verdict made to describe it",
        change: |w| {
            let before = w.read("evidence/T3/result.txt");
            let after = before.replace("b pass exit=0", "b fail exit=1");
            w.write("evidence/T3/result.txt", &after);
            let (from, to) = (World::sha256(before.as_bytes()), World::sha256(after.as_bytes()));
            w.edit("evidence/T3/verdict.json", &from, &to);
        },
        found: &[(
            "EV106",
            &["T3: verdict says pass of check `b`", "T3/result.txt:3 reports fail"],
        )],
    },
    Mutation {
        name: "a field of a verdict",
        change: |w| {
            w.edit(
                &format!("{}/verdict.json", run_of(w, "T1")),
                "\"who\":\"author\"",
                "\"who\":\"ci\"",
            )
        },
        found: &[("EV115", &["T1: verdict.json was edited after the run"])],
    },
    Mutation {
        name: "a captured value of a verdict",
        change: |w| {
            w.edit(
                &format!("{}/verdict.json", run_of(w, "T1")),
                "\"flip.lost\":{\"value\":\"3\"",
                "\"flip.lost\":{\"value\":\"2\"",
            )
        },
        found: &[("EV115", &["T1: verdict.json was edited after the run"])],
    },
    Mutation {
        name: "a captured value of a foreign verdict",
        change: |w| w.edit("evidence/T3/verdict.json", "\"value\":\"3\"", "\"value\":\"2\""),
        found: &[("EV106", &["T3", "a.lost", "result.txt:1"])],
    },
    Mutation {
        name: "the exit code of a foreign verdict",
        change: |w| w.edit("evidence/T3/verdict.json", "\"exit_code\":0", "\"exit_code\":1"),
        found: &[("EV106", &["T3: verdict says pass, but exit code is 1"])],
    },
    Mutation {
        name: "a check removed from a foreign verdict",
        change: |w| {
            w.edit(
                "evidence/T3/verdict.json",
                ",{\"id\":\"b\",\"outcome\":\"pass\",\"exit\":0}",
                "",
            )
        },
        found: &[(
            "EV107",
            &["T3: planned check `b` is not in the verdict (2 planned, 1 reported)"],
        )],
    },
    Mutation {
        name: "a check removed from a verdict of our own",
        change: |w| {
            let path = format!("{}/verdict.json", run_of(w, "T1"));
            let text = w.read(&path);
            let from = text.find("{\"id\":\"flip\"").expect("the check");
            let to = from + text[from..].find("},").expect("its end") + 2;
            w.write(&path, format!("{}{}", &text[..from], &text[to..]));
        },
        found: &[("EV115", &["T1"]), ("EV107", &["T1: planned check `flip`"])],
    },
    Mutation {
        name: "two runs swapped",
        change: |w| {
            let (one, other) = (w.path(&run_of(w, "T1")), w.path(&run_of(w, "T2")));
            std::fs::rename(&one, w.path("evidence/T2/moved")).expect("move");
            std::fs::rename(&other, one).expect("move");
            std::fs::rename(w.path("evidence/T2/moved"), other).expect("move");
        },
        found: &[
            ("EV108", &["T1: verdict.json belongs to bundle T2"]),
            ("EV108", &["T2: verdict.json belongs to bundle T1"]),
        ],
    },
    Mutation {
        name: "a run of another bundle in the place of the one",
        change: |w| {
            let (one, other) = (run_of(w, "T1"), run_of(w, "T2"));
            for name in ["manifest.yaml", "run.sh", "result.txt", "verdict.json"] {
                w.write(&format!("{one}/{name}"), w.bytes(&format!("{other}/{name}")));
            }
        },
        found: &[("EV108", &["T1: verdict.json belongs to bundle T2"])],
    },
    Mutation {
        name: "a newer run that fails",
        change: |w| {
            w.edit("labkit/probe/conf/flip.conf", "3 7", "4 6");
            w.labdoc("verify content/guide.md --record").any_output().code(1);
            w.edit("labkit/probe/conf/flip.conf", "4 6", "3 7");
        },
        found: &[
            ("EV104", &["claim C1: evidence failed", "check `flip`"]),
            ("EV112", &["T1: a newer run", "failed; the pass of", "does not count"]),
        ],
    },
    Mutation {
        name: "a file of a run emptied",
        change: |w| w.write(&format!("{}/result.txt", run_of(w, "T2")), ""),
        found: &[("EV101", &["bundle T2: result.txt is empty (0 bytes)"])],
    },
    Mutation {
        name: "a file of a run taken away",
        change: |w| {
            std::fs::remove_file(w.path(&format!("{}/verdict.json", run_of(w, "T2"))))
                .expect("remove");
        },
        found: &[("EV101", &["bundle T2: verdict.json is missing"])],
    },
    Mutation {
        name: "a byte of a report",
        change: |w| w.edit("evidence/reports/r1.md", "lost 3", "lost 2"),
        found: &[("EV116", &["report R1: the file has sha256", "reports.yaml says"])],
    },
    Mutation {
        name: "a report and its digest",
        change: |w| {
            let before = w.read("evidence/reports/r1.md");
            let after = before.replace("lost 3", "lost 2");
            w.write("evidence/reports/r1.md", &after);
            let (from, to) = (World::sha256(before.as_bytes()), World::sha256(after.as_bytes()));
            w.edit("evidence/reports.yaml", &from, &to);
        },
        found: &[("EV116", &["report R1: reports.yaml says sha256", "was sealed on"])],
    },
    Mutation {
        name: "the quote of a source",
        change: |w| w.edit("evidence/sources.yaml", "costs nothing", "costs little"),
        found: &[("EV207", &["claim C4", "quote of source S1", "A failover costs nothing."])],
    },
    Mutation {
        name: "the date of a source",
        change: |w| w.edit("evidence/sources.yaml", "2026-01-10", "1901-01-10"),
        found: &[("EV207", &["claim C4 is stale: source S1 was read on 1901-01-10"])],
    },
    Mutation {
        name: "the version of a source",
        change: |w| {
            w.edit("evidence/sources.yaml", "product_version: \"1.2\"", "product_version: \"1.1\"")
        },
        found: &[("EV207", &["claim C4", "source S1", "for version 1.1, document is for 1.2"])],
    },
    Mutation {
        name: "the quote of a source taken away",
        change: |w| w.edit("evidence/sources.yaml", "  quote: A failover costs nothing.\n", ""),
        found: &[("EV010", &["source S1 has no quote"])],
    },
    Mutation {
        name: "a correction edited",
        change: |w| w.edit("evidence/corrections.yaml", "nobody asked", "it is not"),
        found: &[("EV015", &["correction K2: entry edited after it was sealed"])],
    },
    Mutation {
        name: "corrections reordered",
        change: |w| {
            let text = w.read("evidence/corrections.yaml");
            let at = text.find("K2:").expect("K2");
            w.write("evidence/corrections.yaml", format!("{}{}", &text[at..], &text[..at]));
        },
        found: &[("EV015", &["correction K1: number out of order, behind 2026-01-06 (K2)"])],
    },
    Mutation {
        name: "a correction taken out",
        change: |w| {
            let text = w.read("evidence/corrections.yaml");
            let at = text.find("K2:").expect("K2");
            w.write("evidence/corrections.yaml", &text[..at]);
        },
        found: &[("EV015", &["correction K2: entry was sealed and is gone"])],
    },
    Mutation {
        name: "the ledger dropped",
        change: |w| std::fs::remove_dir_all(w.path("evidence/ledger")).expect("remove"),
        found: &[("EV017", &["evidence/ledger/ is missing although the evidence was sealed"])],
    },
    Mutation {
        name: "a seal edited",
        change: |w| {
            let name = format!("evidence/ledger/{}", w.names("evidence/ledger")[0]);
            w.edit(&name, "none is lost", "few are lost");
        },
        found: &[("EV017", &["evidence/ledger/"])],
    },
    Mutation {
        name: "the page's environment raised",
        change: |w| w.edit(PAGE, "environment: {probe: \"1.2\"}", "environment: {probe: \"1.3\"}"),
        found: &[
            ("EV205", &["claim C1", "the document is for probe 1.3, the run was on 1.2.3"]),
            ("EV207", &["claim C4", "document is for 1.3"]),
            ("EV012", &["claim C3 (logical) rests on C1, which is stale"]),
        ],
    },
    Mutation {
        name: "a premise that no longer stands",
        change: |w| w.edit("labkit/probe/conf/calm.conf", "0 10", "0 11"),
        found: &[("EV012", &["claim C3 (logical) rests on C2, which is stale"])],
    },
    Mutation {
        name: "a premise gone",
        change: |w| w.edit(CLAIMS, "evidence: [C1, C2]", "evidence: [C1, C21]"),
        found: &[("EV003", &["C3", "claim C21"])],
    },
    Mutation {
        name: "a published claim taken out",
        change: |w| {
            w.edit(PAGE, "[Without a failover none is lost.]{#C2}\n", "");
            w.edit(
                CLAIMS,
                "C2:\n  grade: measured\n  evidence: [T1#calm]\n  expect: [\"calm.lost == 0\"]\n",
                "",
            );
            w.edit(CLAIMS, "[C1, C2]", "[C1]");
        },
        found: &[("EV013", &["claim C2 was published on", "and is gone"])],
    },
    Mutation {
        name: "the id of a withdrawn claim used again",
        change: |w| w.edit("content/setup.md", "[It is free.]{#C8}", "[It is quick.]{#C8}"),
        found: &[(
            "EV002",
            &["claim id C8 was withdrawn on 2026-01-06 (K2)", "next free id is C9"],
        )],
    },
    Mutation {
        name: "an age limit that the run is over",
        change: |w| {
            w.edit(CLAIMS, "expires_after: 36500d", "expires_after: 1d");
            w.edit("evidence/reports.yaml", "2026-01-04", "2099-01-04");
        },
        found: &[("EV206", &["claim C1 is stale: last run", "limit 1 day", "as of 2099-01-04"])],
    },
    Mutation {
        name: "a waiver that has ended",
        change: |w| {
            w.write(
                "evidence/waivers.yaml",
                "C2: {state: stale, until: \"2026-01-01\", reason: r, by: jane}\n",
            )
        },
        found: &[("EV209", &["waiver for C2 ended on 2026-01-01"])],
    },
    Mutation {
        name: "a bundle named by two pages",
        change: |w| w.edit("content/setup.md", "bundle: T2", "bundle: T1"),
        found: &[("EV117", &["bundle T1 is named by content/guide.md and content/setup.md"])],
    },
    Mutation {
        name: "a result that holds a token",
        change: |w| {
            let token =
                ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NSJ9", "c2lnbmF0dXJlLWhlcmU"].join(".");
            append(w, "evidence/reports/r1.md", &token);
        },
        found: &[("SE501", &["reports/r1.md:4 looks like a JWT"])],
    },
];

/// Adds text to the end of a file.
fn append(world: &World, path: &str, text: &str) {
    world.write(path, world.read(path) + text);
}

#[test]
fn each_single_mutation_is_found_by_its_code_naming_the_thing() {
    let green = World::proven();
    assert!(MUTATIONS.len() >= 30);
    try_all(MUTATIONS, |mutation| {
        let world = green.copy();
        (mutation.change)(&world);
        let ended = world.labdoc("check --release").end();
        if ended.code != Some(1) {
            return Err(format!("{}: exit {:?}\n{}", mutation.name, ended.code, ended.stderr));
        }
        let findings: Vec<&str> = ended.stderr.split("\n\n").collect();
        for (code, words) in mutation.found {
            let says = |finding: &&&str| {
                finding.contains(&format!("[{code}]: "))
                    && words.iter().all(|w| finding.contains(w))
            };
            if !findings.iter().any(|finding| says(&finding)) {
                return Err(format!(
                    "{}: no {code} with {words:?} in\n{}",
                    mutation.name, ended.stderr
                ));
            }
        }
        Ok(())
    });
}
