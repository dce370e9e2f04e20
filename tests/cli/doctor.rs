//! `labdoc doctor`, what `--verbose` says, and what packages and editors ask for.

use crate::support::World;

/// A site whose page needs a tool that is not there.
fn needing(tool: &str) -> World {
    World::page(&format!(
        "---\nverify: {{needs: [bash, {tool}]}}\n---\n\n# A\n\n```sh {{#a}}\necho token-of-a-block\n```\n"
    ))
}

#[test]
fn doctor_says_what_is_there_and_what_is_missing() {
    let world = needing("labdoc-no-such");
    let said = world.labdoc("doctor").any_stdout().success().stdout;
    for part in [
        concat!("labdoc     ", env!("CARGO_PKG_VERSION"), ", "),
        "tool       bash ",
        "needed     bash: there\n",
        "needed     needs labdoc-no-such, which is not on the PATH\n",
        "book       1 pages, 1 runnable blocks, 0 claims, 0 findings when it is read\n",
        "lock       nobody\n",
        "clusters   0 trusted\n",
        "temporary  can be written\n",
    ] {
        assert!(said.contains(part), "no {part:?} in:\n{said}");
    }
    let home = world.base().join("home");
    let said = world.labdoc("doctor").current_dir(&home).any_stdout().success().stdout;
    assert!(said.contains("book       none here\n"), "{said}");
    let said = world.labdoc("doctor").env("TMPDIR", "/nowhere").any_stdout().code(1).stdout;
    assert!(said.contains("temporary  "), "{said}");
}

/// Nothing that names a person, a machine, a company or a secret.
#[test]
fn what_doctor_says_can_be_pasted() {
    let world = needing("labdoc-no-such");
    let home = world.base().join("home");
    let secret = format!("ghp_{}", "aB3dE6".repeat(6));
    let config = "clusters: [{name: c, cluster: {server: \"https://intern.docs.example:6443\"}}]\ncontexts: [{name: intern, context: {cluster: c, user: jane}}]\ncurrent-context: intern\nusers: [{name: jane, user: {token: t0psecret}}]\n";
    world.write("../home/.kube/config", config);
    let run = world
        .labdoc("doctor --cluster")
        .env("USER", "jane")
        .env("LANG", &secret)
        .env("TERM", &format!("{}/x", home.display()))
        .env("API_TOKEN", "token-of-mine");
    let said = run.any_output().end();
    let all = said.stdout + &said.stderr;
    assert!(all.contains("TERM=~/x") && all.contains("LANG=⟨redacted:forge-token⟩"), "{all}");
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    for private in [
        &home.to_string_lossy(),
        "jane",
        &secret,
        "token-of",
        "intern",
        "t0psecret",
        "[SITE]",
        host.as_str(),
    ] {
        assert!(!all.contains(private), "{private:?} in:\n{all}");
    }
}

#[test]
fn doctor_tells_programs_too() {
    let world = World::page("# A\n");
    let said = world.labdoc("doctor --json").any_stdout().success().stdout;
    let last = said.lines().last().unwrap_or("");
    assert_eq!(last, "{\"summary\":{\"outcome\":\"clean\"}}");
    assert!(said.lines().any(|line| line.starts_with("{\"about\":\"labdoc\",\"says\":")), "{said}");
}

#[test]
fn verbose_says_what_is_done_and_never_what_a_block_prints() {
    let world = needing("bash");
    let quiet = world.labdoc("verify").any_output().success();
    let loud = world.labdoc("verify -vvv").any_output().success();
    assert_eq!(quiet.stderr, "");
    assert_eq!(quiet.stdout, loud.stdout, "standard output is the same");
    for part in
        ["labdoc begins", "page=\"content/a.md\"", "block=\"a\"", "started program=", "read path="]
    {
        assert!(loud.stderr.contains(part), "no {part:?} in:\n{}", loud.stderr);
    }
    assert!(!loud.stderr.contains("token-of-a-block"), "{}", loud.stderr);
    let little = world.labdoc("verify -v").any_output().success().stderr;
    assert!(little.contains(" INFO ") && !little.contains("DEBUG"), "{little}");
}

#[test]
fn labdoc_log_chooses_what_is_said() {
    let world = World::page("# A\n");
    let run = |value: &str, arguments: &str| {
        world.labdoc(arguments).env("LABDOC_LOG", value).any_output().success().stderr
    };
    let said = run("labdoc::disk=trace", "build");
    assert!(said.contains(" TRACE labdoc::disk"), "{said}");
    assert!(said.lines().all(|line| line.contains("labdoc::disk")), "{said}");
    assert_eq!(run("", "build"), "");
    assert_eq!(run("off", "build -vv"), "", "the variable decides");
    let ended = world.labdoc("build").env("LABDOC_LOG", "a=b=c").any_output().code(2);
    assert!(ended.stderr.starts_with("error: LABDOC_LOG=a=b=c: "), "{}", ended.stderr);
}

/// The names of all commands, as the help lists them.
fn commands(world: &World) -> Vec<String> {
    let help = world.labdoc("--help").any_stdout().success().stdout;
    let rows = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // A name is indented by two blanks; what continues its sentence by more.
    let names = rows.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    names.filter_map(|row| row.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn completions_know_every_command() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = world.labdoc(&format!("completions {shell}")).any_stdout().success().stdout;
        for command in commands(&world) {
            assert!(text.contains(&command), "{shell} does not know {command}");
        }
        assert!(text.contains("require-cluster"), "{shell}");
    }
    let text = world.labdoc("completions bash").any_stdout().success().stdout;
    world.write("labdoc.bash", text);
    let asked = "source ./labdoc.bash; COMP_WORDS=(labdoc ver); COMP_CWORD=1; _labdoc labdoc ver labdoc; echo ${COMPREPLY[*]}";
    let ended = world.bash(asked).any_output().success();
    assert_eq!(ended.stdout, "verify\n", "{}", ended.stderr);
    world.labdoc("completions tcsh").any_output().code(2);
}

#[test]
fn every_command_has_a_manual_page() {
    let world = World::new();
    let text = world.labdoc("man").any_stdout().success().stdout;
    assert!(text.contains(".TH labdoc 1"), "{text}");
    world.labdoc("man --out man").any_stdout().success();
    let names = world.names("man");
    for command in commands(&world).into_iter().filter(|name| name != "help") {
        assert!(names.contains(&format!("labdoc-{command}.1")), "{command}: {names:?}");
    }
    assert!(names.contains(&"labdoc-evidence-show.1".to_owned()), "{names:?}");
    // What pods call is not for people.
    assert!(!names.contains(&"labdoc-cluster-shard.1".to_owned()), "{names:?}");
    assert!(world.read("man/labdoc-verify.1").contains("\\-\\-require\\-cluster"));
}

#[test]
fn schemas_refuse_what_labdoc_refuses() {
    let world = World::new();
    for (file, key) in [
        ("book", "languages"),
        ("page", "capture"),
        ("claims", "expires_after"),
        ("manifest", "captures"),
    ] {
        let text = world.labdoc(&format!("schema {file}")).any_stdout().success().stdout;
        let schema: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{file}");
        assert!(text.contains(&format!("\"{key}\"")), "{file} has no {key}");
        assert!(text.contains("\"additionalProperties\": false"), "{file}");
    }
    world.labdoc("schema waivers").any_output().code(2);
}
