#![expect(clippy::disallowed_methods, reason = "tests run the script")]

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use super::*;
use crate::digest::sha256_hex;
use crate::disk;
use crate::kit::publish::{PublishOptions, publish};
use crate::kit::testing::{Site, has, sh_ok};

pub(in crate::kit) type Files = BTreeMap<String, Vec<u8>>;

/// Serves files on a free port of this machine until the test process ends.
pub(in crate::kit) fn serve(files: Files) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let files = Arc::new(files);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let files = Arc::clone(&files);
            std::thread::spawn(move || answer(stream, &files));
        }
    });
    format!("http://{address}/docs")
}

/// Answers one request.
fn answer(mut stream: TcpStream, files: &Files) {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default();
    let path = crate::address::decode(path.trim_start_matches("/docs/")).unwrap_or_default();
    let (status, body) = match files.get(&path) {
        Some(body) => ("200 OK", body.as_slice()),
        None => ("404 Not Found", b"gone".as_slice()),
    };
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // A client that has gone away is no concern of the server.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

/// A kit, what is published of it, and an empty folder to fetch into.
struct Case {
    _site: Site,
    kit: Kit,
    files: Files,
    work: tempfile::TempDir,
}

/// The case of these tests.
fn case() -> Case {
    let site = Site::with(&[
        ("app/scripts/up.sh", "#!/bin/sh\necho up\n"),
        ("app/scripts/it's 1.sh", "#!/bin/sh\necho 1\n"),
        ("app/한글/안내 #1 100%.md", "안녕\n"),
        ("app/plain", "x"),
    ]);
    let kit = site.kit("app");
    let done = publish(&kit, &PublishOptions::default()).unwrap().value;
    let files = done.files.into_iter();
    let files = files.map(|mut f| (f.path, f.content.bytes(&kit).unwrap())).collect();
    Case { _site: site, kit, files, work: disk::temporary_folder("labdoc-fetch-").unwrap() }
}

impl Case {
    /// Runs the script against a server with the case's files.
    fn run(&self) -> Output {
        let script = fetch_sh(&self.kit, None).value;
        run(self.work.path(), &script, &[&format!("{}/kit/app", serve(self.files.clone()))])
    }

    /// Runs it; it must fail, say `why`, and leave nothing.
    fn fails(&self, why: &str) {
        let output = self.run();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(why), "{said}");
        assert_eq!(disk::list(self.work.path()).unwrap(), [], "{said}");
    }
}

/// Runs a script text in `folder`, as `sh fetch.sh ARGUMENTS` would.
fn run(folder: &Path, script: &str, arguments: &[&str]) -> Output {
    run_with("sh", folder, script, arguments)
}

/// Runs a script text with another shell.
fn run_with(shell: &str, folder: &Path, script: &str, arguments: &[&str]) -> Output {
    let file = disk::temporary_folder("labdoc-script-").unwrap();
    let path = file.path().join("fetch.sh");
    disk::write(&path, script.as_bytes()).unwrap();
    let mut command = Command::new(shell);
    command.arg(path).args(arguments).current_dir(folder);
    command.env("no_proxy", "127.0.0.1").output().unwrap()
}

#[test]
fn it_fetches_the_kit_with_curl() {
    let case = case();
    let output = case.run();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let top = case.work.path().join(case.kit.top());
    let mut expect: Vec<String> = case.kit.files.iter().map(|file| file.path.clone()).collect();
    expect.push("SHA256SUMS".into());
    expect.sort();
    assert_eq!(disk::files_below(&top).unwrap(), expect);
    sh_ok(&top, "sha256sum --strict -c SHA256SUMS");
    let modes = sh_ok(&top, "stat -c %a scripts/up.sh \"scripts/it's 1.sh\" plain 한글/*");
    assert_eq!(modes, "755\n755\n644\n644\n");
    assert_eq!(disk::list(case.work.path()).unwrap().len(), 1, "no temporary folder is left");
}

#[test]
fn it_fetches_the_kit_with_wget() {
    if !has("wget") {
        return;
    }
    let case = case();
    let script = fetch_sh(&case.kit, None).value.replace("command -v curl", "false curl");
    let address = format!("{}/kit/app/index.html", serve(case.files.clone()));
    let shell = if has("bash") { "bash" } else { "sh" };
    let output = run_with(shell, case.work.path(), &script, &[&address, "my folder"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    sh_ok(&case.work.path().join("my folder"), "sha256sum --strict -c SHA256SUMS");
}

#[test]
fn it_works_with_each_tool_for_digests() {
    for gone in ["sha256sum", "sha256sum|shasum"] {
        let case = case();
        let mut script = fetch_sh(&case.kit, None).value;
        for tool in gone.split('|') {
            script = script.replace(&format!("command -v {tool}"), &format!("false {tool}"));
        }
        let address = format!("{}/kit/app", serve(case.files.clone()));
        let output = run(case.work.path(), &script, &[&address]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_changed_file_stops_it() {
    let mut case = case();
    case.files.insert("kit/app/files/scripts/up.sh".into(), b"#!/bin/sh\nevil\n".to_vec());
    case.fails("changed kit, or a proxy answered with its own page");
}

#[test]
fn a_missing_file_stops_it() {
    let mut case = case();
    case.files.remove("kit/app/files/plain");
    case.fails("cannot get plain");
}

#[test]
fn a_page_of_a_proxy_stops_it() {
    let mut case = case();
    case.files.insert("kit/app/files/SHA256SUMS".into(), b"<html>log in</html>".to_vec());
    case.fails("a proxy answered with its own page");
}

#[test]
fn paths_that_leave_the_folder_stop_it() {
    for trick in ["../evil", "/tmp/evil", "a/../../evil", "a\\b", "a/..", ".."] {
        let mut case = case();
        case.kit.sums = format!("{}  {trick}\n", sha256_hex(b"x"));
        case.kit.digest = sha256_hex(case.kit.sums.as_bytes());
        case.files.insert("kit/app/files/SHA256SUMS".into(), case.kit.sums.clone().into_bytes());
        case.files.insert(format!("kit/app/files/{trick}"), b"x".to_vec());
        case.fails("a path that is refused");
    }
}

#[test]
fn an_existing_target_is_not_touched() {
    let case = case();
    let mine = case.work.path().join(case.kit.top()).join("mine");
    disk::write(&mine, b"mine").unwrap();
    let output = case.run();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("exists already"));
    assert_eq!(disk::files_below(case.work.path()).unwrap().len(), 1);
}

#[test]
fn only_https_and_this_machine_are_addresses() {
    let case = case();
    let script = fetch_sh(&case.kit, None).value;
    let refused = [
        "http://example.org/kit/app",
        "http://127.0.0.1@example.org/x",
        "http://127.example.org/x",
        "http://localhost.example.org/x",
        "ftp://example.org",
        "file:///etc",
        "",
    ];
    for address in refused {
        let output = run(case.work.path(), &script, &[address]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{address}: {said}");
        assert!(said.contains("address"), "{address}: {said}");
    }
}

#[test]
fn kt314_without_an_https_address() {
    let case = case();
    let check = |base: Option<&str>, findings: usize, expect: &str| {
        let made = fetch_sh(&case.kit, base);
        assert_eq!(made.diagnostics.len(), findings, "{base:?}");
        assert!(made.diagnostics.iter().all(|finding| finding.code == "KT314"));
        assert!(made.value.contains(expect), "{}", made.value);
    };
    check(None, 1, "\nurl=''\n");
    check(Some("http://example.org"), 1, "\nurl=''\n");
    check(Some("https://example.org/docs/"), 0, "\nurl=https://example.org/docs/kit/app\n");
}

#[test]
fn shellcheck_has_nothing_to_say() {
    let case = case();
    for base in [None, Some("https://example.org")] {
        let path = case.work.path().join("fetch.sh");
        disk::write(&path, fetch_sh(&case.kit, base).value.as_bytes()).unwrap();
        sh_ok(case.work.path(), "shellcheck -S style fetch.sh");
    }
}

#[test]
fn a_script_that_did_not_arrive_whole_does_nothing() {
    let case = case();
    let script = fetch_sh(&case.kit, None).value;
    let address = format!("{}/kit/app", serve(case.files.clone()));
    let step = script.len() / 150;
    let last = script.len() - 40..script.len() - 1;
    for end in (0..last.start).step_by(step).chain(last).filter(|end| script.is_char_boundary(*end))
    {
        run(case.work.path(), &script[..end], &[&address]);
        assert_eq!(disk::list(case.work.path()).unwrap(), [], "prefix of {end} bytes");
    }
    let output = run(case.work.path(), &script[..script.len() - 1], &[&address]);
    assert!(output.status.success(), "all but the last line end is the whole script");
}

/// How many braces and brackets are open at the end of a PowerShell text, outside of comments
/// that fill a line and of words in quotes. There is no PowerShell where these tests run.
fn open_at_end(text: &str) -> i32 {
    let (mut open, mut quote) = (0, None);
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        for c in line.chars() {
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(inside), c) if inside == c => quote = None,
                (None, '{' | '(' | '[') => open += 1,
                (None, '}' | ')' | ']') => open -= 1,
                _ => {}
            }
        }
    }
    open + i32::from(quote.is_some())
}

#[test]
fn a_part_of_the_powershell_variant_is_not_whole() {
    let case = case();
    for base in [None, Some("https://example.org/docs")] {
        let script = fetch_ps1(&case.kit, base);
        assert!(script.is_ascii() && open_at_end(&script) == 0, "{script}");
        let marks = ["@TITLE@", "@URL@", "@TOP@", "@DIGEST@"];
        assert!(!marks.iter().any(|mark| script.contains(mark)), "{script}");
        let begin = script.find("& {").unwrap() + 3;
        for end in begin..script.len() - "} @args\n".len() {
            assert!(open_at_end(&script[..end]) > 0, "a prefix of {end} bytes would be run");
        }
        assert!(script.contains(&format!("$Digest = '{}'", case.kit.digest)));
    }
}

#[test]
fn words_of_powershell_mean_the_text() {
    assert_eq!(powershell_quote("it's $x `a"), "'it''s $x `a'");
    let hangul = "([Text.RegularExpressions.Regex]::Unescape('\\ud55c\\u002d\\ud83c\\udf32'))";
    assert_eq!(powershell_quote("한-🌲"), hangul);
}
