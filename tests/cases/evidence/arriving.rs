//! How a kit arrives: `fetch.sh` with every shell against servers that are good, bad and gone.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use super::built;
use crate::support::{Answer, Server, World, file};

/// The shells that readers have.
const SHELLS: &[&str] = &["dash", "bash", "busybox sh"];

/// A built lab, and an empty folder to fetch into.
struct Fetching {
    world: World,
    into: PathBuf,
}

impl Fetching {
    fn new() -> Fetching {
        let world = built();
        let into = world.base().join("into");
        std::fs::create_dir(&into).expect("folder");
        Fetching { world, into }
    }

    /// The site's files.
    fn site(&self) -> PathBuf {
        self.world.path("public")
    }

    /// Runs the script with a shell against an address; its exit code and what it said.
    fn run(&self, shell: &str, address: &str) -> (Option<i32>, String) {
        let script = self.site().join("kit/demo/fetch.sh");
        let line = format!("{shell} {} {address}/kit/demo", script.display());
        let ended = self.world.bash(&line).current_dir(&self.into).env("no_proxy", "*").end();
        (ended.code, ended.stdout + &ended.stderr)
    }

    /// It ends with 1, says why, and leaves nothing, whatever the shell.
    #[track_caller]
    fn fails(&self, address: &str, why: &str) {
        for shell in SHELLS {
            let (code, said) = self.run(shell, address);
            assert_eq!(code, Some(1), "{shell}: {said}");
            assert!(said.contains(why), "{shell}: no {why:?} in {said}");
            self.is_empty(shell);
        }
    }

    /// Nothing is in the folder.
    #[track_caller]
    fn is_empty(&self, shell: &str) {
        let left = std::fs::read_dir(&self.into).expect("folder").count();
        assert_eq!(left, 0, "{shell} left something");
    }
}

#[test]
fn case_32_scripts_arrive_with_their_mode_and_run_without_it() {
    let fetching = Fetching::new();
    let server = Server::of(&fetching.site());
    for shell in SHELLS {
        let (code, said) = fetching.run(shell, &server.address);
        assert!(code == Some(0) && said.contains("3 files in ./demo-"), "{shell}: {said}");
        let top = std::fs::read_dir(&fetching.into)
            .expect("folder")
            .next()
            .expect("one")
            .expect("entry")
            .path();
        let mode = |name: &str| {
            std::fs::metadata(top.join(name)).expect(name).permissions().mode() & 0o777
        };
        assert_eq!((mode("run.sh"), mode("conf/a.conf")), (0o755, 0o644), "{shell}");
        std::fs::remove_dir_all(top).expect("remove");
    }
    let world = &fetching.world;
    for unpack in [
        "tar xzf ../public/kit/demo/*.tar.gz",
        "unzip -q ../public/kit/demo/*.zip",
        "busybox unzip -q ../public/kit/demo/*.zip",
    ] {
        world.bash(&format!("rm -rf u && mkdir u && cd u && {unpack} && test -x demo-*/run.sh && ! test -x demo-*/conf/a.conf")).success();
    }
    // Python's own unpacker loses the mode; the page of the script says how to run it all the same.
    world.bash("rm -rf u && mkdir u && cd u && python3 -m zipfile -e ../public/kit/demo/*.zip . && ! test -x demo-*/run.sh && cd demo-* && sh run.sh conf/a.conf").stdout("lost 3\nkept 7\n").success();
    let viewer = world.read("public/kit/demo/view/run.sh.html");
    assert!(viewer.contains("sh run.sh"), "{viewer}");
}

#[test]
fn case_34_a_part_of_the_script_does_nothing() {
    let fetching = Fetching::new();
    let server = Server::of(&fetching.site());
    let script = fetching.site().join("kit/demo/fetch.sh");
    let length = std::fs::metadata(&script).expect("script").len();
    // Every prefix but the whole text without its last line end.
    let all = |shell: &str, step: u64| {
        let line = format!(
            "for ((n = 0; n < {length} - 1; n += n > {length} - 80 ? 1 : {step})); do head -c $n {} > ../part.sh; {shell} ../part.sh {}/kit/demo; done",
            script.display(),
            server.address
        );
        fetching
            .world
            .bash(&line)
            .current_dir(&fetching.into)
            .env("no_proxy", "*")
            .any_output()
            .end();
        fetching.is_empty(shell);
        assert_eq!(server.requests(), 0, "{shell}: a part of the script fetched something");
    };
    all("dash", 1);
    all("bash", 13);
    all("busybox sh", 13);
}

#[test]
fn case_35_a_page_of_a_proxy_is_no_kit() {
    let fetching = Fetching::new();
    let proxy = Server::answering(|_| Answer {
        content_type: Some("text/html"),
        ..Answer::ok("<html><body>Please log in</body></html>")
    });
    fetching.fails(
        &proxy.address,
        "changed kit, or a proxy answered with its own page. Nothing was kept.",
    );
}

#[test]
fn a_proxy_that_lets_the_list_through_and_blocks_a_script_is_found() {
    let fetching = Fetching::new();
    let site = fetching.site();
    let proxy = Server::answering(move |path| match path.ends_with(".sh") {
        true => Answer::ok("<html>blocked</html>"),
        false => file(&site, path),
    });
    fetching.fails(&proxy.address, "run.sh has sha256");
}

#[test]
fn a_changed_file_is_found() {
    let fetching = Fetching::new();
    let site = fetching.site();
    let server = Server::answering(move |path| match path.ends_with("a.conf") {
        true => Answer::ok("3 8\n"),
        false => file(&site, path),
    });
    fetching.fails(&server.address, "conf/a.conf has sha256");
}

#[test]
fn a_download_that_ends_early_is_found() {
    for length in [None, Some(99)] {
        let fetching = Fetching::new();
        let site = fetching.site();
        let server = Server::answering(move |path| match path.ends_with("run.sh") {
            true => Answer { length, ..Answer::ok("#!/bin/sh\n# Pri") },
            false => file(&site, path),
        });
        // curl sees that the length is another; without a length the digest does.
        fetching.fails(&server.address, "run.sh");
    }
}

#[test]
fn a_target_that_exists_is_not_touched() {
    let fetching = Fetching::new();
    let server = Server::of(&fetching.site());
    let top = fetching.world.names("public/kit/demo");
    let top = top.iter().find_map(|name| name.strip_suffix(".zip")).expect("archive");
    std::fs::create_dir(fetching.into.join(top)).expect("folder");
    std::fs::write(fetching.into.join(top).join("mine"), "mine").expect("file");
    for shell in SHELLS {
        let (code, said) = fetching.run(shell, &server.address);
        assert!(code == Some(1) && said.contains("exists already"), "{shell}: {said}");
        let names: Vec<_> = std::fs::read_dir(&fetching.into).expect("folder").collect();
        assert_eq!(names.len(), 1, "{shell}");
        let mine = std::fs::read_to_string(fetching.into.join(top).join("mine")).expect("mine");
        assert_eq!(mine, "mine", "{shell}");
    }
    assert_eq!(server.requests(), 0, "nothing was asked for");
}

#[test]
fn without_a_network_nothing_is_left() {
    let fetching = Fetching::new();
    // Nobody listens on a port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("port");
    let address = format!("http://{}", listener.local_addr().expect("address"));
    drop(listener);
    fetching.fails(&address, "cannot get");
}
