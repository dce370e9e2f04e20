//! One run of a command: what goes in, what must come out.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use regex::Regex;
use snapbox::data::IntoData;
use snapbox::{Assert, Data};

use super::World;

/// What a stream must hold.
enum Expect {
    /// Exactly this; nothing, unless a test says more.
    Text(Data),
    /// Whatever it is.
    Any,
}

/// A command to run, which ends in [`Run::success`] or [`Run::code`].
#[must_use = "end it in .success() or .code(n)"]
pub(crate) struct Run<'w> {
    world: &'w World,
    command: Command,
    stdout: Expect,
    stderr: Expect,
}

/// What a command printed, paths and times made the same on every machine.
pub(crate) struct Ended {
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
}

impl<'w> Run<'w> {
    /// A command in the site's folder with nothing in its environment but the world's.
    pub(super) fn of<'a>(
        world: &'w World,
        program: &str,
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Run<'w> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(world.root())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOME", world.base().join("home"))
            .env("TMPDIR", world.base().join("tmp"))
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        let nothing = || Expect::Text("".into_data().raw());
        Run { world, command, stdout: nothing(), stderr: nothing() }
    }

    /// Adds one argument as it is.
    pub(crate) fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs in this folder.
    pub(crate) fn current_dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// What standard output must be.
    pub(crate) fn stdout(mut self, text: impl IntoData) -> Self {
        self.stdout = Expect::Text(text.into_data());
        self
    }

    /// What standard error must be.
    pub(crate) fn stderr(mut self, text: impl IntoData) -> Self {
        self.stderr = Expect::Text(text.into_data());
        self
    }

    /// Standard output may be anything: the test looks at something else.
    pub(crate) fn any_stdout(mut self) -> Self {
        self.stdout = Expect::Any;
        self
    }

    /// Standard error may be anything: the test looks at something else.
    pub(crate) fn any_stderr(mut self) -> Self {
        self.stderr = Expect::Any;
        self
    }

    /// Both streams may be anything: the test looks at something else.
    pub(crate) fn any_output(mut self) -> Self {
        (self.stdout, self.stderr) = (Expect::Any, Expect::Any);
        self
    }

    /// Starts it and leaves it running.
    pub(crate) fn spawn(mut self) -> Child {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        self.command.spawn().expect("spawn")
    }

    /// Runs it; exit code 0.
    pub(crate) fn success(self) -> Ended {
        self.code(0)
    }

    /// Runs it; this exit code.
    pub(crate) fn code(mut self, code: i32) -> Ended {
        let output = self.command.output().expect("run");
        self.check(&output, code)
    }

    /// Runs it, however it ends and whatever it prints: a table says what is wrong with a row.
    pub(crate) fn end(mut self) -> Ended {
        let output = self.command.output().expect("run");
        Ended::of(&output, self.world)
    }

    /// Waits for one that was spawned; this exit code, any output.
    pub(crate) fn wait(world: &World, child: Child, code: i32) -> Ended {
        let output = child.wait_with_output().expect("wait");
        Run::of(world, "true", []).any_output().check(&output, code)
    }

    /// Compares.
    fn check(self, output: &Output, code: i32) -> Ended {
        let ended = Ended::of(output, self.world);
        let shown = format!("stdout:\n{}\nstderr:\n{}", ended.stdout, ended.stderr);
        assert_eq!(output.status.code(), Some(code), "exit code\n{shown}");
        let assert = Assert::new().action_env("SNAPSHOTS").normalize_paths(false);
        for (name, expect, got) in
            [("stderr", self.stderr, &ended.stderr), ("stdout", self.stdout, &ended.stdout)]
        {
            if let Expect::Text(expect) = expect {
                let result = assert.try_eq(Some(&name), got.as_str().into_data(), expect);
                if let Err(difference) = result {
                    panic!("{difference}\n{shown}");
                }
            }
        }
        ended
    }
}

impl Ended {
    /// What a command did.
    fn of(output: &Output, world: &World) -> Ended {
        let plain = |bytes: &[u8]| plain(&String::from_utf8_lossy(bytes), world);
        Ended {
            stdout: plain(&output.stdout),
            stderr: plain(&output.stderr),
            code: output.status.code(),
        }
    }
}

/// Takes out what differs from run to run: the world's folder, times, run ids.
fn plain(text: &str, world: &World) -> String {
    let base = world.base().to_string_lossy().into_owned();
    let text = text.replace(&format!("{base}/site"), "[SITE]").replace(&base, "[WORLD]");
    let seconds = Regex::new(r" +\d+\.\d\d s").expect("pattern");
    let text = seconds.replace_all(&text, " [TIME]");
    let run = Regex::new(r"\d{8}T\d{6}Z-[0-9a-f]{6}").expect("pattern");
    run.replace_all(&text, "[RUN]").into_owned()
}
