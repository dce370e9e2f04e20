//! Builds under bad conditions: killed, a disk that is full, files that cannot be read, strange
//! names, large pages. Each is clear, and each published file is whole.

use std::time::Instant;

use crate::support::{Numbers, Tree, World, extent};

/// A site of forty pages that hold these words.
fn forty(world: &World, words: &str) {
    for n in 0..40 {
        world.write(&format!("content/many/p{n}.md"), format!("# Page {n}\n\n{words}\n"));
    }
}

#[test]
fn a_build_that_is_killed_leaves_each_file_whole() {
    let world = World::page("# A\n\nold words\n");
    forty(&world, "old words");
    world.write("content/gone.md", "# Gone\n");
    world.labdoc("build").any_output().success();
    let old = world.tree("public");
    forty(&world, "new words");
    std::fs::remove_file(world.path("content/gone.md")).expect("remove");
    let started = Instant::now();
    world.labdoc("build --out ../clean").any_output().success();
    let whole = started.elapsed();
    let new = Tree::read(&world.base().join("clean"));
    let whole_file = |path: &str, bytes: &[u8]| {
        let same = |tree: &Tree| tree.0.get(path).is_some_and(|other| other.bytes == bytes);
        path.starts_with(".labdoc") || path == "labdoc-files.txt" || same(&old) || same(&new)
    };
    let (kills, seed) = extent("LABDOC_KILLS", 5);
    let mut numbers = Numbers(seed);
    for _ in 0..kills {
        let moment = numbers.moment(whole);
        let mut child = world.labdoc("build").spawn();
        std::thread::sleep(moment);
        let _ = child.kill();
        let _ = child.wait();
        for (path, entry) in &world.tree("public").0 {
            assert!(whole_file(path, &entry.bytes), "seed {seed}: {path} is neither old nor new");
        }
    }
    world.labdoc("build").any_output().success();
    assert_eq!(new.other_content(&world.tree("public")), [] as [String; 0], "seed {seed}");
}

/// Runs a script that may mount.
fn in_own_mounts(world: &World, script: &str) {
    let script = script.replace("LABDOC", env!("CARGO_BIN_EXE_labdoc"));
    world.apart("", &script).any_output().success();
}

#[test]
fn a_full_disk_is_a_failure_and_the_old_site_stays() {
    let world = World::page("# A\n\nold words\n");
    world.write("big.txt", "");
    let script = "
        mkdir full; mount -t tmpfs -o size=600k tmpfs full
        LABDOC build --out full/public >out 2>&1
        (cd full && find . -type f -exec sha256sum {} + | sort) >../before
        mkdir -p static; head -c 900000 /dev/urandom >static/big.bin
        code=0; LABDOC build --out full/public >out 2>&1 || code=$?
        test $code = 2
        grep -q 'No space left on device' out
        grep -q 'full/public' out
        (cd full && find . -type f -exec sha256sum {} + | sort) >../after
        diff ../before ../after >&2
        rm -r static; LABDOC build --out full/public >out 2>&1
    ";
    in_own_mounts(&world, script);
}

#[test]
fn a_mounted_folder_is_built_into_and_a_kill_there_leaves_each_file_whole() {
    let world = World::page("# A\n\nold words\n");
    forty(&world, "old words");
    let started = Instant::now();
    world.labdoc("build --out ../old").any_output().success();
    let whole = started.elapsed();
    let (kills, seed) = extent("LABDOC_KILLS", 5);
    let mut numbers = Numbers(seed);
    let parts: Vec<String> =
        (0..kills).map(|_| format!("{:.3}", numbers.moment(whole).as_secs_f64())).collect();
    let script = "
        mkdir public; mount -t tmpfs tmpfs public
        LABDOC build >out 2>&1
        sed -i 's/old words/new words/' content/many/*.md
        LABDOC build --out ../new >out 2>&1
        for part in PARTS; do
          timeout -s KILL $part LABDOC build >out 2>&1 || true
          (cd public && find . -type f ! -path './.labdoc*' ! -name labdoc-files.txt) | while read -r file; do
            cmp -s public/$file ../old/$file || cmp -s public/$file ../new/$file || { echo \"seed SEED: $file is neither\" >&2; exit 1; }
          done
        done
        LABDOC build >out 2>&1
        diff -r public ../new >&2
    ";
    let script = script.replace("PARTS", &parts.join(" ")).replace("SEED", &seed.to_string());
    in_own_mounts(&world, &script);
}

#[test]
fn a_page_that_may_not_be_read_is_exit_code_2_with_its_path() {
    let world = World::page("# A\n").file("content/b.md", "# B\n");
    world.labdoc("build").any_output().success();
    let before = world.tree("public");
    world.mode("content/b.md", 0o000);
    // Root reads everything, so it becomes somebody else.
    let root = rustix::process::getuid().is_root();
    let nobody = if root { "setpriv --reuid=65534 --regid=65534 --clear-groups" } else { "" };
    world.bash("chmod -R o+rwX .. && chmod 000 content/b.md").any_output().success();
    let copy = world.base().join("labdoc");
    std::fs::copy(env!("CARGO_BIN_EXE_labdoc"), &copy).expect("copy");
    let ended = world.bash(&format!("exec {nobody} {} build", copy.display())).any_output().code(2);
    assert!(ended.stderr.contains("content/b.md"), "{}", ended.stderr);
    assert_eq!(before.other_content(&world.tree("public")), [] as [&str; 0]);
    world.mode("content/b.md", 0o644);
}

#[test]
fn names_with_signs_are_linked_so_that_they_open() {
    let nfd = "\u{1109}\u{1165}\u{11af}\u{110e}\u{1175}";
    let names = ["a b", "a#b", "a?b", "a%b", "a%20b", "a&b", "'\"", nfd];
    let world = World::new();
    let mut text = "# 이름\n\n".to_owned();
    for name in names {
        let link: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
        text.push_str(&format!(
            "[x](<sub/{link}.md>) [y](<sub/{link}.txt>) [z](<../labkit/k/{link}.conf>)\n"
        ));
        world.write(&format!("content/sub/{name}.md"), "# 쪽\n\n[위](../index.md)\n");
        world.write(&format!("content/sub/{name}.txt"), "text\n");
        world.write(&format!("labkit/k/{name}.conf"), "a = 1\n");
    }
    world.write("content/index.md", text);
    // A name that Windows cannot have is refused, by name; the others are published.
    let ended = world.labdoc("build").any_output().code(1);
    for bad in ["a?b", "'\""] {
        assert!(ended.stderr.contains(&format!("{bad}.conf")), "{bad}: {}", ended.stderr);
    }
    for kind in ["conf", "md", "txt"] {
        for bad in ["a?b", "'\""] {
            let folder = if kind == "conf" { "labkit/k" } else { "content/sub" };
            std::fs::remove_file(world.path(&format!("{folder}/{bad}.{kind}"))).expect("remove");
        }
    }
    let index = world.read("content/index.md");
    let kept: Vec<&str> =
        index.lines().filter(|l| !l.contains("%3F") && !l.contains("%27%22")).collect();
    world.write("content/index.md", kept.join("\n"));
    world.labdoc("build").any_output().success();
    // Each address, read as a browser reads it, is a file.
    let html = world.read("public/index.html");
    let pattern = regex::Regex::new(r#"href="((?:sub|kit/k)/[^"]*)""#).expect("pattern");
    let mut seen = 0;
    for found in pattern.captures_iter(&html) {
        let address = found[1].replace("&amp;", "&").replace("&#39;", "'");
        let path = address.split(['#', '?']).next().unwrap_or("");
        let mut bytes = Vec::new();
        let mut rest = path.as_bytes();
        while let [first, tail @ ..] = rest {
            let hex = std::str::from_utf8(tail.get(..2).unwrap_or(b"")).unwrap_or("");
            match u8::from_str_radix(hex, 16).ok().filter(|_| *first == b'%') {
                Some(byte) => {
                    bytes.push(byte);
                    rest = &tail[2..];
                }
                None => {
                    bytes.push(*first);
                    rest = tail;
                }
            }
        }
        let path = String::from_utf8(bytes).expect("UTF-8");
        assert!(world.path(&format!("public/{path}")).is_file(), "{address} is no file");
        seen += 1;
    }
    assert!(seen >= 18, "{seen} links\n{html}");
}

#[test]
fn a_page_of_five_megabytes_is_built() {
    let part =
        "정책은 `kubectl` 이 적용한다. **굵게** 쓴다.\n\n- 하나\n- 둘\n\n```yaml\na: 1\n```\n\n";
    let section = format!("## 절\n\n{}", part.repeat(50_000 / part.len()));
    let world = World::page(&format!("# 큰 쪽\n\n{}", section.repeat(101)));
    assert!(world.bytes("content/a.md").len() > 5_000_000);
    world.labdoc("build").any_output().success();
    assert!(world.read("public/a.html").contains("id=\"절-101\""));
    for (path, entry) in &world.tree("public/search").0 {
        assert!(entry.bytes.len() <= 64 * 1024, "{path}: {}", entry.bytes.len());
    }
}
