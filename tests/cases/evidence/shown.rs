//! What readers see of the evidence.

use crate::support::World;

#[test]
fn case_15_a_banner_comes_with_the_day() {
    let (world, _) = World::recorded();
    world.edit(
        "content/claims.yaml",
        "expect: [\"ok(up)\"]",
        "expect: [\"ok(up)\"]\n  expires_after: 180d",
    );
    let stale = |day: &str| {
        let ended = world.labdoc(&format!("build --as-of {day}")).any_output().success();
        let page = world.read("public/lab.html");
        let state = page.split("id=\"record-C2\" data-state=\"").nth(1).expect("the record");
        let shown = state.starts_with("stale\"");
        assert_eq!(shown, ended.stderr.contains("EV206"), "page and findings say the same");
        shown
    };
    let today = world.runs()[0].clone();
    let day = &today.rsplit('/').next().expect("run")[..8];
    let near = format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..8]);
    assert!(!stale(&near));
    assert!(stale("2099-01-01"));
}

#[test]
fn case_20_markup_in_a_result_is_text() {
    let world = World::with_foreign();
    world.rewrite_result("T7", "labdoc-check: a pass exit=0\n</pre><img src=x onerror=alert(1)>\n");
    world.labdoc("build").any_output().success();
    let html = world.read("public/evidence/T7/f1/view/result.txt.html");
    assert!(!html.contains("<img src=x"), "{html}");
    assert!(html.contains("&lt;/pre&gt;&lt;img src=x onerror=alert(1)&gt;"), "{html}");
}

#[test]
fn case_21_a_token_in_a_result_stops_the_build() {
    let world = World::with_foreign();
    let token = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NSJ9", "c2lnbmF0dXJlLWhlcmU"].join(".");
    world.rewrite_result("T7", &format!("labdoc-check: a pass exit=0\n{token}\n"));
    let ended = world.labdoc("build").any_output().code(1);
    assert!(
        ended.stderr.contains("error[SE501]: T7/result.txt:2 looks like a JWT"),
        "{}",
        ended.stderr
    );
    assert!(!ended.stderr.contains(&token), "the value is not printed");
    assert!(!world.exists("public"));
}
