//! What Markdown of ours becomes: variables and tabs.

use crate::support::World;

/// The HTML of `public/a.html`; the build must be clean.
#[track_caller]
fn html(world: &World) -> String {
    world.labdoc("build").any_output().success();
    world.read("public/a.html")
}

#[test]
fn variables_stand_in_prose_and_unknown_ones_are_errors() {
    let book = "[book]\ntitle = \"x\"\n[vars]\nenvoy = \"1.38.3\"\nowner.name = \"김\"\n";
    let world = World::page("---\nextra: {team: 플랫폼}\n---\n# T\n\n## Envoy {{ envoy }}\n\n{{ team }}의 **{{owner.name}}** \\{{ x }} `{{ y }}`\n\n```sh {.vars}\nrun {{ envoy }}\n```\n")
        .file("book.toml", book);
    let html = html(&world);
    for part in [
        "<h2 id=\"envoy-1383\">Envoy 1.38.3",
        "플랫폼의 <strong>김</strong> {{ x }} <code>{{ y }}</code>",
        "</span> 1.38.3</code>",
    ] {
        assert!(html.contains(part), "no {part:?} in:\n{html}");
    }
    let world = World::page("# T\n\n{{ envy }}\n").file("book.toml", book);
    let ended = world.labdoc("build").any_output().code(1);
    for part in ["error[VA001]", "no variable `envy`", "did you mean `envoy`?", "content/a.md:3:1"]
    {
        assert!(ended.stderr.contains(part), "no {part:?} in:\n{}", ended.stderr);
    }
}

#[test]
fn tabs_are_sections_under_titles() {
    let text = "# T\n\n> [!TAB] kubectl\n>\n> ```sh\n> kubectl apply\n> ```\n\n> [!TAB] Helm\n>\n> 글\n\n끝\n";
    let html = html(&World::page(text));
    for part in [
        "<div class=\"tabs\">\n<section>\n<p class=\"title\">kubectl</p>",
        "<p class=\"title\">Helm</p>",
        "</section>\n</div>\n<p>끝</p>",
    ] {
        assert!(html.contains(part), "no {part:?} in:\n{html}");
    }
    assert_eq!(html.matches("<div class=\"tabs\">").count(), 1);
}
