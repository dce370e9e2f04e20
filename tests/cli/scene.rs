//! `--keep`, `--shell-on-fail`, and what the page's own EXIT trap says.

use std::time::Duration;

use crate::support::{World, processes, wait_for};

const PAGE: &str = "\
```sh {#start}
trap 'touch trapped' EXIT
echo kept > \"$HOME/file\"
sleep 7001.MARK &
until pgrep -fx 'sleep 7001.MARK' >/dev/null; do :; done
```

```sh {#end .teardown}
touch teardown-ran
```
";

#[test]
fn keep_leaves_everything() {
    let mark = format!("{:06}", std::process::id());
    let world = World::page(&PAGE.replace("MARK", &mark));
    let ended = world.labdoc("verify content/a.md --keep").any_output().success();
    let kept: Vec<&str> =
        ended.stdout.lines().filter(|line| line.contains("kept: process")).collect();
    assert_eq!(kept.len(), 1, "{}", ended.stdout);
    let left = processes(&format!("sleep 7001.{mark}"));
    assert_eq!(left.len(), 1, "{left:?}");
    let pid = left[0].split(' ').next().expect("pid");
    assert_eq!(kept[0].trim(), format!("kept: process {pid} sleep 7001.{mark}"));
    assert!(!world.exists("content/teardown-ran") && !world.exists("content/trapped"));
    let folder = ended.stdout.lines().last().map(|_| ()).and_then(|()| {
        ended.stdout.lines().find(|line| line.trim().starts_with("[WORLD]/tmp/labdoc-run-"))
    });
    let folder =
        folder.expect("folder").trim().replace("[WORLD]", &world.base().display().to_string());
    let file = std::fs::read_to_string(format!("{folder}/home/file")).expect("file");
    assert_eq!(file, "kept\n");
    world.bash(&format!("kill {pid}")).success();
    wait_for("the process", Duration::from_secs(5), || {
        processes(&format!("7001.{mark}")).is_empty()
    });
}

#[test]
fn keep_is_for_one_page_and_a_shell_for_a_terminal() {
    let world =
        World::page("```sh {#a}\ntrue\n```\n").file("content/b.md", "```sh {#b}\ntrue\n```\n");
    let ended = world.labdoc("verify --keep").any_output().code(2);
    assert!(ended.stderr.contains("2 were chosen"), "{}", ended.stderr);
    let ended = world.labdoc("verify content/a.md --shell-on-fail").any_output().code(2);
    assert!(
        ended.stderr.starts_with("error: --shell-on-fail needs a terminal"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_shell_is_opened_where_a_block_failed_and_teardown_follows() {
    let world = World::page(
        "```sh {#a}\ncd \"$HOME\"; f() { echo \"f $v\"; }; v=1\n```\n\n```sh {#b}\nexit 3\n```\n\n\
         ```sh {#c .teardown}\ntouch gone\n```\n\n```sh {#d .teardown}\nls \"$HOME\"\n```\n",
    );
    let binary = env!("CARGO_BIN_EXE_labdoc");
    // A terminal of its own, on which somebody types.
    let line = format!(
        "printf 'f; [ -e gone ] || echo before; touch typed\\nexit\\n' | \
         script -qec '{binary} verify --shell-on-fail' /dev/null"
    );
    let ended = world.bash(&line).env("TERM", "xterm").any_output().code(1);
    assert!(
        ended.stdout.contains("f 1\r\n") && ended.stdout.contains("before\r\n"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("ok    c"), "{}", ended.stdout);
}

#[test]
fn what_the_exit_trap_prints_is_shown() {
    let world = World::page("```sh {#a}\ntrap 'echo the end' EXIT\n```\n");
    let ended = world.labdoc("verify").any_output().success();
    assert!(
        ended.stderr.contains("note[VR019]: the page's EXIT trap printed:\nthe end\n"),
        "{}",
        ended.stderr
    );
}
