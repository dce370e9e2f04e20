//! `[theme]` in `book.toml`, and what templates see of a page.

use crate::support::World;

/// A site in two languages with this `[theme]`.
fn site(theme: &str) -> World {
    let world =
        World::new().file("content/index.md", "# First\n").file("content/index.ko.md", "# 첫\n");
    world.edit("book.toml", "language = \"en\"\n", "language = \"en\"\nlanguages = [\"ko\"]\n");
    world.write("book.toml", world.read("book.toml") + theme);
    world.file("content/a/b.md", "# B\n")
}

/// What `check` says of a site with this `[theme]`.
#[track_caller]
fn says(theme: &str, code: i32, expect: &str) {
    let ended =
        site(theme).file("static/fonts/own.woff2", "x").labdoc("check").any_output().code(code);
    assert_eq!(ended.stderr.split("checked:").next(), Some(expect), "{theme}");
}

#[test]
fn colours_and_fonts_are_one_more_sheet_on_every_page() {
    let world = site(
        "[theme]\napi = 1\nfont = \"fonts/own sans.woff2\"\nfont_bold = \"fonts/own-bold.ttf\"\n\
         [theme.light]\naccent = \"#006b5f\"\n[theme.dark]\naccent = \"#5fd0c0\"\n",
    );
    world.write("static/fonts/own sans.woff2", "x");
    world.write("static/fonts/own-bold.ttf", "x");
    world.labdoc("build").any_output().success();
    let sheet = world.read("public/labdoc-theme.css");
    let stack = "\"Pretendard Variable\", Pretendard, -apple-system, BlinkMacSystemFont, \"Apple SD Gothic Neo\", \"Segoe UI\", \"Malgun Gothic\", \"Noto Sans KR\", \"Noto Sans CJK KR\", \"NanumGothic\", system-ui, sans-serif";
    assert_eq!(
        sheet,
        format!(
            "/* [theme] of book.toml */\n\
             @font-face {{ font-family: \"labdoc site\"; src: url(\"fonts/own%20sans.woff2\") format(\"woff2\"); font-weight: 400; font-display: swap }}\n\
             @font-face {{ font-family: \"labdoc site\"; src: url(\"fonts/own-bold.ttf\") format(\"truetype\"); font-weight: 700; font-display: swap }}\n\
             :root {{ --accent: #006b5f; --sans: \"labdoc site\", {stack} }}\n\
             :root[data-theme=\"dark\"] {{ --accent: #5fd0c0 }}\n\
             @media screen and (prefers-color-scheme: dark) {{\n\
             :root:not([data-theme=\"light\"]) {{ --accent: #5fd0c0 }}\n\
             }}\n"
        )
    );
    for (page, href) in [
        ("index.html", "labdoc-theme.css"),
        ("index.ko.html", "labdoc-theme.css"),
        ("a/b.html", "../labdoc-theme.css"),
        ("a/index.html", "../labdoc-theme.css"),
    ] {
        let html = world.read(&format!("public/{page}"));
        let theirs = html.find("labdoc.css\">").unwrap_or_else(|| panic!("{page}: {html}"));
        let ours = html.find(&format!("<link rel=\"stylesheet\" href=\"{href}\">"));
        assert!(ours > Some(theirs), "{page}: {html}");
    }
}

#[test]
fn without_a_theme_there_is_no_sheet() {
    let world = site("");
    world.labdoc("build").any_output().success();
    assert!(!world.exists("public/labdoc-theme.css"));
    assert!(!world.read("public/index.html").contains("labdoc-theme"));
}

#[test]
fn what_a_theme_cannot_be_has_a_place_and_a_hint() {
    says(
        "[theme]\napi = 2\n",
        1,
        "error[CF005]: theme interface 2 is not known; this labdoc has 1\n --> book.toml:6:1\n  |\n6 | api = 2\n  | ^^^\n\n",
    );
    says(
        "[theme.light]\nacent = \"#006b5f\"\n",
        1,
        "error[CF006]: `acent` is no custom property of the theme\n --> book.toml:6:1\n  |\n6 | acent = \"#006b5f\"\n  | ^^^^^\n = help: did you mean `accent`?\n\n",
    );
    says(
        "[theme.dark]\naccent = \"red; } body { display: none\"\n",
        1,
        "error[CF006]: `red; } body { display: none` cannot be the value of a custom property\n --> book.toml:6:11\n  |\n6 | accent = \"red; } body { display: none\"\n  |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^\n = help: a colour such as #0b5fa5, a length, or names of fonts\n\n",
    );
    says(
        "[theme]\nfont = \"fonts/own.wof2\"\n",
        1,
        "error[CF007]: fonts/own.wof2 is no font file\n --> book.toml:6:9\n  |\n6 | font = \"fonts/own.wof2\"\n  |         ^^^^^^^^^^^^^^\n = help: its name ends in .woff2, .woff, .ttf or .otf\n\n",
    );
    says(
        "[theme]\nfont = \"fonts/ovn.woff2\"\n",
        1,
        "error[CF007]: static/fonts/ovn.woff2 does not exist\n --> book.toml:6:9\n  |\n6 | font = \"fonts/ovn.woff2\"\n  |         ^^^^^^^^^^^^^^^\n = help: did you mean fonts/own.woff2?\n\n",
    );
    says(
        "[theme.light]\naccent = \"#88c8c0\"\n",
        0,
        "warning[CF008]: text in `accent` on `accent-soft` has a contrast of 1.6\n --> book.toml:6:1\n  |\n6 | accent = \"#88c8c0\"\n  | ^^^^^^\n = help: 4.5 is the least for text (WCAG 2.2 AA)\n\nwarning[CF008]: text in `accent` on `paper` has a contrast of 1.8\n --> book.toml:6:1\n  |\n6 | accent = \"#88c8c0\"\n  | ^^^^^^\n = help: 4.5 is the least for text (WCAG 2.2 AA)\n\n",
    );
}

#[test]
fn templates_see_extra_and_params() {
    let world = World::page(
        "---\nextra: {team: {name: 플랫폼}, count: [1, 2]}\nparams: {ns: dns-lab, unused: x}\n---\n# A\n\n```sh\nkubectl -n $ns get pods\n```\n",
    );
    world.write(
        "templates/page.html",
        "{% extends \"base.html\" %}{% block main %}<p>{% if not page.generated %}{{ page.extra.team.name }} {{ page.extra.count | length }}{% endif %}{% for p in page.params %} {{ p.name }}={{ p.value }}{% endfor %}</p>{% block body %}{% endblock body %}{% endblock main %}",
    );
    world.labdoc("build").any_output().success();
    let html = world.read("public/a.html");
    assert!(html.contains("<p>플랫폼 2 ns=dns-lab</p>"), "{html}");
}

#[test]
fn commands_show_parameters_and_a_field_for_each_that_they_show() {
    let world = World::page(
        "---\nparams: {ns: dns-lab, port: \"80\", own: x}\n---\n# A\n\n```sh {#one}\necho $ns; own=y; echo $own\n```\n\n```output {for=one}\n?\n```\n\n```console\n$ curl \"http://$ns:${port}/\"\nhello $ns\n```\n",
    );
    world.labdoc("build").any_output().success();
    let html = world.read("public/a.html");
    let shown: Vec<&str> = html.matches("data-param=\"ns\"").collect();
    assert_eq!(shown.len(), 2, "{html}");
    assert!(
        html.contains(">dns-lab</span>")
            && html.contains("data-in=\"quotes\" title=\"$port\">80</span>"),
        "{html}"
    );
    assert!(html.contains("<input type=\"text\" name=\"ns\" value=\"dns-lab\""), "{html}");
    assert!(html.contains("<input type=\"text\" name=\"port\" value=\"80\""), "{html}");
    assert!(!html.contains("name=\"own\"") && html.contains("hello $ns"), "{html}");
    // What runs is what is written, with the parameter as a variable.
    let ended = world.labdoc("verify --update --param ns=other").any_output().success();
    assert!(
        world.read("content/a.md").contains("echo $ns; own=y; echo $own\n```\n"),
        "{}",
        ended.stdout
    );
    assert!(
        world.read("content/a.md").contains("{for=one}\nother\ny\n"),
        "{}",
        world.read("content/a.md")
    );
}

#[test]
fn quotes_are_curly_where_the_book_asks_for_it() {
    let world = World::page("# A\n\n**\"정책\"**은 it's `\"x\"` --out\n");
    world.labdoc("build").any_output().success();
    assert!(world.read("public/a.html").contains("<strong>&quot;정책&quot;</strong>은 it&#39;s"));
    world.write("book.toml", world.read("book.toml") + "[markup]\nsmart_quotes = true\n");
    world.labdoc("build").any_output().success();
    let html = world.read("public/a.html");
    let part = "<strong>“정책”</strong>은 it’s <code>&quot;x&quot;</code> --out";
    assert!(html.contains(part), "{html}");
}

#[test]
fn a_site_changes_one_block_of_a_template_that_it_keeps() {
    let world = site("").file(
        "templates/base.html",
        "{% extends \"labdoc/base.html\" %}{% block footer %}<p>our team</p>{% endblock footer %}",
    );
    world.write(
        "templates/page.html",
        "{% extends \"labdoc/page.html\" %}{% block after %}<p>below</p>{% endblock after %}",
    );
    world.labdoc("build").any_output().success();
    for page in ["index.html", "index.ko.html", "a/b.html", "a/index.html", "404.html"] {
        let html = world.read(&format!("public/{page}"));
        assert!(
            html.contains("<p>our team</p>\n</footer>") && html.contains("class=\"top\""),
            "{page}: {html}"
        );
        assert_eq!(html.contains("<p>below</p>"), page != "404.html", "{page}: {html}");
    }
}

#[test]
fn lists_of_kit_files_say_when_a_run_last_used_each() {
    let (world, run) = World::recorded();
    world.labdoc("build").any_output().success();
    let stamp = run.rsplit('/').next().expect("run");
    let date = format!("{}-{}-{}", &stamp[..4], &stamp[4..6], &stamp[6..8]);
    for page in ["kit/demo/index.html", "kit/demo/files/index.html"] {
        let html = world.read(&format!("public/{page}"));
        let line = |name: &str| {
            let found = html.split("<li>").find(|line| line.contains(&format!("{name}</a>")));
            found.unwrap_or_else(|| panic!("{page}: no {name}")).to_owned()
        };
        assert!(line("run.sh").contains(&format!("last evidence {date}")), "{page}: {html}");
        // The run could not see it.
        assert!(!line("README.md").contains("last evidence"), "{page}: {html}");
    }
    // A file that is another one now was used by no run.
    world.write("labkit/demo/run.sh", world.read("labkit/demo/run.sh") + "# more\n");
    world.labdoc("build").any_output().success();
    let html = world.read("public/kit/demo/index.html");
    assert_eq!(html.matches("last evidence").count(), 1, "{html}");
    // The foot of the page lists the run's files and the kit's.
    let lab = world.read("public/lab.html");
    for file in ["result.txt</a>", "demo/run.sh</a>", "demo/conf/a.conf</a>"] {
        assert!(lab.contains(file), "{file}: {lab}");
    }
}
