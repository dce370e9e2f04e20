//! `--report`: the same run for other programs.

use crate::support::World;

const PAGE: &str = "\
# T

```sh {#good}
echo yes
```

```output {for=good}
yes
```

```sh {#drifted}
echo '<new> & \"x\"'
```

```output {for=drifted}
old
```

```sh {#failed}
echo before; exit 3
```

```sh {#slow timeout=1s}
echo part; sleep 60
```

```sh {#not .skip}
true
```
";

fn world() -> World {
    let world = World::page(PAGE);
    world
        .labdoc("verify --report junit=out/r.xml,json=out/r.json,tap=out/r.tap")
        .any_output()
        .code(1);
    world
}

#[test]
fn junit_tells_drift_from_failure() {
    let world = world();
    let text = world.read("out/r.xml");
    assert!(text.contains("tests=\"5\" failures=\"1\" errors=\"2\" skipped=\"1\""), "{text}");
    assert!(text.contains("name=\"drifted\" file=\"content/a.md\" line=\"12\""), "{text}");
    assert!(text.contains("<failure type=\"drifted\" message=\"output differs\">"), "{text}");
    assert!(text.contains("+&lt;new&gt; &amp; &quot;x&quot;"), "{text}");
    assert!(text.contains("<error type=\"failed\" message=\"exit 3, expected 0\">"), "{text}");
    assert!(text.contains("<error type=\"broken\" message=\"time limit of 1s\">"), "{text}");
    assert!(text.contains("<skipped message=\"marked .skip\"/>"), "{text}");
    world.bash("python3 -c 'import xml.etree.ElementTree as t; t.parse(\"out/r.xml\")'").success();
}

#[test]
fn json_has_an_entry_for_each_block() {
    let world = world();
    let value: serde_json::Value = serde_json::from_str(&world.read("out/r.json")).expect("JSON");
    let blocks = value["pages"][0]["blocks"].as_array().expect("blocks");
    let of = |key: &str| blocks.iter().map(|b| b[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("id"), ["good", "drifted", "failed", "slow", "not"]);
    assert_eq!(of("outcome"), ["passed", "drifted", "failed", "broken", "skipped"]);
    assert_eq!(of("line"), [4, 12, 20, 24, 28]);
    assert_eq!(of("attempts"), [1, 1, 1, 1, 0]);
    assert_eq!(blocks[2]["exit"], 3);
    assert!(blocks[3]["duration_ms"].as_f64().expect("number") >= 1000.0);
    assert_eq!(blocks[3]["output"], "part\n");
}

#[test]
fn tap_has_a_test_for_each_block() {
    let world = world();
    let text = world.read("out/r.tap");
    assert!(text.starts_with("TAP version 14\n1..5\nok 1 - content/a.md: good\n  ---\n"), "{text}");
    assert!(text.contains("\nnot ok 2 - content/a.md: drifted\n  ---\n  message: \"output differs\"\n  severity: \"drifted\"\n"), "{text}");
    assert!(text.contains("\nok 5 - content/a.md: not # SKIP marked .skip\n"), "{text}");
}

#[test]
fn annotations_stand_beside_the_line() {
    let world = World::page(PAGE);
    let ended = world.labdoc("verify --report github").any_output().code(1);
    let lines: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with("::")).collect();
    assert!(lines[0].starts_with("::error file=content/a.md,line=16,col=1,title=labdoc VR001::the output of block `drifted` differs from the page%0A"), "{lines:?}");
    assert!(
        lines[1].starts_with("::error file=content/a.md,line=20,col=1,title=labdoc VR002::"),
        "{lines:?}"
    );
}

#[test]
fn json_lines_stay_what_they_are() {
    let world = World::page(PAGE);
    let ended = world.labdoc("verify --json --report github,json=r.json").any_output().code(1);
    let lines: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (last, findings) = lines.split_last().expect("lines");
    assert_eq!(last["summary"]["drifted"], 1);
    for finding in findings {
        assert!(finding["code"].as_str().is_some_and(|code| !code.is_empty()), "{finding}");
    }
}

#[test]
fn a_page_that_cannot_be_run_is_in_the_reports() {
    let world = World::page("```sh {#a timout=1s}\ntouch ran\n```\n");
    world.labdoc("verify --report junit=r.xml,tap=r.tap").any_output().code(1);
    let text = world.read("r.xml");
    assert!(text.contains("errors=\"1\"") && text.contains("BL010: `timout=`"), "{text}");
    assert!(world.read("r.tap").contains("not ok 1 - content/a.md: page\n"));
    assert!(!world.exists("content/ran"));
    let ended = world.labdoc("verify --report xml=x").any_output().code(2);
    assert!(ended.stderr.contains("junit=FILE, json=FILE, tap=FILE or github"));
}
