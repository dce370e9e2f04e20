use super::*;
use crate::kit::testing::Site;
use crate::kit::walk::LeftOut;

/// Resolves a link from `content/guide/a.md` and says where it leads.
fn check(link: &str, expect: &str) {
    let site = Site::with(&[
        ("app/scripts/down.sh", "#!/bin/sh\n"),
        ("app/Makefile", "all:\n"),
        ("app/README.md", "x"),
        ("app/한글/a.md", "x"),
        ("app/target/x.o", "x"),
    ]);
    let kits = [site.kit("app")];
    let said = match resolve(&kits, "content/guide/a.md", link) {
        None => "none".to_owned(),
        Some(Ok(Route { path, fragment: None })) => path,
        Some(Ok(Route { path, fragment: Some(fragment) })) => format!("{path}#{fragment}"),
        Some(Err(finding)) => {
            format!("{} {} ({})", finding.code, finding.message, finding.hint.unwrap_or_default())
        }
    };
    assert_eq!(said, expect, "{link}");
}

#[test]
fn files_lead_to_viewers_and_folders_to_indexes() {
    check("../../labkit/app/scripts/down.sh", "kit/app/view/scripts/down.sh.html");
    check("../../labkit/app/scripts/down.sh#L2", "kit/app/view/scripts/down.sh.html#L2");
    check("../../labkit/app/Makefile", "kit/app/view/Makefile.html");
    check("../../labkit/app/README.md", "kit/app/view/README.md.html");
    check("../../labkit/app/scripts", "kit/app/files/scripts/index.html");
    check("../../labkit/app/scripts/", "kit/app/files/scripts/index.html");
    check("../../labkit/app/%ED%95%9C%EA%B8%80/a.md", "kit/app/view/한글/a.md.html");
    check("../../labkit/app", "kit/app/index.html");
    check("../../labkit/app/", "kit/app/index.html");
    check("../../labkit/", "kit/index.html");
    check("../../labkit", "kit/index.html");
}

#[test]
fn other_links_are_not_ours() {
    for link in
        ["b.md", "https://labkit/app", "#x", "/labkit/app", "../../../labkit", "../../labkits/a"]
    {
        check(link, "none");
    }
}

#[test]
fn what_is_not_there_has_a_finding() {
    check(
        "../../labkit/app/scripts/dwon.sh",
        "KT302 link to labkit/app/scripts/dwon.sh, which does not exist (did you mean scripts/down.sh?)",
    );
    check(
        "../../labkit/app/down.sh",
        "KT302 link to labkit/app/down.sh, which does not exist (did you mean scripts/down.sh?)",
    );
    check(
        "../../labkit/ap/Makefile",
        "KT302 link to labkit/ap/Makefile, which does not exist (did you mean app?)",
    );
    check(
        "../../labkit/app/manifests/",
        "KT301 link to folder labkit/app/manifests, which would be 404: not part of the kit \
         (a folder is published when it has a file in it)",
    );
    check(
        "../../labkit/app/target",
        "KT301 link to folder labkit/app/target, which would be 404: not part of the kit \
         (name it in `[kit.app] include`, or drop the link)",
    );
    check(
        "../../labkit/app/target/x.o",
        "KT302 link to labkit/app/target/x.o, which is not published \
         (name it in `[kit.app] include`, or drop the link)",
    );
}

#[test]
fn left_outs_are_listed_with_their_reason() {
    let site = Site::with(&[("app/a", "x"), ("app/target/x.o", "x")]);
    let left: Vec<LeftOut> = site.kit("app").left_out;
    assert_eq!(left.len(), 1);
    assert_eq!(
        (left[0].path.as_str(), left[0].reason.words()),
        ("target/", "is a folder that a build tool fills")
    );
}
