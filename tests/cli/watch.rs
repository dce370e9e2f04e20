//! `--watch`: a save runs what changed, a refresh is no save, nothing outlives the end.

use std::io::{BufRead as _, BufReader};
use std::process::Child;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::support::{Run, World, processes, wait_for};

const PAGE: &str = "\
# T

```sh {#one}
echo run >> \"$COUNT\"; v=1; sleep 8001.MARK &
```

```sh {#two}
echo \"two $v A\"
```

```output {for=two}
two 1 A
```

```sh {#three}
echo \"three $((v + 1))\"
```

```output {for=three}
three 2
```

```sh {#end .teardown}
echo over >> \"$COUNT\"
```
";

/// How many pages were watched: each one's processes have a mark of their own.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// A page that is watched, with what was said so far.
struct Watched {
    world: World,
    child: Child,
    lines: Receiver<String>,
    mark: String,
}

impl Watched {
    fn start(arguments: &str) -> Watched {
        Watched::start_on(PAGE, arguments)
    }

    fn start_on(page: &str, arguments: &str) -> Watched {
        let number = STARTED.fetch_add(1, Ordering::SeqCst);
        let mark = format!("{:06}{number}", std::process::id());
        let world = World::new();
        let count = world.path("count").display().to_string();
        let header = format!("---\nparams: {{COUNT: {count}}}\n---\n");
        world.write("content/a.md", header + &page.replace("MARK", &mark));
        let mut child = world.labdoc(&format!("verify content/a.md --watch {arguments}")).spawn();
        let (sender, lines) = channel();
        let out = child.stdout.take().expect("stdout");
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let watched = Watched { world, child, lines, mark };
        watched.until("watching ");
        watched
    }

    /// Reads lines until one begins so; all of them.
    #[track_caller]
    fn until(&self, begin: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(Duration::from_secs(20)) {
                Ok(line) => seen.push(line),
                Err(error) => panic!("no line {begin:?}: {error}; {seen:?}"),
            }
            if seen.last().is_some_and(|line| line.trim_start().starts_with(begin)) {
                return seen;
            }
        }
    }

    /// Ends it as the user does.
    fn end(self) -> World {
        let pid = self.child.id().to_string();
        let sent = std::process::Command::new("kill").args(["-s", "INT", &pid]).status();
        assert!(sent.expect("kill").success());
        Run::wait(&self.world, self.child, 130);
        let mark = format!("8001.{}", self.mark);
        wait_for("no process", Duration::from_secs(2), || processes(&mark).is_empty());
        assert!(self.world.read("count").ends_with("over\n"), "teardown runs once, at the end");
        self.world
    }
}

#[test]
fn a_save_while_the_page_runs_for_the_first_time_is_seen() {
    let edit = "sed -i 's/echo fir[s]t/echo second/' a.md";
    let teardown = "echo over >> \"$COUNT\"";
    let watched = Watched::start_on(
        &format!(
            "# T\n\n```sh {{#one}}\n{edit}\n```\n\n```sh {{#two}}\necho first\n```\n\n```sh {{#end .teardown}}\n{teardown}\n```\n"
        ),
        "",
    );
    watched.until("ok    two");
    let world = watched.end();
    assert!(world.read("content/a.md").contains("echo second"));
}

#[test]
fn a_save_runs_the_changed_block_and_those_after_it() {
    let watched = Watched::start("");
    watched.world.edit("content/a.md", "echo \"two $v A\"", "v=5; echo \"two $v A\"");
    let said = watched.until("DRIFT three");
    let shown: Vec<&str> = said.iter().map(|line| line.get(..13).unwrap_or(line).trim()).collect();
    assert_eq!(shown, ["content/a.md", "DRIFT two", "DRIFT three"]);
    // Only what the page prints: judged again, nothing is run.
    watched.world.edit("content/a.md", "two 1 A", "two 5 A");
    watched.until("content/a.md");
    watched.world.edit("content/a.md", "three 2", "three 6");
    watched.until("content/a.md");
    watched.world.edit("content/a.md", "echo \"three", "true; echo \"three");
    let said = watched.until("ok    three");
    assert!(!said.iter().any(|line| line.contains("two")), "{said:?}");
    // A page that cannot be read as it stands ends nothing.
    watched.world.edit("content/a.md", "{#three}", "{#three timout=1s}");
    watched.world.edit("content/a.md", "{#three timout=1s}", "{#three timeout=9s}");
    watched.until("ok    three");
    let world = watched.end();
    assert_eq!(world.read("count"), "run\nover\n", "the first block ran once");
}

#[test]
fn a_refresh_is_no_save() {
    let watched = Watched::start("--update");
    for value in ["B", "C", "D"] {
        let text = watched.world.read("content/a.md");
        let at = text.find("echo \"two $v ").expect("block") + "echo \"two $v ".len();
        let mut text = text;
        text.replace_range(at..at + 1, value);
        watched.world.write("content/a.md", text);
        watched.until("refreshed content/a.md");
        assert!(watched.world.read("content/a.md").contains(&format!("two 1 {value}\n")));
    }
    // A loop would say something within this time.
    assert!(watched.lines.recv_timeout(Duration::from_millis(500)).is_err());
    watched.world.write("content/.a.md.swp", "x");
    watched.world.write("content/4913", "x");
    let text = watched.world.read("content/a.md");
    watched.world.write("content/a.md", text);
    assert!(watched.lines.recv_timeout(Duration::from_millis(500)).is_err());
    watched.end();
}

#[test]
fn the_time_from_save_to_answer_is_printed() {
    let watched = Watched::start("");
    let mut times = Vec::new();
    for round in 0..20 {
        let text = watched.world.read("content/a.md");
        let text = text.replace("true; ", "").replace("echo \"three", "true; echo \"three");
        let text = if round % 2 == 0 { text } else { text.replace("true; ", "") };
        watched.world.write("content/a.md", text);
        let begin = Instant::now();
        watched.until("ok    three");
        times.push(begin.elapsed());
    }
    times.sort();
    println!("save to answer: median {:?} of {}, worst {:?}", times[10], times.len(), times[19]);
    watched.end();
}

#[test]
fn watch_is_for_one_page_and_never_recorded() {
    let world =
        World::page("```sh {#a}\ntrue\n```\n").file("content/b.md", "```sh {#b}\ntrue\n```\n");
    let ended = world.labdoc("verify --watch").any_output().code(2);
    assert!(
        ended.stderr.starts_with("error: --watch runs one page, and 2 were chosen"),
        "{}",
        ended.stderr
    );
    world.labdoc("verify content/a.md --watch --record").any_stderr().code(2);
}
