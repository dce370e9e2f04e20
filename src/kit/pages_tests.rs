use std::collections::BTreeMap;

use super::*;
use crate::disk;
use crate::kit::fetch::tests::{Files, serve};
use crate::kit::publish::{PublishOptions, publish};
use crate::kit::testing::{Site, has, sh_ok};
use crate::kit::viewer::viewer;

/// The kit of these tests.
fn kit() -> (Site, Kit) {
    let site = Site::with(&[
        ("app/a/b/deep.yaml", "a: 1\n"),
        ("app/a/x #1.txt", "x"),
        ("app/한글.md", "안녕\n"),
        ("app/Makefile", "all:\n"),
    ]);
    let kit = site.kit("app");
    (site, kit)
}

/// The page that a relative address means.
fn target(page: &str, href: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in href.split('/') {
        match part {
            ".." => assert!(parts.pop().is_some(), "{page}: {href}"),
            part => parts.push(part),
        }
    }
    crate::address::decode(&parts.join("/")).unwrap()
}

/// Every published file with every page drawn as bare links.
fn whole(kit: &Kit) -> Files {
    let done = publish(kit, &PublishOptions::default()).unwrap().value;
    let mut pages = folder_indexes(kit);
    pages.push(kit_page(kit, &done.archives, None).index);
    pages.push(kits_index(std::slice::from_ref(kit)));
    let mut out: Files =
        done.files.into_iter().map(|mut f| (f.path, f.content.bytes(kit).unwrap())).collect();
    for page in pages {
        let hrefs = page.parents.iter().map(|parent| &parent.href);
        let entries =
            page.entries.iter().flat_map(|entry| [Some(&entry.href), entry.viewer.as_ref()]);
        let links: String = hrefs
            .chain(entries.flatten())
            .map(|href| format!("<a href=\"{href}\">x</a>\n"))
            .collect();
        out.insert(page.path, links.into_bytes());
    }
    for index in 0..kit.files.len() {
        let page = viewer(kit, index).unwrap();
        let links =
            format!("<a href=\"{}\">r</a>\n<a href=\"{}\">t</a>\n", page.raw_href, page.text_href);
        out.insert(page.path, links.into_bytes());
    }
    out
}

#[test]
fn every_address_is_relative_and_leads_to_a_published_file() {
    let (_site, kit) = kit();
    let files = whole(&kit);
    let mut count = 0;
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".html")) {
        for href in String::from_utf8_lossy(bytes).split("href=\"").skip(1) {
            let href = href.split('"').next().unwrap();
            assert!(!href.starts_with('/') && !href.contains(':'), "{path}: {href}");
            assert!(files.contains_key(&target(path, href)), "{path}: {href}");
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}

#[test]
fn an_index_has_folders_first_and_the_way_down() {
    let (_site, kit) = kit();
    let pages: BTreeMap<String, FolderIndex> =
        folder_indexes(&kit).into_iter().map(|page| (page.path.clone(), page)).collect();
    assert_eq!(pages.len(), 9, "3 trees of 3 folders");
    let top = &pages["kit/app/files/index.html"];
    let names: Vec<_> = top.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["a", "Makefile", "SHA256SUMS", "한글.md"]);
    let folder = &top.entries[0];
    assert_eq!((folder.href.as_str(), folder.count, folder.size), ("a/index.html", 2, 6));
    assert_eq!(top.entries[2].sha256.as_ref(), Some(&kit.digest));
    let deep = &pages["kit/app/view/a/b/index.html"];
    assert_eq!(deep.entries[0].href, "deep.yaml.html");
    let way: Vec<_> = deep.parents.iter().map(|p| (p.name.as_str(), p.href.as_str())).collect();
    let expect = [
        ("kit", "../../../../index.html"),
        ("app", "../../../index.html"),
        ("view", "../../index.html"),
        ("a", "../index.html"),
    ];
    assert_eq!(way, expect);
}

#[test]
fn wget_mirrors_exactly_the_kit() {
    if !has("wget") {
        return;
    }
    let (site, kit) = kit();
    let mut files = whole(&kit);
    // wget asks for this one at the top of the server.
    files.insert("/robots.txt".into(), b"User-agent: *\n".to_vec());
    let base = serve(files).replace("http:", "https:");
    let page = kit_page(&kit, &[], Some(&base));
    let way = page.ways.iter().find(|way| way.id == "mirror").unwrap();
    let command = way.commands[0].replace("https:", "http:");
    sh_ok(site.root(), &format!("no_proxy=127.0.0.1 {command} 2>&1"));
    let top = site.root().join(kit.top());
    let mut expect: Vec<String> = kit.files.iter().map(|file| file.path.clone()).collect();
    expect.push("SHA256SUMS".into());
    expect.sort();
    assert_eq!(disk::files_below(&top).unwrap(), expect);
    sh_ok(&top, "sha256sum --strict -c SHA256SUMS");
}

#[test]
fn the_commands_of_the_page_work() {
    let (site, kit) = kit();
    let base = serve(whole(&kit)).replace("http:", "https:");
    for way in kit_page(&kit, &[], Some(&base)).ways.iter().filter(|way| way.id != "mirror") {
        let folder = site.root().join(way.id);
        disk::create_folder(&folder).unwrap();
        let commands = match way.id {
            // The script is pinned to no address here, since that must be https.
            "fetch" => kit_page(&kit, &[], None).ways[0].commands[0].clone(),
            _ => way.commands.join("; "),
        };
        let address = format!("{base}/kit/app");
        let commands = commands.replace("ADDRESS", &address).replace("https:", "http:");
        let commands = commands.replace("less ", "cat ");
        if way.id != "zip" || has("unzip") {
            sh_ok(&folder, &format!("export LC_ALL=C.UTF-8; set -e; {commands}"));
            sh_ok(&folder.join(kit.top()), "sha256sum --strict -c SHA256SUMS");
        }
    }
}

#[test]
fn the_page_names_archives_with_size_and_digest() {
    let (_site, kit) = kit();
    let done = publish(&kit, &PublishOptions::default()).unwrap().value;
    let page = kit_page(&kit, &done.archives, Some("https://example.org/docs/"));
    let ids: Vec<_> = page.ways.iter().map(|way| (way.id, way.file.is_some())).collect();
    let expect =
        [("fetch", false), ("tar", true), ("zip", true), ("mirror", false), ("text", true)];
    assert_eq!(ids, expect);
    let one_line = "curl -fsSL https://example.org/docs/kit/app/fetch.sh | sh";
    assert_eq!(page.ways[0].commands[1], one_line);
    assert_eq!(page.digest, kit.digest);
}

#[test]
fn a_viewer_shows_what_is_there() {
    let site = Site::with(&[("app/up.sh", "#!/bin/sh\necho \u{202e}x\n"), ("app/logo.png", "\0")]);
    let kit = site.load("app").value;
    let page = viewer(&kit, 1).unwrap();
    assert_eq!(page.text.as_deref(), Some("#!/bin/sh\necho ⟨U+202E⟩x\n"));
    assert_eq!((page.lines, page.mode, page.truncated), (2, "0755", false));
    assert_eq!(
        (page.raw_href.as_str(), page.text_href.as_str()),
        ("../files/up.sh", "../text/up.sh.txt")
    );
    assert_eq!(crate::kit::testing::codes(&page.findings), ["SE503 labkit/app/up.sh:2"]);
    assert_eq!(viewer(&kit, 0).unwrap().text, None, "a binary file");
}

#[test]
fn a_viewer_is_cut_with_a_visible_mark() {
    let site = Site::new();
    site.write("app/big.log", "가나다\n".repeat(300_000).as_bytes());
    let page = viewer(&site.kit("app"), 0).unwrap();
    let text = page.text.unwrap();
    assert!(page.truncated && text.len() < (2 << 20) + 100);
    assert!(text.ends_with("⟨cut here: the first 2097152 of 3000000 bytes are shown⟩\n"));
    assert!(!text.contains('\u{fffd}'));
}
