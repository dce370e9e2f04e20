//! A site with a kubeconfig of its own for the cluster of the tests.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The image that pods of these tests run.
pub(crate) const IMAGE: &str = "lab.local/busybox:1.35";

/// One test at a time: they share namespaces and look at the whole cluster.
static ONE: Mutex<()> = Mutex::new(());

/// How many labs there were.
static LABS: AtomicUsize = AtomicUsize::new(0);

/// A temporary site, its home, and the cluster. What its tests call `lab-a` is a namespace of its own
/// in the cluster, so that none waits until that of another is gone.
pub(crate) struct Lab {
    folder: tempfile::TempDir,
    namespace: String,
    _one: MutexGuard<'static, ()>,
}

/// What a run of a program came to.
pub(crate) struct Said {
    /// Its exit code.
    pub(crate) code: Option<i32>,
    /// Both streams.
    pub(crate) text: String,
}

impl Said {
    /// The same with this exit code and these words, or a panic that shows everything.
    pub(crate) fn is(self, code: i32, parts: &[&str]) -> Said {
        assert_eq!(self.code, Some(code), "exit code\n{}", self.text);
        for part in parts {
            assert!(self.text.contains(part), "{part:?} is not in:\n{}", self.text);
        }
        self
    }
}

impl Lab {
    /// A site on the cluster, which the home trusts.
    pub(crate) fn new(page: &str) -> Lab {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder =
            tempfile::Builder::new().prefix("labdoc-cluster-test-").tempdir().expect("folder");
        let namespace = format!("lab-a{}", LABS.fetch_add(1, Ordering::SeqCst));
        let lab = Lab { folder, namespace, _one: one };
        let given = std::env::var_os("KUBECONFIG").expect("KUBECONFIG of the test cluster");
        lab.write("home/.kube/config", &std::fs::read_to_string(given).expect("kubeconfig"));
        lab.write("site/book.toml", "[book]\ntitle = \"Cluster\"\nlanguage = \"en\"\n");
        lab.page(page);
        lab.labdoc("trust").is(0, &["trusted"]);
        lab
    }

    /// Writes the page.
    pub(crate) fn page(&self, text: &str) {
        self.write("site/content/a.md", &text.replace("IMAGE", IMAGE));
    }

    /// The text of the page.
    pub(crate) fn text(&self) -> String {
        self.plain(&std::fs::read_to_string(self.path("site/content/a.md")).expect("page"))
    }

    /// The text with the lab's own namespace in place of `lab-a`.
    fn own(&self, text: &str) -> String {
        text.replace("lab-a", &self.namespace)
    }

    /// The text with `lab-a` in place of the lab's own namespace.
    fn plain(&self, text: &str) -> String {
        text.replace(&self.namespace, "lab-a")
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::write(path, self.own(text)).expect("write");
    }

    /// A path in the folder.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Runs labdoc in the site.
    pub(crate) fn labdoc(&self, arguments: &str) -> Said {
        self.said(self.command(env!("CARGO_BIN_EXE_labdoc")).args(arguments.split_whitespace()))
    }

    /// Starts labdoc in the site.
    pub(crate) fn start(&self, arguments: &str) -> Child {
        let mut command = self.command(env!("CARGO_BIN_EXE_labdoc"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.args(arguments.split_whitespace()).spawn().expect("spawn")
    }

    /// Runs a line of bash with the home's kubeconfig.
    pub(crate) fn bash(&self, line: &str) -> Said {
        self.said(self.command("bash").args(["-c", &self.own(line)]))
    }

    /// Runs a command to its end.
    fn said(&self, command: &mut Command) -> Said {
        self.of(command.output().expect("run"))
    }

    /// What a program that was started came to.
    pub(crate) fn end(&self, child: Child) -> Said {
        self.of(child.wait_with_output().expect("wait"))
    }

    /// Both streams with the exit code.
    fn of(&self, output: Output) -> Said {
        let Output { status, stdout, stderr } = output;
        let text =
            [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        Said { code: status.code(), text: self.plain(&text) }
    }

    /// A command in the site, with the home and nothing else.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.current_dir(self.path("site")).env_clear().env("PATH", path).env("NO_COLOR", "1");
        command.env("HOME", self.path("home"));
        command
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.bash("kubectl delete namespace lab-a --ignore-not-found --wait=false");
    }
}

/// Bytes and time of last change of a file.
pub(crate) fn state(path: &Path) -> (Vec<u8>, std::time::SystemTime) {
    let modified = std::fs::metadata(path).expect("there").modified().expect("time");
    (std::fs::read(path).expect("there"), modified)
}
