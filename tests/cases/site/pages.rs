//! Pages: dates, navigation, and how large they get.

use super::html;
use crate::support::World;

#[test]
fn a5_the_page_and_its_headings_are_marked_whatever_their_letters() {
    let world = World::new()
        .file("content/가이드.md", "# 가이드\n\n## 설치 전\n\n글\n\n## 설치 후\n\n글\n")
        .file("content/b.md", "# B\n");
    world.labdoc("build").any_output().success();
    let page = world.read("public/가이드.html");
    let current = page.split("aria-current=\"page\"").nth(1).expect("a current entry");
    assert!(current.split("</a>").next().is_some_and(|link| link.contains("가이드")), "{page}");
    for id in ["설치-전", "설치-후"] {
        assert!(page.contains(&format!("<h2 id=\"{id}\">")), "{page}");
        let written: String = id
            .bytes()
            .map(|b| if b == b'-' { "-".to_owned() } else { format!("%{b:02X}") })
            .collect();
        let raw = format!("href=\"#{id}\"");
        assert!(page.contains(&raw) || page.contains(&format!("href=\"#{written}\"")), "{page}");
    }
}

#[test]
fn a18_a_date_is_a_day_of_the_calendar() {
    let world = World::page("---\ndate: 2026-11-30\n---\n# A\n");
    // 16:00 the day before, in Greenwich; a day later in Seoul.
    for zone in ["UTC", "Asia/Seoul", "America/Los_Angeles"] {
        let run = world.labdoc("build").env("TZ", zone).env("SOURCE_DATE_EPOCH", "1795968000");
        run.any_output().success();
        let page = world.read("public/a.html");
        let day = "<time datetime=\"2026-11-30\">2026-11-30</time>";
        assert!(page.contains(day), "{zone}: {page}");
    }
}

/// A repository whose page `a.md` changed on the 2nd, `b.md` on the 9th, `c.md` never since the
/// 1st; the last commit, on the 20th, changed nothing of them.
fn repository() -> World {
    let world = World::page("# A\n")
        .file("book.toml", "[book]\ntitle = \"x\"\nlanguage = \"en\"\nupdated = \"git\"\n")
        .file("content/b.md", "# B\n")
        .file("content/c.md", "# C\n");
    let commit = |day: &str| {
        world
            .bash(&format!(
                "set -e; export GIT_AUTHOR_DATE='2026-07-{day}T23:30:00+09:00' GIT_COMMITTER_DATE='2026-07-{day}T23:30:00+09:00'; \
                 git init -q .; git add .; git -c user.name=n -c user.email=e@example.org commit -q -m {day}"
            ))
            .any_output()
            .success();
    };
    commit("01");
    world.write("content/a.md", "# A\n\nmore\n");
    commit("02");
    world.write("content/b.md", "# B\n\nmore\n");
    commit("09");
    world.write("notes.txt", "x");
    commit("20");
    world
}

#[test]
fn a19_a_shallow_clone_gives_no_date_and_one_warning() {
    let world = repository();
    world.labdoc("build").any_stdout().success();
    for (page, day) in [("a", "02"), ("b", "09"), ("c", "01")] {
        let html = world.read(&format!("public/{page}.html"));
        assert!(html.contains(&format!("2026-07-{day}")), "{page}: {html}");
        assert!(!html.contains("2026-07-20"), "{page}: {html}");
    }
    let clone = "git clone -q --depth 1 file://$PWD ../shallow";
    world.bash(clone).any_output().success();
    let shallow = world.base().join("shallow");
    let run = world.labdoc("build").current_dir(&shallow);
    let ended = run.any_output().success();
    assert_eq!(ended.stderr.matches("is shallow").count(), 1, "{}", ended.stderr);
    for page in ["a", "b", "c"] {
        let html =
            std::fs::read_to_string(shallow.join(format!("public/{page}.html"))).expect("page");
        assert!(!html.contains("2026-07-"), "{page}: {html}");
    }
}

#[test]
fn a28_a_page_does_not_grow_with_its_section() {
    let sizes = [200, 2000].map(|count| {
        let world = World::page("# A\n");
        for n in 0..count {
            world.write(&format!("content/p{n:04}.md"), format!("# Page {n:04}\n\ntext\n"));
        }
        html(&world);
        world.bytes("public/p0100.html").len()
    });
    assert!(sizes[1] < sizes[0] + 64, "{sizes:?}");
}
