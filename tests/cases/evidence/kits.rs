//! What is published of a kit.

use super::built;
use crate::support::{Server, World};

#[test]
fn case_19_names_that_windows_cannot_have() {
    let world = World::with_foreign();
    assert!(!world.runs()[0].contains(':'));
    world.write("evidence/T7/note:1", "x");
    world.finds(
        1,
        "error[KT303]: evidence path \"T7/note:1\" holds ':', which cannot exist on Windows",
    );
}

#[test]
fn case_22_a_link_to_a_folder_leads_to_a_page_that_lists_it() {
    let world = World::site("lab");
    world.edit(
        "content/index.md",
        "See the",
        "[conf](../labkit/demo/conf) [conf](../labkit/demo/conf/) See the",
    );
    world.write("labkit/demo/conf/b.conf", "1 1\n");
    world.labdoc("build").any_output().success();
    let page = world.read("public/index.html");
    let links: Vec<&str> = page
        .match_indices("kit/demo/")
        .map(|(at, _)| page[at..].split('"').next().expect("end"))
        .collect();
    let to_folder = links.iter().filter(|link| link.contains("/conf/")).collect::<Vec<_>>();
    assert_eq!(to_folder.len(), 2, "{links:?}");
    for link in to_folder {
        let listing = world.read(&format!("public/{link}"));
        assert!(listing.contains("a.conf") && listing.contains("b.conf"), "{link}: {listing}");
    }
}

/// Opens a folder without its slash on the server of Python, and every link of the listing.
const FOLLOW: &str = r##"
import functools, http.server, re, threading, urllib.parse, urllib.request
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory="public"))
threading.Thread(target=server.serve_forever, daemon=True).start()
start = f"http://127.0.0.1:{server.server_port}/kit/demo/files/conf"
page = urllib.request.urlopen(start)
links = [link.split("#")[0] for link in re.findall(r'href="([^"]*)"', page.read().decode())]
links = [urllib.parse.urljoin(page.url, link) for link in links if link]
codes = {urllib.request.urlopen(link).status for link in links if link.startswith("http://127.")}
print(len(links) > 10, codes)
"##;

#[test]
fn case_23_a_folder_without_its_slash_has_links_that_work() {
    let world = built();
    world.write("follow.py", FOLLOW);
    world.bash("python3 follow.py").stdout("True {200}\n").success();
}

#[test]
fn case_29_dot_files_are_left_out_and_none_is_needed() {
    let world = World::site("lab").file("labkit/demo/.env.example", "A=1\n");
    world.finds(0, "warning[KT309]: labkit/demo/.env.example starts with a dot and is left out");
    world.labdoc("build").any_output().success();
    let tree = world.tree("public");
    let hidden: Vec<&str> = (tree.paths().into_iter())
        .filter(|path| path.split('/').any(|name| name.starts_with(['.', '_'])))
        .collect();
    // Both are for hosts that know them; no page leads to either.
    assert_eq!(hidden, [".nojekyll", "_headers"]);
}

#[test]
fn case_30_the_sums_are_accepted_by_the_tools_that_readers_have() {
    let world = built();
    world.bash("mkdir x && cd x && tar xzf ../public/kit/demo/*.tar.gz && mv */ kit").success();
    for tool in ["sha256sum -c", "shasum -a 256 -c"] {
        let ended =
            world.bash(&format!("cd x/kit && {tool} SHA256SUMS")).any_stdout().success().stdout;
        assert_eq!(ended, "README.md: OK\nconf/a.conf: OK\nrun.sh: OK\n", "{tool}");
    }
}

#[test]
fn case_31_the_sums_have_no_cr_whatever_the_checkout() {
    let world = World::site("lab");
    world.write("labkit/demo/README.md", "# Demo kit\r\n");
    world.write("content/index.md", world.read("content/index.md").replace('\n', "\r\n"));
    world.labdoc("build").any_output().success();
    let sums = world.read("public/kit/demo/files/SHA256SUMS");
    assert!(!sums.contains('\r'), "{sums:?}");
    world.bash("cd public/kit/demo/files && sha256sum -c --strict --quiet SHA256SUMS").success();
}

#[test]
fn case_33_two_builds_in_different_worlds_give_the_same_archives() {
    let world = World::site("lab");
    world.labdoc("build --out a").any_output().success();
    // Another order in the folder, other times, lost modes; another umask, time zone and language.
    world
        .bash("mv labkit/demo labkit/old && mkdir labkit/demo && cp labkit/old/run.sh labkit/demo/ && cp -r labkit/old/conf labkit/old/README.md labkit/demo/ && rm -r labkit/old && chmod -R a-x,u+rwX,g-rwx labkit/demo && find . -type f -exec touch -d 2001-01-01 {} +")
        .success();
    let labdoc = env!("CARGO_BIN_EXE_labdoc");
    world
        .bash(&format!("umask 077; TZ=Asia/Seoul LC_ALL=ko_KR.UTF-8 {labdoc} build --out b"))
        .any_output()
        .success();
    let ended = world.bash("cd a/kit/demo && ls *.tar.gz *.zip all.txt && sha256sum * 2>/dev/null | sort > ../../../a.sums; cd ../../../b/kit/demo && sha256sum * 2>/dev/null | sort > ../../../b.sums; cd ../../..; cmp a.sums b.sums && cmp a/kit/demo/files/SHA256SUMS b/kit/demo/files/SHA256SUMS").any_output().success();
    assert_eq!(ended.stdout.lines().count(), 3, "{}", ended.stdout);
}

#[test]
fn case_36_the_raw_file_is_the_file_and_the_viewer_another_page() {
    let world = World::site("lab").file("labkit/demo/a.yaml", "a: |\n  <b>&amp;\n");
    world.labdoc("build").any_output().success();
    let source = world.bytes("labkit/demo/a.yaml");
    assert_eq!(world.bytes("public/kit/demo/files/a.yaml"), source);
    let viewer = world.read("public/kit/demo/view/a.yaml.html");
    assert!(viewer.contains("href=\"../files/a.yaml\"") && viewer.contains("&lt;b&gt;&amp;amp;"));
}

#[test]
fn case_38_wget_takes_the_whole_folder() {
    let world = built();
    let server = Server::of(&world.path("public"));
    let line = format!(
        "wget -q -r -np -nH -P got {}/kit/demo/files/index.html; cd got/kit/demo/files && sha256sum -c --quiet SHA256SUMS",
        server.address
    );
    world.bash(&line).success();
    let got = world.tree("got/kit/demo/files");
    let own = world.tree("public/kit/demo/files");
    assert_eq!(own.other_content(&got), [] as [&str; 0]);
    // Without its style sheet the listing is a list of plain links.
    let html = world.read("got/kit/demo/files/index.html");
    assert!(html.contains("<a href=\"run.sh\""), "{html}");
}

#[test]
fn case_39_a_link_out_of_the_kit_is_refused_and_nothing_is_written() {
    let world = World::site("lab");
    std::os::unix::fs::symlink("/etc/hostname", world.path("labkit/demo/x")).expect("link");
    let ended = world.labdoc("build").any_output().code(1);
    assert!(
        ended.stderr.contains("error[KT304]: labkit/demo/x is a symbolic link"),
        "{}",
        ended.stderr
    );
    assert!(!world.exists("public"));
}

#[test]
fn case_40_names_that_differ_in_case_only_are_refused() {
    let world = World::site("lab").file("labkit/demo/readme.md", "x\n");
    world.finds(1, "error[KT305]: labkit/demo/");
    let world = World::site("lab").file("labkit/demo/é", "x").file("labkit/demo/e\u{301}", "y");
    world.finds(1, "error[KT305]: labkit/demo/");
}

#[test]
fn case_42_every_file_is_there_as_text_and_in_one_file() {
    let world = World::site("lab").file("labkit/demo/no-newline", "x").file("labkit/demo/e", "");
    world.labdoc("build").any_output().success();
    let kit = world.tree("labkit/demo");
    for path in kit.paths().into_iter().filter(|path| *path != "conf") {
        let twin = world.bytes(&format!("public/kit/demo/text/{path}.txt"));
        assert_eq!(twin, kit.0[path].bytes, "{path}");
    }
    // What the first lines of all.txt say is done, with each awk and shell that is here.
    for shell in ["dash", "bash", "busybox sh"] {
        let unpack = "sed -n '/^==> /q;s/^#| //p' all.txt > unpack.sh";
        world.bash(&format!("rm -rf y && mkdir y && cd y && cp ../public/kit/demo/all.txt . && {unpack} && {shell} unpack.sh && cd demo-* && sha256sum -c --quiet SHA256SUMS && ls | wc -l >&2")).any_output().success();
        assert!(
            world
                .bash("cmp y/demo-*/run.sh labkit/demo/run.sh")
                .any_output()
                .success()
                .stdout
                .is_empty()
        );
    }
}

#[test]
fn case_43_programs_have_a_plain_list() {
    let world = built();
    assert_eq!(
        world.read("public/kit/demo/INDEX.txt"),
        "files/README.md\nfiles/SHA256SUMS\nfiles/conf/a.conf\nfiles/run.sh\n"
    );
    let html = world.read("public/kit/demo/files/index.html");
    for link in ["<a href=\"README.md\"", "<a href=\"conf/index.html\"", "<a href=\"run.sh\""] {
        assert!(html.contains(link), "{link}: {html}");
    }
}
