//! A temporary site with its own home, temporary folder and fixed environment.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{Run, Tree};

/// The header that most pages of tests have.
pub(crate) const BOOK: &str = "[book]\ntitle = \"Test site\"\nlanguage = \"en\"\n";

/// A site in a folder of its own; everything goes when it is dropped.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// An empty site: a `book.toml` and nothing else.
    pub(crate) fn new() -> World {
        let folder = tempfile::Builder::new().prefix("labdoc-cli-").tempdir().expect("folder");
        let world = World { folder };
        for name in ["site", "home", "tmp"] {
            fs::create_dir(world.base().join(name)).expect("folder");
        }
        world.file("book.toml", BOOK)
    }

    /// A site with one page, `content/a.md`.
    pub(crate) fn page(text: &str) -> World {
        World::new().file("content/a.md", text)
    }

    /// A copy of a whole site of `tests/sites/`.
    pub(crate) fn site(name: &str) -> World {
        let world = World::new();
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sites").join(name);
        for (path, entry) in &Tree::read(&from).0 {
            if !from.join(path).is_dir() {
                world.write(path, &entry.bytes);
            }
        }
        world
    }

    /// A world of its own with the same site, modes included.
    pub(crate) fn copy(&self) -> World {
        let world = World::new();
        for (path, entry) in &self.tree("").0 {
            if !self.path(path).is_dir() {
                world.write(path, &entry.bytes);
                world.mode(path, entry.mode);
            }
        }
        world
    }

    /// The site `lab` with a bundle, and the folder of its one run.
    pub(crate) fn recorded() -> (World, String) {
        let world = World::site("lab");
        world.labdoc("verify --record").any_stdout().success();
        let run = world.runs().pop().expect("a run");
        (world, run)
    }

    /// The site `proof`, recorded and sealed: a release of it has no finding at all.
    pub(crate) fn proven() -> World {
        let world = World::site("proof");
        world.labdoc("verify --record").any_stdout().success();
        world.labdoc("evidence seal").any_stdout().success();
        world.labdoc("check --release").stdout("checked: 0 errors, 0 warnings\n").success();
        world
    }

    /// A flat bundle that was recorded without labdoc, with one check `a` that passed.
    pub(crate) fn foreign(&self, id: &str, claims: &[&str]) {
        let claims = if claims.is_empty() {
            String::new()
        } else {
            format!("claims: [{}]\n", claims.join(", "))
        };
        let manifest =
            format!("schema: labdoc.bundle/1\nid: {id}\ntitle: Theirs\n{claims}checks: [a]\n");
        self.write(&format!("evidence/{id}/manifest.yaml"), manifest);
        self.write(&format!("evidence/{id}/run.sh"), "#!/bin/sh\necho ok\n");
        self.rewrite_result(id, "labdoc-check: a pass exit=0\nlost 3\nkept 7\n");
    }

    /// The recorded lab with a foreign bundle T7 that C1 names too.
    pub(crate) fn with_foreign() -> World {
        let (world, _) = World::recorded();
        world.foreign("T7", &["C1"]);
        world.edit("content/claims.yaml", "evidence: [T1#flip]", "evidence: [T1#flip, T7]");
        world
    }

    /// Replaces the transcript of a foreign bundle, and its verdict with one that describes it.
    pub(crate) fn rewrite_result(&self, id: &str, result: &str) {
        let (digest, bytes) = (World::sha256(result.as_bytes()), result.len());
        let lines: Vec<&str> = result.lines().collect();
        let value = |(name, value, line): (&str, &str, usize)| {
            let there = lines.get(line - 1).is_some_and(|text| text.contains(value));
            there.then(|| format!("\"flip.{name}\":{{\"value\":\"{value}\",\"line\":{line}}}"))
        };
        let values: Vec<String> =
            [("lost", "3", 2), ("kept", "7", 3)].into_iter().filter_map(value).collect();
        self.write(&format!("evidence/{id}/result.txt"), result);
        self.write(&format!("evidence/{id}/verdict.json"), format!(
            "{{\"schema\":\"labdoc.verdict/1\",\"bundle\":\"{id}\",\"run_id\":\"f1\",\"outcome\":\"pass\",\"exit_code\":0,\"started_at\":\"2026-11-01T10:00:00Z\",\"finished_at\":\"2026-11-01T10:00:01Z\",\"outputs\":{{\"result.txt\":{{\"sha256\":\"{digest}\",\"bytes\":{bytes}}}}},\"checks\":[{{\"id\":\"a\",\"outcome\":\"pass\",\"exit\":0}}],\"values\":{{{}}},\"runner\":{{\"name\":\"manual\"}}}}\n",
            values.join(",")
        ));
    }

    /// The SHA-256 of bytes, in hex.
    pub(crate) fn sha256(bytes: &[u8]) -> String {
        use sha2::Digest as _;
        sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The folders of the runs of bundle T1, oldest first.
    pub(crate) fn runs(&self) -> Vec<String> {
        self.runs_of("T1")
    }

    /// The folders of the runs of a bundle, oldest first.
    pub(crate) fn runs_of(&self, bundle: &str) -> Vec<String> {
        let folder = format!("evidence/{bundle}");
        self.names(&folder).iter().map(|run| format!("{folder}/{run}")).collect()
    }

    /// Adds or replaces a file of the site.
    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> World {
        self.write(path, content);
        self
    }

    /// Writes a file of the site.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let full = self.path(path);
        fs::create_dir_all(full.parent().expect("parent")).expect("folder");
        fs::write(full, content).expect("write");
    }

    /// Replaces a part of a file, which must be there.
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} does not hold {from:?}:\n{text}");
        self.write(path, text.replacen(from, to, 1));
    }

    /// The text of a file of the site.
    pub(crate) fn read(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).expect("UTF-8")
    }

    /// The bytes of a file of the site.
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A path in the site.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Whether a path of the site is there.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// The site's folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.base().join("site")
    }

    /// The folder that holds the site, the home and the temporary folder.
    pub(crate) fn base(&self) -> &Path {
        self.folder.path()
    }

    /// Sets the permission bits of a file of the site.
    pub(crate) fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).expect("chmod");
    }

    /// Every entry below a folder of the site, with content, mode and modification time.
    pub(crate) fn tree(&self, path: &str) -> Tree {
        Tree::read(&self.path(path))
    }

    /// The names in a folder of the site, sorted.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut names: Vec<String> =
            entries.map(|e| e.expect("entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// A run of `labdoc` with these arguments, split at blanks.
    pub(crate) fn labdoc(&self, arguments: &str) -> Run<'_> {
        Run::of(self, env!("CARGO_BIN_EXE_labdoc"), arguments.split_whitespace())
    }

    /// `labdoc check` ends so and has a finding whose text holds `part`.
    #[track_caller]
    pub(crate) fn finds(&self, code: i32, part: &str) {
        let ended = self.labdoc("check").any_output().code(code);
        assert!(ended.stderr.contains(part), "no {part:?} in:\n{}", ended.stderr);
    }

    /// A run of a script of bash as root of namespaces of its own, one for mounts among them; what
    /// it is stopped by fails the test. Root needs no other user for that.
    pub(crate) fn apart(&self, more: &str, script: &str) -> Run<'_> {
        self.write("../apart.sh", script);
        let root = rustix::process::getuid().is_root();
        let user = if root { "" } else { "--map-root-user" };
        self.bash(&format!("exec unshare {user} --mount {more} bash -eu ../apart.sh"))
    }

    /// A run of labdoc where nothing but an empty folder is in the place of this machine's fonts.
    pub(crate) fn without_fonts(&self, arguments: &str) -> Run<'_> {
        let labdoc = env!("CARGO_BIN_EXE_labdoc");
        let hide = "mount -t tmpfs none /usr/share/fonts";
        self.apart("", &format!("{hide}; exec {labdoc} {arguments}"))
    }

    /// A run of a line of bash in the site's folder.
    pub(crate) fn bash(&self, line: &str) -> Run<'_> {
        Run::of(self, "bash", ["-c", line])
    }
}
