//! Commands that ask for a terminal in a block that has none.

use std::sync::LazyLock;

use regex::Regex;

use crate::book::{Block, BlockKind, Page};
use crate::diag::Diagnostic;
use crate::source::Span;

/// kubectl wants a terminal on its input for `-t`; container tools do for `-i` with it. What
/// stands behind `--` is another program's.
static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?:^|[\s;&|(`])(?:
            (?<kubectl>kubectl|oc) \s (?:[^|;&]*?\s)? (?:exec|run|attach|debug) \s
                (?:[^|;&]*?\s)? (?<flag>-[ti]{1,2}|--tty(?:=true)?)
          | (?<tool>docker|podman|nerdctl) \s (?:[^|;&]*?\s)? (?:exec|run) \s
                (?:[^|;&]*?\s)? (?<both>-[dti]*(?:it|ti)[dti]*)
        )(?:\s|$)",
    )
    .ok()
});

/// The findings for a page.
pub(super) fn terminal(page: &Page) -> Vec<Diagnostic> {
    let shell = |block: &&Block| matches!(block.kind, BlockKind::Shell | BlockKind::Console);
    let without = page.blocks.iter().filter(shell).filter(|block| !block.options.tty);
    without.flat_map(of_block).collect()
}

/// The findings for a block.
fn of_block(block: &Block) -> Vec<Diagnostic> {
    let finding = |(line, at): (String, Span)| {
        let (tool, flag) = asks(&line)?;
        let message =
            format!("`{tool} … {flag}` asks for a terminal, and block `{}` has none", block.id);
        let without = flag.replace('t', "");
        let instead = if without.contains('i') {
            format!("write {without}")
        } else {
            "leave it out".to_owned()
        };
        let finding = Diagnostic::warning("BL024", message).at(at);
        Some(finding.hint(format!("{instead}, or give the block a terminal with tty=true")))
    };
    commands(block).into_iter().filter_map(finding).collect()
}

/// The tool and the flag by which a command asks for a terminal.
fn asks(command: &str) -> Option<(&str, &str)> {
    let before = command.split(" -- ").next().unwrap_or(command);
    // The expression is compiled for pages alone that name one of them.
    if !["kubectl", "oc", "docker", "podman", "nerdctl"].iter().any(|tool| before.contains(tool)) {
        return None;
    }
    let found = ASKS.as_ref()?.captures(before)?;
    let word = |name: &str| found.name(name).map(|word| word.as_str());
    let flag = word("flag").or_else(|| word("both"))?;
    let wants = flag.starts_with("--") || flag.contains('t');
    let tool = word("kubectl").or_else(|| word("tool"))?;
    wants.then_some((tool, flag))
}

/// The commands of a block, each with its first line's place; continued lines are one.
fn commands(block: &Block) -> Vec<(String, Span)> {
    let mut out: Vec<(String, Span)> = Vec::new();
    let mut goes_on = false;
    for (line, at) in block.text.lines().zip(&block.lines) {
        let command = match block.kind {
            BlockKind::Console => line.strip_prefix("$ ").or_else(|| line.strip_prefix("> ")),
            _ => Some(line),
        };
        let Some(command) = command.filter(|command| !command.trim_start().starts_with('#')) else {
            goes_on = false;
            continue;
        };
        let body = command.trim_end_matches('\\');
        match out.last_mut() {
            Some((whole, _)) if goes_on => whole.push_str(body),
            _ => out.push((body.to_owned(), *at)),
        }
        goes_on = body.len() < command.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::parse;
    use crate::source::Sources;

    #[test]
    fn a_terminal_that_is_asked_for_is_seen() {
        let check = |command: &str, expect: Option<(&str, &str)>| {
            assert_eq!(asks(command), expect, "{command}");
        };
        let kubectl = |flag| Some(("kubectl", flag));
        check("kubectl exec -it web -- date", kubectl("-it"));
        check("kubectl -n lab exec web -ti -- date", kubectl("-ti"));
        check("x=$(kubectl exec -t web -- date)", kubectl("-t"));
        check("true && kubectl run --tty x --image=y", kubectl("--tty"));
        check("docker run --rm -it alpine", Some(("docker", "-it")));
        check("podman exec -dti x sh", Some(("podman", "-dti")));
        check("kubectl exec -i web -- date", None);
        check("kubectl exec web -- tar -t", None);
        check("kubectl get pods -t", None);
        check("docker run -t alpine", None);
        check("kubectl exec web; ls -t", None);
        check("mykubectl exec -it web", None);
    }

    #[test]
    fn the_line_is_named_where_the_command_begins() {
        let check = |text: &str, expect: &[usize]| {
            let mut sources = Sources::default();
            let file = sources.add("a.md", text.to_owned());
            let page = parse(&sources, file).value;
            let lines: Vec<usize> = page
                .blocks
                .iter()
                .flat_map(commands)
                .filter(|(c, _)| asks(c).is_some())
                .map(|(_, at)| sources.line(at))
                .collect();
            assert_eq!(lines, expect);
        };
        check("```sh {#a}\ntrue\nkubectl exec \\\n  -it web -- date\n```\n", &[3]);
        check("```sh {#a}\n# kubectl exec -it web\n```\n", &[]);
        check("```console {#a}\n$ echo kubectl\nkubectl exec -it web\n```\n", &[]);
        check("```console {#a}\n$ true\n$ kubectl exec -it web\n```\n", &[3]);
    }
}
