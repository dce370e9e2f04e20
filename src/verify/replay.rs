//! `run.sh`: the blocks of a run in plain bash, without labdoc.
//!
//! The replay judges exit codes only. A block whose text it cannot compare is `skip`, so that a
//! wrong counter with exit code 0 never reads as a pass; `labdoc evidence judge` compares.

use std::fmt::Write as _;

use super::plan::{Role, Step};
use super::record::Ran;
use super::session::{Streams, script};
use super::world::FIXED;
use crate::book::{Ready, Workdir};

/// What all replays have in common.
const COMMON: &str = include_str!("replay.sh");

/// Writes the replay of a run.
pub(super) fn script(ran: &Ran<'_>, bundle: &str, run_id: &str) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "#!/usr/bin/env bash\n\
         # Replays run {run_id} of bundle {bundle} ({}) without labdoc.\n\
         # Prints the transcript; exit code 1 when a block ends with another exit code than it should.\n\
         # Output is compared by: labdoc evidence judge {bundle}/{run_id} FILE\n",
        ran.plan.path
    );
    if ran.plan.needs_cluster() {
        out.push_str("# It uses the cluster behind KUBECONFIG.\n");
    }
    // Whoever starts it with another shell means this one.
    out.push_str("[ -n \"${BASH_VERSION-}\" ] || exec bash \"$0\" \"$@\"\n");
    let _ = write!(out, "labdoc_save={}\n\n{COMMON}", quoted(&script::state_commands()));
    world(&mut out, ran);
    kit(&mut out, ran);
    let on_page = |step: &&Step| ran.page.block(&step.id).is_some();
    for step in ran.plan.steps.iter().filter(on_page) {
        block(&mut out, step);
    }
    out.push_str("\nlabdoc_replay\n");
    out
}

/// Copies the part of the kit that the run could see.
fn kit(out: &mut String, ran: &Ran<'_>) {
    if ran.plan.workdir != Workdir::Kit {
        return;
    }
    let name = ran.plan.kit.as_deref().unwrap_or_default();
    let _ = write!(
        out,
        "\nlabdoc_kit=${{KIT:-}}\n\
         for labdoc_folder in \"$labdoc_here/../../../labkit/{name}\" \"$labdoc_here/../../../../kit/{name}/files\"; do\n\
         \x20 if [ -z \"$labdoc_kit\" ] && [ -d \"$labdoc_folder\" ]; then labdoc_kit=$labdoc_folder; fi\n\
         done\n\
         if [ -z \"$labdoc_kit\" ]; then echo 'kit {name} not found; set KIT=FOLDER' >&2; exit 2; fi\n\
         while IFS= read -r labdoc_file; do\n\
         \x20 mkdir -p -- \"$labdoc_work/work/$(dirname -- \"$labdoc_file\")\" || exit 2\n\
         \x20 cp -- \"$labdoc_kit/$labdoc_file\" \"$labdoc_work/work/$labdoc_file\" || exit 2\n\
         \x20 case $(head -c 2 -- \"$labdoc_work/work/$labdoc_file\" | tr -d '\\000') in '#!') chmod 755 -- \"$labdoc_work/work/$labdoc_file\" ;; esac\n\
         done <<'LABDOC-FILES'\n"
    );
    for path in ran.world.kit.keys() {
        out.push_str(path);
        out.push('\n');
    }
    out.push_str("LABDOC-FILES\n");
}

/// Folder and variables as they were.
fn world(out: &mut String, ran: &Ran<'_>) {
    out.push('\n');
    for (name, value) in FIXED {
        let _ = writeln!(out, "labdoc_env+=({name}={})", quoted(value));
    }
    for (name, value) in &ran.plan.params {
        let _ = writeln!(out, "labdoc_value={}", quoted(value));
        let _ = writeln!(out, "labdoc_env+=(\"{name}=${{{name}-$labdoc_value}}\")");
    }
    let _ = writeln!(
        out,
        "for labdoc_name in {}; do\n  \
         if [ -n \"${{!labdoc_name+set}}\" ]; then labdoc_env+=(\"$labdoc_name=${{!labdoc_name}}\"); fi\n\
         done",
        ran.world.passed.join(" ")
    );
    if ran.plan.needs_cluster() {
        out.push_str("labdoc_env+=(\"KUBECONFIG=${KUBECONFIG:-$HOME/.kube/config}\")\n");
    }
    if ran.plan.workdir == Workdir::Page {
        let folder = quoted(crate::book::folder_of(&ran.plan.path));
        let _ = writeln!(
            out,
            "labdoc_cwd=$(CDPATH='' cd -- \"$labdoc_here/../../../\"{folder} && pwd) || exit 2"
        );
    }
}

/// One block: what is run at once, each with the lines of the session that run it.
fn block(out: &mut String, step: &Step) {
    let role = match step.role {
        Role::Setup | Role::Normal => "page",
        Role::OnFailure => "on-failure",
        Role::Teardown => "teardown",
    };
    if step.skip.is_some() {
        let _ = writeln!(out, "\nlabdoc_add {} any no skip </dev/null", step.id);
        return;
    }
    for unit in &step.units {
        let expect = match (step.background, step.exit) {
            // No more than that it gets ready.
            (true, _) => "0".to_owned(),
            (false, Some(code)) => code.to_string(),
            (false, None) => "any".to_owned(),
        };
        let compared = unit.printed.is_some() || !step.parts.is_empty();
        let compared = if compared { "yes" } else { "no" };
        let (id, text, mark) = (&unit.id, &unit.text, heredoc_mark(&unit.text));
        let options = options(step);
        let _ = write!(
            out,
            "\nlabdoc_add {id} {expect} {compared} {role}{options} <<'{mark}'\n{text}{mark}\n"
        );
    }
}

/// How a block is run, as words behind the others.
fn options(step: &Step) -> String {
    let mut out = String::new();
    if step.streams == Streams::Apart {
        out.push_str(" apart");
    }
    if step.background {
        // What it prints is not part of the replay's transcript.
        let _ = write!(out, " background={}", step.timeout.as_secs().max(1));
    } else if let Some(retry) = step.retry {
        let _ = write!(out, " retry={}", retry.as_secs().max(1));
    }
    if let Some(ready) = &step.ready {
        let _ = write!(out, " ready={}", quoted(&ready_command(ready)));
    }
    out
}

/// The command that succeeds once a background block is ready; `@OUTPUT@` is what it printed.
fn ready_command(ready: &Ready) -> String {
    match ready {
        Ready::Port(port) => format!("(: </dev/tcp/127.0.0.1/{port}) 2>/dev/null"),
        Ready::Text(text) => format!("\\builtin command grep -qF -- {} @OUTPUT@", quoted(text)),
        Ready::Http { host, port, path } => format!(
            "(exec 3<>/dev/tcp/{host}/{port} && printf 'GET %s HTTP/1.0\\r\\nHost: {host}\\r\\n\\r\\n' {} >&3 \
             && read -r _ labdoc_status _ <&3 && [ \"$labdoc_status\" -lt 400 ]) 2>/dev/null",
            quoted(path)
        ),
    }
}

/// A mark that is no line of the text.
fn heredoc_mark(text: &str) -> String {
    let mut mark = "LABDOC-TEXT".to_owned();
    while text.lines().any(|line| line == mark) {
        mark.push('-');
    }
    mark
}

/// A value in single quotes.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}
