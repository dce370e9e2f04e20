//! Tests of the options on headers.

use crate::book::parse;
use crate::source::Sources;

/// The findings for a block with this header, code and marked text each.
fn check(header: &str, expect: &[(&str, &str)]) {
    let text = format!("```{header}\ntrue\n```\n");
    let mut sources = Sources::default();
    let file = sources.add("a.md", text);
    let page = parse(&sources, file);
    let found: Vec<(&str, &str)> = page
        .diagnostics
        .iter()
        .map(|finding| match finding.place {
            crate::diag::Place::Text(span) => (finding.code, sources.slice(span)),
            _ => (finding.code, ""),
        })
        .collect();
    assert_eq!(found, expect, "{header}");
}

#[test]
fn every_option_is_read() {
    check("sh {#a timeout=5s exit=any retry=30s needs=\"sh,bash>=4\" tags=x,y env=A,B}", &[]);
    check("sh {#a .background ready=port:8080}", &[]);
    check("sh {#a .background ready=\"text:now listening\"}", &[]);
    check("sh {#a .background ready=http://127.0.0.1:8080/x}", &[]);
    check("sh {#a .on-failure stderr=apart strict=true title=\"A b\"}", &[]);
    check("console {#a .unordered vary=n within=\"n:5%\"}", &[]);
}

#[test]
fn values_without_sense_point_at_themselves() {
    check("sh {#a retry=30}", &[("BL007", "retry=30")]);
    check("sh {#a exit=256}", &[("BL007", "exit=256")]);
    check("sh {#a strict=yes}", &[("BL007", "strict=yes")]);
    check("sh {#a stderr=none}", &[("BL007", "stderr=none")]);
    check("sh {#a env=1A}", &[("BL007", "env=1A")]);
    check("sh {#a needs=\"kubectl>=x\"}", &[("BL007", "needs=\"kubectl>=x\"")]);
    check("sh {#a .background ready=port:0}", &[("BL007", "ready=port:0")]);
    check("sh {#a .background ready=80}", &[("BL007", "ready=80")]);
    check("console {#a within=5}", &[("BL007", "within=5")]);
}

#[test]
fn options_that_exclude_one_another() {
    check("sh {#a ready=port:80}", &[("BL012", "ready=port:80")]);
    check("sh {#a .background retry=3s}", &[("BL012", "retry=3s")]);
    check("sh {#a .setup .teardown}", &[("BL012", ".teardown")]);
    check("sh {#a .setup .on-failure}", &[("BL012", ".on-failure")]);
    check("console {#a .background}", &[("BL012", ".background")]);
    check("console {#a .ordered .unordered}", &[("BL012", ".ordered")]);
    check("sh {#a tty=true stderr=apart}", &[("BL012", "tty=true")]);
    check("sh {#a within=\"n:1\"}", &[("BL006", "within=\"n:1\"")]);
}
