//! `labdoc new`: the site that it writes builds, verifies and can be recorded as it is.

use crate::support::World;

/// A site in this language, in a world of its own; the paths that were written.
fn made(language: &str) -> World {
    let world = World::new();
    let ended = world.labdoc(&format!("new ../made --language {language}")).any_output().success();
    assert!(
        ended.stdout.starts_with("wrote 9 files to ../made; next:\n  cd ../made\n"),
        "{}",
        ended.stdout
    );
    world
}

/// A run of labdoc in the site that was made.
fn labdoc(world: &World, arguments: &str) -> String {
    let folder = world.base().join("made");
    let ended = world.labdoc(arguments).current_dir(&folder).any_output().success();
    ended.stdout + &ended.stderr
}

#[test]
fn a_new_site_builds_verifies_and_can_be_released() {
    for language in ["ko", "en"] {
        let world = made(language);
        // Nothing is wrong but that nobody has recorded a run yet, and that the site has no address.
        let said = labdoc(&world, "check");
        assert!(said.contains("checked: 0 errors, 3 warnings"), "{language}: {said}");
        assert_eq!(said.matches("warning[EV006]: claim C").count(), 2, "{language}: {said}");
        assert!(said.contains("warning[KT314]: base_url is not set"), "{language}: {said}");
        let said = labdoc(&world, "verify");
        assert!(said.contains("3 passed, 0 differ, 0 failed, 0 skipped"), "{language}: {said}");
        labdoc(&world, "build");
        labdoc(&world, "verify --record");
        labdoc(&world, "evidence seal");
        let said = labdoc(&world, "check --release");
        assert!(said.contains("checked: 0 errors, 1 warning\n"), "{language}: {said}");
        labdoc(&world, "build --release");
        let page = world.read("../made/public/pipe/index.html");
        assert!(page.contains(&format!("<html lang=\"{language}\">")), "{page}");
        assert!(page.contains("class=\"proof ok\""), "{language}: {page}");
        assert_eq!(page.matches("<span class=\"state ok\">").count(), 5, "{language}: {page}");
        assert!(
            page.contains("class=\"diagram\"") && page.contains("data-param=\"names\""),
            "{page}"
        );
        assert!(world.exists("../made/public/kit/count/files/SHA256SUMS"));
    }
}

#[test]
fn both_languages_have_the_same_blocks_and_claims() {
    let shape = |language: &str| -> Vec<String> {
        let text = made(language).read("../made/content/pipe/index.md");
        let pattern =
            regex::Regex::new(r"\{[#=][^}]*\}|(?m)^\$?(?:bash|counted|kept) .*$").expect("pattern");
        let mut found: Vec<String> =
            pattern.find_iter(&text).map(|found| found.as_str().to_owned()).collect();
        // The examples of the last paragraph are words of the language.
        found.retain(|part| !matches!(part.as_str(), "{#이름}" | "{#name}"));
        found.sort();
        found
    };
    assert_eq!(shape("ko"), shape("en"));
}

#[test]
fn a_title_of_its_own() {
    let world = World::new();
    world.labdoc("new ../made --language en --title").arg("Nets & more").any_output().success();
    labdoc(&world, "build");
    let page = world.read("../made/public/index.html");
    assert!(page.contains("<title>Nets &amp; more</title>"), "{page}");
    let ended = world.labdoc("new ../other --title").arg("a\"b").any_output().code(2);
    assert!(ended.stderr.contains("quote"), "{}", ended.stderr);
    assert!(!world.exists("../other"));
}

#[test]
fn a_folder_that_holds_something_is_left_alone() {
    let world = World::new();
    let before = world.tree("");
    let ended = world.labdoc("new .").any_output().code(2);
    assert_eq!(
        ended.stderr,
        "error: . is there and not empty\n = help: name a new folder; nothing was written\n"
    );
    assert_eq!(before.other_content(&world.tree("")), [] as [&str; 0]);
    // An empty one is as good as a new one.
    std::fs::create_dir(world.path("../empty")).expect("folder");
    let ended = world.labdoc("new ../empty --json").any_output().success();
    assert_eq!(
        ended.stdout,
        "{\"summary\":{\"outcome\":\"clean\",\"files\":9,\"folder\":\"../empty\"}}\n"
    );
}
