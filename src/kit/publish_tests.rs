use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::disk;
use crate::kit::testing::{Site, codes, has, sh, sh_ok};

const KIT: [(&str, &str); 5] = [
    ("app/scripts/up.sh", "#!/bin/sh\nset -eu\n# запуск\necho up\n"),
    ("app/manifests/pvc.yaml", "kind: PersistentVolumeClaim\n---\nkind: Service\n"),
    ("app/한글/안내 문서.md", "# 안내\n==> 3 1 0644 abc ../evil\nno line end"),
    ("app/Makefile", "all:\n\techo it's\n"),
    ("app/empty.txt", ""),
];

/// The kit of these tests.
fn site() -> Site {
    Site::with(&KIT)
}

/// Everything that is published, by path.
fn all(kit: &Kit) -> BTreeMap<String, Vec<u8>> {
    let done = publish(kit, &PublishOptions::default()).unwrap();
    assert_eq!(codes(&done.diagnostics), ["KT314 labkit/app"]);
    let files = done.value.files.into_iter();
    files.map(|mut file| (file.path, file.content.bytes(kit).unwrap())).collect()
}

/// Puts what is published on the disk.
fn write_out(kit: &Kit, folder: &Path) {
    for (path, bytes) in all(kit) {
        disk::write(&folder.join(path), &bytes).unwrap();
    }
}

#[test]
fn archives_are_the_same_whatever_modes_times_and_order() {
    let one = site();
    let other = Site::new();
    for (path, text) in KIT.iter().rev() {
        other.write(path, text.as_bytes());
        disk::set_mode(&other.at(path), 0o600).unwrap();
    }
    disk::set_mode(&other.at("app/Makefile"), 0o777).unwrap();
    sh_ok(&other.at("app"), "find . -exec touch -d 2001-02-03 {} +");
    let (a, b) = (all(&one.kit("app")), all(&other.kit("app")));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (path, bytes) in &a {
        assert!(b[path] == *bytes, "{path} differs");
    }
}

#[test]
fn archive_headers_hold_nothing_of_this_machine() {
    let site = site();
    let kit = site.kit("app");
    let files = all(&kit);
    let gzip = &files[&format!("kit/app/{}.tar.gz", kit.top())];
    assert_eq!(gzip[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255], "gzip header");
    let zip = &files[&format!("kit/app/{}.zip", kit.top())];
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(zip)).unwrap();
    for index in 0..zip.len() {
        let entry = zip.by_index(index).unwrap();
        assert!(entry.extra_data().unwrap_or_default().is_empty(), "extra field");
        let time = entry.last_modified().unwrap();
        assert_eq!((time.year(), time.month(), time.day(), time.hour()), (1980, 1, 1, 0));
    }
}

/// Unpacks one archive with a tool and looks at names, modes and digests.
fn unpack(command: &str) {
    let site = site();
    let kit = site.kit("app");
    write_out(&kit, site.root());
    let out = site.root().join("unpacked");
    disk::create_folder(&out).unwrap();
    let archive = format!("../kit/app/{}", kit.top());
    sh_ok(&out, &format!("umask 022; {}", command.replace("ARCHIVE", &archive)));
    let top = out.join(kit.top());
    sh_ok(&top, "sha256sum --strict -c SHA256SUMS");
    if has("shasum") {
        sh_ok(&top, "shasum -a 256 -c SHA256SUMS");
    }
    assert_eq!(disk::files_below(&top).unwrap().len(), KIT.len() + 1, "no other file");
    let modes = sh_ok(&top, "stat -c '%a %n' scripts/up.sh Makefile SHA256SUMS");
    assert_eq!(modes, "755 scripts/up.sh\n644 Makefile\n644 SHA256SUMS\n");
}

#[test]
fn tar_unpacks_it() {
    unpack("tar -xzf ARCHIVE.tar.gz");
}

#[test]
fn unzip_unpacks_it() {
    if has("unzip") {
        unpack("LC_ALL=C.UTF-8 unzip -q ARCHIVE.zip");
    }
}

#[test]
fn all_txt_unpacks_with_sh_and_awk_byte_for_byte() {
    let site = site();
    site.write("app/it's.txt", b"quoted\r\n");
    site.write("app/logo.png", b"\x89PNG\0");
    let kit = site.kit("app");
    write_out(&kit, site.root());
    let out = site.root().join("kit/app");
    sh_ok(&out, "sed -n '/^==> /q;s/^#| //p' all.txt > unpack.sh; umask 022; sh unpack.sh");
    for file in kit.files.iter().filter(|file| file.text) {
        let path = out.join(kit.top()).join(&file.path);
        assert_eq!(disk::read(&path).unwrap(), file.bytes().unwrap(), "{}", file.path);
    }
    let top = out.join(kit.top());
    assert_eq!(disk::files_below(&top).unwrap().len(), kit.files.len(), "SHA256SUMS, no logo");
    assert_eq!(sh_ok(&top, "stat -c %a scripts/up.sh Makefile"), "755\n644\n");
    assert!(!out.join("evil").exists());
    let script = String::from_utf8(disk::read(&out.join("unpack.sh")).unwrap()).unwrap();
    assert!(script.lines().count() <= 10, "{script}");
    sh_ok(&out, "shellcheck -s sh unpack.sh");
    assert!(!sh(&out, "sh unpack.sh").status.success(), "refuses what is there");
}

#[test]
fn every_file_arrives_under_each_of_its_names() {
    let site = site();
    let kit = site.kit("app");
    let files = all(&kit);
    let bytes = KIT[2].1.as_bytes();
    assert_eq!(files["kit/app/files/한글/안내 문서.md"], bytes);
    assert_eq!(files["kit/app/text/한글/안내 문서.md.txt"], bytes);
    assert_eq!(files["kit/app/fetch.sh"], files["kit/app/fetch.sh.txt"]);
    let index = String::from_utf8(files["kit/app/INDEX.txt"].clone()).unwrap();
    assert_eq!(index.lines().count(), KIT.len() + 1);
    assert!(index.lines().all(|line| files.contains_key(&format!("kit/app/{line}"))), "{index}");
    write_out(&kit, site.root());
    sh_ok(&site.root().join("kit/app/files"), "sha256sum --strict -c SHA256SUMS");
    let digest = sh_ok(&site.root().join("kit/app/files"), "sha256sum < SHA256SUMS");
    assert_eq!(&digest[..64], kit.digest);
    assert_eq!(kit.version, digest[..8]);
}

#[test]
fn kit_json_names_modes_and_claims() {
    let site = site();
    let kit = site.kit("app");
    let claims = Claims::from([("scripts/up.sh".to_owned(), vec!["C7".to_owned()])]);
    let json = crate::kit::listing::kit_json(&kit, &claims).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let up =
        json["files"].as_array().unwrap().iter().find(|f| f["path"] == "scripts/up.sh").unwrap();
    assert_eq!(
        (up["mode"].as_str(), up["size"].as_u64()),
        (Some("0755"), Some(KIT[0].1.len() as u64))
    );
    assert_eq!(up["claims"][0], "C7");
    assert_eq!(json["digest"], format!("sha256:{}", kit.digest));
}

#[test]
fn kt312_a_file_that_changes_meanwhile() {
    let site = site();
    let kit = site.kit("app");
    site.write("app/Makefile", b"all:\n\techo else\n");
    let findings = publish(&kit, &PublishOptions::default()).unwrap().diagnostics;
    let of_kt312 = codes(&findings).into_iter().filter(|code| code.starts_with("KT312"));
    assert_eq!(of_kt312.collect::<Vec<_>>(), ["KT312 labkit/app/Makefile"]);
}

#[test]
fn lists_that_differ_are_found() {
    let site = site();
    let mut kit = site.kit("app");
    kit.sums = kit.sums.lines().skip(1).map(|line| format!("{line}\n")).collect();
    let findings = publish(&kit, &PublishOptions::default()).unwrap().diagnostics;
    assert!(codes(&findings).contains(&"KT313 labkit/app".to_owned()), "{findings:?}");
}

#[test]
fn big_kits_do_not_stay_in_memory() {
    let site = Site::new();
    let noise: Vec<u8> =
        (0..9_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    site.write("app/big.bin", &noise);
    let kit = site.kit("app");
    assert!(!kit.files[0].text);
    let mut packed = pack_checked(&kit, Format::TarGz, 0).unwrap();
    assert_eq!(packed.diagnostics, []);
    let size = std::io::Seek::seek(&mut packed.value, std::io::SeekFrom::End(0)).unwrap();
    assert!(packed.value.is_rolled() || size < 5_000_000);
}
